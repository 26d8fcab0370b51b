// Synthesised sounds: the click of a piece on wood, deeper for a capture; two notes at the end.

/** @type {AudioContext | null} */
let audio = null;
let on = true;

export const sounds = () => on;
/** @param {boolean} wanted */
export function set_sounds(wanted) { on = wanted; }

// Browsers allow sound only after the user has interacted with the page.
addEventListener("pointerdown", () => { audio ??= window.AudioContext ? new AudioContext() : null; }, {once: true});

/** @param {AudioContext} device @param {number} tone @param {number} strength */
function click(device, tone, strength) {
  const length = 0.09, rate = device.sampleRate, buffer = device.createBuffer(1, Math.ceil(length * rate), rate);
  const samples = buffer.getChannelData(0);
  for (let each = 0; each < samples.length; each++) {
    const time = each / rate;
    samples[each] = strength * Math.exp(-60 * time)
      * (0.5 * Math.sin(2 * Math.PI * tone * time) + 0.3 * Math.sin(2 * Math.PI * 2.7 * tone * time) + 0.25 * (2 * Math.random() - 1) * Math.exp(-200 * time));
  }
  const source = device.createBufferSource();
  source.buffer = buffer;
  source.connect(device.destination);
  source.start();
}

/** @param {AudioContext} device @param {number} pitch @param {number} start @param {number} length */
function note(device, pitch, start, length) {
  const tone = device.createOscillator(), volume = device.createGain(), now = device.currentTime + start;
  tone.frequency.value = pitch;
  volume.gain.setValueAtTime(0.12, now);
  volume.gain.exponentialRampToValueAtTime(0.001, now + length);
  tone.connect(volume).connect(device.destination);
  tone.start(now);
  tone.stop(now + length);
}

/** @param {"move" | "capture" | "end"} what */
export function play(what) {
  if (!on || !audio) return;
  if (what === "end") { note(audio, 523, 0, 0.5); note(audio, 392, 0.18, 0.8); }
  else click(audio, what === "capture" ? 520 : 760, what === "capture" ? 0.55 : 0.4);
}

// Synthesised sounds: the click of a piece on wood, deeper for a capture; two notes at the end.

let audio = null, on = true;

export const sounds = () => on;
export function set_sounds(wanted) { on = wanted; }

// Browsers allow sound only after the user has interacted with the page.
addEventListener("pointerdown", () => { audio ??= window.AudioContext ? new AudioContext() : null; }, {once: true});

function click(tone, strength) {
  const length = 0.09, rate = audio.sampleRate, buffer = audio.createBuffer(1, Math.ceil(length * rate), rate);
  const samples = buffer.getChannelData(0);
  for (let each = 0; each < samples.length; each++) {
    const time = each / rate;
    samples[each] = strength * Math.exp(-60 * time)
      * (0.5 * Math.sin(2 * Math.PI * tone * time) + 0.3 * Math.sin(2 * Math.PI * 2.7 * tone * time) + 0.25 * (2 * Math.random() - 1) * Math.exp(-200 * time));
  }
  const source = audio.createBufferSource();
  source.buffer = buffer;
  source.connect(audio.destination);
  source.start();
}

function note(pitch, start, length) {
  const tone = audio.createOscillator(), volume = audio.createGain(), now = audio.currentTime + start;
  tone.frequency.value = pitch;
  volume.gain.setValueAtTime(0.12, now);
  volume.gain.exponentialRampToValueAtTime(0.001, now + length);
  tone.connect(volume).connect(audio.destination);
  tone.start(now);
  tone.stop(now + length);
}

// what : "move", "capture" or "end"
export function play(what) {
  if (!on || !audio) return;
  if (what === "end") { note(523, 0, 0.5); note(392, 0.18, 0.8); }
  else click(what === "capture" ? 520 : 760, what === "capture" ? 0.55 : 0.4);
}

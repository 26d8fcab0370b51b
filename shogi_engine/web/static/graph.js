// The graph of the game: the advantage as one area on both sides of the middle, the three worst moves marked; and the
// time that each move took, black's from above, white's from below.

import {$} from "./dom.js";
import {clock_text, percent} from "./panels.js";
import {t} from "./words.js";

const SVG = "http://www.w3.org/2000/svg";
const svg = $("graph");
const HIGH = 100, BARS = 30; // of the height, and of the longest time

/** @param {Row[]} line */
export const worst = line => line.map((move, ply) => ({...move, ply, loss: move.loss ?? 0})).filter(move => move.loss > 0)
  .sort((one, other) => other.loss - one.loss).slice(0, 3);

/** @param {string} name @param {Record<string, string | number>} attributes */
function add(name, attributes) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, String(value));
  svg.append(node);
  return node;
}

/** @param {State} state */
export function graph(state) {
  const line = state.line, last = Math.max(line.length - 1, 1), wide = 4 * HIGH;
  /** @param {number} ply */
  const x = ply => ply / last * wide;
  /** @param {number} chance */
  const y = chance => HIGH - HIGH * chance;
  /** @type {[number, number][]} */
  const known = line.flatMap((move, ply) => move.chance === undefined ? [] : [[ply, move.chance]]);
  const times = line.map(({seconds = 0}) => state.playing.on ? 0 : seconds), timed = times.filter(Boolean).length > 1;
  const longest = times.reduce((most, each) => Math.max(most, each), 0);
  svg.toggleAttribute("hidden", known.length < 2 && !timed);
  if (known.length < 2 && !timed) return;
  const here = Math.min(state.branch, line.length - 1), chance = line[here].chance;
  svg.setAttribute("viewBox", `0 0 ${wide} ${HIGH}`);
  svg.setAttribute("aria-valuemax", String(last));
  svg.setAttribute("aria-valuenow", String(here));
  svg.setAttribute("aria-label", t(known.length > 1 ? "graph" : "times"));
  svg.setAttribute("aria-valuetext", `${here}. ${line[here].text || t("start")}` + (chance === undefined ? "" : ` ${percent(chance)}`) + (times[here] ? ` ${clock_text(times[here])}` : ""));
  const points = known.map(([ply, share]) => `${x(ply).toFixed(1)},${y(share).toFixed(1)}`).join(" ");
  svg.replaceChildren();
  if (timed) times.forEach((seconds, ply) => {
    const high = BARS * Math.sqrt(seconds / longest), black = (state.turn + state.ply - ply) % 2 !== 0;
    if (seconds) add("rect", {x: x(ply - 0.8), y: black ? 0 : HIGH - high, width: x(0.8), height: high, class: "time"});
  });
  if (known.length > 1) add("polygon", {points: `${x(known[0][0])},50 ${points} ${x(known[known.length - 1][0])},50`, class: "area"});
  add("line", {x1: 0, x2: wide, y1: 50, y2: 50, class: "half"});
  if (known.length > 1) add("polyline", {points, class: "curve"});
  for (const move of worst(line)) {
    if (move.chance === undefined) continue;
    const mark = add("path", {d: `M${x(move.ply)} ${y(move.chance)}h0`, class: `mark ${move.verdict}`}); // round, however wide the graph is
    mark.append(Object.assign(document.createElementNS(SVG, "title"), {textContent: `${move.ply}. ${move.text}`}));
  }
  add("line", {x1: x(here), x2: x(here), y1: 0, y2: HIGH, class: "cursor"});
}

/** @param {Link} link @param {() => State | null} get */
export function graph_events(link, get) {
  let sent = -1;
  /** @param {PointerEvent} event */
  const pointed = event => {
    const line = get()?.line ?? [], box = svg.getBoundingClientRect();
    const ply = Math.max(0, Math.min(line.length - 1, Math.round((event.clientX - box.left) / box.width * (line.length - 1))));
    if (line[ply] && line[ply].node !== sent) link.say("go", {node: sent = line[ply].node});
  };
  svg.addEventListener("pointerdown", event => { sent = -1; pointed(event); });
  svg.addEventListener("pointermove", event => { if (event.buttons) pointed(event); });
}

// The graph: the advantage as one area on both sides of the middle, the three worst moves marked.

import {percent} from "./panels.js";
import {t} from "./words.js";

const SVG = "http://www.w3.org/2000/svg";
const svg = document.getElementById("graph");
const HIGH = 100;

export const worst = line => line.map((move, ply) => ({...move, ply})).filter(move => move.loss > 0)
  .sort((one, other) => other.loss - one.loss).slice(0, 3);

function add(name, attributes) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  svg.append(node);
  return node;
}

export function graph(state) {
  const line = state.line, known = line.map((move, ply) => [ply, move]).filter(([, move]) => move.chance !== undefined);
  svg.toggleAttribute("hidden", known.length < 2);
  if (known.length < 2) return;
  const last = Math.max(line.length - 1, 1), here = Math.max(line.findIndex(move => move.node === state.node), 0);
  const wide = 4 * HIGH, x = ply => ply / last * wide, y = chance => HIGH - HIGH * chance;
  svg.setAttribute("viewBox", `0 0 ${wide} ${HIGH}`);
  svg.setAttribute("aria-valuemax", last);
  svg.setAttribute("aria-valuenow", here);
  svg.setAttribute("aria-label", t("graph"));
  const chance = line[here].chance;
  svg.setAttribute("aria-valuetext", `${here}. ${line[here].text || t("start")}` + (chance === undefined ? "" : ` ${percent(chance)} %`));
  const points = known.map(([ply, move]) => `${x(ply).toFixed(1)},${y(move.chance).toFixed(1)}`).join(" ");
  svg.replaceChildren();
  add("polygon", {points: `${x(known[0][0])},50 ${points} ${x(known.at(-1)[0])},50`, class: "area"});
  add("line", {x1: 0, x2: wide, y1: 50, y2: 50, class: "half"});
  add("polyline", {points, class: "curve"});
  for (const move of worst(line)) {
    if (line[move.ply].chance === undefined) continue;
    const mark = add("ellipse", {cx: x(move.ply), cy: y(line[move.ply].chance), rx: 5, ry: 5, class: `mark ${move.verdict}`});
    mark.append(Object.assign(document.createElementNS(SVG, "title"), {textContent: `${move.ply}. ${move.text}`}));
  }
  add("line", {x1: x(here), x2: x(here), y1: 0, y2: HIGH, class: "cursor"});
}

export function graph_events(link, get) {
  let sent = -1;
  const pointed = event => {
    const {line} = get(), box = svg.getBoundingClientRect();
    const ply = Math.max(0, Math.min(line.length - 1, Math.round((event.clientX - box.left) / box.width * (line.length - 1))));
    if (line[ply].node !== sent) link.say("go", {node: sent = line[ply].node});
  };
  svg.addEventListener("pointerdown", event => { sent = -1; pointed(event); });
  svg.addEventListener("pointermove", event => { if (event.buttons) pointed(event); });
}

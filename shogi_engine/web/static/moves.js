// The moves: the current line in rows, with its variations, and the verdict on the current move.

import {line as playable} from "./lines.js";
import {element} from "./dom.js";
import {clock_text, percent} from "./panels.js";
import {t} from "./words.js";

const $ = id => document.getElementById(id);

function row(move, ply, state, link) {
  const parts = [element("span", {class: "number"}, ply ? String(ply) : ""),
    element("span", {class: `text ${move.verdict ?? ""}`}, ply ? move.text : t("start"))];
  if (move.verdict) parts.push(element("span", {class: `text ${move.verdict}`, title: t(`called_${move.verdict}`)}, {blunder: "??", mistake: "?", inaccuracy: "?!"}[move.verdict]));
  if (move.seconds !== undefined) parts.push(element("span", {class: "soft"}, clock_text(move.seconds)));
  if (move.chance !== undefined) parts.push(element("span", {class: "soft"}, `${percent(move.chance)}%`));
  const item = element("li", {}, element("button", {type: "button", "aria-current": move.node === state.node ? "true" : false,
    onclick: () => link.say("go", {node: move.node})}, ...parts));
  if (move.comment) item.append(element("p", {class: "said"}, move.comment));
  for (const variation of move.others ?? []) item.append(run(variation, state, link));
  return item;
}

// One variation: its moves one after another, indented by its depth.
function run({depth, ply, moves}, state, link) {
  const block = element("p", {class: `variation deep${Math.min(depth, 4)}`});
  moves.forEach(([node, text, comment], index) => {
    const number = !index || comment ? `${ply + index}. ` : "";
    block.append(element("button", {type: "button", "aria-current": node === state.node ? "true" : false, onclick: () => link.say("go", {node})}, number + text), " ");
    if (comment) block.append(element("span", {class: "said"}, comment), " ");
  });
  return block;
}

let drawn = "";

export function moves(state, link) {
  const list = $("moves");
  const key = JSON.stringify([state.line, state.node, state.language, state.game]);
  if (key !== drawn) {
    drawn = key;
    list.replaceChildren(...state.line.map((move, ply) => row(move, ply, state, link)));
    const current = list.querySelector("[aria-current]");
    if (current) {
      const top = current.getBoundingClientRect().top - list.getBoundingClientRect().top + list.scrollTop;
      if (top < list.scrollTop || top + current.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = top - list.clientHeight / 2;
    }
  }
  verdict(state.verdict);
}

let told = "";

function verdict(found) {
  const box = $("verdict"), key = JSON.stringify(found);
  box.hidden = !found?.class;
  if (box.hidden || key === told) return;
  told = key;
  box.replaceChildren(
    element("p", {class: found.class}, `${found.called} – ${t("gave", {percent: percent(found.loss), given: found.given})}`),
    element("p", {}, `${t("better", {score: found.score})} `, playable(found)));
}

// After a game: the result, its turning points, and what to do next. Also for a judged record.

import {worst} from "./graph.js";
import {element} from "./dom.js";
import {ending, percent} from "./panels.js";
import {side, t} from "./words.js";

const panel = document.getElementById("finish");
let drawn = "";

export function finish(state, link, save) {
  const over = state.playing.over && !state.setup && !state.tsume;
  panel.hidden = !over && !state.summary;
  if (panel.hidden) { drawn = ""; return; }
  const turning = worst(state.line);
  const key = JSON.stringify([state.playing.over, state.summary, turning.map(move => [move.node, move.text]), state.judging === null, state.language, state.game]);
  if (key === drawn) return;
  drawn = key;
  const rows = [];
  rows.push(element("h2", {}, over ? ending(state) : t("summary")));
  const found = [];
  if (turning.length) found.push(element("h3", {}, t("turning")), element("ol", {class: "turning"}, ...turning.map(move =>
    element("li", {}, element("button", {type: "button", onclick: () => link.say("go", {node: move.node})}, `${move.ply}. ${move.text}`),
      " ", element("span", {class: `text ${move.verdict}`}, `${t(`called_${move.verdict}`)} −${percent(move.loss)} %`)))));
  else if (state.summary) found.push(element("p", {class: "soft"}, t("noTurning")));
  rows.push(element("div", {class: "figures"}, ...(state.summary ? [table(state.summary)] : []), element("div", {}, ...found)));
  const button = (id, word, action, main = false) => element("button", {type: "button", id, class: main ? "main" : "", onclick: action}, t(word));
  const buttons = [];
  if (over && !state.summary && state.line.length > 1 && state.judging === null)
    buttons.push(button("finish-judge", "judge", () => link.say("judge", {on: true, effort: document.getElementById("effort").value}), true));
  if (over) buttons.push(button("rematch", "rematch", () => link.say("rematch")));
  buttons.push(button("finish-save", "save", save));
  rows.push(element("div", {class: "row"}, ...buttons));
  panel.replaceChildren(...rows);
}

function table({counts, agreement}) {
  const head = ["", side(0), side(1)].map(text => element("th", {scope: "col"}, text));
  const row = (word, values) => element("tr", {}, element("th", {scope: "row"}, t(word)), ...values.map(value => element("td", {}, value)));
  return element("table", {class: "summary"}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {},
    row("agreement", agreement.map(share => share === null ? "–" : `${percent(share)} %`)),
    ...["blunder", "mistake", "inaccuracy"].map(name => row(`called_${name}`, counts.map(each => String(each[name]))))));
}

// Tsume: the choice of a problem, by plies and grade, and the panel while one is being solved.

import {ask, show as show_dialog} from "./dialogs.js";
import {element} from "./dom.js";
import {t} from "./words.js";

const panel = document.getElementById("problem");
let chosen = 3; // plies of the problems that the list shows
let hinted = null; // the last hint: {node, move, text, stage}

export function choose({rows, daily}, link, state) {
  const all = rows.map(([length, grade, solved], index) => ({length, grade, solved, number: index + 1}));
  const solve = problem => ask(link, "tsume", {on: true, problem});
  const tabs = [...new Set(all.map(each => each.length))].sort((one, other) => one - other);
  const list = element("div", {class: "grades"});
  const draw = () => {
    const some = all.filter(each => each.length === chosen), open = some.find(each => !each.solved);
    const button = each => element("button", {type: "button", class: each.solved ? "solved" : "", "data-problem": each.number,
      "aria-label": `${t("problem", each)}${each.solved ? `, ${t("done_before")}` : ""}`, onclick: () => solve(each.number)}, String(each.number));
    const grades = [...new Set(some.map(each => each.grade))].sort((one, other) => one - other);
    list.replaceChildren(
      element("p", {class: "row"}, element("span", {class: "soft"}, t("solvedCount", {solved: some.filter(each => each.solved).length, count: some.length})),
        ...(open ? [element("button", {type: "button", id: "next-open", onclick: () => solve(open.number)}, t("nextOpen"))] : [])),
      ...grades.flatMap(grade => [element("h3", {}, t("gradeTitle", {grade})),
        element("div", {class: "numbers"}, ...some.filter(each => each.grade === grade).map(button))]));
    for (const tab of choice.children) tab.setAttribute("aria-pressed", String(Number(tab.dataset.length) === chosen));
  };
  const choice = element("div", {class: "choice", role: "group", "aria-label": t("tsumeTitle")}, ...tabs.map(length =>
    element("button", {type: "button", "data-length": length, onclick: () => { chosen = length; draw(); }}, t("pliesTab", {length}))));
  show_dialog(t("tsumeTitle"), element("p", {class: "soft"}, t("tsumeHint")),
    element("div", {class: "row"},
      element("button", {type: "button", class: "main", id: "daily", onclick: () => solve(daily)}, `${t("daily")} (${t("pliesTab", all[daily - 1])})`),
      ...(state.game === "shogi" ? [element("button", {type: "button", onclick: () => solve(0)}, t("solveThis"))] : [])),
    choice, list);
  draw();
}

// A first hint marks the piece to move; a second one at the same move tells the move.
export function hint(message) {
  hinted = {...message, stage: hinted?.node === message.node ? 2 : 1};
  mark();
  document.querySelector("#board rect.hint")?.scrollIntoView({block: "nearest"}); // on a phone, the panel is below the board
  say();
}

// Marks the piece; again after the board was drawn anew, for example because a phone was turned.
function mark() {
  for (const area of document.querySelectorAll("#board rect.square"))
    area.classList.toggle("hint", hinted !== null && area.dataset.square === hinted.move.slice(0, 2)
      && (!area.dataset.side || area.dataset.side === "black"));
}

function say() {
  const line = document.getElementById("hinted");
  if (line) line.textContent = hinted?.stage === 2 ? t("hintMove", {move: hinted.text}) : hinted ? t("hintPiece") : "";
}

export function problem(state, link) {
  const {tsume} = state;
  panel.hidden = !tsume;
  if (hinted && hinted.node !== state.node) hinted = null;
  if (!tsume) return;
  mark();
  const button = (id, word, action, main = false) => element("button", {type: "button", id, class: main ? "main" : "", onclick: action}, t(word));
  const go = number => () => link.say("tsume", {on: true, problem: number});
  const focused = document.activeElement?.id;
  panel.replaceChildren(
    element("h2", {}, tsume.number ? t("problemTitle", {...tsume, length: tsume.plies}) : t("tsumeTitle")),
    element("p", {class: "soft"}, t("tsumeHint")),
    element("p", {id: "hinted", role: "status"}),
    element("div", {class: "row"},
      button("tsume-hint", "hint", () => link.say("hint")),
      button("tsume-solution", "solution", () => link.say("mate")),
      ...(tsume.number > 1 ? [button("tsume-previous", "previousProblem", go(tsume.number - 1))] : []),
      ...(tsume.number && tsume.number < tsume.count ? [button("tsume-next", "nextProblem", go(tsume.number + 1), tsume.status === "solved")] : []),
      button("tsume-list", "tsume", () => link.say("problems")),
      button("tsume-leave", "leave", () => link.say("tsume", {on: false}))));
  if (focused) panel.querySelector(`#${CSS.escape(focused)}`)?.focus();
  say();
}

// Tsume: the choice of a problem, by plies and grade, and the panel while one is being solved.

import {ask, show as show_dialog} from "./dialogs.js";
import {$, button, element} from "./dom.js";
import {sheet} from "./diagram.js";
import {lesson} from "./lessons.js";
import {t} from "./words.js";

const panel = $("problem");
let chosen = 3; // plies of the problems that the list shows
/** @type {{node: number, move: string, text: string, position: string, side: string, stage: number} | null} the last hint */
let hinted = null;
let given = ""; // the problem in the panel

/** @param {Replies["problems"]} problems @param {Link} link @param {State} state */
export function choose({rows, daily}, link, state) {
  const all = rows.map(([length, grade, solved], index) => ({length, grade, solved, number: index + 1}));
  /** @param {number} problem */
  const solve = problem => ask(link, "tsume", {on: true, problem});
  const tabs = [...new Set(all.map(each => each.length))].sort((one, other) => one - other);
  const list = element("div", {class: "grades"});
  const draw = () => {
    const some = all.filter(each => each.length === chosen), open = some.find(each => !each.solved);
    /** @param {typeof all[number]} each */
    const entry = each => button(String(each.number), () => { solve(each.number); }, {class: each.solved ? "solved" : "", "data-problem": each.number,
      "aria-label": `${t("problem", each)}${each.solved ? `, ${t("done_before")}` : ""}`});
    const grades = [...new Set(some.map(each => each.grade))].sort((one, other) => one - other);
    list.replaceChildren(
      element("p", {class: "row"}, element("span", {class: "soft"}, t("solvedCount", {solved: some.filter(each => each.solved).length, count: some.length})),
        ...(open ? [button(t("nextOpen"), () => { solve(open.number); }, {id: "next-open"})] : []), sheet(chosen, link)),
      ...grades.flatMap(grade => [element("h3", {}, t("gradeTitle", {grade})),
        element("div", {class: "numbers"}, ...some.filter(each => each.grade === grade).map(entry))]));
    for (const tab of /** @type {Iterable<HTMLElement>} */ (choice.children)) tab.setAttribute("aria-pressed", String(Number(tab.dataset.length) === chosen));
  };
  const choice = element("div", {class: "choice", role: "group", "aria-label": t("tsumeTitle")}, ...tabs.map(length =>
    button(t("pliesTab", {length}), () => { chosen = length; draw(); }, {"data-length": length})));
  show_dialog(t("tsumeTitle"), element("p", {class: "soft"}, t("tsumeHint")),
    element("div", {class: "row"},
      button(`${t("daily")} (${t("pliesTab", all[daily - 1])})`, () => { solve(daily); }, {class: "main", id: "daily"}),
      ...(state.game === "shogi" ? [button(t("solveThis"), () => { solve(0); })] : [])),
    choice, list);
  draw();
}

/** The last hint, if it was given here. @param {State} state */
export const hint_at = state => hinted?.node === state.node && hinted.position === state.position ? hinted : null;

/**
 * A first hint marks the piece to move; a second one at the same move tells the move. Returns what is said.
 * @param {{node: number, move: string, text: string}} message
 * @param {State} state
 */
export function hint(message, state) {
  hinted = {...message, position: state.position, side: state.turn ? "white" : "black", stage: hint_at(state) ? 2 : 1};
  mark();
  document.querySelector("#board rect.hint")?.scrollIntoView({block: "nearest"}); // on a phone, the panel is below the board
  return say();
}

// Marks the piece; again after the board was drawn anew, for example because a phone was turned.
/** @param {State} [state] what is shown now, if that may have no hint */
export function mark(state) {
  if (state && !hint_at(state)) hinted = null;
  for (const area of /** @type {NodeListOf<SVGRectElement>} */ (document.querySelectorAll("#board rect.square")))
    area.classList.toggle("hint", hinted !== null && area.dataset.square === hinted.move.slice(0, 2)
      && (!area.dataset.side || area.dataset.side === hinted.side));
}

function say() {
  const line = document.getElementById("hinted");
  const whole = hinted?.stage === 2 || document.body.dataset.game === "othello"; // there the marked square is the move
  const text = hinted && whole ? t("hintMove", {move: hinted.text}) : hinted ? t("hintPiece") : "";
  if (line) line.textContent = text;
  return text;
}

/** @param {State} state @param {Link} link @param {() => void} begin gives the keyboard to the board */
export function problem(state, link, begin) {
  const {tsume} = state;
  if (hinted && hinted.node !== state.node) hinted = null;
  if (!tsume) return;
  const before = panel.firstChild ? given : "";
  given = JSON.stringify([state.game, tsume.number, tsume.lesson?.place, tsume.lesson?.source]);
  mark();
  const focused = document.activeElement?.id;
  const [about, choices] = tsume.lesson ? lesson(tsume.lesson, tsume.status, link) : of_collection(tsume, link);
  panel.replaceChildren(...about, element("p", {id: "hinted", role: "status"}), element("div", {class: "row"}, ...choices));
  if (focused) /** @type {HTMLElement | null} */ (panel.querySelector(`#${CSS.escape(focused)}`))?.focus();
  if (given !== before) {
    $("table").scrollIntoView({block: "nearest"}); // a phone shows what was pressed, far below the board
    if (document.activeElement === document.body) begin(); // that is gone
  }
  say();
}

/** @param {Tsume} tsume @param {Link} link @returns {[HTMLElement[], HTMLElement[]]} what the panel says, and its buttons */
function of_collection(tsume, link) {
  const {number = 0, count = 0} = tsume;
  /** @param {string} id @param {string} word @param {() => void} action @param {boolean} main */
  const choice = (id, word, action, main = false) => button(t(word), action, {id, class: main ? "main" : ""});
  /** @param {number} problem */
  const go = problem => () => link.say("tsume", {on: true, problem});
  return [[
    element("h2", {}, number ? t("problemTitle", {...tsume, length: tsume.plies}) : t("tsumeTitle")),
    element("p", {class: "soft"}, t("tsumeHint"))],
    [
      choice("tsume-hint", "hint", () => link.say("hint")),
      choice("tsume-solution", "solution", () => link.say("mate")),
      ...(number > 1 ? [choice("tsume-previous", "previousProblem", go(number - 1))] : []),
      ...(number && number < count ? [choice("tsume-next", "nextProblem", go(number + 1), tsume.status === "solved")] : []),
      choice("tsume-list", "tsume", () => link.say("problems")),
      choice("tsume-leave", "leave", () => link.say("tsume", {on: false})),
    ]];
}

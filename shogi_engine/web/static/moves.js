// The moves of the game in rows, with its variations and its result, and the verdict on the move on the board.

import {$, button, element} from "./dom.js";
import {line as playable} from "./lines.js";
import {clock_text, ending, percent} from "./panels.js";
import {t} from "./words.js";

const MARKS = {blunder: "??", mistake: "?", inaccuracy: "?!"};

/** @type {Record<string, string>} the signs for a move, with the words that name them */
export const SIGNS = {"!!": "sign_very_good", "!": "sign_good", "!?": "sign_interesting", "?!": "called_inaccuracy", "?": "called_mistake", "??": "called_blunder"};
/** A comment may begin with a sign of one's own for the move: that, "" for none, and the rest. @param {string} comment @returns {[string, string]} */
export function signed(comment) {
  const [first] = comment.split(/\s/, 1), sign = Object.hasOwn(SIGNS, first) ? first : "";
  return [sign, comment.slice(sign.length).trimStart()];
}

/** @param {Row} move @param {number} ply @param {State} state @param {Link} link */
function row(move, ply, state, link) {
  const {verdict} = move, [own, said] = signed(move.comment ?? "");
  const text = element("span", {class: `text ${verdict ?? ""}`}, ply ? move.text : t("start"));
  if (own || verdict) text.append(" ", element("span", {class: "sign", title: own ? false : t(`called_${verdict}`)}, own || MARKS[/** @type {keyof typeof MARKS} */ (verdict)]));
  const parts = [element("span", {class: "number"}, ply ? String(ply) : ""), text];
  if (move.lost) parts.push(element("span", {class: "soft lost", title: t("lostDiscs", {count: move.lost})}, `−${move.lost}`));
  if (move.seconds !== undefined) parts.push(element("span", {class: "soft"}, clock_text(move.seconds)));
  if (move.value !== undefined) parts.push(element("span", {class: "soft value", title: move.exact ? t("exact") : false}, (move.exact ? "= " : "") + move.value));
  else if (move.chance !== undefined) parts.push(element("span", {class: "soft value"}, percent(move.chance)));
  const item = element("li", {}, element("button", {type: "button", "aria-current": move.node === state.node ? "true" : false,
    onclick: () => link.say("go", {node: move.node})}, ...parts));
  if (said) item.append(element("p", {class: "said"}, said));
  for (const variation of move.others ?? []) item.append(run(variation, state, link));
  return item;
}

/**
 * One variation: its moves one after another, indented by its depth.
 * @param {Variation} variation
 * @param {State} state
 * @param {Link} link
 */
function run({depth, ply, moves}, state, link) {
  const block = element("p", {class: `variation deep${Math.min(depth, 4)}`});
  moves.forEach(([node, text, comment], index) => {
    const number = !index || comment ? `${ply + index}. ` : "", [own, said] = signed(comment);
    block.append(button(`${number}${text} ${own}`.trim(), () => link.say("go", {node}), {"aria-current": node === state.node ? "true" : false}), " ");
    if (said) block.append(element("span", {class: "said"}, said), " ");
  });
  return block;
}

let drawn = "";

/** @param {State} state @param {Link} link */
export function moves(state, link) {
  const list = $("moves"), ended = state.playing.on ? null : state.ended;
  const key = JSON.stringify([state.line, state.node, state.language, state.game, ended, state.handicap]);
  if (key !== drawn) {
    drawn = key;
    list.replaceChildren(...state.line.map((move, ply) => row(move, ply, state, link)),
      ...(ended ? [element("li", {class: "result"}, ending(ended))] : []));
  }
  $("promote").hidden = state.branch === state.ply || state.playing.on;
  $("delete").hidden = state.node === 0 || state.playing.on;
  verdict(state);
}

let seen = "", height = 0;

/** Scroll to the move on the board, if it or the height of the list is another; after all that changes this height was drawn. */
export function reveal() {
  const list = $("moves"), current = /** @type {HTMLElement | null} */ (list.querySelector("[aria-current]"));
  if (!current || seen === drawn && height === list.clientHeight) return;
  [seen, height] = [drawn, list.clientHeight];
  const top = current.getBoundingClientRect().top - list.getBoundingClientRect().top + list.scrollTop;
  if (top < list.scrollTop || top + current.offsetHeight > list.scrollTop + height) list.scrollTop = top - height / 2;
}

let told = "";

/** @param {State} state */
function verdict(state) {
  const box = $("verdict"), found = state.verdict, at = state.line[state.branch];
  box.hidden = Boolean(state.setup || state.tsume) || (!found?.class && !(state.summary && at.chance !== undefined));
  const key = JSON.stringify([found, state.node, state.language, at.chance]);
  if (box.hidden || key === told) return;
  told = key;
  const named = state.branch === state.ply && state.ply ? `${state.ply}. ${at.text}: ` : "";
  if (found?.class) box.replaceChildren(
    element("p", {class: found.class}, `${named}${found.called} – ${t("gave", {percent: percent(found.loss), given: found.given})}`),
    ...found.why.map((text) => element("p", {}, text)),
    ...(found.moves.length ? [element("p", {}, `${t("better", {score: found.score})} `, playable(found))] : []));
  else box.replaceChildren(element("p", {class: "soft"}, state.branch === state.ply ? named + t("chance", {percent: percent(at.chance ?? 0)})
    : t(state.branch ? "inVariation" : "inVariation_start", {ply: state.branch})));
}

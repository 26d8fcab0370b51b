// The opening explorer: the moves of the position on the board, in a book or in games, with their results.

import {$, button, element, memory} from "./dom.js";
import {line as playable} from "./lines.js";
import {percent} from "./panels.js";
import {side, t} from "./words.js";

/** @type {Record<string, string>} */
const NAMES = {book: "fromBook", mine: "fromMine", index: "fromIndex"};
let asked = ""; // the position and the source whose moves are shown or on their way

const chosen = () => /** @type {Messages["explore"]["source"]} */ (memory.get("explorer") ?? "book");

/** Ask for the moves of the position on the board, unless they are there. @param {State} state @param {Link} link */
export function update(state, link) {
  const wanted = `${state.session} ${state.node} ${state.position} ${state.language} ${chosen()}`;
  if (wanted === asked || state.setup || !state.role.owner) return;
  asked = wanted;
  link.say("explore", {node: state.node, source: chosen()});
}

/** Ask again, also for a position whose moves are shown: games may have been added. */
export function forget() { asked = ""; }

/** @param {Explored} found @param {State} state @param {Link} link */
export function show(found, state, link) {
  if (found.node !== state.node || found.source !== chosen()) return;
  const menu = $("source");
  menu.replaceChildren(...found.sources.map(each => element("option", {value: each, selected: each === found.source}, t(NAMES[each]))));
  menu.onchange = () => { memory.set("explorer", menu.value); update(state, link); };
  const total = found.rows.reduce((sum, each) => sum + each.games, 0);
  const [black, white] = found.names;
  const names = black === white ? black ?? "" : found.names.flatMap((each, colour) => each ? `${side(colour)} ${each}` : []).join(" / ");
  $("opening").textContent = names;
  $("opening").hidden = !names;
  $("repertoire").hidden = !state.kept || !state.node || Boolean(state.tsume);
  $("repertoire").replaceChildren(t("repertoireAdd"), ...[0, 1].map(each => button(side(each), () => link.say("repertoire", {side: /** @type {Side} */ (each)}),
    {id: `repertoire-${each}`, "aria-label": `${t("repertoireAdd")} ${side(each)}`})));
  $("explored").textContent = !found.rows.length ? t("noMoves") : total ? t("gamesCount", {count: total}) : "";
  $("played").replaceChildren(element("tbody", {}, ...found.rows.map(each => row(each, total, found.node))));
  $("examples").replaceChildren(...found.games.map(({names, result}) => element("li", {}, `${names.filter(Boolean).join(" – ")} ${result}`)));
}

/** @param {ExploredMove} move @param {number} total @param {number} node */
function row(move, total, node) {
  const known = move.black + move.draws + move.white;
  const cells = [element("td", {}, playable({node, moves: [move.move], texts: [move.text]}))];
  if (total) cells.push(element("td", {class: "number"}, String(move.games)), element("td", {class: "wide"}, known ? results(move, known) : ""));
  cells.push(element("td", {class: "number"}, move.value === null ? "" : `${move.value > 0 ? "+" : ""}${move.value}`));
  return element("tr", {}, ...cells);
}

/** A bar of the results. @param {ExploredMove} move @param {number} known */
function results(move, known) {
  const words = `${side(0)} ${move.black}, ${t("draw")} ${move.draws}, ${side(1)} ${move.white}`;
  const parts = /** @type {const} */ (["black", "draws", "white"]);
  const bar = element("span", {class: "results", role: "img", title: words, "aria-label": words});
  for (const each of parts.filter(each => move[each])) {
    const part = element("span", {class: each}, percent(move[each] / known));
    part.style.setProperty("flex-grow", String(move[each] / known)); // the content policy forbids the attribute
    bar.append(part);
  }
  return bar;
}

// My games: the saved games, to continue, view, delete and restore.

import {ask, show as show_dialog} from "./dialogs.js";
import {$, button, element} from "./dom.js";
import {refusal, side, t} from "./words.js";

/** @type {Record<string, Side>} */
const RESULTS = {"1-0": 0, "0-1": 1};

/** @param {KeptGame} game */
function about(game) {
  const time = new Date(1000 * game.time).toLocaleString(document.documentElement.lang, {dateStyle: "medium", timeStyle: "short"});
  const parts = [time];
  if (game.moves !== undefined) parts.push(t("movesMade", {count: game.moves}));
  if (game.on) parts.push(t("unfinished"));
  else if (game.result && game.result in RESULTS) parts.push(t("wins", {side: side(RESULTS[game.result], game.game)}));
  else if (game.result === "1/2-1/2") parts.push(t("draw"));
  if (game.here) parts.push(t("hereNow"));
  return element("div", {class: "about"}, element("b", {}, game.title || t(game.game)), element("span", {class: "soft"}, parts.join(" · ")));
}

/** @typedef {(text: string) => void} Toast */

/** @param {{games: KeptGame[]}} kept @param {Link} link @param {Toast} toast */
export function show({games}, link, toast) {
  /** @param {KeptGame} game */
  const row = game => element("li", {}, about(game),
    button(t(game.on ? "goOn" : "look"), () => { ask(link, "continue", {id: game.id}); }, {class: game.on ? "main" : "", disabled: game.here, "data-continue": game.id}),
    button(t("remove"), () => { forget(game.id, link, toast); }, {"data-forget": game.id, "aria-label": `${t("remove")} ${game.title || t(game.game)}`}));
  show_dialog(t("kept"), element("p", {class: "soft"}, t("keptNote")), games.length
    ? element("ul", {class: "games"}, ...games.map(row)) : element("p", {}, t("noGames")));
}

/** @param {string} id @param {Link} link @param {Toast} toast */
async function forget(id, link, toast) {
  const fault = await link.ask("forget", {id});
  if (fault !== null) { toast(refusal(fault)); return; }
  const undo = button(t("bring_back"), () => link.say("recall", {id}), {id: "recall"});
  $("dialog").append(element("p", {role: "status"}, `${t("removedGame")} `, undo));
  undo.focus();
}

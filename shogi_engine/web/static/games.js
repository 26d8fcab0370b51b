// My games: the saved games, to search, continue, view, delete and restore.

import {ask, show as show_dialog} from "./dialogs.js";
import {$, button, element} from "./dom.js";
import {refusal, side, t} from "./words.js";

/** @type {Record<string, Side>} */
const RESULTS = {"1-0": 0, "0-1": 1};
const PAUSE = 200; // ms after a key, before the games are searched

/** @param {KeptGame} game */
function about(game) {
  const time = new Date(1000 * game.time).toLocaleString(document.documentElement.lang, {dateStyle: "medium", timeStyle: "short"});
  const parts = [...(game.title ? [t(game.game)] : []), time];
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
  const first = games.find(game => !game.here);
  /** @param {KeptGame} game */
  const row = game => element("li", {}, about(game),
    button(t(game.on ? "goOn" : "look"), () => { ask(link, "continue", {id: game.id}); }, {class: game.on ? "main" : "", disabled: game.here, "data-first": game === first, "data-continue": game.id}),
    button(t("remove"), () => { forget(game.id, link, toast); }, {"data-forget": game.id, "aria-label": `${t("remove")} ${game.title || t(game.game)}`}));
  const found = games.length ? element("ul", {class: "games"}, ...games.map(row))
    : element("p", {}, t(wanted() ? "noneFound" : "noGames"));
  found.id = "kept-games";
  const list = $("dialog").open ? document.getElementById("kept-games") : null;
  if (list) { list.replaceWith(found); return; }
  show_dialog(t("kept"), element("p", {class: "soft"}, t("keptNote")), search(link), found);
}

/** What is searched for, null if the list has all games. @returns {Messages["kept"] | null} */
function wanted() {
  const form = /** @type {HTMLFormElement | null} */ ($("dialog").open ? document.getElementById("kept-search") : null);
  const [text, result] = form ? ["text", "result"].map(name => /** @type {HTMLInputElement} */ (form.elements.namedItem(name)).value) : ["", ""];
  return text || result ? {text, result: /** @type {Messages["kept"]["result"]} */ (result)} : null;
}

/** @param {Link} link */
function search(link) {
  let waiting = 0;
  const look = () => { clearTimeout(waiting); waiting = setTimeout(() => link.say("kept", wanted() ?? {}), PAUSE); };
  const results = [["", t("anyResult")], ...Object.entries(RESULTS).map(([result, number]) => [result, t("wins", {side: side(number, "shogi")})]),
    ["1/2-1/2", t("draw")], ["*", t("unfinished")]];
  return element("form", {id: "kept-search", class: "row", role: "search", onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); look(); }},
    element("input", {type: "search", name: "text", maxlength: 100, placeholder: t("searchGames"), "aria-label": t("searchGames"), oninput: look}),
    element("select", {name: "result", "aria-label": t("anyResult"), onchange: look}, ...results.map(([value, text]) => element("option", {value}, text))));
}

/** @param {string} id @param {Link} link @param {Toast} toast */
async function forget(id, link, toast) {
  const fault = await link.ask("forget", {id});
  if (fault !== null) { toast(refusal(fault)); return; }
  const again = wanted();
  if (again) link.say("kept", again);
  document.getElementById("recall")?.parentElement?.remove();
  const undo = button(t("bring_back"), () => link.say("recall", {id}), {id: "recall"});
  $("dialog").append(element("p", {role: "status"}, `${t("removedGame")} `, undo));
  undo.focus();
}

// My games: the saved games, to continue, view, delete and restore.

import {dialog, ask, show as show_dialog} from "./dialogs.js";
import {element} from "./dom.js";
import {refusal, side, t} from "./words.js";

const RESULTS = {"1-0": 0, "0-1": 1};

function about(game) {
  const time = new Date(1000 * game.time).toLocaleString(document.documentElement.lang, {dateStyle: "medium", timeStyle: "short"});
  const parts = [time];
  if (game.moves !== undefined) parts.push(t("movesMade", {count: game.moves}));
  if (game.on) parts.push(t("unfinished"));
  else if (game.result in RESULTS) parts.push(t("wins", {side: side(RESULTS[game.result], game.game)}));
  else if (game.result === "1/2-1/2") parts.push(t("draw"));
  if (game.here) parts.push(t("hereNow"));
  return element("div", {class: "about"}, element("b", {}, game.title || t(game.game)), element("span", {class: "soft"}, parts.join(" · ")));
}

export function show({games}, link, toast) {
  const row = game => element("li", {}, about(game),
    element("button", {type: "button", class: game.on ? "main" : "", disabled: game.here, "data-continue": game.id,
      onclick: () => ask(link, "continue", {id: game.id})}, t(game.on ? "goOn" : "look")),
    element("button", {type: "button", "data-forget": game.id, "aria-label": `${t("remove")} ${game.title || t(game.game)}`,
      onclick: () => forget(game.id, link, toast)}, t("remove")));
  show_dialog(t("kept"), element("p", {class: "soft"}, t("keptNote")), games.length
    ? element("ul", {class: "games"}, ...games.map(row)) : element("p", {}, t("noGames")));
}

async function forget(id, link, toast) {
  const fault = await link.ask("forget", {id});
  if (fault !== null) { toast(refusal(fault)); return; }
  const undo = element("button", {type: "button", id: "recall", onclick: () => link.say("recall", {id})}, t("bring_back"));
  dialog.append(element("p", {role: "status"}, `${t("removedGame")} `, undo));
  undo.focus();
}

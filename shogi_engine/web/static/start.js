// The first page: what one can do here. A new tab begins with it, unless its address ends in #board.

import {ask, show} from "./dialogs.js";
import {button, element} from "./dom.js";
import {t} from "./words.js";

/** Whether the board has nothing to show yet. @param {State} state */
export const is_new = ({role, line, playing, tsume, setup}) => role.owner && line.length === 1 && !playing.on && !tsume && !setup;

/** @param {State} state @param {Link} link @param {{play: (both: boolean) => void, open: () => void}} actions of other dialogs */
export function start({game, kept}, link, {play, open}) {
  /** @param {string} id @param {string} title @param {string} note @param {() => void} action */
  const choice = (id, title, note, action) => button(element("span", {}, element("b", {}, title), element("small", {}, note)), action, {id: `start-${id}`});
  const rows = [
    choice("learn", t("startLearn"), t("startLearnNote"), () => link.say("course", {game})),
    choice("play", t("startPlay"), t("startPlayNote"), () => play(false)),
    choice("daily", t("daily"), t("startDailyNote"), () => { ask(link, "tsume", {on: true, daily: true}); }),
    choice("two", t("startTwo"), t("startTwoNote"), () => play(true)),
    choice("open", t("openTitle"), t("startOpenNote"), open),
    ...(kept ? [choice("kept", t("startKept"), t("startKeptNote"), () => link.say("kept"))] : []),
  ];
  show(t("startTitle"), element("div", {class: "starts"}, ...rows));
}

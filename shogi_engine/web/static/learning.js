// The buttons that make problems of the mistakes of a judged game.

import {button} from "./dom.js";
import {side, t} from "./words.js";

/** @param {State} state @param {Link} link @returns {HTMLElement[]} */
export function learning({learn, playing}, link) {
  if (learn === "making") return [button(t("learning"), () => {}, {id: "learn", disabled: true})];
  if (learn !== "ready") return [];
  const humans = [0, 1].filter(number => playing.players[number] === null), mine = playing.played && humans.length === 1;
  return (mine ? humans : [0, 1]).map(number => button(mine ? t("learn") : t("learnSide", {side: side(number)}),
    () => link.say("learn", {side: number}), {id: mine ? "learn" : `learn-${number}`}));
}

// Lessons: the list of a game's rules as small boards, which one plays oneself. While one is open, lessons.js has the panel.

import {ask, show} from "./dialogs.js";
import {button, element} from "./dom.js";
import {t} from "./words.js";

/** @param {Replies["course"]} course @param {Link} link */
export function course({game, rows}, link) {
  /** @param {string} lesson */
  const take = lesson => ask(link, "take", {game, lesson});
  const done = rows.filter(row => row[2]).length, begun = 0 < done && done < rows.length;
  const games = /** @type {Game[]} */ (["shogi", "othello"]).map(each => button(t(each), () => link.say("course", {game: each}),
    {"aria-pressed": String(each === game), "data-game": each}));
  show(t("learnTitle"), element("p", {class: "soft"}, t("learnNote")),
    element("div", {class: "choice", role: "group", "aria-label": t("games")}, ...games),
    element("p", {class: "row"}, button(t(begun ? "goOn" : "learnBegin"), () => { take(begun ? "" : rows[0][0]); }, {class: "main", id: "learn-begin"}),
      element("span", {class: "soft"}, t("learnDone", {done, count: rows.length}))),
    element("div", {class: "list"}, ...rows.map(([name, title, solved], index) => button(`${index + 1}. ${title}`, () => { take(name); },
      {class: solved ? "solved" : "", "data-lesson": name, "aria-label": `${index + 1}. ${title}${solved ? `, ${t("done_before")}` : ""}`}))));
}

// Problems of the user's own mistakes: how many are due, and the panel while one is being solved.

import {ask, show as show_dialog} from "./dialogs.js";
import {$, button, element} from "./dom.js";
import {line} from "./lines.js";
import {t} from "./words.js";

const FALSE = ["wrong", "lost", "retry"]; // in these, only taking the move back helps

const SOON = 2 * 86400e3; // ms; the hour matters until then

/** @param {number} time */
const day = time => new Date(1000 * time).toLocaleString(document.documentElement.lang,
  {dateStyle: "medium", ...(1000 * time - Date.now() < SOON ? {timeStyle: "short"} : {})});

/**
 * The answer to "lessons": a dialog; after new problems were made, only a notice.
 * @param {Replies["lessons"]} counts
 * @param {Link} link
 * @param {(text: string, options?: {word?: string, action?: () => void}) => void} toast
 */
export function counts({due, total, next, new: made, lines, repertoire}, link, toast) {
  if (made !== null) {
    const text = `${t(made ? "lessonsNew" : lines ? "linesNothing" : "lessonsNothing", {new: made})} ${total ? t("lessonsDue", {due, total}) : ""}`;
    toast(text, due ? {word: t("lessonsSolve"), action: () => link.say("lesson", {on: true, lines})} : {});
    return;
  }
  const text = !total ? t("lessonsNone") : due ? t("lessonsDue", {due, total}) : t("lessonsNext", {total, day: day(next)});
  $("toast").hidden = true; // it may still tell of these problems
  show_dialog(t(lines ? "repertoire" : "lessons"), element("p", {class: "soft"}, t(lines ? "repertoireNote" : "lessonsNote")), element("p", {id: "lessons-due"}, text),
    ...(due ? [element("div", {class: "row"}, button(t("lessonsSolve"), () => { ask(link, "lesson", {on: true, lines}); }, {id: "lessons-solve", class: "main"}))] : []),
    ...(repertoire.length ? openings(repertoire, link) : []));
}

/** The repertoire, under one's mistakes. @param {number[]} counts @param {Link} link */
const openings = ([due, total], link) => [element("h3", {}, t("repertoire")), element("p", {class: "soft"}, t("repertoireNote")),
  ...(total ? [element("p", {}, t("lessonsDue", {due, total})), element("div", {class: "row"},
    ...(due ? [button(t("repertoireLearn"), () => { ask(link, "lesson", {on: true, lines: true}); }, {id: "repertoire-learn"})] : []),
    button(t("repertoirePrint"), () => { ask(link, "sheet", {lines: true}); }, {id: "repertoire-print"}))] : [])];

/** @param {Lesson} lesson @param {string} status @param {Link} link @returns {[HTMLElement[], HTMLElement[]]} what the panel says, and its buttons */
export function lesson({title, task, source, due, place, count, over, lines, back, refutation, solution, played, why}, status, link) {
  /** @param {string} id @param {string} word @param {() => void} action @param {boolean} main */
  const choice = (id, word, action, main = false) => button(t(word), action, {id, class: main ? "main" : ""});
  /** @param {string} word @param {Line} moves */
  const played_through = (word, moves) => element("p", {}, `${t(word)} `, line(moves));
  return [[
    element("h2", {}, title ? `${place}. ${title}` : count ? t("betterTitle", {place, count}) : t(lines ? "repertoireTitle" : "lessonTitle", {due})),
    ...(title && over && why.length ? [] : [element("p", {id: "lesson-task"}, task, " ", element("span", {class: "soft"}, source))]),
    ...(refutation?.moves.length && !over ? [played_through("lessonRefuted", refutation)] : []),
    ...(solution && (!title || status === "answered") ? [played_through("lessonSolution", solution)] : []),
    ...(played || why.length ? [element("div", {id: "lesson-why"}, ...[...(played ? [t("lessonPlayed", {move: played})] : []), ...why].map(text => element("p", {}, text)))] : []),
    ...(back ? [element("p", {class: "soft"}, t("lessonBack", {day: day(back)}))] : []),
  ], [
    ...(over ? [] : [
      FALSE.includes(status) ? choice("lesson-undo", "undo", () => link.say("undo"), true) : choice("lesson-hint", "hint", () => link.say("hint")),
      choice("lesson-answer", "answer", () => link.say("answer"))]),
    choice("lesson-next", title ? due ? "nextLesson" : "learnEnd" : "nextProblem", () => link.say("lesson", {on: true}), over),
    ...(title ? [choice("lesson-list", "allLessons", () => link.say("course", {game: /** @type {Game} */ (document.body.dataset.game)}))] : []),
    choice("lesson-leave", title ? "leave" : "backToGame", () => link.say("lesson", {on: false})),
  ]];
}

// The texts of the page, in the user's language. They come from the server's catalogue.

import {GRADES, HANDICAPS, PIECE_NAMES, SIDES, WORDS} from "./texts.js";

const {backend} = document.documentElement.dataset; // "local" for the page without a server
let language = "en", sides = "shogi";

/**
 * @param {string} name
 * @param {string} [game]
 * @param {string} [handicap]
 */
export function speak(name, game = sides, handicap = "") {
  language = name in WORDS ? name : "en";
  sides = handicap ? "handicap" : game;
}
export const spoken = () => language;

/** @param {number} number @param {string} [game] */
export const side = (number, game = sides) => SIDES[language][game][number];

/** The side that this page plays in a game with guests, null for none. @param {State} state @returns {Side | null} */
export const own_side = ({role, guests, playing}) => !playing.on || !guests.length ? null : !role.owner ? role.side
  : /** @type {Side[]} */ ([0, 1]).find(number => !guests.includes(number) && playing.players[number] === null) ?? null;
/** Whether two people play. @param {State} state */
export const two_people = ({playing}) => playing.players.every(each => each === null);

/** A text; a count of 1 may have its own. @param {string} key @param {Record<string, any>} values */
export function t(key, values = {}) {
  const texts = WORDS[language], text = values.count === 1 && texts[`${key}_one`] || (texts[`${key}_${backend}`] ?? texts[key] ?? key);
  return text.replace(/\{(\w+)\}/g, (_, name) => name === "black" ? side(0) : values[name] ?? "");
}

/** @param {string} text */
export const refusal = text => text.charAt(0).toUpperCase() + text.slice(1);
export const handicaps = () => Object.entries(HANDICAPS[language]);
/** The approximate grades of the levels of Shogi. */
export const grades = () => GRADES[language];
/** @param {string} piece */
export const piece_name = piece => PIECE_NAMES[language][piece];
export const other_language = () => language === "ja" ? ["en", "English"] : ["ja", "日本語"];

/** @param {ParentNode} root */
export function translate(root = document) {
  document.documentElement.lang = language;
  for (const node of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[data-t]"))) node.textContent = t(node.dataset.t ?? "");
  for (const node of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[data-label]"))) {
    const label = t(node.dataset.label ?? "");
    node.setAttribute("aria-label", label);
    if (node.tagName === "BUTTON") node.title = label;
  }
}

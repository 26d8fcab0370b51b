// The texts of the page, in the user's language. They come from the server's catalogue.

import {HANDICAPS, PIECE_NAMES, SIDES, WORDS} from "./texts.js";

let language = "en";
let game = "shogi";

export const speak = (name, played) => { language = name in WORDS ? name : "en"; game = played || game; };
export const spoken = () => language;

export const side = (number, played = game) => SIDES[language][played][number];

export function t(key, values = {}) {
  const text = WORDS[language][key] ?? key;
  return text.replace(/\{(\w+)\}/g, (_, name) => name === "black" ? side(0) : values[name] ?? "");
}

export const refusal = text => text.charAt(0).toUpperCase() + text.slice(1);
export const handicaps = () => Object.entries(HANDICAPS[language]);
export const piece_name = piece => PIECE_NAMES[language][piece];
export const other_language = () => language === "ja" ? ["en", "English"] : ["ja", "日本語"];

export function translate(root = document) {
  document.documentElement.lang = language;
  for (const node of root.querySelectorAll("[data-t]")) node.textContent = t(node.dataset.t);
  for (const node of root.querySelectorAll("[data-label]")) {
    const label = t(node.dataset.label);
    node.setAttribute("aria-label", label);
    if (node.tagName === "BUTTON") node.title = label;
  }
}

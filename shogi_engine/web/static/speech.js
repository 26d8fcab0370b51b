// The page by ear and without its picture: moves in words, spoken moves and seconds, the board as a table.

import {$, button, element} from "./dom.js";
import {move_text} from "./panels.js";
import {piece_name, side, spoken, t} from "./words.js";

const COUNTED = [30, 20, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]; // seconds left that are said
const WESTERN = /^(\+?[KRBGSNLP])(\d[1-9a-i])?([-x*])(\d[1-9a-i])([+=]?)$/;
/** @type {Record<string, string>} */
const SIGNS = {"x": "takes", "*": "drops", "+": "promotes", "=": "unpromoted"};

/** A move as one says it. @param {string} text in the notation of the page */
export function in_words(text) {
  const parts = WESTERN.exec(text.trim());
  if (!parts) return text.replace("▲", side(0)).replace(/[△▽☖]/, side(1));
  const [, piece, from, sign, to, end] = parts;
  return [piece_name(piece), from, sign in SIGNS ? t(SIGNS[sign]) : "", to, end ? t(SIGNS[end]) : ""].filter(Boolean).join(" ");
}

/** @param {string} text */
function say(text) {
  const said = new SpeechSynthesisUtterance(text);
  said.lang = spoken() === "ja" ? "ja-JP" : "en-US";
  speechSynthesis.speak(said);
}

let told = "", moved = "", counted = 0;

/** Say what is new: the last move, and how the game ended. @param {State} state @param {string} situation the status line */
export function tell(state, situation) {
  const at = `${state.session} ${state.node}`, key = `${at} ${state.playing.over?.name}`;
  if (key === told) return;
  const first = !told, move = at === moved ? "" : `${in_words(move_text(state))}. `;
  [told, moved, counted] = [key, at, 0];
  if (first || !state.last || state.setup || !window.speechSynthesis) return;
  speechSynthesis.cancel();
  say(move + (state.check || state.playing.over ? situation : ""));
}

/** Count the last seconds of the running clock. @param {number} left */
export function count(left) {
  const second = Math.ceil(left);
  if (second === counted || !COUNTED.includes(second) || !window.speechSynthesis) return;
  counted = second;
  say(t(second > 9 ? "secondsLeft" : "second", {seconds: second}));
}

/** The board as a table with a field for moves, for those who do not see the picture. @param {State} state @param {Link} link */
export function table(state, link) {
  const panel = $("text"), field = /** @type {HTMLInputElement | null} */ (panel.querySelector("input")), typing = document.activeElement === field;
  const shogi = state.game === "shogi", files = shogi ? [9, 8, 7, 6, 5, 4, 3, 2, 1].map(String) : [..."abcdefgh"], ranks = shogi ? [..."abcdefghi"] : [..."12345678"];
  /** @param {string} square */
  const on = square => (state.labels[square] ?? "").split(" ").slice(1).join(" ") || "–";
  const rows = ranks.map(rank => element("tr", {}, element("th", {scope: "row"}, state.labels[files[0] + rank].split(" ")[0].slice(-1)), ...files.map(file => element("td", {}, on(file + rank)))));
  const held = Object.entries(state.labels).filter(([name]) => name.includes("*")).map(([, label]) => label);
  const input = element("input", {maxlength: 12, autocomplete: "off", value: field?.value ?? "", "aria-label": t("typeMove"), placeholder: t(shogi ? "typeMoveShogi" : "typeMoveOthello")});
  panel.replaceChildren(element("p", {}, $("status").textContent ?? ""),
    element("form", {class: "row", onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      if (input.value.trim()) link.say("move", {move: input.value.trim()});
      input.value = "";
    }}, input, button(t("makeMove"), () => input.form?.requestSubmit(), {class: "main"})),
    element("table", {}, element("caption", {}, t("board")), element("thead", {}, element("tr", {}, element("td"), ...files.map(file => element("th", {scope: "col"}, file)))), element("tbody", {}, ...rows)),
    element("p", {}, held.join(", ") || t("handsEmpty")));
  if (typing) input.focus();
}

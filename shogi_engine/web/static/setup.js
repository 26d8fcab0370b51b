// The panel for setting up a position.

import {element} from "./dom.js";
import {PIECES} from "./pieces.js";
import {piece_name, side, t} from "./words.js";

const NAMES = ["P", "L", "N", "S", "G", "B", "R", "K", "+P", "+L", "+N", "+S", "+B", "+R"];
const $ = id => document.getElementById(id);

let chosen = "P"; // the piece to put: "P", "+p", "X", "" for none
let fixed = ""; // what the panel shows now, to avoid redrawing

export const chosen_piece = () => chosen;

// A piece of the current set, as an element. name : "P", "+p" is white's
export function koma(name, letters) {
  const shown = element("span", {class: "koma", "aria-hidden": "true"});
  shown.innerHTML = `<svg viewBox="-22 -25 44 51">${PIECES[letters ? "letters" : "kanji"][name]}</svg>`;
  return shown;
}

export function setup(state, link) {
  const panel = $("setup");
  panel.hidden = !state.setup;
  $("analysis").hidden = $("game").hidden = Boolean(state.setup);
  if (!state.setup) { fixed = ""; return; }
  const key = JSON.stringify([state.setup, state.turn, state.language, state.letters, chosen, state.game]);
  if (key === fixed) return;
  fixed = key;
  const focused = document.activeElement?.dataset?.key;
  const shogi = state.game === "shogi";
  if (shogi === ["X", "O"].includes(chosen)) chosen = shogi ? "P" : "X";
  const again = () => { fixed = ""; setup(state, link); };
  const choice = (piece, text, label, extra = "") => element("button", {type: "button", class: `pick ${extra}`, "aria-pressed": String(chosen === piece),
    "aria-label": label, "data-key": `pick ${piece}`, onclick: () => { chosen = piece; again(); }}, text);
  const rows = [];
  if (shogi) {
    for (const colour of [0, 1])
      rows.push(element("div", {class: "picks eight"}, ...NAMES.map(piece =>
        choice(colour ? piece.toLowerCase() : piece, koma(piece, state.letters), `${side(colour)} ${piece_name(piece)} ${piece}`, colour ? "white" : "black"))));
  } else rows.push(element("div", {class: "picks"}, choice("X", "●", side(0)), choice("O", "○", side(1))));
  rows.push(element("div", {class: "picks"}, choice("", `✕ ${t("nothing")}`, t("nothing"))));
  if (shogi) rows.push(element("h3", {}, t("hands")), ...[1, 0].map(colour => hand(state, link, colour)));
  const turn = element("div", {class: "choice", role: "group", "aria-label": t("turn")}, ...[0, 1].map(colour =>
    element("button", {type: "button", "aria-pressed": String(state.turn === colour), "data-key": `turn ${colour}`,
      onclick: () => link.say("turn", {side: colour})}, t("toMove", {side: side(colour)}))));
  const boards = [["start", "startBoard"], ["empty", "emptyBoard"], ...(shogi ? [["rest", "rest"]] : [])].map(([which, word]) =>
    element("button", {type: "button", "data-key": which, onclick: () => link.say("board", {which})}, t(word)));
  panel.replaceChildren(element("h2", {}, t("setupTitle")), ...rows, turn, element("div", {class: "row"}, ...boards),
    element("div", {class: "row"}, element("button", {type: "button", class: "main", id: "setup-done", onclick: () => link.say("setup", {on: false})}, t("done")),
      element("button", {type: "button", id: "setup-cancel", onclick: () => link.say("setup", {on: false, keep: false})}, t("cancel"))));
  if (focused) panel.querySelector(`[data-key="${focused}"]`)?.focus();
}

function hand(state, link, colour) {
  const held = state.setup[colour];
  return element("div", {class: "hand", role: "group", "aria-label": side(colour)}, element("b", {}, side(colour)), ...NAMES.slice(0, 7).reverse().map(piece => {
    const count = held[piece] ?? 0, name = `${side(colour)} ${piece_name(piece)}`;
    const set = number => link.say("hand", {side: colour, piece, count: number});
    return element("span", {class: "stepper"},
      element("button", {type: "button", "aria-label": t("fewer", {piece: name}), "data-key": `less ${colour} ${piece}`, onclick: () => count && set(count - 1)}, "−"),
      element("span", {}, koma(piece, state.letters), String(count)),
      element("button", {type: "button", "aria-label": t("more", {piece: name}), "data-key": `more ${colour} ${piece}`, onclick: () => set(count + 1)}, "+"));
  }));
}

// The panel for setting up a position.

import {$, button, element, koma} from "./dom.js";
import {piece_name, side, t} from "./words.js";

const NAMES = ["P", "L", "N", "S", "G", "B", "R", "K", "+P", "+L", "+N", "+S", "+B", "+R"];

let chosen = "P"; // the piece to put: "P", "+p", "X", "" for none
let shown = false; // whether the panel is on the page: a phone scrolls to it only when it appears
let fixed = ""; // what the panel shows now, to avoid redrawing

/** @param {string} piece the pieces that taps turn it into */
const turns = piece => {
  const kind = piece.replace("+", "").toUpperCase();
  if (!NAMES.includes(kind)) return ["X", "O"];
  const black = NAMES.includes(`+${kind}`) ? [kind, `+${kind}`] : [kind];
  return [...black, ...black.map(each => each.toLowerCase())];
};

/** A tap on a square: the chosen piece, or where that kind is, the next way in which it can stand there. @param {string} square @param {string} there @param {Link} link */
export function put(square, there, link) {
  const all = chosen ? turns(chosen) : [], at = all.indexOf(there);
  link.say("put", {square, piece: at < 0 ? chosen : all[(at + 1) % all.length]});
}

/** A piece was dragged to another square, or off the board. @param {string} from @param {string | null} to @param {string} piece @param {Link} link */
export function shift(from, to, piece, link) {
  if (from === to) return;
  if (to) link.say("put", {square: to, piece});
  link.say("put", {square: from, piece: ""});
}

/** @param {State} state @param {Link} link */
export function setup(state, link) {
  const panel = $("setup");
  if (!state.setup) { fixed = ""; shown = false; return; }
  const key = JSON.stringify([state.setup, state.turn, state.language, state.pieces, chosen, state.game]);
  if (key === fixed) return;
  fixed = key;
  const focused = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset?.key;
  const shogi = state.game === "shogi";
  if (shogi === ["X", "O"].includes(chosen)) chosen = shogi ? "P" : "X";
  const again = () => { fixed = ""; setup(state, link); };
  /** @param {string} piece @param {string | Node} text @param {string} label @param {string} extra */
  const choice = (piece, text, label, extra = "") => button(text, () => { chosen = piece; again(); },
    {class: `pick ${extra}`, "aria-pressed": String(chosen === piece), "aria-label": label, "data-key": `pick ${piece}`});
  const rows = [];
  if (shogi) {
    for (const colour of [0, 1])
      rows.push(element("div", {class: "picks eight"}, ...NAMES.map(piece =>
        choice(colour ? piece.toLowerCase() : piece, koma(piece, state.pieces), `${side(colour)} ${piece_name(piece)} ${piece}`, colour ? "white" : "black"))));
  } else rows.push(element("div", {class: "picks"}, choice("X", "●", side(0)), choice("O", "○", side(1))));
  rows.push(element("div", {class: "picks"}, choice("", `✕ ${t("nothing")}`, t("nothing"))));
  if (shogi) rows.push(element("h3", {}, t("hands")), .../** @type {Side[]} */ ([1, 0]).map(colour => hand(state, state.setup?.[colour] ?? {}, link, colour)));
  const turn = element("div", {class: "choice", role: "group", "aria-label": t("turn")}, .../** @type {Side[]} */ ([0, 1]).map(colour =>
    button(t("toMove", {side: side(colour)}), () => link.say("turn", {side: colour}), {"aria-pressed": String(state.turn === colour), "data-key": `turn ${colour}`})));
  const boards = [["start", "startBoard"], ["empty", "emptyBoard"], ...(shogi ? [["tsume", "tsumeBoard"], ["rest", "rest"]] : []), ["swap", "swapSides"]].map(([which, word]) =>
    button(t(word), () => link.say("board", {which: /** @type {Messages["board"]["which"]} */ (which)}), {"data-key": which}));
  panel.replaceChildren(element("h2", {}, t("setupTitle")), ...rows, turn, element("div", {class: "row"}, ...boards),
    element("div", {class: "row"}, button(t("done"), () => link.say("setup", {on: false}), {class: "main", id: "setup-done"}),
      button(t("cancel"), () => link.say("setup", {on: false, keep: false}), {id: "setup-cancel"})));
  if (focused) /** @type {HTMLElement | null} */ (panel.querySelector(`[data-key="${focused}"]`))?.focus();
  if (!shown && panel.getBoundingClientRect().top > innerHeight / 2) $("table").scrollIntoView(); // on a phone, the pieces to choose from are below the board
  shown = true;
}

/** @param {State} state @param {Record<string, number>} held @param {Link} link @param {Side} colour */
function hand(state, held, link, colour) {
  return element("div", {class: "hand", role: "group", "aria-label": side(colour)}, element("b", {}, side(colour)), ...NAMES.slice(0, 7).reverse().map(piece => {
    const count = held[piece] ?? 0, name = `${side(colour)} ${piece_name(piece)}`;
    /** @param {number} number */
    const set = number => link.say("hand", {side: colour, piece, count: number});
    return element("span", {class: "stepper"},
      button("−", () => { if (count) set(count - 1); }, {"aria-label": t("fewer", {piece: name}), "data-key": `less ${colour} ${piece}`}),
      element("span", {}, koma(piece, state.pieces), String(count)),
      button("+", () => set(count + 1), {"aria-label": t("more", {piece: name}), "data-key": `more ${colour} ${piece}`}));
  }));
}

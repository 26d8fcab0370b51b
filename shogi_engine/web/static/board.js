// The board: the server's picture, with squares for tapping, dragging and the keyboard.

import {PIECES} from "./pieces.js";
import {koma} from "./setup.js";
import {side, t} from "./words.js";

const DRAG = 6; // pixels until a press is a drag
const ARROWS = {ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0]};
const SVG = "http://www.w3.org/2000/svg";

export class Board {
  #state = null;
  #selected = null; // where the move comes from: "7g", "P*", or "" for a disc
  #press = null;
  #focus = null; // the square the keyboard is at

  #dragged = false; // the next move was made by dragging: the piece is already there

  // play(move) makes a move; put(square) sets up; moved(captured) is called for each move shown
  constructor(root, {play, put, moved}) {
    this.root = root;
    this.moved = moved;
    this.play = play;
    this.put = put;
    root.addEventListener("pointerdown", event => this.#down(event));
    root.addEventListener("pointermove", event => this.#move(event));
    root.addEventListener("pointerup", event => this.#up(event));
    root.addEventListener("pointercancel", () => this.#drop());
    root.addEventListener("keydown", event => this.#key(event));
    root.addEventListener("focusin", event => { if (event.target.dataset.square) this.#focus = this.#key_of(event.target); });
  }

  get svg() { return this.root.querySelector("svg"); }
  #areas() { return [...this.root.querySelectorAll("rect.square")]; }
  #key_of(area) { return (area.dataset.side ? area.dataset.side + " " : "") + area.dataset.square; }

  draw(state) {
    const had = this.root.contains(document.activeElement);
    const before = this.#state;
    this.#state = state;
    this.#press = null;
    const captured = this.#one_move_on(before) && this.root.querySelector(`.piece[data-square="${state.last.slice(2, 4)}"]`);
    this.root.innerHTML = state.svg;
    this.root.setAttribute("aria-busy", "false");
    const svg = this.svg;
    svg.setAttribute("role", "group");
    svg.setAttribute("aria-label", t("board"));
    svg.querySelector("title")?.remove();
    if (!before || before.node !== state.node || before.game !== state.game) this.#selected = null;
    if (state.game === "othello") this.#selected = "";
    const areas = this.#areas();
    for (const area of areas) {
      const key = this.#key_of(area);
      area.setAttribute("role", "button");
      area.setAttribute("tabindex", "-1");
      area.setAttribute("aria-label", this.#label(area));
      if (this.#may_lift(area) || state.setup) area.classList.add("movable");
      if (key === this.#focus) area.setAttribute("tabindex", "0");
    }
    if (!areas.some(area => area.getAttribute("tabindex") === "0")) areas[0]?.setAttribute("tabindex", "0");
    if (had) (areas.find(area => this.#key_of(area) === this.#focus) ?? areas[0])?.focus({preventScroll: true});
    this.#mark();
    if (this.#one_move_on(before)) this.#slide(Boolean(captured));
    this.#dragged = false;
  }

  // Whether the position is the previous one plus a move.
  #one_move_on(before) {
    const state = this.#state;
    return before && before.game === state.game && before.session === state.session && state.before === before.node && state.last && !state.setup && !before.setup;
  }

  // Slide the moved piece from its origin.
  #slide(captured) {
    this.moved(captured);
    if (this.#state.game !== "shogi" || this.#dragged || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const {last, turn} = this.#state, [from, to] = [last.slice(0, 2), last.slice(2, 4)];
    const middle = area => area && [Number(area.getAttribute("x")) + Number(area.getAttribute("width")) / 2, Number(area.getAttribute("y")) + Number(area.getAttribute("height")) / 2];
    const hand = from.endsWith("*"), sides = `[data-side="${turn ? "black" : "white"}"]`;
    const start = middle(this.root.querySelector(`rect.square[data-square="${from}"]${hand ? sides : ":not([data-side])"}`));
    const end = middle(this.root.querySelector(`rect.square[data-square="${to}"]`));
    const piece = this.root.querySelector(`.piece[data-square="${to}"]`);
    if (!start || !end || !piece) return;
    piece.parentNode.append(piece); // above the others
    piece.animate([{transform: `translate(${start[0] - end[0]}px, ${start[1] - end[1]}px)`}, {transform: "none"}], {duration: 160, easing: "ease-out"});
  }

  // Arrows of an analysis: SVG from the server, below the areas that take clicks.
  arrows(drawn) {
    this.svg?.querySelector(".arrows")?.remove();
    const first = this.svg?.querySelector("rect.square");
    if (first && drawn) first.insertAdjacentHTML("beforebegin", drawn);
  }

  #label(area) {
    const label = this.#state.labels[this.#key_of(area)] ?? area.dataset.square;
    return label.includes(" ") ? label : `${label} ${t("squareEmpty")}`;
  }

  // A piece in hand belongs to a side; only that of the side to move can be dropped.
  #may_lift(area) {
    const {targets, turn, game} = this.#state;
    if (area.dataset.side && area.dataset.side !== (turn ? "white" : "black")) return false;
    return game === "othello" ? area.dataset.square in (targets[""] ?? {}) : area.dataset.square in targets;
  }

  #mark() {
    const {targets} = this.#state;
    const open = this.#selected === null || this.#state.game === "othello" ? {} : targets[this.#selected] ?? {};
    this.svg.querySelectorAll(".target-dot").forEach(dot => dot.remove());
    for (const area of this.#areas()) {
      const chosen = this.#selected !== null && this.#selected === area.dataset.square && this.#may_lift(area);
      const target = !area.dataset.side && area.dataset.square in open;
      area.classList.toggle("chosen", chosen);
      area.classList.toggle("target", target);
      if (this.#state.game === "shogi" && this.#may_lift(area)) area.setAttribute("aria-pressed", String(chosen));
      if (!target) continue;
      const dot = document.createElementNS(SVG, "circle");
      const size = Number(area.getAttribute("width"));
      const full = this.root.querySelector(`.piece[data-square="${area.dataset.square}"]`);
      dot.setAttribute("class", full ? "target-dot full" : "target-dot");
      dot.setAttribute("cx", Number(area.getAttribute("x")) + size / 2);
      dot.setAttribute("cy", Number(area.getAttribute("y")) + size / 2);
      dot.setAttribute("r", full ? size * 0.44 : size * 0.14);
      this.#areas()[0].before(dot);
    }
  }

  // ---- choosing

  choose(area) {
    const state = this.#state, square = area.dataset.square;
    if (state.setup) { if (!area.dataset.side) this.put(square); return; }
    const moves = this.#selected === null ? null : state.targets[this.#selected]?.[square];
    if (moves && !area.dataset.side) { this.#finish(moves, area); return; }
    if (state.game === "othello") return;
    this.#selected = this.#may_lift(area) && this.#selected !== square ? square : null;
    this.#mark();
  }

  // promote : whether to promote, if the drop point decided it
  async #finish(moves, area, promote = null) {
    const from = this.#selected;
    if (this.#state.game === "shogi") this.#selected = null;
    this.#mark();
    const move = moves.length === 1 ? moves[0] : promote === null ? await this.#ask_promotion(moves, area)
      : moves.find(each => each.endsWith("+") === promote);
    if (move) this.play(move);
    else { this.#selected = from; this.#mark(); }
  }

  #ask_promotion(moves, area) {
    const dialog = document.getElementById("promotion");
    const piece = this.root.querySelector(`.piece[data-square="${moves[0].slice(0, 2)}"]`).dataset.piece.toUpperCase();
    const becoming = moves.find(move => move.endsWith("+")), plain = moves.find(move => !move.endsWith("+"));
    dialog.replaceChildren();
    const title = Object.assign(document.createElement("h2"), {id: "promotion-title", textContent: t("promote")});
    const row = Object.assign(document.createElement("div"), {className: "row"});
    dialog.append(title, row);
    return new Promise(resolve => {
      for (const [move, word, name, shown] of [[becoming, "yes", "main", `+${piece}`], [plain, "no", "", piece]]) {
        const button = Object.assign(document.createElement("button"), {type: "button", className: name});
        button.append(koma(shown, this.#state.letters), t(word));
        button.onclick = () => { resolve(move); dialog.close(); };
        row.append(button);
      }
      dialog.onclick = event => { if (event.target === dialog) dialog.close(); }; // outside it
      dialog.onclose = () => resolve(null);
      const box = area.getBoundingClientRect();
      dialog.style.setProperty("left", `${Math.max(8, Math.min(box.left + box.width / 2 - 130, innerWidth - 268))}px`);
      dialog.style.setProperty("top", `${Math.max(8, Math.min(box.bottom + 6, innerHeight - 130))}px`);
      dialog.showModal();
    });
  }

  // ---- pointer

  #area_at(event) {
    const found = document.elementsFromPoint(event.clientX, event.clientY);
    return found.find(node => node.matches?.("rect.square") && this.root.contains(node));
  }

  #down(event) {
    const area = event.target.closest?.("rect.square");
    if (!area || event.button > 0 || !this.#state) return;
    this.#press = {area, x: event.clientX, y: event.clientY, ghost: null, id: event.pointerId};
  }

  #move(event) {
    const press = this.#press;
    if (!press || press.id !== event.pointerId) return;
    if (!press.ghost) {
      const far = Math.hypot(event.clientX - press.x, event.clientY - press.y) > DRAG;
      if (!far || this.#state.setup || this.#state.game === "othello" || !this.#may_lift(press.area)) return;
      this.#selected = press.area.dataset.square;
      this.#mark();
      press.ghost = this.#lift(press.area);
      press.plain = press.ghost.firstElementChild.innerHTML;
      press.promoted = false;
      this.root.setPointerCapture(event.pointerId);
    }
    const scale = this.svg.viewBox.baseVal.width / this.svg.getBoundingClientRect().width;
    press.ghost.setAttribute("transform", `translate(${(event.clientX - press.x) * scale} ${(event.clientY - press.y) * scale})`);
    this.#show_choice(press, event);
  }

  // Where both are legal, the upper half of the square promotes: the piece in the hand shows what it will be.
  #show_choice(press, event) {
    const area = this.#area_at(event), moves = area && !area.dataset.side ? this.#state.targets[this.#selected]?.[area.dataset.square] : null;
    press.promote = null;
    if (moves?.length > 1) {
      const box = area.getBoundingClientRect();
      press.promote = event.clientY < box.top + box.height / 2;
    }
    if (Boolean(press.promote) === press.promoted) return;
    press.promoted = Boolean(press.promote);
    const shape = press.promoted ? PIECES[this.#state.letters ? "letters" : "kanji"][`+${press.ghost.dataset.piece}`] : press.plain;
    press.ghost.firstElementChild.innerHTML = press.promoted && press.plain.includes("scale(-") ? `<g transform="rotate(180)">${shape}</g>` : shape;
  }

  #lift(area) {
    const sides = area.dataset.side ? `[data-side="${area.dataset.side}"]` : "";
    const piece = this.root.querySelector(`.piece[data-square="${area.dataset.square}"]${sides}`);
    const ghost = piece.cloneNode(true);
    ghost.classList.add("ghost");
    const letters = piece.parentNode.cloneNode(false); // keeps the font
    letters.append(ghost);
    letters.setAttribute("class", "ghosts");
    this.svg.append(letters);
    piece.classList.add("lifted");
    return ghost;
  }

  #up(event) {
    const press = this.#press;
    if (!press || press.id !== event.pointerId) return;
    const area = this.#area_at(event);
    const dragged = press.ghost !== null;
    this.#drop();
    if (!dragged) { if (area === press.area) this.choose(area); return; }
    const moves = area && !area.dataset.side ? this.#state.targets[this.#selected]?.[area.dataset.square] : null;
    this.#dragged = Boolean(moves);
    if (moves) this.#finish(moves, area, press.promote);
    else { if (area !== press.area) this.#selected = null; this.#mark(); }
  }

  #drop() {
    this.#press = null;
    this.root.querySelectorAll(".ghosts").forEach(node => node.remove());
    this.root.querySelectorAll(".lifted").forEach(node => node.classList.remove("lifted"));
  }

  // ---- keyboard

  #key(event) {
    const area = event.target.closest?.("rect.square");
    if (!area || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "Enter" || event.key === " ") this.choose(area);
    else if (event.key === "Escape") { this.#selected = this.#state.game === "othello" ? "" : null; this.#mark(); }
    else if (event.key in ARROWS) this.#walk(area, ...ARROWS[event.key]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #walk(area, dx, dy) {
    const middle = node => [Number(node.getAttribute("x")), Number(node.getAttribute("y"))];
    const [x, y] = middle(area);
    let best = null, least = Infinity;
    for (const other of this.#areas()) {
      const [ox, oy] = middle(other);
      const along = (ox - x) * dx + (oy - y) * dy, aside = Math.abs((ox - x) * dy) + Math.abs((oy - y) * dx);
      if (along > 1 && along + 3 * aside < least) { least = along + 3 * aside; best = other; }
    }
    if (!best) return;
    area.setAttribute("tabindex", "-1");
    best.setAttribute("tabindex", "0");
    best.focus();
  }
}

export const summary = state => state.game === "othello"
  ? `${side(0)} ${state.counts[0]} – ${state.counts[1]} ${side(1)}` : "";

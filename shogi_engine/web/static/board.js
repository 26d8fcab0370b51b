// The board: the server's picture, with squares for tapping, dragging and the keyboard.

import {$, element, koma, pieces} from "./dom.js";
import {Marks} from "./marks.js";
import {own_side, t} from "./words.js";

const DRAG = 6; // pixels until a press is a drag
/** @type {Record<string, [number, number]>} */
const ARROWS = {ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0]};
const SVG = "http://www.w3.org/2000/svg";

/** @typedef {SVGRectElement} Area */
/** @typedef {{area: Area, x: number, y: number, id: number, ghost: SVGGElement | null, plain: string, promoted: boolean, promote: boolean | null}} Press */

/** @param {Element} area */
const box_of = area => ["x", "y", "width", "height"].map(name => Number(area.getAttribute(name)));
/** @param {Element | null} area @returns {[number, number] | null} */
const middle = area => {
  if (!area) return null;
  const [x, y, wide, high] = box_of(area);
  return [x + wide / 2, y + high / 2];
};
/** @param {Area} area */
const key_of = area => (area.dataset.side ? area.dataset.side + " " : "") + area.dataset.square;
const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

export class Board {
  /** @type {State | null} */
  #shown = null;
  /** @type {string | null} where the move comes from: "7g", "P*", or "" for a disc */
  #selected = null;
  /** @type {Press | null} */
  #press = null;
  /** @type {string | null} the square that has the focus */
  #focus = null;
  #walking = true; // the keyboard brought the focus to it, so the arrow keys walk over the squares
  /** @type {{from: string, to: string} | null} a move that is made when it is one's turn, if it is legal then */
  #ahead = null;
  #dragged = false; // the next move was made by dragging: the piece is already there
  /** @type {Record<string, Record<string, string>>} the pieces of all sets, once they are loaded */
  #sets = {};

  /**
   * @param {HTMLElement} root
   * @param {{play: (move: string) => void, put: (square: string, there: string) => void,
   *   shift: (from: string, to: string | null, piece: string) => void, moved: (captured: boolean) => void}} actions
   *   play makes a move, put and shift set up, moved is called for each move shown
   */
  constructor(root, {play, put, shift, moved}) {
    this.root = root;
    this.moved = moved;
    this.play = play;
    this.put = put;
    this.shift = shift;
    this.marks = new Marks(root, event => this.#area_at(event));
    root.addEventListener("pointerdown", event => this.#down(event));
    root.addEventListener("pointermove", event => this.#move(event));
    root.addEventListener("pointerup", event => this.#up(event));
    root.addEventListener("pointercancel", () => this.#drop());
    root.addEventListener("keydown", event => this.#key(event));
    root.addEventListener("focusin", event => { this.#focus = key_of(/** @type {Area} */ (event.target)); });
    addEventListener("pointerdown", () => { this.#walking = false; }, {capture: true});
    addEventListener("keydown", event => { if (event.key === "Tab") this.#walking = true; }, {capture: true});
  }

  get svg() { return /** @type {SVGSVGElement} */ (this.root.querySelector("svg")); }
  get #state() { return /** @type {State} */ (this.#shown); }
  #areas() { return /** @type {Area[]} */ ([...this.root.querySelectorAll("rect.square")]); }

  /** @param {string | undefined} square @param {string} rest */
  #piece(square, rest = "") {
    return /** @type {SVGGElement | null} */ (this.root.querySelector(`.piece[data-square="${square}"]${rest}`));
  }

  /** The keyboard begins at the board. */
  focus() {
    this.#walking = true;
    /** @type {HTMLElement | null} */ (this.root.querySelector('rect.square[tabindex="0"]'))?.focus({preventScroll: true});
  }

  /** @param {State} state */
  draw(state) {
    const had = this.root.contains(document.activeElement);
    const before = this.#shown, discs = this.#discs();
    this.#shown = state;
    this.#press = null;
    const captured = this.#one_move_on(before) && this.#piece(state.last.slice(2, 4));
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
      const key = key_of(area);
      area.setAttribute("role", "button");
      area.setAttribute("tabindex", "-1");
      area.setAttribute("aria-label", this.#label(area));
      if (this.#may_lift(area) || state.setup || this.#may_lift_ahead(area)) area.classList.add("movable");
      if (key === this.#focus) area.setAttribute("tabindex", "0");
    }
    if (!areas.some(area => area.getAttribute("tabindex") === "0")) areas[0]?.setAttribute("tabindex", "0");
    if (had) (areas.find(area => key_of(area) === this.#focus) ?? areas[0])?.focus({preventScroll: true});
    this.#mark();
    this.marks.show(`${state.session} ${state.game} ${state.position}`);
    if (this.#one_move_on(before)) this.#animate(Boolean(captured), discs);
    this.#dragged = false;
    this.#make_ahead(before);
  }

  /** The side whose player waits for the other's move, and may choose the next one; null for none. */
  get #waiting() {
    const {playing: {on, players, live}, node, turn, role, guests, setup, warning} = this.#state, other = /** @type {Side} */ (1 - turn);
    const mine = guests.length ? own_side(this.#state) === other : role.owner && players[turn] !== null && players[other] === null;
    return mine && on && node === live && !setup && !warning ? other : null;
  }

  /** Make the move that was chosen ahead if the other side has just moved; forget it unless the player still waits. @param {State | null} before */
  #make_ahead(before) {
    const ahead = this.#ahead;
    if (!ahead || before?.session === this.#state.session && this.#waiting !== null) return;
    this.#ahead = null;
    this.#mark();
    const moves = this.#one_move_on(before) && this.#state.targets[ahead.from]?.[ahead.to];
    if (moves) this.play(moves.find(each => each.endsWith("+")) ?? moves[0]);
  }

  /** A tap while the other side is to move: it chooses a piece, then its square; elsewhere it takes that back. @param {Area} area */
  #choose_ahead(area) {
    const square = area.dataset.square ?? "", from = this.#selected, own = this.#may_lift_ahead(area);
    const done = from === "" ? own : from !== null && from !== square && !own && !area.dataset.side;
    this.#ahead = done ? {from: from ?? "", to: square} : null;
    if (from !== "") this.#selected = done || !own || from === square ? null : square;
    this.#mark();
  }

  /** @param {Area} area */
  #may_lift_ahead(area) {
    const mine = this.#waiting;
    return mine !== null && (this.#state.game === "othello" ? !this.#piece(area.dataset.square) : this.#belongs(area, mine));
  }

  /** Whether it has a piece of a side, on the board or in hand. @param {Area} area @param {Side} owner */
  #belongs(area, owner) {
    const name = this.#name_at(area.dataset.square), held = area.dataset.side;
    return held ? held === (owner ? "white" : "black") : name !== "" && (name === name.toUpperCase()) === (owner === 0);
  }

  /** Show an earlier position, on which nothing can be moved. @param {string} svg */
  look_back(svg) {
    this.root.innerHTML = svg;
    this.svg.setAttribute("role", "img");
  }

  /** Whether the position is the previous one plus a move. @param {State | null} before */
  #one_move_on(before) {
    const state = this.#state;
    return Boolean(before && before.game === state.game && before.session === state.session && state.before === before.node && state.last && !state.setup && !before.setup);
  }

  /** @param {boolean} captured @param {Map<string, string>} discs the colours of the discs before the move */
  #animate(captured, discs) {
    this.moved(captured);
    if (still()) return;
    if (this.#state.game === "othello") this.#turn(discs);
    else if (!this.#dragged) this.#slide();
  }

  /** Slide the moved piece from its origin. */
  #slide() {
    const {last, turn} = this.#state, [from, to] = [last.slice(0, 2), last.slice(2, 4)];
    const hand = from.endsWith("*"), sides = `[data-side="${turn ? "black" : "white"}"]`;
    const start = middle(this.root.querySelector(`rect.square[data-square="${from}"]${hand ? sides : ":not([data-side])"}`));
    const end = middle(this.root.querySelector(`rect.square[data-square="${to}"]`));
    const piece = this.#piece(to);
    if (!start || !end || !piece) return;
    piece.parentNode?.append(piece); // above the others
    piece.animate([{transform: `translate(${start[0] - end[0]}px, ${start[1] - end[1]}px)`}, {transform: "none"}], {duration: 160, easing: "ease-out"});
  }

  /** The colour of each disc. @returns {Map<string, string>} */
  #discs() {
    const discs = /** @type {SVGGElement[]} */ (this.#shown?.game === "othello" ? [...this.root.querySelectorAll(".piece")] : []);
    return new Map(discs.map(disc => [disc.dataset.square ?? "", disc.lastElementChild?.getAttribute("fill") ?? ""]));
  }

  /** Turn the discs over that have changed their colour, those near the new disc first. @param {Map<string, string>} before */
  #turn(before) {
    const placed = middle(this.root.querySelector(`rect.square[data-square="${this.#state.last}"]`));
    for (const [square, after] of this.#discs()) {
      const old = before.get(square), disc = this.#piece(square)?.lastElementChild, at = middle(this.root.querySelector(`rect.square[data-square="${square}"]`));
      if (!old || old === after || !disc || !at || !placed) continue;
      const delay = 0.9 * Math.max(Math.abs(at[0] - placed[0]), Math.abs(at[1] - placed[1]));
      disc.animate([{fill: old, transform: "scaleX(1)"}, {fill: old, transform: "scaleX(0)", offset: 0.5},
        {fill: after, transform: "scaleX(0)", offset: 0.5}, {fill: after, transform: "scaleX(1)"}], {duration: 260, delay, fill: "backwards"});
    }
  }

  /** Arrows of an analysis: SVG from the server, below the areas that take clicks. @param {string} drawn */
  arrows(drawn) {
    this.svg?.querySelector(".arrows")?.remove();
    const first = this.svg?.querySelector("rect.square");
    if (first && drawn) first.insertAdjacentHTML("beforebegin", drawn);
  }

  /** @param {Area} area */
  #label(area) {
    const label = this.#state.labels[key_of(area)] ?? area.dataset.square;
    return label.includes(" ") ? label : `${label} ${t("squareEmpty")}`;
  }

  /** A piece in hand belongs to a side; only that of the side to move can be dropped. @param {Area} area */
  #may_lift(area) {
    const {targets, turn, game} = this.#state, square = area.dataset.square ?? "";
    if (area.dataset.side && area.dataset.side !== (turn ? "white" : "black")) return false;
    return game === "othello" ? square in (targets[""] ?? {}) : square in targets;
  }

  /** Whether it has a piece of the side to move, which may have no legal move; the server says why. @param {Area} area */
  #is_own(area) {
    const {game, turn, targets} = this.#state, side = area.dataset.side;
    if (side || game === "othello") return this.#may_lift(area);
    return Object.keys(targets).length > 0 && this.#belongs(area, turn);
  }

  /** The piece on a square, "" for none. @param {string | undefined} square */
  #name_at(square) { return this.#piece(square, ":not([data-side])")?.dataset.piece ?? ""; }

  /** Try an illegal move: the answer says why it is not allowed. @param {string | null} from @param {Area} area */
  #try(from, area) {
    if (from !== null && !area.dataset.side && Object.keys(this.#state.targets).length) this.play(`${from}${area.dataset.square}`);
  }

  /** The legal moves from the chosen piece to a square. @param {Area | undefined} area */
  #moves_to(area) {
    if (!area || area.dataset.side || this.#selected === null) return undefined;
    return this.#state.targets[this.#selected]?.[area.dataset.square ?? ""];
  }

  #mark() {
    const {targets, game} = this.#state;
    const open = this.#selected === null || game === "othello" ? {} : targets[this.#selected] ?? {};
    for (const dot of this.svg.querySelectorAll(".target-dot")) dot.remove();
    for (const area of this.#areas()) {
      const square = area.dataset.square ?? "";
      const chosen = this.#selected !== null && this.#selected === square && (this.#is_own(area) || this.#may_lift_ahead(area));
      const target = !area.dataset.side && square in open;
      area.classList.toggle("chosen", chosen);
      area.classList.toggle("ahead", [this.#ahead?.from, this.#ahead?.to].includes(square) && (!area.dataset.side || this.#may_lift_ahead(area)));
      area.classList.toggle("target", target);
      if (game === "shogi" && this.#may_lift(area)) area.setAttribute("aria-pressed", String(chosen));
      if (!target) continue;
      const dot = document.createElementNS(SVG, "circle");
      const [x, y, size] = box_of(area), full = this.#piece(square);
      dot.setAttribute("class", full ? "target-dot full" : "target-dot");
      dot.setAttribute("cx", String(x + size / 2));
      dot.setAttribute("cy", String(y + size / 2));
      dot.setAttribute("r", String(size * (full ? 0.44 : 0.14)));
      this.#areas()[0].before(dot);
    }
  }

  // ---- choosing

  /** @param {Area} area */
  choose(area) {
    const state = this.#state, square = area.dataset.square ?? "";
    if (state.setup) { if (!area.dataset.side) this.put(square, this.#name_at(square)); return; }
    if (this.#waiting !== null) { this.#choose_ahead(area); return; }
    const moves = this.#moves_to(area);
    if (moves) { this.#finish(moves, area); return; }
    const from = this.#selected;
    if (state.game !== "othello") {
      this.#selected = this.#is_own(area) && from !== square ? square : null;
      this.#mark();
      if (this.#selected !== null || from === square) return;
    }
    this.#try(from, area);
  }

  /**
   * @param {string[]} moves
   * @param {Area} area
   * @param {boolean | null} promote whether to promote, if the drop point decided it
   */
  async #finish(moves, area, promote = null) {
    const from = this.#selected;
    if (this.#state.game === "shogi") this.#selected = null;
    this.#mark();
    const move = moves.length === 1 ? moves[0] : promote === null ? await this.#ask_promotion(moves, area)
      : moves.find(each => each.endsWith("+") === promote);
    if (move) this.play(move);
    else { this.#selected = from; this.#mark(); }
  }

  /** @param {string[]} moves @param {Area} area @returns {Promise<string | undefined>} */
  #ask_promotion(moves, area) {
    const dialog = $("promotion");
    const piece = this.#piece(moves[0].slice(0, 2))?.dataset.piece?.toUpperCase() ?? "";
    const becoming = moves.find(move => move.endsWith("+")), plain = moves.find(move => !move.endsWith("+"));
    const row = element("div", {class: "row"});
    dialog.replaceChildren(element("h2", {id: "promotion-title"}, t("promote")), row);
    return new Promise(resolve => {
      for (const [move, word, name, shown] of /** @type {[string, string, string, string][]} */ ([[becoming, "yes", "main", `+${piece}`], [plain, "no", "", piece]]))
        row.append(element("button", {type: "button", class: name, onclick: () => { resolve(move); dialog.close(); }}, koma(shown, this.#state.pieces), t(word)));
      dialog.onclick = event => { if (event.target === dialog) dialog.close(); }; // outside it
      dialog.onclose = () => resolve(undefined);
      const box = area.getBoundingClientRect();
      dialog.style.setProperty("left", `${Math.max(8, Math.min(box.left + box.width / 2 - 130, innerWidth - 268))}px`);
      dialog.style.setProperty("top", `${Math.max(8, Math.min(box.bottom + 6, innerHeight - 130))}px`);
      dialog.showModal();
    });
  }

  // ---- pointer

  /** @param {PointerEvent} event @returns {Area | undefined} */
  #area_at(event) {
    const found = document.elementsFromPoint(event.clientX, event.clientY);
    return /** @type {Area | undefined} */ (found.find(node => node.matches?.("rect.square") && this.root.contains(node)));
  }

  /** @param {PointerEvent} event */
  #down(event) {
    const area = /** @type {Area | null} */ (/** @type {Element} */ (event.target).closest?.("rect.square"));
    if (!area || event.button > 0 || !this.#shown) return;
    this.#press = {area, x: event.clientX, y: event.clientY, ghost: null, id: event.pointerId, plain: "", promoted: false, promote: null};
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const press = this.#press;
    if (!press || press.id !== event.pointerId) return;
    if (!press.ghost) {
      const far = Math.hypot(event.clientX - press.x, event.clientY - press.y) > DRAG;
      const {setup, game} = this.#state, lifts = setup ? !press.area.dataset.side && this.#name_at(press.area.dataset.square) : game !== "othello" && (this.#may_lift(press.area) || this.#may_lift_ahead(press.area));
      if (!far || !lifts) return;
      if (!setup) this.#selected = press.area.dataset.square ?? null;
      this.#mark();
      press.ghost = this.#lift(press.area);
      press.plain = press.ghost.firstElementChild?.innerHTML ?? "";
      this.root.setPointerCapture(event.pointerId);
    }
    const scale = this.svg.viewBox.baseVal.width / this.svg.getBoundingClientRect().width;
    press.ghost.setAttribute("transform", `translate(${(event.clientX - press.x) * scale} ${(event.clientY - press.y) * scale})`);
    this.#show_choice(press, press.ghost, event);
  }

  /**
   * Where both are legal, the upper half of the square promotes: the piece in the hand shows what it will be.
   * @param {Press} press
   * @param {SVGGElement} ghost
   * @param {PointerEvent} event
   */
  #show_choice(press, ghost, event) {
    const area = this.#area_at(event), moves = this.#moves_to(area);
    press.promote = null;
    if (area && moves && moves.length > 1) {
      const box = area.getBoundingClientRect();
      press.promote = event.clientY < box.top + box.height / 2;
    }
    if (Boolean(press.promote) === press.promoted || !ghost.firstElementChild) return;
    press.promoted = Boolean(press.promote);
    const shape = press.promoted ? this.#sets[this.#state.pieces]?.[`+${ghost.dataset.piece}`] ?? press.plain : press.plain;
    ghost.firstElementChild.innerHTML = press.promoted && press.plain.includes("scale(-") ? `<g transform="rotate(180)">${shape}</g>` : shape;
  }

  /** @param {Area} area */
  #lift(area) {
    const piece = /** @type {SVGGElement} */ (this.#piece(area.dataset.square, area.dataset.side ? `[data-side="${area.dataset.side}"]` : ""));
    const ghost = /** @type {SVGGElement} */ (piece.cloneNode(true));
    ghost.classList.add("ghost");
    const letters = /** @type {Element} */ (/** @type {Element} */ (piece.parentNode).cloneNode(false)); // keeps the font
    letters.append(ghost);
    letters.setAttribute("class", "ghosts");
    this.svg.append(letters);
    piece.classList.add("lifted");
    pieces().then(({PIECES}) => { this.#sets = PIECES; });
    return ghost;
  }

  /** @param {PointerEvent} event */
  #up(event) {
    const press = this.#press;
    if (!press || press.id !== event.pointerId) return;
    const area = this.#area_at(event);
    const dragged = press.ghost !== null;
    this.#drop();
    if (!dragged) { if (area === press.area) this.choose(press.area); return; }
    if (this.#state.setup) {
      const from = press.area.dataset.square ?? "";
      this.shift(from, area && !area.dataset.side ? area.dataset.square ?? null : null, this.#name_at(from));
      return;
    }
    if (this.#waiting !== null) {
      if (area && area !== press.area && !area.dataset.side) this.#ahead = {from: press.area.dataset.square ?? "", to: area.dataset.square ?? ""};
      this.#selected = null;
      this.#mark();
      return;
    }
    const moves = this.#moves_to(area);
    this.#dragged = Boolean(moves);
    if (area && moves) this.#finish(moves, area, press.promote);
    else {
      const from = this.#selected;
      if (area !== press.area) this.#selected = null;
      this.#mark();
      if (area && area !== press.area) this.#try(from, area);
    }
  }

  #drop() {
    this.#press = null;
    for (const node of this.root.querySelectorAll(".ghosts")) node.remove();
    for (const node of this.root.querySelectorAll(".lifted")) node.classList.remove("lifted");
  }

  // ---- keyboard

  /** @param {KeyboardEvent} event */
  #key(event) {
    const area = /** @type {Area | null} */ (/** @type {Element} */ (event.target).closest?.("rect.square"));
    if (!area || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "Enter" || event.key === " ") this.choose(area);
    else if (event.key === "Escape" && (this.#selected || this.#ahead)) { this.#ahead = null; this.#selected = this.#state.game === "othello" ? "" : null; this.#mark(); }
    else if (event.key in ARROWS && this.#walking) this.#walk(area, ...ARROWS[event.key]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {Area} area @param {number} dx @param {number} dy */
  #walk(area, dx, dy) {
    const [x, y] = box_of(area);
    /** @type {Area | null} */
    let best = null;
    let least = Infinity;
    for (const other of this.#areas()) {
      const [ox, oy] = box_of(other);
      const along = (ox - x) * dx + (oy - y) * dy, aside = Math.abs((ox - x) * dy) + Math.abs((oy - y) * dx);
      if (along > 1 && along + 3 * aside < least) { least = along + 3 * aside; best = other; }
    }
    if (!best) return;
    area.setAttribute("tabindex", "-1");
    best.setAttribute("tabindex", "0");
    best.focus();
  }
}

// Lines of moves to play through: hovering shows a small board, the arrow keys step through the moves, a click goes
// there, and + adds the whole line to the game.

import {$, button, element} from "./dom.js";
import {t} from "./words.js";

const box = $("preview");
/** @type {Link} */
let link;
let wanted = ""; // the position that the small board should show
/** @type {HTMLElement | null} */
let shown = null; // the move that it belongs to
let closed = () => {};

/** @param {Link} made @param {() => void} then called when the small board is closed */
export function connect(made, then) {
  link = made;
  closed = then;
  link.on("preview", ({node, moves, svg}) => {
    if (key(node, moves) !== wanted) return;
    box.innerHTML = svg;
    box.hidden = false;
  });
}

/** @param {number} node @param {string[]} moves */
const key = (node, moves) => `${node} ${moves.join(" ")}`;

/** @param {HTMLElement} step @param {number} node @param {string[]} moves */
function show(step, node, moves) {
  if (wanted === key(node, moves)) return;
  wanted = key(node, moves);
  shown = step;
  const place = step.getBoundingClientRect(), width = Math.min(320, innerWidth - 16);
  box.style.setProperty("width", `${width}px`);
  const left = place.left > innerWidth / 2 && place.left - width - 12 > 0 && innerWidth > 900 ? place.left - width - 12 : place.left;
  box.style.setProperty("left", `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`);
  const below = place.bottom + 8 + width < innerHeight;
  box.style.setProperty("top", below ? `${place.bottom + 8}px` : "auto");
  box.style.setProperty("bottom", below ? "auto" : `${innerHeight - place.top + 8}px`);
  link.say("preview", {node, moves});
}

/** Whether the small board belongs to a move in a part of the page, which must not be replaced then. @param {Element} part */
export const holds = part => part.contains(shown);

export function hide() {
  if (!shown) return;
  wanted = "";
  shown = null;
  box.hidden = true;
  setTimeout(closed); // the focus has moved by then
}

/** @param {Line} line */
export function line({node, moves, texts}) {
  const span = element("span", {class: "line", role: "group"});
  texts.forEach((text, index) => {
    const step = button(text, () => { hide(); link.say("line", {node, moves, go: index + 1}); }, {class: "step", tabindex: index ? -1 : 0});
    // Lines appear below a pointer that rests, too: what is beneath it is then something to press.
    step.addEventListener("pointermove", event => {
      if (event.pointerType === "mouse" && (event.movementX || event.movementY)) show(step, node, moves.slice(0, index + 1));
    });
    step.addEventListener("pointerleave", hide);
    step.addEventListener("focus", () => { if (step.matches(":focus-visible")) show(step, node, moves.slice(0, index + 1)); });
    step.addEventListener("blur", hide);
    span.append(step, " ");
  });
  span.addEventListener("keydown", event => {
    const way = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!way) return;
    event.preventDefault();
    event.stopPropagation();
    const steps = /** @type {HTMLElement[]} */ ([...span.querySelectorAll(".step")]);
    steps[steps.indexOf(/** @type {HTMLElement} */ (document.activeElement)) + way]?.focus();
  });
  span.append(button("+", () => { hide(); link.say("line", {node, moves}); }, {class: "add", title: t("addLine"), "aria-label": t("addLine")}));
  return span;
}

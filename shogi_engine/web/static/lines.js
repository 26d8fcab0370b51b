// Lines of moves to play through: hovering shows a small board, the arrow keys step through the moves, a click goes
// there, and + adds the whole line to the game.

import {element} from "./dom.js";
import {t} from "./words.js";

const box = document.getElementById("preview");
let link = null, wanted = ""; // the position that the small board should show

export function connect(made) {
  link = made;
  link.on("preview", ({node, moves, svg}) => {
    if (key(node, moves) !== wanted) return;
    box.innerHTML = svg;
    box.hidden = false;
  });
}

const key = (node, moves) => `${node} ${moves.join(" ")}`;

function show(button, node, moves) {
  wanted = key(node, moves);
  const place = button.getBoundingClientRect(), width = Math.min(320, innerWidth - 16);
  box.style.setProperty("width", `${width}px`);
  const left = place.left > innerWidth / 2 && place.left - width - 12 > 0 && innerWidth > 900 ? place.left - width - 12 : place.left;
  box.style.setProperty("left", `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`);
  const below = place.bottom + 8 + width < innerHeight;
  box.style.setProperty("top", below ? `${place.bottom + 8}px` : "auto");
  box.style.setProperty("bottom", below ? "auto" : `${innerHeight - place.top + 8}px`);
  link.say("preview", {node, moves});
}

export function hide() { wanted = ""; box.hidden = true; }

// node : where the line begins; moves, texts : in the game's and in the user's notation
export function line({node, moves, texts}) {
  const span = element("span", {class: "line", role: "group"});
  texts.forEach((text, index) => {
    const button = element("button", {type: "button", class: "step", tabindex: index ? -1 : 0, onclick: () => { hide(); link.say("line", {node, moves, go: index + 1}); }}, text);
    button.addEventListener("pointerenter", event => { if (event.pointerType === "mouse") show(button, node, moves.slice(0, index + 1)); });
    button.addEventListener("pointerleave", hide);
    button.addEventListener("focus", () => { if (button.matches(":focus-visible")) show(button, node, moves.slice(0, index + 1)); });
    button.addEventListener("blur", hide);
    span.append(button, " ");
  });
  span.addEventListener("keydown", event => {
    const way = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!way) return;
    event.preventDefault();
    event.stopPropagation();
    const buttons = [...span.querySelectorAll(".step")];
    const next = buttons[buttons.indexOf(document.activeElement) + way];
    next?.focus();
  });
  span.append(element("button", {type: "button", class: "add", title: t("addLine"), "aria-label": t("addLine"),
    onclick: () => { hide(); link.say("line", {node, moves}); }}, "+"));
  return span;
}

// Dialogs: a new game, opening and saving, the choice of a problem.

import {element} from "./dom.js";
import {koma} from "./setup.js";
import {FILE_MAX, FIRST_LEVEL, STRONGEST} from "./texts.js";
import {handicaps, piece_name, refusal, side, t} from "./words.js";

const dialog = document.getElementById("dialog");
const CLOCKS = ["", "5m+10", "10m+30", "15m+60", "0+30", "5m+0+5"];

function show(title, ...children) {
  const close = element("button", {type: "button", class: "close", "aria-label": t("close"), onclick: () => dialog.close()}, "✕");
  dialog.replaceChildren(element("div", {class: "head"}, element("h2", {id: "dialog-title"}, title), close), ...children);
  if (!dialog.open) dialog.showModal();
}

// Send a message. The dialog closes on success; otherwise it stays open and shows the reason.
async function ask(link, name, fields) {
  const fault = await link.ask(name, fields);
  if (fault === null) { dialog.close(); return true; }
  let said = dialog.querySelector(".fault");
  if (!said) dialog.append(said = element("p", {class: "fault", role: "alert"}));
  said.textContent = fault ? refusal(fault) : t("lost");
  return false;
}

// Ask before an action that cannot be undone.
export function confirm(title, text, yes, action) {
  show(title, element("p", {}, text), element("div", {class: "row"},
    element("button", {type: "button", class: "main", id: "confirm", onclick: () => { dialog.close(); action(); }}, yes),
    element("button", {type: "button", onclick: () => dialog.close()}, t("cancel"))));
  document.getElementById("confirm").focus();
}

export {dialog, show, ask};

const field = (name, input, note = "") => element("label", {class: "field"}, element("span", {}, name), input,
  ...(note ? [element("small", {}, note)] : []));
const options = (id, rows, chosen) => element("select", {id}, ...rows.map(([value, text]) =>
  element("option", {value, selected: value === chosen}, text)));

// ---- a new game

export function new_game(state, link) {
  const game = state.game, strongest = STRONGEST[game];
  const you = options("new-side", [["0", side(0)], ["1", side(1)], ["random", t("random")], ["both", t("both")], ["none", t("none")]], "0");
  const shown = element("output", {for: "new-level"}, localStorage.getItem("level") ?? FIRST_LEVEL);
  const level = element("input", {id: "new-level", type: "range", min: 0, max: strongest, value: localStorage.getItem("level") ?? FIRST_LEVEL,
    oninput: event => { shown.textContent = event.target.value; }});
  const handicap = options("new-handicap", [["", t("even")], ...handicaps()], "");
  const clock = options("new-clock", [...CLOCKS.map(each => [each, each || t("noClock")]), ["own", t("ownClock")]], "");
  const own = element("input", {id: "new-own", placeholder: "10m+30", maxlength: 40, hidden: true, "aria-label": t("ownClock")});
  clock.onchange = () => { own.hidden = clock.value !== "own"; };
  const here = element("input", {id: "new-here", type: "checkbox"});
  const form = element("form", {onsubmit: event => {
    event.preventDefault();
    const number = Number(level.value);
    localStorage.setItem("level", String(number));
    const human = you.value === "random" ? Math.floor(2 * Math.random()) : Number(you.value);
    const players = you.value === "both" ? [null, null] : you.value === "none" ? [number, number]
      : [0, 1].map(each => each === human ? null : number);
    ask(link, "new", {game, players, clock: clock.value === "own" ? own.value : clock.value,
      handicap: game === "shogi" ? handicap.value : "", here: here.checked});
  }},
  field(t("you"), you),
  element("label", {class: "field"}, element("span", {}, t("strength"), " ", shown), level, element("small", {}, t("weakest", {strongest}))),
  ...(game === "shogi" ? [field(t("handicap"), handicap)] : []),
  field(t("clock"), clock), own,
  element("label", {class: "tick"}, here, " ", t("here")),
  element("div", {class: "row"}, element("button", {class: "main", id: "new-begin"}, t("begin")),
    element("button", {type: "button", onclick: () => dialog.close()}, t("cancel"))));
  show(`${t("new")} – ${t(game)}`, form);
}

// ---- opening

let last = null; // the last file opened, for a choice among its games

async function open_file(file, link) {
  const bytes = new Uint8Array(await file.slice(0, FILE_MAX + 1).arrayBuffer());
  let binary = "";
  for (let start = 0; start < bytes.length; start += 0x8000) binary += String.fromCharCode(...bytes.subarray(start, start + 0x8000));
  return read("open", {name: file.name.slice(-200), data: btoa(binary)}, link);
}

function read(name, fields, link) {
  last = {name, fields};
  if (dialog.open) return ask(link, name, fields);
  return link.say(name, fields);
}

export function open_game(link) {
  const text = element("textarea", {id: "paste", rows: 8, spellcheck: "false", "aria-label": t("pasteHere"), placeholder: t("pasteHere")});
  const file = element("input", {type: "file", id: "file", onchange: () => file.files[0] && open_file(file.files[0], link)});
  const clipboard = element("button", {type: "button", id: "clipboard", onclick: async () => {
    try { text.value = await navigator.clipboard.readText(); } catch { text.focus(); return; }
    if (text.value) read("paste", {text: text.value}, link);
  }}, t("clipboard"));
  show(t("openTitle"), text,
    element("div", {class: "row"}, element("button", {type: "button", class: "main", id: "read", onclick: () => read("paste", {text: text.value}, link)}, t("read")),
      ...(navigator.clipboard?.readText ? [clipboard] : [])),
    field(t("file"), file));
}

// Text pasted outside of a field is a record.
export function paste_records(link) {
  document.addEventListener("paste", event => {
    if (event.target.matches?.("input, textarea") || dialog.open) return;
    const text = event.clipboardData?.getData("text/plain")?.trim();
    if (!text) return;
    event.preventDefault();
    read("paste", {text}, link);
  });
}

export function drop_files(link) {
  document.addEventListener("dragover", event => event.preventDefault());
  document.addEventListener("drop", event => {
    event.preventDefault();
    if (event.dataTransfer.files[0]) open_file(event.dataTransfer.files[0], link);
  });
}

export function choose_game({titles, number}, link) {
  const list = element("div", {class: "list"}, ...titles.map((title, index) => element("button", {type: "button",
    "aria-current": index === number ? "true" : false, onclick: () => ask(link, last.name, {...last.fields, number: index})}, `${t("game", {number: index + 1})} ${title}`)));
  if (last) show(t("chooseGame", {count: titles.length}), list);
}

// ---- saving

export function save_game(state, link) {
  show(t("saveTitle"), element("div", {class: "list"}, ...state.formats.map(format =>
    element("button", {type: "button", "data-format": format, onclick: () => ask(link, "save", {format})},
      format.toUpperCase()))));
}

export function save_file({name, data}) {
  const bytes = Uint8Array.from(atob(data), each => each.charCodeAt(0));
  const address = URL.createObjectURL(new Blob([bytes], {type: "application/octet-stream"}));
  const anchor = element("a", {href: address, download: name});
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

// ---- how the pieces move

const PIECES = ["K", "R", "B", "G", "S", "N", "L", "P", "+R", "+B", "+S", "+N", "+L", "+P"];

export function guide() {
  show(t("guide"), element("p", {class: "soft"}, t("guideHint")), element("div", {class: "guide"}, ...PIECES.map(name =>
    element("figure", {}, koma(name, false), koma(name, true), element("figcaption", {}, piece_name(name))))));
}

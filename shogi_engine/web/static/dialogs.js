// Dialogs: a new game, opening and saving, a question.

import {$, button, element, memory, usual_format} from "./dom.js";
import {CLOCKS, FILE_MAX, FIRST_LEVEL, STRONGEST} from "./facts.js";
import {grades, handicaps, refusal, side, t} from "./words.js";

const dialog = $("dialog");
const SLOW = 5000; // ms without an answer; then the dialog says so

/** @param {string} title @param {(Node | string)[]} children */
export function show(title, ...children) {
  const close = button("✕", () => dialog.close(), {class: "close", "aria-label": t("close")});
  dialog.replaceChildren(element("div", {class: "head"}, element("h2", {id: "dialog-title"}, title), close), ...children);
  if (!dialog.open) dialog.showModal();
  const first = ["[data-first]", ":is(select, textarea, .main, :checked)", "button:not(.close, :disabled)"].map(each => dialog.querySelector(each)).find(Boolean);
  /** @type {HTMLElement | undefined} */ (first)?.focus();
}

/**
 * Send a message. The dialog closes on success, unless it shows something else by then; otherwise it shows the reason.
 * @template {keyof Messages} K
 * @param {Link} link
 * @param {K} name
 * @param {Messages[K]} fields
 */
export async function ask(link, name, fields) {
  const asked = dialog.firstElementChild;
  const waiting = setTimeout(() => { if (dialog.firstElementChild === asked) tell(t("slow")); }, SLOW);
  const fault = await link.ask(name, .../** @type {Fields<K>} */ ([fields]));
  clearTimeout(waiting);
  if (dialog.firstElementChild !== asked) return fault === null;
  if (fault === null) { dialog.close(); return true; }
  tell(fault ? refusal(fault) : t("lost"));
  return false;
}

/** Say at the end of the dialog why it is still open. @param {string} text */
function tell(text) {
  let said = dialog.querySelector(".fault");
  if (!said) dialog.append(said = element("p", {class: "fault", role: "alert"}));
  said.textContent = text;
}

/**
 * Ask before an action that cannot be undone.
 * @param {string} title
 * @param {string} text
 * @param {string} yes
 * @param {() => void} action
 */
export function confirm(title, text, yes, action) {
  show(title, element("p", {}, text), element("div", {class: "row"},
    button(yes, () => { dialog.close(); action(); }, {class: "main", id: "confirm", "data-first": true}), cancel()));
}

export const cancel = () => button(t("cancel"), () => dialog.close());

/** @param {string} name @param {Node} input @param {string} note */
export const field = (name, input, note = "") => element("label", {class: "field"}, element("span", {}, name), input,
  ...(note ? [element("small", {}, note)] : []));
/** @param {string} id @param {string[][]} rows @param {string} chosen */
const options = (id, rows, chosen) => element("select", {id}, ...rows.map(([value, text]) =>
  element("option", {value, selected: value === chosen}, text)));

// ---- a new game

/** @param {State} state @param {Link} link @param {() => void} begun @param {boolean} both whether two people will play */
export function new_game(state, link, begun, both = false) {
  const game = state.game, strongest = STRONGEST[game], known = memory.get("level") ?? String(FIRST_LEVEL);
  const you = options("new-side", [["0", side(0, game)], ["1", side(1, game)], ["random", t(game === "othello" ? "random_othello" : "random")], ["both", t("both")], ["none", t("none")]], both ? "both" : "0");
  const grade = (/** @type {string} */ level) => game === "shogi" && grades()[Number(level)] ? `${level} – ${grades()[Number(level)]}` : level;
  const shown = element("output", {for: "new-level"}, grade(known));
  const level = element("input", {id: "new-level", type: "range", min: 0, max: strongest, value: known, oninput: () => { shown.textContent = grade(level.value); }});
  const handicap = options("new-handicap", [["", t("even")], ...handicaps()], "");
  const clock = options("new-clock", [...CLOCKS.map(each => [each, each || t("noClock")]), ["own", t("ownClock")]], "");
  const own = element("input", {id: "new-own", placeholder: "10m+30", maxlength: 40, hidden: true, "aria-label": t("ownClock")});
  clock.onchange = () => { own.hidden = clock.value !== "own"; };
  const here = element("input", {id: "new-here", type: "checkbox"});
  const xot = element("input", {id: "new-xot", type: "checkbox", onchange: () => { here.disabled = xot.checked; }});
  const alone = document.documentElement.dataset.backend === "local"; // its engine has no words
  const coach = element("input", {id: "new-coach", type: "checkbox", disabled: alone, checked: !alone && memory.get("coach") === "1"});
  const form = element("form", {onsubmit: async (/** @type {Event} */ event) => {
    event.preventDefault();
    const number = Number(level.value);
    memory.set("level", String(number));
    memory.set("coach", coach.checked ? "1" : "");
    const human = you.value === "random" ? Math.floor(2 * Math.random()) : Number(you.value);
    const players = you.value === "both" ? [null, null] : you.value === "none" ? [number, number]
      : [0, 1].map(each => each === human ? null : number);
    if (await ask(link, "new", {game, players, clock: clock.value === "own" ? own.value : clock.value,
      handicap: game === "shogi" ? handicap.value : "", here: here.checked && !xot.checked, ...(xot.checked ? {xot: true} : {}), ...(coach.checked ? {coach: true} : {})})) begun();
  }},
  field(t("you"), you),
  element("label", {class: "field"}, element("span", {}, t("strength"), " ", shown), level, element("small", {}, t("weakest", {strongest}))),
  ...(game === "shogi" ? [field(t("handicap"), handicap)] : []),
  field(t("clock"), clock), own,
  ...(game === "othello" ? [element("label", {class: "tick"}, xot, " ", t("xot"))] : []),
  element("label", {class: "tick"}, here, " ", t("here")),
  element("label", {class: "tick"}, coach, " ", t("coach"), ...(alone ? [element("small", {}, ` (${t("notHere")})`)] : [])),
  element("div", {class: "row"}, element("button", {class: "main", id: "new-begin"}, t("begin")), cancel()));
  show(`${t("new")} – ${t(game)}`, form);
}

// ---- opening

/** @type {{name: "open" | "paste", fields: Messages["open" | "paste"]} | null} the last file opened, for a choice among its games */
let last = null;
/** @type {{titles: string[], number: number} | null} its games, if there are several */
let listed = null;
let choosing = false; // one of them was requested

/** @param {File} file @param {Link} link */
export async function open_file(file, link) {
  const bytes = new Uint8Array(await file.slice(0, FILE_MAX + 1).arrayBuffer());
  let binary = "";
  for (let start = 0; start < bytes.length; start += 0x8000) binary += String.fromCharCode(...bytes.subarray(start, start + 0x8000));
  return read("open", {name: file.name.slice(-200), data: btoa(binary)}, link);
}

/** @param {string} text @param {Link} link */
export const paste = (text, link) => read("paste", {text}, link);

/** @template {"open" | "paste"} K @param {K} name @param {Messages[K]} fields @param {Link} link */
function read(name, fields, link) {
  last = {name, fields};
  listed = null;
  if (dialog.open) return ask(link, name, fields);
  return link.say(name, .../** @type {Fields<K>} */ ([fields]));
}

/** @param {Link} link */
export function open_game(link) {
  const text = element("textarea", {id: "paste", rows: 8, spellcheck: "false", "aria-label": t("pasteHere"), placeholder: t("pasteHere")});
  const file = element("input", {type: "file", id: "file", onchange: () => { if (file.files?.[0]) open_file(file.files[0], link); }});
  const clipboard = button(t("clipboard"), async () => {
    try { text.value = await navigator.clipboard.readText(); } catch { text.focus(); return; }
    if (text.value) paste(text.value, link);
  }, {id: "clipboard"});
  const games = listed;
  show(t("openTitle"), text,
    element("div", {class: "row"}, button(t("read"), () => { paste(text.value, link); }, {class: "main", id: "read"}),
      ...(navigator.clipboard ? [clipboard] : [])),
    field(t("file"), file),
    ...(games ? [element("div", {class: "row"}, button(t("chooseGame", {count: games.titles.length}), () => list_games(link), {id: "again"}))] : []));
}

/** @param {{titles: string[], number: number}} games @param {Link} link */
export function choose_game(games, link) {
  listed = games;
  if (last && !choosing) list_games(link);
}

/** @param {Link} link */
function list_games(link) {
  const {titles, number} = listed ?? {titles: [], number: 0};
  /** @param {number} index */
  const choose = async index => {
    choosing = true;
    if (last) await ask(link, last.name, {...last.fields, number: index});
    choosing = false;
  };
  const rows = titles.map((title, index) => button(`${t("game", {number: index + 1})} ${title}`, () => { choose(index); },
    {"aria-current": index === number ? "true" : false, "data-first": index === number}));
  show(t("chooseGame", {count: titles.length}), element("div", {class: "list wide"}, ...rows));
}

// ---- saving

/** @param {State} state @param {Link} link */
export function save_game(state, link) {
  const usual = usual_format(state);
  show(t("saveTitle"), element("div", {class: "list formats"}, ...[usual, ...state.formats.filter(format => format !== usual)].map(format =>
    button(element("span", {}, element("b", {}, format.toUpperCase()), element("small", {}, t(`format_${format}`))), () => { memory.set(`format ${state.game}`, format); ask(link, "save", {format}); }, {"data-format": format, class: format === usual ? "main" : ""}))));
  import("./diagram.js").then(({offers}) => { if (dialog.querySelector("[data-format]")) dialog.append(...offers(state, link)); });
}

/** @param {{name: string, data: string}} file in base64 */
export function save_file({name, data}) {
  save_blob(name, new Blob([Uint8Array.from(atob(data), each => each.charCodeAt(0))], {type: "application/octet-stream"}));
}

/** @param {string} name @param {Blob} blob */
export function save_blob(name, blob) {
  const address = URL.createObjectURL(blob);
  const anchor = element("a", {href: address, download: name});
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

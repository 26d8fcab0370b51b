// How the page looks and sounds: sets of pieces, boards, light or dark. And the help: its keys, how the pieces move.

import {show} from "./dialogs.js";
import {element, koma, memory} from "./dom.js";
import {SETS} from "./facts.js";
import {KEYS} from "./keys.js";
import {set_sounds, sounds} from "./sound.js";
import {piece_name, spoken, t} from "./words.js";

const BOARDS = ["wood", "light", "dark", "paper"];
const THEMES = ["auto", "light", "dark"];
const PIECES = ["K", "R", "B", "G", "S", "N", "L", "P", "+R", "+B", "+S", "+N", "+L", "+P"];

/**
 * One of several, as large buttons.
 * @param {string} title
 * @param {string} name
 * @param {string[]} values
 * @param {string} chosen
 * @param {(value: string) => void} choose
 * @param {(value: string) => Node} [picture]
 */
function choice(title, name, values, chosen, choose, picture) {
  /** @param {string} value */
  const option = value => element("label", {class: `option ${name} ${value}`},
    element("input", {type: "radio", name, value, checked: value === chosen, onchange: () => choose(value)}),
    ...(picture ? [picture(value)] : []), element("span", {}, t(`${name}_${value}`)));
  return element("fieldset", {}, element("legend", {}, title), element("div", {class: "options"}, ...values.map(option)));
}

/** @param {State} state @param {(set: string) => void} wear changes the set of pieces @param {(words: string) => void} tell whom reasons are told @param {() => void} again shows what was chosen */
export function look(state, wear, tell, again) {
  /** @param {string} name */
  const keep = name => (/** @type {string} */ value) => { memory.set(name, value); document.documentElement.dataset[name] = value; };
  const sound = element("input", {type: "checkbox", id: "sound", checked: sounds(), onchange: () => {
    set_sounds(sound.checked);
    memory.set("silent", sound.checked ? "0" : "1");
  }});
  /** @param {string} name what is remembered @param {string} word */
  const tick = (name, word) => element("label", {class: "tick"}, element("input", {type: "checkbox", id: `look-${name}`, checked: memory.get(name) === "1",
    onchange: (/** @type {Event} */ event) => { memory.set(name, /** @type {HTMLInputElement} */ (event.target).checked ? "1" : "0"); again(); }}), " ", t(word));
  /** @param {string} set */
  const pair = set => element("span", {class: "pair"}, koma("R", set), koma("+P", set));
  show(t("appearance"),
    ...(state.game === "shogi" ? [choice(t("set"), "set", SETS, state.pieces, wear, pair)] : []),
    choice(t("board"), "board", BOARDS, document.documentElement.dataset.board ?? "", keep("board"), () => element("span", {class: "swatch", "aria-hidden": "true"})),
    choice(t("theme"), "theme", THEMES, document.documentElement.dataset.theme ?? "", keep("theme")),
    choice(t("words"), "words", ["kyu", "dan"], memory.get("words") ?? "dan", tell),
    element("label", {class: "tick"}, sound, " ", t("sound")), tick("spoken", "speak"), tick("text", "textBoard"));
}

/** Fill the list of words, when it is opened. @param {Event} event */
async function words({target}) {
  const {GLOSSARY} = await import("./meanings.js"), list = /** @type {Element} */ (target).querySelector("dl");
  list?.replaceChildren(...GLOSSARY[spoken()].flatMap(([names, meaning]) => [element("dt", {}, names), element("dd", {}, meaning)]));
}

/** @param {State} state */
export function help(state) {
  const keys = KEYS.map(([key, word]) => element("tr", {}, element("th", {scope: "row"}, element("kbd", {}, key)), element("td", {}, t(word))));
  const guide = state.game === "shogi" ? [element("h3", {}, t("guide")), element("p", {class: "soft"}, t("guideHint")),
    element("div", {class: "guide"}, ...PIECES.map(name => element("figure", {}, koma(name, "kanji"), koma(name, "letters"), element("figcaption", {}, piece_name(name)))))] : [];
  show(t("help"), element("table", {class: "keys"}, element("tbody", {}, ...keys)), element("p", {class: "soft"}, t("key_mouse")), ...guide,
    element("details", {ontoggle: words}, element("summary", {}, t("glossary")), element("dl", {})));
}

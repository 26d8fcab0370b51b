// The players' names and the headers of the game: title, event, place, date.

import {ask, cancel, field, show as show_dialog} from "./dialogs.js";
import {element} from "./dom.js";
import {HEADER_MAX} from "./facts.js";
import {side, t} from "./words.js";

const HEADERS = Object.entries({title: "about_title", event: "about_event", site: "about_site", started: "about_started"});

/** @param {State} state @param {Link} link */
export function show(state, link) {
  /** @param {string} name @param {string} value */
  const input = (name, value) => element("input", {id: `about-${name}`, value: value.slice(0, HEADER_MAX), maxlength: HEADER_MAX, autocomplete: "off"});
  const players = [0, 1].map(number => input(String(number), state.names[number] ?? ""));
  const headers = HEADERS.map(([name]) => input(name, state.about[name] ?? ""));
  const form = element("form", {onsubmit: (/** @type {Event} */ event) => {
    event.preventDefault();
    ask(link, "about", {names: players.map(each => each.value),
      ...Object.fromEntries(HEADERS.map(([name], number) => [name, headers[number].value]))});
  }},
  ...players.map((each, number) => field(side(number), each)),
  ...headers.map((each, number) => field(t(HEADERS[number][1]), each)),
  element("div", {class: "row"}, element("button", {class: "main", id: "about-save"}, t("done")), cancel()));
  show_dialog(t("about"), form);
}

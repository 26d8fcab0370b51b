// Two people: who is here, one's own name, and what one player asks of the other.

import {$, button, element, memory} from "./dom.js";
import {two_people, own_side, side, t} from "./words.js";

const NAME_MAX = 40;
let drawn = "";

/** @param {State} state @param {Link} link */
export function people(state, link) {
  const mine = own_side(state), {asked} = state, key = JSON.stringify([state.people, asked, mine, state.language, state.game]);
  if (key === drawn) return;
  drawn = key;
  const panel = $("people"), name = /** @type {HTMLInputElement} */ (document.getElementById("own-name") ?? element("input", {id: "own-name",
    maxlength: NAME_MAX, value: memory.get("name") ?? "", onchange: () => { memory.set("name", name.value.trim()); link.say("name", {name: name.value.trim()}); }}));
  name.placeholder = t("yourName");
  name.setAttribute("aria-label", t("yourName"));
  const typing = document.activeElement === name;
  panel.replaceChildren(...(asked ? [request(asked, mine, link)] : []),
    element("div", {class: "row"}, element("ul", {class: "here", "aria-label": t("peopleHere")}, ...state.people.map(person)), name,
      ...(mine !== null && !asked && two_people(state) ? [button(t("offerDraw"), () => link.say("ask", {what: "draw"}), {id: "offer-draw"})] : [])));
  if (typing) name.focus();
}

/** @param {Person} person */
const person = ({name, side: number, owner}) => element("li", {},
  number === null ? t(owner ? "host" : "watches") : side(number), ...(name ? [" ", element("b", {}, name)] : []));

/** What is asked, and the answers to it. @param {Asked} asked @param {Side | null} mine @param {Link} link */
function request({what, side: asker, node}, mine, link) {
  /** @param {boolean} yes @param {string} word @param {string} id */
  const answer = (yes, word, id) => button(t(word), () => link.say("answer_to", {what, node, yes}), {id, class: yes ? "main" : ""});
  return element("div", {class: "row", role: "alert"}, element("b", {}, t(mine === asker ? `asked_${what}` : `asks_${what}`, {side: side(asker)})),
    ...(mine === null ? [] : mine === asker ? [answer(false, "withdraw", "asked-no")] : [answer(true, "agree", "asked-yes"), answer(false, "decline", "asked-no")]));
}

// After a game: the result, its turning points, and what to do next. Also for a judged record. In a game: the coach.

import {$, button, element} from "./dom.js";
import {worst} from "./graph.js";
import {ending, percent} from "./panels.js";
import {side, t} from "./words.js";

const panel = $("finish");
let drawn = "", open = false; // whether the figures are shown

/** @param {State} state @param {Link} link @param {() => void} save */
export function finish(state, link, save) {
  const {playing, summary} = state;
  if (state.warning) { warn(state, state.warning, link); return; }
  const over = state.setup || state.tsume || playing.on ? null : state.ended;
  panel.hidden = !over && !summary || Boolean(state.setup || state.tsume);
  if (panel.hidden) { drawn = ""; return; }
  const turning = worst(state.line);
  const key = JSON.stringify([over, summary, playing.played, state.learn, turning.map(move => [move.node, move.text]), state.judging === null, state.language, state.game, state.node]);
  if (key === drawn) return;
  drawn = key;
  /** @type {HTMLElement[]} */
  const parts = over && !summary ? [element("h2", {}, ending(over))] : []; // judged, there is more to say, and the status line says it
  if (turning.length) parts.push(element("div", {class: "turning", role: "group", "aria-label": t("turning")},
    element("span", {class: "soft"}, t("turning")), ...turning.sort((one, other) => one.ply - other.ply).map(move => {
      const chip = button(`${move.ply}. ${move.text}`, () => show(move.node, link), {"aria-pressed": String(move.node === state.node)});
      chip.append(element("span", {class: `text ${move.verdict}`}, ` ${percent(-move.loss)}`));
      return chip;
    })));
  else if (summary) parts.push(element("p", {class: "soft"}, t("noTurning")));
  const buttons = [];
  if (state.role.owner && over && !summary && state.line.length > 1 && state.judging === null)
    buttons.push(button(t("judge"), () => link.say("judge", {on: true, effort: $("effort").value}), {id: "finish-judge", class: "main"}));
  buttons.push(...learning(state, link, turning.length > 0));
  if (state.role.owner && playing.played) buttons.push(button(t("rematch"), () => link.say("rematch"), {id: "rematch"}));
  if (over && !summary) buttons.push(button(t("save"), save, {id: "finish-save"}));
  if (buttons.length) parts.push(element("div", {class: "row"}, ...buttons));
  if (summary) parts.push(element("details", {open, ontoggle: (/** @type {Event} */ event) => { open = /** @type {HTMLDetailsElement} */ (event.target).open; }},
    element("summary", {}, t("summary")), table(summary)));
  panel.replaceChildren(...parts);
}

/** A coach at a blunder: why it was one, and the choice. @param {State} state @param {Told} warning @param {Link} link */
function warn({line, playing, language}, {called, loss, given, why}, link) {
  const key = JSON.stringify(["coach", playing.live, why, language]);
  if (key === drawn) return;
  drawn = key;
  panel.hidden = false;
  panel.replaceChildren(
    element("h2", {class: "blunder"}, `${line.find(each => each.node === playing.live)?.text ?? ""}: ${called} – ${t("gave", {percent: percent(loss), given})}`),
    ...(why.length ? why : [t("coachBetter")]).map(text => element("p", {}, text)),
    element("div", {class: "row"}, button(t("undo"), () => link.say("undo"), {id: "coach-undo", class: "main"}),
      button(t("coachGoOn"), () => link.say("think"), {id: "coach-go-on"})));
  panel.scrollIntoView({block: "nearest"}); // on a phone it is below the board
}

/** Go to a move, and on a phone up to the board. @param {number} node @param {Link} link */
function show(node, link) {
  link.say("go", {node});
  $("table").scrollIntoView({block: "nearest"});
}

/** @param {State} state @param {Link} link @param {boolean} turning whether there are turning points @returns {HTMLElement[]} the buttons for what can be learned of mistakes */
function learning({learn, playing}, link, turning) {
  if (learn === "making") return [button(t("learning"), () => {}, {id: "learn", disabled: true})];
  if (learn !== "ready") return [];
  const both = /** @type {Side[]} */ ([0, 1]), humans = both.filter(number => playing.players[number] === null), mine = playing.played && humans.length === 1;
  const better = button(t("better_moves"), () => link.say("better", {side: mine ? humans[0] : null}), {id: "better", class: "main"});
  /** @param {Side} number @param {string} text @param {object} more */
  const make = (number, text, more) => button(text, () => link.say("learn", {side: number}), more);
  return [...(turning ? [better] : []), mine ? make(humans[0], t("learn"), {id: "learn"})
    : element("span", {role: "group", class: "pair", "aria-label": t("learnSides")}, element("span", {class: "soft"}, t("learnSides")),
      ...both.map(number => make(number, side(number), {id: `learn-${number}`, "aria-label": t("learnSide", {side: side(number)})})))];
}

/** @param {Summary} summary */
function table({counts, agreement}) {
  const head = ["", side(0), side(1)].map(text => element("th", {scope: "col"}, text));
  /** @param {string} word @param {string[]} values */
  const row = (word, values) => element("tr", {}, element("th", {scope: "row"}, t(word)), ...values.map(value => element("td", {}, value)));
  return element("table", {class: "summary"}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {},
    row("agreement", agreement.map(share => share === null ? "–" : percent(share))),
    ...["blunder", "mistake", "inaccuracy"].map(name => row(`called_${name}`, counts.map(each => String(each[name]))))));
}

// The panels around the board: players with clocks, the analysis, the bar, the status line.

import {$, element} from "./dom.js";
import {LINES} from "./facts.js";
import {hide, holds, line as playable} from "./lines.js";
import {side, t} from "./words.js";

/** A share as people read it: 49%, a loss -13%. @param {number} share */
export const percent = share => `${Math.round(100 * share)}%`;

// ---- players and clocks

/** @param {State} state @param {number} number */
function player_name(state, number) {
  const {players} = state.playing, level = players[number];
  if (!state.playing.on && !state.playing.played) return state.names[number] || "";
  if (level === null) return state.names[number] || t(state.role.owner && players[1 - number] !== null ? "yourself" : "human");
  return `${t("engine")} (${t("level", {level})})`;
}

/** @param {number} seconds */
export const clock_text = seconds => {
  const whole = Math.max(0, Math.ceil(seconds)), minutes = Math.floor(whole / 60);
  const rest = String(whole % 60).padStart(2, "0");
  return minutes < 60 ? `${minutes}:${rest}` : `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}`;
};

/** @param {State} state */
export function players(state) {
  const near = state.flipped ? 1 : 0;
  for (const [id, number] of /** @type {[string, number][]} */ ([["near", near], ["far", 1 - near]])) {
    const mark = element("span", {class: `mark ${state.game} ${number ? "white" : "black"}`, "aria-hidden": "true"});
    const name = element("span", {class: "name"}, element("b", {}, side(number)), " ", player_name(state, number));
    const parts = [mark, name];
    if (state.handicap && number) parts.push(element("span", {class: "soft"}, state.handicap));
    if (state.counts) parts.push(element("span", {class: "count"}, String(state.counts[number])));
    if (state.playing.clock) parts.push(element("span", {class: "soft extra", "data-side": number}),
      element("span", {class: "clock", "data-side": number, role: "timer"}));
    $(id).replaceChildren(...parts);
    $(id).classList.toggle("turn", state.turn === number && !state.playing.over && !state.setup);
  }
}

/** Return the seconds left of the running clock, if it may run out. @param {State | null} state @param {number} since seconds since the state came */
export function clocks(state, since) {
  const clock = state?.playing.clock;
  let running;
  if (!clock) return undefined;
  for (const node of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".clock"))) {
    const number = Number(node.dataset.side);
    const left = clock.seconds[number] - (clock.side === number ? since : 0);
    const byoyomi = left <= 0 && clock.byoyomi > 0;
    node.textContent = clock_text(byoyomi ? clock.byoyomi + left : left);
    node.classList.toggle("low", (byoyomi ? clock.byoyomi + left : clock.byoyomi ? 99 : left) <= 10);
    node.classList.toggle("running", clock.side === number);
    if (clock.side === number && (byoyomi || !clock.byoyomi)) running = byoyomi ? clock.byoyomi + left : left;
    if (node.previousElementSibling) node.previousElementSibling.textContent = !clock.byoyomi ? "" : byoyomi ? t("byoyomi") : t("byoyomiTime", {seconds: clock.byoyomi});
  }
  return running;
}

// ---- the status line

/** The move on the board, which may be one of a variation. @param {State} state */
export const move_text = ({line, node, branch, ply, last}) => branch === ply ? line[ply]?.text ?? last
  : line.flatMap(row => row.others ?? []).flatMap(({moves}) => moves).find(([number]) => number === node)?.[1] ?? last;

/** @param {Tsume} tsume */
function tsume_words({status, length, left, made, lesson}) {
  if (status === "done" && lesson?.count && !lesson.title) return "tsume_praised";
  if (status === "wrong" && lesson?.title) return "tsume_not_yet";
  if (status === "yours") return left ? "tsume_yours" : "tsume_open";
  return status === "solved" && length && made > length ? "tsume_slow" : `tsume_${status}`;
}

/**
 * How a game ended, in words.
 * @param {Ending} over
 */
export function ending({winner, name, discs}) {
  const result = winner === null ? t("draw") : t("wins", {side: side(winner)});
  const reason = discs ? discs.join(" – ") : name || t("gameOver");
  return t("ended", {result, reason});
}

/** @param {State} state */
function situation(state) {
  const {playing, tsume, turn} = state;
  if (tsume) return t(tsume_words(tsume), tsume);
  if (state.setup) return t("setupHint");
  if (playing.over) return ending(playing.over);
  if (state.warning) return t("coachWaits");
  if (playing.thinking) return t("thinking");
  if (!state.role.owner && state.role.side === null && playing.on) return `${t("watching")} ${t("toMove", {side: side(turn)})}`;
  const two = state.guests.length > 0;
  if (playing.on && playing.players[turn] === null && (two ? Object.keys(state.targets).length > 0 : playing.players.some(each => each !== null))) return t("yourMove");
  if (state.ended && !playing.on && state.branch === state.ply && state.ply === state.line.length - 1) return ending(state.ended);
  return t("toMove", {side: side(turn)});
}

/** @param {State} state */
export function status(state) {
  const {playing, tsume} = state;
  const parts = [situation(state)];
  if (state.check && !playing.over) parts.push(`(${t("check")})`);
  const waits = playing.thinking || state.analysis.on || tsume?.status === "searching";
  if (state.engine.fault) parts.push(t("noEngine", {fault: state.engine.fault}));
  else if (!state.engine.ready && waits) parts.push(t("preparing"));
  const text = parts.join(" ");
  if ($("status").textContent !== text) $("status").textContent = text;
  const said = state.ply ? `${state.ply}. ${move_text(state)}` : "";
  if ($("heard").textContent !== said) $("heard").textContent = said; // for those who do not see the board
}

// ---- the analysis

/** @param {number} number */
const short = number => new Intl.NumberFormat(document.documentElement.lang, {notation: "compact", maximumSignificantDigits: 3}).format(number);

/** @param {State} state */
function choose_lines(state) {
  const all = LINES[state.game], menu = $("multipv");
  const numbers = [1, 2, 3, 4, 5, ...(all > 5 ? [all] : [])];
  if (menu.options.length !== numbers.length || menu.lang !== state.language) {
    menu.lang = state.language;
    menu.replaceChildren(...numbers.map(each => element("option", {value: each}, each > 5 ? t("allMoves") : String(each))));
  }
  menu.value = String(Math.min(state.analysis.multipv, all));
}

/** @param {State} state @param {Info | null} info */
export function analysis(state, info) {
  const on = state.analysis.on;
  $("analysis").classList.toggle("idle", !on);
  $("analyse").setAttribute("aria-checked", String(on));
  choose_lines(state);
  const shown = on && info?.node === state.node ? info : null;
  $("depth").textContent = !on ? "" : shown
    ? t("depth", {depth: shown.depth, nodes: short(shown.nodes), nps: short(shown.nps)}) : state.playing.over ? "" : t("waiting");
  const rows = shown?.lines ?? [];
  // The list is held back only while one of its moves has its small board open, and looks so; or is pressed.
  const list = $("lines"), node = String(shown?.node);
  if (list.dataset.node !== node && holds(list)) hide();
  list.classList.toggle("held", holds(list));
  if (!holds(list) && !list.matches(":active")) {
    const focused = [...list.querySelectorAll(".add")].findIndex(each => each.matches(":focus-visible"));
    list.dataset.node = node;
    list.replaceChildren(...rows.map(line => element("li", {},
      element("span", {class: `score ${line.chance >= 0.5 ? "black" : "white"}`}, line.score),
      element("span", {class: "soft chance"}, line.exact ? t("exact") : percent(line.chance)),
      playable({node: shown?.node ?? 0, moves: line.moves, texts: line.texts}))));
    /** @type {HTMLElement | undefined} */ (list.querySelectorAll(".add")[focused])?.focus({preventScroll: true});
  }
  bar(state, shown?.lines[0]);
}

/** @param {State} state @param {AnalysisLine} [line] */
function bar(state, line) {
  const at = state.branch === state.ply ? state.line[state.branch] : undefined;
  const chance = line?.chance ?? at?.chance;
  const box = $("bar");
  box.hidden = chance === undefined || state.setup !== null;
  document.body.classList.toggle("judged", !box.hidden);
  if (chance === undefined) return;
  box.classList.toggle("flipped", state.flipped);
  box.style.setProperty("--white", percent(1 - chance));
  box.setAttribute("aria-label", t("chance", {percent: percent(chance)}));
  const text = /** @type {HTMLElement} */ (box.querySelector("span"));
  text.textContent = line && !line.mate ? line.score : at?.value ?? percent(chance);
}

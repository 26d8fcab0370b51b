// The panels around the board: players with clocks, the moves, the analysis, the graph, the status line.

import {element} from "./dom.js";
import {line as playable} from "./lines.js";
import {side, t} from "./words.js";

const $ = id => document.getElementById(id);
export const percent = chance => Math.round(100 * chance);

// ---- players and clocks

function player_name(state, number) {
  const level = state.playing.players[number];
  if (!state.playing.on && !state.playing.over) return state.names[number] || "";
  if (level === null) return state.names[number] || t("human");
  return `${t("engine")} (${t("level", {level})})`;
}

export const clock_text = seconds => {
  const whole = Math.max(0, Math.ceil(seconds)), minutes = Math.floor(whole / 60);
  const rest = String(whole % 60).padStart(2, "0");
  return minutes < 60 ? `${minutes}:${rest}` : `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}`;
};

export function players(state) {
  const near = state.flipped ? 1 : 0;
  for (const [id, number] of [["near", near], ["far", 1 - near]]) {
    const mark = element("span", {class: `mark ${state.game} ${number ? "white" : "black"}`, "aria-hidden": "true"});
    const name = element("span", {class: "name"}, element("b", {}, side(number)), " ", player_name(state, number));
    const parts = [mark, name];
    if (state.counts) parts.push(element("span", {class: "count"}, String(state.counts[number])));
    if (state.playing.clock) parts.push(element("span", {class: "soft extra", "data-side": number}),
      element("span", {class: "clock", "data-side": number, role: "timer"}));
    $(id).replaceChildren(...parts);
    $(id).classList.toggle("turn", state.turn === number && !state.playing.over && !state.setup);
  }
}

export function clocks(state, since) {
  const clock = state?.playing.clock;
  if (!clock) return;
  for (const node of document.querySelectorAll(".clock")) {
    const number = Number(node.dataset.side);
    const left = clock.seconds[number] - (clock.side === number ? since : 0);
    const byoyomi = left <= 0 && clock.byoyomi > 0;
    node.textContent = clock_text(byoyomi ? clock.byoyomi + left : left);
    node.classList.toggle("low", (byoyomi ? clock.byoyomi + left : clock.byoyomi ? 99 : left) <= 10);
    node.classList.toggle("running", clock.side === number);
    node.previousElementSibling.textContent = clock.byoyomi ? (byoyomi ? t("byoyomi") : `+${clock.byoyomi}`) : "";
  }
}

// ---- the status line

function tsume_words({status, length, left, made}) {
  if (status === "yours") return left ? "tsume_yours" : "tsume_open";
  return status === "solved" && length && made > length ? "tsume_slow" : `tsume_${status}`;
}

// How a game played here ended.
export function ending(state) {
  const {winner, name} = state.playing.over;
  const result = winner === null ? t("draw") : t("wins", {side: side(winner)});
  const reason = state.counts && !name ? `${state.counts[0]} – ${state.counts[1]}` : name || t("gameOver");
  return t("ended", {result, reason});
}

export function status(state, preparing) {
  const {playing, tsume} = state;
  const parts = [];
  if (tsume) parts.push(t(tsume_words(tsume), tsume));
  else if (state.setup) parts.push(t("setupHint"));
  else if (playing.over) parts.push(ending(state));
  else if (playing.thinking) parts.push(t("thinking"));
  else if (playing.on && playing.players[state.turn] === null && playing.players.some(each => each !== null))
    parts.push(t("yourMove"));
  else parts.push(t("toMove", {side: side(state.turn)}));
  if (state.check && !playing.over) parts.push(`(${t("check")})`);
  const waits = playing.thinking || state.analysis.on || tsume?.status === "searching";
  if (state.engine.fault) parts.push(t("noEngine", {fault: state.engine.fault}));
  else if (!state.engine.ready && (waits || preparing)) parts.push(preparing
    ? t("preparing", {percent: Math.round(100 * preparing)}) : t("preparingOnce"));
  const text = parts.join(" ");
  if ($("status").textContent !== text) $("status").textContent = text;
}

// ---- the analysis

const short = number => new Intl.NumberFormat(document.documentElement.lang, {notation: "compact", maximumSignificantDigits: 3}).format(number);

export function analysis(state, info, link) {
  const on = state.analysis.on;
  $("analyse").setAttribute("aria-checked", String(on));
  $("multipv").value = String(state.analysis.multipv);
  const shown = on && info?.node === state.node ? info : null;
  $("depth").textContent = !on ? "" : shown
    ? t("depth", {depth: shown.depth, nodes: short(shown.nodes), nps: short(shown.nps)}) : state.playing.over ? "" : t("waiting");
  const rows = shown?.lines ?? [];
  // Do not update a list while the pointer or the keyboard focus is in it.
  const busy = $("lines").matches(":hover") || $("lines").contains(document.activeElement);
  if (!busy || $("lines").dataset.node !== String(shown?.node)) {
    $("lines").dataset.node = String(shown?.node);
    $("lines").replaceChildren(...rows.map(line => element("li", {},
      element("span", {class: `score ${line.chance >= 0.5 ? "black" : "white"}`}, line.score),
      element("span", {class: "soft chance"}, `${percent(line.chance)}%`),
      playable({node: shown.node, moves: line.moves, texts: line.texts}))));
  }
  bar(state, shown?.lines[0]);
}

function bar(state, line) {
  const at = state.line.find(move => move.node === state.node);
  const chance = line?.chance ?? at?.chance;
  const box = $("bar");
  box.hidden = chance === undefined || state.setup !== null;
  document.body.classList.toggle("judged", !box.hidden);
  if (box.hidden) return;
  box.classList.toggle("flipped", state.flipped);
  const step = Math.min(20, Math.max(0, Math.round(chance * 20)));
  box.dataset.step = step; // the style sheet has a height for each, as scripts may not set styles
  box.setAttribute("aria-label", t("chance", {percent: percent(chance)}));
  box.querySelector("span").textContent = line && !line.mate ? line.score : `${percent(chance)}%`;
}

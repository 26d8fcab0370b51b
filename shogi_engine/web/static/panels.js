// What stands around the board: players with clocks, the moves, the analysis, the graph, the status line.

import {side, t} from "./words.js";

const SVG = "http://www.w3.org/2000/svg";
const $ = id => document.getElementById(id);
const percent = chance => Math.round(100 * chance);

export function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}

// ---- players and clocks

function player_name(state, number) {
  const level = state.playing.players[number];
  if (!state.playing.on && !state.playing.over) return state.names[number] || "";
  if (level === null) return state.names[number] || t("human");
  return `${t("engine")} (${t("level", {level})})`;
}

const clock_text = seconds => {
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

export function status(state, preparing) {
  const {playing, tsume} = state;
  const parts = [];
  if (tsume) parts.push(t(tsume_words(tsume), tsume));
  else if (state.setup) parts.push(t("setupHint"));
  else if (playing.over) {
    const {winner, name} = playing.over;
    const result = winner === null ? t("draw") : t("wins", {side: side(winner)});
    const reason = state.counts ? (name ? t(`end_${name}`) : `${state.counts[0]} – ${state.counts[1]}`) : t(`end_${name}`);
    parts.push(t("ended", {result, reason}));
  } else if (playing.thinking) parts.push(t("thinking"));
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

// ---- moves

export function moves(state, link) {
  const list = $("moves");
  const row = (move, number) => {
    const children = [element("span", {class: "number"}, number ? String(number) : ""),
      element("span", {class: `text ${move.verdict ?? ""}`}, number ? move.text : t("start"))];
    if (move.comment) children.push(element("span", {class: "soft", "aria-hidden": "true"}, "✎"));
    if (move.seconds !== undefined) children.push(element("span", {class: "soft"}, clock_text(move.seconds)));
    if (move.chance !== undefined) children.push(element("span", {class: "soft"}, `${percent(move.chance)}%`));
    const item = element("li", {}, element("button", {type: "button", "aria-current": move.node === state.node ? "true" : false,
      onclick: () => link.say("go", {node: move.node})}, ...children));
    if (move.others) {
      const others = element("span", {class: "others"});
      for (const [node, text] of move.others)
        others.append(element("button", {type: "button", onclick: () => link.say("go", {node})}, `⤷ ${text}`));
      item.append(others);
    }
    return item;
  };
  list.replaceChildren(...state.line.map(row));
  const current = list.querySelector("[aria-current]")?.parentElement;
  if (current && (current.offsetTop < list.scrollTop || current.offsetTop + current.offsetHeight > list.scrollTop + list.clientHeight))
    list.scrollTop = current.offsetTop - list.clientHeight / 2;
  const verdict = state.verdict, box = $("verdict");
  box.hidden = !(verdict && verdict.class);
  if (!box.hidden) {
    box.replaceChildren(
      element("p", {class: verdict.class}, `${verdict.called} – ${t("gave", {percent: percent(verdict.loss), given: verdict.given})}`),
      element("p", {}, `${t("better", {score: verdict.score})} ${verdict.texts.join(" ")}`));
  }
}

// ---- the graph

export function graph(state, link) {
  const svg = $("graph"), line = state.line;
  const known = line.map((move, ply) => [ply, move]).filter(([, move]) => move.chance !== undefined);
  svg.hidden = known.length < 2;
  svg.toggleAttribute("hidden", known.length < 2);
  if (known.length < 2) return;
  const last = Math.max(line.length - 1, 1), here = line.findIndex(move => move.node === state.node);
  svg.setAttribute("viewBox", `0 0 ${last} 100`);
  svg.setAttribute("aria-valuemax", last);
  svg.setAttribute("aria-valuenow", Math.max(here, 0));
  svg.setAttribute("aria-label", t("graph"));
  const chance = line[Math.max(here, 0)].chance;
  svg.setAttribute("aria-valuetext", `${here}. ${line[Math.max(here, 0)].text || t("start")}` +
    (chance === undefined ? "" : ` ${percent(chance)} %`));
  const points = known.map(([ply, move]) => `${ply},${100 - 100 * move.chance}`).join(" ");
  const add = (name, attributes) => {
    const node = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.setAttribute("vector-effect", "non-scaling-stroke");
    svg.append(node);
    return node;
  };
  svg.replaceChildren();
  add("polygon", {points: `${known[0][0]},100 ${points} ${known.at(-1)[0]},100`, class: "area"});
  add("line", {x1: 0, x2: last, y1: 50, y2: 50, class: "half"});
  add("polyline", {points, class: "curve"});
  line.forEach((move, ply) => {
    if (!move.verdict) return;
    const mark = add("line", {x1: ply, x2: ply, y1: 0, y2: 100, class: `mark ${move.verdict}`});
    mark.append(Object.assign(document.createElementNS(SVG, "title"), {textContent: `${ply}. ${move.text}`}));
    mark.addEventListener("pointerdown", event => { event.stopPropagation(); link.say("go", {node: move.node}); });
  });
  if (here >= 0) add("line", {x1: here, x2: here, y1: 0, y2: 100, class: "cursor"});
}

export function graph_events(link, get) {
  const svg = $("graph");
  let sent = -1;
  const pointed = event => {
    const {line} = get(), box = svg.getBoundingClientRect();
    const ply = Math.max(0, Math.min(line.length - 1, Math.round((event.clientX - box.left) / box.width * (line.length - 1))));
    if (line[ply].node !== sent) link.say("go", {node: sent = line[ply].node});
  };
  svg.addEventListener("pointerdown", event => { sent = -1; pointed(event); });
  svg.addEventListener("pointermove", event => { if (event.buttons) pointed(event); });
}

// ---- the analysis

const short = number => number >= 1e6 ? `${(number / 1e6).toFixed(1)}M` : number >= 1e3 ? `${Math.round(number / 1e3)}k` : String(number);

export function analysis(state, info, link) {
  const on = state.analysis.on;
  $("analyse").setAttribute("aria-checked", String(on));
  $("multipv").value = String(state.analysis.multipv);
  const shown = on && info?.node === state.node ? info : null;
  $("depth").textContent = !on ? "" : shown
    ? t("depth", {depth: shown.depth, nodes: short(shown.nodes), nps: short(shown.nps)}) : state.playing.over ? "" : t("waiting");
  $("lines").replaceChildren(...(shown?.lines ?? []).map(line => element("li", {},
    element("span", {class: `score ${line.chance >= 0.5 ? "black" : "white"}`}, line.score),
    element("button", {type: "button", onclick: () => link.say("move", {move: line.moves[0]})}, line.texts[0] ?? ""),
    element("span", {class: "rest"}, line.texts.slice(1).join(" ")))));
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
  box.dataset.step = step; // the style sheet has a height for each: no style may be set from here
  box.setAttribute("aria-label", t("chance", {percent: percent(chance)}));
  box.querySelector("span").textContent = line && !line.mate ? line.score : `${percent(chance)}%`;
}

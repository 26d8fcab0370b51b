// The page: keeps the server's last messages, and updates every part.

import {Board} from "./board.js";
import * as dialogs from "./dialogs.js";
import * as games from "./games.js";
import {finish} from "./finish.js";
import {graph, graph_events} from "./graph.js";
import * as lines from "./lines.js";
import {Link} from "./link.js";
import {moves} from "./moves.js";
import * as panels from "./panels.js";
import * as problems from "./problems.js";
import {chosen_piece, setup} from "./setup.js";
import {play, set_sounds, sounds} from "./sound.js";
import {other_language, refusal, side, speak, spoken, t, translate} from "./words.js";

const $ = id => document.getElementById(id);
const narrow = matchMedia("(max-width: 46rem) and (orientation: portrait)");
const store = {
  get: (place, name) => { try { return place.getItem(name); } catch { return null; } },
  set: (place, name, value) => { try { place.setItem(name, value); } catch { /* private windows may have none */ } },
};

let state = null, info = null, preparing = 0, received = 0;

// ---- settings

const language = () => store.get(localStorage, "language") ?? (navigator.language.startsWith("ja") ? "ja" : "en");
const theme = store.get(localStorage, "theme");
if (theme) document.documentElement.dataset.theme = theme;
speak(language());
translate();

// The owner of the games played in this browser.
function owner() {
  let name = store.get(localStorage, "owner");
  if (!name) store.set(localStorage, "owner", name = Array.from(crypto.getRandomValues(new Uint8Array(16)), each => each.toString(16).padStart(2, "0")).join(""));
  return name;
}

const link = new Link(() => ({
  session: store.get(sessionStorage, "session") ?? "",
  owner: owner(),
  language: spoken(),
  narrow: narrow.matches,
  letters: store.get(localStorage, "letters") === "1",
}));
lines.connect(link);
set_sounds(store.get(localStorage, "silent") !== "1");
$("sound").setAttribute("aria-pressed", String(sounds()));
const board = new Board($("board"), {
  moved: captured => play(captured ? "capture" : "move"),
  play: move => link.say("move", {move}),
  put: square => link.say("put", {square, piece: chosen_piece()}),
});

// ---- messages from the server

link.on("state", message => {
  if (state?.playing.on && message.playing.over) play("end");
  state = message;
  received = performance.now();
  store.set(sessionStorage, "session", state.session);
  speak(state.language, state.game);
  show();
});
link.on("info", message => {
  info = message;
  if (!state || info.node !== state.node || state.setup) return;
  panels.analysis(state, info, link);
  arrows();
});
link.on("engine", message => {
  if (!state || message.game !== state.game) return;
  state.engine.ready = message.ready;
  preparing = message.ready ? 0 : message.share;
  panels.status(state, preparing);
});
link.on("progress", message => {
  if (!state) return;
  $("judging").hidden = false;
  $("judging").value = message.share;
  const move = state.line.find(each => each.node === message.node);
  if (move) move.chance = message.chance;
  graph(state);
});
link.on("mate", ({result, length, texts, moves, node}) => {
  if (result === "mate") $("found").replaceChildren(`${t("mateFound", {length})} `, lines.line({node, moves, texts}));
  else $("found").textContent = t(result);
});
link.on("file", dialogs.save_file);
link.on("file", ({lost}) => { if (lost.length) toast(t("lostInFile", {what: lost.join(", ")})); });
link.on("games", message => dialogs.choose_game(message, link));
link.on("problems", message => state && problems.choose(message, link, state));
link.on("hint", message => { if (message.node === state?.node) problems.hint(message); });
link.on("kept", message => games.show(message, link, toast));
link.on("left", ({id}) => toast(t("left"), false, t("back_to_it"), () => link.say("continue", {id})));
link.on("join", ({session}) => { store.set(sessionStorage, "session", session); link.again(); });
link.on("failed", ({text}) => toast(text));
link.on("error", ({text}) => toast(refusal(text)));
link.on("lost", ({full}) => toast(t(full ? "full_server" : "lost"), true));

let hiding = 0;
// action : [label, function], to undo what was done
function toast(text, stay = false, word = "", action = null) {
  clearTimeout(hiding);
  const children = [document.createTextNode(text)];
  if (action) children.push(Object.assign(document.createElement("button"), {type: "button", textContent: word,
    onclick: () => { $("toast").hidden = true; action(); }}));
  $("toast").replaceChildren(...children);
  $("toast").hidden = false;
  if (!stay) hiding = setTimeout(() => { $("toast").hidden = true; }, action ? 12_000 : 6000);
}

// ---- what is shown

// The arrows of an analysis, if they were drawn for the board's current orientation.
function arrows() {
  const fits = info?.node === state.node && info.flipped === state.flipped && info.narrow === state.narrow;
  if (fits && state.analysis.on && !state.setup) board.arrows(info.arrows);
}

function show() {
  if ($("toast").textContent === t("lost")) $("toast").hidden = true;
  translate();
  for (const button of document.querySelectorAll("#games [data-game]"))
    button.setAttribute("aria-pressed", String(button.dataset.game === state.game));
  [$("language").lang, $("language").textContent] = other_language();
  $("letters").setAttribute("aria-pressed", String(state.letters));
  $("letters").hidden = $("guide").hidden = $("tsume").hidden = $("mate").hidden = state.game !== "shogi";
  document.body.dataset.game = state.game;
  document.body.classList.toggle("narrow", narrow.matches);
  board.draw(state);
  arrows();
  panels.players(state);
  panels.clocks(state, 0);
  moves(state, link);
  graph(state);
  finish(state, link, () => dialogs.save_game(state, link));
  panels.analysis(state, info, link);
  panels.status(state, preparing);
  setup(state, link);
  problems.problem(state, link);
  const {playing} = state;
  for (const button of document.querySelectorAll("#controls [data-step], #undo, #think")) button.hidden = Boolean(state.setup);
  $("resign").hidden = !playing.on;
  $("declare").hidden = !state.may_declare;
  $("judging").hidden = state.judging === null;
  $("judging").value = state.judging ?? 0;
  $("judge").textContent = t(state.judging === null ? "judge" : "stopJudging");
  if (state.mating) $("found").textContent = t("mating");
  else if ($("found").textContent === t("mating")) $("found").textContent = "";
  $("position").value = state.position;
  if (document.activeElement !== $("comment")) $("comment").value = state.comment;
  document.title = `${t(state.game)} – shogi_engine`;
  $("kept").hidden = !state.kept;
  $("pass").hidden = !only_pass() || state.playing.on;
  if (state.playing.passing && !passing) toast(t("mustPass", {side: side(state.turn)}));
  passing = state.playing.passing;
  if (state.removed && !removed) toast(t("removed"), false, t("bring_back"), () => link.say("restore"));
  removed = state.removed;
}

let passing = false, removed = false; // from the last state

const only_pass = () => Object.keys(state.targets[""] ?? {}).join() === "pass";

setInterval(() => panels.clocks(state, (performance.now() - received) / 1000), 200);

// ---- the user's actions

for (const button of document.querySelectorAll("#games [data-game]"))
  button.onclick = () => { if (button.dataset.game !== state?.game) link.say("game", {game: button.dataset.game}); };
for (const button of document.querySelectorAll("[data-step]")) button.onclick = () => link.say("step", {to: button.dataset.step});
$("new").onclick = () => state && dialogs.new_game(state, link);
$("open").onclick = () => dialogs.open_game(link);
$("save").onclick = () => state && dialogs.save_game(state, link);
$("edit").onclick = () => link.say("setup", {on: true});
$("tsume").onclick = () => link.say("problems");
$("flip").onclick = () => link.say("look", {flipped: !state.flipped});
$("undo").onclick = () => link.say("undo");
$("think").onclick = () => link.say("think");
$("resign").onclick = () => dialogs.confirm(t("resign"), t("resign_ask"), t("resign"), () => link.say("resign"));
$("pass").onclick = () => link.say("move", {move: "pass"});
$("kept").onclick = () => link.say("kept");
$("declare").onclick = () => link.say("declare");
$("mate").onclick = () => link.say("mate");
$("analyse").onclick = () => link.say("analyse", {on: !state.analysis.on});
$("multipv").onchange = () => link.say("analyse", {on: state.analysis.on, multipv: Number($("multipv").value)});
$("judge").onclick = () => link.say("judge", {on: state.judging === null, effort: $("effort").value});
$("note").onclick = () => link.say("comment", {text: $("comment").value});
$("delete").onclick = () => link.say("delete");
$("copy").onclick = async () => {
  $("position").select();
  try { await navigator.clipboard.writeText($("position").value); toast(t("copied")); } catch { document.execCommand("copy"); }
};
$("language").onclick = () => {
  const [chosen] = other_language();
  store.set(localStorage, "language", chosen);
  speak(chosen);
  link.say("look", {language: chosen});
};
$("sound").onclick = () => {
  set_sounds(!sounds());
  store.set(localStorage, "silent", sounds() ? "0" : "1");
  $("sound").setAttribute("aria-pressed", String(sounds()));
};
$("guide").onclick = () => dialogs.guide();
$("letters").onclick = () => {
  store.set(localStorage, "letters", state.letters ? "0" : "1");
  link.say("look", {letters: !state.letters});
};
$("theme").onclick = () => {
  const dark = document.documentElement.dataset.theme
    ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "light" : "dark";
  store.set(localStorage, "theme", document.documentElement.dataset.theme);
};
narrow.addEventListener("change", () => link.say("look", {narrow: narrow.matches}));
dialogs.drop_files(link);
dialogs.paste_records(link);
graph_events(link, () => state);

const KEYS = {ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last"};
document.addEventListener("keydown", event => {
  const step = KEYS[event.key];
  const typing = event.target.matches?.("input, textarea, select") || document.querySelector("dialog[open]");
  if (!step || typing || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  link.say("step", {to: step});
});

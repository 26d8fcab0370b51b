// The page: keeps the server's last messages, and updates every part.

import {Board} from "./board.js";
import {$, button, memory, pieces, usual_format} from "./dom.js";
import {listen} from "./keys.js";
import * as lines from "./lines.js";
import {Link} from "./link.js";
import {moves, reveal, SIGNS, signed} from "./moves.js";
import * as panels from "./panels.js";
import {play, set_sounds} from "./sound.js";
import {two_people, other_language, own_side, refusal, side, speak, spoken, t, translate} from "./words.js";

const narrow = matchMedia("(max-width: 46rem) and (orientation: portrait)");

/** @type {State | null} */
let state = null;
/** @type {Info | null} */
let info = null;
let received = 0;
/** @type {{node: number, now: number, svg: string} | null} an earlier position that this page alone looks back at */
let past = null;

/**
 * What the first position does not need is loaded later. Returns a function that uses it, at once if it is there.
 * @template T
 * @param {() => Promise<T>} load
 */
function later(load) {
  /** @type {T | null} */
  let loaded = null;
  return (/** @type {(module: T) => void} */ use) => {
    if (loaded) use(loaded);
    else load().then(module => { loaded = module; use(module); });
  };
}
const dialogs = later(() => import("./dialogs.js")), ending = later(() => import("./finish.js")),
  chart = later(() => import("./graph.js").then(module => { module.graph_events(link, () => state); return module; })), games = later(() => import("./games.js"));
const explorer = later(() => import("./explorer.js"));
const look = later(() => import("./look.js")), setup = later(() => import("./setup.js"));
const about = later(() => import("./about.js")), diagram = later(() => import("./diagram.js"));
const problems = later(() => import("./problems.js")), share = later(() => import("./share.js"));
const lessons = later(() => import("./lessons.js")), learn = later(() => import("./learn.js"));
const start = later(() => import("./start.js")), people = later(() => import("./people.js")), speech = later(() => import("./speech.js"));

// ---- settings

for (const [name, usual] of [["theme", "auto"], ["board", "wood"]]) document.documentElement.dataset[name] = memory.get(name) ?? usual;
speak(memory.get("language") ?? (navigator.language.startsWith("ja") ? "ja" : "en"));
translate();
set_sounds(memory.get("silent") !== "1");

/** The owner of the games played in this browser. */
function owner() {
  const known = memory.get("owner");
  if (known) return known;
  const name = Array.from(crypto.getRandomValues(new Uint8Array(16)), each => each.toString(16).padStart(2, "0")).join("");
  memory.set("owner", name);
  return name;
}

const link = new Link(() => ({
  session: memory.get("session", "sessionStorage") ?? "",
  owner: owner(),
  name: memory.get("name") ?? "",
  language: spoken(),
  narrow: narrow.matches,
  pieces: memory.get("pieces") ?? "kanji",
  words: memory.get("words") ?? "dan",
}));
lines.connect(link, () => { if (state) panels.analysis(state, info); });
const board = new Board($("board"), {
  moved: captured => play(captured ? "capture" : "move"),
  play: move => link.say("move", {move}),
  put: (square, there) => setup(each => each.put(square, there, link)),
  shift: (from, to, piece) => setup(each => each.shift(from, to, piece, link)),
});

/** Do something with the state, once there is one. @param {(now: State) => void} action */
const now = action => () => { if (state) action(state); };

// ---- messages from the server

const known = memory.get("session", "sessionStorage"); // a tab that was read anew
link.on("state", (/** @type {State} */ message) => {
  const first = !state;
  if (state?.playing.on && message.playing.over) play("end");
  if (state?.position !== message.position) {
    info = null; // another game may have a move of the same number
    if (state?.node === message.node) $("found").replaceChildren();
  }
  state = message;
  if (first) { typed = JSON.parse(memory.get("typed", "sessionStorage") ?? "null"); send_comment(); }
  received = performance.now();
  if (state.session) memory.set("session", state.session, "sessionStorage");
  speak(state.language, state.game, state.handicap);
  show(state);
  if (first && !known && location.hash !== "#board") start(each => { if (state && each.is_new(state)) home(); });
});
link.on("info", (/** @type {Info} */ message) => {
  info = message;
  if (!state || info.node !== state.node || state.setup) return;
  panels.analysis(state, info);
  arrows(state);
});
link.on("engine", message => {
  if (!state || message.game !== state.game) return;
  state.engine.ready = true;
  panels.status(state);
});
link.on("progress", message => {
  if (!state) return;
  $("judging").hidden = false;
  $("judging").value = message.share;
  const move = state.line.find(each => each.node === message.node);
  if (move) move.chance = message.chance;
  draw_graph(state);
});
link.on("mate", ({result, length, texts, moves, node}) => {
  if (result === "mate") $("found").replaceChildren(`${t("mateFound", {length})} `, lines.line({node, moves, texts}));
  else $("found").textContent = t(result);
});
link.on("file", file => {
  dialogs(({save_file}) => save_file(file));
  if (file.lost.length) toast(t("lostInFile", {what: file.lost.join(", ")}));
});
link.on("games", message => dialogs(({choose_game}) => choose_game(message, link)));
link.on("problems", message => problems(({choose}) => { if (state) choose(message, link, state); }));
link.on("lessons", message => lessons(({counts}) => counts(message, link, toast)));
link.on("course", message => learn(({course}) => course(message, link)));
link.on("tried", message => toast(t("tried", message)));
link.on("hint", message => problems(({hint}) => {
  if (message.node !== state?.node) return;
  hints = true;
  const text = hint(message, state);
  if (!state.tsume) toast(text);
}));
link.on("diagram", message => diagram(({save}) => save(message)));
link.on("kept", message => games(each => each.show(message, link, toast)));
link.on("left", ({id}) => { $("found").replaceChildren(); toast(t("left"), {word: t("back_to_it"), action: () => link.say("continue", {id})}); });
link.on("join", ({session}) => { memory.set("session", session, "sessionStorage"); link.again(); });
link.on("preview", ({node, moves: more, svg}) => {
  if (more.length || !state) return;
  past = node === state.node ? null : {node, now: state.node, svg};
  show(state);
});
link.on("explored", message => explorer(each => { if (state) each.show(message, state, link); }));
link.on("failed", ({text}) => toast(text));
link.on("error", ({text}) => toast(refusal(text)));
link.on("links", message => share(each => { if (state) each.show(message, link, state, toast); }));
link.on("lost", ({full, ended}) => toast(t(ended ? "linkEnded" : full ? "full_server" : "lost"), {stay: true}));

let hiding = 0;
$("toast").onclick = () => { $("toast").hidden = true; };
/** @param {string} text @param {{stay?: boolean, word?: string, action?: () => void, seconds?: number}} options action: to undo what was done */
function toast(text, {stay = false, word = "", action, seconds = action ? 12 : 6} = {}) {
  clearTimeout(hiding);
  $("toast").replaceChildren(text, ...(action ? [button(word, action)] : []));
  $("toast").hidden = false;
  if (!stay) hiding = setTimeout(() => { $("toast").hidden = true; }, 1000 * seconds);
}

// ---- what is shown

/** The arrows of an analysis, if they were drawn for the board's current orientation. @param {State} state */
function arrows(state) {
  const fits = info?.node === state.node && info.flipped === state.flipped && info.narrow === state.narrow;
  if (info && fits && state.analysis.on && !state.setup) board.arrows(info.arrows);
}

/** @param {State} state */
function draw_graph(state) {
  if (state.line.some(({chance, seconds}) => chance !== undefined || seconds !== undefined) || !$("graph").hasAttribute("hidden")) chart(({graph}) => { graph(state); reveal(); });
}

/** Show a guest only what a guest may do. @param {State} state */
function guest(state) {
  const {role, playing, guests, tsume} = state;
  const two = playing.on && guests.length > 0, mine = own_side(state), alone = Boolean(tsume?.lesson && !tsume.lesson.over); // the engine would solve the problem
  for (const id of ["games", "new", "open", "edit", "share", "mate", "tsume", "lessons", "changes", "about", "signs"]) $(id).classList.toggle("barred", !role.owner);
  for (const id of ["effort", "judge", "analysis", "explorer"]) $(id).classList.toggle("barred", !role.owner || alone);
  $("think").classList.toggle("barred", !role.owner || two || alone);
  $("undo").classList.toggle("barred", two ? mine === null : !role.owner);
  $("comment").readOnly = !role.owner;
}

let hints = false; // one was given
let passing = false, removed = false; // from the last state

/** @param {State} state */
function show(state) {
  const {playing, game} = state;
  if ($("toast").textContent === t("lost")) $("toast").hidden = true;
  const said = $("dialog").querySelector(".fault");
  if (said?.textContent === t("lost")) said.remove(); // the user can ask again
  translate();
  for (const choice of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#games [data-game]")))
    choice.setAttribute("aria-pressed", String(choice.dataset.game === game));
  [$("language").lang, $("language").textContent] = other_language();
  $("tsume").hidden = $("mate").hidden = game !== "shogi";
  document.body.dataset.game = game;
  document.body.classList.toggle("narrow", narrow.matches);
  document.body.classList.toggle("learning", Boolean(state.tsume?.lesson?.title));
  document.body.classList.toggle("solving", Boolean(state.tsume));
  if (past?.now !== state.node) past = null;
  board.draw(state);
  if (past) board.look_back(past.svg);
  arrows(state);
  panels.players(state);
  panels.clocks(state, 0);
  moves(past ? {...state, node: past.node} : state, link);
  draw_graph(state);
  if (state.warning || state.ended || state.summary || !$("finish").hidden) ending(({finish}) => { finish(state, link, save); reveal(); });
  panels.analysis(state, info);
  explore();
  panels.status(state);
  listen_in(state);
  $("people").hidden = !state.people.length;
  if (state.people.length) people(each => each.people(state, link));
  $("setup").hidden = !state.setup;
  $("problem").hidden = !state.tsume;
  $("analysis").hidden = $("game").hidden = $("explorer").hidden = Boolean(state.setup);
  if (state.setup) setup(each => each.setup(state, link));
  if (state.tsume) problems(({problem}) => problem(state, link, () => board.focus()));
  else $("problem").replaceChildren();
  if (hints && !state.tsume) problems(({mark}) => mark(state));
  for (const control of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#controls [data-step], #undo, #think"))) control.hidden = Boolean(state.setup);
  $("hint").hidden = !state.role.owner || !playing.on || playing.thinking || state.warning !== null || state.guests.length > 0 || playing.players.every(each => each === null) || Boolean(playing.over);
  $("resign").hidden = !playing.on || (state.guests.length ? own_side(state) === null : !state.role.owner);
  guest(state);
  $("declare").hidden = !state.may_declare;
  $("judging").hidden = state.judging === null;
  $("judging").value = state.judging ?? 0;
  $("judge").textContent = t(state.judging === null ? "judge" : "stopJudging");
  if (state.mating) $("found").textContent = t("mating");
  else if ($("found").textContent === t("mating")) $("found").textContent = "";
  $("position").value = state.position;
  show_comment(state);
  document.title = `${t(game)} – shogi_engine`;
  $("kept").hidden = $("lessons").hidden = !state.kept;
  $("pass").hidden = Object.keys(state.targets[""] ?? {}).join() !== "pass" || playing.on;
  if (playing.passing && !passing) toast(t("mustPass", {side: side(state.turn)}), {seconds: 2}); // it hides how the game ended
  reveal();
  passing = playing.passing;
  if (state.removed && !removed) toast(t("removed"), {word: t("bring_back"), action: () => link.say("restore")});
  removed = state.removed;
}

setTimeout(() => import("./glossary.js").then(({watch}) => { for (const part of ["side", "dialog"]) watch($(part), text => toast(text, {seconds: 12})); }), 1500);

/** What is for those who hear the page, or read it without the picture. @param {State} state */
function listen_in(state) {
  $("text").hidden = memory.get("text") !== "1";
  if (!$("text").hidden) speech(each => each.table(state, link));
  if (memory.get("spoken") === "1") speech(each => each.tell(state, $("status").textContent ?? ""));
}

setInterval(() => {
  const left = panels.clocks(state, (performance.now() - received) / 1000);
  if (left !== undefined && memory.get("spoken") === "1") speech(each => each.count(left));
}, 200);
setTimeout(pieces, 1000); // for the first drag

// ---- the comment saves itself

/** @typedef {{session: string, node: number, text: string}} Typed */
/** @type {Typed | null} what was typed and is not kept yet */
let typed = null;
/** @type {Typed | null} what of it waits for its answer */
let sent = null;
let sending = 0;

async function send_comment() {
  clearTimeout(sending);
  const said = typed;
  if (!said || said === sent) return;
  sent = said;
  const fault = said.session === state?.session ? await link.ask("comment", {node: said.node, text: said.text}) : null;
  if (fault) toast(refusal(fault));
  if (sent === said) sent = null;
  if (typed === said && fault !== "") typed = null; // "": there is no connection
}

/** @param {State} state */
function show_comment(state) {
  if (typed && typed.node === state.node && typed.session === state.session) return;
  send_comment();
  if ($("comment").value !== state.comment) $("comment").value = state.comment;
  show_sign();
}

/** Begin the comment with a sign, or take it away. @param {string} sign */
function set_sign(sign) {
  const [now, rest] = signed($("comment").value);
  $("comment").value = [sign === now ? "" : sign, rest].filter(Boolean).join(" ");
  $("comment").dispatchEvent(new Event("input"));
  send_comment();
}
function show_sign() {
  const [now] = signed($("comment").value);
  for (const [place, [sign, name]] of Object.entries(SIGNS).entries()) {
    const each = $("signs").children[place];
    each.setAttribute("aria-pressed", String(sign === now));
    each.setAttribute("aria-label", /** @type {HTMLElement} */ (each).title = t(name));
  }
}
$("signs").append(...Object.keys(SIGNS).map(sign => button(sign, () => set_sign(sign))));

$("comment").addEventListener("input", now(({session, node}) => {
  typed = {session, node, text: $("comment").value};
  clearTimeout(sending);
  sending = setTimeout(send_comment, 600);
  show_sign();
}));
$("comment").addEventListener("blur", () => { // a press elsewhere is to end first: what is pressed must not be drawn anew
  clearTimeout(sending);
  sending = setTimeout(send_comment, 300);
});
addEventListener("pagehide", () => {
  memory.set("typed", JSON.stringify(typed), "sessionStorage");
  send_comment();
});
link.addEventListener("saying", send_comment); // the next message may be for another game

// ---- the user's actions

const save = now(state => dialogs(({save_game}) => save_game(state, link)));
const step = (/** @type {Messages["step"]["to"]} */ to) => { if (!state?.setup) link.say("step", {to}); };
const flip = now(({flipped}) => link.say("look", {flipped: !flipped}));
const open = () => dialogs(({open_game}) => open_game(link));
const new_game = (both = false) => { if (state) { const shown = state; dialogs(each => each.new_game(shown, link, () => board.focus(), both)); } };
const home = now(state => start(each => each.start(state, link, {open, play: new_game})));
const help = now(state => look(each => each.help(state)));
const explore = now(state => { if ($("explorer").open) explorer(each => each.update(state, link)); });
const analyse = now(({analysis}) => link.say("analyse", {on: !analysis.on}));

for (const choice of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("#games [data-game]")))
  choice.onclick = () => { if (choice.dataset.game !== state?.game) link.say("game", {game: /** @type {Game} */ (choice.dataset.game)}); };
for (const control of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-step]"))) control.onclick = () => step(/** @type {Messages["step"]["to"]} */ (control.dataset.step));

/** @type {Record<string, () => void>} */
const BUTTONS = {
  new: () => new_game(),
  home, open, save, flip, help, analyse,
  edit: () => link.say("setup", {on: true}),
  tsume: () => link.say("problems"),
  lessons: () => link.say("lessons"),
  undo: now(state => { if (own_side(state) === null || !two_people(state)) link.say("undo"); else link.say("ask", {what: "undo"}); }),
  think: () => link.say("think"),
  hint: now(state => problems(each => {
    const known = each.hint_at(state);
    if (known) toast(each.hint(known, state));
    else link.say("hint");
  })),
  resign: () => dialogs(({confirm}) => confirm(t("resign"), t("resign_ask"), t("resign"), () => link.say("resign"))),
  pass: () => link.say("move", {move: "pass"}),
  kept: () => link.say("kept"),
  share: () => link.say("links"),
  about: now(state => about(each => each.show(state, link))),
  declare: () => link.say("declare"),
  mate: () => link.say("mate"),
  judge: now(({judging}) => link.say("judge", {on: judging === null, effort: $("effort").value})),
  promote: () => link.say("promote"),
  delete: () => link.say("delete"),
  look: now(state => look(each => each.look(state, set => {
    memory.set("pieces", set);
    link.say("look", {pieces: /** @type {Messages["look"]["pieces"]} */ (set)});
  }, words => {
    memory.set("words", words);
    link.say("look", {words: /** @type {Messages["look"]["words"]} */ (words)});
  }, now(listen_in)))),
  copy: async () => {
    $("position").select();
    try { await navigator.clipboard.writeText($("position").value); toast(t("copied")); } catch { document.execCommand("copy"); }
  },
  language: () => {
    const chosen = /** @type {"en" | "ja"} */ (other_language()[0]);
    memory.set("language", chosen);
    speak(chosen);
    link.say("look", {language: chosen});
  },
};
for (const [id, action] of Object.entries(BUTTONS)) $(id).onclick = action;
$("multipv").onchange = now(({analysis}) => link.say("analyse", {on: analysis.on, multipv: Number($("multipv").value)}));
$("explorer").ontoggle = () => explorer(each => { each.forget(); explore(); });
narrow.addEventListener("change", () => link.say("look", {narrow: narrow.matches}));
listen({
  step, flip, analyse, open, help,
  save: now(state => link.say("save", {format: usual_format(state)})),
  clear: () => board.marks.clear(),
  read: text => dialogs(({paste}) => paste(text, link)),
  file: file => dialogs(({open_file}) => open_file(file, link)),
}, $("board"));

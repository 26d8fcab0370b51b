// The page without a server: it takes the same messages as one (web/messages.py), and answers with the same (replies.py).
// Rules, names of moves and searches are the kernels'; here are the tree of a game, who is to move, and what is kept.

import {Engine} from "./engine.js";
import {blank, read, save} from "./files.js";
import {DECLARATION, Kernels, load, NO_LEGAL_MOVE, STYLE} from "./kernels.js";
import {DAILY, EFFORTS, ENGINE_NAME, FAULTS, FORMATS, HANDICAP_NAMES, KERNELS, LABELS, LESSONS, LINE_MOVES, MS, PER_UNIT, PROBLEMS, REASONS, SCALES, SCORES, SET_SIZE, START, STARTS, TERMINATIONS, VERDICTS, XOT} from "./local_facts.js";
import {tried} from "./course.js";
import {memory} from "./dom.js";
import {arrows, name_of, number_of, parts, picture, written} from "./picture.js";
import {SAVED, Shelf, SOLVED} from "./shelf.js";
import {t} from "./words.js";

const MOVES_MAX = 10_000; // of a record: what the kernels can be told at once
const QUICK_MS = 50; // what a page shows is kept, unless that takes longer
const WAITING = ["searching", "defending"], OVER = ["done", "answered"]; // of problems
const OF_ENGINE = new RegExp(`^${ENGINE_NAME.replace("{0}", "(\\d+)")}$`);
/** @param {number} value @param {string} unit */
const chance = (value, unit) => unit === "mate" ? Number(value > 0) : 1 / (1 + Math.exp(-value / SCALES[unit]));
/** @typedef {{value: number, unit: string, exact?: boolean}} Score of a position: centipawns, discs, or plies to mate */
/** @param {Score} score @returns {Score} */
const minus = score => ({...score, value: -score.value});

/** Whether a game is a problem of the collection or a lesson, which is forgotten when it is left. @param {any} game */
const forgotten = ({tsume, start}) => tsume?.lesson !== undefined || tsume?.root === 0 && PROBLEMS.some(([sfen]) => sfen === start);

const new_id = () => `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;

/** What was refused, in the words of the server. */
class Refusal extends Error {}
/** @param {string} text @param {any[]} values @returns {never} */
function refuse(text, ...values) { throw refusal(text, ...values); }
/** @param {string} text @param {any[]} values */
function refusal(text, ...values) { return Object.assign(new Refusal(text), {values}); }

/** @param {number} number @param {any[]} nodes @param {any} wrong */
const illegal = (number, nodes, wrong = nodes[number]) => refusal("position: move {0} of {1}: {2}", number, nodes.length - 1, wrong.move);

/** As a WebSocket whose other end is here. */
export class Local {
  /** @type {number} */ readyState = WebSocket.OPEN;
  /** @type {() => void} */ onopen = () => {};
  /** @type {(event: any) => void} */ onmessage = () => {};
  /** @type {(event: any) => void} */ onclose = () => {};
  #look = {language: "en", flipped: false, narrow: false, pieces: "kanji"};
  /** @type {Record<string, Kernels>} */ #kernels = {};
  /** @type {any} the game on the board: a record (files.js), what was found, and the game that is played on it */ #game = null;
  /** @type {any} the position that is set up */ #setup = null;
  #analysis = {on: false, multipv: 1, place: ""};
  /** @type {any} the last report */ #info = null;
  #seq = 0;
  #began = 0; // of the move that is thought about
  /** @type {any} the node that was deleted last */ #removed = null;
  #thinking = false;
  #mating = 0; // the number of the search
  #defences = 0;
  /** @type {{share: number} | null} how far the game is judged */ #judging = null;
  #passing = 0;
  #unsaved = "";
  #kept = false;
  #shelf = new Shelf();
  /** @type {Engine | null} */ #engine = null;
  #engine_game = "";
  #ready = false;
  /** @type {(line: string) => void} */ #heard = () => {};
  /** @type {Promise<string> | null} */ #busy = null;
  #search_number = 0; // of the last one
  #queue = Promise.resolve();

  constructor() {
    setTimeout(() => this.onopen());
    setInterval(() => this.#tick(), 100);
    setTimeout(() => navigator.serviceWorker?.register(new URL("../sw.js", import.meta.url)).catch(() => {}), 5000); // offline from the next visit on, where that can be
    addEventListener("pagehide", () => memory.set("spent", JSON.stringify([this.#game?.id, this.#game?.play?.live, performance.now() - this.#began]), "sessionStorage"));
    addEventListener("hashchange", () => { this.#queue = this.#queue.then(() => this.#fragment()); });
  }

  close() { this.readyState = WebSocket.CLOSED; this.#stop(); this.onclose({code: 1000}); }
  /** @param {string} text */
  send(text) { this.#queue = this.#queue.then(() => this.#hear(JSON.parse(text))); }
  /** @param {string} kind @param {any} fields */
  #tell(kind, fields = {}) { this.onmessage({data: JSON.stringify({kind, ...fields})}); }
  /** Tell the user what was refused. @param {any} fault @param {number} [re] */
  #refused(fault, re) {
    const words = /** @type {any} */ (FAULTS[this.#look.language])[fault.message] ?? fault.message;
    this.#tell("error", {re, text: words.replace(/\{(\d)(?:!r)?\}/g, (/** @type {string} */ _, /** @type {number} */ number) => String(fault.values?.[number] ?? ""))});
  }

  /** @param {any} message */
  async #hear({do: name, re, ...fields}) {
    try {
      const action = /** @type {any} */ (this.#actions)[name], question = /** @type {any} */ (this.#questions)[name];
      if (!action && !question) refuse(t("notHere"));
      await (action ?? question)(fields);
      const kept = action ? this.#keep() : undefined;
      if (action) {
        await Promise.race([kept, new Promise(done => setTimeout(done, QUICK_MS))]);
        this.#show();
        this.#follow();
      }
      if (re !== undefined) Promise.resolve(kept).then(() => this.#tell("done", {re})); // the next message does not wait for that
    } catch (fault) {
      if (!(fault instanceof Refusal)) console.error(fault);
      this.#refused(fault, re);
    }
  }

  /** Open the game that the address names behind its `#`: a record of any kind, with _ for blanks. */
  async #fragment() {
    const text = location.hash.slice(1).replaceAll("_", " ");
    if (text === "board") return;
    history.replaceState(null, "", "#board"); // which begins with the board, not with the choices
    try { await this.#actions.paste({text: decodeURIComponent(text)}); this.#changed(); } catch (fault) { this.#refused(fault instanceof URIError ? refusal(t("notRead")) : fault); }
  }

  // ---- rules

  /** @param {Game} game */
  async #rules(game) { this.#kernels[game] ??= new Kernels(await load(game, new URL(KERNELS, import.meta.url), false)); }
  get #nodes() { return this.#game.nodes; }
  /** @param {number} node @returns {number[]} */
  #path(node = this.#game.node) { const path = []; for (let at = node; at >= 0; at = this.#nodes[at].parent) path.unshift(at); return path; }
  /** @param {number} node @returns {number[]} */
  #children(node) { return this.#nodes[node].children; }
  /** A node and its continuation. @param {number} node @returns {number[]} */
  #line(node = 0) { const path = [node]; while (this.#children(path[path.length - 1]).length) path.push(this.#children(path[path.length - 1])[0]); return path; }
  /** @param {number} node @param {string[]} more moves */
  #text(node = this.#game.node, more = []) {
    const moves = [...this.#path(node).slice(1).map(each => this.#nodes[each].move), ...more];
    return `${this.#game.start}${moves.length ? ` moves ${moves.join(" ")}` : ""}`;
  }
  /** The kernels, with a position as root. @param {number} node @param {string[]} more moves */
  #at(node = this.#game.node, more = []) {
    const rules = this.#kernels[this.#game.game];
    rules.position(this.#text(node, more));
    return rules;
  }
  /** @param {number} node */
  #turn(node) { return (this.#game.first + this.#nodes[node].ply) % 2; }
  /** The names of moves after a node, in a language. @param {number} node @param {string[]} moves */
  #names(node, moves, language = this.#look.language) {
    return this.#game.game === "othello" ? moves.map(each => each === "pass" ? LABELS[language].pass : each) : this.#at(node).names(moves, language === "ja" ? STYLE.japanese : STYLE.western);
  }
  /** How the rules end the game at a node. @param {number} node */
  #outcome(node) {
    const {termination, value, check, side} = this.#at(node).status();
    if (!termination || termination === DECLARATION) return null;
    const reason = this.#game.game === "othello" ? "discs" : termination === NO_LEGAL_MOVE && check ? "mate" : TERMINATIONS[termination];
    return {reason, winner: value === 0 ? null : value > 0 ? side : 1 - side};
  }
  /** @param {{reason: string, winner: number | null} | null} outcome @param {number} node where */
  #ending(outcome, node) {
    if (!outcome) return null;
    const name = REASONS[this.#look.language][outcome.reason] ?? "";
    return {name, winner: outcome.winner, ...(this.#game.game === "othello" && !name ? {discs: this.#counts(this.#at(node).write())} : {})};
  }
  /** @param {string} position */
  #counts(position) { return ["X", "O"].map(disc => position.slice(0, 64).split(disc).length - 1); }

  // ---- the tree

  /** A new game on the board: of a record. Return what is wrong with its moves. @param {any} record */
  #take(record) {
    const {nodes, unknown, ...rest} = record, {game, start} = record, rules = this.#kernels[game], shown = parts(game, start), kings = shown.cells.filter(each => each === "K" || each === "k");
    if (nodes.length > MOVES_MAX) refuse(t("notRead"));
    const wrong = kings.length === 2 && rules.position(written(game, {...shown, side: 1 - shown.side})) === 0 && rules.status().check; // the king can be captured
    if (wrong || rules.position(start) < 0) refuse(t("badPosition"));
    if (nodes.length > 1 && rules.position(`${start} moves ${nodes[1].move}`) < 0) throw illegal(1, nodes);
    this.#leave();
    this.#game = {...rest, id: new_id(), node: 0, first: shown.side, nodes: [{...nodes[0], ply: 0, text: {en: "", ja: ""}, children: []}], play: null, tsume: null, told: false};
    const places = [0];
    let fault;
    while (places.length < nodes.length) { // moves that follow each other are added together
      const from = places.length;
      let end = from + 1;
      while (nodes[end]?.parent === end - 1 && end < from + 200) end++;
      places.push(...this.#add(places[nodes[from].parent], nodes.slice(from, end).map((/** @type {any} */ each) => each.move)));
      const wrong = places.length < end && nodes[places.length];
      if (wrong) { fault = illegal(this.#path(places[wrong.parent]).length, nodes, wrong); break; }
    }
    places.forEach((place, number) => { const {comment, seconds} = nodes[number]; Object.assign(this.#nodes[place], {comment, ...(seconds === undefined ? {} : {seconds})}); });
    if (record.ended) this.#game.ended = {...record.ended, node: this.#line().at(-1)};
    return fault ?? (unknown && refusal("{0!r} is neither a move nor a time, an ending or a comment", unknown));
  }
  /** How the game ended, after the last move of its main line. */
  #ended() {
    const last = this.#line().at(-1) ?? 0;
    return this.#game.ended?.node === last ? this.#game.ended : this.#outcome(last);
  }
  /** Add moves after a node, or find them there; return their nodes, up to an illegal move. @param {number} node @param {string[]} moves @returns {number[]} */
  #add(node, moves) {
    const known = [];
    while (moves.length) {
      const found = this.#children(node).find(each => this.#nodes[each].move === moves[0]);
      if (found === undefined) break;
      known.push(node = found);
      moves = moves.slice(1);
    }
    if (!moves.length) return known;
    const made = this.#kernels[this.#game.game].position(this.#text(node, moves)), legal = made < 0 ? moves.slice(0, -2 - made - this.#path(node).length + 1) : moves;
    const en = this.#names(node, legal, "en"), ja = this.#names(node, legal, "ja");
    return [...known, ...legal.map((move, number) => {
      const added = this.#nodes.push({move, text: {en: en[number], ja: ja[number]}, parent: node, ply: this.#nodes[node].ply + 1, children: [], comment: ""}) - 1;
      this.#children(node).push(added);
      return node = added;
    })];
  }
  /** A legal move, added. @param {string} move @param {number} node */
  #legal(move, node = this.#game.node) {
    const [found] = this.#add(node, [move]);
    if (found === undefined) refuse(t("illegal", {move}));
    return found;
  }
  /** @param {number} node */
  #must_have(node) { if (!this.#nodes[node]) refuse("this move is no longer in the game"); }
  /** @param {number} node */
  #remove(node) {
    const {parent} = this.#nodes[node], children = this.#children(parent), place = children.indexOf(node);
    if (this.#path().includes(node)) this.#game.node = parent;
    children.splice(place, 1);
    this.#removed = {node, place};
  }

  // ---- the engine

  async #stop() {
    if (this.#busy) this.#engine?.send("stop");
    await this.#busy;
  }
  /** Search; return the line that ends it, "" if another search has taken its place. @param {string[]} lines @param {(line: string) => void} [on_info] @returns {Promise<string>} */
  async #search(lines, on_info = () => {}) {
    const mine = ++this.#search_number;
    await this.#stop();
    if (mine !== this.#search_number) return "";
    const {game} = this.#game;
    if (this.#engine_game !== game) this.#engine?.quit();
    if (!this.#engine || this.#engine_game !== game) {
      this.#ready = false;
      this.#engine = new Engine(new URL(`../engine.js?game=${game}`, import.meta.url), line => this.#heard(line));
      this.#engine_game = game;
    }
    const engine = this.#engine, busy = new Promise((/** @type {(line: string) => void} */ done) => {
      this.#heard = line => {
        if (line.startsWith("info string ")) { this.#failed(line.slice(12)); done(""); } else if (line.startsWith("info ")) { if (mine === this.#search_number) on_info(line); }
        else if (line === "readyok") { this.#ready = true; this.#tell("engine", {game}); }
        else if (/^(bestmove|checkmate)/.test(line)) done(line);
      };
    });
    this.#busy = busy;
    for (const line of this.#ready ? lines : ["isready", ...lines]) engine.send(line);
    const line = await busy;
    if (this.#busy === busy) this.#busy = null;
    return mine === this.#search_number ? line : "";
  }
  /** A search has failed: the user may ask again. @param {string} text */
  #failed(text) {
    this.#tell("failed", {what: "", text});
    this.#engine?.quit(); // it may be dead: the next search begins with another one
    this.#engine = null;
    this.#ready = false;
    this.#thinking = this.#analysis.on = false;
    this.#mating = 0;
    this.#judging = null;
    if (WAITING.includes(this.#game.tsume?.status)) this.#game.tsume.status = "unknown";
    this.#show();
  }
  /** A line of USI's info. @param {string} line @returns {any} null for others */
  #info_of(line) {
    const found = /depth (\d+) seldepth (\d+)(?: multipv (\d+))? score (cp|mate) (-?\d+)( lowerbound| upperbound)? nodes (\d+) nps (\d+) time \d+ pv (.+)/.exec(line);
    if (!found || found[6]) return null;
    const [, depth, seldepth, multipv = 1, kind, value, , nodes, nps, pv] = found, othello = this.#game.game === "othello";
    const score = kind === "mate" || !othello ? {value: Number(value), unit: kind} : {value: Number(value) / 100, unit: "discs"};
    return {depth: Number(depth), seldepth: Number(seldepth), multipv: Number(multipv), score, nodes: Number(nodes), nps: Number(nps), pv: pv.trim().split(" ")};
  }
  /** @param {Score} score */
  #words({value, unit}) {
    const {language} = this.#look, words = SCORES[language][/** @type {Game} */ (this.#game.game)];
    if (unit === "mate") return value ? words[value > 0 ? "mate" : "mated"].replace("{length}", String(Math.abs(value))).replace("{odd}", String(Math.abs(value) - 1 + Math.abs(value) % 2)) : words["is mated"];
    const number = unit === "discs" ? value.toFixed(1).replace(/\.0$/, "") : language === "ja" ? String(value) : (value / 100).toFixed(2);
    return Number(number) < 0 ? number : `+${number.replace("-", "")}`;
  }
  /** The lines of USI that set the engine up for a node. @param {number} node @param {number | null} level @param {string[]} more moves */
  #lines(node, level = null, multipv = 1, more = []) {
    return [`setoption name MultiPV value ${multipv}`, `setoption name SkillLevel value ${level ?? this.#strongest}`, `position sfen ${this.#text(node, more)}`];
  }
  get #strongest() { return this.#kernels[this.#game.game].facts.levels.length - (this.#game.game === "othello" ? 1 : 0); }
  /** A mate by checks after a node: its moves; null if there is none, undefined if nothing is proven. @param {number} node @param {string[]} more moves @returns {Promise<string[] | null | undefined>} */
  async #mate(node, ms = MS.mate, more = []) {
    const line = await this.#search([...this.#lines(node, null, 1, more), `go mate ${ms}`]), [, ...moves] = line.split(" ");
    return moves[0] === "nomate" ? null : moves[0] === "timeout" || !line.startsWith("checkmate") ? undefined : moves;
  }
  /** Analyse the position on the board, if live analysis is on and nothing else is searched for. */
  #follow() {
    const {on, multipv} = this.#analysis, {node, tsume} = this.#game, free = on && !this.#setup && !this.#thinking && !this.#mating && this.#judging === null && !WAITING.includes(tsume?.status);
    const place = free ? `${this.#game.id} ${node} ${multipv}` : "";
    if (place === this.#analysis.place) return;
    const ended = this.#analysis.place && !place;
    this.#analysis.place = place;
    if (!free) { if (ended && !this.#thinking && !this.#mating && this.#judging === null) this.#stop(); return; }
    this.#info = null;
    if (this.#outcome(node)) { this.#stop(); return; }
    const count = Math.min(multipv, this.#at(node).moves().length), side = this.#turn(node);
    /** @type {any[]} */
    let lines = [];
    this.#search([...this.#lines(node, null, multipv), `go movetime ${MS.live}`], text => {
      const info = this.#info_of(text);
      if (!info || place !== this.#analysis.place) return;
      if (info.multipv === 1) lines = [];
      lines.push({...info, score: side ? minus(info.score) : info.score});
      if (lines.length < count) return;
      this.#info = {node, lines};
      this.#nodes[node].value = lines[0].score;
      this.#report();
    });
  }
  /** Send the last report. */
  #report() {
    if (!this.#info || this.#info.node !== this.#game.node) return;
    const {node, lines} = this.#info, {game} = this.#game, {flipped, narrow} = this.#look, [{depth, seldepth, nodes, nps}] = lines;
    const shown = lines.map((/** @type {any} */ {score, depth, pv}) => {
      const moves = score.unit === "mate" ? pv : pv.slice(0, LINE_MOVES);
      return {score: this.#words(score), mate: score.unit === "mate", exact: false, chance: chance(score.value, score.unit), depth, moves, texts: this.#names(node, moves)};
    });
    const drawn = arrows(game, parts(game, this.#at(node).write()), this.#look, lines.map((/** @type {any} */ each) => each.pv), game === "othello" ? shown.map((/** @type {any} */ each) => each.score) : []);
    this.#tell("info", {node, flipped, narrow, depth, seldepth, nodes, nps, lines: shown, arrows: drawn});
  }

  // ---- what is shown

  /** Show what has changed, keep it, and continue. */
  #changed() { this.#show(); this.#keep(); this.#follow(); }
  #show() {
    const game = this.#game, {node, play, tsume} = game, look = this.#look, {language} = look, rules = this.#at(), setup = this.#setup, labels = LABELS[language];
    const position = setup ? written(game.game, setup) : rules.write(), {termination, check, side} = rules.status(), legal = rules.moves(), at = this.#nodes[node], path = this.#path(), main = this.#line();
    const shown = setup ?? parts(game.game, position), outcome = setup ? null : this.#outcome(node), mine = !setup && !outcome && (!play?.on || play.players[side] === null);
    /** @type {Record<string, Record<string, string[]>>} */
    const targets = {};
    for (const move of mine ? legal : []) {
      const [from, to] = game.game === "othello" ? ["", move] : [move.slice(0, 2), move.slice(2, 4)];
      ((targets[from] ??= {})[to] ??= []).push(move);
    }
    const sides = labels.sides[game.game], branch = path.findIndex((each, ply) => main[ply] !== each);
    /** @type {Record<string, string>} */
    const names = {};
    shown.cells.forEach((/** @type {string} */ piece, /** @type {number} */ square) => {
      const owner = piece === "O" || piece !== piece.toUpperCase() ? 1 : 0, said = labels.squares[game.game][square];
      names[name_of(game.game, square)] = !piece ? said : game.game === "othello" ? `${said} ${sides[piece === "X" ? 0 : 1]}${labels.disc}` : `${said} ${sides[owner]} ${labels.pieces[piece.toUpperCase()]}`;
    });
    shown.hands.forEach((/** @type {any} */ hand, /** @type {number} */ owner) => {
      for (const [kind, count] of Object.entries(hand)) names[`${["black", "white"][owner]} ${kind}*`] = `${sides[owner]} ${labels.held}: ${labels.pieces[kind]} ${count}`;
    });
    const ended = this.#ended(), told = at.told && this.#told(node);
    const clock = play?.clock && {seconds: play.clock.left.map((/** @type {number} */ left, /** @type {number} */ each) => (left - (this.#running === each ? performance.now() - this.#began : 0)) / 1000), byoyomi: play.clock.byoyomi / 1000, side: this.#running};
    this.#tell("state", {
      seq: ++this.#seq, session: game.id, game: game.game, ...look, svg: picture(game.game, shown, look, {last: setup ? "" : at.move, check: check && !setup && game.game === "shogi", legal: setup ? [] : legal}),
      turn: setup ? setup.side : side, position, check: check && !setup && game.game === "shogi", targets, labels: names, counts: game.game === "othello" ? this.#counts(position) : null,
      ply: path.length - 1, node, branch: branch < 0 ? path.length - 1 : branch - 1, line: this.#rows(main), last: at.move, before: at.parent, comment: at.comment,
      title: this.#title(game), names: game.names, about: {title: "", event: "", site: "", started: "", ...game.headers}, handicap: this.#handicap(), ended: this.#ending(ended, main[main.length - 1]),
      playing: {on: Boolean(play?.on), players: play?.players ?? [null, null], thinking: this.#thinking, live: play?.live ?? 0, passing: this.#passing > 0, over: this.#ending(play?.over ?? outcome, play?.over ? play.live : node), played: Boolean(play?.over), clock: clock || null},
      may_declare: termination === DECLARATION && Boolean(play?.on) && mine, analysis: {on: this.#analysis.on, multipv: this.#analysis.multipv}, judging: this.#judging?.share ?? null, mating: this.#mating > 0,
      verdict: told || null, warning: null, summary: this.#summary(main), setup: setup ? setup.hands : null, tsume: tsume && this.#tsume_state(), learn: "", role: {owner: true, side: null}, guests: [], people: [], asked: null,
      removed: this.#removed !== null, kept: this.#kept, unsaved: this.#unsaved, formats: FORMATS[game.game], engine: {ready: this.#ready && this.#engine_game === game.game, fault: ""},
    });
  }
  #handicap() {
    const name = Object.keys(HANDICAP_NAMES).find(each => HANDICAP_NAMES[each] === this.#game.start && HANDICAP_NAMES[each] !== START.shogi) ?? "";
    return this.#look.language === "ja" ? name : Object.keys(STARTS).find(each => STARTS[each] === this.#game.start)?.replace("-", " ") ?? name;
  }
  /** A player's name for people. @param {string} name */
  #named(name) { return name.replace(OF_ENGINE, (_, level) => LABELS[this.#look.language].engine.replace("{0}", level)); }
  /** @param {any} game */
  #title({headers, names}) {
    const people = names.map((/** @type {string} */ name, /** @type {number} */ side) => name || !OF_ENGINE.test(names[1 - side]) ? this.#named(name) : t("yourself"));
    return [headers.title, people.filter(Boolean).join(" - ")].filter(Boolean).join(": ") || headers.event || "";
  }
  /** @param {number[]} path */
  #rows(path) {
    const {language} = this.#look;
    return path.map((node, ply) => {
      const {text, comment, parent, value, told, seconds} = this.#nodes[node], others = ply ? this.#children(parent).filter(each => each !== node) : [];
      return {node, text: text[language], comment: comment.slice(0, 300), ...(seconds === undefined ? {} : {seconds}), ...(value ? {chance: chance(value.value, value.unit), ...(value.unit === "discs" ? {value: this.#words(value)} : {})} : {}),
        ...(told ? {verdict: told.verdict, ...(told.verdict ? {loss: told.loss} : {}), ...(this.#game.game === "othello" && Math.round(told.given) ? {lost: Math.round(told.given)} : {})} : {}), ...(others.length ? {others: others.flatMap(each => this.#variation(each, 0, ply))} : {})};
    });
  }
  /** @param {number} node @param {number} depth @param {number} ply @returns {any[]} */
  #variation(node, depth, ply) {
    const line = this.#line(node);
    return [{depth, ply, moves: line.map(each => [each, this.#nodes[each].text[this.#look.language], this.#nodes[each].comment])},
      ...line.slice(1).map((each, place) => ({each, at: ply + place + 1})).reverse().flatMap(({each, at}) => this.#children(this.#nodes[each].parent).filter(other => other !== each).flatMap(other => this.#variation(other, depth + 1, at)))];
  }
  /** What is said of a judged move. @param {number} node */
  #told(node) {
    const {told, parent} = this.#nodes[node], words = SCORES[this.#look.language][/** @type {Game} */ (this.#game.game)], {language} = this.#look;
    const moves = told.score.unit === "mate" ? told.pv : told.pv.slice(0, LINE_MOVES), given = this.#game.game === "othello"
      ? `${Number(told.given.toFixed(1))}${language === "ja" ? "" : " "}${words.discs}`.replace(/^1 discs$/, "1 disc") : language === "ja" ? (100 * told.given).toFixed(0) : `${told.given.toFixed(2)} ${words.pawns}`;
    return {node: parent, moves, texts: this.#names(parent, moves), class: told.verdict, called: told.verdict ? words[told.verdict] : "", loss: told.loss, given, score: this.#words(this.#turn(parent) ? minus(told.score) : told.score), why: []};
  }
  /** @param {number[]} main */
  #summary(main) {
    const judged = main.filter(node => this.#nodes[node].told);
    if (!judged.length) return null;
    const of = (/** @type {number} */ side) => judged.filter(node => this.#turn(this.#nodes[node].parent) === side).map(node => this.#nodes[node]);
    return {counts: [0, 1].map(side => Object.fromEntries(VERDICTS.map(([name]) => [name, of(side).filter(each => each.told.verdict === name).length]))),
      agreement: [0, 1].map(side => of(side).length ? of(side).filter(each => each.told.pv[0] === each.move).length / of(side).length : null)};
  }

  // ---- games that are played

  get #running() { const play = this.#game?.play; return play?.on && play.clock && this.#began ? this.#turn(play.live) : null; }
  /** End what is going on: the game stays. */
  #leave() {
    if (!this.#game) return;
    const {play, id} = this.#game, {flipped} = this.#look;
    this.#search_number++;
    this.#stop();
    this.#setup = this.#removed = this.#judging = this.#info = null;
    this.#thinking = false;
    this.#mating = this.#passing = 0;
    this.#analysis.place = "";
    if (forgotten(this.#game)) this.#shelf.do(SAVED, "delete", id).catch(() => {});
    this.#game.tsume = null;
    if (!play?.on) return;
    if (this.#began && this.#game.kept) this.#shelf.keep(this.#game, {flipped, play: {...play, spent: performance.now() - this.#began}}).catch(() => {}); // it comes back with the time of its move
    this.#game.play = null;
  }
  /** @param {(number | null)[]} players @param {string} clock */
  #begin(players, clock) {
    const setting = clock ? this.#clock(clock) : null, human = players.indexOf(null);
    Object.assign(this.#game, {names: players.map(level => level === null ? "" : ENGINE_NAME.replace("{0}", String(level))), ended: null,
      play: {on: true, players, live: this.#game.node, over: null, text: clock, clock: setting && {...setting, left: [setting.time, setting.time]}}});
    if (players.filter(level => level === null).length === 1) this.#look.flipped = human === 1 && this.#game.game === "shogi";
    this.#go_on();
  }
  /** @param {string} text MAIN+BYOYOMI+INC as in '10m+30' */
  #clock(text) {
    const units = {h: 3600e3, m: 60e3, s: 1e3, ms: 1};
    const [time, byoyomi = 0, increment = 0, ...more] = text.split("+").map((each, place) => {
      const colons = /^(?:(\d+):)?(\d+):(\d\d)$/.exec(each), found = /^(\d+(?:\.\d+)?)(ms|[hms])?$/.exec(each);
      if (colons) return 1000 * (3600 * Number(colons[1] ?? 0) + 60 * Number(colons[2]) + Number(colons[3]));
      return found ? Number(found[1]) * units[/** @type {keyof typeof units} */ (found[2] ?? (place ? "s" : "m"))] : NaN;
    });
    if (more.length || [time, byoyomi, increment].some(Number.isNaN)) refuse("expected MAIN+BYOYOMI+INC as in 10+30, 10:00 or 5m+0+10s, not {0!r}", text);
    if (!(time + byoyomi + increment > 0)) refuse("a clock must have more than 0 and at most {0} h, not {1!r}", 100, text);
    return {time, byoyomi, increment};
  }
  /** Start the clock of the side to move, and the engine if it is its turn. */
  #go_on() {
    const {play} = this.#game;
    if (!play?.on) return;
    const outcome = this.#outcome(play.live), side = this.#turn(play.live);
    if (outcome) { this.#over(outcome); return; }
    this.#passing = 0;
    this.#began = performance.now() - (play.spent ?? 0);
    if (play.players[side] !== null) this.#think(play.players[side], play.live);
    else if (this.#at(play.live).moves().join() === "pass") this.#passing = performance.now() + MS.pass;
  }
  /** @param {{reason: string, winner: number | null}} outcome */
  #over(outcome) {
    const {play} = this.#game;
    Object.assign(play, {on: false, over: outcome});
    this.#game.ended = {...outcome, node: play.live};
    this.#thinking = false;
    this.#passing = this.#began = 0;
    this.#search_number++;
    this.#stop();
  }
  /** Let the engine move after a node, in the game or outside one. @param {number | null} level @param {number} node */
  async #think(level, node) {
    const game = this.#game, {play} = game, clock = play?.on && play.clock, side = this.#turn(node);
    this.#thinking = true;
    const left = clock ? clock.left.map((/** @type {number} */ each) => Math.max(Math.round(each), 0)) : [];
    const go = clock ? `go btime ${left[0]} wtime ${left[1]}${clock.increment ? ` binc ${clock.increment} winc ${clock.increment}` : ` byoyomi ${clock.byoyomi}`}` : "go";
    const line = await this.#search([...this.#lines(node, level), go]);
    if (!line || this.#game !== game) return;
    this.#thinking = false;
    if (this.#flag()) { this.#changed(); return; }
    const [, move] = line.split(" ");
    if (play?.on && move === "win") this.#over({reason: "declaration", winner: side});
    else if (play?.on && move === "resign") this.#over({reason: "resignation", winner: 1 - side});
    else if (play?.on) this.#made(move);
    else if (/^[^rw]/.test(move)) { const follow = this.#game.node === node, made = this.#legal(move, node); if (follow) this.#game.node = made; }
    this.#changed();
  }
  /** Charge the side to move for its time, and stop the clock; return the ms, 0 if the clock stood still. */
  #charge() {
    const {clock, live} = this.#game.play, side = this.#turn(live), spent = this.#began && performance.now() - this.#began;
    if (clock && spent) clock.left[side] = Math.max(clock.left[side] - spent, 0) + clock.increment;
    this.#began = this.#game.play.spent = 0;
    return spent;
  }
  /** Make a move in the game. @param {string} move */
  #made(move) {
    const {play} = this.#game, node = this.#legal(move, play.live), spent = this.#charge();
    if (spent) this.#nodes[node].seconds = Math.round(spent / 10) / 100;
    const children = this.#children(play.live);
    children.unshift(...children.splice(children.indexOf(node), 1)); // the game is the main line
    if (this.#game.node === play.live) this.#game.node = node;
    play.live = node;
    this.#go_on();
  }
  /** End the game if the side to move has no time left; tell whether it has ended so. */
  #flag() {
    const play = this.#game?.play, side = this.#running, fell = side !== null && performance.now() - this.#began >= play.clock.left[side] + play.clock.byoyomi;
    if (fell) this.#over({reason: "time", winner: 1 - side});
    return fell;
  }
  /** The clock, and forced passes. */
  #tick() {
    const passes = this.#passing && performance.now() >= this.#passing;
    if (this.#flag()) this.#changed();
    else if (passes) { this.#made("pass"); this.#changed(); }
  }

  // ---- problems

  /** @returns {any} */
  #tsume_state() {
    const {tsume, node, game} = this.#game, lesson = LESSONS[game][tsume.lesson], over = OVER.includes(tsume.status), {language} = this.#look;
    if (lesson) {
      const place = tsume.lesson + 1, moves = lesson.line, count = LESSONS[game].length, why = over && lesson.more[language] ? [lesson.more[language]] : [];
      return {status: tsume.status, length: 0, left: 0, made: 0, lesson: {title: lesson.title[language], task: lesson.text[language], source: "", due: count - tsume.lesson - Number(over), place, count, over, lines: false, back: 0,
        refutation: null, solution: over ? {node: 0, moves, texts: this.#names(0, moves)} : null, played: "", why}};
    }
    const number = PROBLEMS.findIndex(([sfen]) => tsume.root === 0 && sfen === this.#game.start) + 1, [, plies, grade] = PROBLEMS[number - 1] ?? [];
    return {status: tsume.status, length: tsume.lengths[tsume.root] ?? 0, left: tsume.lengths[node] ?? 0, made: this.#path().length - this.#path(tsume.root).length, ...(number ? {number, plies, grade, count: PROBLEMS.length} : {})};
  }
  /** Judge the move of a lesson, and answer it. @param {number} node */
  async #learn(node) {
    const {tsume, game, nodes} = this.#game, lesson = LESSONS[game][tsume.lesson], {status, reply} = tried(game, lesson, this.#path(node).slice(1).map(each => nodes[each].move), moves => this.#at(0, moves));
    tsume.status = status;
    if (reply) this.#game.node = this.#legal(reply, node);
    if (status === "done") await this.#note(`${game} ${lesson.name}`);
  }
  /** Note what was solved. @param {string} key */
  async #note(key) { try { await this.#shelf.do(SOLVED, "put", {time: Date.now()}, key); } catch (fault) { this.#refused(fault); } }
  /** Give a lesson; after the last one the list. @param {Game} game @param {number} place @param {string} before the game to come back to */
  async #give(game, place, before) {
    if (place >= LESSONS[game].length) { await this.#back(before); await this.#questions.course({game}); return; }
    await this.#rules(game);
    this.#take(blank(game, LESSONS[game][place].position));
    this.#analysis.on = this.#look.flipped = false;
    this.#game.tsume = {root: 0, status: "yours", lengths: {}, lesson: place, before};
  }
  /** Open the game that was there before the lessons. @param {string} id */
  async #back(id) { if (!id || !await this.#restore(id)) await this.#open(blank(this.#game.game)); }
  async #prove() {
    const {tsume} = this.#game, moves = await this.#mate(tsume.root, MS.problem);
    if (this.#game.tsume !== tsume) return;
    Object.assign(tsume, {status: moves ? "yours" : moves === null ? "no mate" : "unknown"});
    tsume.lengths[tsume.root] = moves?.length ?? 0;
    this.#changed();
  }
  /** Answer the attacker's move: with the longest defence, or with an escape. @param {number} node */
  async #defend(node) {
    const {tsume, start} = this.#game, before = tsume.lengths[this.#nodes[node].parent] ?? 0, legal = this.#at(node).moves(), mine = ++this.#defences;
    if ((this.#path(node).length - this.#path(tsume.root).length) % 2 === 0) { tsume.status = "yours"; return; }
    if (!legal.length) {
      tsume.status = "solved";
      if (this.#path(node).length - 1 === this.#tsume_state().plies) await this.#note(start);
      return;
    }
    tsume.status = "defending";
    this.#changed();
    let best = "", longest = -1, unproven = "";
    const end = performance.now() + MS.defences;
    for (const reply of legal) {
      if (unproven && performance.now() > end) break;
      const found = await this.#mate(node, MS.defence, [reply]);
      if (this.#game.tsume !== tsume || tsume.status !== "defending" || mine !== this.#defences) return;
      if (found === null) { [best, longest] = [reply, 0]; break; }
      if (found === undefined) unproven ||= reply;
      else if (found.length > longest) [best, longest] = [reply, found.length];
    }
    const left = longest === 0 ? 0 : unproven ? null : longest, made = this.#legal(left === null ? unproven : best, node);
    tsume.lengths[made] = left ?? 0;
    tsume.status = left === 0 ? "lost" : left === null ? "unknown" : before && left > before - 2 ? "longer" : "right";
    if (this.#game.node === node) this.#game.node = made;
    this.#changed();
  }

  // ---- what is kept

  async #keep() {
    const game = this.#game, known = game.nodes.length > 1 || game.play || game.start !== START[/** @type {Game} */ (game.game)] || game.kept;
    if (!known) return;
    game.kept = true;
    const {id} = game, {flipped} = this.#look;
    try {
      if (!await this.#shelf.keep(game, {flipped}) && game.id === id) { // another tab continues it, too: this is a game of its own from now on
        game.id = new_id();
        await this.#shelf.keep(game, {flipped});
        if (this.#game === game) this.#show();
      }
      this.#unsaved = "";
    } catch (fault) {
      if (this.#unsaved !== (this.#unsaved = String(fault))) this.#refused(refusal("this game cannot be saved: {0}", fault));
    }
  }
  /** Put a kept game on the board; return whether it is there. @param {string} id */
  async #restore(id) {
    const found = await this.#shelf.do(SAVED, "get", id);
    if (!found || found.gone) return false;
    await this.#rules(found.game);
    this.#leave();
    this.#game = found;
    this.#look.flipped = found.flipped;
    if (found.tsume?.status === "searching") this.#prove();
    else if (found.tsume?.status === "defending") this.#defend(found.node);
    this.#go_on();
    const [left, live, spent] = JSON.parse(memory.get("spent", "sessionStorage") ?? "[]");
    memory.set("spent", "[]", "sessionStorage"); // it was of this reload
    if (left === id && live === found.play?.live) this.#began = Math.min(this.#began, performance.now() - spent); // a page that is read anew gives no time back
    return true;
  }
  /** Open a record; tell which game was left. @param {any} record */
  async #open(record) {
    await this.#rules(record.game);
    const before = this.#game?.kept && !forgotten(this.#game) ? this.#game.id : "";
    const fault = this.#take(record);
    if (before) this.#tell("left", {id: before});
    if (fault) this.#refused(fault);
  }

  /** Open a game that is to begin after some moves. @param {Game} game @param {string} start @param {string[]} opening */
  async #open_after(game, start, opening) {
    await this.#open(blank(game, start));
    this.#game.node = this.#add(0, opening).at(-1) ?? 0;
  }

  /** What pages may ask for, by the names of the messages. */
  #actions = {
    hello: async (/** @type {any} */ {session, ...fields}) => {
      Object.assign(this.#look, Object.fromEntries(Object.entries(fields).filter(([key]) => key in this.#look)));
      this.#kept = Boolean(await this.#shelf.open);
      if (!session || !await this.#restore(session).catch(() => false)) await this.#open(blank("shogi"));
      if (location.hash.length > 1) await this.#fragment();
    },
    game: async (/** @type {any} */ {game}) => { await this.#open(blank(game)); },
    new: async (/** @type {any} */ {game, players, clock = "", handicap = "", here = false, xot = false}) => {
      if (clock) this.#clock(clock);
      if (!here || game !== this.#game.game) await this.#open_after(game, STARTS[handicap] ?? START[/** @type {Game} */ (game)], xot ? XOT[Math.floor(XOT.length * Math.random())] : []);
      else this.#leave();
      this.#begin(players, clock);
    },
    rematch: async () => {
      const {play, start, game} = this.#game, opening = this.#line().slice(1, 9).map(each => this.#nodes[each].move), xot = XOT.some((/** @type {string[]} */ each) => each.join() === opening.join());
      if (!play?.over) refuse("no game has been played");
      await this.#open_after(game, start, xot ? opening : []);
      this.#begin(start === START[/** @type {Game} */ (game)] ? [...play.players].reverse() : play.players, play.text);
    },
    resign: async () => {
      const play = this.#running_game(), side = this.#turn(play.live), loser = play.players[side] !== null && play.players.includes(null) ? 1 - side : side;
      this.#over({reason: "resignation", winner: 1 - loser});
    },
    declare: async () => {
      const play = this.#running_game();
      if (this.#at(play.live).status().termination !== DECLARATION) refuse("the conditions for declaring a win are not met");
      this.#over({reason: "declaration", winner: this.#turn(play.live)});
    },
    think: async () => {
      const {play} = this.#game;
      this.#free();
      if (play?.on) this.#game.node = play.live;
      else if (this.#outcome(this.#game.node)) refuse("the game is over");
      this.#think(play?.on ? play.players[this.#turn(play.live)] : null, this.#game.node);
    },
    move: async (/** @type {any} */ {move}) => {
      const {play, tsume, node} = this.#game;
      if (play?.on && play.players[this.#turn(node)] !== null) refuse("it is not your turn");
      if (this.#flag()) return;
      if (tsume) this.#free();
      const made = this.#legal(move), mating = tsume && tsume.lesson === undefined;
      if (mating && !this.#at(made).status().check) { this.#remove(made); this.#removed = null; refuse("this move gives no check"); }
      if (play?.on) {
        if (node !== play.live) { this.#charge(); this.#search_number++; this.#stop(); this.#thinking = false; play.live = node; }
        this.#made(move);
      } else this.#game.node = made;
      this.#removed = null;
      if (mating) this.#defend(made);
      else if (tsume && !OVER.includes(tsume.status)) await this.#learn(made);
    },
    step: async (/** @type {any} */ {to}) => {
      const path = this.#path(), line = [...path, ...this.#line(this.#game.node).slice(1)], ply = path.length - 1, beside = ply ? this.#children(path[ply - 1]) : [], place = beside.indexOf(this.#game.node);
      const node = {first: 0, back: path[ply - 1], next: line[ply + 1], last: line[line.length - 1], above: beside[place - 1], below: beside[place + 1]}[/** @type {"first"} */ (to)];
      if (node !== undefined) this.#game.node = node;
    },
    go: async (/** @type {any} */ {node}) => { this.#must_have(node); this.#game.node = node; },
    undo: async () => {
      const {play, tsume, node} = this.#game, path = this.#path(play?.on ? play.live : node), root = tsume ? path.indexOf(tsume.root) : 0, made = path.length - 1 - root, again = tsume?.lesson !== undefined && !OVER.includes(tsume.status);
      const count = play?.on && play.players.filter((/** @type {any} */ each) => each === null).length === 1 && play.players[this.#turn(play.live)] === null ? 2 : 1;
      if (root < 0 || made < count) refuse("there is no move to take back");
      this.#search_number++;
      this.#stop();
      if (tsume) {
        this.#game.node = path[path.length - 1 - (again ? made : made % 2 ? 1 : 2)];
        if (!OVER.includes(tsume.status)) tsume.status = "yours";
      } else {
        const first = path[path.length - count];
        this.#thinking = false;
        this.#remove(first);
        if (play?.on) { this.#charge(); this.#game.node = play.live = this.#nodes[first].parent; this.#removed = null; this.#go_on(); }
      }
    },
    delete: async () => {
      const {node, tsume} = this.#game, gone = tsume && this.#path(tsume.root).includes(node);
      this.#idle();
      if (!node) return;
      this.#remove(node);
      if (gone || tsume?.status === "defending") { this.#search_number++; this.#stop(); } // the answer to a move that is gone is not needed
      if (gone) this.#game.tsume = null;
      else if (tsume?.status === "defending") tsume.status = "yours";
    },
    restore: async () => {
      if (!this.#removed) refuse("there is nothing to undo");
      const {node, place} = this.#removed;
      this.#children(this.#nodes[node].parent).splice(place, 0, node);
      this.#game.node = node;
      this.#removed = null;
    },
    promote: async () => {
      this.#idle();
      for (const node of this.#path().slice(1)) { const children = this.#children(this.#nodes[node].parent); children.unshift(...children.splice(children.indexOf(node), 1)); }
    },
    comment: async (/** @type {any} */ {text, node = this.#game.node}) => { this.#must_have(node); this.#nodes[node].comment = text; },
    line: async (/** @type {any} */ {node, moves, go = 0}) => { this.#idle(); this.#must_have(node); const made = this.#add(node, moves); if (go) this.#game.node = made[Math.min(go, made.length) - 1]; },
    setup: async (/** @type {any} */ {on, keep = true}) => {
      const {game} = this.#game, setup = this.#setup;
      if (on) { this.#leave(); this.#setup = parts(game, this.#at().write()); }
      else if (setup && keep) await this.#open(blank(game, written(game, {...setup, rest: "1"})));
      else this.#setup = null;
    },
    put: async (/** @type {any} */ {square, piece}) => { const place = number_of(this.#game.game, square); if (this.#setup && place >= 0) this.#setup.cells[place] = piece; },
    hand: async (/** @type {any} */ {side, piece, count}) => { if (count > SET_SIZE[piece]) refuse("there are not that many pieces of this kind"); this.#setup.hands[side][piece] = count; if (!count) delete this.#setup.hands[side][piece]; },
    turn: async (/** @type {any} */ {side}) => { this.#setup.side = side; },
    board: async (/** @type {any} */ {which}) => {
      const {game} = this.#game, setup = this.#setup;
      if (which === "start") this.#setup = parts(game, START[/** @type {Game} */ (game)]);
      else if (which === "swap") {
        const other = (/** @type {string} */ piece) => ({X: "O", O: "X"})[piece] ?? (piece === piece.toLowerCase() ? piece.toUpperCase() : piece.toLowerCase());
        Object.assign(setup, {cells: (game === "shogi" ? setup.cells.reverse() : setup.cells).map(other), hands: setup.hands.reverse(), side: 1 - setup.side});
      } else if (which === "empty" || which === "tsume") {
        Object.assign(setup, {cells: setup.cells.fill(""), hands: setup.hands.map(() => ({}))});
        if (which === "tsume") { setup.cells[number_of(game, "5a")] = "k"; setup.side = 0; }
      } else for (const kind of "PLNSGBR") {
        const used = setup.cells.filter((/** @type {string} */ each) => each.toUpperCase().replace("+", "") === kind).length + (setup.hands[0][kind] ?? 0);
        if (SET_SIZE[kind] > used) setup.hands[1][kind] = SET_SIZE[kind] - used;
      }
    },
    analyse: async (/** @type {any} */ {on, multipv}) => { Object.assign(this.#analysis, {on, multipv: multipv ?? this.#analysis.multipv}); },
    judge: async (/** @type {any} */ {on, effort = "quick"}) => {
      if (!on) { this.#judging = null; this.#search_number++; this.#stop(); return; }
      this.#free();
      if (this.#line().length < 2) refuse("there are no moves to analyse");
      this.#judge(effort);
    },
    mate: async () => {
      const board = this.#game, {node, game} = board;
      this.#free();
      if (game !== "shogi") refuse("only shogi has mates");
      const found = this.#mate(node), mine = this.#mating = this.#search_number;
      found.then(moves => {
        if (this.#game !== board || this.#mating !== mine) return;
        this.#mating = 0;
        this.#changed();
        if (mine === this.#search_number) this.#tell("mate", {result: moves ? "mate" : moves === null ? "nomate" : "timeout", length: moves?.length ?? 0, moves: moves ?? [], texts: moves ? this.#names(node, moves) : [], node});
      });
    },
    take: async (/** @type {any} */ {game, lesson}) => {
      if (this.#setup) refuse("a position is being set up");
      const {tsume, kept, id} = this.#game, named = LESSONS[game].findIndex((/** @type {any} */ each) => each.name === lesson), next = lesson ? -1 : (await this.#done(game)).indexOf(0);
      await this.#give(game, Math.max(named, next, 0), forgotten(this.#game) ? tsume.before ?? "" : kept ? id : "");
    },
    lesson: async (/** @type {any} */ {on}) => {
      const {tsume, game} = this.#game;
      if (tsume?.lesson === undefined) refuse(t("notHere"));
      if (on) await this.#give(game, tsume.lesson + 1, tsume.before);
      else await this.#back(tsume.before);
    },
    answer: async () => {
      const {tsume, game} = this.#game;
      if (tsume?.lesson === undefined || OVER.includes(tsume.status)) refuse("no problem is being solved");
      [this.#game.node] = this.#add(0, LESSONS[game][tsume.lesson].line);
      tsume.status = "answered";
    },
    tsume: async (/** @type {any} */ {on, daily = false, ...fields}) => {
      const problem = daily ? this.#daily() : fields.problem;
      if (!on) this.#leave();
      else {
        if (problem > PROBLEMS.length) refuse("there is no such problem");
        if (problem) { await this.#open(blank("shogi", PROBLEMS[problem - 1][0])); this.#look.flipped = false; }
        if (this.#game.game !== "shogi") refuse("tsume is for shogi");
        if (this.#setup) refuse("a position is being set up");
        const {cells, side} = parts("shogi", this.#at().write());
        if (!cells.includes(side ? "K" : "k")) refuse("the side to be mated has no king");
        this.#leave();
        this.#game.play = null;
        this.#game.tsume = problem ? {root: 0, status: "yours", lengths: {0: PROBLEMS[problem - 1][1]}} : {root: this.#game.node, status: "searching", lengths: {}};
        if (!problem) this.#prove();
      }
    },
    paste: async (/** @type {any} */ {text, number = 0}) => {
      const found = read(text);
      if (!found.length) refuse(t("notRead"));
      if (!found[number]) refuse("there is no such game in the file");
      await this.#open(found[number]);
      this.#changed();
      if (found.length > 1) this.#tell("games", {titles: found.map(each => this.#title(each)), number});
    },
    open: async (/** @type {any} */ {data, number}) => {
      const bytes = Uint8Array.from(atob(data), each => each.charCodeAt(0));
      let text = "";
      try { text = new TextDecoder("utf-8", {fatal: true}).decode(bytes); } catch { text = new TextDecoder("shift_jis").decode(bytes); }
      await this.#actions.paste({text, number});
    },
    about: async (/** @type {any} */ {names, ...headers}) => { Object.assign(this.#game, {names, headers: Object.fromEntries(Object.entries(headers).filter(([, text]) => text))}); },
    continue: async (/** @type {any} */ {id}) => {
      if (this.#game.id === id) return;
      const before = this.#game.kept && !forgotten(this.#game) ? this.#game.id : "";
      if (!await this.#restore(id)) refuse("there is no such game in the file");
      this.#changed();
      if (before) this.#tell("left", {id: before});
    },
  };
  /** And what changes nothing. */
  #questions = {
    look: async (/** @type {any} */ fields) => { Object.assign(this.#look, fields); this.#show(); this.#report(); },
    preview: async (/** @type {any} */ {node, moves}) => {
      this.#must_have(node);
      const {game} = this.#game, shown = parts(game, this.#at(node, moves).write());
      this.#tell("preview", {node, moves, svg: picture(game, shown, this.#look, {last: moves[moves.length - 1], areas: false})});
    },
    problems: async () => {
      const solved = await this.#solved();
      this.#tell("problems", {rows: PROBLEMS.map(([sfen, length, grade]) => [length, grade, Number(solved.has(sfen))]), daily: this.#daily()});
    },
    course: async (/** @type {any} */ {game}) => {
      const done = await this.#done(game);
      this.#tell("course", {game, rows: LESSONS[game].map((/** @type {any} */ {name, title}, /** @type {number} */ place) => [name, title[this.#look.language], done[place]])});
    },
    hint: async () => {
      const {tsume, node} = this.#game;
      const lesson = LESSONS[this.#game.game][tsume?.lesson], moves = this.#path().slice(1).map(each => this.#nodes[each].move);
      if (lesson?.line[moves.length] && moves.every((move, ply) => move === lesson.line[ply])) {
        const move = lesson.line[moves.length];
        this.#tell("hint", {node, move, text: this.#names(node, [move])[0]});
        return;
      }
      this.#free();
      if (lesson || tsume && !["yours", "right", "longer"].includes(tsume.status) || this.#outcome(node)) refuse("there is no move to hint at");
      const finding = tsume ? this.#mate(node).then(found => found?.[0]) : this.#search([...this.#lines(node), "go movetime 1000"]).then(line => line.split(" ")[1]);
      finding.then(move => {
        if (move && !/^[rw]/.test(move)) this.#tell("hint", {node, move, text: this.#names(node, [move])[0]});
        this.#analysis.place = "";
        this.#follow();
      });
    },
    save: async (/** @type {any} */ {format}) => {
      const {game} = this.#game, stem = `${game}-${new Date().toISOString().slice(0, 16).replace(/\D/g, "").replace(/(.{8})/, "$1-")}`;
      const {data, lost} = save({...this.#game, names: this.#game.names.map(this.#named, this), ended: this.#ended()}, format, path => this.#at(0).names(path.slice(1).map(each => this.#nodes[each].move), STYLE.kif));
      this.#tell("file", {name: `${stem}.${format === "transcript" ? "txt" : format}`, data: btoa(Array.from(data, each => String.fromCharCode(each)).join("")), lost});
    },
    diagram: async (/** @type {any} */ {style = "colour", kind = "svg"}) => {
      if (style !== "colour") refuse(t("notHere"));
      const {game, node} = this.#game;
      this.#tell("diagram", {name: `${game}.${kind}`, svg: picture(game, parts(game, this.#at().write()), {...this.#look, narrow: false}, {last: this.#nodes[node].move, areas: false})});
    },
    links: async () => {
      const {game} = this.#game, moves = this.#line().slice(1).map(each => this.#nodes[each].move), start = this.#game.start === START[/** @type {Game} */ (game)] ? (game === "othello" ? "" : "startpos ") : `${this.#game.start} `;
      const text = game === "othello" ? (start || moves.join("")) : `${start}${moves.length ? `moves ${moves.join(" ")}` : ""}`.trim();
      this.#tell("links", {links: [{token: "", kind: "own", side: null, address: `${location.origin}${location.pathname}#${encodeURIComponent(text.replaceAll(" ", "_")).replaceAll("%2F", "/")}`, qr: "", pages: 0}], local: false});
    },
    kept: async (/** @type {any} */ {text = "", result = ""}) => {
      const games = (await this.#shelf.do(SAVED, "getAll") ?? []).filter((/** @type {any} */ each) => !each.gone && !forgotten(each)).sort((/** @type {any} */ one, /** @type {any} */ other) => other.time - one.time).map((/** @type {any} */ each) => {
        let moves = 0, last = 0;
        for (; each.nodes[last].children.length; moves++) last = each.nodes[last].children[0];
        return {id: each.id, game: each.game, title: this.#title(each), moves, result: each.ended?.node !== last ? "*" : each.ended.winner === null ? "1/2-1/2" : ["1-0", "0-1"][each.ended.winner], on: Boolean(each.play?.on), time: each.time, here: each.id === this.#game.id, words: [each.game, ...each.names, ...Object.values(each.headers)].join(" ").toLowerCase().replaceAll("/", "-")};
      });
      const words = text.toLowerCase().split(/\s+/).filter(Boolean);
      this.#tell("kept", {games: games.filter((/** @type {any} */ each) => (!result || each.result === result) && words.every((/** @type {string} */ word) => each.words.includes(word)))});
    },
    forget: async (/** @type {any} */ {id}) => this.#mark(id, true),
    recall: async (/** @type {any} */ {id}) => this.#mark(id, false),
  };

  async #solved() { return new Set(await this.#shelf.do(SOLVED, "getAllKeys") ?? []); }
  /** Of each lesson, whether it was done. @param {Game} game @returns {Promise<number[]>} */
  async #done(game) { const solved = await this.#solved(); return LESSONS[game].map((/** @type {any} */ each) => Number(solved.has(`${game} ${each.name}`))); }
  /** The number of today's problem. */
  #daily() {
    const now = new Date(), day = Math.round(Date.UTC(now.getFullYear(), now.getMonth(), now.getDate()) / 86400e3) + 719163; // as Python counts days
    return DAILY[day % DAILY.length];
  }
  /** @param {string} id @param {boolean} gone */
  async #mark(id, gone) {
    const found = await this.#shelf.do(SAVED, "get", id);
    if (found) await this.#shelf.do(SAVED, "put", {...found, gone});
    if (gone && id === this.#game.id) Object.assign(this.#game, {id: new_id(), kept: false}); // its next move begins another one
    await this.#questions.kept({});
  }
  #free() { if (this.#thinking || WAITING.includes(this.#game.tsume?.status)) refuse("please wait: the engine is thinking"); }
  #idle() { if (this.#game.play?.on) refuse("a game is being played"); }
  #running_game() { const {play} = this.#game; if (!play?.on) refuse("no game is being played"); return play; }

  /** Judge every move of the main line by searches before and after it. @param {string} effort */
  async #judge(effort) {
    const {game} = this.#game, main = this.#line(), limits = EFFORTS[game][effort], side = (/** @type {number} */ ply) => this.#turn(main[ply]);
    /** @type {Record<number, {score: Score, pv: string[]}>} */
    const found = {}, mine = this.#judging = {share: 0};
    const plies = main.map((_, ply) => ply).filter(ply => ply === main.length - 1 || this.#nodes[main[ply + 1]].move !== "pass");
    for (const [done, ply] of plies.entries()) {
      const outcome = this.#outcome(main[ply]);
      if (outcome) {
        const [black, white] = this.#counts(this.#at(main[ply]).write()), discs = side(ply) ? white - black : black - white;
        found[ply] = {score: game === "othello" ? {value: discs, unit: "discs"} : outcome.winner === null ? {value: 0, unit: "cp"} : {value: -0.5, unit: "mate"}, pv: []};
      } else {
        let last = /** @type {any} */ (null);
        const line = await this.#search(["usinewgame", "isready", ...this.#lines(main[ply], limits.level ?? null), limits.nodes ? `go nodes ${limits.nodes}` : "go"], text => { last = this.#info_of(text) ?? last; });
        if (this.#judging !== mine) return;
        if (!line) { this.#judging = null; this.#changed(); return; } // something else is searched for
        found[ply] = last ?? {score: {value: 0, unit: "cp"}, pv: [line.split(" ")[1]]};
      }
      mine.share = (done + 1) / plies.length;
      const {score} = found[ply], black = this.#nodes[main[ply]].value = side(ply) ? minus(score) : score;
      this.#tell("progress", {share: mine.share, node: main[ply], chance: chance(black.value, black.unit)});
    }
    this.#judging = null;
    plies.slice(0, -1).forEach((ply, place) => {
      const node = this.#nodes[main[ply + 1]], {score, pv} = found[ply], next = plies[place + 1], after = (next - ply) % 2 ? minus(found[next].score) : found[next].score, best = node.move === pv[0];
      const amount = (/** @type {Score} */ {value, unit}) => { const kind = game === "othello" ? "discs" : "cp", most = game === "othello" ? 64 : 30; return Math.max(-most, Math.min(most, unit === "mate" ? Math.sign(value) * most : value / PER_UNIT[kind])); };
      const loss = best ? 0 : Math.max(0, chance(score.value, score.unit) - chance(after.value, after.unit));
      node.told = {score, pv, loss, given: best ? 0 : Math.max(0, amount(score) - amount(after)), verdict: VERDICTS.find(([, least]) => loss >= least)?.[0] ?? ""};
    });
    this.#changed();
  }
}

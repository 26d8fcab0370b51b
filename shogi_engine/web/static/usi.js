// A conversation in USI with the kernels, for Shogi and with the same lines for Othello. It runs where it is called: in a
// Worker (engine.js), or in node.
import { DECLARATION, Kernels } from "./kernels.js";

const ENDLESS = Number.MAX_SAFE_INTEGER;
const MOST_DEPTH = 100;
const FULL_MS = 1000; // for a `go` without limits
const LAG_MS = 100; // of a clock, for the way to the board
const MATE_NODES = 50_000_000;
/** @type {Record<string, number[]>} the usual, the least and the greatest value of each option */
const OPTIONS = { USI_Hash: [16, 1, 1024], MultiPV: [1, 1, 100], SkillLevel: [ENDLESS, 0, ENDLESS] };
const CLOCKS = ["btime", "wtime", "byoyomi", "binc", "winc"];
const NUMBERS = [...CLOCKS, "movetime", "depth", "nodes", "mate", "perft"];
const GO_WORDS = [...NUMBERS, "infinite", "ponder", "searchmoves"];

/**
 * What a `go` or a `ponderhit` asks for.
 *
 * @param {string[]} words
 * @returns {{numbers: Record<string, number>, infinite: boolean, ponder: boolean, moves: string[], faults: string[]}}
 */
function wishes(words) {
  const asked = { numbers: /** @type {Record<string, number>} */ ({}), infinite: false, ponder: false };
  const moves = [], faults = [];
  for (let place = 0; place < words.length; place++) {
    const word = words[place], next = words[place + 1] ?? "";
    if (word === "infinite" || word === "ponder") asked[word] = true;
    else if (word === "searchmoves") {
      while (place + 1 < words.length && !GO_WORDS.includes(words[place + 1])) moves.push(words[++place]);
    } else if (NUMBERS.includes(word)) {
      const given = next !== "" && !GO_WORDS.includes(next);
      if (word === "mate" && (!given || next === "infinite")) asked.numbers.mate = ENDLESS;
      else if (!given) faults.push(`expected a number after ${word}`);
      if (given || next === "infinite" && word === "mate") place++;
      if (given && /^-?\d+$/.test(next)) asked.numbers[word] = Math.min(Math.max(Number(next), 0), ENDLESS);
      else if (given) faults.push(`${word} '${next}' is not a whole number`);
    }
  }
  return { ...asked, moves, faults };
}

/** Wait until lines that have arrived are heard. @returns {Promise<void>} */
const breathe = () =>
  new Promise(done => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      done();
    };
    port2.postMessage(0);
  });

/** Some of `list`, drawn at random. @param {string[]} list @param {number} count */
function draw(list, count) {
  const rest = [...list];
  return Array.from({ length: Math.min(count, rest.length) }, () => rest.splice(Math.random() * rest.length, 1)[0]);
}

/**
 * A level's limits in the position that is the root.
 *
 * @param {any} facts @param {number} level @param {string} position
 * @returns {{depth?: number, nodes?: number, margin?: number, moves?: number}}
 */
function plan(facts, level, position) {
  const row = facts.levels[level];
  if (!row || row.exact === undefined) return row ?? {};
  const left = position.split("-").length - 1; // empty squares
  if (left <= row.exact) return { depth: left + 1, margin: 0 };
  if (left <= row.selective) return { depth: left + 1, margin: facts.careful };
  return { depth: row.depth, nodes: row.nodes, margin: row.multi_probcut_margin, moves: row.moves };
}

/** A search from when `go` is heard. */
class Search {
  /** @param {number} number @param {string[]} words behind `go` */
  constructor(number, words) {
    this.number = number;
    this.asked = wishes(words);
    this.stopped = false;
    this.found = false; // whether there is something to answer: before, it does not end
    this.pondering = this.asked.ponder;
    this.side = 0;
    this.soft = this.ends = ENDLESS; // when it ends: before another depth, and at once
  }

  get waits() {
    return this.asked.infinite || this.pondering;
  }

  /** Set the times at which it ends. @param {number} began @param {number} usual ms without a limit of time */
  clock(began, usual = ENDLESS) {
    const { numbers, infinite } = this.asked;
    let hard = numbers.movetime ?? (infinite ? ENDLESS : usual), soft = hard;
    if (CLOCKS.some(name => name in numbers)) {
      const { btime = 0, wtime = 0, binc = 0, winc = 0, byoyomi = 0 } = numbers;
      const left = this.side ? wtime : btime, more = this.side ? winc : binc;
      hard = Math.min(hard, Math.max(left / 8 + more + byoyomi - LAG_MS, 20));
      soft = Math.min(hard, left / 40 + 0.6 * more + byoyomi);
    }
    this.soft = began + soft;
    this.ends = began + hard;
  }

  /** The opponent has made the expected move: from now on time counts. @param {string[]} words behind `ponderhit` */
  hit(words = []) {
    if (!this.pondering) return;
    Object.assign(this.asked.numbers, wishes(words).numbers);
    this.pondering = false;
    this.clock(performance.now(), FULL_MS);
  }
}

export class Conversation {
  /**
   * @param {() => Promise<import("./kernels.js").Files>} load the game's files
   * @param {(line: string) => void} say
   * @param {() => number} [signal] asked while a search runs: twice the number of a `go`, from 1 on, for its ponderhit,
   *   and one more for its stop
   */
  constructor(load, say, signal = () => 0) {
    this.load = load;
    this.say = say;
    this.signal = signal;
    /** @type {Kernels | undefined} */
    this.kernels = undefined;
    /** @type {Record<string, number>} */
    this.values = Object.fromEntries(Object.entries(OPTIONS).map(([name, [usual]]) => [name, usual]));
    this.fresh = true; // whether the tables have to be cleared
    this.position = "";
    this.last = new Search(0, []); // the latest one heard
    /** @type {Set<Search>} */
    this.unanswered = new Set();
    /** @type {Search | null} */
    this.search = null; // that runs
    /** @type {Promise<void>} */
    this.queue = Promise.resolve();
  }

  /** Take a line. Those for a search are heard between two depths of it. @param {string} line */
  hear(line) {
    const [word, ...rest] = line.trim().split(/\s+/), { last } = this;
    if (word === "stop" || word === "gameover") for (const search of this.unanswered) search.stopped = true;
    else if (word === "ponderhit") last.hit(rest);
    else if (word === "isready" && this.search) this.say("readyok");
    else {
      if (word === "go") {
        if (last.waits) last.stopped = true;
        this.unanswered.add((this.last = new Search(last.number + 1, rest)));
      }
      const search = this.last;
      this.queue = this.queue
        .then(() => this.obey(word, rest, search))
        .catch(fault => {
          this.say(`info string ${fault instanceof Error ? fault.message : fault}`);
          if (word === "go") this.say(search.asked.numbers.mate === undefined ? "bestmove resign" : "checkmate timeout");
        })
        .finally(() => {
          if (word !== "go") return;
          this.unanswered.delete(search);
          this.search = null;
        });
    }
  }

  /** Whether the search that runs is to end at once. */
  ends() {
    const { search } = this;
    if (!search) return false;
    const signal = this.signal() - 2 * search.number;
    if (signal === 0) search.hit();
    return search.found && (search.stopped || signal === 1 || (!search.pondering && performance.now() > search.ends));
  }

  /** The kernels with their tables, loaded when they are first needed. */
  async ready() {
    this.kernels ??= new Kernels(await this.load(), () => this.ends());
    if (this.fresh || this.kernels.megabytes !== this.values.USI_Hash) this.kernels.reset(this.values.USI_Hash);
    this.fresh = false;
    if (!this.position) this.place(this.kernels, ["startpos"]);
    return this.kernels;
  }

  /** @param {string} word @param {string[]} rest @param {Search} search of a `go` */
  async obey(word, rest, search) {
    if (word === "usinewgame") this.fresh = true;
    else if (word === "setoption") this.set(rest);
    else if (["usi", "isready", "position", "startpos", "sfen", "go", "d", "moves"].includes(word)) {
      const kernels = await this.ready();
      if (word === "usi") this.introduce(kernels.facts);
      else if (word === "isready") this.say("readyok");
      else if (word === "position") this.place(kernels, rest);
      else if (word === "d") this.say(kernels.write());
      else if (word === "moves") this.say(kernels.moves().join(" "));
      else if (word === "go") await this.go(kernels, search);
      else this.place(kernels, [word, ...rest]);
    } else if (word && word !== "quit") this.say(`info string unknown command: ${word}`);
  }

  /** @param {any} facts */
  introduce(facts) {
    const top = facts.levels.length - (facts.levels[0].exact === undefined ? 0 : 1);
    this.say(`id name ${facts.name}`);
    this.say(`id author ${facts.author}`);
    for (const [name, numbers] of Object.entries(OPTIONS)) {
      const [usual, least, most] = numbers.map(each => Math.min(each, name === "SkillLevel" ? top : ENDLESS));
      this.say(`option name ${name} type spin default ${usual} min ${least} max ${most}`);
    }
    this.say("usiok");
  }

  /** @param {string[]} words */
  set([first, given, , value]) {
    const plain = (/** @type {string} */ name) => name.toLowerCase().replace(/^usi_/, "");
    if (first !== "name" || !given) return this.say("info string setoption: 'name' and a name expected");
    const name = Object.keys(OPTIONS).find(each => plain(each) === plain(given));
    if (!name) return;
    const [, least, most] = OPTIONS[name];
    if (/^-?\d+$/.test(value)) this.values[name] = Math.min(Math.max(Number(value), least), most);
    else this.say(`info string setoption: ${name} is a number, not '${value ?? ""}'`);
  }

  /** Set up a position; where it is wrong, the one before stays. @param {Kernels} kernels @param {string[]} words */
  place(kernels, words) {
    const at = [...words, "moves"].indexOf("moves"), head = words.slice(Number(words[0] === "sfen"), at), moves = words.slice(at);
    const start = head.join() === "startpos" ? kernels.facts.start : head.length === 3 ? `${head.join(" ")} 1` : head.join(" ");
    const text = moves.length > 1 ? `${start} ${moves.join(" ")}` : start, made = kernels.position(text);
    if (made >= 0) this.position = text;
    else {
      this.say(`info string position: ${made === -1 ? "it cannot be read" : `move ${-1 - made} is illegal`}`);
      kernels.position(this.position);
    }
  }

  /** @param {Kernels} kernels @param {Search} search */
  async go(kernels, search) {
    const began = performance.now(), { infinite, faults, moves } = search.asked, want = search.asked.numbers;
    for (const fault of faults) this.say(`info string go: ${fault}`);
    if (want.perft !== undefined) return this.say(`perft ${want.perft}: ${kernels.perft(want.perft)} nodes`);
    const { side, termination } = kernels.status(), legal = kernels.moves();
    search.side = side;
    this.search = search;
    /** @type {string} */
    let answer;
    if (want.mate !== undefined) {
      search.found = true;
      search.ends = began + want.mate;
      answer = `checkmate ${this.mate(kernels)}`;
    } else if (!legal.length) {
      this.say("info depth 0 score mate -0");
      answer = "bestmove resign";
    } else if (termination === DECLARATION && !infinite) answer = "bestmove win";
    else {
      for (const move of moves) if (!legal.includes(move)) this.say(`info string go: searchmoves '${move}' is not legal here`);
      answer = await this.think(kernels, search, began, legal, moves.filter(move => legal.includes(move)));
    }
    search.found = true;
    while (search.waits && !this.ends()) await new Promise(done => setTimeout(done, 10));
    this.say(answer);
  }

  /**
   * @param {Kernels} kernels @param {Search} search @param {number} began
   * @param {string[]} legal moves @param {string[]} among some of them, none: all
   * @returns {Promise<string>}
   */
  async think(kernels, search, began, legal, among) {
    const { numbers, infinite } = search.asked;
    const level = infinite ? {} : plan(kernels.facts, this.values.SkillLevel, kernels.write());
    const drawn = level.nodes ? Math.round(level.nodes * (0.8 + 0.45 * Math.random())) : ENDLESS;
    const depth = Math.min(numbers.depth ?? MOST_DEPTH, level.depth ?? MOST_DEPTH), nodes = Math.min(numbers.nodes ?? ENDLESS, drawn);
    search.clock(began, depth === MOST_DEPTH && nodes === ENDLESS ? FULL_MS : ENDLESS);
    if (legal.length === 1 && CLOCKS.some(name => name in numbers)) search.soft = began; // there is nothing to think about
    const limits = { depth: Math.max(depth, 1), nodes: Math.max(nodes, 1), multipv: this.values.MultiPV, margin: level.margin ?? -1 };
    kernels.prepare(limits, level.moves && !among.length ? draw(legal, level.moves) : among);
    /** @param {string} lines */
    const tell = lines => {
      const ms = Math.max(Math.round(performance.now() - began), 1);
      for (const line of lines.split("\n").slice(0, -1)) {
        const numbered = limits.multipv > 1 ? line : line.replace(" multipv 1", "");
        this.say(numbered.replace(/ nodes (\d+)/, (known, count) => `${known} nps ${Math.round((count / ms) * 1000)} time ${ms}`));
      }
    };
    for (let lines = kernels.deepen(); lines; lines = kernels.deepen()) {
      tell(lines);
      search.found = true;
      await breathe();
      if (search.stopped || (performance.now() > search.soft && !search.pondering)) break;
    }
    const lines = kernels.best(), [move, ponder] = (/ pv (.+)/.exec(lines)?.[1] ?? lines).trim().split(" ");
    if (lines.startsWith("info")) tell(lines);
    return `bestmove ${move}${ponder ? ` ponder ${ponder}` : ""}`;
  }

  /** @param {Kernels} kernels */
  mate(kernels) {
    if (kernels.facts.game !== "shogi") return "notimplemented";
    const moves = kernels.mate(MATE_NODES);
    return moves ? moves.join(" ") : moves === null ? "nomate" : "timeout";
  }
}

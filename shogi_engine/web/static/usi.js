// A conversation in USI with the kernels, for Shogi and with the same lines for Othello. It runs where it is called: in a
// Worker (engine.js), or in node.
import { DECLARATION, Kernels } from "./kernels.js";

const ENDLESS = Number.MAX_SAFE_INTEGER;
const MOST_DEPTH = 100;
const FULL_MS = 1000; // for a `go` without limits
const MATE_NODES = 50_000_000;

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

export class Conversation {
  /**
   * @param {() => Promise<import("./kernels.js").Files>} load the game's files
   * @param {(line: string) => void} say
   * @param {() => boolean} [asked] whether the search is to stop, asked while it runs
   */
  constructor(load, say, asked = () => false) {
    this.load = load;
    this.say = say;
    this.asked = asked;
    /** @type {Kernels | undefined} */
    this.kernels = undefined;
    this.values = { USI_Hash: 16, MultiPV: 1, SkillLevel: ENDLESS };
    this.fresh = true; // whether the tables have to be cleared
    this.legal = true; // whether there is a position to search
    this.stopped = false;
    this.pondering = false;
    this.ends = ENDLESS; // of the search: at once, and before another depth
    this.soft = ENDLESS;
    /** @type {Promise<void>} */
    this.queue = Promise.resolve();
  }

  /** Take a line. `stop` and `ponderhit` are heard between two depths of a search. @param {string} line */
  hear(line) {
    const word = line.trim().split(/\s+/)[0];
    if (word === "stop") this.stopped = true;
    else if (word === "ponderhit") this.pondering = false;
    else {
      if (word === "go") this.stopped = false;
      this.queue = this.queue
        .then(() => this.obey(line))
        .catch(fault => this.say(`info string ${fault instanceof Error ? fault.message : fault}`));
    }
  }

  /** The kernels with their tables, loaded when they are first needed. */
  async ready() {
    this.kernels ??= new Kernels(await this.load(), () => performance.now() > this.ends || this.asked());
    if (this.fresh || this.kernels.megabytes !== this.values.USI_Hash) this.kernels.reset(this.values.USI_Hash);
    this.fresh = false;
    return this.kernels;
  }

  /** @param {string} line */
  async obey(line) {
    const [word, ...rest] = line.trim().split(/\s+/);
    if (word === "usi") {
      const { facts } = (await this.ready()) ?? {};
      const top = facts.levels.length - (facts.levels[0].exact === undefined ? 0 : 1);
      this.say(`id name ${facts.name}`);
      this.say(`id author ${facts.author}`);
      this.say("option name USI_Hash type spin default 16 min 1 max 1024");
      this.say("option name MultiPV type spin default 1 min 1 max 100");
      this.say(`option name SkillLevel type spin default ${top} min 0 max ${top}`);
      this.say("usiok");
    } else if (word === "isready") {
      await this.ready();
      this.say("readyok");
    } else if (word === "usinewgame") this.fresh = true;
    else if (word === "setoption") this.set(rest);
    else if (word === "position") await this.place(rest.join(" "));
    else if (word === "go") await this.go(rest);
    else if (word && word !== "gameover" && word !== "quit") this.say(`info string unknown command: ${word}`);
  }

  /** @param {string[]} words */
  set([, name, , value]) {
    const most = { USI_Hash: 1024, MultiPV: 100, SkillLevel: ENDLESS };
    const number = Number(value);
    if (!(name in most)) return;
    const known = /** @type {keyof typeof most} */ (name);
    if (Number.isInteger(number) && number >= (known === "SkillLevel" ? 0 : 1) && number <= most[known]) {
      this.values[known] = number;
    } else this.say(`info string ${name} cannot be ${value}`);
  }

  /** @param {string} text */
  async place(text) {
    const kernels = await this.ready();
    const made = kernels.position(text.replace(/^startpos/, kernels.facts.start).replace(/^sfen\s+/, ""));
    this.legal = made >= 0;
    if (made === -1) this.say("info string position: it cannot be read");
    if (made < -1) this.say(`info string position: move ${-1 - made} is illegal`);
  }

  /** @param {string[]} words */
  async go(words) {
    const began = performance.now();
    const kernels = await this.ready();
    const at = words.indexOf("searchmoves");
    const among = at < 0 ? [] : words.slice(at + 1);
    /** @type {Record<string, number>} */
    const want = {};
    for (let place = 0; place < (at < 0 ? words.length : at); place++) {
      const word = words[place];
      want[word] = word === "infinite" || word === "ponder" ? 1 : Number(words[place + 1]);
      if (word === "mate" && words[place + 1] === "infinite") want.mate = ENDLESS;
      if (word !== "infinite" && word !== "ponder") place++;
    }
    this.pondering = want.ponder === 1;
    if (want.mate !== undefined) return this.mate(kernels, began + want.mate);
    const status = this.legal ? kernels.status() : undefined;
    if (!status || !kernels.moves().length) return this.say("bestmove resign");
    if (status.termination === DECLARATION && !want.infinite) return this.say("bestmove win");
    const level = want.infinite ? {} : plan(kernels.facts, this.values.SkillLevel, kernels.write());
    const drawn = level.nodes ? Math.round(level.nodes * (0.8 + 0.45 * Math.random())) : ENDLESS;
    const limits = {
      depth: Math.min(want.depth ?? MOST_DEPTH, level.depth ?? MOST_DEPTH),
      nodes: Math.min(want.nodes ?? ENDLESS, drawn),
      multipv: this.values.MultiPV,
      margin: level.margin ?? -1,
    };
    this.clock(want, status.side, limits, began);
    kernels.prepare(limits, level.moves && !among.length ? draw(kernels.moves(), level.moves) : among);
    /** @param {string} lines */
    const tell = lines => {
      const ms = Math.max(Math.round(performance.now() - began), 1);
      for (const line of lines.split("\n").slice(0, -1)) {
        this.say(line.replace(/ nodes (\d+)/, (_, nodes) => ` time ${ms} nodes ${nodes} nps ${Math.round((nodes / ms) * 1000)}`));
      }
    };
    for (;;) {
      const lines = kernels.deepen();
      if (!lines) break;
      tell(lines);
      await breathe();
      if (this.stopped || (performance.now() > this.soft && !this.pondering)) break;
    }
    while ((want.infinite || this.pondering) && !this.stopped && !this.asked()) await new Promise(done => setTimeout(done, 10));
    const lines = kernels.best();
    if (lines.startsWith("info")) tell(lines);
    const [move, ponder] = (/ pv (.+)/.exec(lines)?.[1] ?? lines).trim().split(" ");
    this.say(`bestmove ${move}${ponder ? ` ponder ${ponder}` : ""}`);
  }

  /**
   * Set the times at which the search ends.
   *
   * @param {Record<string, number>} want @param {number} side @param {{depth: number, nodes: number}} limits
   * @param {number} began
   */
  clock(want, side, limits, began) {
    let soft = want.movetime ?? ENDLESS;
    let hard = soft;
    if (["btime", "wtime", "byoyomi", "binc", "winc"].some(name => want[name] !== undefined)) {
      const left = (side ? want.wtime : want.btime) ?? 0;
      const more = ((side ? want.winc : want.binc) ?? 0) + (want.byoyomi ?? 0);
      soft = left / 40 + 0.6 * more;
      hard = Math.max(left / 8 + more - 100, 20);
    } else if (hard === ENDLESS && !want.infinite && !want.ponder && limits.nodes === ENDLESS && limits.depth === MOST_DEPTH) {
      soft = hard = FULL_MS;
    }
    this.soft = began + soft;
    this.ends = want.ponder ? ENDLESS : began + hard;
  }

  /** @param {Kernels} kernels @param {number} ends */
  mate(kernels, ends) {
    this.ends = ends;
    if (!this.legal) return this.say("checkmate nomate");
    if (kernels.facts.game !== "shogi") return this.say("checkmate notimplemented");
    const moves = kernels.mate(MATE_NODES);
    this.say(`checkmate ${moves ? moves.join(" ") : moves === null ? "nomate" : "timeout"}`);
  }
}

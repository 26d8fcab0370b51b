// The engine as a module Worker: lines of USI in and out by postMessage. Its address may name the game, and the folder of
// the files that `tools.build_kernels --only wasm32` makes, the Worker's own by default.
//
//   const worker = new Worker("engine.js?game=othello&files=kernels/", {type: "module"});
//   worker.onmessage = ({data}) => console.log(data);
//   worker.postMessage("usi");
//
// A Worker that searches hears no message, so `stop` waits for the end of a depth. `Engine`, which pages can import from
// here, stops at once: by shared memory, or where the page may not share memory by another Worker.
import { load } from "./kernels.js";
import { Conversation } from "./usi.js";

const LATE_MS = 300; // after `stop`, until another Worker takes the place of one that does not answer
const ENDING = ["stop", "gameover", "ponderhit"]; // lines for searches asked before
const UNTOLD = /\b(mate|perft)\b/; // searches that tell no best move so far
/** @param {string} line */
const first = line => line.trim().split(/\s+/)[0];
/** @type {Conversation | undefined} that of this Worker */
export let conversation;
const isWorker = typeof globalThis.document === "undefined" && typeof globalThis.postMessage === "function";

if (isWorker) {
  const given = new URLSearchParams(globalThis.location.search);
  const folder = new URL(given.get("files") ?? ".", globalThis.location.href);
  /** @type {Int32Array | undefined} */
  let signal;
  conversation = new Conversation(
    () => load(given.get("game") ?? "shogi", folder),
    line => globalThis.postMessage(line),
    () => (signal ? Atomics.load(signal, 0) : 0),
  );
  globalThis.onmessage = ({ data }) => {
    if (typeof data !== "string") signal = new Int32Array(data);
    else if (data.trim() === "quit") globalThis.close();
    else conversation?.hear(data);
  };
}

export class Engine {
  /**
   * @param {string | URL} address this file's, perhaps with `?game=...`
   * @param {(line: string) => void} say
   */
  constructor(address, say) {
    this.address = address;
    this.say = say;
    /** @type {string[]} lines that a Worker hears when the search before them is answered: none that is replaced has them */
    this.waiting = [];
    /** @type {{key: string, line: string}[]} what another Worker has to hear again: positions and options */
    this.kept = [];
    this.sure = 0; // those of them that had been heard at the last answer
    this.faulty = false; // whether anything was wrong since then
    this.best = this.go = ""; // of the last search: its line so far, and what was asked
    this.asked = 0; // searches of this Worker
    this.start();
  }

  start() {
    this.signal = globalThis.crossOriginIsolated ? new Int32Array(new SharedArrayBuffer(4)) : undefined; // see Conversation
    this.asked = 0;
    this.running = false;
    this.loaded = false; // whether it has said anything: then its files are here
    this.worker = new Worker(this.address, { type: "module" });
    if (this.signal) this.worker.postMessage(this.signal.buffer);
    this.worker.onerror = ({ message }) => this.fail(message ?? "the engine could not be loaded");
    this.worker.onmessage = ({ data }) => {
      this.loaded = true;
      if (/^info (?!.* multipv (?!1 )).* pv /.test(data)) this.best = / pv (.+)/.exec(data)?.[1] ?? "";
      if (data.startsWith("info string ")) this.faulty = true;
      this.say(data);
      if (/^(bestmove|checkmate|perft) /.test(data)) this.answered();
    };
  }

  /** Send a line. @param {string} line */
  send(line) {
    if (!this.worker) this.restart();
    const word = first(line), before = this.waiting.filter(each => first(each) === "go").pop() ?? (this.running ? this.go : "");
    if (word === "quit") this.quit();
    else if (word === "isready" && this.running) this.say("readyok");
    else if (ENDING.includes(word)) this.end(line, word !== "ponderhit");
    else {
      if (word === "go" && /\b(infinite|ponder)\b/.test(before)) this.end("stop", false);
      this.waiting.push(line);
      this.pass_waiting();
    }
  }

  /** Let every search hear a line, or the last one. @param {string} line @param {boolean} every */
  end(line, every) {
    const last = this.waiting.map(first).lastIndexOf("go");
    this.waiting = this.waiting.flatMap((each, at) => (first(each) === "go" && (every || at === last) ? [each, line] : [each]));
    if (this.running && (every || last < 0)) this.pass(line);
  }

  /** Let the Worker hear what no search is before. */
  pass_waiting() {
    while (this.waiting.length && (!this.running || ENDING.includes(first(this.waiting[0])))) {
      this.pass(/** @type {string} */ (this.waiting.shift()));
    }
  }

  /** Let the Worker hear a line. @param {string} line */
  pass(line) {
    const word = first(line), { worker } = this;
    this.keep(line);
    if (word === "go") {
      this.running = true;
      this.asked++;
      this.go = line;
      this.best = "";
    }
    const { asked } = this, stops = ENDING.includes(word) && word !== "ponderhit";
    if (this.signal && (stops || word === "ponderhit")) Atomics.store(this.signal, 0, 2 * asked + Number(stops));
    else if (stops && this.best) return this.replace();
    worker?.postMessage(line);
    const late = () => this.running && this.loaded && asked === this.asked && worker === this.worker;
    if (stops) setTimeout(() => late() && (this.best || UNTOLD.test(this.go)) && this.replace(), LATE_MS);
  }

  /** Keep a line that another Worker has to hear again. @param {string} line */
  keep(line) {
    const word = first(line);
    if (["position", "startpos", "sfen"].includes(word)) this.kept.push({ key: "position", line });
    if (word === "setoption") this.kept.push({ key: line.split(" value ")[0].toLowerCase(), line });
  }

  /** A search is answered: of what was kept, only the last that was right counts. */
  answered() {
    const { kept, sure, faulty } = this;
    const newer = (/** @type {string} */ key, /** @type {number} */ at) => kept.some((each, later) => later > at && later >= sure && each.key === key);
    if (!faulty) this.kept = kept.filter(({ key }, at) => !newer(key, at));
    this.sure = this.kept.length;
    this.faulty = this.running = false;
    this.pass_waiting();
  }

  /** End the Worker with the best move that it has told, and begin another one; its tables are lost. */
  replace() {
    this.restart();
    this.close(this.go, this.best);
    this.answered();
  }

  /** Begin another Worker, which knows what was kept. */
  restart() {
    this.quit();
    this.start();
    for (const { line } of this.kept) this.worker?.postMessage(line);
  }

  /** Answer a search that its Worker does not. @param {string} go @param {string} best its line so far */
  close(go, best) {
    const [move, ponder] = best.split(" "), [, untold] = UNTOLD.exec(go) ?? [];
    this.say(untold === "mate" ? "checkmate timeout" : untold ? "perft stopped" : `bestmove ${move || "resign"}${ponder ? ` ponder ${ponder}` : ""}`);
  }

  /** The Worker has failed: say so and answer all searches; the next line begins another Worker. @param {string} fault */
  fail(fault) {
    const waiting = this.running ? [this.go, ...this.waiting] : this.waiting;
    this.quit();
    this.running = false;
    this.waiting = [];
    this.say(`info string ${fault}`);
    for (const [number, line] of waiting.entries()) first(line) === "go" ? this.close(line, number ? "" : this.best) : this.keep(line);
    this.best = "";
  }

  quit() {
    this.worker?.terminate();
    this.worker = undefined;
  }
}

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
    /** @type {Map<string, string>} what another Worker has to hear again: the position, and options by their names */
    this.kept = new Map();
    this.best = this.go = ""; // of the last search: its line so far, and what was asked
    this.asked = this.answered = 0; // searches of this Worker
    this.start();
  }

  start() {
    this.signal = globalThis.crossOriginIsolated ? new Int32Array(new SharedArrayBuffer(4)) : undefined; // see Conversation
    this.asked = this.answered = 0;
    this.loaded = false; // whether it has said anything: then its files are here
    this.worker = new Worker(this.address, { type: "module" });
    if (this.signal) this.worker.postMessage(this.signal.buffer);
    this.worker.onerror = ({ message }) => this.say(`info string ${message ?? "the engine could not be loaded"}`);
    this.worker.onmessage = ({ data }) => {
      this.loaded = true;
      if (/^info (?!.* multipv (?!1 )).* pv /.test(data)) this.best = / pv (.+)/.exec(data)?.[1] ?? "";
      if (/^(bestmove|checkmate|perft) /.test(data)) this.answered++;
      this.say(data);
    };
  }

  /** Send a line. @param {string} line */
  send(line) {
    const word = line.trim().split(/\s+/)[0];
    if (word === "setoption" || word === "position") this.kept.set(line.split(word === "position" ? " " : " value ")[0], line);
    if (word === "go") {
      if (/\b(infinite|ponder)\b/.test(this.go) && this.asked > this.answered) this.send("stop");
      this.asked++;
      this.go = line;
      this.best = "";
    }
    const { worker, asked } = this, stops = (word === "stop" || word === "gameover") && asked > this.answered;
    if (this.signal && (stops || word === "ponderhit")) Atomics.store(this.signal, 0, 2 * asked + Number(stops));
    else if (stops && this.best) this.replace();
    if (worker === this.worker) worker?.postMessage(line);
    const late = () => asked > this.answered && this.loaded && asked === this.asked && worker === this.worker;
    if (stops) setTimeout(() => late() && this.replace(), LATE_MS);
  }

  /** End the Worker with the best move that it has told, and begin another one; its tables are lost. */
  replace() {
    const [move, ponder] = (this.best || "resign").split(" "), mate = /\bmate\b/.test(this.go);
    this.worker?.terminate();
    this.start();
    for (const line of this.kept.values()) this.worker?.postMessage(line);
    this.say(mate ? "checkmate timeout" : `bestmove ${move}${ponder ? ` ponder ${ponder}` : ""}`);
  }

  quit() {
    this.worker?.terminate();
  }
}

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
const isWorker = typeof globalThis.document === "undefined" && typeof globalThis.postMessage === "function";

if (isWorker) {
  const given = new URLSearchParams(globalThis.location.search);
  const folder = new URL(given.get("files") ?? ".", globalThis.location.href);
  /** @type {Int32Array | undefined} */
  let flag;
  const conversation = new Conversation(
    () => load(given.get("game") ?? "shogi", folder),
    line => globalThis.postMessage(line),
    () => flag !== undefined && Atomics.load(flag, 0) !== 0,
  );
  globalThis.onmessage = ({ data }) => {
    if (typeof data !== "string") flag = new Int32Array(data);
    else if (data.trim() === "quit") globalThis.close();
    else conversation.hear(data);
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
    this.flag = globalThis.crossOriginIsolated ? new Int32Array(new SharedArrayBuffer(4)) : undefined;
    /** @type {Map<string, string>} what another Worker has to hear again, by the option */
    this.options = new Map();
    this.searching = false;
    this.searches = 0; // begun until now
    this.best = "";
    this.start();
  }

  start() {
    this.loaded = false; // whether it has said anything: then its files are here
    this.worker = new Worker(this.address, { type: "module" });
    if (this.flag) this.worker.postMessage(this.flag.buffer);
    this.worker.onerror = ({ message }) => this.say(`info string ${message ?? "the engine could not be loaded"}`);
    this.worker.onmessage = ({ data }) => {
      this.loaded = true;
      if (/^info .*multipv 1 .* pv /.test(data)) this.best = / pv (.+)/.exec(data)?.[1] ?? "";
      if (/^(bestmove|checkmate) /.test(data)) this.searching = false;
      this.say(data);
    };
  }

  /** Send a line. @param {string} line */
  send(line) {
    const word = line.trim().split(/\s+/)[0];
    if (word === "setoption") this.options.set(line.split(" value ")[0], line);
    if (word === "go") {
      this.searching = true;
      this.searches++;
      this.best = "";
      if (this.flag) Atomics.store(this.flag, 0, 0);
    }
    const { worker, searching, searches } = this;
    if (word === "stop" && searching && this.flag) Atomics.store(this.flag, 0, 1);
    else if (word === "stop" && searching && this.best) this.replace();
    if (worker === this.worker) worker?.postMessage(line);
    const late = () => this.searching && this.loaded && searches === this.searches && worker === this.worker;
    if (word === "stop" && searching) setTimeout(() => late() && this.replace(), LATE_MS);
  }

  /** End the Worker with the best move that it has told, and begin another one; its tables are lost. */
  replace() {
    this.worker?.terminate();
    this.searching = false;
    const [move, ponder] = (this.best || "resign").split(" ");
    this.start();
    for (const line of this.options.values()) this.worker?.postMessage(line);
    this.say(`bestmove ${move}${ponder ? ` ponder ${ponder}` : ""}`);
  }

  quit() {
    this.worker?.terminate();
  }
}

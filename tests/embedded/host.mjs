// The engine for pages, as an engine in a terminal: node host.mjs FOLDER GAME. Lines of USI in and out; and for tests
// "perft DEPTH", "names STYLE MOVE ...", "text" (the position), "heap" (the end of the kernels' constants).
import { readFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import { createInterface } from "node:readline";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { STYLE } from "../../shogi_engine/web/static/kernels.js";
import { Conversation } from "../../shogi_engine/web/static/usi.js";

/** @param {string} folder @param {string} game */
async function load(folder, game) {
  const read = kind => readFile(`${folder}/${game}.${kind}`);
  const [code, image, facts, weights] = await Promise.all(["wasm", "bin", "json", "weights"].map(read));
  return { module: await WebAssembly.compile(code), image, facts: JSON.parse(facts.toString()), weights: new Uint8Array(gunzipSync(weights)) };
}

if (isMainThread) {
  const flag = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(new URL(import.meta.url), { workerData: { flag, words: process.argv.slice(2) } });
  worker.on("message", line => process.stdout.write(`${line}\n`));
  worker.on("error", fault => process.stdout.write(`error ${fault.stack}\n`));
  createInterface({ input: process.stdin }).on("line", line => {
    if (line.startsWith("go")) Atomics.store(flag, 0, 0);
    if (line === "stop") Atomics.store(flag, 0, 1);
    if (line === "quit") worker.terminate().then(() => process.exit());
    else worker.postMessage(line);
  }).on("close", () => worker.postMessage("end"));
} else {
  const { flag, words } = workerData;
  const conversation = new Conversation(() => load(words[0], words[1]), line => parentPort.postMessage(line), () => Atomics.load(flag, 0) !== 0);
  const own = {
    perft: (kernels, [depth]) => kernels.perft(Number(depth)),
    names: (kernels, [style, ...moves]) => kernels.names(moves, STYLE[style]).join(" "),
    text: kernels => kernels.write(),
    heap: kernels => kernels.exports.__heap_base.value,
    memory: kernels => kernels.exports.memory.buffer.byteLength,
  };
  parentPort.on("message", line => {
    const [word, ...rest] = line.split(" ");
    if (line === "end") conversation.queue.then(() => process.exit());
    else if (word in own) {
      conversation.queue = conversation.queue.then(async () => parentPort.postMessage(`${word} ${own[word](await conversation.ready(), rest)}`));
    } else conversation.hear(line);
  });
}

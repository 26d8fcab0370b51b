// engine.js as an engine in a terminal: node host.mjs FOLDER GAME [alone]. Lines of USI in and out; and for tests
// "names STYLE MOVE ...", "heap" (the end of the kernels' constants), "memory". Node has no Worker, fetch and memory to
// share as a page's, so here is what engine.js needs of them.
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

const ENGINE = new URL("../../shogi_engine/web/static/engine.js", import.meta.url);

if (isMainThread) {
  const [folder, game, alone] = process.argv.slice(2), href = `${ENGINE}?game=${game}&files=${pathToFileURL(folder)}/`;
  Object.assign(globalThis, {
    crossOriginIsolated: !alone,
    Worker: class extends Worker {
      constructor(address) {
        super(new URL(import.meta.url), { workerData: String(address) });
        this.on("message", data => this.onmessage({ data })).on("error", fault => this.onerror({ message: fault.stack }));
      }
    },
  });
  const { Engine } = await import(ENGINE), engine = new Engine(href, line => process.stdout.write(`${line}\n`));
  createInterface({ input: process.stdin }).on("line", line => {
    if (line !== "quit") engine.send(line);
    else process.exit();
  }).on("close", () => engine.send("end"));
} else {
  const { search, href } = new URL(workerData);
  Object.assign(globalThis, {
    location: { search, href },
    fetch: async url => new Response(await readFile(fileURLToPath(url))),
    postMessage: line => parentPort.postMessage(line),
  });
  const { conversation } = await import(ENGINE), { STYLE } = await import(new URL("kernels.js", ENGINE));
  const own = {
    names: (kernels, [style, ...moves]) => kernels.names(moves, STYLE[style]).join(" "),
    heap: kernels => kernels.exports.__heap_base.value,
    memory: kernels => kernels.exports.memory.buffer.byteLength,
  };
  parentPort.on("message", data => {
    const [word, ...rest] = typeof data === "string" ? data.split(" ") : [""];
    if (word === "end") conversation.queue.then(() => process.exit());
    else if (word in own) {
      conversation.queue = conversation.queue.then(async () => parentPort.postMessage(`${word} ${own[word](await conversation.ready(), rest)}`));
    } else globalThis.onmessage({ data });
  });
}

// The kernels of one game in WebAssembly: tasks on texts (shogi_engine/embedded). No rule and no layout is known here.

/** The numbers of the tasks. @type {Record<string, number>} */
export const TASK = Object.fromEntries(
  "RESET POSITION WRITE MOVES STATUS PREPARE DEEPEN BEST PERFT NAMES FIND_MATE".split(" ").map((name, number) => [name, number]),
);
/** Terminations, as `status` numbers them: at DECLARATION the side to move may declare a win, and the game continues. */
export const NO_LEGAL_MOVE = 1, REPETITION = 2, DECLARATION = 4;
/** Styles of move names. @type {Record<string, number>} */
export const STYLE = { usi: 0, japanese: 1, kif: 2, western: 3 };
const PAGE = 65536; // of WebAssembly's memory, and the bytes of a text
const NAMED = 500; // moves whose names are requested together: all fit into a text
const CLUSTER = 64; // bytes of the table
const decoder = new TextDecoder();
const encoder = new TextEncoder();

/**
 * What `tools.build_kernels --only wasm32` made of a game.
 *
 * @typedef {object} Files
 * @property {WebAssembly.Module} module
 * @property {Uint8Array} image the words of the first memory that are not zero
 * @property {any} facts
 * @property {Uint8Array} [weights] not needed for the rules
 */

/**
 * Load them. The browser keeps the compiled module for its next visit.
 *
 * @param {string} game @param {string | URL} folder @param {boolean} [searches] whether to load the weights too
 * @returns {Promise<Files>}
 */
export async function load(game, folder, searches = true) {
  /** @param {string} kind */
  const get = async kind => {
    const answer = await fetch(new URL(`${game}.${kind}`, folder));
    if (!answer.ok) throw Error(`${answer.url}: ${answer.status}`);
    return answer;
  };
  /** @param {string} kind */
  const bytes = async kind => new Uint8Array(await (await get(kind)).arrayBuffer());
  const [module, image, facts, weights] = await Promise.all([
    bytes("wasm").then(code => WebAssembly.compile(/** @type {any} */ (code))),
    bytes("bin"),
    get("json").then(answer => answer.json()),
    searches ? get("weights").then(answer => inflated(/** @type {ReadableStream} */ (answer.body))) : undefined,
  ]);
  return { module, image, facts, weights };
}

/** The weights of a compressed file. @param {ReadableStream} stream */
const inflated = async stream => new Uint8Array(await new Response(stream.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());

/**
 * Write the weights as the kernels have them: those of Othello's patterns lie between those of points of the game.
 *
 * @param {Uint8Array} packed @param {ArrayBuffer} memory @param {number} address
 * @param {{phases: number, step: number, knots: number, numbers: number, width: number}} [patterns]
 */
function expand(packed, memory, address, patterns = { phases: 0, step: 1, knots: 0, numbers: 0, width: 0 }) {
  const { phases, step, knots, numbers, width } = patterns;
  const known = new Int16Array(packed.buffer, 0, knots * numbers);
  const places = new Int32Array(packed.slice(2 * knots * numbers).buffer, 0, width);
  for (let index = 1; index < width; index++) places[index] += places[index - 1];
  const table = new Int16Array(memory, address, phases * width);
  for (let phase = 0, place = 0; phase < phases; phase++) {
    const part = phase % step;
    const here = known.subarray(((phase - part) / step) * numbers);
    const next = part ? here.subarray(numbers) : here;
    for (const number of places) {
      table[place++] = Math.floor((here[number] * (step - part) + next[number] * part + (step >> 1)) / step);
    }
  }
  new Uint8Array(memory, address + table.byteLength).set(packed.subarray(2 * knots * numbers + 4 * width));
}

export class Kernels {
  #root = ""; // as text

  /**
   * @param {Files} files without weights, only the rules can be used
   * @param {() => boolean} [poll] asked every 512 nodes whether to stop
   */
  constructor(files, poll = () => false) {
    this.facts = files.facts;
    this.exports = /** @type {any} */ (
      new WebAssembly.Instance(files.module, { env: { poll: () => (poll() ? 1n : 0n) } }).exports
    );
    this.page = this.facts.blocks.page[0];
    if (this.exports.__heap_base.value > this.page) throw Error("the kernels' constants reach into the page");
    this.megabytes = 0;
    this.#reach(files.weights ? this.facts.table : this.facts.rules);
    const words = new Uint32Array(this.#memory);
    const pairs = new Uint32Array(files.image.slice().buffer);
    for (let place = 0; place < pairs.length; place += 2) {
      if (4 * pairs[place] < this.#memory.byteLength) words[pairs[place]] = pairs[place + 1];
    }
    if (files.weights) expand(files.weights, this.#memory, this.facts.weights, this.facts.patterns);
  }

  /** The memory; views of it end when it grows. */
  get #memory() {
    return this.exports.memory.buffer;
  }

  /** @param {number} end */
  #reach(end) {
    const more = Math.ceil((end - this.#memory.byteLength) / PAGE);
    if (more > 0) this.exports.memory.grow(more);
  }

  /** Do a task. @param {number} task @param {number} [a] @param {number} [b] @returns {number} */
  call(task, a = 0, b = 0) {
    return Number(this.exports.call(BigInt(task), BigInt(this.page), BigInt(a), BigInt(b)));
  }

  /** Write a task's text, and return its length. @param {string} text */
  put(text) {
    const { read, written } = encoder.encodeInto(text, new Uint8Array(this.#memory, this.page, PAGE - 1));
    if (read < text.length) throw Error(`a text is longer than ${PAGE - 1} bytes`);
    return written;
  }

  /** The answer that ends at `end`. @param {number} end @param {number} [start] */
  text(end, start = 0) {
    return decoder.decode(new Uint8Array(this.#memory, this.page + start, Math.max(end - start, 0)).slice());
  }

  /** Set the size of the transposition table, and forget earlier searches. @param {number} megabytes */
  reset(megabytes) {
    const { blocks, patches, table } = this.facts;
    this.megabytes = megabytes;
    this.#reach(table + megabytes * 2 ** 20);
    for (const name of ["histories", "shared"]) new Uint8Array(this.#memory, ...blocks[name]).fill(0);
    new Uint8Array(this.#memory, table, megabytes * 2 ** 20).fill(0);
    const view = new DataView(this.#memory);
    for (const [address, value] of patches) view.setUint32(address, value, true);
    this.call(TASK.RESET);
  }

  /**
   * Make "POSITION moves MOVE ..." the root; return the number of moves made, -1 if the position is wrong, -2 - n if
   * move n is illegal.
   *
   * @param {string} text
   */
  position(text) {
    const made = this.call(TASK.POSITION, this.put(text));
    if (made >= 0) this.#root = text;
    return made;
  }

  /** The root as text. */
  write() {
    return this.text(this.call(TASK.WRITE));
  }

  /** The legal moves. */
  moves() {
    return this.text(this.call(TASK.MOVES)).split(" ").slice(0, -1);
  }

  /** Whether and how the game is over (a number of TERMINATIONS, 0: not; and the side to move's value), and the side. */
  status() {
    const [termination, value, check, side, ply] = this.text(this.call(TASK.STATUS)).split(" ").map(Number);
    return { termination, value, check: check === 1, side, ply };
  }

  /** The names of moves that follow the root, up to an illegal one. @param {string[]} moves @param {number} style of STYLE @returns {string[]} */
  names(moves, style) {
    const root = this.#root, some = moves.slice(0, NAMED), length = this.put(some.join(" "));
    const names = this.text(this.call(TASK.NAMES, length, style), length + 1).split(" ").slice(0, -1);
    if (names.length < NAMED || moves.length === NAMED) return names;
    this.position(`${root}${root.includes(" moves ") ? " " : " moves "}${some.join(" ")}`);
    const all = [...names, ...this.names(moves.slice(NAMED), style)];
    this.position(root);
    return all;
  }

  /**
   * Start a search of the root; `deepen` and `best` continue it.
   *
   * @param {{depth: number, multipv: number, nodes: number, margin?: number, mate?: number}} limits
   * @param {string[]} moves to choose from; [] for all
   */
  prepare({ depth, multipv, nodes, margin = -1, mate = 0 }, moves) {
    const clusters = (this.megabytes * 2 ** 20) / CLUSTER;
    return this.call(TASK.PREPARE, this.put([clusters, depth, multipv, nodes, margin, mate, ...moves].join(" ")));
  }

  /** Search until a depth is complete; its lines as USI's info, "" if the search was stopped or is over. */
  deepen() {
    return this.text(this.call(TASK.DEEPEN));
  }

  /** The lines that the search ends with; a move alone if none was searched. */
  best() {
    return this.text(this.call(TASK.BEST));
  }

  /** The shortest mate of the root by checks: its moves, null if there is none. Undefined: not proven. @param {number} nodes */
  mate(nodes) {
    const end = this.call(TASK.FIND_MATE, nodes);
    return end === -1 ? null : end < 0 ? undefined : this.text(end).split(" ").slice(0, -1);
  }

  /** The leaves `depth` plies below the root. @param {number} depth */
  perft(depth) {
    return this.call(TASK.PERFT, depth);
  }
}

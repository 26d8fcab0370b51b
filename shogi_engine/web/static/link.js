// The WebSocket: says hello with the session's name, reconnects after a break, passes messages to listeners.
// Listeners of "state" get the whole state each time; the server sends it once, then what has changed.

const LONGEST = 5000; // ms between two attempts
const {Local} = document.documentElement.dataset.backend === "local" ? await import("./local.js") : {Local: null}; // there, the page itself answers

/** @typedef {[start: number, count: number, added: any[]]} Splice */

/**
 * @template T
 * @param {T[]} items
 * @param {Splice[]} splices
 */
const spliced = (items, splices = []) => {
  const made = [...items];
  for (const [start, count, added] of splices) made.splice(start, count, ...added);
  return made;
};

/**
 * The state after a delta: a new object, as listeners compare it with the one before.
 * @param {State} state
 * @param {Delta} delta
 * @returns {State}
 */
function changed(state, {seq, fields, labels = {}, line, svg}) {
  const names = Object.entries({...state.labels, ...labels}).filter(([, label]) => label !== null);
  return {...state, ...fields, seq, labels: /** @type {Record<string, string>} */ (Object.fromEntries(names)), line: spliced(state.line, line),
    svg: svg ? spliced(state.svg.split("\n"), svg).join("\n") : state.svg};
}

export class Link extends EventTarget {
  /** @type {WebSocket} */
  #socket;
  #pause = 250;
  /** @type {Map<number, (answer: {kind: string, text: string}) => void>} by number: the function that resolves the promise */
  #asked = new Map();
  #number = 0;
  /** @type {State | null} the last one of this connection */
  #state = null;
  #leaving = false; // for another session: the connection is not lost
  #token = location.pathname.startsWith("/join/") ? location.pathname.slice("/join/".length) : ""; // of the link by which the page came

  /** @param {() => Record<string, unknown>} hello returns the first message */
  constructor(hello) {
    super();
    this.hello = hello;
    this.#socket = this.#open();
  }

  #open() {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = Local ? /** @type {WebSocket} */ (/** @type {unknown} */ (new Local())) : new WebSocket(`${scheme}//${location.host}/ws${this.#token && `?link=${this.#token}`}`);
    socket.onopen = () => {
      this.#pause = 250;
      this.#leaving = false;
      socket.send(JSON.stringify({do: "hello", ...this.hello()}));
    };
    socket.onmessage = event => {
      const message = JSON.parse(event.data);
      if (message.re !== undefined && this.#settle(message.re, message)) return;
      if (message.kind === "delta") { this.#change(message); return; }
      if (message.kind === "state") this.#state = message;
      if (message.kind === "dismissed") this.#leaving = true;
      this.dispatchEvent(new CustomEvent(message.kind, {detail: message}));
    };
    socket.onclose = event => {
      this.#state = null;
      const kind = this.#leaving ? "done" : "error";
      for (const number of [...this.#asked.keys()]) this.#settle(number, {kind, text: ""});
      const ended = Boolean(this.#token) && event.code === 1008;
      if (!this.#leaving) this.dispatchEvent(new CustomEvent("lost", {detail: {full: event.code === 1013, ended}}));
      if (ended) return;
      setTimeout(() => { this.#socket = this.#open(); }, this.#pause);
      this.#pause = Math.min(2 * this.#pause, LONGEST);
    };
    return socket;
  }

  /** @param {Delta} delta */
  #change(delta) {
    if (this.#state?.seq !== delta.base) { this.#state = null; this.say("resync"); return; }
    this.#state = changed(this.#state, delta);
    this.dispatchEvent(new CustomEvent("state", {detail: this.#state}));
  }

  /** @param {number} number @param {{kind: string, text: string}} message */
  #settle(number, message) {
    const settle = this.#asked.get(number);
    this.#asked.delete(number);
    settle?.(message);
    return Boolean(settle);
  }

  /**
   * Send a message; tell whether there is a connection.
   * @template {keyof Messages} K
   * @param {K} name
   * @param {Fields<K>} fields
   */
  say(name, ...[fields]) {
    return this.#send({do: name, ...fields});
  }

  /** @param {object} message */
  #send(message) {
    if (/** @type {any} */ (message).do !== "comment") this.dispatchEvent(new Event("saying"));
    const open = this.#socket.readyState === WebSocket.OPEN;
    if (open) this.#socket.send(JSON.stringify(message));
    return open;
  }

  /**
   * Send a message and wait; resolves to null on success, else to the reason ("" if there is no connection).
   * @template {keyof Messages} K
   * @param {K} name
   * @param {Fields<K>} fields
   * @returns {Promise<string | null>}
   */
  async ask(name, ...[fields]) {
    if (this.#socket.readyState !== WebSocket.OPEN) return "";
    const re = ++this.#number;
    const answer = await new Promise(resolve => {
      this.#asked.set(re, resolve);
      this.#send({do: name, ...fields, re});
    });
    return answer.kind === "done" ? null : answer.text;
  }

  /** Reconnect at once, with another session's name. */
  again() {
    this.#pause = 0;
    this.#leaving = true;
    this.#socket.close();
  }

  /** @template {keyof Heard} K @param {K} kind @param {(message: Heard[K]) => void} listener */
  on(kind, listener) {
    this.addEventListener(kind, event => listener(/** @type {CustomEvent} */ (event).detail));
  }
}

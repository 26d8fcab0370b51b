// The WebSocket: says hello with the session's name, reconnects after a break, passes messages to listeners.

const LONGEST = 5000; // ms between two attempts
const DONE = 20_000; // timeout of an answer in ms

export class Link extends EventTarget {
  /** @type {WebSocket} */
  #socket;
  #pause = 250;
  /** @type {Map<number, (answer: {kind: string, text: string}) => void>} by number: the function that resolves the promise */
  #asked = new Map();
  #number = 0;
  #leaving = false; // for another session: the connection is not lost

  /** @param {() => Record<string, unknown>} hello returns the first message */
  constructor(hello) {
    super();
    this.hello = hello;
    this.#socket = this.#open();
  }

  #open() {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}/ws`);
    socket.onopen = () => {
      this.#pause = 250;
      this.#leaving = false;
      socket.send(JSON.stringify({do: "hello", ...this.hello()}));
    };
    socket.onmessage = event => {
      const message = JSON.parse(event.data);
      if (message.re !== undefined && this.#settle(message.re, message)) return;
      this.dispatchEvent(new CustomEvent(message.kind, {detail: message}));
    };
    socket.onclose = event => {
      const kind = this.#leaving ? "done" : "error";
      for (const number of [...this.#asked.keys()]) this.#settle(number, {kind, text: ""});
      if (!this.#leaving) this.dispatchEvent(new CustomEvent("lost", {detail: {full: event.code === 1013}}));
      setTimeout(() => { this.#socket = this.#open(); }, this.#pause);
      this.#pause = Math.min(2 * this.#pause, LONGEST);
    };
    return socket;
  }

  /** @param {number} number @param {{kind: string, text: string}} message */
  #settle(number, message) {
    const settle = this.#asked.get(number);
    this.#asked.delete(number);
    settle?.(message);
    return Boolean(settle);
  }

  /** Send a message; tell whether there is a connection. @param {string} name @param {object} fields */
  say(name, fields = {}) {
    const open = this.#socket.readyState === WebSocket.OPEN;
    if (open) this.#socket.send(JSON.stringify({do: name, ...fields}));
    return open;
  }

  /**
   * Send a message and wait; resolves to null on success, else to the reason ("" if there is no answer).
   * @param {string} name
   * @param {object} fields
   * @returns {Promise<string | null>}
   */
  async ask(name, fields = {}) {
    if (this.#socket.readyState !== WebSocket.OPEN) return "";
    const re = ++this.#number;
    const answer = await new Promise(resolve => {
      this.#asked.set(re, resolve);
      setTimeout(() => this.#settle(re, {kind: "error", text: ""}), DONE);
      this.say(name, {...fields, re});
    });
    return answer.kind === "done" ? null : answer.text;
  }

  /** Reconnect at once, with another session's name. */
  again() {
    this.#pause = 0;
    this.#leaving = true;
    this.#socket.close();
  }

  /** @param {string} kind @param {(message: any) => void} listener */
  on(kind, listener) {
    this.addEventListener(kind, event => listener(/** @type {CustomEvent} */ (event).detail));
  }
}

// The WebSocket: says hello with the session's name, reconnects after a break, passes messages to listeners.
// Listeners of "state" get the whole state each time; the server sends it once, then what has changed.

const LONGEST = 5000; // ms between two attempts
const DONE = 20_000; // timeout of an answer in ms

const spliced = (items, splices) => {
  const made = [...items];
  for (const [start, count, added] of splices ?? []) made.splice(start, count, ...added);
  return made;
};

// The state after a delta: a new object, as listeners compare it with the one before.
function changed(state, {seq, fields, labels, line, svg}) {
  const made = {...state, ...fields, seq, labels: {...state.labels, ...labels}, line: spliced(state.line, line)};
  for (const name in labels) if (labels[name] === null) delete made.labels[name];
  if (svg) made.svg = spliced(state.svg.split("\n"), svg).join("\n");
  return made;
}

export class Link extends EventTarget {
  #socket = null;
  #pause = 250;
  #asked = new Map(); // by number: the function that resolves the promise
  #number = 0;
  #state = null; // the last one of this connection

  constructor(hello) {
    super();
    this.hello = hello; // () -> the first message
    this.#open();
  }

  #open() {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = this.#socket = new WebSocket(`${scheme}//${location.host}/ws`);
    socket.onopen = () => {
      this.#pause = 250;
      socket.send(JSON.stringify({do: "hello", ...this.hello()}));
    };
    socket.onmessage = event => {
      const message = JSON.parse(event.data);
      if (message.re !== undefined && this.#settle(message.re, message)) return;
      if (message.kind === "delta") { this.#change(message); return; }
      if (message.kind === "state") this.#state = message;
      this.dispatchEvent(new CustomEvent(message.kind, {detail: message}));
    };
    socket.onclose = event => {
      this.#state = null;
      for (const number of [...this.#asked.keys()]) this.#settle(number, {kind: "error", text: ""});
      this.dispatchEvent(new CustomEvent("lost", {detail: {full: event.code === 1013}}));
      setTimeout(() => this.#open(), this.#pause);
      this.#pause = Math.min(2 * this.#pause, LONGEST);
    };
  }

  #change(delta) {
    if (this.#state?.seq !== delta.base) { this.#state = null; this.say("resync"); return; }
    this.#state = changed(this.#state, delta);
    this.dispatchEvent(new CustomEvent("state", {detail: this.#state}));
  }

  #settle(number, message) {
    const settle = this.#asked.get(number);
    this.#asked.delete(number);
    settle?.(message);
    return Boolean(settle);
  }

  say(name, fields = {}) {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify({do: name, ...fields}));
  }

  // Send a message and wait; resolves to null on success, else to the reason ("" if there is no answer).
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

  // Reconnect at once, for example with another session's name.
  again() { this.#pause = 0; this.#socket.close(); }

  on(kind, listener) {
    this.addEventListener(kind, event => listener(event.detail));
  }
}

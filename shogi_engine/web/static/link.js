// The WebSocket: says hello with the session's name, comes back after a break, hands messages to whoever listens.

const LONGEST = 5000; // ms between two attempts

export class Link extends EventTarget {
  #socket = null;
  #pause = 250;

  constructor(hello) {
    super();
    this.hello = hello; // () -> what the first message says
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
      this.dispatchEvent(new CustomEvent(message.kind, {detail: message}));
    };
    socket.onclose = event => {
      this.dispatchEvent(new CustomEvent("lost", {detail: {full: event.code === 1013}}));
      setTimeout(() => this.#open(), this.#pause);
      this.#pause = Math.min(2 * this.#pause, LONGEST);
    };
  }

  say(name, fields = {}) {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify({do: name, ...fields}));
  }

  on(kind, listener) {
    this.addEventListener(kind, event => listener(event.detail));
  }
}

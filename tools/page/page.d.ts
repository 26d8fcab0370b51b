// The types of the page's scripts that are not in protocol.d.ts, and elements by their names.

type Game = "shogi" | "othello";
type Side = 0 | 1;
type Link = import("../../shogi_engine/web/static/link.js").Link;

type State = Replies["state"];
type Delta = Replies["delta"];
type Info = Replies["info"];
type Explored = Replies["explored"];

/** What a link hears: the server, and that the connection is lost. */
interface Heard extends Replies {
  lost: {full: boolean; ended: boolean};
}

/** The arguments after the name of a message: its fields, unless it needs none. */
type Fields<K extends keyof Messages> = {} extends Messages[K] ? [fields?: Messages[K]] : [fields: Messages[K]];

interface Elements {
  comment: HTMLTextAreaElement;
  multipv: HTMLSelectElement;
  effort: HTMLSelectElement & {value: Messages["judge"]["effort"]};
  position: HTMLInputElement;
  judging: HTMLProgressElement;
  notes: HTMLDetailsElement;
  explorer: HTMLDetailsElement;
  source: HTMLSelectElement;
  dialog: HTMLDialogElement;
  promotion: HTMLDialogElement;
}

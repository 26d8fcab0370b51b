// The types of the page's scripts: what the server sends (see view.py), and elements by their names.

type Game = "shogi" | "othello";
type Side = 0 | 1;
type Verdict = "blunder" | "mistake" | "inaccuracy";
type Link = import("../../shogi_engine/web/static/link.js").Link;

/** A line of moves after a move of the game: in the game's and in the user's notation. */
interface Line {
  node: number;
  moves: string[];
  texts: string[];
}

interface Variation {
  depth: number;
  ply: number;
  moves: [number: number, text: string, comment: string][];
}

/** A move of the game with its variations. */
interface Row {
  node: number;
  text: string;
  chance?: number;
  value?: string;
  exact?: boolean;
  verdict?: Verdict;
  loss?: number;
  seconds?: number;
  comment?: string;
  others?: Variation[];
}

interface Ending {
  name: string;
  winner: Side | null;
  discs?: [number, number];
}

interface Playing {
  on: boolean;
  players: (number | null)[];
  thinking: boolean;
  live: number;
  passing: boolean;
  over: Ending | null;
  played: boolean;
  clock: { seconds: number[]; byoyomi: number; side: Side | null } | null;
}

interface Told extends Line {
  class: Verdict | "";
  called: string;
  loss: number;
  given: string;
  why: string[];
  score: string;
}

interface Summary {
  counts: Record<string, number>[];
  agreement: (number | null)[];
}

interface Tsume {
  status: string;
  length: number;
  left: number;
  made: number;
  number?: number;
  plies?: number;
  grade?: number;
  count?: number;
  lesson?: Lesson;
}

/** A problem of the user's own mistakes; `place` of `count` of a game that was judged just now, else `count` is 0. */
interface Lesson {
  task: string;
  source: string;
  due: number;
  place: number;
  count: number;
  over: boolean;
  back: number;
  refutation: Line | null;
  solution: Line | null;
  played: string;
  why: string[];
}

/** How many of these problems are due; `new` were made just now. */
interface Counts {
  due: number;
  total: number;
  next: number;
  new: number | null;
}

interface State {
  seq: number;
  session: string;
  game: Game;
  language: string;
  flipped: boolean;
  narrow: boolean;
  pieces: string;
  svg: string;
  turn: Side;
  position: string;
  check: boolean;
  targets: Record<string, Record<string, string[]>>;
  labels: Record<string, string>;
  counts: number[] | null;
  ply: number;
  node: number;
  branch: number;
  line: Row[];
  last: string;
  before: number;
  comment: string;
  title: string;
  names: string[];
  about: Record<string, string>;
  handicap: string;
  ended: Ending | null;
  playing: Playing;
  may_declare: boolean;
  analysis: { on: boolean; multipv: number };
  judging: number | null;
  mating: boolean;
  verdict: Told | null;
  summary: Summary | null;
  setup: Record<string, number>[] | null;
  tsume: Tsume | null;
  learn: "" | "ready" | "making";
  role: { owner: boolean; side: Side | null };
  guests: Side[];
  removed: boolean;
  kept: boolean;
  unsaved: string;
  formats: string[];
  engine: { ready: boolean; fault: string };
}

interface AnalysisLine {
  score: string;
  mate: boolean;
  exact: boolean;
  chance: number;
  depth: number;
  texts: string[];
  moves: string[];
}

/** A report of an analysis. */
interface Info {
  node: number;
  flipped: boolean;
  narrow: boolean;
  depth: number;
  nodes: number;
  nps: number;
  lines: AnalysisLine[];
  arrows: string;
}

interface KeptGame {
  id: string;
  time: number;
  game: Game;
  title?: string;
  moves?: number;
  result?: string;
  on?: boolean;
  here?: boolean;
}

/** A move of the explorer, in the game's and in the user's notation, with the results of its games. */
interface ExploredMove {
  move: string;
  text: string;
  games: number;
  black: number;
  draws: number;
  white: number;
  score: number | null;
  value: number | null;
}

interface Explored {
  node: number;
  source: string;
  sources: string[];
  rows: ExploredMove[];
  games: { names: string[]; result: string }[];
}

/** A link to the game. */
interface Shared {
  token: string;
  kind: "own" | "play" | "watch";
  side: Side | null;
  address: string;
  qr: string;
  pages: number;
}

interface Elements {
  comment: HTMLTextAreaElement;
  multipv: HTMLSelectElement;
  effort: HTMLSelectElement;
  position: HTMLInputElement;
  judging: HTMLProgressElement;
  notes: HTMLDetailsElement;
  explorer: HTMLDetailsElement;
  source: HTMLSelectElement;
  dialog: HTMLDialogElement;
  promotion: HTMLDialogElement;
}

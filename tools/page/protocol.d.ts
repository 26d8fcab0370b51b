// Made by `python -m tools.generate`: what the server sends, and what the page may say.

/** A variation: how deep it is in others, the ply of its first move, and the number, text and comment of each. */
interface Variation {
  depth: number;
  ply: number;
  moves: [number, string, string][];
}

/** A move of the game, with the variations that begin in its place. */
interface Row {
  node: number;
  text: string;
  chance?: number;
  value?: string;
  exact?: boolean;
  verdict?: "blunder" | "mistake" | "inaccuracy" | "";
  loss?: number;
  lost?: number;
  seconds?: number;
  comment?: string;
  others?: Variation[];
}

/** How a game ended; the name is '' for the usual reason by the rules. Where discs decide, they are both sides'. */
interface Ending {
  name: string;
  winner: 0 | 1 | null;
  discs?: [number, number];
}

/** The clocks: both sides' remaining seconds, the byoyomi, and whose runs. */
interface Times {
  seconds: number[];
  byoyomi: number;
  side: 0 | 1 | null;
}

/** The game that is played: a level for each side, None for a human; `played` if it is over. */
interface Playing {
  on: boolean;
  players: (number | null)[];
  thinking: boolean;
  live: number;
  passing: boolean;
  over: Ending | null;
  played: boolean;
  clock: Times | null;
}

/** Whether live analysis is on, and its number of lines. */
interface Live {
  on: boolean;
  multipv: number;
}

/** What is said of a judged move, with the better line. */
interface Told {
  node: number;
  moves: string[];
  texts: string[];
  class: "blunder" | "mistake" | "inaccuracy" | "";
  called: string;
  loss: number;
  given: string;
  score: string;
  why: string[];
}

/** How a judged game was played. */
interface Summary {
  counts: Record<string, number>[];
  agreement: (number | null)[];
}

/** A line of moves after a move of the game: in the game's and in the user's notation. */
interface Line {
  node: number;
  moves: string[];
  texts: string[];
}

/** A problem of the user's own mistakes, or a lesson; `place` of `count` of one round, else `count` is 0. */
interface Lesson {
  title: string;
  task: string;
  source: string;
  due: number;
  place: number;
  count: number;
  over: boolean;
  lines: boolean;
  back: number;
  refutation: Line | null;
  solution: Line | null;
  played: string;
  why: string[];
}

/** A problem: the plies to mate at its start and now, the moves made; then those of one problem of the collection. */
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

/** What a page may do. Pages of one look and role are sent the same. */
interface Role {
  owner: boolean;
  side: 0 | 1 | null;
}

/** Somebody at the board: a name, '' for none, and the side that is played, None for none. */
interface Person {
  name: string;
  side: 0 | 1 | null;
  owner: boolean;
}

/** What one of two people asks of the other: to take back, or a draw, after move `node` of the game. */
interface Asked {
  what: "draw" | "undo";
  side: 0 | 1;
  node: number;
}

/** Whether the game's engine is ready, and what is wrong with it, '' if nothing is. */
interface EngineState {
  ready: boolean;
  fault: string;
}

/** A line of live analysis; the values are black's. */
interface AnalysisLine {
  score: string;
  mate: boolean;
  exact: boolean;
  chance: number;
  depth: number;
  texts: string[];
  moves: string[];
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

/** A game of the explorer. */
interface ExploredGame {
  names: string[];
  result: string;
}

/** A saved game: whether it is being played, when it was changed (Unix time), whether it is on the board. */
interface KeptGame {
  id: string;
  game: "shogi" | "othello";
  title: string;
  moves: number;
  result: string;
  on: boolean;
  time: number;
  here: boolean;
}

/** A link to the game: its address and the QR code of that, and the number of pages that came by it. */
interface Shared {
  token: string;
  kind: "own" | "play" | "watch";
  side: 0 | 1 | null;
  address: string;
  qr: string;
  pages: number;
}

/** The messages to pages, by kind. */
interface Replies {
  /** All that a page shows. `seq` numbers the changes of a session. */
  state: {
    seq: number;
    session: string;
    game: "shogi" | "othello";
    language: string;
    flipped: boolean;
    narrow: boolean;
    pieces: string;
    svg: string;
    turn: 0 | 1;
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
    analysis: Live;
    judging: number | null;
    mating: boolean;
    verdict: Told | null;
    warning: Told | null;
    summary: Summary | null;
    setup: Record<string, number>[] | null;
    tsume: Tsume | null;
    learn: "" | "making" | "ready";
    role: Role;
    guests: (0 | 1)[];
    people: Person[];
    asked: Asked | null;
    removed: boolean;
    kept: boolean;
    unsaved: string;
    formats: string[];
    engine: EngineState;
  };
  /** What has changed since the state number `base`. */
  delta: {
    seq: number;
    base: number;
    fields: Record<string, any>;
    labels?: Record<string, string | null>;
    line?: [number, number, any[]][];
    svg?: [number, number, any[]][];
  };
  /** A report of live analysis. */
  info: {
    node: number;
    flipped: boolean;
    narrow: boolean;
    depth: number;
    seldepth: number;
    nodes: number;
    nps: number;
    lines: AnalysisLine[];
    arrows: string;
  };
  /** The moves of the position after a move of the game: from one source, and which others there are. */
  explored: {
    node: number;
    names: string[];
    source: string;
    sources: string[];
    rows: ExploredMove[];
    games: ExploredGame[];
  };
  /** A game's engine is ready. */
  engine: {
    game: string;
  };
  /** How far the game has been judged, and the value found last. */
  progress: {
    share: number;
    node: number;
    chance: number;
  };
  /** The result of a search for a mate. */
  mate: {
    result: string;
    length: number;
    texts: string[];
    moves: string[];
    node: number;
  };
  /** A search failed: what it was for, and a text for the user. The user may ask again. */
  failed: {
    what: string;
    text: string;
  };
  /** A saved game: its content in base64, and what the format cannot hold. */
  file: {
    name: string;
    data: string;
    lost: string[];
  };
  /** The games of the file that was opened. */
  games: {
    titles: string[];
    number: number;
  };
  /** The user's games. */
  kept: {
    games: KeptGame[];
  };
  /** The game that was on the board before, and can be opened again. */
  left: {
    id: string;
  };
  /** The links to the game on the board, with their addresses and QR codes; whether only this machine can use them. */
  links: {
    links: Shared[];
    local: boolean;
  };
  /** The page may no longer show this game. The connection ends. */
  dismissed: {
  };
  /** The game is open in another session: the page goes there. */
  join: {
    session: string;
  };
  /** The plies and the grade of each problem, and whether it was solved; the number of the problem of the day. */
  problems: {
    rows: [number, number, number][];
    daily: number;
  };
  /** The lessons of a game: the name and the title of each, and whether it was done. */
  course: {
    game: "shogi" | "othello";
    rows: [string, string, number][];
  };
  /** The problems of the user's own mistakes: how many are due, and how many there are. */
  lessons: {
    due: number;
    total: number;
    next: number;
    new: number | null;
    lines: boolean;
    repertoire: number[];
  };
  /** All turning points of the game were given: how many there were, and how many were solved at the first try. */
  tried: {
    found: number;
    count: number;
  };
  /** The next move of the problem. */
  hint: {
    node: number;
    move: string;
    text: string;
  };
  /** The board after a line of moves. */
  preview: {
    node: number;
    moves: string[];
    svg: string;
  };
  /** A diagram of the position on the board, and what the page makes of it: the name of the file. */
  diagram: {
    name: string;
    svg: string;
  };
  /** The answer to a ping. */
  pong: {
  };
  /** The message with this number was obeyed, and what it changed is on disk if `unsaved` does not say otherwise. */
  done: {
    re: number;
  };
  /** A message was refused, that with this number if there is one. */
  error: {
    text: string;
    re?: number;
  };
}

/** The fields of the pages' messages, by what they do. */
interface Messages {
  look: {language?: "en" | "ja" | null; flipped?: boolean | null; narrow?: boolean | null; pieces?: "kanji" | "mincho" | "two" | "letters" | null; words?: "kyu" | "dan" | null};
  hello: {language?: "en" | "ja" | null; flipped?: boolean | null; narrow?: boolean | null; pieces?: "kanji" | "mincho" | "two" | "letters" | null; words?: "kyu" | "dan" | null; session?: string; owner?: string; name?: string};
  resync: {};
  ping: {};
  game: {game: "shogi" | "othello"};
  new: {game: "shogi" | "othello"; players: (number | null)[]; clock?: string; handicap?: string; here?: boolean; xot?: boolean; coach?: boolean};
  rematch: {};
  resign: {};
  declare: {};
  think: {};
  stop: {};
  level: {side: 0 | 1; level: number};
  kept: {text?: string; result?: "" | "*" | "0-1" | "1-0" | "1/2-1/2"};
  continue: {id: string};
  forget: {id: string};
  recall: {id: string};
  move: {move: string};
  step: {to: "above" | "back" | "below" | "first" | "last" | "next"};
  go: {node: number};
  undo: {};
  delete: {};
  promote: {};
  restore: {};
  comment: {text: string; node?: number | null};
  line: {node: number; moves: string[]; go?: number};
  preview: {node: number; moves: string[]};
  name: {name: string};
  ask: {what: "draw" | "undo"};
  answer_to: {what: "draw" | "undo"; node: number; yes: boolean};
  setup: {on: boolean; keep?: boolean};
  put: {square: string; piece: string};
  hand: {side: 0 | 1; piece: string; count: number};
  turn: {side: 0 | 1};
  board: {which: "empty" | "rest" | "start" | "swap" | "tsume"};
  analyse: {on: boolean; multipv?: number | null};
  judge: {on: boolean; effort?: "deep" | "normal" | "quick"};
  mate: {};
  explore: {node: number; source: "book" | "index" | "mine"};
  tsume: {on: boolean; problem?: number; daily?: boolean};
  problems: {};
  hint: {};
  learn: {side: 0 | 1};
  lessons: {};
  repertoire: {side: 0 | 1};
  lesson: {on: boolean; lines?: boolean};
  course: {game: "shogi" | "othello"};
  take: {game: "shogi" | "othello"; lesson?: string};
  better: {side?: 0 | 1 | null};
  answer: {};
  open: {name: string; data: string; number?: number};
  paste: {text: string; number?: number};
  save: {format: string};
  about: {names: string[]; title?: string; event?: string; site?: string; started?: string};
  diagram: {style?: "book" | "colour"; kind?: "png" | "svg"};
  sheet: {length?: number; lines?: boolean};
  links: {};
  invite: {to: "own" | "play" | "watch"; side?: 0 | 1};
  revoke: {token: string};
}

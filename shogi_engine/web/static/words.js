// The texts of the page, in English and Japanese.

const WORDS = {
  en: {
    shogi: "Shogi", othello: "Othello", games: "Game", menu: "Menu", new: "New game", open: "Open", save: "Save",
    setup: "Set up", tsume: "Tsume", letters: "Letters on the pieces", language: "日本語", theme: "Dark or light",
    board: "Board", controls: "Steps and moves", panels: "Analysis and moves",
    first: "First position", back: "Back", next: "Forward", last: "Last position", flip: "Turn the board",
    undo: "Take back", think: "Engine moves", declare: "Declare a win", resign: "Resign",
    analysis: "Analysis", lines: "Lines", analyse: "Analyse", depth: "depth {depth}, {nodes} nodes, {nps}/s",
    waiting: "waiting for an engine …", mate: "Find mate", mating: "looking for a mate …",
    moves: "Moves", effort: "Effort", quick: "quick", normal: "normal", deep: "deep", judge: "Judge the game",
    stopJudging: "Stop", judging: "Judging the game", comment: "Comment", keep: "Keep", delete: "Delete this move",
    position: "Position", copy: "Copy", copied: "copied", start: "Start", variation: "or {moves}",
    black: "Black", white: "White", human: "Human", engine: "Engine", level: "level {level}", full: "full strength",
    toMove: "{side} to move", yourMove: "Your move", thinking: "The engine is thinking …", check: "check", passes: "Pass",
    mustPass: "{side} can only pass.", wins: "{side} wins", draw: "Draw", ended: "{result}: {reason}",
    preparing: "Preparing the engine: {percent} %", preparingOnce: "Preparing the engine …", noEngine: "No engine: {fault}",
    lost: "The connection is lost; trying again …", full_server: "The server is full; please try again later.",
    chance: "Black’s winning chance {percent} %", graph: "Black’s winning chance, move by move",
    better: "better ({score}):", gave: "gave away {percent} % ({given})",
    mateFound: "Mate in {length}:", nomate: "There is no mate by checks.", timeout: "Nothing was proven.",
    promote: "Promote?", yes: "Promote", no: "Do not promote", cancel: "Cancel", close: "Close",
    you: "You play", random: "by lot", both: "both sides", none: "neither", strength: "Strength", handicap: "Handicap",
    even: "even game", clock: "Clock", noClock: "no clock", ownClock: "other: main+byoyomi+increment", here: "from the position on the board", begin: "Begin",
    weakest: "0 is a beginner, {strongest} the engine at full strength",
    openTitle: "Open a game", pasteHere: "Paste SFEN, KIF, KI2, CSA, USI or a transcript", file: "or choose a file", read: "Read",
    chooseGame: "{count} games in this file", game: "Game {number}",
    byoyomi: "byoyomi", saveTitle: "Save the game", lostInFile: "not kept by this format: {what}",
    setupTitle: "Set up a position", piece: "Piece", nothing: "Empty", startBoard: "Start", emptyBoard: "Clear",
    rest: "Rest to White", done: "Done", hands: "In hand", turn: "To move", more: "one more {piece}", fewer: "one fewer {piece}",
    setupHint: "Choose a piece, then tap squares.", discs: "Discs",
    tsumeTitle: "Tsume: mate by checks", solveThis: "The position on the board", problem: "{number}: mate in {length}",
    tsumeHint: "Mate the king; every move must give check. The engine defends.",
    tsume_searching: "Looking for the mate …", tsume_yours: "Mate in {left}. Your move.", tsume_open: "Your move.",
    tsume_right: "Right! Mate in {left}. Your move.", tsume_longer: "That mates too, but takes longer: mate in {left} now.",
    tsume_slow: "Mate, in {made}. There is one in {length}.",
    tsume_defending: "The engine defends …", tsume_solved: "Mate! Solved.", tsume_unknown: "No mate was proven, but try.",
    tsume_lost: "Wrong: now the king escapes. Take back.", "tsume_no mate": "There is no mate here.",
    leave: "Leave", again: "Again", nextProblem: "Next problem", solution: "Show the solution",
    kept: "My games", keptNote: "Every game is kept on the server as it is played.", noGames: "No game is kept yet.",
    goOn: "Continue", look: "Open", remove: "Delete", removedGame: "Deleted.", bring_back: "Undo", removed: "Moves deleted.", hereNow: "on the board",
    left: "The game before is in My games.", back_to_it: "Back to it", unfinished: "not over", movesMade: "{count} moves",
    guide: "How the pieces move", guideHint: "A dot is a step, a bar any distance. The knight leaps. Promoted pieces are red: move into, within or out of the last three ranks.",
    sound: "Sound", addLine: "Put this line into the game", promoteHalf: "upper half: promote",
    called_blunder: "blunder", called_mistake: "mistake", called_inaccuracy: "inaccuracy", turning: "Turning points", noTurning: "No move gave much away.",
    summary: "The game in figures", agreement: "as the engine", rematch: "Rematch",
    resign_ask: "Give this game up?", clipboard: "From the clipboard",
    squareEmpty: "empty", blackwins: "Black", whitewins: "White",
    "end_": "the game is over", end_resignation: "resignation", end_mate: "mate", end_time: "time", end_repetition: "repetition",
    end_declaration: "declaration", "end_max moves": "too many moves",
    "end_perpetual check": "perpetual check", "end_no legal move": "no legal move", end_try: "try",
  },
  ja: {
    shogi: "将棋", othello: "オセロ", games: "種目", menu: "メニュー", new: "対局", open: "開く", save: "保存",
    setup: "局面編集", tsume: "詰将棋", letters: "駒を英字にする", language: "English", theme: "明暗の切替",
    board: "盤", controls: "操作", panels: "解析と棋譜",
    first: "最初へ", back: "一手戻る", next: "一手進む", last: "最後へ", flip: "盤を反転",
    undo: "待った", think: "次の一手", declare: "宣言勝ち", resign: "投了",
    analysis: "検討", lines: "候補", analyse: "検討する", depth: "深さ {depth}　{nodes} 局面　毎秒 {nps}",
    waiting: "エンジンの順番待ち …", mate: "詰み探索", mating: "詰みを探しています …",
    moves: "棋譜", effort: "解析の深さ", quick: "速い", normal: "標準", deep: "深い", judge: "棋譜解析",
    stopJudging: "中止", judging: "棋譜を解析しています", comment: "コメント", keep: "記入", delete: "この手を削除",
    position: "局面", copy: "コピー", copied: "コピーしました", start: "開始局面", variation: "変化 {moves}",
    black: "先手", white: "後手", human: "人", engine: "エンジン", level: "レベル {level}", full: "最強",
    toMove: "{side}の番", yourMove: "あなたの番です", thinking: "エンジンが考えています …", check: "王手", passes: "パス",
    mustPass: "{side}はパスしかできません。", wins: "{side}の勝ち", draw: "引き分け", ended: "{result}（{reason}）",
    preparing: "エンジンの準備中 {percent} %", preparingOnce: "エンジンの準備中 …", noEngine: "エンジンがありません: {fault}",
    lost: "接続が切れました。再接続しています …", full_server: "混み合っています。後でお試しください。",
    chance: "{black}の勝率 {percent} %", graph: "{black}の勝率の推移",
    better: "最善 ({score}):", gave: "損失 {percent} %（{given}）",
    mateFound: "{length}手詰:", nomate: "王手の連続による詰みはありません。", timeout: "時間内に結論が出ませんでした。",
    promote: "成りますか", yes: "成る", no: "成らない", cancel: "取消", close: "閉じる",
    you: "あなた", random: "振り駒", both: "両方", none: "なし（エンジン同士）", strength: "強さ", handicap: "手合割",
    even: "平手", clock: "持時間", noClock: "なし", ownClock: "その他: 持時間+秒読み+加算", here: "現在の局面から", begin: "対局開始",
    weakest: "0 が入門、{strongest} が最強です",
    openTitle: "棋譜を開く", pasteHere: "SFEN・KIF・KI2・CSA・USI・記録を貼り付け", file: "またはファイルを選択", read: "読み込む",
    chooseGame: "このファイルには {count} 局あります", game: "第 {number} 局",
    byoyomi: "秒読み", saveTitle: "棋譜を保存", lostInFile: "この形式では保存されません: {what}",
    setupTitle: "局面編集", piece: "駒", nothing: "空き", startBoard: "初期配置", emptyBoard: "全て消す",
    rest: "残りを後手へ", done: "完了", hands: "持駒", turn: "手番", more: "{piece}を増やす", fewer: "{piece}を減らす",
    setupHint: "駒を選んでから升目を押してください。", discs: "石",
    tsumeTitle: "詰将棋", solveThis: "盤上の局面", problem: "第{number}問（{length}手詰）",
    tsumeHint: "王手の連続で玉を詰めてください。エンジンが最善で逃げます。",
    tsume_searching: "詰みを調べています …", tsume_yours: "{left}手詰です。あなたの番です。", tsume_open: "あなたの番です。",
    tsume_right: "正解です！ あと{left}手詰。", tsume_longer: "詰みますが遠回りです。あと{left}手詰。",
    tsume_slow: "{made}手で詰みました。最短は{length}手詰です。",
    tsume_defending: "玉方が考えています …", tsume_solved: "詰みました。正解です。", tsume_unknown: "詰みは証明されていません。",
    tsume_lost: "不正解です。玉が逃れます。待ったをどうぞ。", "tsume_no mate": "この局面に詰みはありません。",
    leave: "終わる", again: "もう一度", nextProblem: "次の問題", solution: "正解を見る",
    kept: "自分の対局", keptNote: "対局は一手ごとにサーバーへ保存されます。", noGames: "保存された対局はまだありません。",
    goOn: "続ける", look: "開く", remove: "削除", removedGame: "削除しました。", bring_back: "元に戻す", removed: "手を削除しました。", hereNow: "盤上",
    left: "前の対局は「自分の対局」にあります。", back_to_it: "前の対局へ戻る", unfinished: "途中", movesMade: "{count}手",
    guide: "駒の動き", guideHint: "点は一マス、棒はどこまでも。桂は飛び越えます。赤は成駒で、敵陣三段に入る・動く・出るときに成れます。",
    sound: "音", addLine: "この手順を棋譜に加える", promoteHalf: "上半分で成",
    called_blunder: "悪手", called_mistake: "疑問手", called_inaccuracy: "緩手", turning: "勝負の分かれ目", noTurning: "大きな悪手はありません。",
    summary: "対局のまとめ", agreement: "一致率", rematch: "再戦",
    resign_ask: "この対局を投了しますか。", clipboard: "クリップボードから",
    squareEmpty: "空き",
    "end_": "終局", end_resignation: "投了", end_mate: "詰み", end_time: "時間切れ", end_repetition: "千日手",
    end_declaration: "入玉宣言", "end_max moves": "手数制限",
    "end_perpetual check": "連続王手の千日手", "end_no legal move": "詰み", end_try: "トライ",
  },
};

// Errors from the server that users see.
const REFUSALS = {
  "it is not your turn": "あなたの番ではありません。",
  "this move gives no check": "王手ではありません。",
  "please wait: the engine is thinking": "エンジンが考えています。お待ちください。",
  "there is no move to take back": "戻す手がありません。",
  "there are no moves to analyse": "解析する手がありません。",
  "the game is over": "終局しています。",
  "a game is being played": "対局中です。",
  "a position is being set up": "局面編集中です。",
  "this game is gone": "この対局はもうありません。",
  "this game is open in another tab": "この対局は別のタブで開いています。",
  "there is nothing to bring back": "元に戻す手がありません。",
  "there is no win to declare": "宣言勝ちの条件を満たしていません。",
};

let language = "en";
let game = "shogi";

export const speak = (name, played) => { language = name in WORDS ? name : "en"; game = played || game; };
export const spoken = () => language;

export function side(number, played = game) {
  if (language === "ja" && played === "othello") return number ? "白" : "黒";
  return t(number ? "white" : "black");
}

export function t(key, values = {}) {
  const text = WORDS[language][key] ?? WORDS.en[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (_, name) => name === "black" ? side(0) : values[name] ?? "");
}

export const refusal = text => (language === "ja" && REFUSALS[text]) || text.charAt(0).toUpperCase() + text.slice(1);

export function translate(root = document) {
  document.documentElement.lang = language;
  for (const node of root.querySelectorAll("[data-t]")) node.textContent = t(node.dataset.t);
  for (const node of root.querySelectorAll("[data-label]")) {
    const label = t(node.dataset.label);
    node.setAttribute("aria-label", label);
    if (node.tagName === "BUTTON") node.title = label;
  }
}

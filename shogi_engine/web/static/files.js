// Records where no server reads them: KIF, CSA and USI, and Othello's transcripts. What is rare is for shogi_engine itself:
// other formats, games with a time control, endings in sentences.

import {CSA_PIECES, ENDINGS, HANDICAP_NAMES, HEADERS, KIF_PIECES, START} from "./local_facts.js";
import {number_of, parts, written} from "./picture.js";

/**
 * A record. A node's parent is the index of another node; the first node is the start.
 * @typedef {{move: string, parent: number, comment: string, seconds?: number}} Move
 * @typedef {{game: Game, start: string, names: string[], headers: Record<string, string>, nodes: Move[], ended: {reason: string, winner: number | null} | null, unknown?: string}} Read
 */

const RANKS = "一二三四五六七八九", WIDE = "１２３４５６７８９", LETTERS = "abcdefghi";
/** @param {Record<string, string>} table */
const turned = table => Object.fromEntries(Object.entries(table).map(([key, value]) => [value, key]));
/** @type {Record<string, string>} */
const KIF_KINDS = {...turned(KIF_PIECES), 王: "K", 竜: "+R", 龍: "+R", 馬: "+B", 杏: "+L", 圭: "+N", 全: "+S", 成香: "+L", 成桂: "+N", 成銀: "+S"};
const CSA_KINDS = turned(CSA_PIECES);
/** @param {string} digits file and rank: "77" */
const square = digits => `${digits[0]}${LETTERS[Number(digits[1]) - 1]}`;
/** @param {string} square "7g" */
const digits = square => `${square[0]}${LETTERS.indexOf(square[1]) + 1}`;
/** @param {Game} game @returns {Read} */
export const blank = (game, start = START[game]) => ({game, start, names: ["", ""], headers: {}, nodes: [{move: "", parent: -1, comment: ""}], ended: null});

/** The ending that a word means. @param {string} word @param {number} side to move */
function ending(word, side) {
  const [reason, winner] = ENDINGS[word] ?? [];
  return reason === undefined ? null : {reason, winner: winner === "the side to move" ? side : winner === "its opponent" ? 1 - side : {black: 0, white: 1}[winner] ?? null};
}

/** The names of headers, and how their lines begin. @param {string} format */
const headers_of = format => Object.entries(HEADERS).map(([name, [, kif, csa]]) => ({name, begin: format === "csa" ? `$${csa}:` : `${kif}：`}));
/** Take a header, if a line is one. @param {Read} record @param {string} format @param {string} line */
function header(record, format, line) {
  for (const {name, begin} of headers_of(format)) if (line.startsWith(begin)) record.headers[name] = line.slice(begin.length).trim();
}

/** The games of a text. @param {string} text @returns {Read[]} none if it is no record that is known here */
export function read(text) {
  const lines = text.replace(/^\ufeff/, "").split(/\r?\n/), plain = lines.map(each => each.trim()).filter(Boolean);
  const usi = plain.map(each => /^(?:position\s+)?(?:(startpos)|(?:sfen\s+)?((?:[^\s/]+\/){8}\S+ [bw] \S+)(?: (\d+))?)(?:\s+(?:moves\s+)?(.*))?$/.exec(each));
  if (usi.length && usi.every(Boolean)) return usi.map(found => in_line(blank("shogi", found?.[2] && `${found[2]} ${Number(found[3]) || 1}`), (found?.[4] ?? "").split(/\s+/)));
  if (plain.some(each => /^(?:V\d|PI|P1|[+-]\d{4}[A-Z]{2}|[+-]$)/.test(each))) return text.split(/^\/\s*$/m).map(each => csa(each.split(/\r?\n/)));
  if (plain.some(each => /^手数-|^手合割|^\|.*\||^\d+\s+(?:同|[１-９1-9][一二三四五六七八九])/.test(each))) return [kif(lines)];
  const obf = /^([-XO.*]{64})\s*([XO*])\W*$/i.exec(plain[0] ?? "");
  if (obf) return [blank("othello", `${obf[1].toUpperCase().replaceAll("*", "X").replaceAll(".", "-")} ${obf[2].toUpperCase().replace("*", "X")}`)];
  return plain.length && plain.every(each => /^(?:\s*(?:\d+[.)]\s*)?(?:[a-h][1-8]|pass|pa))+$/i.test(each))
    ? plain.map(each => in_line(blank("othello"), (each.toLowerCase().match(/[a-h][1-8]|pa(?:ss)?/g) ?? []).map(move => move.startsWith("pa") ? "pass" : move))) : [];
}

/** A record with moves, and perhaps 'resign' behind them. @param {Read} record @param {string[]} moves */
function in_line(record, moves) {
  for (const move of moves.filter(Boolean)) {
    if (ENDINGS[move]) record.ended = ending(move, (parts(record.game, record.start).side + record.nodes.length - 1) % 2);
    else record.nodes.push({move, parent: record.nodes.length - 1, comment: ""});
  }
  return record;
}

/** @param {string[]} lines */
function kif(lines) {
  const record = blank("shogi"), rows = lines.filter(each => /^\|/.test(each)).slice(0, 9);
  /** @type {number[]} */
  const path = [0]; // the nodes of the line that is read
  const held = (/** @type {RegExp} */ side) => Object.fromEntries([...(lines.find(each => side.test(each)) ?? "").split("：")[1]?.matchAll(/([歩香桂銀金角飛])([十一二三四五六七八九]*)/g) ?? []].map(([, piece, count]) =>
    [KIF_KINDS[piece], (count.startsWith("十") ? 10 : 0) + RANKS.indexOf(count.replace("十", "")) + 1 || (count === "十" ? 10 : 1)]));
  const handicap = HANDICAP_NAMES[/^手合割\s*[：:]\s*(\S+)/m.exec(lines.join("\n"))?.[1] ?? ""];
  if (handicap) record.start = handicap;
  if (rows.length === 9) {
    const cells = rows.flatMap(row => [...row.slice(1).matchAll(/([ v^])(.)/g)].slice(0, 9).map(([, white, name]) => {
      const kind = KIF_KINDS[name] ?? "";
      return white === "v" ? kind.toLowerCase() : kind;
    }));
    record.start = written("shogi", {cells, hands: [held(/^(?:先手|下手)の持駒/), held(/^(?:後手|上手)の持駒/)], side: Number(lines.some(each => /^(?:後手番|上手番)/.test(each))), rest: ""});
  }
  const first = parts("shogi", record.start).side;
  for (const line of lines) {
    const move = /^\s*(\d+)\s+[▲△]?(同|[１-９1-9][一二三四五六七八九])[\s　]*(成[香桂銀]|[^\s　])(不成|成|打)?\s*(?:\((\d\d)\))?(?:\s*\(\s*(\d+):(\d+))?/.exec(line);
    const name = /^(先手|下手|後手|上手)\s*[：:]\s*(.*)/.exec(line), branch = /^変化\s*[：:]\s*(\d+)/.exec(line), other = /^\s*\d+\s+(\S+)/.exec(line), last = path[path.length - 1];
    header(record, "kif", line);
    if (name) record.names["先下".includes(name[1][0]) ? 0 : 1] = name[2].trim();
    else if (branch) path.length = Math.max(1, Math.min(Number(branch[1]), path.length));
    else if (line.startsWith("*")) record.nodes[last].comment += `${record.nodes[last].comment && "\n"}${line.slice(1)}`;
    else if (move && KIF_KINDS[move[3]]) {
      const to = move[2] === "同" ? record.nodes[last].move.slice(2, 4) : `${WIDE.indexOf(move[2][0]) + 1 || move[2][0]}${LETTERS[RANKS.indexOf(move[2][1])]}`;
      const text = move[5] ? `${square(move[5])}${to}${move[4] === "成" ? "+" : ""}` : `${KIF_KINDS[move[3]]}*${to}`;
      path.push(record.nodes.push({move: text, parent: last, comment: "", ...(move[6] ? {seconds: 60 * Number(move[6]) + Number(move[7])} : {})}) - 1);
    } else if (other && path.length === record.nodes.length) record.ended = ending(other[1], (first + path.length - 1) % 2);
  }
  return record;
}

/** @param {string[]} lines */
function csa(lines) {
  const record = blank("shogi");
  /** @type {Record<string, string>} the pieces on the board, by digits */
  const board = {}, rows = lines.filter(each => /^P[1-9]/.test(each)), more = lines.filter(each => /^P[I+-]./.test(each));
  const put = (/** @type {string} */ text) => text.split("/").slice(0, 9).forEach((row, rank) => {
    let file = 9;
    for (const [piece] of row.matchAll(/\d|\+?\D/g)) if (Number(piece)) file -= Number(piece); else board[`${file--}${rank + 1}`] = piece.toUpperCase();
  });
  if (rows.length === 9 || more.length) {
    const cells = rows.length !== 9 ? lines.some(each => each.startsWith("PI")) ? parts("shogi", START.shogi).cells : Array(81).fill("") : rows.flatMap(row => [...row.slice(2).padEnd(27).matchAll(/.{3}/g)].slice(0, 9).map(([each]) => {
      const kind = CSA_KINDS[each.slice(1)] ?? "";
      return each[0] === "-" ? kind.toLowerCase() : kind;
    }));
    /** @type {Record<string, number>[]} */
    const hands = [{}, {}];
    for (const line of more) for (const [, at, piece] of line.slice(2).matchAll(/(\d\d)([A-Z]{2})/g)) {
      const kind = CSA_KINDS[piece] ?? "", hand = hands[Number(line[1] === "-")];
      if (at === "00") hand[kind] = (hand[kind] ?? 0) + 1;
      else cells[number_of("shogi", square(at))] = {I: "", "-": kind.toLowerCase()}[line[1]] ?? kind;
    }
    record.start = written("shogi", {cells, hands, side: Number(lines.some(each => each.trim() === "-")), rest: ""});
  }
  put(record.start.split(" ")[0]);
  for (const line of lines.flatMap(each => /^['N$]/.test(each) ? [each] : each.split(","))) {
    const move = /^[+-](\d\d)(\d\d)([A-Z]{2})/.exec(line), last = record.nodes[record.nodes.length - 1];
    header(record, "csa", line);
    if (/^N[+-]/.test(line)) record.names[line[1] === "+" ? 0 : 1] = line.slice(2).trim();
    else if (move) {
      const [, from, to, piece] = move, kind = CSA_KINDS[piece];
      record.nodes.push({move: from === "00" ? `${kind}*${square(to)}` : `${square(from)}${square(to)}${kind?.startsWith("+") && kind !== board[from] ? "+" : ""}`, parent: record.nodes.length - 1, comment: ""});
      board[to] = kind;
    } else if (/^T\d/.test(line)) last.seconds = Number(line.slice(1));
    else if (line.startsWith("'*")) last.comment += `${last.comment && "\n"}${line.slice(2)}`;
    else if (ENDINGS[line.trim()]) record.ended = ending(line.trim(), (parts("shogi", record.start).side + record.nodes.length - 1) % 2);
    else if (!/^\s*($|[VP'$#%T]|N[+-]|[+-]\s*$)/.test(line)) { record.unknown = line.trim(); break; }
  }
  return record;
}

/** @type {Map<string, number[]>} */
const sjis = new Map();
/** A text in Shift JIS, as KIF has it; null if a character is missing there. @param {string} text */
function shift_jis(text) {
  const decoder = new TextDecoder("shift_jis");
  if (!sjis.size) for (let high = 0x81; high < 0xfd; high++) if (high < 0xa0 || high > 0xdf) for (let low = 0x40; low < 0xfd; low++) sjis.set(decoder.decode(Uint8Array.of(high, low)), [high, low]);
  const bytes = [...text].map(each => each < "\x80" ? [each.charCodeAt(0)] : sjis.get(each));
  return bytes.every(Boolean) ? Uint8Array.from(bytes.flat()) : null;
}

/**
 * A record as a file.
 * @param {Omit<Read, "nodes"> & {nodes: (Move & {children: number[]})[]}} record whose moves that were taken back are no one's children
 * @param {string} format
 * @param {(path: number[]) => string[]} names the moves of a line in KIF's way
 * @returns {{data: Uint8Array, lost: string[]}}
 */
export function save(record, format, names) {
  const {game, start, nodes, ended} = record, encode = (/** @type {string} */ text) => new TextEncoder().encode(text);
  const children = nodes.map(each => each.children), there = [0];
  for (const each of there) there.push(...children[each]);
  /** @param {number} node @returns {number[]} */
  const line = node => { const path = [node]; while (children[path[path.length - 1]].length) path.push(children[path[path.length - 1]][0]); return path; };
  const main = line(0), first = parts(game, start).side, word = (/** @type {string} */ format) => Object.keys(ENDINGS).find(each => {
    const found = ending(each, (first + main.length - 1) % 2);
    return ended && found?.reason === ended.reason && found.winner === ended.winner && (format === "csa" ? each.startsWith("%") : format === "usi" ? /^[a-z]/.test(each) : each > "~");
  });
  const moves = main.slice(1).map(each => nodes[each].move), lost = there.some(each => children[each].length > 1) && format !== "kif" ? ["variations"] : [];
  if (format === "usi") return {data: encode(`${start === START[game] ? "startpos" : `sfen ${start}`}${moves.length ? ` moves ${[...moves, ...(word("usi") ? [word("usi")] : [])].join(" ")}` : ""}\n`), lost};
  if (game === "othello") return {data: encode(`${moves.filter(each => each !== "pass").join("")}\n`), lost: [...lost, ...(start === START.othello ? [] : ["position"])]};
  const headers = headers_of(format).flatMap(({name, begin}) => record.headers[name] ? [begin + record.headers[name]] : []);
  const {cells, hands} = parts(game, start), comment = (/** @type {number} */ node, /** @type {string} */ mark) => nodes[node].comment.split("\n").filter(Boolean).map(each => mark + each);
  if (format === "csa") {
    const pieces = [...cells], at = (/** @type {string} */ square) => number_of(game, square);
    const csa_moves = moves.map(move => {
      const to = move.slice(2, 4), drop = move[1] === "*", piece = drop ? move[0] : `${move.endsWith("+") ? "+" : ""}${pieces[at(move.slice(0, 2))].toUpperCase()}`;
      pieces[at(to)] = piece;
      return `${drop ? "00" : digits(move)}${digits(to)}${CSA_PIECES[piece]}`;
    });
    const cell = (/** @type {string} */ piece) => piece ? `${piece === piece.toUpperCase() ? "+" : "-"}${CSA_PIECES[piece.toUpperCase()]}` : " * ";
    const board = start === START.shogi ? ["PI"] : [...RANKS].map((_, rank) => `P${rank + 1}${cells.slice(9 * rank, 9 * rank + 9).map(cell).join("")}`);
    const hand = hands.flatMap((each, side) => Object.keys(each).length ? [`P${"+-"[side]}${Object.entries(each).map(([kind, count]) => `00${CSA_PIECES[kind]}`.repeat(count)).join("")}`] : []);
    const played = main.flatMap((node, ply) => [...(ply ? [`${"+-"[(first + ply - 1) % 2]}${csa_moves[ply - 1]}`, ...(nodes[node].seconds === undefined ? [] : [`T${Math.floor(nodes[node].seconds)}`])] : []), ...comment(node, "'*")]);
    return {data: encode(["V2.2", ...record.names.map((name, side) => `N${"+-"[side]}${name}`), ...headers, ...board, ...hand, "+-"[first], ...played, ...(word("csa") ? [word("csa")] : []), ""].join("\n")), lost};
  }
  const usual = Object.entries(HANDICAP_NAMES).find(([, each]) => each === start)?.[0];
  const count = (/** @type {number} */ number) => `${number >= 10 ? "十" : ""}${number > 1 ? RANKS[number % 10 - 1] ?? "" : ""}`;
  const held = (/** @type {number} */ side) => `${"先後"[side]}手の持駒：${Object.entries(hands[side]).map(([kind, number]) => `　${KIF_PIECES[kind]}${count(number)}`).join("") || "　なし"}`;
  const drawn = usual ? [`手合割：${usual}`] : [held(1), `  ${[...WIDE].reverse().join(" ")}`, `+${"-".repeat(27)}+`,
    ...[...RANKS].map((rank, row) => `|${cells.slice(9 * row, 9 * row + 9).map(piece => piece ? `${piece === piece.toUpperCase() ? " " : "v"}${KIF_SHORT[piece.toUpperCase()]}` : " ・").join("")}|${rank}`), `+${"-".repeat(27)}+`, held(0), ...(first ? ["後手番"] : [])];
  /** @type {Record<number, number>} */
  const total = {};
  /** @param {number[]} path the line from the start @param {number} from its first ply @returns {string[]} */
  const rows = (path, from) => {
    const texts = names(path);
    const own = path.slice(from).flatMap((node, place) => {
      const ply = from + place, {seconds} = nodes[node], mover = ply % 2;
      const spent = seconds === undefined ? "" : `   (${String(Math.floor(seconds / 60)).padStart(2)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}/${new Date(1000 * (total[mover] = (total[mover] ?? 0) + Math.floor(seconds))).toISOString().slice(11, 19)})`;
      return [...(ply ? [`${String(ply).padStart(4)} ${texts[ply - 1]}${spent}`] : []), ...comment(node, "*")];
    });
    const end = path[path.length - 1] === main[main.length - 1] && word("kif") ? [`${String(path.length).padStart(4)} ${word("kif")}`] : [];
    const others = path.slice(from).map((node, place) => ({parent: nodes[node].parent, node, ply: from + place})).reverse().flatMap(({parent, node, ply}) =>
      parent < 0 || children[parent][0] !== node ? [] : children[parent].slice(1).flatMap(other => ["", `変化：${ply}手`, ...rows([...path.slice(0, ply), ...line(other)], ply)]));
    return [...own, ...end, ...others];
  };
  const text = [...headers, ...drawn, `先手：${record.names[0]}`, `後手：${record.names[1]}`, "手数----指手---------消費時間--", ...rows(main, 0), ""].join("\n");
  return {data: shift_jis(text) ?? encode(text), lost};
}
/** @type {Record<string, string>} */
const KIF_SHORT = {...KIF_PIECES, "+P": "と", "+L": "杏", "+N": "圭", "+S": "全", "+B": "馬", "+R": "龍"};

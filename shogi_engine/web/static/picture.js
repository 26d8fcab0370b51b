// The board as SVG where no server draws it: tools.build_site has made the parts from the games' drawings; here they get
// their places. `parts` and `written` know how positions are written.

import {PICTURES} from "./local_facts.js";
import {PIECES} from "./pieces.js";

const KINDS = "RBGSNLP", SIDES = ["black", "white"];
/** @typedef {{cells: string[], hands: Record<string, number>[], side: number, rest: string}} Parts */

/** The parts of a position. @param {Game} game @param {string} text @returns {Parts} */
export function parts(game, text) {
  const [rows, mover, held, rest = ""] = text.split(" ");
  if (game === "othello") return {cells: [...rows].map(each => each === "-" ? "" : each), hands: [], side: mover === "X" ? 0 : 1, rest};
  const cells = [...rows.replaceAll("/", "").matchAll(/\d|\+?\D/g)].flatMap(([each]) => /\d/.test(each) ? Array(Number(each)).fill("") : [each]);
  /** @type {Record<string, number>[]} */
  const hands = [{}, {}];
  for (const [, count, piece] of held.matchAll(/(\d*)([A-Za-z])/g)) hands[piece < "a" ? 0 : 1][piece.toUpperCase()] = Number(count || 1);
  return {cells, hands, side: mover === "b" ? 0 : 1, rest};
}

/** The position with these parts. @param {Game} game @param {Parts} parts */
export function written(game, {cells, hands, side, rest}) {
  if (game === "othello") return `${cells.map(each => each || "-").join("")} ${"XO"[side]}`;
  const rows = Array.from({length: 9}, (_, rank) => cells.slice(9 * rank, 9 * rank + 9).map(each => each || " ").join("").replace(/ +/g, gap => String(gap.length)));
  const held = hands.flatMap((hand, colour) => [...KINDS].filter(kind => hand[kind]).map(kind => `${hand[kind] > 1 ? hand[kind] : ""}${colour ? kind.toLowerCase() : kind}`));
  return `${rows.join("/")} ${"bw"[side]} ${held.join("") || "-"} ${rest || 1}`;
}

/** @param {Game} game @param {any} look */
const made_for = (game, {flipped, narrow}) => PICTURES[game][`${Number(flipped)}${Number(narrow && game === "shogi")}`];
/** @param {Game} game @param {string} name */
export const number_of = (game, name) => PICTURES[game].squares.indexOf(name);
/** @param {Game} game @param {number} number */
export const name_of = (game, number) => PICTURES[game].squares[number];
/** @param {Game} game @param {string} move the squares of a move: [from, to], or [to] */
const squares_of = (game, move) => (game === "othello" ? [move] : [move.slice(0, 2), move.slice(2, 4)]).map(each => number_of(game, each)).filter(each => each >= 0);

/**
 * @param {Game} game @param {Parts} parts @param {any} look
 * @param {{last?: string, check?: boolean, areas?: boolean, legal?: string[]}} shown
 */
export function picture(game, {cells, hands, side}, look, {last = "", check = false, areas = true, legal = []}) {
  const made = made_for(game, look), {squares, cell, pitch, aside, area, mark, danger} = PICTURES[game], {flipped, pieces, language} = look;
  /** @param {number} square @param {string} fill */
  const colour = (square, fill) => `<rect x="${made.corners[square][0]}" y="${made.corners[square][1]}" width="${cell}" height="${cell}" fill="${fill}"/>`;
  if (game === "othello") return [...made.head, ...cells.flatMap((disc, square) => disc ? [made.discs[disc][square]] : []),
    ...legal.flatMap(move => made.rings[side][number_of(game, move)] ?? []), ...squares_of(game, last).map(square => made.marks[square]), areas ? made.areas : "", "</svg>"].join("\n");
  /** @param {string} piece @param {number} x @param {number} y */
  const shape = (piece, x, y) => `<g transform="translate(${x} ${y})">${(piece.toLowerCase() === piece) !== flipped ? `<g transform="rotate(180)">${PIECES[pieces][piece]}</g>` : PIECES[pieces][piece]}</g>`;
  const drawn = [made.head, ...squares_of(game, last).map(square => colour(square, mark)), ...(check ? [colour(cells.indexOf(side ? "k" : "K"), danger)] : []), made.grids[Number(language === "en" || pieces === "letters")],
    ...cells.map((piece, square) => piece && `<g class="piece" data-square="${squares[square]}" data-piece="${piece}">${shape(piece, made.corners[square][0] + cell / 2, made.corners[square][1] + cell / 2)}</g>`)];
  const pressed = areas ? [made.areas] : [];
  hands.forEach((hand, number) => {
    const kinds = [...KINDS].filter(kind => hand[kind]), [stand, places] = made.hands[number][kinds.length], away = (number === 0) !== flipped ? aside : -aside;
    drawn.push(stand);
    kinds.forEach((kind, place) => {
      const [x, y] = places[place], piece = number ? kind.toLowerCase() : kind;
      drawn.push(`<g class="piece held" data-square="${kind}*" data-piece="${piece}" data-side="${SIDES[number]}">${shape(piece, x - away, y)}</g>`);
      if (hand[kind] > 1) drawn.push(`<text x="${x + 3 * away}" y="${y - 1.6 * away}" dy=".36em" font-size="15" fill="#221a10">${hand[kind]}</text>`);
      if (areas) pressed.push(area.replace("@", `${kind}*`).replace("<rect ", `<rect data-side="${SIDES[number]}" x="${x - pitch / 2}" y="${y - pitch / 2}" `));
    });
  });
  return [...drawn, "</g>", ...pressed, "</svg>"].join("\n");
}

/** Arrows of lines of moves, the best line first, as the games draw them. @param {Game} game @param {Parts} parts @param {any} look @param {string[][]} lines @param {string[]} values in Othello, of the lines */
export function arrows(game, {hands, side}, look, lines, values) {
  const made = made_for(game, look), {cell, inks, widths, fills} = PICTURES[game], [best, second] = new Set(values);
  /** @param {string} square @param {number} ply @returns {[number, number] | undefined} */
  const middle = (square, ply) => {
    const at = made.corners[number_of(game, square)], owner = (side + ply) % 2, kinds = [...KINDS].filter(kind => hands[owner]?.[kind]);
    return at ? [at[0] + cell / 2, at[1] + cell / 2] : made.hands?.[owner][kinds.length][1][kinds.indexOf(square[0])];
  };
  const colour_of = (/** @type {string} */ value) => value === best ? "best" : value === second ? "second" : "other";
  /** @type {[string, string, number, string][]} */
  const moves = lines.slice(1).map((line, number) => [line[0], game === "othello" ? colour_of(values[number + 1]) : "other", 0, values[number + 1]]);
  if (game === "shogi") moves.push(.../** @type {typeof moves} */ (lines[0].slice(1, 3).map((move, number) => [move, "reply", number + 1, ""])).reverse());
  moves.push([lines[0][0], "best", 0, values[0]]);
  return `<g class="arrows" pointer-events="none">${moves.map(([move, kind, ply, text]) => {
    const to = middle(game === "shogi" ? move.slice(2, 4) : move, ply), from = game === "shogi" ? middle(move.slice(0, 2), ply) : undefined, wide = widths[kind];
    if (!to) return "";
    if (!from) return `<circle class="arrow ${kind}" cx="${to[0]}" cy="${to[1]}" r="${0.4 * cell}" fill="${text ? fills[kind] : "none"}" fill-opacity=".8" stroke="${inks[kind]}" stroke-width="${wide / 2}" stroke-opacity=".8"/>${
      text ? `<text class="arrow-text" x="${to[0]}" y="${to[1]}" dy=".36em" font-size="${0.3 * cell}" font-family="sans-serif" text-anchor="middle" fill="#fff">${text}</text>` : ""}`;
    const long = Math.hypot(to[0] - from[0], to[1] - from[1]), turn = Math.atan2(to[1] - from[1], to[0] - from[0]) * 180 / Math.PI, neck = Math.max(long - 2 * wide, 0);
    const points = [[0, -0.35], [neck, -0.5], [neck, -1.1], [long, 0], [neck, 1.1], [neck, 0.5], [0, 0.35]].map(([x, y]) => `${x.toFixed(1)} ${(y * wide).toFixed(1)}`);
    return `<path class="arrow ${kind}" transform="translate(${from}) rotate(${turn.toFixed(2)})" d="M${points.join("L")}Z" fill="${inks[kind]}" fill-opacity=".72"/>`;
  }).join("")}</g>`;
}

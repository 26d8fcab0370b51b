// Lessons where no server judges them: whether a move does what is asked, by the rules. As shogi_engine/lessons does.

import {DECLARATION, REPETITION} from "./kernels.js";
import {parts} from "./picture.js";

const CORNERS = ["a1", "h1", "a8", "h8"];

/**
 * Judge the user's last move; the opponent's reply comes with it.
 * @param {Game} game @param {{goals: string[], line: string[]}} lesson @param {string[]} moves from the lesson's position on
 * @param {(moves: string[]) => import("./kernels.js").Kernels} at the kernels with the position after moves
 * @returns {{status: string, reply?: string}}
 */
export function tried(game, {goals, line}, moves, at) {
  const look = (/** @type {string[]} */ made) => {
    const rules = at(made), {cells, side} = parts(game, rules.write()), legal = rules.moves();
    const count = (/** @type {number} */ owner) => cells.filter(each => each && (game === "othello" ? each === "XO"[owner] : (each === each.toUpperCase()) === (owner === 0))).length;
    return {...rules.status(), side, legal, count};
  };
  const before = look(moves.slice(0, -1)), after = look(moves), move = moves[moves.length - 1], own = before.side, over = after.termination > 0 && after.termination !== DECLARATION;
  /** @type {Record<string, (number: number) => boolean>} */
  const reached = {
    "capture": () => after.count(1 - own) < before.count(1 - own),
    "capture all": () => after.count(1 - own) === 1,
    "promote": () => move.endsWith("+"),
    "drop": () => move[1] === "*",
    "check": () => after.check,
    "mate": () => after.check && !after.legal.length,
    "flip": number => after.count(own) - before.count(own) > number,
    "corner": () => CORNERS.includes(move),
    "keep the corners": () => !after.legal.some(each => CORNERS.includes(each)),
    "pass": () => after.legal.join() === "pass",
    "win": () => over && after.value < 0,
  };
  const asked = goals.map(goal => /^(.*?)(?: (\d+))?$/.exec(goal) ?? ["", goal]);
  if (asked.every(([, name, number]) => reached[name]?.(Number(number ?? 0)))) return {status: "done"};
  if (moves.length >= line.length || over) return {status: "wrong"};
  const wanted = line[moves.length], reply = after.legal.includes(wanted) ? wanted : after.legal[0], {termination} = look([...moves, reply]);
  if (goals.every(goal => goal === "declare" ? termination === DECLARATION : goal === "repetition" && termination === REPETITION)) return {status: "done", reply};
  return {status: moves.length + 1 < line.length ? "yours" : "wrong", reply};
}

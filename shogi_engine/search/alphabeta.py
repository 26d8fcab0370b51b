"""The shared search: negamax alpha-beta with principal variation search, in numbered steps that say why.

Values are fail-soft, from the side to move's point of view. Nothing here knows a game: rules come through the stubs
of game.py. Terms as in the Chess Programming Wiki, https://www.chessprogramming.org/Search.
"""

import numpy as np

from shogi_engine.game import (
    MAX_PLY,
    MOVE_NONE,
    VALUE_INFINITE,
    VALUE_MATE,
    VALUE_MATE_IN_MAX,
    VALUE_NONE,
    declaration_value,
    endgame_solve,
    evaluate,
    gives_check,
    is_in_check,
    is_legal,
    is_quiet,
    key,
    move_cost,
    null_allowed,
    probcut,
    root_order_score,
    see_ge,
    set_check_info,
    terminal_value,
)
from shogi_engine.jit import njit
from shogi_engine.search.context import (
    DEEPER,
    FINISH,
    PROBCUT,
    PRUNE,
    REDUCE,
    REPEAT,
    TABLE,
    count_node,
    make_move,
    make_null_move,
    repeated,
    unmake_move,
    unmake_null_move,
)
from shogi_engine.search.ordering import (
    ALL_LEFT,
    NONE_LEFT,
    continuation_row,
    continuation_score,
    corrected,
    drop_quiet,
    is_good_capture,
    move_history,
    next_move,
    update_continuation_histories,
    update_continuation_stats,
    update_correction_histories,
    update_quiet_stats,
    update_tt_move_stats,
)
from shogi_engine.search.quiescence import find_mate_in_one, quiescence
from shogi_engine.search.tt import (
    BOUND_EXACT,
    BOUND_LOWER,
    BOUND_UPPER,
    entry_depth,
    entry_move,
    entry_settles,
    entry_value,
    probe,
    store,
)

PLY = 1024  # reductions are counted in 1/1024 plies
LOGARITHMS = (np.log(np.maximum(np.arange(128), 1)) * 715).astype(np.int64)  # two of them give 0.49 ln ln plies


@njit
def update_pv(ctx, move):
    """Put `move` before the line of the position after it."""
    ply = ctx.ply
    ctx.pv[ply, ply] = move
    end = int(ctx.pv_end[ply + 1])
    for index in range(ply + 1, end):
        ctx.pv[ply, index] = ctx.pv[ply + 1, index]
    ctx.pv_end[ply] = max(end, ply + 1)


@njit
def reduction(params, depth, number, improving):
    """Return by how much, in 1/1024 plies, the `number`-th move is searched less deep, all else being equal."""
    plies = int(LOGARITHMS[min(depth, 127)]) * int(LOGARITHMS[min(number, 127)])
    plies = plies * int(params.lmr_log_scale) // (1024 * 1024)
    if not improving:
        plies += plies * int(params.lmr_worsening) // 1024
    return plies + int(params.lmr_base)


@njit
def adjustment(params, depth, less, number, history, pv_node, cut_node, guessed):
    """Return the reduction `less` by what the node and the move's history tell, in 1/1024 plies.

    guessed : there is no move from the table.
    """
    less += int(params.lmr_adjust) - int(params.lmr_move_count) * number - history * int(params.lmr_history) // 1024
    if pv_node:
        return less - int(params.lmr_pv)
    if cut_node:
        return less + int(params.lmr_cut_node) + (int(params.lmr_cut_node_no_tt) if guessed else 0)
    return less + less * int(params.lmr_all_node) // (256 * depth + int(params.lmr_all_node_offset))


@njit
def search(ctx, alpha, beta, depth, start):
    """Return the value of ctx.pos searched `depth` plies deep, exact if it lies within (alpha, beta).

    alpha, beta : int64, alpha < beta.   start : where ctx.moves is free.
    ctx.cut_nodes[ctx.ply] : whether some move is expected to reach beta.
    No argument of a recursive call may be a literal: numba would compile the search once more for each, and the
    versions, which call each other, crash when a second process loads them from the cache.
    After a stop (ctx.stopped) the value means nothing. Leaves the line in ctx.pv[ctx.ply].
    Most of the shape of steps 9 to 14, and many of the numbers (parameters.py says which), follow Stockfish
    (https://github.com/official-stockfish/Stockfish) and YaneuraOu (https://github.com/yaneurao/YaneuraOu), where they
    are described at length; the code was written for this engine.
    """
    # 1. At the horizon, look at noisy moves only.
    if depth <= 0:
        return quiescence(ctx, alpha, beta, 0, start)

    # 2. Count the node; a stop unwinds the tree, its values are thrown away.
    if count_node(ctx):
        return 0
    params = ctx.params
    pv_node = beta - alpha > 1
    cut_node = ctx.cut_nodes[ctx.ply] != 0

    # 3. The rules may end the game here: repetition, or a claim.
    value = repeated(ctx)
    if value != VALUE_NONE:
        return value
    if ctx.ply >= MAX_PLY:
        return evaluate(ctx)
    if ctx.search_flags & REPEAT:
        value = declaration_value(ctx)
        if value != VALUE_NONE:
            return value

    # 4. Mate distance: no line from here can be better than winning, or worse than losing, at once.
    alpha = max(alpha, -VALUE_MATE + ctx.ply)
    beta = min(beta, VALUE_MATE - ctx.ply - 1)
    if alpha >= beta:
        return alpha

    # 5. A solver of the game's own may take over near its end.
    if ctx.search_flags & FINISH:
        value = endgame_solve(ctx, alpha, beta)
        if value != VALUE_NONE:
            return value

    # 6. The static value, by what was learnt about such positions; then the table, whose memory takes as long to come:
    #    what is known from other lines, a bound or at least a good first move.
    in_check = is_in_check(ctx.pos)
    pruning = ctx.search_flags & PRUNE != 0
    static = VALUE_NONE
    if pruning and not in_check:
        static = corrected(ctx, evaluate(ctx))
    table_move = MOVE_NONE
    hash_key = np.uint64(0)
    is_known = False
    if ctx.search_flags & TABLE:
        hash_key = key(ctx.pos) ^ ctx.tt_key_salt
        data = probe(ctx, hash_key)
        if data != np.uint64(0):
            is_known = True
            table_move = entry_move(data)
            known = entry_depth(data)
            enough = known >= depth if ctx.search_flags & DEEPER else known == depth
            if enough and not pv_node and entry_settles(data, alpha, beta, ctx.ply):
                value = entry_value(data, ctx.ply)
                if value >= beta:
                    update_tt_move_stats(ctx, table_move, depth)
                return value

    # 7. A win that a look finds needs no search.
    if ctx.search_flags & FINISH and not is_known and not in_check:
        move = find_mate_in_one(ctx, hash_key, start)
        if move != MOVE_NONE:
            ctx.pv_end[ctx.ply + 1] = ctx.ply + 1
            update_pv(ctx, move)
            return VALUE_MATE - ctx.ply - 1

    # 8. Whether the static value has risen: since two plies before, or by the opponent's last move.
    improving = False
    was_given = False
    if static != VALUE_NONE:
        before = VALUE_NONE
        if ctx.ply >= 2:
            before = int(ctx.static_evals[ctx.ply - 2])
        if before == VALUE_NONE and ctx.ply >= 4:
            before = int(ctx.static_evals[ctx.ply - 4])
        improving = ctx.ply >= 2 and (before == VALUE_NONE or static > before)
        if ctx.ply >= 1 and int(ctx.static_evals[ctx.ply - 1]) != VALUE_NONE:
            was_given = static > -int(ctx.static_evals[ctx.ply - 1])
    ctx.static_evals[ctx.ply] = static
    table_noisy = table_move != MOVE_NONE and not is_quiet(ctx.pos, table_move)

    # 9. Forward pruning where a static value means something.
    if static != VALUE_NONE and not pv_node and abs(beta) < VALUE_MATE_IN_MAX:
        # 9a. Razoring: far below alpha only captures and checks can help.
        if static < alpha - int(params.razor_margin) - int(params.razor_depth_margin) * depth * depth:
            return quiescence(ctx, alpha, beta, 0, start)
        # 9b. Reverse futility: far above beta, what is left of the depth will hardly lose all of it.
        margin = int(params.rfp_margin) * depth
        if improving:
            margin -= int(params.rfp_margin) * int(params.rfp_improving) // 1024
        if was_given:
            margin -= int(params.rfp_margin) * int(params.rfp_opponent_worsening) // 1024
        if (
            depth <= int(params.rfp_max_depth)
            and static >= beta
            and static - margin >= beta
            and (table_move == MOVE_NONE or table_noisy)
        ):
            return beta + (static - beta) // max(int(params.rfp_value_divisor), 1)
        # 9c. Null move: if even passing keeps the value above beta, a move will.
        if (
            cut_node
            and depth >= int(params.nmp_min_depth)
            and static >= beta
            and ctx.last_null != ctx.ply - 1
            and null_allowed(ctx.pos)
        ):
            less = int(params.nmp_base) + depth // max(int(params.nmp_depth_divisor), 1)
            less += min((static - beta) // max(int(params.nmp_eval_divisor), 1), int(params.nmp_eval_max))
            make_null_move(ctx)
            value = -search(ctx, -beta, -beta + 1, depth - less, start)
            unmake_null_move(ctx)
            if ctx.stopped:
                return 0
            if value >= beta:
                return min(value, VALUE_MATE_IN_MAX - 1)
        improving = improving or static >= beta

    # 9d. ProbCut: a shallow search that misses the window by far enough tells that this one would miss it too.
    selective = ctx.search_flags & PROBCUT and params.probcut_selectivity > 0 and depth >= int(params.probcut_min_depth)
    if selective and not pv_node and not in_check and abs(beta) < VALUE_MATE_IN_MAX:
        shallow, spread = probcut(ctx, depth)
        if shallow > 0:
            margin = int(params.probcut_selectivity) * spread // 100
            if evaluate(ctx) >= beta:
                value = search(ctx, beta + margin - 1, beta + margin, shallow, start)
                if value >= beta + margin and not ctx.stopped:
                    return beta
            else:
                value = search(ctx, alpha - margin, alpha - margin + 1, shallow, start)
                if value <= alpha - margin and not ctx.stopped:
                    return alpha
            if ctx.stopped:
                return 0

    # 10. Without a move from the table the order is a guess: search less deep now, with one when it comes again.
    deep = depth >= int(params.iir_min_depth)
    if ctx.search_flags & REDUCE and deep and table_move == MOVE_NONE and (pv_node or cut_node):
        depth -= 1

    # 11. The moves, the most promising first.
    ctx.killers[ctx.ply + 1, 0] = MOVE_NONE
    ctx.killers[ctx.ply + 1, 1] = MOVE_NONE
    if pruning:
        set_check_info(ctx)

    best = -VALUE_INFINITE
    best_move = MOVE_NONE
    best_end = start
    bound = BOUND_UPPER
    tried = 0
    late = int(params.lmp_base) + depth * depth * int(params.lmp_depth_scale) // 1024
    if not improving:
        late = late * int(params.lmp_not_improving) // 1024
    index = start - 1
    end = start
    left = ALL_LEFT
    while True:
        index += 1
        # Where the next quiet move would come too late already, only those that threaten are written.
        few = pruning and best > -VALUE_MATE_IN_MAX and tried + 1 >= late
        end, left = next_move(ctx, start, index, end, left, table_move, few)
        if index == end:
            break
        move = ctx.moves[index]
        if not is_legal(ctx.pos, move):
            continue
        tried += 1
        quiet = is_quiet(ctx.pos, move)
        skippable = pruning and best > -VALUE_MATE_IN_MAX and move != table_move
        if skippable and quiet and tried >= late and not gives_check(ctx, move):
            if left == NONE_LEFT:
                end = drop_quiet(ctx, index + 1, end)
            continue
        deeper = depth - move_cost(ctx.pos, move)
        history, replies = 0, 0
        if quiet:
            history, replies = move_history(ctx, move), continuation_score(ctx, move)
        less = reduction(params, depth, tried, improving)

        # 12. Once a line is known that does not lose, leave out what will hardly help: quiet moves that come late, have
        #     failed often, or start far below alpha for the depth that reductions leave; noisy ones that would not
        #     bring the value near alpha; what loses material.
        if skippable:
            if not quiet or gives_check(ctx, move):
                loss = -int(params.see_capture_margin) * depth
                plies = deeper - less // PLY
                few_left = plies < int(params.capture_futility_max_depth)
                if static != VALUE_NONE and few_left and not gives_check(ctx, move):
                    gain = int(params.capture_futility_base) + int(params.capture_futility_margin) * plies
                    loss = max(loss, alpha - static - gain)
                if (loss > 0 or not is_good_capture(ctx, index)) and not see_ge(ctx.pos, move, loss):
                    continue
            else:
                if replies < -int(params.history_pruning_margin) * depth:
                    continue
                plies = deeper - less // PLY + (replies + history) // max(int(params.history_ply), 1)
                few_left = plies <= int(params.futility_max_depth)
                if static != VALUE_NONE and few_left and abs(alpha) < VALUE_MATE_IN_MAX:
                    hope = static + int(params.futility_base) + int(params.futility_margin) * plies
                    if best_move == MOVE_NONE:
                        hope += int(params.futility_no_best)
                    if hope <= alpha:
                        if best < hope and abs(best) < VALUE_MATE_IN_MAX and abs(hope) < VALUE_MATE_IN_MAX:
                            best = hope
                        continue
                plies = max(plies, 0)
                if not see_ge(ctx.pos, move, -int(params.see_quiet_margin) * plies * plies):
                    continue

        ctx.stat_scores[ctx.ply] = history + replies
        make_move(ctx, move)

        # 13. Principal variation search: the first move with the whole window; of the others only whether they are
        #     better, less deep the later they come (late move reduction), and again as deep as asked if they seem so.
        if tried == 1:
            ctx.cut_nodes[ctx.ply] = not (pv_node or cut_node)
            value = -search(ctx, -beta, -alpha, deeper, end)
        else:
            reduced = deeper
            if ctx.search_flags & REDUCE and depth >= int(params.lmr_min_depth):
                guessed = table_move == MOVE_NONE
                less = adjustment(params, depth, less, tried, history + replies, pv_node, cut_node, guessed)
                reduced = min(max(deeper - less // PLY + (1 if pv_node else 0), 1), deeper)
            ctx.cut_nodes[ctx.ply] = True
            value = -search(ctx, -alpha - 1, -alpha, reduced, end)
            if value > alpha and reduced < deeper:
                ctx.cut_nodes[ctx.ply] = not cut_node
                value = -search(ctx, -alpha - 1, -alpha, deeper, end)
                if value > alpha and quiet and not ctx.stopped:
                    bonus = int(params.lmr_research_bonus)
                    update_continuation_histories(ctx, ctx.ply - 1, continuation_row(ctx, ctx.ply, 1), bonus, in_check)
            if alpha < value < beta:
                ctx.cut_nodes[ctx.ply] = False
                value = -search(ctx, -beta, -alpha, deeper, end)
        unmake_move(ctx, move)
        if ctx.stopped:
            return 0

        # 14. Better than what we had? Better than the opponent allows (beta)?
        if value > best:
            best = value
            if value > alpha:
                best_move = move
                best_end = index + 1
                bound = BOUND_EXACT
                if pv_node:
                    update_pv(ctx, move)
                if value >= beta:
                    bound = BOUND_LOWER
                    if quiet:
                        update_quiet_stats(ctx, start, index, depth)
                    break
                alpha = value

    # 15. No legal move: the game is over.
    if tried == 0:
        return terminal_value(ctx)

    # 16. Remember it, and learn where the static value was wrong.
    found = best_move != MOVE_NONE
    steady = not found or is_quiet(ctx.pos, best_move)
    if found and steady:
        update_continuation_stats(ctx, start, best_end, best_move, depth, table_move)
    if static != VALUE_NONE and steady and (best > static) == found and abs(best) < VALUE_MATE_IN_MAX:
        update_correction_histories(ctx, best - static, depth, found)
    if ctx.search_flags & TABLE:
        store(ctx, hash_key, best_move, best, depth, bound, ctx.ply)
    return best


@njit
def order_root(ctx):
    """Put the root moves after which the mover stands best first: of moves of equal value the first is played."""
    for index in range(int(ctx.root_count)):
        ctx.scores[index] = root_order_score(ctx, ctx.root_moves[index])
    for index in range(1, int(ctx.root_count)):
        move, score = ctx.root_moves[index], ctx.scores[index]
        place = index
        while place > 0 and ctx.scores[place - 1] < score:
            ctx.root_moves[place], ctx.scores[place] = ctx.root_moves[place - 1], ctx.scores[place - 1]
            place -= 1
        ctx.root_moves[place], ctx.scores[place] = move, score


@njit
def search_root(ctx, alpha, beta, depth, first):
    """Search the root moves ctx.root_moves[first : ctx.root_count] `depth` plies deep; return the best value.

    The best move is brought to `first` as soon as it is known, the others keep their order, so that a stopped
    search has its best move too. ctx.root_scores[first] is its value, or -VALUE_INFINITE if none was searched.
    """
    params = ctx.params
    ctx.root_scores[first] = -VALUE_INFINITE
    ctx.root_depth = depth
    ctx.static_evals[0] = evaluate(ctx) if ctx.search_flags & PRUNE and not is_in_check(ctx.pos) else VALUE_NONE
    best = -VALUE_INFINITE
    top = alpha
    for index in range(first, int(ctx.root_count)):
        move = ctx.root_moves[index]
        deeper = depth - move_cost(ctx.pos, move)
        number = index - first + 1
        less = 0
        if ctx.search_flags & REDUCE and depth >= int(params.lmr_min_depth) and number > 1:
            history = move_history(ctx, move) + continuation_score(ctx, move) if is_quiet(ctx.pos, move) else 0
            less = reduction(params, depth, number, True)
            less = adjustment(params, depth, less, number, history, True, False, False)
            less = min(max(less // PLY, 0), deeper - 1)
        ctx.stat_scores[0] = 0
        make_move(ctx, move)
        if number == 1:
            ctx.cut_nodes[ctx.ply] = False
            value = -search(ctx, -beta, -top, deeper, 0)
        else:
            ctx.cut_nodes[ctx.ply] = True
            value = -search(ctx, -top - 1, -top, deeper - less, 0)
            if value > top and less > 0:
                value = -search(ctx, -top - 1, -top, deeper, 0)
            if top < value < beta:
                ctx.cut_nodes[ctx.ply] = False
                value = -search(ctx, -beta, -top, deeper, 0)
        unmake_move(ctx, move)
        if ctx.stopped:
            break
        if value > best:
            best = value
            if value > top or number == 1:
                ctx.pv_end[0] = 0
                update_pv(ctx, move)
                for place in range(index, first, -1):
                    ctx.root_moves[place] = ctx.root_moves[place - 1]
                ctx.root_moves[first] = move
                ctx.root_scores[first] = value
            if value >= beta:
                break
            top = max(top, value)
    if ctx.search_flags & TABLE and best > -VALUE_INFINITE and not ctx.stopped and first == 0:
        bound = BOUND_UPPER if best <= alpha else BOUND_LOWER if best >= beta else BOUND_EXACT
        store(ctx, key(ctx.pos) ^ ctx.tt_key_salt, ctx.root_moves[0], best, depth, bound, 0)
    return best

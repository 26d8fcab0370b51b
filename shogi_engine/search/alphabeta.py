"""The search: negamax alpha-beta with principal variation search, in numbered steps that say why.

Values are fail-soft, from the side to move's point of view. Nothing here knows a game: the rules come through the stubs
of game.py, the numbers from parameters.py. Terms are those of the Chess Programming Wiki,
https://www.chessprogramming.org/Search.

The shape of `search` (steps 9 to 14 above all), the terms of its late move reductions and many of its numbers follow
Stockfish (https://github.com/official-stockfish/Stockfish) and YaneuraOu (https://github.com/yaneurao/YaneuraOu);
parameters.py marks each number taken from Stockfish. The code was written for this engine.
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
    repetition_in_tree,
    start_search,
    unmake_move,
    unmake_null_move,
)
from shogi_engine.search.history import (
    continuation_row,
    continuation_score,
    correct_static_eval,
    move_history,
    update_continuation_histories,
    update_continuation_stats,
    update_correction_histories,
    update_quiet_stats,
    update_tt_move_stats,
)
from shogi_engine.search.movepick import init_picker, is_good_capture, next_move, skip_quiet_moves
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
LOGARITHMS = (np.log(np.maximum(np.arange(128), 1)) * 715).astype(np.int64)  # the product of two: 0.49 ln * ln plies


@njit
def update_pv(ctx, move):
    """Make `move` and the principal variation of the child node the principal variation of this node."""
    ply = ctx.ply
    ctx.pv[ply, ply] = move
    end = int(ctx.pv_end[ply + 1])
    for index in range(ply + 1, end):
        ctx.pv[ply, index] = ctx.pv[ply + 1, index]
    ctx.pv_end[ply] = max(end, ply + 1)


@njit
def reduction(params, depth, move_count, improving):
    """Return the base reduction of the `move_count`-th move, in 1/1024 plies."""
    r = int(LOGARITHMS[min(depth, 127)]) * int(LOGARITHMS[min(move_count, 127)])
    r = r * int(params.lmr_log_scale) // (1024 * 1024)
    if not improving:
        r += r * int(params.lmr_worsening) // 1024
    return r + int(params.lmr_base)


@njit
def lmr_adjust(params, depth, r, move_count, stat_score, pv_node, cut_node, no_tt_move):
    """Return the reduction `r` adjusted to the kind of node and the move's histories, in 1/1024 plies."""
    r += int(params.lmr_adjust) - int(params.lmr_move_count) * move_count
    r -= stat_score * int(params.lmr_history) // 1024
    if pv_node:
        return r - int(params.lmr_pv)
    if cut_node:
        return r + int(params.lmr_cut_node) + (int(params.lmr_cut_node_no_tt) if no_tt_move else 0)
    return r + r * int(params.lmr_all_node) // (256 * depth + int(params.lmr_all_node_offset))


@njit
def search(ctx, alpha, beta, depth, start):
    """Return the value of ctx.pos searched `depth` plies deep, exact if it lies within (alpha, beta).

    alpha, beta : int64, alpha < beta.   start : where ctx.moves is free.
    ctx.cut_nodes[ctx.ply] : this is an expected cut node.
    No argument of a recursive call may be a literal: numba would compile another version of the search for each, and
    versions that call each other crash when a second process loads them from the cache.
    After a stop (ctx.stopped) the value means nothing. Leaves the principal variation in ctx.pv[ctx.ply].
    """
    # 1. At depth 0, quiescence search.
    if depth <= 0:
        return quiescence(ctx, alpha, beta, 0, start)

    # 2. Count the node. After a stop the tree unwinds; its values are thrown away.
    if count_node(ctx):
        return 0
    params = ctx.params
    pv_node = beta - alpha > 1
    cut_node = ctx.cut_nodes[ctx.ply] != 0

    # 3. The rules may end the game here: by repetition or by a declaration.
    value = repetition_in_tree(ctx)
    if value != VALUE_NONE:
        return value
    if ctx.ply >= MAX_PLY:
        return evaluate(ctx)
    if ctx.search_flags & REPEAT:
        value = declaration_value(ctx)
        if value != VALUE_NONE:
            return value

    # 4. Mate distance pruning: nothing from here can be better than mating, or worse than being mated, at once.
    alpha = max(alpha, -VALUE_MATE + ctx.ply)
    beta = min(beta, VALUE_MATE - ctx.ply - 1)
    if alpha >= beta:
        return alpha

    # 5. Near the end of the game its own exact solver may take over.
    if ctx.search_flags & FINISH:
        value = endgame_solve(ctx, alpha, beta)
        if value != VALUE_NONE:
            return value

    # 6. Static evaluation, then the transposition table: its cluster was prefetched, and arrives in the meantime.
    in_check = is_in_check(ctx.pos)
    pruning = ctx.search_flags & PRUNE != 0
    static_eval = VALUE_NONE
    if pruning and not in_check:
        static_eval = correct_static_eval(ctx, evaluate(ctx))
    tt_move = MOVE_NONE
    hash_key = np.uint64(0)
    tt_hit = False
    if ctx.search_flags & TABLE:
        hash_key = key(ctx.pos) ^ ctx.tt_key_salt
        data = probe(ctx, hash_key)
        if data != np.uint64(0):
            tt_hit = True
            tt_move = entry_move(data)
            tt_depth = entry_depth(data)
            deep_enough = tt_depth >= depth if ctx.search_flags & DEEPER else tt_depth == depth
            if deep_enough and not pv_node and entry_settles(data, alpha, beta, ctx.ply):
                value = entry_value(data, ctx.ply)
                if value >= beta:
                    update_tt_move_stats(ctx, tt_move, depth)
                return value

    # 7. Mate in one, found without a search.
    if ctx.search_flags & FINISH and not tt_hit and not in_check:
        move = find_mate_in_one(ctx, hash_key, start)
        if move != MOVE_NONE:
            ctx.pv_end[ctx.ply + 1] = ctx.ply + 1
            update_pv(ctx, move)
            return VALUE_MATE - ctx.ply - 1

    # 8. Improving: the static evaluation is better than two plies ago (or four, if that was a check).
    #    Opponent worsening: it is better than the opponent's own one ply ago.
    improving = False
    opponent_worsening = False
    if static_eval != VALUE_NONE:
        previous = VALUE_NONE
        if ctx.ply >= 2:
            previous = int(ctx.static_evals[ctx.ply - 2])
        if previous == VALUE_NONE and ctx.ply >= 4:
            previous = int(ctx.static_evals[ctx.ply - 4])
        improving = ctx.ply >= 2 and (previous == VALUE_NONE or static_eval > previous)
        if ctx.ply >= 1 and int(ctx.static_evals[ctx.ply - 1]) != VALUE_NONE:
            opponent_worsening = static_eval > -int(ctx.static_evals[ctx.ply - 1])
    ctx.static_evals[ctx.ply] = static_eval
    tt_capture = tt_move != MOVE_NONE and not is_quiet(ctx.pos, tt_move)

    # 9. Forward pruning by the static evaluation.
    if static_eval != VALUE_NONE and not pv_node and abs(beta) < VALUE_MATE_IN_MAX:
        # 9a. Razoring: far below alpha only captures and checks can help.
        if static_eval < alpha - int(params.razor_margin) - int(params.razor_depth_margin) * depth * depth:
            return quiescence(ctx, alpha, beta, 0, start)
        # 9b. Reverse futility pruning: so far above beta that the remaining depth will hardly lose all of it.
        margin = int(params.rfp_margin) * depth
        if improving:
            margin -= int(params.rfp_margin) * int(params.rfp_improving) // 1024
        if opponent_worsening:
            margin -= int(params.rfp_margin) * int(params.rfp_opponent_worsening) // 1024
        if (
            depth <= int(params.rfp_max_depth)
            and static_eval >= beta
            and static_eval - margin >= beta
            and (tt_move == MOVE_NONE or tt_capture)
        ):
            return beta + (static_eval - beta) // max(int(params.rfp_value_divisor), 1)
        # 9c. Null move: if even passing keeps the value above beta, a move will.
        if (
            cut_node
            and depth >= int(params.nmp_min_depth)
            and static_eval >= beta
            and ctx.last_null != ctx.ply - 1
            and null_allowed(ctx.pos)
        ):
            r = int(params.nmp_base) + depth // max(int(params.nmp_depth_divisor), 1)
            r += min((static_eval - beta) // max(int(params.nmp_eval_divisor), 1), int(params.nmp_eval_max))
            make_null_move(ctx)
            value = -search(ctx, -beta, -beta + 1, depth - r, start)
            unmake_null_move(ctx)
            if ctx.stopped:
                return 0
            if value >= beta:
                return min(value, VALUE_MATE_IN_MAX - 1)
        improving = improving or static_eval >= beta

    # 9d. Multi-ProbCut: a shallow search that misses the window by a wide margin predicts that this one would too.
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

    # 10. Internal iterative reduction: without a table move the ordering is a guess; next time there will be one.
    deep_enough = depth >= int(params.iir_min_depth)
    if ctx.search_flags & REDUCE and deep_enough and tt_move == MOVE_NONE and (pv_node or cut_node):
        depth -= 1

    # 11. Loop over the moves until a beta cutoff.
    ctx.killers[ctx.ply + 1, 0] = MOVE_NONE
    ctx.killers[ctx.ply + 1, 1] = MOVE_NONE
    if pruning:
        set_check_info(ctx)

    best_value = -VALUE_INFINITE
    best_move = MOVE_NONE
    best_end = start
    bound = BOUND_UPPER
    move_count = 0
    lmp_count = int(params.lmp_base) + depth * depth * int(params.lmp_depth_scale) // 1024
    if not improving:
        lmp_count = lmp_count * int(params.lmp_not_improving) // 1024
    picker = ctx.pickers[ctx.ply]
    ctx.depths[ctx.ply] = depth
    init_picker(ctx, start, tt_move)
    while True:
        picker.skip_quiets = pruning and best_value > -VALUE_MATE_IN_MAX and move_count + 1 >= lmp_count
        move = next_move(ctx)
        if move == MOVE_NONE:
            break
        if not is_legal(ctx.pos, move):
            continue
        move_count += 1
        quiet = is_quiet(ctx.pos, move)
        prunable = pruning and best_value > -VALUE_MATE_IN_MAX and move != tt_move

        # 12. Pruning at shallow depth, once a line is known that does not get mated.
        # 12a. Late move pruning: quiet moves that come late.
        if prunable and quiet and move_count >= lmp_count and not gives_check(ctx, move):
            skip_quiet_moves(ctx)
            continue
        new_depth = depth - move_cost(ctx.pos, move)
        history, continuation = 0, 0
        if quiet:
            history, continuation = move_history(ctx, move), continuation_score(ctx, move)
        r = reduction(params, depth, move_count, improving)
        if prunable:
            if not quiet or gives_check(ctx, move):
                # 12b. Captures and checks that lose material, or whose gain would not bring the value near alpha.
                threshold = -int(params.see_capture_margin) * depth
                lmr_depth = new_depth - r // PLY
                shallow_enough = lmr_depth < int(params.capture_futility_max_depth)
                if static_eval != VALUE_NONE and shallow_enough and not gives_check(ctx, move):
                    gain = int(params.capture_futility_base) + int(params.capture_futility_margin) * lmr_depth
                    threshold = max(threshold, alpha - static_eval - gain)
                is_good = threshold <= 0 and is_good_capture(ctx, picker.index)
                if not is_good and not see_ge(ctx.pos, move, threshold):
                    continue
            else:
                # 12c. Quiet moves with bad continuation histories, ...
                if continuation < -int(params.history_pruning_margin) * depth:
                    continue
                # ... that start too far below alpha for the depth that reductions leave (futility), ...
                lmr_depth = new_depth - r // PLY + (continuation + history) // max(int(params.history_ply), 1)
                shallow_enough = lmr_depth <= int(params.futility_max_depth)
                if static_eval != VALUE_NONE and shallow_enough and abs(alpha) < VALUE_MATE_IN_MAX:
                    futility_value = static_eval + int(params.futility_base) + int(params.futility_margin) * lmr_depth
                    if best_move == MOVE_NONE:
                        futility_value += int(params.futility_no_best)
                    if futility_value <= alpha:
                        no_mates = abs(best_value) < VALUE_MATE_IN_MAX and abs(futility_value) < VALUE_MATE_IN_MAX
                        if best_value < futility_value and no_mates:
                            best_value = futility_value
                        continue
                # ... or that lose material.
                lmr_depth = max(lmr_depth, 0)
                if not see_ge(ctx.pos, move, -int(params.see_quiet_margin) * lmr_depth * lmr_depth):
                    continue

        stat_score = history + continuation
        ctx.stat_scores[ctx.ply] = stat_score
        make_move(ctx, move)

        # 13. Principal variation search: the first move with the full window; the others with a zero window and reduced
        #     depth (late move reduction), again at full depth if they beat alpha, and with the full window at PV nodes.
        if move_count == 1:
            ctx.cut_nodes[ctx.ply] = not (pv_node or cut_node)
            value = -search(ctx, -beta, -alpha, new_depth, picker.end)
        else:
            reduced_depth = new_depth
            if ctx.search_flags & REDUCE and depth >= int(params.lmr_min_depth):
                no_tt_move = tt_move == MOVE_NONE
                r = lmr_adjust(params, depth, r, move_count, stat_score, pv_node, cut_node, no_tt_move)
                reduced_depth = min(max(new_depth - r // PLY + (1 if pv_node else 0), 1), new_depth)
            ctx.cut_nodes[ctx.ply] = True
            value = -search(ctx, -alpha - 1, -alpha, reduced_depth, picker.end)
            if value > alpha and reduced_depth < new_depth:
                ctx.cut_nodes[ctx.ply] = not cut_node
                value = -search(ctx, -alpha - 1, -alpha, new_depth, picker.end)
                if value > alpha and quiet and not ctx.stopped:
                    bonus = int(params.lmr_research_bonus)
                    update_continuation_histories(ctx, ctx.ply - 1, continuation_row(ctx, ctx.ply, 1), bonus, in_check)
            if alpha < value < beta:
                ctx.cut_nodes[ctx.ply] = False
                value = -search(ctx, -beta, -alpha, new_depth, picker.end)
        unmake_move(ctx, move)
        if ctx.stopped:
            return 0

        # 14. A new best move? A beta cutoff?
        if value > best_value:
            best_value = value
            if value > alpha:
                best_move = move
                best_end = picker.index + 1
                bound = BOUND_EXACT
                if pv_node:
                    update_pv(ctx, move)
                if value >= beta:
                    bound = BOUND_LOWER
                    if quiet:
                        update_quiet_stats(ctx, start, picker.index, depth)
                    break
                alpha = value

    # 15. No legal move: the game is over.
    if move_count == 0:
        return terminal_value(ctx)

    # 16. Update the histories, the correction histories and the transposition table.
    has_best_move = best_move != MOVE_NONE
    quiet_best = not has_best_move or is_quiet(ctx.pos, best_move)
    if has_best_move and quiet_best:
        update_continuation_stats(ctx, start, best_end, best_move, depth, tt_move)
    bounds_eval = (best_value > static_eval) == has_best_move  # else the bound does not contradict it
    if static_eval != VALUE_NONE and quiet_best and bounds_eval and abs(best_value) < VALUE_MATE_IN_MAX:
        update_correction_histories(ctx, best_value - static_eval, depth, has_best_move)
    if ctx.search_flags & TABLE:
        store(ctx, hash_key, best_move, best_value, depth, bound, ctx.ply)
    return best_value


@njit
def prepare_root(ctx):
    """Start a search of ctx.pos and sort its root moves by `root_order_score`, stably.

    Of moves of equal value the first is played.
    """
    start_search(ctx)
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

    Step 13 of `search` stands here again: a kernel that searches one move for both would call `search` and be called
    by it, and numba cannot cache mutual recursion (the second process crashes). The root has no pruning, keeps its
    move order between iterations, and reduces a little differently.
    """
    params = ctx.params
    ctx.root_scores[first] = -VALUE_INFINITE
    ctx.root_depth = depth
    ctx.static_evals[0] = evaluate(ctx) if ctx.search_flags & PRUNE and not is_in_check(ctx.pos) else VALUE_NONE
    best_value = -VALUE_INFINITE
    raised_alpha = alpha
    for index in range(first, int(ctx.root_count)):
        move = ctx.root_moves[index]
        new_depth = depth - move_cost(ctx.pos, move)
        move_count = index - first + 1
        reduced_depth = new_depth
        if ctx.search_flags & REDUCE and depth >= int(params.lmr_min_depth) and move_count > 1:
            stat_score = move_history(ctx, move) + continuation_score(ctx, move) if is_quiet(ctx.pos, move) else 0
            r = reduction(params, depth, move_count, True)
            r = lmr_adjust(params, depth, r, move_count, stat_score, True, False, False)
            reduced_depth = new_depth - min(max(r // PLY, 0), new_depth - 1)
        ctx.stat_scores[0] = 0
        make_move(ctx, move)
        if move_count == 1:
            ctx.cut_nodes[ctx.ply] = False
            value = -search(ctx, -beta, -raised_alpha, new_depth, 0)
        else:
            ctx.cut_nodes[ctx.ply] = True
            value = -search(ctx, -raised_alpha - 1, -raised_alpha, reduced_depth, 0)
            if value > raised_alpha and reduced_depth < new_depth:
                value = -search(ctx, -raised_alpha - 1, -raised_alpha, new_depth, 0)
            if raised_alpha < value < beta:
                ctx.cut_nodes[ctx.ply] = False
                value = -search(ctx, -beta, -raised_alpha, new_depth, 0)
        unmake_move(ctx, move)
        if ctx.stopped:
            break
        if value > best_value:
            best_value = value
            if value > raised_alpha or move_count == 1:
                ctx.pv_end[0] = 0
                update_pv(ctx, move)
                for place in range(index, first, -1):
                    ctx.root_moves[place] = ctx.root_moves[place - 1]
                ctx.root_moves[first] = move
                ctx.root_scores[first] = value
            if value >= beta:
                break
            raised_alpha = max(raised_alpha, value)
    if ctx.search_flags & TABLE and best_value > -VALUE_INFINITE and not ctx.stopped and first == 0:
        bound = BOUND_UPPER if best_value <= alpha else BOUND_LOWER if best_value >= beta else BOUND_EXACT
        store(ctx, key(ctx.pos) ^ ctx.tt_key_salt, ctx.root_moves[0], best_value, depth, bound, 0)
    return best_value

"""The root moves during a search: their order, their values and the nodes spent on them."""

from shogi_engine.interface.game import VALUE_NONE, is_legal, root_order_score
from shogi_engine.jit import njit
from shogi_engine.search.context import generate_searched_moves, start_search


@njit
def note_root_move(ctx, place, value, nodes):
    """Record the value of the root move at ctx.root_first + place, and the nodes spent on it."""
    index = ctx.root_first + place
    square = value * abs(value)
    if ctx.root_averages[index] == VALUE_NONE:
        ctx.root_averages[index], ctx.root_squares[index] = value, square
    else:
        ctx.root_averages[index] = (value + ctx.root_averages[index]) // 2
        ctx.root_squares[index] = (square + ctx.root_squares[index]) // 2
    ctx.root_efforts[index] += nodes


@njit
def bring_to_front(ctx, place, value):
    """Move the root move at ctx.root_first + place, with its `value`, to ctx.root_first. The others keep their order.

    The best move is then at the front even if the search is stopped.
    """
    first = ctx.root_first
    index = first + place
    move, average = ctx.root_moves[index], ctx.root_averages[index]
    square, effort = ctx.root_squares[index], ctx.root_efforts[index]
    while index > first:
        ctx.root_moves[index], ctx.root_averages[index] = ctx.root_moves[index - 1], ctx.root_averages[index - 1]
        ctx.root_squares[index], ctx.root_efforts[index] = ctx.root_squares[index - 1], ctx.root_efforts[index - 1]
        index -= 1
    ctx.root_moves[first], ctx.root_averages[first] = move, average
    ctx.root_squares[first], ctx.root_efforts[first] = square, effort
    ctx.root_scores[first] = value


@njit
def prepare_root(ctx):
    """Start a search of ctx.pos and sort its root moves by `root_order_score`, stably.

    If ctx.root_count is 0, the root moves become all moves that the search considers. Among moves of equal value, the
    first one is played.
    """
    if ctx.root_count == 0:
        for index in range(generate_searched_moves(ctx, 0)):
            if is_legal(ctx.pos, ctx.moves[index]):
                ctx.root_moves[ctx.root_count] = ctx.moves[index]
                ctx.root_count += 1
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

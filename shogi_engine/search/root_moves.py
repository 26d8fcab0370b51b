"""The root moves during a search: their order and their values."""

from shogi_engine.interface.game import VALUE_NONE, root_order_score
from shogi_engine.jit import njit
from shogi_engine.search.context import generate_searched_moves, start_search, take_root_moves


@njit
def note_root_move(ctx, place, value, nodes):
    """Record the value of the root move at ctx.root_first + place, for which `nodes` positions were searched."""
    index = ctx.root_first + place
    ctx.root_nodes[index] += nodes
    square = value * abs(value)
    if ctx.root_averages[index] == VALUE_NONE:
        ctx.root_averages[index], ctx.root_squares[index] = value, square
    else:
        ctx.root_averages[index] = (value + ctx.root_averages[index]) // 2
        ctx.root_squares[index] = (square + ctx.root_squares[index]) // 2


@njit
def move_up(ctx, index, place):
    """Move the root move at `index`, with all that is known about it, up to `place`. The others keep their order."""
    move, score = ctx.root_moves[index], ctx.root_scores[index]
    average, square, nodes = ctx.root_averages[index], ctx.root_squares[index], ctx.root_nodes[index]
    while index > place:
        ctx.root_moves[index], ctx.root_scores[index] = ctx.root_moves[index - 1], ctx.root_scores[index - 1]
        ctx.root_averages[index], ctx.root_squares[index] = ctx.root_averages[index - 1], ctx.root_squares[index - 1]
        ctx.root_nodes[index] = ctx.root_nodes[index - 1]
        index -= 1
    ctx.root_moves[place], ctx.root_scores[place] = move, score
    ctx.root_averages[place], ctx.root_squares[place], ctx.root_nodes[place] = average, square, nodes


@njit
def sort_root_moves(ctx, count):
    """Sort the first `count` root moves by their scores, the best first, stably."""
    for index in range(1, count):
        place = index
        while place > 0 and ctx.root_scores[place - 1] < ctx.root_scores[index]:
            place -= 1
        move_up(ctx, index, place)


@njit
def bring_to_front(ctx, place, value):
    """Move the root move at ctx.root_first + place, with its `value`, to ctx.root_first. The others keep their order.

    The best move is then at the front even if the search is stopped.
    """
    move_up(ctx, ctx.root_first + place, ctx.root_first)
    ctx.root_scores[ctx.root_first] = value


@njit
def prepare_root(ctx):
    """Start a search of ctx.pos and sort its root moves by `root_order_score`, stably.

    If ctx.root_count is 0, the root moves become all moves that the search considers. Among moves of equal value, the
    first one is played.
    """
    if ctx.root_count == 0:
        take_root_moves(ctx, generate_searched_moves(ctx, 0))
    start_search(ctx)
    for index in range(int(ctx.root_count)):
        ctx.root_scores[index] = root_order_score(ctx, ctx.root_moves[index])
    sort_root_moves(ctx, int(ctx.root_count))

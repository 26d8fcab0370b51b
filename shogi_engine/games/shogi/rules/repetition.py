"""Repetition (sennichite), perpetual check, and the same board with more or fewer pieces in hand."""

from shogi_engine.games.shogi.queries import in_check
from shogi_engine.games.shogi.rules.results import DRAW, LOSS, VALUE_PERPETUAL, VALUE_SUPERIOR, WIN
from shogi_engine.games.shogi.types import HAND_GUARDS, POSITION, hand_covers
from shogi_engine.interface.game import VALUE_MATE, VALUE_NONE, provides
from shogi_engine.jit import njit


@njit
def same_hands(pos, undo):
    """Tell whether both hands of `pos` are those saved in `undo`."""
    return pos.hand[0] == undo.hand[0] and pos.hand[1] == undo.hand[1]


@njit
def occurrence(pos, undo, game_ply, number):
    """Return the index of the `number`-th occurrence of `pos`, counting backwards from the current one (1), or -1.

    Args:
        undo: record[UNDO][>= game_ply], in, of the moves that led to `pos`; undo[i] describes the position before
            move i. Positions are equal if board, both hands and side to move are equal.
    """
    left = number - 1
    index = game_ply
    while left > 0 and index >= 4:
        # A repetition takes at least four plies.
        index -= 4
        while index >= 0 and not (undo[index].board_key == pos.board_key and same_hands(pos, undo[index])):
            index -= 2
        if index >= 0:
            left -= 1
    return index if left == 0 else -1


@njit
def perpetual(pos, undo, first, game_ply):
    """Return the result if `pos`, at `game_ply`, repeats the position before move `first`.

    LOSS if only the side to move gave check with every move in between (perpetual check), WIN if only the other side
    did, else DRAW.
    """
    ours = theirs = True
    for index in range(first + 1, game_ply, 2):  # the positions with the other side to move: is it in check?
        if not in_check(undo[index]):
            ours = False
            break
    if not in_check(pos):
        theirs = False
    else:
        for index in range(first + 2, game_ply, 2):
            if not in_check(undo[index]):
                theirs = False
                break
    if ours == theirs:
        return DRAW
    return LOSS if ours else WIN


@njit
def repetition(pos, undo, game_ply):
    """Return how the fourth occurrence of `pos` settles the game for the side to move; 0 if it is not the fourth.

    A draw, unless one side gave check with every move since the first of the four: that side loses.

    Args:
        undo: record[UNDO][>= game_ply], in, as for `occurrence`
    """
    first = occurrence(pos, undo, game_ply, 4)
    return perpetual(pos, undo, first, game_ply) if first >= 0 else 0


@njit
def has_null(undo, first, game_ply):
    """Tell whether there is a null move between `first` and `game_ply`; then no position counts as repeated."""
    index = first
    while index < game_ply and undo[index].move != 0:
        index += 1
    return index < game_ply


@njit
def repeated_value(ctx, nearest):
    """Return the value of ctx.pos, whose last occurrence is `nearest`; VALUE_NONE if this is no repetition yet."""
    root = ctx.game_ply - ctx.ply
    first = occurrence(ctx.pos, ctx.undo, ctx.game_ply, 4)
    over = first >= 0
    if not over:
        first = occurrence(ctx.pos, ctx.undo, ctx.game_ply, 3)
        if first < 0:
            first = nearest
            if nearest < root:
                return VALUE_NONE
    result = perpetual(ctx.pos, ctx.undo, first, ctx.game_ply)
    if result == DRAW:
        return ctx.params.draw_value[ctx.pos.side]
    value = (VALUE_MATE if over else VALUE_PERPETUAL) - ctx.ply
    return value if result == WIN else -value


@provides(POSITION)
def repetition_value(ctx):
    # A position that occurred once since the root, or twice before it, counts as settled: a side that can repeat once
    # can repeat again. Only the fourth occurrence ends the game, and only it has a mate value.
    # The same board with more in hand is superior, with less in hand inferior. As in other engines, this counts only
    # occurrences since the root. All of them are compared.
    game_ply = ctx.game_ply
    board_key = ctx.pos.board_key
    for index in range(game_ply - 4, -1, -2):
        if ctx.undo[index].board_key != board_key:
            continue
        if has_null(ctx.undo, index, game_ply):
            break
        if same_hands(ctx.pos, ctx.undo[index]):
            return repeated_value(ctx, index)
        if index >= game_ply - ctx.ply:
            hand, before = ctx.pos.hand[ctx.pos.side], ctx.undo[index].hand[ctx.pos.side]
            if hand_covers(hand, before, HAND_GUARDS):
                return VALUE_SUPERIOR - ctx.ply
            if hand_covers(before, hand, HAND_GUARDS):
                return ctx.ply - VALUE_SUPERIOR
    return VALUE_NONE

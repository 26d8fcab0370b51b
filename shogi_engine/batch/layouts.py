"""The layouts and features that networks use unless told otherwise, and planes side by side."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shogi_engine.batch.batch import Batch
from shogi_engine.games.batch_rules import IDS

Shape = tuple[int, ...]
LAYOUTS = {"shogi": ("dlshogi", ("dlshogi1", "dlshogi2")), "othello": ("squares+pass", ("planes",))}


def defaulted(game: str, layout: str | None, features: tuple[str, ...] | None) -> tuple[str, tuple[str, ...]]:
    """Return the layout and the features, the game's defaults for None."""
    usual_layout, usual_features = LAYOUTS.get(game, (IDS, ("planes",)))
    return layout or usual_layout, features or usual_features


def planes_shape(batch: Batch, features: tuple[str, ...]) -> Shape:
    """Return the shape of features with planes of one size, side by side."""
    if missing := [name for name in features if name not in batch.feature_names]:
        raise ValueError(f"{batch.game.name} has no {missing[0]}: Extras.drawing and the rule write_cells make planes")
    shapes = [batch.feature_names[name] for name in features]
    return sum(shape[0] for shape in shapes), *shapes[0][1:]


def side_by_side(found: Any) -> NDArray[Any]:
    """Return features, an array or several of them with planes of one size, as one array [n, planes, ...]."""
    return np.concatenate(found, axis=1) if isinstance(found, tuple) else np.asarray(found)

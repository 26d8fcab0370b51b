"""Loading the evaluation that the options select."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from shogi_engine.frontends import core
from shogi_engine.games.shogi.evaluation.eval_options import DEFAULT_SCALE, read_scale
from shogi_engine.games.shogi.names import EVALUATIONS, FILE_EVALUATIONS, TRAINED_EVALUATIONS
from usi.options import STANDARD_FILE, Options

if TYPE_CHECKING:
    from shogi_engine.engine import Engine


@dataclass(frozen=True)
class Choice:
    """The name of an evaluation, the file of its weights if it needs one, and FV_SCALE."""

    name: str = EVALUATIONS.default
    file: Path | None = None
    fv_scale: int = DEFAULT_SCALE


def choice_of(options: Options) -> Choice:
    """Return the evaluation that `options` select."""
    name, file_name = options.text("EvalType"), options.text("EvalFile")
    if name not in FILE_EVALUATIONS and (name not in TRAINED_EVALUATIONS or file_name == STANDARD_FILE):
        return Choice(name)
    file = Path(options.text("EvalDir"), file_name).absolute()
    return Choice(name, file, options.number("FV_SCALE"))


def load(choice: Choice) -> tuple["Engine", Choice]:
    """Return an engine and its evaluation: `choice`, or the default if `choice` has a file, which `use` loads later."""
    if choice.file is not None:
        return core.load_engine("shogi", compiled=False), Choice()
    return core.load_engine("shogi", choice.name), choice


def use(engine: "Engine", choice: Choice, inform: Callable[[str], None]) -> None:
    """Set the evaluation of `engine` to `choice`, or to the default if the file is invalid, and compile its kernels.

    Args:
        inform: called with a description of the evaluation, or of the fault in the file
    """
    try:
        engine.set_evaluation(choice.name, choice.file)
    except ValueError as fault:
        inform(f"{fault}; using {EVALUATIONS.default} instead")
        engine.set_evaluation()
    else:
        if choice.file is not None:
            described = f"evaluation {engine.searcher.evaluator.describe()}"
            if choice.name == "nnue":
                scale = choice.fv_scale if choice.fv_scale != DEFAULT_SCALE else read_scale(choice.file.parent)
                engine.configure(fv_scale=scale)
                described += f", FV_SCALE {scale}"
            inform(described)
    engine.warmup()


def file_facts(engine: "Engine", choice: Choice) -> str:
    """Return the size of the evaluation's file and its FV_SCALE, '' if no file is in use."""
    if choice.file is None or not choice.file.exists():
        return ""
    evaluator = engine.searcher.evaluator
    if evaluator.evaluation.name != choice.name:  # the file was refused
        return ""
    size = f"{choice.file.stat().st_size / 1e6:.1f} MB"
    return f"{size}, FV_SCALE {evaluator.params.fv_scale}" if choice.name in FILE_EVALUATIONS else size

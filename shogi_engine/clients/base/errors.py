"""EngineError: the faults of engines."""

FAULTS = (
    "crash",
    "no answer",
    "second answer",
    "illegal move",
    "illegal ponder move",
    "false declaration",
    "time",
    "refusal",
)


class EngineError(Exception):
    """An engine broke its protocol or the rules.

    After a crash or a missing answer, close the client; it can be started again.

    Args:
        kind: one of FAULTS
    """

    def __init__(self, kind: str, text: str = "") -> None:
        super().__init__(f"{kind}: {text}" if text else kind)
        self.kind = kind

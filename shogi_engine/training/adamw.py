"""The optimiser of networks, AdamW, its checkpoints, and the activation's clipping, in float32.

Source: I. Loshchilov, F. Hutter, "Decoupled Weight Decay Regularization", arXiv:1711.05101.
"""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from shogi_engine.jit import njit
from shogi_engine.training.data import load_checkpoint, save_checkpoint

ZERO, ONE, TWO = np.float32(0), np.float32(1), np.float32(2)
FIRST_DECAY, SECOND_DECAY, TINY = np.float32(0.9), np.float32(0.999), np.float32(1e-8)


@njit
def clip(value):
    """Return `value` clipped to 0 to 1."""
    if value < ZERO:
        return ZERO
    return ONE if value > ONE else value


@njit
def take_step(
    parameters, first_moments, second_moments, gradients, begin, end, count, rate, decay, correction, correction2, limit
):
    """Do the work of `step`, given how much each mean lacks of its gradients."""
    share = np.float32(1.0 / count)
    for index in range(begin, end):
        gradient = ZERO
        for thread in range(gradients.shape[0]):
            gradient += gradients[thread, index]
            gradients[thread, index] = ZERO
        gradient *= share
        first_moments[index] += (ONE - FIRST_DECAY) * (gradient - first_moments[index])
        second_moments[index] += (ONE - SECOND_DECAY) * (gradient * gradient - second_moments[index])
        change = (first_moments[index] / correction) / (np.sqrt(second_moments[index] / correction2) + TINY)
        value = parameters[index] - rate * (change + decay * parameters[index])
        parameters[index] = min(max(value, -limit), limit)


def step(*arguments: Any) -> None:
    """Update parameters[begin:end] by a step of AdamW from `gradients`, float32[threads, parameters], and clear those.

    Args:
        parameters: float32[n], in-out
        first_moments, second_moments: float32[n], in-out, running means of gradients and their squares
        gradients: float32[threads, n]
        begin, end: the parameters to update
        count: the number of positions in the batch
        rate: the learning rate
        decay: the weight decay
        number: the number of the step, from 1
        limit: the largest absolute value of a parameter
    """
    *others, number, limit = arguments
    take_step(*others, np.float32(1.0 - 0.9**number), np.float32(1.0 - 0.999**number), limit)


@dataclass
class AdamState:
    """The contents of a checkpoint.

    Attributes:
        losses: by epoch, {name: loss}
        first_moments, second_moments: the optimiser's running means of the gradients and of their squares
        steps: the number of the optimiser's steps
    """

    parameters: np.ndarray
    first_moments: np.ndarray
    second_moments: np.ndarray
    steps: int
    losses: list[dict[str, float]]

    def save(self, file: Path, identity: str) -> None:
        """Write a checkpoint; see `save_checkpoint`."""
        moments = {"first_moments": self.first_moments, "second_moments": self.second_moments}
        arrays = {"parameters": self.parameters, **moments}
        save_checkpoint(file, identity, self.losses, {**arrays, "steps": np.array(self.steps)})

    @classmethod
    def load(cls, file: Path, identity: str) -> "AdamState | None":
        """Return the contents of a checkpoint; see `load_checkpoint`."""
        found = load_checkpoint(file, identity)
        if found is None:
            return None
        arrays, losses = found
        moments = arrays["first_moments"], arrays["second_moments"]
        return cls(arrays["parameters"], *moments, int(arrays["steps"]), losses)


def state_of(parameters: np.ndarray) -> AdamState:
    """Return the state before the first step with these parameters."""
    return AdamState(parameters, np.zeros_like(parameters), np.zeros_like(parameters), 0, [])


def falling_rate(first: float, last: float, done: float) -> float:
    """Return the learning rate after a share of the run; it falls along a cosine."""
    return last + (first - last) * (1 + math.cos(math.pi * done)) / 2

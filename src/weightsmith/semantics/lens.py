"""What the head would decide after every sublayer."""

from dataclasses import dataclass

import numpy as np

from weightsmith.arithmetic import Array, Native
from weightsmith.semantics import machine, reference
from weightsmith.semantics.run import Run


@dataclass(frozen=True, eq=False)
class Lens:
    """Decisions and logits at every stage and position, as if the run ended there."""

    stages: tuple[str, ...]
    tokens: tuple[str, ...]
    decisions: tuple[tuple[str, ...], ...]  # [stage][position]
    logits: Array  # (stages, positions, classes)


def lens(run: Run) -> Lens:
    """Read every stage of the stream with the final norm and the output, at every position.

    The last position of the last stage is the run's own decision.
    """
    T = run.transformer
    read_off = machine.read_off if isinstance(T.arithmetic, Native) else reference.read_off
    logits = read_off(T, run.stream).astype(np.float64)
    logits[-1, -1] = run.logits  # the same numbers; in Native perhaps added in another order
    logits.setflags(write=False)
    best = np.argmax(logits, axis=-1)
    decisions = tuple(tuple(T.classes[c] for c in row) for row in best)
    return Lens(run.stages, run.tokens, decisions, logits)

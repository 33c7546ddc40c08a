"""What is asked of a model to measure it, and what the original gives."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.kernels.engines import engine_for
from weightsmith.model import Transformer
from weightsmith.semantics.evaluation import Ids


@dataclass(frozen=True)
class Outputs:
    """What a model gives for inputs of one length."""

    logits: Array  # (inputs, positions, classes); with a readout its codes, (inputs, positions, lanes of the readout)
    stream: Sequence[Array] | None = None  # after the embedding and each sublayer, (inputs, positions, lanes)


class Exported(Protocol):
    """An exported model, as it is measured.

    One that saturates at the end of each sum also says `saturates = True`; one that folds and rounds as the original
    does, `rounds = True`. `longest` is the longest input that it takes, if there is one. `in_dtype(name)` is the same
    model in another floating-point type, or None where a weight is beyond it. `steps = True` says that it takes every
    step of the reference in its dtype, but for rounding, and sums in any order.
    """

    target: str  # "PyTorch"
    dtype: str  # "float32"

    def outputs(self, ids: Ids) -> Outputs:
        """Run it on places in the vocabulary, (inputs, positions), in float64; no stream where it does not show one."""


def original(T: Transformer, ids: Ids) -> Outputs:
    """Return what the transformer itself gives: the logits or codes at every position, and the stream."""
    engine = engine_for(T)
    found = engine.evaluate(ids)
    logits = (engine.read_off if T.readout is None else engine.read_codes)(found.stream[-1])
    return Outputs(logits.astype(np.float64), [stage.astype(np.float64) for stage in found.stream])

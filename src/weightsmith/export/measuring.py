"""What is asked of a model to measure it, and what the original gives."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from weightsmith.arithmetic import Array, Native
from weightsmith.inspect.run import evaluate, read_codes
from weightsmith.kernels.blas import BlasRun
from weightsmith.model import Transformer
from weightsmith.semantics.evaluation import Ids
from weightsmith.semantics.reference import read_off


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
    found = evaluate(T, ids)
    last = found.stream[-1]
    if T.readout is not None:
        logits = read_codes(T, last)
    else:
        logits = BlasRun(T).read_off(last) if isinstance(T.arithmetic, Native) else read_off(T, last)
    return Outputs(logits.astype(np.float64), [stage.astype(np.float64) for stage in found.stream])

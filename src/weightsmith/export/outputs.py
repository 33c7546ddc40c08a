"""The outputs of a model and of its target: logits or codes at every position, and the answers that they stand for."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.kernels.engines import engine_for
from weightsmith.model import Transformer
from weightsmith.semantics.evaluation import AnswerIds, Ids


@dataclass(frozen=True)
class Outputs:
    """The outputs of a model for inputs of one length."""

    logits: Array  # (inputs, positions, classes); with a readout its codes, (inputs, positions, lanes of the readout)
    stream: Sequence[Array] | None = None  # after the embedding and each sublayer, (inputs, positions, lanes)


class Exported(Protocol):
    """An exported model, for a report.

    One that saturates at the end of each sum also says `saturates = True`; one that folds and rounds as the original
    does, `rounds = True`. `longest` is the longest input that it takes, if there is one. `in_dtype(name)` is the same
    model in another floating-point type, or None where a weight is beyond it. `steps = True` says that it takes every
    step of the reference in its dtype, but for rounding, and sums in any order.
    """

    target: str  # "PyTorch"
    dtype: str  # "float32"

    def outputs(self, ids: Ids) -> Outputs:
        """Run ids in the vocabulary, (inputs, positions); return float64 arrays, without a stream if there is none."""


def original(T: Transformer, ids: Ids) -> Outputs:
    """Return the outputs of the transformer itself: logits or codes at every position, and the stream."""
    engine = engine_for(T)
    found = engine.evaluate(ids)
    logits = (engine.read_off if T.readout is None else engine.read_codes)(found.stream[-1])
    return Outputs(logits.astype(np.float64), [stage.astype(np.float64) for stage in found.stream])


def answers(T: Transformer, said: Array) -> AnswerIds:
    """Return the index of the answer that outputs stand for: (…, logits), or (…, codes) with a readout.

    −1 stands for no answer: a logit that is no number, and a code that is not in the table, however near one is.
    """
    if T.readout is not None:
        return T.readout.answer_ids(said)
    return np.where(np.isfinite(said).all(-1), np.argmax(said, -1), -1)


def width(T: Transformer) -> int:
    """Return the number of outputs at each position: a logit for each class, or the code of a readout."""
    return len(T.classes) if T.readout is None else len(T.readout.lanes)


def readout_lanes(T: Transformer) -> list[int] | None:
    """Return the indices of the lanes that a readout reads; None without one."""
    return None if T.readout is None else [T.lanes.index(lane) for lane in T.readout.lanes]


def names(T: Transformer, difference: str | None = None) -> dict[str, Any]:
    """Return the names of tokens, classes and lanes, and the values of the codes of a readout, as plain values.

    `difference` is a sentence on the first input with another answer.
    """
    found: dict[str, Any] = {"vocabulary": list(T.vocabulary), "classes": list(T.classes), "lanes": list(T.lanes)}
    found |= {} if T.readout is None else {"readout": plain_readout(T)}
    return found if difference is None else {**found, "difference": difference}


def plain_readout(T: Transformer) -> dict[str, Any] | None:
    """Return a readout as plain values: its lanes, and pairs of a code, a list of numbers, and its value."""
    if T.readout is None:
        return None
    table = [[list(code), value] for code, value in T.readout.entries]
    return {"lanes": list(T.readout.lanes), "table": table}

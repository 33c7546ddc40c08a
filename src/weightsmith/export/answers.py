"""What is said at every position, by a transformer and by what was made of it: classes by logits, or codes."""

from typing import Any

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.model import Transformer
from weightsmith.semantics.evaluation import AnswerIds


def answers(T: Transformer, said: Array) -> AnswerIds:
    """Return the places among the answers of what a target gives, (…, logits), or (…, codes) with a readout.

    −1 stands for no answer: a logit that is no number, and a code that is not in the table, however near one is.
    """
    if T.readout is not None:
        return T.readout.answer_ids(said)
    return np.where(np.isfinite(said).all(-1), np.argmax(said, -1), -1)


def width(T: Transformer) -> int:
    """Return how many numbers a target gives at each position: a logit for each class, or the code of a readout."""
    return len(T.classes) if T.readout is None else len(T.readout.lanes)


def code_places(T: Transformer) -> list[int] | None:
    """Return the places of the lanes that a readout reads; None without one."""
    return None if T.readout is None else [T.lanes.index(lane) for lane in T.readout.lanes]


def names(T: Transformer, difference: str | None = None) -> dict[str, Any]:
    """Return what weights do not say, as plain values: the names, and what each code of a readout stands for.

    Of a model that says something else than the original on some input, a sentence names the first.
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

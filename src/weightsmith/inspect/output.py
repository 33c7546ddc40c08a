"""The numbers of an output: the logits of the classes, or the code in the lanes of a readout; and their answers."""

from typing import Any

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.inspect.run import Run, Sums
from weightsmith.kernels.engines import engine_for
from weightsmith.model import Transformer
from weightsmith.model.readout import NO_VALUE, NoValue
from weightsmith.semantics.evaluation import AnswerIds, Evaluation


def output_rows(T: Transformer) -> Array:
    """Return the matrix whose rows read the numbers of an output off a vector, without biases."""
    if T.readout is None:
        return np.asarray(T.output, np.float64)
    rows = np.zeros((len(T.readout.lanes), len(T.lanes)))
    rows[range(len(rows)), [T.lanes.index(lane) for lane in T.readout.lanes]] = 1.0
    return rows


def read_numbers(T: Transformer, vectors: Array, sums: Sums | None = None) -> Array:
    """Return the numbers of the output of vectors of the stream (…, lanes), through the final norm."""
    engine = engine_for(T, sums)
    if T.readout is None:
        return engine.read_off(vectors).astype(np.float64)
    return engine.read_codes(vectors[..., np.newaxis, :])[..., 0, :].astype(np.float64)


def numbers_of_run(run: Run, position: int) -> Array:
    """Return the numbers of the output of a run at a position counted from 0."""
    if position == len(run.tokens) - 1 and run.transformer.readout is None:
        return run.logits
    return read_numbers(run.transformer, run.stream[-1, position], run.sums)


def numbers_of_evaluation(T: Transformer, found: Evaluation, position: int, sums: Sums | None) -> Array:
    """Return the numbers of the outputs of several inputs at a position, (inputs, classes or lanes)."""
    if position == found.stream[-1].shape[-2] - 1 and T.readout is None:
        return found.logits.astype(np.float64)
    return read_numbers(T, found.stream[-1][..., position, :], sums)


def answers_of(T: Transformer, numbers: Array) -> AnswerIds:
    """Return the answers of outputs, as indices of `T.answers`; −1 for a code without a value."""
    if T.readout is not None:
        return T.readout.answer_ids(numbers)
    best: AnswerIds = np.argmax(numbers, axis=-1)
    return best


def answer(T: Transformer, number: int) -> Any | NoValue:
    """Return an answer by its index in `T.answers`; `NO_VALUE` for −1."""
    return NO_VALUE if number < 0 else T.answers[number]


def answer_at(run: Run, position: int) -> Any | NoValue:
    """Return the answer of a run at a position counted from 0; `NO_VALUE` for a code without a value."""
    return answer(run.transformer, int(run.answer_ids[position]))

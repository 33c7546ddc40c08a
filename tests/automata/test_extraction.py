"""The automaton of a transformer says what the transformer says: on all short inputs, and on long ones."""

from random import Random

import numpy as np
import pytest

import weightsmith as ws
from tests.automata.models import random_model
from tests.witness.runs import witness_run
from weightsmith.automata import Inputs
from weightsmith.automata.extraction import Budget, Decisions, UnknownError, extract
from weightsmith.check.examine import Reader, by_kernels

SHORT = 8
STRICT = "strict" in ws.Head.__dataclass_fields__
BATCH = 25  # models of a test


def said(D: Decisions, length: int) -> np.ndarray:
    """What the machines say after every input of a length, in vocabulary order; that one of them speaks is checked."""
    total = np.zeros(len(D.transformer.vocabulary) ** length, np.int64)
    speaking = np.zeros(len(total), np.int64)
    for machine in D.machines:
        states = np.zeros(1, np.int32)
        for _ in range(length):
            states = machine.table[states].reshape(-1)
        total += machine.labels[states]
        speaking += machine.labels[states] > 0
    assert (speaking == 1).all()
    return total - 1


def agree(T: ws.Transformer, D: Decisions, seed: int) -> None:
    """Compare with the kernels on every short input, with them on a long one, and with the witness on some."""
    longest = T.max_length or 300
    inputs = [Inputs(tuple(T.vocabulary), (), n) for n in range(1, min(SHORT, longest) + 1)]
    for one, decided in zip(inputs, by_kernels(Reader(T), "decisions", inputs), strict=True):
        np.testing.assert_array_equal(said(D, one.depth), decided)
    random = Random(seed)
    long = [random.randrange(len(T.vocabulary)) for _ in range(random.randint(1, longest))]
    assert T.answers[D.after(long)] == ws.decisions(T, [[T.vocabulary[i] for i in long]])[0]
    some = [random.randrange(len(T.vocabulary)) for _ in range(min(6, longest))]
    outputs = witness_run(T, [T.vocabulary[i] for i in some]).outputs
    assert [T.answers[D.after(some[: n + 1])] for n in range(len(some))] == outputs


def ended(seeds: range, **kinds: object) -> int:
    """Extract models, and compare those that end; return how many did."""
    count = 0
    for seed in seeds:
        T = random_model(seed, strict=STRICT, **kinds)  # type: ignore[arg-type]
        try:
            D = extract(T, Budget(seconds=0.4, states=3_000))
        except (UnknownError, ws.ModelError):  # a norm of 0 has no root
            continue
        agree(T, D, seed)
        count += 1
    return count


@pytest.mark.parametrize(
    "begin", [pytest.param(n, marks=[] if n < 500 else pytest.mark.long) for n in range(0, 2000, BATCH)]
)
def test_the_machines_say_what_the_transformer_says(begin: int) -> None:
    assert ended(range(begin, begin + BATCH)) >= 5

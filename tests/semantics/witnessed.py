"""Runs against the independent evaluator, and the parts that they go through."""

import numpy as np

from tests.witness.runs import exact, witness_run
from weightsmith import (
    AverageHard,
    LayerNorm,
    LeftmostHard,
    RightmostHard,
    RMSNorm,
    Run,
    Softmax,
    Transformer,
    run,
)
from weightsmith.model import Weighting

WEIGHTINGS: tuple[Weighting, ...] = (
    Softmax(),
    Softmax(shifted=True),
    Softmax(empty="uniform"),
    AverageHard(),
    LeftmostHard(),
    RightmostHard(),
)


def assert_equals_witness(T: Transformer, tokens: list[str]) -> Run:
    found, wanted = run(T, tokens), witness_run(T, tokens)
    assert exact(found.stream) == wanted.stream
    assert exact([list(block) for block in found.attention]) == wanted.attention
    assert [exact(z) for z in found.activations] == wanted.activations
    assert exact(found.logits) == wanted.logits
    assert list(found.outputs) == wanted.outputs
    assert found.decision == wanted.decision
    assert found.empty_softmax == wanted.empty
    return found


NORMS: tuple[LayerNorm | RMSNorm, ...] = (
    LayerNorm(eps=0.25),
    LayerNorm(eps=0.5, gain=np.array([1.0, 0.5]), bias=np.array([0.25, -1.0]), lanes=("x0", "x2")),
    RMSNorm(eps=0.25, gain=np.array([1.0, 1.5, 0.5])),
)

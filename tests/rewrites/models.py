"""Random transformers of every shape, in eight arithmetics, for testing contracts."""

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
from hypothesis import strategies as st

import weightsmith as ws
from tests.semantics.witnessed import WEIGHTINGS
from tests.witness.runs import WitnessRun, witness_run
from weightsmith.arithmetic import Arithmetic

ARITHMETICS: tuple[Arithmetic, ...] = (
    ws.Fixed(4, 4),
    ws.Fixed(2, 2),
    ws.Fixed(2, 3, "even"),
    ws.Fixed(3, 0, "away"),
    ws.Float(3, 3),
    ws.Float(4, 3, "even"),
    ws.Float(2, 4),
    ws.Float.like("e4m3", ties="away"),
)
WITHOUT_EXP = (ws.Float(2, 4), ws.Fixed(3, 0, "away"))


def inputs(vocabulary: Any = "ab", up_to: int = 4) -> list[list[str]]:
    """Return every input up to a length."""
    return [list(tokens) for n in range(1, up_to + 1) for tokens in product(vocabulary, repeat=n)]


@st.composite
def transformers(draw: st.DrawFn, arithmetics: Any = ARITHMETICS, norms: bool = True) -> ws.Transformer:
    """Draw lanes 1–5, blocks 0–3, heads 0–2, any members as weights (extreme ones often), biases and norms.

    Blocks are parallel or not.
    """
    A = draw(st.sampled_from(arithmetics))
    lanes, blocks, heads = draw(st.integers(1, 5)), draw(st.integers(0, 3)), draw(st.integers(0, 2))
    T = ws.random_transformer(
        "ab", lanes, blocks, heads, draw(st.integers(0, 3)), 5, A, draw(st.integers(0, 10**6)),
        weighting=draw(st.sampled_from(WEIGHTINGS)), parallel=draw(st.booleans()),
    )  # fmt: skip
    loud = np.random.default_rng(draw(st.integers(0, 99)))
    output = np.where(loud.random(T.output.shape) < 0.3, loud.choice(A.values(), T.output.shape), T.output)
    embedding = np.where(loud.random(T.embedding.shape) < 0.2, loud.choice(A.values(), T.embedding.shape), T.embedding)
    bias = draw(st.sampled_from([None, A.round(np.array([0.5, -2.0]))]))
    norm = draw(st.sampled_from([None, None, ws.LayerNorm(eps=1.0), ws.RMSNorm(eps=1.0)])) if norms else None
    positions = draw(st.sampled_from([T.positions, T.positions, ws.Sinusoidal(5)]))
    if isinstance(positions, ws.Sinusoidal):  # the witness knows tables
        positions = ws.PositionTable(A.round(np.sin(np.arange(5 * lanes).reshape(5, lanes))))
    return replace(T, output=output, embedding=embedding, output_bias=bias, final_norm=norm, positions=positions)


def last_stage(found: WitnessRun, T: ws.Transformer, lanes: Any) -> list[list[Any]]:
    """Return the last stage of the stream on some lanes, by name."""
    places = [list(T.lanes).index(lane) for lane in lanes]
    return [[row[p] for p in places] for row in found.stream[-1]]


def witness(T: ws.Transformer, tokens: list[str]) -> WitnessRun:
    return witness_run(T, tokens)

"""Random chains of every kind: arithmetics, weightings, schemes, activations, norms, parallel blocks, strict heads."""

from dataclasses import replace
from random import Random
from typing import Any

import numpy as np

from tests.kernels.kinds import ACTIVATIONS, RULES, kind_of_model
from tests.kernels.models import drawing, random_model
from weightsmith import Chain, Fixed, Float, Native, PositionTable, Sinusoidal, Transformer
from weightsmith.arithmetic import Arithmetic

FINITE: tuple[Arithmetic, ...] = (
    *(Fixed(1, 1), Fixed(2, 2), Fixed(4, 4), Fixed(3, 5, "away"), Fixed(4, 4, "even"), Fixed(8, 8), Fixed(8, 14)),
    *(Float(4, 3), Float(3, 3, "even"), Float(4, 4, "away"), Float.like("e4m3"), Float.like("float16", "even")),
    *(Float(5, 12), Float(8, 20, "even")),
)
NATIVE = Native("float32"), Native("float64")
MOST_STEPS, LONGEST = 60, 70


def random_causal(A: Arithmetic, seed: int) -> Transformer:
    """Draw a causal transformer whose classes are tokens, for texts of up to `LONGEST` tokens."""
    draw = Random(seed)
    if draw.random() < 0.3:
        T = random_model(A, seed, mask="causal")
    else:
        T = kind_of_model(
            A, seed, draw.choice(RULES), draw.choice(ACTIVATIONS), heads=draw.choice((1, 2, 2, 3)),
            loudness=draw.choice((0.0, 0.05, 0.3)), norms=draw.random() < 0.3, parallel=draw.random() < 0.3,
        )  # fmt: skip
    made = drawing(A, np.random.default_rng([seed, 3]), loudness=0.02)
    d, tokens = len(T.lanes), T.vocabulary
    if len(tokens) < 3:
        tokens = (*tokens, *"xyz"[: 3 - len(tokens)])

    def longer(scheme: Any) -> Any:
        if isinstance(scheme, PositionTable):
            return PositionTable(made(LONGEST, d))
        return Sinusoidal(LONGEST, scheme.base) if isinstance(scheme, Sinusoidal) else scheme

    several = isinstance(T.positions, tuple)
    positions: Any = tuple(map(longer, T.positions)) if several else longer(T.positions)  # type: ignore[arg-type]
    chosen = tuple(draw.sample(tokens, draw.randint(2, 3)))
    embedding = np.vstack([T.embedding, made(len(tokens) - len(T.vocabulary), d)])
    changed: dict[str, Any] = {"vocabulary": tokens, "embedding": embedding, "tied": False, "positions": positions}
    bias = None if draw.random() < 0.5 else made(len(chosen))
    return replace(T, **changed, classes=chosen, output=made(len(chosen), d), output_bias=bias)


def random_chain(A: Arithmetic, seed: int) -> Chain:
    """Draw a chain with up to `MOST_STEPS` steps; some end at a token."""
    T, draw = random_causal(A, seed), Random(-seed)
    steps = draw.choice((1, 2, draw.randint(3, 20), draw.randint(20, MOST_STEPS)))
    until = draw.choice(T.classes) if draw.random() < 0.4 else ()
    prompt = draw.choices(T.vocabulary, k=draw.randint(0, 2))
    return Chain(T, prompt=prompt, steps=steps, until=until, inputs=T.vocabulary, max_length=6)

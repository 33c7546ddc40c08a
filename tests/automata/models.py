"""Random causal models of every kind that an automaton is extracted from."""

from random import Random
from typing import Any

import numpy as np

import weightsmith as ws

ARITHMETICS = ("fixed(1,1)", "fixed(2,2)", "fixed(4,4)", "float(3,3)", "float(4,3)")
WEIGHTINGS = (
    ws.LeftmostHard(),
    ws.RightmostHard(),
    ws.AverageHard(),
    ws.Softmax(),
    ws.Softmax(empty="uniform"),
    ws.Softmax(shifted=True),
    ws.Softmax(shifted=True, empty="uniform"),
)
ACTIVATIONS: tuple[Any, ...] = ("relu", "gelu", "gelu_tanh", "silu", "reglu", "swiglu")


class Maker:
    """Makes the parts of one random model."""

    neurons: tuple[int, ...] = (1, 2, 3)
    activations = ACTIVATIONS

    def __init__(self, seed: int, arithmetic: str, plain: bool = False) -> None:
        self.plain = plain
        self.random = Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.A = ws.parse_arithmetic(arithmetic)
        self.scale = self.random.choice([0.5, 1.0, 1.0, 2.0])
        self.lanes = self.random.choice([2, 3, 4])

    def draw(self, *shape: int) -> Any:
        sparse = self.numbers.random(shape) < 0.8
        return self.A.round(self.numbers.normal(size=shape) * self.scale * sparse)

    def maybe(self, *shape: int) -> Any:
        return self.draw(*shape) if self.random.random() < 0.3 else None

    def head(self, weighting: Any, *, positions: bool, strict: bool) -> ws.Head:
        size, lanes = self.random.choice([1, 2]), self.lanes
        value = self.random.choice([1, 2, lanes])
        scheme = self.scheme(size, value) if positions else None
        tied = 0.0 if not self.plain and self.random.random() < 0.3 else 1.0  # without queries all scores are equal
        return ws.Head(
            self.draw(size, lanes) * tied + 0.0, self.draw(size, lanes),
            self.draw(value, lanes), self.draw(lanes, value),
            weighting, self.maybe(size), self.maybe(size), self.maybe(value), scheme, strict,
        )  # fmt: skip

    def scheme(self, size: int, value: int) -> Any:
        if self.random.random() < 0.3:
            return ws.Alibi((self.random.choice([0.0, 1.0, 2.0, 8.0]),))
        rows = self.random.choice([1, 2, 3])
        return ws.Relative(self.draw(rows, size), self.maybe(rows, value))

    def norm(self) -> Any:
        if self.random.random() < 0.7:
            return None
        lanes = None if self.random.random() < 0.7 else tuple(f"x{i}" for i in range(2))
        count = self.lanes if lanes is None else 2
        kind = self.random.choice([ws.LayerNorm, ws.RMSNorm])
        bias = {"bias": self.maybe(count)} if kind is ws.LayerNorm else {}
        return kind(eps=float(self.A.round(1.0)), gain=self.maybe(count), lanes=lanes, **bias)

    def feed_forward(self) -> ws.FeedForward:
        neurons, lanes = self.random.choice(self.neurons), self.lanes
        activation = self.random.choice(self.activations)
        third = {"W_3": self.draw(neurons, lanes), "b_3": self.maybe(neurons)} if activation.endswith("glu") else {}
        return ws.FeedForward(
            self.draw(neurons, lanes), self.draw(neurons), self.draw(lanes, neurons), self.draw(lanes),
            activation, **third,
        )  # fmt: skip


def random_model(
    seed: int,
    *,
    arithmetic: str | None = None,
    blocks: int | None = None,
    heads: int | None = None,
    weightings: Any = WEIGHTINGS,
    plain: bool = False,
    table: int | None = None,
) -> ws.Transformer:
    """Return a model; `plain` ones have one weighting, no norms, no positions and no strict heads."""
    arithmetic = arithmetic or ARITHMETICS[seed % len(ARITHMETICS)]
    make = Maker(seed, arithmetic, plain)
    random, lanes = make.random, make.lanes
    vocabulary = "abc"[: random.choice([1, 2, 2, 3])]
    one = random.choice(weightings)

    def block() -> ws.Block:
        count = heads or random.choice([1, 1, 2])
        kinds = [one if plain else random.choice(weightings) for _ in range(count)]
        made = tuple(
            make.head(
                kind,
                positions=not plain and random.random() < 0.35,
                strict=not plain and random.random() < 0.3,
            )
            for kind in kinds
        )
        attention = ws.Attention(made, make.maybe(lanes))
        layer = make.feed_forward() if plain or random.random() < 0.8 else None
        parallel = not plain and random.random() < 0.2
        placement: Any = "pre" if parallel else random.choice(["pre", "post"])
        norms = (None, None) if plain else (make.norm(), None if layer is None else make.norm())
        return ws.Block(attention, layer, norms[0], norms[1], placement, parallel=parallel)

    rows = table or (random.choice([3, 6, 12]) if not plain and random.random() < 0.15 else None)
    return ws.Transformer(
        arithmetic=make.A,
        vocabulary=tuple(vocabulary),
        lanes=tuple(f"x{i}" for i in range(lanes)),
        embedding=make.draw(len(vocabulary), lanes),
        positions=None if rows is None else ws.PositionTable(make.draw(rows, lanes)),
        blocks=tuple(block() for _ in range(blocks or random.choice([1, 2, 3]))),
        output=make.draw(2, lanes),
        output_bias=make.maybe(2),
        final_norm=None if plain else make.norm(),
    )


def read_out(table: dict[Any, Any]) -> ws.Transformer:
    """Return a model that reads its answer off a lane."""
    T = ws.library.contains("1")
    lane = "found" if "found" in T.lanes else T.lanes[-1]
    return ws.Transformer(
        arithmetic=T.arithmetic, vocabulary=T.vocabulary, lanes=T.lanes, embedding=T.embedding, blocks=T.blocks,
        readout=ws.Readout(lanes=(lane,), table=table),
    )  # fmt: skip

"""Tiny random models, each made for a shortcut of the extraction: what it merges, leaves out, looks at in samples."""

from dataclasses import replace
from random import Random
from typing import Any

import numpy as np

import weightsmith as ws
from tests.automata import models

ARITHMETICS = ("fixed(1,1)", "fixed(2,1)", "fixed(1,2)", "fixed(2,2)", "float(3,2)", "fixed(2,2,ties=even)")
ONE_KEY = (ws.LeftmostHard(), ws.RightmostHard())
EMPTY: tuple[Any, ...] = ("zero", "uniform", "error")
SOFT = tuple(ws.Softmax(shifted, empty) for shifted in (False, True) for empty in EMPTY)
SHARING = (ws.AverageHard(), ws.AverageHard(), ws.Softmax(empty="uniform"))
MANY = 200  # sums
WEIGHTINGS = (*ONE_KEY, ws.AverageHard(), *SOFT)
ACTIVATIONS: tuple[Any, ...] = ("relu", "relu", "gelu", "gelu_tanh", "silu", "reglu", "swiglu")


class Maker(models.Maker):
    """Draws the parts of one model."""

    neurons = (1, 2)
    activations = ACTIVATIONS

    def __init__(self, seed: int, kind: str) -> None:
        self.random, self.numbers, self.kind = (
            Random(f"{kind} {seed}"),
            np.random.default_rng([seed, *kind.encode()]),
            kind,
        )
        self.A = ws.parse_arithmetic(self.random.choice(ARITHMETICS))
        self.lanes = self.random.choice([2, 2, 3])
        few = [0.0, 1.0, -1.0, self.A.smallest, -self.A.smallest, self.A.infinity, -self.A.infinity]
        self.few = self.A.round(np.array(few))

    def draw(self, *shape: int) -> Any:
        """Return members: small ones, some 0; or mostly ±∞ and the smallest."""
        if self.kind == "extreme":
            return self.numbers.choice(self.few, shape)
        sparse = self.numbers.random(shape) < 0.8
        return self.A.round(self.numbers.normal(size=shape) * sparse) + 0.0

    def head(self, weighting: Any, **more: Any) -> ws.Head:
        lanes, size, value = self.lanes, 1, self.random.choice([1, 1, 2])
        tied = self.kind in ("sharing", "ties") or self.random.random() < 0.2  # all scores are equal
        W_Q, b_Q = (np.zeros((size, lanes)), None) if tied else (self.draw(size, lanes), self.maybe(size))
        return ws.Head(
            W_Q, self.draw(size, lanes), self.draw(value, lanes), self.draw(lanes, value),
            weighting, b_Q, self.maybe(size), self.maybe(value), **more,
        )  # fmt: skip

    def somewhere(self, weighting: Any) -> ws.Head:
        """Return a head with positions, or a strict one, or both."""
        head = self.head(weighting, strict=self.random.random() < 0.5)
        size, value = len(head.W_K), len(head.W_V)
        rows = self.random.choice([1, 2, 3])
        schemes = [None, ws.Alibi((self.random.choice([0.0, 1.0, 2.0]),)), ws.Relative(self.draw(rows, size), None)]
        schemes += [ws.Relative(self.draw(rows, size), self.draw(rows, value))]
        return replace(head, positions=self.random.choice(schemes))

    def norm(self, chance: float) -> Any:  # type: ignore[override]
        if self.random.random() >= chance:
            return None
        lanes = None if self.random.random() < 0.7 else ("x0", "x1")
        count = self.lanes if lanes is None else 2
        kind = self.random.choice([ws.LayerNorm, ws.RMSNorm])
        bias = {"bias": self.maybe(count)} if kind is ws.LayerNorm else {}
        return kind(
            eps=float(self.A.round(self.random.choice([0.0, 1.0, 1.0]))), gain=self.maybe(count), lanes=lanes, **bias
        )

    def heads(self) -> tuple[ws.Head, ...]:
        random = self.random
        if self.kind == "no heads" and random.random() < 0.6:
            return ()
        if self.kind == "sharing":
            return (self.head(random.choice(SHARING)),)
        if self.kind == "unlike":
            return tuple(self.head(weighting) for weighting in random.sample(WEIGHTINGS, random.choice([2, 2, 3])))
        if self.kind == "positions":
            return tuple(self.somewhere(random.choice(WEIGHTINGS)) for _ in range(random.choice([1, 1, 2])))
        return tuple(self.head(random.choice(WEIGHTINGS)) for _ in range(random.choice([1, 1, 2])))

    def block(self) -> ws.Block:
        random, normed = self.random, 0.5 if self.kind == "norms" else 0.0
        layer = self.feed_forward() if random.random() < 0.7 else None
        parallel = random.random() < 0.15
        placement: Any = "pre" if parallel else random.choice(["pre", "post"])
        attention = ws.Attention(self.heads(), self.maybe(self.lanes))
        return ws.Block(
            attention,
            layer,
            self.norm(normed),
            None if layer is None else self.norm(normed),
            placement,
            parallel=parallel,
        )

    def embedding(self, tokens: int) -> Any:
        rows = self.draw(tokens, self.lanes)
        if self.kind == "equal" and tokens > 1:
            rows[self.random.randrange(1, tokens)] = rows[0]
        return rows

    def model(self) -> ws.Transformer:
        random = self.random
        vocabulary = "abc"[: random.choice([2, 2, 2, 3] if self.kind == "equal" else [1, 2, 2, 2])]
        table = self.kind == "table"
        return ws.Transformer(
            arithmetic=self.A,
            vocabulary=tuple(vocabulary),
            lanes=tuple(f"x{i}" for i in range(self.lanes)),
            embedding=self.embedding(len(vocabulary)),
            positions=ws.PositionTable(self.draw(random.choice([1, 2, 5]), self.lanes)) if table else None,
            blocks=tuple(self.block() for _ in range(random.choice([1, 1, 1, 2]))),
            output=self.draw(2, self.lanes),
            output_bias=self.maybe(2),
            final_norm=self.norm(0.3 if self.kind == "norms" else 0.0),
        )


def one_sum(seed: int) -> ws.Transformer:
    """Return a model that says YES only where what its head adds is one vector, which it adds after a random input."""
    make = Maker(seed, "one sum")
    random, A = make.random, make.A
    make.lanes = 3
    vocabulary = "abc"[: random.choice([2, 2, 3])]
    size = 3  # lanes of tokens; as many for what the head adds, and one for what is wrong with it
    weightings: tuple[Any, ...] = SHARING if random.random() < 0.8 else WEIGHTINGS
    nothing, value = np.zeros((1, 2 * size + 1)), random.choice([1, 2, 3])
    W_V, W_O = np.zeros((value, 2 * size + 1)), np.zeros((2 * size + 1, value))
    W_V[:, :size] = make.draw(value, size)
    W_O[size:-1] = np.eye(size)[:, :value] if random.random() < 0.7 else make.draw(size, value)
    embedding = np.zeros((len(vocabulary), 2 * size + 1))
    embedding[:, :size] = make.draw(len(vocabulary), size)
    signs = np.zeros((2 * size, 2 * size + 1))
    signs[:size, size:-1], signs[size:, size:-1] = np.eye(size), -np.eye(size)
    wrong = np.zeros((2 * size + 1, 2 * size))
    wrong[-1] = -A.infinity
    output = np.zeros((2, 2 * size + 1))
    output[1, -1] = 1.0
    attention = ws.Attention((ws.Head(nothing, nothing, W_V, W_O, random.choice(weightings)),))
    T = ws.Transformer(
        arithmetic=A,
        vocabulary=tuple(vocabulary),
        lanes=tuple(f"x{i}" for i in range(2 * size + 1)),
        embedding=embedding,
        blocks=(ws.Block(attention),),
        output=output,
        output_bias=np.array([0.0, A.smallest]),
    )
    word = [random.choice(vocabulary) for _ in range(random.randint(1, 7))]
    sums = ws.run(T, word).stream[1, -1, size:-1]
    layer = ws.FeedForward(signs, np.concatenate([-sums, sums]) + 0.0, wrong, np.zeros(2 * size + 1))
    return replace(T, blocks=(ws.Block(attention, layer),))


def numbers_of_sums(T: ws.Transformer, longest: int) -> list[int]:
    """Return how many sums there are of the values of its tokens, for equal parts of 1, 2 … keys."""
    A, (head,) = T.arithmetic, T.blocks[0].attention.heads  # type: ignore[union-attr]
    values, found = np.unique(A.matvec(head.W_V, T.embedding), axis=0), []
    for keys in range(1, longest + 1):
        terms = A.multiply(A.round(1 / keys), values)
        known = new = {(0.0,) * len(head.W_V)}
        while new and len(known) < MANY:
            new = {tuple(A.add(total, term).tolist()) for total in new for term in terms} - known
            known = known | new
        found.append(len(known))
    return found


KINDS = ("sharing", "one sum", "unlike", "equal", "ties", "extreme", "positions", "table", "norms", "no heads")


def made_for(kind: str, seed: int) -> ws.Transformer:
    """Return a model of a kind."""
    if kind == "one sum":
        return one_sum(seed)
    make = Maker(seed, kind)
    return told_apart(make.model(), make.random)


def told_apart(T: ws.Transformer, random: Random) -> ws.Transformer:
    """Return a model that decides two random inputs differently, by a lane in which they differ, if it finds some."""
    for _ in range(4):
        lengths = [random.randint(1, T.max_length or 6) for _ in range(2)]
        try:
            ends = [ws.run(T, random.choices(T.vocabulary, k=length)).stream[-1, -1] for length in lengths]
        except ws.ModelError:  # a norm of 0, or an empty softmax
            return T
        different = np.flatnonzero(ends[0] != ends[1])
        if len(different):
            lane, output = random.choice(different.tolist()), np.zeros((2, len(T.lanes)))
            output[1, lane] = 1.0
            return replace(T, output=output, output_bias=np.array([min(end[lane] for end in ends), 0.0]) + 0.0)
    return T

"""PARITY by Chiang and Cholak: soft attention, no chain. With and without layer normalization."""

import numpy as np

from weightsmith.arithmetic import Arithmetic, Array
from weightsmith.library.papers.heads import head
from weightsmith.model import (
    Attention,
    Block,
    Family,
    Head,
    LayerNorm,
    Neuron,
    PositionTable,
    Softmax,
    Transformer,
    feed_forward,
    matrix,
)

LANES = ("always", "is 1", "is CLS", "i/n", "(−1)^i", "k/n", "1/n", "i = k", "answer")
TOKENS = ("0", "1", "CLS")


def parity(n: int, arithmetic: Arithmetic) -> Transformer:
    """Return T_n for n tokens and a CLS after them, which is position 0; the paper writes CLS first.

    The position vectors hold i/n and (−1)^i, with the n of the paper: all tokens, CLS included. Two uniform heads
    compute k/n, the share of ones, and 1/n. Three neurons give 1/n at the position i = k and 0 elsewhere. Two more
    heads prefer odd and even positions; their difference at CLS has the sign of (−1)^(k+1).
    """
    lanes = LANES
    return Transformer(
        arithmetic=arithmetic,
        vocabulary=TOKENS,
        lanes=lanes,
        embedding=matrix(TOKENS, lanes, {("1", "is 1"): 1, ("CLS", "is CLS"): 1}),
        positions=PositionTable(_positions(n, arithmetic)),
        blocks=(
            Block(Attention(_shares(lanes)), feed_forward(lanes, _marks()), origin="mark the position k"),
            Block(Attention(_compares(lanes)), origin="is k odd?"),
        ),
        output=matrix(["NO", "YES"], lanes, {("YES", "answer"): 1}),
        mask="full",
        provenance=(f"papers.parity({n})",),
        description=f"Says whether the number of ones is odd, for inputs of {n} symbols.",
    )


def parity_with_norm(n: int, arithmetic: Arithmetic) -> Transformer:
    """Return T_n with layer normalization after every sublayer, with ε = 0.

    As in the paper every lane has a negated copy: the mean is 0, so a norm only scales each position, which changes no
    sign, and the last one makes the answer as large as the other lanes.
    """
    plain = parity(n, arithmetic)
    lanes = (*LANES, *(f"−{lane}" for lane in LANES))
    norm = LayerNorm(eps=0.0)
    blocks = (
        Block(
            Attention(_shares(lanes, copies=True)), feed_forward(lanes, _marks(copies=True)),
            attention_norm=norm, feed_forward_norm=norm, norm_placement="post", origin="mark the position k",
        ),
        Block(
            Attention(_compares(lanes, copies=True)), attention_norm=norm, norm_placement="post", origin="is k odd?",
        ),
    )  # fmt: skip
    return Transformer(
        arithmetic=arithmetic,
        vocabulary=TOKENS,
        lanes=lanes,
        embedding=np.hstack([plain.embedding, -plain.embedding]),
        positions=PositionTable(_doubled(_positions(n, arithmetic))),
        blocks=blocks,
        output=matrix(["NO", "YES"], lanes, {("YES", "answer"): 1}),
        mask="full",
        provenance=(f"papers.parity_with_norm({n})",),
        description=f"Says whether the number of ones is odd, for inputs of {n} symbols, with layer norm.",
    )


def _doubled(values: Array) -> Array:
    return np.hstack([values, -values])


def _positions(n: int, A: Arithmetic) -> Array:
    """Return the position vectors of places 1 … n and, for CLS, of place 0."""
    table, places = np.zeros((n + 1, len(LANES))), np.array([*range(1, n + 1), 0])
    table[:, LANES.index("always")] = 1
    table[:, LANES.index("i/n")] = A.round(places / (n + 1))
    table[:, LANES.index("(−1)^i")] = (-1.0) ** places
    return table


def _to(lane: str, weight: float, copies: bool) -> dict[str, float]:
    return {lane: weight, f"−{lane}": -weight} if copies else {lane: weight}


def _shares(lanes: tuple[str, ...], copies: bool = False) -> tuple[Head, ...]:
    return (
        head(lanes, Softmax(), {"is 1": 1}, _to("k/n", 1, copies), name="the share of ones"),
        head(lanes, Softmax(), {"is CLS": 1}, _to("1/n", 1, copies), name="the share of one position"),
    )


def _marks(copies: bool = False) -> list[Neuron]:
    """Return relu(k − i − 1) − 2 relu(k − i) + relu(k − i + 1), all over n: 1/n where i = k, else 0."""
    apart = {"k/n": 1.0, "i/n": -1.0}
    return [
        Neuron(apart | {"1/n": -1.0}, _to("i = k", 1, copies), name="k − i − 1"),
        Neuron(apart, _to("i = k", -2, copies), name="k − i"),
        Neuron(apart | {"1/n": 1.0}, _to("i = k", 1, copies), name="k − i + 1"),
    ]


def _compares(lanes: tuple[str, ...], copies: bool = False) -> tuple[Head, ...]:
    value, asks = {"i = k": 1.0}, {"always": 1.0}
    return (
        head(lanes, Softmax(), value, _to("answer", 1, copies), query=asks, key={"(−1)^i": -1}, name="odd places"),
        head(lanes, Softmax(), value, _to("answer", -1, copies), query=asks, key={"(−1)^i": 1}, name="even places"),
    )


PARITY = Family(parity, "PARITY", suffix=("CLS",))
PARITY_WITH_NORM = Family(parity_with_norm, "PARITY (layer norm)", suffix=("CLS",))

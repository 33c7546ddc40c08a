"""FIRST by Chiang and Cholak: does the input begin with 1? Soft attention that prefers the first position."""

import numpy as np

from weightsmith.arithmetic import Arithmetic
from weightsmith.library.papers.heads import head
from weightsmith.model import (
    Attention,
    Block,
    Family,
    Head,
    Neuron,
    RightmostHard,
    Softmax,
    Transformer,
    feed_forward,
    matrix,
)


def first(arithmetic: Arithmetic) -> Transformer:
    """Return the transformer: the first position has the score 1, all others 0, and its value is ±½ for 1 and 0.

    The last position reads weight ⊗ ±½ with weight = e ⊘ (e + n − 1), positive exactly if the first token is 1. The
    paper marks the first position by its position vector; here a strict head finds it, so that one transformer serves
    every length, and the last position stands for the paper's CLS.
    """
    lanes, tokens = ("always", "is 1", "later", "sign", "answer"), ("0", "1")
    looks_back = Head(
        W_Q=matrix(["score"], lanes, {}),
        W_K=matrix(["score"], lanes, {}),
        W_V=matrix(["value"], lanes, {("value", "always"): 1}),
        W_O=matrix(lanes, ["value"], {("later", "value"): 1}),
        weighting=RightmostHard(),
        strict=True,
        name="1 wherever something stands before",
    )
    sign = [
        Neuron({"is 1": 1, "later": -1}, {"sign": 0.5}, name="the first token is 1"),
        Neuron({"always": 1, "is 1": -1, "later": -1}, {"sign": -0.5}, name="the first token is 0"),
    ]
    reads = head(
        lanes, Softmax(), {"sign": 1}, {"answer": 1},
        query={"always": 1}, key={"always": 1, "later": -1}, name="prefers the first position",
    )  # fmt: skip
    return Transformer(
        arithmetic=arithmetic,
        vocabulary=tokens,
        lanes=lanes,
        embedding=np.array([[1.0, 0, 0, 0, 0], [1.0, 1, 0, 0, 0]]),
        blocks=(
            Block(Attention((looks_back,)), feed_forward(lanes, sign), origin="which position is the first"),
            Block(Attention((reads,)), origin="read the first token"),
        ),
        output=matrix(["NO", "YES"], lanes, {("YES", "answer"): 1}),
        provenance=("papers.first",),
        description="Says whether the first symbol is 1.",
    )


FIRST = Family.uniform(first, "FIRST")

"""Feed-forward layers written neuron by neuron."""

from collections.abc import Callable

import numpy as np
import pytest

import weightsmith as ws
from weightsmith import Fixed, ModelError, Neuron, feed_forward

LANES = ("a", "b", "out")
BOTH = Neuron(reads={"a": 1, "b": 1}, writes={"out": 2}, bias=-1, name="a and b")


def test_a_layer_has_the_weights_that_its_neurons_say() -> None:
    layer = feed_forward(LANES, [BOTH, Neuron({"out": -1}, {"a": 3})], adds={"b": 0.5})
    assert layer.W_1.tolist() == [[1, 1, 0], [0, 0, -1]]
    assert layer.b_1.tolist() == [-1, 0]
    assert layer.W_2.tolist() == [[0, 3], [0, 0], [2, 0]]
    assert layer.b_2.tolist() == [0, 0.5, 0]
    assert layer.names == ("a and b", "")
    assert layer.activation == "relu"


def test_a_layer_may_have_another_activation_and_no_neurons() -> None:
    assert feed_forward(LANES, [BOTH], activation="gelu").activation == "gelu"
    empty = feed_forward(LANES, [], adds={"a": 1})
    assert empty.W_1.shape == (0, 3)
    assert empty.b_2.tolist() == [1, 0, 0]


def test_a_pair_copies_a_lane_of_either_sign_exactly() -> None:
    A = Fixed(2, 2)
    T = ws.Transformer(
        arithmetic=A,
        vocabulary=[str(n) for n in range(len(A.values()))],
        lanes=LANES,
        embedding=np.array([[x, 0, 0] for x in A.values()]),
        blocks=[ws.Block(feed_forward=feed_forward(LANES, [*Neuron.pair("a", {"out": 0.75})]))],
        output=ws.matrix(["NO", "YES"], LANES, {}),
    )
    for n, x in enumerate(A.values()):
        assert ws.run(T, [str(n)]).at("block 0 feed-forward", position=0, lane="out") == A.multiply(0.75, x)


def test_what_is_usually_absent_need_not_be_written() -> None:
    layer = ws.FeedForward(W_1=np.ones((2, 3)), W_2=np.ones((3, 2)))
    assert layer.b_1.tolist() == [0, 0]
    assert layer.b_2.tolist() == [0, 0, 0]
    with pytest.raises(ModelError, match="^W_2 is missing$"):
        ws.FeedForward(W_1=np.ones((2, 3)))
    T = ws.Transformer(Fixed(4, 4), "01", LANES, np.zeros((2, 3)), output=np.zeros((2, 3)))
    assert (T.positions, T.blocks, T.classes) == (None, (), ("NO", "YES"))


MISTAKES: dict[str, tuple[Callable[[], object], str]] = {
    "reads": (
        lambda: feed_forward(LANES, [BOTH, Neuron({"c": 1}, {"out": 1}, name="c")]),
        "neuron 1, c, reads the lane c, which is not there: write a, b, out",
    ),
    "writes": (
        lambda: feed_forward(LANES, [Neuron({"a": 1}, {"ou": 1})]),
        "neuron 0 writes the lane ou, which is not there: did you mean out? write a, b, out",
    ),
    "adds": (lambda: feed_forward(LANES, [], adds={"x": 1}), "the layer adds to the lane x, which is not there"),
    "no weights": (
        lambda: Neuron("a", {"out": 1}),  # type: ignore[arg-type]
        "Neuron(reads='a'): write lanes with their weights, such as {'a': 1}",
    ),
    "a weight that is no number": (
        lambda: feed_forward(LANES, [Neuron({"a": "x"}, {"out": 1})]),  # type: ignore[dict-item]
        "the matrix has 'x' from a to 0: write a number",
    ),
    "a bias that is no number": (
        lambda: Neuron({"a": 1}, {"out": 1}, bias="1"),  # type: ignore[arg-type]
        "Neuron(bias='1'): write a number",
    ),
    "a name that is no text": (
        lambda: Neuron({"a": 1}, {"out": 1}, name=3),  # type: ignore[arg-type]
        "the name of a neuron must be a text, and it is 3",
    ),
    "a neuron without its list": (
        lambda: feed_forward(LANES, BOTH),  # type: ignore[arg-type]
        "neurons is a single one: write a list, feed_forward(lanes, [Neuron(…)])",
    ),
    "not a neuron": (
        lambda: feed_forward(LANES, [{"a": 1}]),  # type: ignore[list-item]
        "neuron 0 is {'a': 1}: write Neuron(reads={…}, writes={…})",
    ),
    "a gate": (
        lambda: feed_forward(LANES, [BOTH], activation="swiglu"),
        "activation='swiglu' has a gate, which neurons do not: write FeedForward(W_1, …, W_3)",
    ),
    "an activation that is none": (
        lambda: feed_forward(LANES, [BOTH], activation="step"),  # type: ignore[arg-type]
        "FeedForward(activation='step'): write one of relu",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_answered_with_what_to_write(name: str) -> None:
    build, message = MISTAKES[name]
    with pytest.raises(ModelError) as caught:
        build()
    assert str(caught.value).startswith(message)

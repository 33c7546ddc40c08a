"""What an automaton cannot be made of: the error names the input on which a model fails, or what to write instead."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.automata.models import read_out
from tests.automata.proving import in_steps
from tests.automata.shortcuts import made_for
from weightsmith.automata.extraction import UnknownError, extract
from weightsmith.model.frozen import Frozen

NORM = ws.RMSNorm(eps=0.0, lanes=("sum",))
PREVIOUS = ws.Head(
    np.zeros((1, 2)), np.zeros((1, 2)), np.array([[0.0, 1.0]]), np.array([[1.0], [0.0]]), ws.RightmostHard(),
    strict=True,
)  # fmt: skip
LAYER = ws.FeedForward(np.zeros((1, 2)), np.zeros(1), np.zeros((2, 1)), np.zeros(2))
NEXT: dict[str, dict[str, Any]] = {
    "after attention": {"blocks": [ws.Block(ws.Attention((PREVIOUS,)), None, NORM, norm_placement="post")]},
    "before attention": {"blocks": [None, ws.Block(ws.Attention((PREVIOUS,)), attention_norm=NORM)]},
    "before no heads": {"blocks": [None, ws.Block(ws.Attention(()), attention_norm=NORM)]},
    "after no heads": {"blocks": [None, ws.Block(ws.Attention(()), None, NORM, norm_placement="post")]},
    "without attention": {"blocks": [None, ws.Block(None, LAYER, feed_forward_norm=NORM)]},
    "at the end": {"blocks": [None], "final_norm": NORM},
}


def summing(blocks: Sequence[ws.Block | None], **more: Any) -> ws.Transformer:
    """Return a model whose lane "sum" is 0 where the token before is b, else −1."""
    return ws.Transformer(
        arithmetic=ws.Fixed(2, 2),
        vocabulary=("a", "b"),
        lanes=("sum", "token"),
        embedding=np.array([[-1.0, 0.0], [-1.0, 1.0]]),
        blocks=tuple(block or ws.Block(ws.Attention((PREVIOUS,))) for block in blocks),
        output=np.array([[0.0, 0.0], [1.0, 0.0]]),
        **more,
    )


@pytest.mark.parametrize("name", NEXT)
def test_a_norm_that_fails_names_the_shortest_input_and_its_position(name: str) -> None:
    T = summing(**NEXT[name])
    with pytest.raises(ws.ModelError, match="the square root is 0 at position") as of_the_run:
        ws.run(T, "ba")
    with pytest.raises(ws.ModelError) as caught:
        ws.automaton(T)
    assert str(caught.value) == f"on the input ba: {of_the_run.value}"


def test_a_norm_of_the_embedding_fails_without_blocks_too() -> None:
    T = replace(summing([], final_norm=NORM), embedding=np.array([[1.0, 0.0], [0.0, 1.0]]))
    with pytest.raises(ws.ModelError, match="on the input b: final norm: the square root is 0 at position 0, because"):
        ws.automaton(T)


def test_the_input_that_an_error_names_fails_when_it_is_run() -> None:
    named = 0
    for seed in range(100):
        T = made_for("norms", seed)
        try:
            extract(T, in_steps(2000, 150))
        except UnknownError:
            continue
        except ws.ModelError as error:
            message = str(error)
        else:
            continue
        if "the square root is 0" in message:
            text = message.removeprefix("on the input ").partition(":")[0]
            with pytest.raises(ws.ModelError) as caught:
                ws.run(T, text)
            assert message == f"on the input {text}: {caught.value}"
            named += 1
    assert named >= 5


@pytest.mark.parametrize("bias", [None, np.array([0.5, -0.25])])
@pytest.mark.parametrize("layer", [None, LAYER])
def test_attention_without_heads_adds_its_bias_or_nothing(bias: Any, layer: Any) -> None:
    empty = ws.Block(ws.Attention((), bias), layer)
    for blocks in ([empty], [None, empty], [empty, None], [empty, empty]):
        T = summing(blocks)
        assert ws.check.recognizes(T, ws.automaton(T)).holds
        assert ws.check.same_decisions(T, ws.to_arithmetic(T, ws.Fixed(2, 2))).holds
        for text in ("a", "b", "ba", "bb", "aab"):
            assert ws.automaton(T).decide(text) == ws.run(T, text).decision


@dataclass(frozen=True, eq=False)
class Sparsemax(Frozen):
    """A weighting without readings."""


class Sharper(ws.AverageHard):
    """A weighting that is not the one that it is derived from."""


@pytest.mark.parametrize("weighting", [Sparsemax(), Sharper()])
def test_an_unknown_weighting_is_refused(weighting: Any) -> None:
    head = replace(PREVIOUS)
    object.__setattr__(head, "weighting", weighting)
    name = type(weighting).__name__
    with pytest.raises(ws.InputError, match=rf"does not know the weighting {name}\(\): write one of Average"):
        extract(summing([ws.Block(ws.Attention((head,)))]))


def test_a_code_without_a_value_is_named() -> None:
    with pytest.raises(
        ws.InputError, match="on some input the lanes of the readout hold found=1, which stands for noth"
    ):
        ws.automaton(read_out({0: "no"}))

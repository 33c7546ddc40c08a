"""Activations, rules inside attention, biases and tied outputs that make no sense are refused with what to write."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.kernels.kinds import kind_of_model
from weightsmith import Alibi, Attention, Block, FeedForward, Fixed, Head, PositionTable, Relative, Rotary, Sinusoidal
from weightsmith.model import Transformer

A = Fixed(4, 4)
ONES = np.ones


def head(keys: int = 4, values: int = 3, **more: Any) -> Head:
    return Head(ONES((keys, 3)), ONES((keys, 3)), ONES((values, 3)), ONES((3, values)), **more)


def model(*heads: Head, **more: Any) -> Transformer:
    blocks = more.pop("blocks", [Block(Attention(heads or (head(),), more.pop("b_O", None)))])
    given = {"positions": None, "output": ONES((2, 3)), **more}
    positions, output = given.pop("positions"), given.pop("output")
    return Transformer(A, "ab", ["x", "y", "z"], ONES((2, 3)), positions, blocks, output, **given)


def layer(activation: Any, **more: Any) -> FeedForward:
    return FeedForward(ONES((2, 3)), None, ONES((3, 2)), None, activation, **more)  # type: ignore[arg-type]


table = PositionTable(ONES((5, 3)))
WRONG: dict[str, tuple[Any, str]] = {
    "rotary on an odd key size": (
        lambda: model(head(3), positions=Rotary()),
        r"blocks.0.attention.heads.0.W_K gives keys of size 3, and rotary positions turn pairs: write an even key "
        r"size, or Rotary\(size=2\)",
    ),
    "rotary on keys of one coordinate": (
        lambda: model(head(1), positions=Rotary()),
        "keys of size 1, and rotary positions turn pairs: write an even key size$",
    ),
    "rotary on an odd key size of one head": (lambda: model(head(), head(5, positions=Rotary())), "heads.1.W_K gives"),
    "more coordinates than there are": (
        lambda: model(head(4), positions=Rotary(size=6)),
        r"keys of size 4, and Rotary\(size=6\) turns more than that",
    ),
    "an odd size": (lambda: Rotary(size=3), r"Rotary\(size=3\): coordinates turn in pairs, so write an even number"),
    "a size of 0": (lambda: Rotary(size=0), r"Rotary\(size=0\): coordinates turn in pairs"),
    "a size that is True": (lambda: Rotary(size=True), r"Rotary\(size=True\)"),
    "a base of 1": (lambda: Rotary(base=1), r"Rotary\(base=1\): write a number above 1"),
    "a base that is nan": (lambda: Rotary(base=float("nan")), r"Rotary\(base=nan\)"),
    "a pairing that is none": (lambda: Rotary(pairing="thirds"), "write 'halves' or 'neighbours'"),  # type: ignore[arg-type]
    "one slope for two heads": (
        lambda: model(head(), head(), positions=Alibi((0.5,))),
        r"positions has 1 slopes?, and blocks.0.attention has 2 heads: write a slope for each head, or Alibi\(\)",
    ),
    "two slopes for one head": (lambda: model(positions=(table, Alibi((0.5, 1.0)))), "has 2 slopes, and .* has 1 head"),
    "two slopes at a head": (
        lambda: head(positions=Alibi((0.5, 1.0))),
        r"Head\(positions=Alibi\(…\)\) has one slope, for this head: write Alibi\(\(0.5,\)\)",
    ),
    "no slopes at a head": (lambda: head(positions=Alibi()), "has one slope"),
    "a negative slope": (lambda: Alibi((-1.0,)), r"Alibi\(slopes=…\) holds -1.0: write numbers from 0 on"),
    "a slope that is nan": (lambda: Alibi((float("nan"),)), "holds nan"),
    "a slope that is True": (lambda: Alibi((True,)), "holds True"),
    "slopes that are a number": (lambda: Alibi(0.5), "write a tuple of numbers, one for each head"),  # type: ignore[arg-type]
    "no slope at all": (lambda: Alibi(()), "write a tuple of numbers"),
    "a head with a table": (
        lambda: head(positions=table),
        r"Head\(positions=PositionTable\(…\)\): write Relative\(…\), Rotary\(…\), Alibi\(\(0.5,\)\) or None",
    ),
    "a head with sinusoids": (lambda: head(positions=Sinusoidal(3)), r"Head\(positions=Sinusoidal"),
    "a head with a pair": (lambda: head(positions=(Rotary(), Rotary())), r"Head\(positions="),
    "two tables": (
        lambda: model(positions=(table, table)),
        r"positions=\(PositionTable and PositionTable\): one of PositionTable and Sinusoidal goes with one of "
        "Relative, Rotary and Alibi; two tables become one by adding them up",
    ),
    "a table and sinusoids": (lambda: model(positions=(table, Sinusoidal(5))), "PositionTable and Sinusoidal"),
    "two rules": (lambda: model(positions=(Rotary(), Alibi())), r"positions=\(Rotary and Alibi\)"),
    "positions that are a text": (lambda: model(positions="rotary"), "positions='rotary': write PositionTable"),
    "other rows of values than of keys": (
        lambda: Relative(ONES((3, 4)), ONES((2, 3))),
        r"Relative\(keys, values\) has 3 rows of keys and 2 of values: write a row of each for every distance",
    ),
    "relative values of another size": (
        lambda: model(positions=Relative(ONES((2, 4)), ONES((2, 5)))),
        "W_V gives values of size 3, positions.values has 5",
    ),
    "relative keys of another size": (
        lambda: model(head(positions=Relative(ONES((2, 2))))), "W_K gives keys of size 4, positions.keys has 2"
    ),
    "relative positions under a full mask": (
        lambda: model(positions=Relative(ONES((2, 4))), mask="full"), "relative positions need mask='causal'"
    ),
    "relative positions of one head under a full mask": (
        lambda: model(head(positions=Relative(ONES((2, 4)))), mask="full"), "relative positions need mask='causal'"
    ),
    "relative values that are no members": (
        lambda: model(positions=Relative(ONES((2, 4)), np.full((2, 3), 0.01))),
        r"positions.values\[0, 0\] = 0.01 is not a member of fixed\(4,4\)",
    ),
    "tied with another output": (
        lambda: model(tied=True, output=2 * ONES((2, 3))),
        "tied=True makes the embedding the output, and the output given is another: write output=None, or tied=False",
    ),
    "tied with classes": (
        lambda: model(tied=True, output=None, classes=("p", "q")),
        "tied=True makes the vocabulary the classes: leave out classes, or write tied=False",
    ),
    "tied with a number": (lambda: model(tied=1), "tied=1: write True or False"),
    "no output without tied": (lambda: model(output=None), "output is missing"),
    "a bias of queries of another size": (
        lambda: model(head(b_Q=ONES(3))), r"heads.0.b_Q has shape \(3,\), and it must be \(4\): \(key size\)"
    ),
    "a bias of values of another size": (lambda: model(head(b_V=ONES(4))), r"b_V has shape \(4,\), .* \(value size\)"),
    "a bias of keys with two axes": (lambda: head(b_K=ONES((2, 2))), "b_K must have 1 axes"),
    "a bias of attention of another size": (lambda: model(b_O=ONES(2)), r"attention.b_O has shape \(2,\).*\(lanes\)"),
    "a bias that is no member": (lambda: model(b_O=np.array([0, 0.01, 0])), r"b_O\[1\] = 0.01 is not a member"),
    "an activation that is none": (
        lambda: layer("tanh"),
        r"FeedForward\(activation='tanh'\): write one of relu, gelu, gelu_tanh, silu, reglu, swiglu",
    ),
    "a gate that is missing": (
        lambda: layer("swiglu"),
        "without W_3: reglu, swiglu, geglu_tanh need W_3, the others have none",
    ),
    "a gate that is not needed": (
        lambda: layer("gelu", W_3=ONES((2, 3))),
        "with W_3: reglu, swiglu, geglu_tanh need W_3",
    ),
    "a bias of a gate that is not there": (lambda: layer("relu", b_3=ONES(2)), "without W_3"),
    "a gate of another size": (
        lambda: model(blocks=[Block(feed_forward=layer("reglu", W_3=ONES((3, 3))))]),
        r"feed_forward.W_3 has shape \(3, 3\), and it must be \(2, 3\): \(neurons, lanes\), with the neurons of W_1",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_makes_no_sense_is_refused_with_what_to_write(name: str) -> None:
    make, message = WRONG[name]
    with pytest.raises(ws.ModelError, match=message):
        make()


def test_what_is_written_in_another_order_or_as_a_list_is_the_same() -> None:
    assert model(positions=[Rotary(), table]) == model(positions=(table, Rotary()))
    assert model(positions=(Rotary(),)).positions == Rotary()
    assert model(positions=()).positions is None
    assert Alibi([1, 2]) == Alibi((1.0, 2.0))
    assert model(tied=True, output=None, classes=["a", "b"]) == model(tied=True, output=ONES((2, 3)))
    assert layer("reglu", W_3=ONES((2, 3))).b_3.tolist() == [0, 0]  # type: ignore[union-attr]


def test_a_flag_that_the_bias_of_attention_writes_to_is_refused() -> None:
    flagged = ws.flag(model(positions=table), "here", [1])
    block = Block(Attention((), np.array([0.0, 0, 0, 1])))
    with pytest.raises(ws.ModelError, match="the lane here is no flag: block 1 writes to it"):
        replace(flagged, blocks=(*flagged.blocks, block))


SPEAKER = replace(kind_of_model(A, 0, "halves"), classes=("a", "b"))
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a temperature below 0": ({"temperature": -1}, "=-1: write 0 for the decision itself, or a number above 0"),
    "a temperature that is nan": ({"temperature": float("nan")}, "temperature=nan: write 0 for"),
    "a temperature without end": ({"temperature": float("inf")}, "temperature=inf: write 0 for"),
    "a temperature that is True": ({"temperature": True}, "temperature=True: write 0 for"),
    "a temperature that is text": ({"temperature": "hot"}, "temperature='hot': write 0 for"),
    "none of the most likely": ({"top_k": 0}, "top_k=0: write from how many of the most likely .*, 1 or more"),
    "a top_k that is True": ({"top_k": True}, "top_k=True: write from"),
    "a top_k that is a fraction": ({"top_k": 1.5}, "top_k=1.5: write from"),
    "a seed below 0": ({"seed": -1}, "seed=-1: write a whole number from 0 on"),
    "a seed that is True": ({"seed": True}, "seed=True: write a whole number"),
    "steps that are True": ({"steps": True}, "steps=True: write how many tokens to generate, 0 or more"),
    "steps that are a fraction": ({"steps": 2.0}, "steps=2.0: write how many"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_generate_refuses_at_once_what_makes_no_sense(name: str) -> None:
    arguments, message = REFUSED[name]
    with pytest.raises(ws.InputError, match=message):
        ws.generate(SPEAKER, "ab", **{"steps": 2, **arguments})


@pytest.mark.parametrize("temperature", [0, -1, float("nan"), True, "hot", None])
def test_the_next_token_needs_a_temperature_above_0(temperature: Any) -> None:
    with pytest.raises(ws.InputError, match="temperature=.*: write a number above 0"):
        ws.next_token(SPEAKER, "ab", temperature=temperature)


def test_generate_needs_classes_that_are_tokens() -> None:
    with pytest.raises(ws.ModelError, match="generate needs classes that are tokens, and NO, YES is not in the vocab"):
        ws.generate(replace(SPEAKER, classes=("NO", "YES")), "ab", 1)
    with pytest.raises(ws.ModelError, match="and c is not in the vocabulary"):
        ws.generate(replace(SPEAKER, classes=("a", "c")), "ab", 1)

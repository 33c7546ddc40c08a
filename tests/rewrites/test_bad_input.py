"""What a rewrite cannot do is refused by name; one case a line."""
# ruff: noqa: E501

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import weightsmith as ws

T = ws.random_transformer("ab", 2, 1, 1, 2, 4)
F = ws.flag(T, "here", [1])
NORMED = replace(T, blocks=(replace(T.blocks[0], attention_norm=ws.LayerNorm(eps=1.0)),))

BAD: dict[str, tuple[Any, str]] = {
    "lane there": (lambda: ws.widen(T, ["x0"]), "there is already a lane x0: choose another name"),
    "lane text": (lambda: ws.widen(T, "new"), "names='new' is one text: write a list of names, ['new']"),
    "side": (lambda: ws.widen(T, ["new"], where="left"), "where='left': write 'front' or 'back'"),  # type: ignore[arg-type]
    "flag there": (lambda: ws.flag(F, "here", [2]), "there is already a lane here: choose another name"),
    "position": (lambda: ws.flag(T, "here", [4]), "flag here: position 4 is outside the table, whose positions are 0 to 3"),
    "negative": (lambda: ws.flag(T, "here", [-1]), "position -1 is outside the table"),
    "no table": (lambda: ws.flag(replace(T, positions=None), "here", [1]), "this transformer has no position table: write flag(T, …, max_length=8)"),
    "relative": (lambda: ws.flag(replace(T, positions=ws.Relative(np.ones((2, 2)))), "here", [1]), "this transformer has no position table: write flag(T, …, max_length=8), for example"),
    "no flag": (lambda: ws.add_vector(T, {"x0": 1.0}, at="here"), "there is no flag here: there are none; write flag(T, 'here', positions=[…]) first"),
    "other flag": (lambda: ws.zero_vector(F, at="there"), "there is no flag there: the flags are here"),
    "vector lane": (lambda: ws.add_vector(F, {"y": 1.0}, at="here"), "there is no lane y"),
    "vector flag": (lambda: ws.add_vector(F, {"here": 1.0}, at="here"), "the lane here is a flag, and no rewrite writes to a flag"),
    "vector size": (lambda: ws.add_vector(F, [1.0], at="here"), "the vector has shape (1,), and there are 3 lanes"),
    "vector value": (lambda: ws.add_vector(F, {"x0": 0.1}, at="here"), "x0: 0.1 is not a member of fixed(4,4); the nearest member is 0.125"),
    "zero flag": (lambda: ws.zero_vector(F, at="here", lanes=["here"]), "the lane here is a flag"),
    "zero lane": (lambda: ws.zero_vector(F, at="here", lanes=["y"]), "there is no lane y"),
    "zero method": (lambda: ws.zero_vector(F, at="here", method="no"), "method='no': write 'saturate' or 'cancel'"),  # type: ignore[arg-type]
    "ignore lane": (lambda: ws.ignore_lanes(T, ["y"]), "there is no lane y"),
    "ignore text": (lambda: ws.ignore_lanes(T, "x0"), "lanes='x0' is one text"),
    "ignore block": (lambda: ws.ignore_lanes(T, ["x0"], blocks=[1]), "there is no block 1: the blocks are 0 to 0"),
    "ignore norm": (lambda: ws.ignore_lanes(NORMED, ["x0"]), "a norm of block 0 covers the lane x0, so the block would still read it: limit the norm first, with lanes=[x1]"),
    "pad": (lambda: ws.pad_blocks(T, -1), "count=-1: write how many blocks to add, 0 or more"),
    "backwards": (lambda: ws.linear_map(T, np.eye(2), 2, 2), "linear_map goes to a later position: write source < target, not 2 and 2"),
    "target": (lambda: ws.linear_map(T, np.eye(2), 1, 4), "position 4 is outside the table"),
    "matrix size": (lambda: ws.linear_map(T, np.eye(3), 0, 1), "M has shape (3, 3), and it must be (2, 2): over the lanes ['x0', 'x1']"),
    "matrix value": (lambda: ws.map_stream(T, np.array([[0, 0.1], [0, 0]])), "M[0, 1] = 0.1 is not a member of fixed(4,4): write arithmetic.round(M)"),
    "matrix at flags": (lambda: ws.map_stream(F, np.eye(3)), "M must be 0 in the rows and columns of the flags ['here']: rewrites spare flags"),
    "map flag": (lambda: ws.map_stream(F, np.eye(1), lanes=["here"]), "the lane here is a flag"),
    "lowering": (lambda: ws.zero_one_form(T, lowering="magic"), "lowering='magic': write 'feedforward' or 'attention'"),  # type: ignore[arg-type]
    "no length": (lambda: ws.zero_one_form(T, lowering="attention"), "lowering='attention' needs the length of the inputs, and length=None: write length=4"),
    "long": (lambda: ws.zero_one_form(T, lowering="attention", length=5), "length=5 is beyond the position table, which holds 4"),
    "length alone": (lambda: ws.zero_one_form(T, length=3), "length is for lowering='attention'"),
    "full mask": (lambda: ws.zero_one_form(replace(T, mask="full"), lowering="attention", length=2), "lowering='attention' needs mask='causal'"),
    "END": (lambda: ws.zero_one_form(replace(T, vocabulary=("a", "END")), lowering="attention", length=2), "the vocabulary has the token END already"),
    "one class": (lambda: ws.infinity_form(ws.random_transformer(classes=("x",))), "infinity_form is for 2 to 64 classes, and there are 1, x: use zero_one_form"),
    "compose number": (lambda: T & 3, "a transformer can be composed with a transformer, not with 3"),  # type: ignore[operator]
    "compose arithmetic": (lambda: T & ws.random_transformer("ab", arithmetic=ws.Fixed(2, 2)), "the transformers differ in their arithmetic: fixed(4,4) and fixed(2,2)"),
    "compose mask": (lambda: T | replace(T, mask="full"), "the transformers differ in their mask: causal and full"),
    "compose vocabulary": (lambda: T ^ ws.random_transformer("bc"), "the transformers differ in their vocabulary: a, b and b, c, and neither contains the other"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_by_name(name: str) -> None:
    build, message = BAD[name]
    with pytest.raises(ws.WeightsmithError) as caught:
        build()
    assert message in str(caught.value)

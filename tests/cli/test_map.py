"""rewrite --map: equations on the command line are the linear maps of Python."""

import contextlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import weightsmith as ws
from tests.cli.commands import good, weightsmith
from weightsmith.cli.steps import apply

T = ws.random_transformer(seed=3)
SPACED = ws.Transformer(
    ws.Fixed(4, 4), "ab", ("big ben", "x:y", "2*z"), np.array([[1.0, 2.0, 3.0], [0.5, -1.0, 0.0]]),
    ws.PositionTable(np.zeros((4, 3))), (), np.zeros((2, 3)),
)  # fmt: skip
MEANT: dict[str, tuple[list[str], list[list[float]]]] = {
    "x0=2*x1+x0,x1=x0": (["x0", "x1"], [[1, 2], [1, 0]]),
    "x1=x0,x0=2*x1+x0": (["x0", "x1"], [[1, 2], [1, 0]]),
    " x0 = 2 * x1 + x0 , x1 = x0 ": (["x0", "x1"], [[1, 2], [1, 0]]),
    "x2=-1.5*x2": (["x2"], [[-1.5]]),
    "x3=0": (["x3"], [[0]]),
    "x0=x0+-1*x3+0.5*x1,x1=x1,x3=0": (["x0", "x1", "x3"], [[1, 0.5, -1], [0, 1, 0], [0, 0, 0]]),
}


@pytest.mark.parametrize("text", MEANT)
def test_equations_are_the_matrix_over_their_lanes_in_the_order_of_the_stream(text: str) -> None:
    lanes, M = MEANT[text]
    assert apply(T, "--map", text) == ws.map_stream(T, M, lanes)
    assert apply(T, "--map", f"1:3:{text}") == ws.linear_map(T, M, 1, 3, lanes)
    assert apply(T, "--map", f" 0 : 7 : {text}") == ws.linear_map(T, M, 0, 7, lanes)


def test_the_mapped_stream_is_the_product_bit_for_bit() -> None:
    text, A = "x0=2*x1+x0,x1=x0", T.arithmetic
    before = ws.run(T, "0110").stream[-1]
    product = A.matvec(np.array([[1.0, 2.0], [1.0, 0.0]]), before[:, :2])
    mapped = apply(T, "--map", text)
    places = [mapped.lanes.index(lane) for lane in T.lanes]
    after = ws.run(mapped, "0110").stream[-1][:, places]
    assert np.array_equal(after[:, :2], product)
    assert np.array_equal(after[:, 2:], before[:, 2:])
    moved = apply(T, "--map", f"1:3:{text}")
    after = ws.run(moved, "0110").stream[-1][:, [moved.lanes.index(lane) for lane in T.lanes]]
    assert np.array_equal(after[3, :2], product[1])
    assert np.array_equal(after[:3], before[:3])


def test_lanes_may_have_spaces_colons_and_stars_in_their_names() -> None:
    meant = ws.map_stream(SPACED, [[2, 1, 0], [0, 1, 0], [1, 0, 3]], ["big ben", "x:y", "2*z"])
    assert apply(SPACED, "--map", "big ben=2*big ben+x:y,x:y=x:y,2*z=big ben+3*2*z") == meant
    assert apply(SPACED, "--map", "x:y=x:y") == ws.map_stream(SPACED, [[1]], ["x:y"])
    assert apply(SPACED, "--map", "0:2:x:y=2*x:y") == ws.linear_map(SPACED, [[2]], 0, 2, ["x:y"])


def test_maps_are_steps_like_the_others(folder: Path) -> None:
    steps = ("--map", "1:3:x0=2*x1+x0,x1=x0", "--map=x2=x3,x3=0", "--pad", "1")
    good("rewrite", "random.safetensors", *steps, "-o", "mapped.safetensors", folder=folder)
    U = ws.linear_map(T, [[1, 2], [1, 0]], 1, 3, ["x0", "x1"])
    U = ws.map_stream(U, [[0, 1], [0, 0]], ["x2", "x3"])
    assert ws.load(folder / "mapped.safetensors") == ws.pad_blocks(U, 1)
    assert "--map" in good("rewrite", "--help")


WRONG = {
    "x0=2*x1+x0": "--map reads x1, which has no equation: write x1=x1 to keep it, or x1=0",
    "": "--map '': this is no equation; write LANE=TERMS",
    "x0": "--map 'x0': this is no equation; write LANE=TERMS",
    "x0=": "--map 'x0=': this is no equation",
    "x0=x0,": "--map '': this is no equation",
    "1:3:": "--map '': this is no equation",
    "x0=x0+": "--map 'x0=x0+': a term is missing",
    "x0=2*": "--map 'x0=2*': there is no lane '': the lanes are x0, x1, x2, x3",
    "x0=*x0": "--map 'x0=*x0': '' is not a number",
    "x0=two*x0": "'two' is not a number; write LANE=TERMS, with terms such as x1 or -2*x1 joined by +, or 0, as in",
    "x0=-x0": "there is no lane -x0: did you mean x0?",
    "x0=x0-x1": "there is no lane x0-x1",
    "q=x0": "--map 'q=x0': there is no lane q",
    "x0=x0,x0=0": "--map has two equations for x0: write one for each lane",
    "x0=x0+2*x0": "--map 'x0=x0+2*x0': x0 is read twice",
    "x0=nan*x0": "nan is not a finite number",
    "x0=1e999*x0": "inf is not a finite number",
    "x0=0.3*x0": "0.3 is not a member of fixed(4,4); the nearest member is 0.3125",
    "1:x0=x0": "--map '1:x0' has no two positions, counted from 0: write SOURCE:TARGET: in front",
    "-1:3:x0=x0": "--map '-1:3:x0' has no two positions",
    "99999999999:3:x0=x0": "has no two positions",
    "²:3:x0=x0": "has no two positions",
    "3:1:x0=x0": "write source < target, not 3 and 1",
    "1:99:x0=x0": "position 99 is outside the table",
}


@pytest.mark.parametrize("text", WRONG)
def test_what_is_no_map_is_named_with_what_to_write(text: str) -> None:
    with pytest.raises(ws.InputError) as refused:
        apply(T, "--map", text)
    assert WRONG[text] in str(refused.value)


def test_a_flag_is_not_mapped() -> None:
    with pytest.raises(ws.ModelError, match="the lane here is a flag"):
        apply(ws.flag(T, "here", [1]), "--map", "here=x0,x0=0")


def test_a_wrong_map_ends_the_verb_with_2_and_no_traceback(folder: Path) -> None:
    result = weightsmith("rewrite", "random.safetensors", "--map", "x0=2*x1", "-o", "never", folder=folder)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == "error: --map reads x1, which has no equation: write x1=x1 to keep it, or x1=0\n"
    assert not (folder / "never").exists()


pieces = st.sampled_from(
    ["x0", "x1", "=", "+", "*", ",", ":", "1", "3", "2", "0", "-", ".", "e", " ", "nan", "∞", "\udc80"]
)


@given(st.one_of(st.lists(pieces, max_size=14).map("".join), st.text(max_size=20)))
def test_whatever_is_typed_gives_a_model_or_an_error_of_ours(text: str) -> None:
    with contextlib.suppress(ws.WeightsmithError):
        assert isinstance(apply(T, "--map", text), ws.Transformer)


def test_positions_are_hidden_and_moved_and_blocks_added(tmp_path: Path) -> None:
    T = ws.random_transformer("ab", 3, 1, 1, 2, 4, seed=1)
    S = ws.flag(ws.random_transformer("ab", 3, 2, 1, 2, 4, seed=2), "first", [0])
    ws.save(T, tmp_path / "T")
    ws.save(S, tmp_path / "S")
    steps = ("--shift", "1", "--flag", "first=0", "--hide", "first", "--append", "S", "--prepend=S")
    good("rewrite", "T", *steps, "-o", "U", folder=tmp_path)
    U = ws.hide(ws.flag(ws.shift_positions(T, 1), "first", [0]), "first")
    assert ws.load(tmp_path / "U") == ws.prepend(ws.append(U, S.blocks), S.blocks)
    for wrong, said in (
        (("--append", "S"), "the models differ in their lanes: x0, x1, x2 and x0, x1, x2, first"),
        (("--append", "none"), "cannot read 'none'"),
        (("--shift", "x"), "'x' is not a whole number"),
        (("--hide", "there"), "there is no flag there"),
    ):
        ended = weightsmith("rewrite", "T", *wrong, "-o", "V", folder=tmp_path)
        assert (ended.returncode, said in ended.stderr) == (2, True), ended.stderr

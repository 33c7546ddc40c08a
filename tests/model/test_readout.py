"""A readout: what is allowed in its table, and that models with one are counted, kept and refused as they should."""

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import weightsmith as ws
from weightsmith.model import digest

A = ws.Fixed(4, 4)
E = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.5]])


def model(table: Any = None, lanes: tuple[str, ...] = ("code",), **others: Any) -> ws.Transformer:
    """Say what the token is: its code is its place."""
    given = {0: "zero", 1: None, 2: True} if table is None else table
    return ws.Transformer(A, "abc", ("code", "other"), E, readout=ws.Readout(lanes, given), **others)


T = model()


def test_outputs_are_the_values_of_the_codes() -> None:
    r = ws.run(T, "abca")
    assert r.outputs == ("zero", None, True, "zero")
    assert r.decision == "zero"
    assert r.logits.shape == (0,)
    assert ws.decisions(T, ["ab", "c"]) == [None, True]
    assert repr(r) == "Run(tokens=('a', 'b', 'c', 'a'), decision='zero', logits=array([], dtype=float64))"
    assert (T.classes, T.output.shape, T.answers) == ((), (0, 2), ("zero", None, True))


def test_a_code_may_be_in_several_lanes_and_a_value_have_several_codes() -> None:
    S = model({(0, 0): "a", (1, 0): "b", (2, 0.5): "a"}, ("code", "other"))
    assert S.answers == ("a", "b")
    assert ws.run(S, "cba").outputs == ("a", "b", "a")
    assert ws.run(model({(0, 0): "a", (0, 1): "b", (0.5, 2): "c"}, ("other", "code")), "abc").outputs == ("a", "b", "c")


def test_a_code_that_is_not_in_the_table_is_an_error_and_never_the_nearest() -> None:
    S = model({0: "zero", 1.9375: "nearly two", 1: "one", -3: "far"})
    r = ws.run(S, "abcb")
    said = (
        "position 2: the lane code holds 2, which is not in the table of the readout; the nearest of its 4 codes: "
        "1.9375 for nearly two; 1 for one; 0 for zero. Add the code to the table, or correct the weights"
    )
    with pytest.raises(ws.InputError) as error:
        r.outputs  # noqa: B018
    assert str(error.value) == said
    assert r.decision == "one"
    with pytest.raises(ws.InputError) as error:
        ws.outputs(S, ["ab", "abcb"])
    assert str(error.value) == f"on the input abcb: {said}"
    with pytest.raises(ws.InputError, match="position 1: the lane code holds 2"):
        ws.decisions(S, ["a", "bc"])
    assert repr(ws.run(S, "c")).startswith("Run(tokens=('c',), decision=?, ")
    text = str(r).split()
    assert text[text.index("output") :][:5] == ["output", "zero", "one", "?", "one"]
    assert "decision: none" in str(ws.run(S, "c"))
    assert "decision: one" in str(r)
    two = model({(0, 0): "a"}, ("code", "other"))
    with pytest.raises(ws.InputError, match=r"position 0: the lanes code, other hold \(2, 0.5\), which"):
        ws.run(two, "c").outputs  # noqa: B018


@given(st.sets(st.tuples(*[st.integers(-3, 3)] * 3), min_size=1), st.lists(st.tuples(*[st.integers(-4, 4)] * 3)))
def test_codes_are_looked_up_as_in_a_dictionary(known: set[tuple[int, ...]], asked: list[tuple[int, ...]]) -> None:
    table = {code: f"{sum(code)}" for code in known}
    R = ws.Readout(("x", "y", "z"), table)
    codes = np.array([*known, *asked], float)
    found = [None if place < 0 else R.answers[place] for place in R.answer_ids(codes)]
    assert found == [table.get(code) for code in [*known, *asked]]
    assert R.answer_ids(codes.reshape(1, -1, 1, 3)).shape == (1, len(codes), 1)
    with pytest.deprecated_call(match="Readout.answer_ids"):
        assert np.array_equal(R.places(codes), R.answer_ids(codes))


def test_true_one_and_one_point_zero_are_one_value_everywhere() -> None:
    same = [model({0: value, 1: "x", 2: 0}) for value in (True, 1, 1.0)]
    assert len({digest(S) for S in same}) == len(set(same)) == 1
    assert model({0: True, 1: 1, 2: 1.0}).answers == (True,)
    assert ws.check.same_decisions(same[0], same[2], up_to=3).holds
    assert digest(model({0: "1", 1: "x", 2: 0})) != digest(same[1])
    assert digest(model({0: 0.5, 1: "x", 2: 0})) != digest(model({0: 0.25, 1: "x", 2: 0}))


def test_the_order_in_which_a_table_is_written_does_not_count() -> None:
    assert model({2: True, 1: None, 0: "zero"}) == T == model([((1,), None), ((0,), "zero"), ([2.0], True)])
    assert digest(model({2: True, 1: None, 0: "zero"})) == digest(T)
    assert digest(model({2: False, 1: None, 0: "zero"})) != digest(T)
    assert model({2: False, 1: None, 0: "zero"}) != T
    assert digest(model({(0, 0): 1}, ("code", "other"))) != digest(model({(0, 0): 1}, ("other", "code")))


def test_models_with_classes_keep_their_digest() -> None:
    found = digest(ws.library.contains("1"))
    assert found == "92745a5ee06d801019f270e12976311c24f30f3230636f31475186d99ca785eb"


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({}, "the table of the readout has 0 codes: write 1 to 65,536"),
        (None, "table=None: write a mapping from codes to values, such as {(0,): 'no', (1,): 'yes'}"),
        ([[0]], "table=[[0]]: write a mapping"),
        ({"a": 1}, "the code 'a' of the readout: write a number, one for each of its lanes"),
        ({(0, 1): 1}, "the code (0, 1) of the readout: write a number"),
        ({True: 1}, "the code True of the readout: write a number"),
        ({float("inf"): 1}, "the code inf of the readout is not finite"),
        ({10**400: 1}, "of the readout is not finite"),
        ([((0,), 1), ((-0.0,), 2)], "the table of the readout has the code (-0.0,) twice"),
        ({0: [1]}, "the value [1] of the readout: write None, True, False, a text, or a finite number"),
        ({0: float("nan")}, "the value nan of the readout"),
        ({0: 2**53 + 1}, "the value 9007199254740993 of the readout"),
        ({0: "\ud800"}, "a value of the readout has characters that cannot be shown"),
        ({0: "x" * 300}, "a value of the readout has 300 characters, at most 200 are allowed"),
        ({0.01: 1}, "the code (0.01,) of the readout is not a member of fixed(4,4), so no lane can hold it"),
    ],
)  # fmt: skip
def test_a_malformed_table_is_refused(table: Any, said: str) -> None:
    with pytest.raises(ws.ModelError) as error:
        ws.Transformer(A, "abc", ("code", "other"), E, readout=ws.Readout(("code",), table))
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("others", "said"),
    [
        ({"output": np.eye(2)}, "a readout stands for the output: leave out output, output_bias and tied, or readout"),
        ({"output": np.zeros((1, 1))}, "a readout stands for the output"),
        ({"output_bias": np.zeros(2)}, "a readout stands for the output"),
        ({"tied": True}, "a readout stands for the output"),
        ({"classes": ("a", "b")}, "a readout stands for classes=('a', 'b'): leave out one of the two"),
        ({"classes": 3}, "a readout stands for classes=3"),
        ({"lanes": ("code", "nowhere")}, "there is no lane nowhere"),
    ],
)
def test_a_readout_beside_an_output_is_refused(others: dict[str, Any], said: str) -> None:
    with pytest.raises(ws.ModelError) as error:
        model(None if "lanes" not in others else {(0, 0): 1}, **others)
    assert said in str(error.value)
    with pytest.raises(ws.ModelError, match=r"readout='x': write Readout\(lanes=\(…,\), table={…}\), or None"):
        ws.Transformer(A, "abc", ("code", "other"), E, readout="x")  # type: ignore[arg-type]


REFUSED: dict[str, Callable[[], object]] = {
    "zero_one_form": lambda: ws.zero_one_form(T),
    "infinity_form": lambda: ws.infinity_form(T),
    "logits": lambda: ws.logits(T, ["a"]),
    "generate": lambda: ws.generate(T, "a", 1),
    "next_token": lambda: ws.next_token(T, "a"),
    "a language": lambda: ws.check.recognizes(T, "a*", up_to=3),
    "same_logits": lambda: ws.check.same_logits(T, T, up_to=3),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_needs_classes_says_so(what: str) -> None:
    with pytest.raises(ws.ModelError) as error:
        REFUSED[what]()
    assert str(error.value).startswith(f"{what.strip()} needs classes, and this transformer has a readout of code: ")
    assert "replace(T, readout=None, classes=(…), output=…)" in str(error.value)


def test_rewrites_keep_the_readout() -> None:
    for S in (ws.widen(T, ["a", "b"], "front"), ws.flag(T, "here", [1], max_length=4), ws.pad_blocks(T, 2)):
        assert S.readout == T.readout
        assert ws.check.same_decisions(S, T, up_to=4).holds
    assert ws.to_arithmetic(T, ws.Float(4, 3)).readout == T.readout
    with pytest.raises(ws.ModelError, match=r"the code \(1.0,\) of the readout is not a member of fixed\(0,4\)"):
        ws.to_arithmetic(T, ws.Fixed(0, 4))
    moved = ws.add_vector(ws.flag(T, "here", [0], max_length=3), {"code": 1.0}, at="here")
    assert ws.run(moved, "aaa").outputs == (None, "zero", "zero")


def test_claims_compare_what_readouts_say_by_value() -> None:
    assert ws.check.same_decisions(T, model({0: "zero", 1: None, 2: 1.0, 3: "never"}), up_to=5).holds
    other = ws.check.same_decisions(T, model({0: "zero", 1: "None", 2: True}), up_to=5)
    assert (other.holds, other.counterexample) == (False, "b")
    named = {0: "zero", 1: None, 2: True}
    assert ws.check.agrees_with(T, lambda tokens: named["abc".index(tokens[-1])], up_to=4).holds
    assert ws.check.agrees_with(T, lambda tokens: "zero", up_to=4).counterexample == "b"
    with pytest.raises(ws.InputError, match="it must give one of zero, None, True"):
        ws.check.agrees_with(T, lambda tokens: 7, up_to=4)
    with pytest.raises(ws.InputError, match="on the input c: position 0: the lane code holds 2, which is not in"):
        ws.check.same_decisions(T, model({0: "zero", 1: None}), up_to=4)
    with pytest.raises(ws.InputError, match="can say nothing in common: zero, None, True and x"):
        ws.check.same_decisions(T, model({0: "x", 1: "x", 2: "x"}), up_to=4)


@pytest.mark.parametrize("B", [A, ws.Float(4, 3), ws.Native("float32")], ids=str)
def test_files_hold_the_readout(B: ws.Arithmetic, tmp_path: Path) -> None:
    S, path = ws.to_arithmetic(T, B), tmp_path / "model.safetensors"
    ws.save(S, path)
    loaded = ws.load(path)
    assert loaded == S
    assert digest(loaded) == digest(S)
    assert [type(value) for value in loaded.answers] == [str, type(None), bool]
    assert ws.outputs(loaded, ["abc"]) == [("zero", None, True)]


def test_a_model_without_a_readout_is_written_as_before(tmp_path: Path) -> None:
    from weightsmith.files.codec import structure

    assert "readout" not in structure(ws.library.contains("1"))
    assert json.loads(json.dumps(structure(T)))["readout"] == {
        "kind": "Readout",
        "lanes": ["code"],
        "table": [[[0.0], "zero"], [[1.0], None], [[2.0], True]],
    }


def test_a_description_shows_lanes_codes_and_values() -> None:
    assert "  readout     code: 3 codes for zero, None, True" in repr(T)
    assert "classes" not in repr(T)


def test_a_change_of_a_run_is_shown_by_what_it_says() -> None:
    r = ws.run(T, "ab")
    found = ws.changed(r, ws.run(model(), "ab"))
    assert str(found).splitlines() == ["decision: None, as before", "the streams do not differ"]


def test_every_input_of_a_short_length_reads_alike_by_kernels_and_reference() -> None:
    inputs = ["".join(tokens) for n in (1, 2, 3, 4) for tokens in product("abc", repeat=n)]
    for S in (T, replace(T, mask="full"), ws.to_arithmetic(T, ws.Native("float64"))):
        assert ws.outputs(S, inputs) == [ws.run(S, tokens).outputs for tokens in inputs]

"""Claims about vectors inside the stream, against the witness with exact fractions, up to a length."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weightsmith as ws
from tests.check.stream_witness import first_failure, random_condition, ws_stages
from tests.rewrites.models import transformers
from weightsmith.check.claim import Claim
from weightsmith.check.conditions import read_condition
from weightsmith.check.examine import by_kernels, by_reference, examine
from weightsmith.check.same_lanes import SameLanes
from weightsmith.check.vectors import Vectors
from weightsmith.errors import FileError, InputError, ModelError

T = ws.random_transformer("ab", lanes=3, blocks=2, max_length=6, seed=5)
LAST = "block 1 feed-forward"


@settings(max_examples=25)
@given(transformers(), st.integers(0, 10**6))
def test_a_condition_fails_where_exact_fractions_say_so(M: ws.Transformer, seed: int) -> None:
    rng = np.random.default_rng(seed)
    data = random_condition(M, rng)
    at: tuple[str, Any] = (str(rng.choice(ws_stages(M))), [0, 1, 2, -1, -2, "all"][int(rng.integers(6))])
    condition = read_condition(json.loads(json.dumps(data)), M)
    v = ws.check.vectors(M, condition, 3, at=at)
    expected = first_failure(data, M, at, 3)
    assert v.counterexample == (None if expected is None else "".join(expected))
    assert ws.check.replay(v.to_json(), [M]).agrees
    parsed = ws.check.condition(str(condition)).about(M)
    assert str(ws.check.condition(str(parsed))) == str(parsed), "the text of a condition can be read"
    assert ws.check.vectors(M, parsed, 3, at=at).counterexample == v.counterexample


@settings(max_examples=15)
@given(transformers(), st.sampled_from([0, 1, -1, -2, "all"]), st.integers(0, 10))
def test_the_kernels_hand_over_every_site_as_the_reference_does(M: ws.Transformer, position: Any, site: int) -> None:
    stages = ws_stages(M)
    at = (stages[site % len(stages)], position)
    frame = ws.check.frame.make_frame([M], (), None, None)
    zero = Vectors.of(M, lambda vectors: np.ones(len(vectors), bool), at, frame)
    plan = zero.plan(3)
    found = [examine(zero, plan, next(plan.shards(0)), source=source) for source in (by_kernels, by_reference)]
    assert found[0].digest == found[1].digest is not None


@settings(max_examples=10)
@given(transformers(), st.sampled_from(["embedding", "block 0 attention"]))
def test_lanes_of_a_model_and_of_its_widened_copy_are_the_same_everywhere(M: ws.Transformer, site: str) -> None:
    if site != "embedding" and not M.blocks:
        return
    U = ws.widen(M, ["new"], where="front")
    for position in (0, -1, "all"):
        assert ws.check.same_lanes(M, U, up_to=3, at=(site, position)).holds


def test_a_planted_fault_is_found_at_the_shortest_input_with_its_values() -> None:
    layer = T.blocks[0].feed_forward
    assert layer is not None
    W_2 = layer.W_2.copy()
    W_2[1, :] = T.arithmetic.add(W_2[1, :], 0.0625)
    bad = replace(T, blocks=(replace(T.blocks[0], feed_forward=replace(layer, W_2=W_2)), T.blocks[1]))
    assert ws.check.same_lanes(T, bad, up_to=4, at=("block 0 attention", "all")).holds
    v = ws.check.same_lanes(T, bad, {"x1": "x1"}, up_to=4, at="block 0 feed-forward")
    assert not v.holds
    assert v.counterexample is not None
    assert len(v.counterexample) == 1
    values = [ws.run(M, v.counterexample).at("block 0 feed-forward", position=0, lane="x1") for M in (T, bad)]
    assert list(v.sides) == [f"the {n}, block 0 feed-forward, the last position" for n in ("first", "second")]
    assert [float(said.removeprefix("x1=")) for said in v.sides.values()] == values
    assert v.divergence is not None
    assert (v.divergence.stage, v.divergence.lane) == ("block 0 feed-forward", "x1")
    assert ws.check.same_lanes(T, bad, {"x0": "x0", "x2": "x2"}, up_to=4, at="block 0 feed-forward").holds


def test_every_position_names_the_one_that_fails() -> None:
    U = ws.flag(T, "here", [2])
    v = ws.check.vectors(U, "here == 0", 4, at=("embedding", "all"))
    assert (v.counterexample, v.sides) == ("aaa", {"embedding, position 2": "here=1"})
    assert ws.check.vectors(U, "here == 1", 6, at=("block 1 attention", 2)).holds
    assert ws.check.vectors(U, {"here": 0}, 6, at=("block 1 attention", 1)).holds
    assert "inputs of 3 tokens or more" in str(ws.check.vectors(U, "here == 1", 6, at=("embedding", 2)))


def test_the_ends_of_an_input_can_be_named_from_both_sides() -> None:
    only = ws.check.vectors(T, "x0 == lane('x0', 'embedding', 0)", at=("embedding", -3), length=3)
    assert only.holds
    assert only.inputs == 8
    copy = ws.check.vectors(T, ws.check.image(None, at=(LAST, 5)), at=(LAST, -1), length=6)
    assert copy.holds, "position 5 of 6 is the last"
    assert not ws.check.vectors(T, ws.check.image(None, at=(LAST, 5)), at=(LAST, -2), length=6).holds


def test_saturated_sums_are_those_of_the_arithmetic() -> None:
    A = T.arithmetic
    assert ws.check.vectors(T, f"inf * x0 + inf * x0 - inf <= {A.infinity}", 3, at="embedding").holds
    M = replace(T, embedding=np.full((2, 3), A.infinity), positions=None)
    assert ws.check.vectors(M, "x0 + x1 - x2 == 0 and x0 - x1 + x2 == inf", 2, at="embedding").holds
    v = ws.check.vectors(M, "x0 - x1 + x2 == 0", 2, at="embedding")
    assert v.counterexample == "a"
    assert v.sides == {"embedding, the last position": "x0=15.9375, x1=15.9375, x2=15.9375"}


def test_a_suffix_is_read_before_the_place() -> None:
    S = ws.random_transformer("ab", lanes=2, blocks=1, max_length=4, seed=2)
    U = ws.zero_one_form(S, lowering="attention", length=3)
    lanes = [lane for lane in U.lanes if lane in S.lanes]
    v = ws.check.same_lanes(
        S, U, lanes, length=3, suffix=("END",), at=(("block 0 feed-forward", -1), ("block 0 feed-forward", -2))
    )
    assert v.holds
    assert v.inputs == 8
    assert not ws.check.same_lanes(S, U, lanes, length=3, suffix=("END",), at="block 0 feed-forward").holds


def test_a_function_is_a_condition_and_is_never_taken_from_a_file() -> None:
    def small(vectors: Any) -> Any:
        return vectors[:, 0] <= 16

    for position in (-1, 1, "all"):
        v = ws.check.vectors(T, small, 4, at=("block 0 attention", position))
        assert v.holds
        with pytest.raises(InputError, match="Python code, which is not run by itself"):
            ws.check.replay(v.to_json(), [T])
        assert ws.check.replay(v.to_json(), [T], function=small).agrees
    with pytest.raises(InputError, match="a Python function is no condition for all lengths: write a text such as"):
        ws.check.vectors(T, small)


def test_a_ledger_and_a_certificate_hold_the_claim(tmp_path: Path) -> None:
    checks: dict[str, Any] = {
        "vectors": lambda **more: ws.check.vectors(T, "x0 >= -inf", 5, at=("block 0 attention", 1), **more),
        "same_lanes": lambda **more: ws.check.same_lanes(T, T, ["x1"], 5, at=("embedding", "all"), **more),
    }
    for kind, check in checks.items():
        v = check(ledger=tmp_path / kind)
        again = check(ledger=tmp_path / kind)
        assert v.holds
        assert again.digests == v.digests
        v.save(tmp_path / f"{kind}.json")
        models = [T] * Claim.kinds[kind].about
        assert ws.check.replay(tmp_path / f"{kind}.json", models).agrees
        text = ws.check.cite(v.certificate())
        assert "block 0 attention, position 1 satisfy x0 >= -15.9375" in text or "same lanes, x1, at embedding" in text
        for name, value in (("at", ["block 9 attention", 0]), ("at", None), ("at", []), ("lanes", [["x1"]]),
                            ("lanes", []), ("condition", ["=="]), ("condition", [["all"]]),
                            ("condition", ["==", 1, ["sum", [1, ["lane", "nobody", None, None]]]])):  # fmt: skip
            if name in v.certificate():
                with pytest.raises(FileError, match="damaged|something else"):
                    ws.check.replay({**v.certificate(), name: value}, models)
    forged = {**ws.check.vectors(T, "x0 >= -inf", 5).certificate(), "condition": ["==", 0, 1]}
    assert "tier 0, shard 0 comes out differently" in ws.check.replay(forged, [T]).problems


vectors: Any = ws.check.vectors
same_lanes: Any = ws.check.same_lanes
BAD: dict[str, tuple[Any, type[Exception], str]] = {
    "no site": (lambda: vectors(T, "x0 == 1", 3, at="block 0"), InputError, "'block 0' names no site of a run: write"),
    "a head": (
        lambda: vectors(T, "x0 == 1", 3, at="block 0 head 0"),
        InputError,
        "is no site of the stream: write 'embed",
    ),
    "a late block": (
        lambda: vectors(T, "x0 == 1", 3, at="block 2 attention"),
        InputError,
        "there is no site block 2 attention: the blocks are 0 to 1; write 'embedding', 'block 0 attention'",
    ),
    "a late block in a condition": (
        lambda: vectors(T, "x0 == lane('x0', 'block 7 attention')", 3),
        InputError,
        "there is no site block 7 attention: the blocks are 0 to 1",
    ),
    "a place of three": (
        lambda: vectors(T, "x0 == 1", 3, at=("embedding", 1, 2)),
        InputError,
        "write a site and a position, such as",
    ),
    "a position in words": (
        lambda: vectors(T, "x0 == 1", 3, at=("embedding", "last")),
        InputError,
        "position='last': write a whole number",
    ),
    "a fraction": (
        lambda: vectors(T, "x0 == 1", 3, at=("embedding", 1.5)),
        InputError,
        "position=1.5: write a whole number",
    ),
    "a far position": (
        lambda: vectors(T, "x0 == 1", 3, at=("embedding", 3)),
        InputError,
        "no input has the position 3: the longest has 3 positions; write up_to=4, or another position",
    ),
    "a far position from the end": (
        lambda: vectors(T, "x0 == 1", 3, at=("embedding", -4)),
        InputError,
        "no input has the position -4",
    ),
    "beyond the table": (
        lambda: vectors(T, "x0 == 1", 9, at=("embedding", 8)),
        InputError,
        "the longest has 6 positions",
    ),
    "a far position in a condition": (
        lambda: vectors(T, "x0 == lane('x0', 'embedding', 4)", length=2),
        InputError,
        "no input has the position 4",
    ),
    "no lane": (lambda: vectors(T, "y0 == 1", 3), ModelError, "there is no lane y0: the lanes are x0, x1, x2"),
    "no lane of the second": (lambda: same_lanes(T, T, {"x0": "y"}, 3), ModelError, "there is no lane y"),
    "lanes as a text": (
        lambda: same_lanes(T, T, "x0", 3),
        InputError,
        "lanes='x0': write lanes of the first and the second",
    ),
    "no lanes": (lambda: same_lanes(T, T, {}, 3), InputError, "write lanes of the first and the second"),
    "a number as a lane": (lambda: same_lanes(T, T, {1: "x0"}, 3), InputError, "1 is no lane: write one of x0, x1, x2"),
    "no common lane": (
        lambda: same_lanes(T, ws.library.contains("a", "ab"), None, 3),
        InputError,
        "there is no common lane: write pairs",
    ),
    "other tokens": (
        lambda: same_lanes(T, ws.library.contains("1"), {"x0": "found"}, 3),
        InputError,
        "different vocabulary",
    ),
    "all with one": (
        lambda: same_lanes(T, T, None, 3, at=(("embedding", "all"), ("embedding", 0))),
        InputError,
        "every position of one is",
    ),
    "not a member": (
        lambda: vectors(T, "x0 == 0.1", 3),
        InputError,
        "0.1 is not a member of fixed(4,4); the nearest member is 0.125",
    ),
    "a weight": (lambda: vectors(T, "x0 <= 0.1 * x1", 3), InputError, "0.1 is not a member of fixed(4,4)"),
    "no text": (lambda: vectors(T, "", 3), InputError, "'' is no condition: write a text such as"),
    "a number": (lambda: vectors(T, 3, 3), InputError, "3 is no condition: write a text such as"),
    "no comparison": (
        lambda: vectors(T, "x0", 3),
        InputError,
        "the condition has 'x0': write a comparison such as x0 == 1",
    ),
    "no Python": (lambda: vectors(T, "x0 = 1", 3), InputError, "the condition 'x0 = 1' cannot be read"),
    "a call": (
        lambda: vectors(T, "__import__('os').system('x') == 1", 3),
        InputError,
        "write a lane, a number, or a sum",
    ),
    "a right fold": (lambda: vectors(T, "x0 - (x1 + x2) == 1", 3), InputError, "write a lane, a number, or a sum"),
    "a product of lanes": (lambda: vectors(T, "x0 * x1 == 1", 3), InputError, "write a number times a lane"),
    "a huge number": (lambda: vectors(T, f"x0 == 1{'0' * 400}", 3), InputError, "is too large: write inf"),
    "a long text": (lambda: vectors(T, "x0 == 1 and " * 2000 + "x0 == 1", 3), InputError, "at most 20,000 characters"),
    "deep parentheses": (
        lambda: vectors(T, "not " * 30 + "x0 == 1", 3),
        InputError,
        "at most 24 conditions in each other",
    ),
    "very deep": (lambda: vectors(T, "(" * 5000 + "x0" + ")" * 5000, 3), InputError, "cannot be read"),
    "in a lane": (lambda: vectors(T, "x0 in x1", 3), InputError, "write numbers in parentheses after in"),
    "lane of two names": (
        lambda: vectors(T, "lane(x0, 1) == 1", 3),
        InputError,
        "write lane('x0', 'block 0 attention', 3)",
    ),
    "M of another size": (
        lambda: vectors(T, ws.check.image(np.eye(2), at="embedding"), 3),
        InputError,
        "M has the shape (2, 2), and it is for 3 lanes from 3",
    ),
    "M of one axis": (
        lambda: ws.check.image([1, 2], at="embedding"),
        InputError,
        "M has the shape (2,): write a matrix",
    ),
    "M at all": (lambda: ws.check.image(None, at=("embedding", "all")), InputError, "leave out 'all'"),
    "a truth value": (
        lambda: vectors(T, {"x0": True}, 3),
        InputError,
        "the condition has True for the lane x0: write a number",
    ),
    "all lengths, from the left": (
        lambda: vectors(T, "x0 <= inf", at=("embedding", 2)),
        InputError,
        "position 2 counts from the left: leave out up_to only for the last position, which is -1. With a causal",
    ),
    "all lengths, not the last": (
        lambda: vectors(T, "x0 <= inf", at=("embedding", -2)),
        InputError,
        "position -2 is not the last",
    ),
    "all lengths, three places": (
        lambda: vectors(T, "x0 == lane('x0', 'embedding') and x0 == lane('x0', 'block 0 attention')"),
        InputError,
        "vectors compares 3 places: for all lengths, at most two",
    ),
    "all lengths, some positions": (
        lambda: vectors(T, "x0 <= inf", at=("embedding", "all"), within="a*"),
        InputError,
        "every position, of some inputs or beside another position",
    ),
    "a chain": (
        lambda: vectors(ws.library.parity_chain(), "x == 1", 3),
        InputError,
        "vectors is about a transformer, and a chain",
    ),
    "no model": (lambda: same_lanes(T, 3, None, 3), ModelError, "the second argument, 3, is not a transformer"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_with_the_line_to_write(name: str) -> None:
    call, kind, text = BAD[name]
    with pytest.raises(kind) as caught:
        call()
    assert text in str(caught.value), str(caught.value)


def test_a_lane_whose_name_is_no_word_is_quoted() -> None:
    odd = replace(T, lanes=["a b", "lane", "it's"])
    condition = ws.check.condition({"a b": 1, "lane": 0, "it's": 2}) | ws.check.condition("lane('it\\'s') <= inf")
    v = ws.check.vectors(odd, condition, 2)
    assert v.holds
    assert "lane('a b') == 1" in str(v)
    assert str(ws.check.condition(str(condition))) == str(condition)
    assert isinstance(v.claim, Vectors)
    assert not isinstance(v.claim, SameLanes)

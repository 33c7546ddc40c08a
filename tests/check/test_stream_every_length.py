"""Claims about the stream for all lengths: against exhaustive runs, and what the independent checker refuses."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.check.stream_witness import first_failure, random_condition, ws_stages
from tests.verifying.certificates import Data, certificate, changed, checked, places, refusal
from weightsmith.check.conditions import read_condition

UP_TO = 5


def random_model(seed: int) -> ws.Transformer:
    """Return a model without absolute positions."""
    rng = np.random.default_rng(seed)
    weightings = [ws.Softmax(), ws.AverageHard(), ws.LeftmostHard(), ws.RightmostHard(), ws.Softmax(shifted=True)]
    T = ws.random_transformer(
        "ab", 2, int(rng.integers(1, 3)), 1, 2, 4, ws.Fixed(2, 1), seed, weighting=weightings[int(rng.integers(5))],
        parallel=bool(rng.integers(2)),
    )  # fmt: skip
    return replace(T, positions=None)


def claims(seed: int) -> Any:
    """Return a random model with a random condition about at most two sites, and a place."""
    T, rng = random_model(seed), np.random.default_rng(seed)
    at = (str(rng.choice(ws_stages(T))), -1 if rng.random() < 0.8 else "all")
    data = random_condition(T, rng, last=True)
    return T, data, at


@pytest.mark.parametrize(
    "seeds", [range(0, 25), *(pytest.param(range(n, n + 50), marks=pytest.mark.long) for n in range(25, 525, 50))]
)
def test_all_lengths_and_exact_fractions_agree(seeds: range) -> None:
    verdicts = []
    for seed in seeds:
        T, data, at = claims(seed)
        condition = read_condition(data, T)
        if len({(lane.stage, lane.position) for lane in condition.lanes} | {(None, None)}) > 2:
            continue
        v = ws.check.vectors(T, condition, at=at, seconds=20)
        shortest = first_failure(data, T, at, UP_TO)
        if shortest is not None:
            assert v.counterexample == "".join(shortest), (seed, str(v))
        elif v.holds is False:
            assert v.counterexample is not None
            assert len(v.counterexample) > UP_TO, (seed, str(v))
        if v.holds:
            assert v.scope == "all lengths"
            assert ws.check.replay(v.certificate(), [T]).agrees
        verdicts.append(v.holds)
    assert verdicts.count(None) <= len(verdicts) // 5, "few are unknown"
    assert {True, False} <= set(verdicts)


@pytest.mark.parametrize(
    "seeds", [range(0, 4), *(pytest.param(range(n, n + 32), marks=pytest.mark.long) for n in range(4, 100, 32))]
)
def test_the_same_lanes_for_all_lengths(seeds: range) -> None:
    for seed in seeds:
        T = random_model(seed)
        U = ws.widen(T, ["new"], where="front")
        for site in ws_stages(T):
            v = ws.check.same_lanes(T, U, at=site, seconds=20)
            assert v.holds is not False
            if v.holds:
                assert v.scope == "all lengths"
                assert ws.check.replay(v.certificate(), [T, U]).agrees
        loud = replace(U, embedding=T.arithmetic.add(U.embedding, np.array([[0.0, 0, 0], [0, 0, 0.5]])))
        same = np.array_equal(loud.embedding, U.embedding)
        assert ws.check.same_lanes(T, loud, at="embedding").counterexample == (None if same else "b")


def test_a_fault_that_only_long_inputs_show_is_found() -> None:
    E = ws.library.ends_with("0110100")
    v = ws.check.vectors(E, "found != 1")
    assert v.counterexample == "0110100"
    assert v.sides == {"block 0 feed-forward, the last position": "found=1"}
    F = replace(E, output=np.zeros((2, len(E.lanes))))
    assert ws.check.same_lanes(E, F).holds, "the decision is no part of the stream"


def test_two_positions_of_a_suffix_are_compared_for_every_input() -> None:
    S = ws.library.contains("1")
    T = replace(S, vocabulary=("0", "1", "END"), embedding=np.vstack([S.embedding, np.zeros(len(S.lanes))]))
    last = "block 0 feed-forward"
    found = ws.check.vectors(T, f"found == lane('found', {last!r}, -2)", at=(last, -1), suffix=("END",))
    assert found.holds
    assert found.scope == "all lengths"
    assert not ws.check.vectors(T, f"symbol == lane('symbol', {last!r}, -2)", at=(last, -1), suffix=("END",)).holds


def test_a_position_table_bounds_the_lengths() -> None:
    T = ws.linear_map(ws.random_transformer("ab", 2, 1, 1, 2, 4, ws.Fixed(2, 2), 3), np.eye(2), source=1, target=3)
    v = ws.check.vectors(T, "x0 <= inf")
    assert v.holds
    assert v.scope == "up to 4"


# The independent checker


def honest() -> list[tuple[list[ws.Transformer], Data]]:
    S = ws.library.contains("1")
    form, one, wide = ws.infinity_form(S), ws.zero_one_form(S), ws.widen(S, ["new"])
    M_h = ws.check.image(S.output, at="block 0 feed-forward", lanes=one.lanes[:2], of=S.lanes)
    verdicts = [
        ([form], ws.check.vectors(form, "NO == 1 and YES in (0, inf) and symbol == 0")),
        ([one], ws.check.vectors(one, M_h)),
        ([S, wide], ws.check.same_lanes(S, wide, at=(("block 0 attention", -1), ("block 0 attention", -1)))),
        ([S], ws.check.vectors(S, "symbol in (0, 1)", at=("embedding", "all"))),
    ]
    return [(models, certificate(v)) for models, v in verdicts]


def true_theorem(models: list[ws.Transformer], data: Data) -> bool:
    """Say whether what a certificate claims is so on short inputs."""
    if data["claim"] == "vectors":
        return first_failure(data["condition"], models[0], tuple(data["at"]), 4) is None
    pairs, at = {tuple(pair) for pair in data["lanes"]}, tuple(tuple(place) for place in data["at"])
    same: Any = ws.check.same_lanes
    return bool(same(*models, sorted(pairs), 4, at=at).holds)


def test_a_changed_certificate_is_refused_or_what_it_says_is_true() -> None:
    accepted = 0
    for models, data in honest():
        assert refusal(models, data) is None
        some = [path for path in places(data) if path[0] in ("condition", "at", "lanes", "codes", "proof")]
        own = [path for path in some if path[0] != "proof"]
        for path in own + some[:: max(1, len(some) // 8)]:
            old: Any = data
            for step in path:
                old = old[step]
            others: list[Any] = [None, 0, -1, "all", "embedding", "block 0 attention", "found", "any"]
            for value in others if path in own else [0, 1, 2]:
                if value == old and type(value) is type(old):
                    continue
                forged = changed(data, path, value)
                if refusal(models, forged) is None:
                    accepted += 1
                    assert true_theorem(models, forged), (path, value)
    assert accepted, "some changes make other theorems, which are true"


def test_false_claims_are_refused_whatever_the_proof_says() -> None:
    for models, data in honest():
        if data["claim"] == "vectors":
            for condition in (
                ["not", data["condition"]],
                ["==", 0, 1],
                ["any"],
                ["<", ["sum", [1, [*lane_of(models[0])]]], -99],
            ):
                assert refusal(models, {**data, "condition": condition}) is not None, condition
        for name in ("condition", "at", "lanes", "codes"):
            odd: list[Any] = [None, [], {}, "x", [[]], [None, None], 3, [["embedding", 0], ["embedding", 0]]]
            for value in odd:
                assert refusal(models, {**data, name: value}) is not None or value == data.get(name)
    S = ws.library.contains("1")
    plain = certificate(ws.check.recognizes(S, ".*1.*"))
    assert "is not about the stream" in str(refusal([S], {**plain, "at": ["embedding", -1]}))


def lane_of(T: ws.Transformer) -> tuple[Any, ...]:
    return ("lane", T.lanes[0], None, None)


def test_the_theorem_says_what_was_claimed() -> None:
    models, data = honest()[1]
    text = str(checked(models, data))
    assert text.startswith("proved for all lengths: vectors at block 1 feed-forward, position -1, satisfy (1.0·'NO' ==")
    assert "at block 0 feed-forward" in text
    models, data = honest()[2]
    assert "both models hold the same values, at block 0 attention, position -1" in str(checked(models, data))
    assert json.loads(json.dumps(data)) == data

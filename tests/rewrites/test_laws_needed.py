"""In an arithmetic that lacks a law the rewrites refuse, and ignoring the law would really give a wrong answer."""

import contextlib
import sys
from collections.abc import Iterator
from typing import Any
from unittest import mock

import numpy as np
import pytest

import weightsmith as ws

NARROW, MACHINE, NO_ONE, TINY = ws.Float(2, 4), ws.Native("float32"), ws.Fixed(0, 4), ws.Fixed(1, 0)


def model(A: ws.Arithmetic) -> ws.Transformer:
    return ws.random_transformer("ab", 2, 1, 1, 2, 4, A, seed=1)


def flagged(A: ws.Arithmetic) -> ws.Transformer:
    return ws.flag(model(A), "here", [1])


REFUSED: dict[str, tuple[Any, str, str, str]] = {
    "linear map": (
        lambda: ws.linear_map(model(NARROW), np.eye(2), 0, 1),
        "linear_map needs the law 'exp(−∞) = 0' (exp of −∞), which fails in float(2,4)",
        "exp(−∞) = exp(-3.75) = 0.03125",
        "use an arithmetic such as Fixed(4, 4), or map_stream at every position",
    ),
    "form by attention": (
        lambda: ws.zero_one_form(model(NARROW), lowering="attention", length=2),
        "lowering='attention' needs the law 'exp(−∞) = 0'",
        "0.03125",
        "use lowering='feedforward'",
    ),
    "zero by saturation": (
        lambda: ws.zero_vector(flagged(MACHINE), at="here"),
        "zero_vector needs the law '(x ⊕ ∞) ⊕ ∞ = ∞' (saturation), which fails in float32",
        "(x ⊕ ∞) ⊕ ∞ = inf",
        "use zero_vector(…, method='cancel')",
    ),
    "growth": (
        lambda: ws.infinity_form(model(MACHINE)),
        "infinity_form needs the law 'some number of multiplications by ∞ takes every x > 0 to ∞' (growth)",
        "∞ ⊗ ∞ overflows to an IEEE infinity",
        "use zero_one_form",
    ),
    "flag": (lambda: flagged(NO_ONE), "flag needs the law '1 ⊗ x = x' (unit product)", "1 is not a member", "with 1"),
    "zero-one": (lambda: ws.zero_one_form(model(NO_ONE)), "(unit product)", "∞ = 0.9375", "such as Fixed(4, 4)"),
    "map": (lambda: ws.map_stream(model(NO_ONE), np.zeros((2, 2))), "map_stream needs", "1 is not a member", "with 1"),
    "1 below ∞": (
        lambda: ws.infinity_form(model(TINY)),
        "infinity_form needs the law '1 is a member, and 1 < ∞' (1 below ∞), which fails in fixed(1,0)",
        "∞ = 1.0",
        "such as Fixed(4, 4)",
    ),
    "and": (lambda: model(TINY) & model(TINY), "(1 below ∞)", "∞ = 1.0", "such as Fixed(4, 4)"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_missing_law_is_named_with_a_counterexample_and_the_alternative(name: str) -> None:
    build, law, counterexample, alternative = REFUSED[name]
    with pytest.raises(ws.LawError) as caught:
        build()
    for part in (law, counterexample, alternative):
        assert part in str(caught.value)


def test_the_alternatives_work_where_the_others_are_refused() -> None:
    cleared = ws.zero_vector(flagged(MACHINE), at="here", method="cancel")
    assert ws.run(cleared, "ab").stream[-1, 1, :2].tolist() == [0.0, 0.0]
    for A in (NARROW, MACHINE):
        T = model(A)
        lowered = ws.run(ws.zero_one_form(T), "ab", sums="left")  # folds in order, also in the machine's arithmetic
        assert np.array_equal(lowered.logits, ws.run(T, "ab", sums="left").logits)
    M = np.array([[1.0, -1.0], [0.5, 2.0]])
    mapped = ws.run(ws.map_stream(model(NARROW), M), "ab").stream[-1, :, 2:]
    assert np.array_equal(mapped, NARROW.matvec(M, ws.run(model(NARROW), "ab").stream[-1]))


@contextlib.contextmanager
def ignoring_laws() -> Iterator[None]:
    """Let every rewrite go on as if all laws held."""
    with contextlib.ExitStack() as stack:
        for name, module in list(sys.modules.items()):
            if name.startswith("weightsmith.rewrites.") and hasattr(module, "require"):
                stack.enter_context(mock.patch.object(module, "require"))
        yield


def test_ignoring_exp_of_minus_infinity_would_give_a_wrong_vector() -> None:
    T = model(NARROW)
    with ignoring_laws():
        U = ws.linear_map(T, np.eye(2), 0, 2)
    moved = ws.run(U, "aba").stream[-1, 2, :2]
    assert not np.array_equal(moved, ws.run(T, "aba").stream[-1, 0]), "0.03125 of the others comes along"


def test_ignoring_saturation_would_overflow_the_machine() -> None:
    with ignoring_laws():
        U = ws.zero_vector(flagged(MACHINE), at="here")
    with pytest.raises(ws.ModelError, match="float32 overflowed"):
        ws.run(U, "ab")


def test_ignoring_that_1_is_below_infinity_would_turn_yes_into_no() -> None:
    T = ws.Transformer(TINY, "a", ["p"], np.array([[1.0]]), None, (), np.array([[0.0], [1.0]]))
    with ignoring_laws():
        U = ws.infinity_form(T)
    assert ws.run(T, "a").decision == "YES"
    assert ws.run(U, "a").decision == "NO", "(1, ∞) is a tie where ∞ = 1"


def test_two_multiplications_as_in_the_note_would_not_reach_infinity_in_float_3_3() -> None:
    A = ws.Float(3, 3)
    assert A.multiply(A.multiply(A.smallest, A.infinity), A.infinity) == 3.0 < A.infinity

"""What relies on saturation, and the same model without it."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

import weightsmith as ws
from tests.kernels.models import random_model
from weightsmith import Fixed, Float, Native
from weightsmith.arithmetic import Saturating
from weightsmith.export import portable, without_saturation
from weightsmith.export.inputs import inputs, some_inputs
from weightsmith.export.saturation import Unbounded, relying_on_saturation
from weightsmith.semantics import evaluate


def tried(T: ws.Transformer) -> tuple[str, ...]:
    return relying_on_saturation(T, some_inputs(T, 50))


def zeroed(method: str) -> ws.Transformer:
    T = ws.flag(ws.library.contains("1"), "here", [1], max_length=5)
    return ws.zero_vector(T, at="here", method=method)  # type: ignore[arg-type]


def test_the_blocks_that_saturate_are_named() -> None:
    T = ws.library.contains("1")
    assert tried(T) == ()
    assert tried(zeroed("saturate")) == ("block 1 feed-forward", "block 2 feed-forward")
    assert tried(zeroed("cancel")) == ()
    assert tried(ws.infinity_form(T)) == ("block 3 feed-forward",)
    assert tried(ws.library.parity()) == ("block 0 attention",)
    assert tried(ws.to_arithmetic(T, Native("float64"))) == ()


def test_a_neuron_that_is_shut_below_minus_infinity_does_not_rely_on_it() -> None:
    for weight, relying in ((-15.0, ()), (15.0, ("block 0 feed-forward",))):  # relu is 0 at −∞ and below
        layer = ws.FeedForward([[weight]], [weight], [[1.0]])  # type: ignore[arg-type]
        blocks = (ws.Block(feed_forward=layer),)
        T = ws.Transformer(Fixed(4, 4), "01", ("x",), np.array([[0.0], [1.0]]), None, blocks, np.eye(2, 1))
        assert tried(T) == relying


@pytest.mark.parametrize("A", [Fixed(4, 4), Fixed(2, 2, ties="even"), Float(3, 4), Float.like("e4m3", ties="away")])
def test_without_its_ends_an_arithmetic_rounds_as_before(A: Saturating) -> None:
    endless, values = Unbounded(A), A.values()
    x, y = np.meshgrid(values[:: 1 + len(values) // 60], values[:: 1 + len(values) // 50])
    for name in ("add", "subtract", "multiply"):
        exact = {"add": x + y, "subtract": x - y, "multiply": x * y}[name]
        bounded, free = getattr(A.core, name)(x, y), getattr(endless.core, name)(x, y)
        inside = np.abs(exact) <= A.infinity
        assert np.array_equal(bounded[inside], free[inside])
        far = np.abs(exact) >= 2 * A.infinity
        assert (np.abs(free[far]) > A.infinity).all()
    exponentials = A.core.exp(values)
    assert np.array_equal(exponentials[exponentials < A.infinity], endless.core.exp(values)[exponentials < A.infinity])


SATURATING: dict[str, Callable[[], ws.Transformer]] = {
    "zero_vector": lambda: zeroed("saturate"),
    "and": lambda: ws.library.contains("1") & ws.library.contains("0"),
    "signed": lambda: ws.signed_infinity_form(ws.library.contains("1")),
}


@pytest.mark.parametrize("name", SATURATING)
def test_without_saturation_keeps_every_logit_and_needs_no_ends(name: str) -> None:
    T = SATURATING[name]()
    S = without_saturation(T)
    assert S.provenance[-1] == "portable"
    endless, wild = (replace(M, arithmetic=Unbounded(Fixed(4, 4))) for M in (S, T))
    differs = False
    for ids, _ in inputs(T, up_to=5):
        wanted = evaluate(T, ids).logits
        assert np.array_equal(wanted, evaluate(S, ids).logits)
        assert np.array_equal(wanted, evaluate(endless, ids).logits)
        differs |= not np.array_equal(wanted, evaluate(wild, ids).logits)
    assert differs  # as it was


def test_three_blocks_that_make_a_vector_0_become_one_that_subtracts_it() -> None:
    T = zeroed("saturate")
    S = without_saturation(T)
    assert len(S.blocks) == len(T.blocks) - 2
    assert S.blocks[-1].origin == "zero except where not here: subtract"
    assert tried(S) == ()


def test_without_saturation_leaves_what_does_not_saturate_as_it_is() -> None:
    for T in (ws.library.contains("1"), ws.random_transformer(arithmetic=Native("float32"))):
        assert without_saturation(T) is T


def test_without_saturation_keeps_every_logit_of_loud_models_of_every_shape() -> None:
    drawn = [random_model(Fixed(4, 4), seed) for seed in range(24)]
    for seed, T in enumerate([T for T in drawn if T.max_length is not None][:5]):  # few inputs are tried of these
        S = without_saturation(T)
        ids = np.random.default_rng(seed).integers(0, len(T.vocabulary), (5, 6))
        assert np.array_equal(evaluate(T, ids).logits, evaluate(S, ids).logits)


def test_the_former_name_still_works_with_a_warning() -> None:
    T = ws.library.length_modulo(3)
    with pytest.warns(DeprecationWarning, match=r"write export.without_saturation\(T\)"):
        assert portable(T) is T

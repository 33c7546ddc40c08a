"""Attention tile by tile, norms in one array and compiled activations: each gives what the definition gives."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.kernels.closeness import COUNTS, assert_close_runs
from tests.kernels.kinds import FULL, RULES, kind_of_model
from tests.kernels.models import WEIGHTINGS
from weightsmith import Native, Softmax
from weightsmith.arithmetic import native
from weightsmith.inspect.run import evaluate
from weightsmith.kernels.blas import BlasRun, weighing
from weightsmith.kernels.blas.prepared import prepared
from weightsmith.semantics.layers import run_norm

SIZES = {"one score": (1, 1), "some heads": (60, 4), "some inputs": (200, 9), "some queries": (10**9, 3)}
SHIFTED = Softmax(shifted=True)


@pytest.fixture(params=list(SIZES.values()), ids=list(SIZES))
def tiny(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers, queries = request.param
    monkeypatch.setattr(weighing, "NUMBERS_AT_ONCE", numbers)
    monkeypatch.setattr(weighing, "QUERIES_AT_ONCE", queries)


def model(n: int, rule: str = "none", dtype: Any = "float64", **more: Any) -> ws.Transformer:
    how = {"loudness": 0.0, "weighting": SHIFTED, "heads": 4, **more}
    return kind_of_model(Native(dtype), n, rule, **how)


@pytest.mark.parametrize("mask", ["causal", "full"])
def test_tiles_of_every_size_give_what_the_definition_gives(mask: Any, tiny: None) -> None:
    for n, rule in enumerate(RULES if mask == "causal" else FULL[::2]):
        assert assert_close_runs(model(n, rule, mask=mask), "abbababba") is not None


@pytest.mark.parametrize("weighting", WEIGHTINGS, ids=repr)
def test_every_weighting_goes_by_tiles(weighting: Any, tiny: None) -> None:
    COUNTS.clear()
    for n in range(4):
        T = kind_of_model(ws.Fixed(3, 3), n, weighting=weighting, mask=("causal", "full")[n % 2], loudness=0.0)
        T = ws.to_arithmetic(replace(T, positions=None, blocks=T.blocks[:1]), Native("float64"))
        assert_close_runs(T, "abbab")
    assert COUNTS["runs"] >= 2, COUNTS


@pytest.mark.parametrize("mask", ["causal", "full"])
def test_an_empty_softmax_is_refused_at_its_head_and_position(mask: Any, tiny: None) -> None:
    one = np.ones((1, 1))
    good = ws.Head(one, one, one, one, Softmax(empty="error"))
    head = ws.Head(one, 0 * one, one, one, Softmax(empty="error"), b_K=np.ones(1))
    T = ws.Transformer(
        Native("float64"), "ab", ["x"], np.array([[1.0], [-1000.0]]), None,
        [ws.Block(ws.Attention([head] * 2))], np.array([[0.0], [1.0]]), mask=mask,
    )  # fmt: skip
    with pytest.raises(ws.ModelError, match="block 0, head 0, position 3: .*largest score is -1000"):
        ws.run(T, "aaaba")
    assert assert_close_runs(replace(T, blocks=[ws.Block(ws.Attention([good, head]))]), "aaaba") is None


def test_many_inputs_and_a_cache_go_by_tiles(tiny: None) -> None:
    T = model(1, "halves", tied=True)
    inputs = ["abbab", "babba", "bbbbb", "aabba", "aaaaa"]
    assert np.allclose(ws.logits(T, inputs), [ws.run(T, x, sums="left").logits for x in inputs], rtol=0, atol=1e-12)
    whole = evaluate(T, np.array([0, 1, 1, 0, 1, 1, 0]))
    first = evaluate(T, np.array([0, 1, 1]))
    rest = evaluate(T, np.array([0, 1, 1, 0]), first.past)
    assert np.allclose(rest.logits, whole.logits, rtol=0, atol=1e-12)
    for heads, wanted in zip(rest.heads, whole.heads, strict=True):
        for head, other in zip(heads, wanted, strict=True):
            assert np.allclose(head.weights, other.weights[3:], rtol=0, atol=1e-12)


def test_keys_that_no_query_of_a_tile_sees_are_not_scored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weighing, "QUERIES_AT_ONCE", 2)
    for strict, wanted in ((False, [2, 4, 5]), (True, [1, 3, 4])):
        T = model(2)
        (heads,) = prepared(T)[0]
        heads = replace(heads, strict=strict)
        x = np.zeros((1, heads.count, 5, 4))
        tiles = list(weighing.Weighing(T, heads, x, x, x, 0, "block 0")._tiles())
        assert [tile.keys for tile in tiles] == wanted


def test_a_pass_keeps_no_weights_and_those_read_later_are_those_it_used() -> None:
    T = model(3, dtype="float32")
    found = evaluate(T, np.array([[0, 1, 1, 0], [1, 1, 0, 0]]))
    for head in found.heads[0]:
        assert not {"weights", "scores", "output"} & head.__dict__.keys()
        assert np.array_equal(head.weights @ head.values, head.mixed)
        assert head.weights is head.weights


def test_infinite_scores_count_only_where_they_are_visible(tiny: None) -> None:
    """The key of b overflows for every query of a; a b at the end is not seen by them, and asks for nothing itself."""
    x, y = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])
    head = ws.Head(x, y, x, x.T, SHIFTED)
    T = ws.Transformer(
        Native("float64"), "ab", ["x", "y"], np.array([[1e20, 1.0], [0.0, 1e300]]), None,
        [ws.Block(ws.Attention([head] * 2))], np.array([[0.0, 0.0], [1.0, 0.0]]),
    )  # fmt: skip
    assert assert_close_runs(T, "aaab") is not None
    with pytest.raises(ws.ModelError, match="block 0, head 0: float64 overflowed"):
        ws.run(T, "aaba")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_norm_in_one_array_equals_the_steps_bit_for_bit(dtype: Any) -> None:
    random, A = np.random.default_rng(0), Native(dtype)
    gain, bias = A.round(random.normal(size=5)), A.round(random.normal(size=5))
    T = ws.random_transformer(vocabulary="ab", lanes=5, blocks=1, arithmetic=A)
    engine, lanes = BlasRun(T), tuple(T.lanes)
    h = random.normal(size=(2, 7, 5)).astype(dtype)
    norms = (
        ws.LayerNorm(), ws.LayerNorm(1e-3, gain), ws.LayerNorm(0.0, gain, bias), ws.LayerNorm(1e-5, None, bias),
        ws.RMSNorm(), ws.RMSNorm(1e-2, gain), ws.RMSNorm(1e-5, gain[:2], lanes=lanes[1:3]),
    )  # fmt: skip
    for norm in norms:
        before = h.copy()
        found = engine._norm(norm, h, "norm")
        assert found.dtype == h.dtype
        assert np.array_equal(found, run_norm(engine.A, norm, h, lanes, "norm"))
        assert np.array_equal(h, before)
    with pytest.raises(ws.ModelError, match="norm: the square root is 0 at position 4"):
        engine._norm(ws.LayerNorm(0.0), np.ones((1, 2, 5), dtype), "norm", 4)
    with pytest.raises(ws.ModelError, match="norm: .* overflowed"), np.errstate(all="ignore"):
        engine._norm(ws.RMSNorm(), np.full((1, 2, 5), A.infinity, dtype), "norm")


@pytest.mark.parametrize("activation", ["gelu", "gelu_tanh", "silu", "swiglu"])
def test_compiled_activations_give_what_the_definition_gives(activation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "COMPILED_FROM", dict.fromkeys(native.COMPILED_FROM, 0))
    for n in range(3):
        assert assert_close_runs(model(n, activation=activation), "abbab") is not None


def test_copied_heads_lie_as_blas_multiplies_them_fastest() -> None:
    for heads in prepared(model(1))[0]:
        assert all(W.T.flags.c_contiguous for W in (heads.W_Q, heads.W_K, heads.W_V, heads.W_O))

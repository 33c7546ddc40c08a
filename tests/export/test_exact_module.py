"""The exact PyTorch module: every stream, weight, activation and logit has the bits of the reference run."""

import numpy as np
import pytest
import torch

import weightsmith as ws
from tests.export.models import all_inputs, hand_built
from tests.kernels.kinds import ACTIVATIONS, FULL, RULES, kind_of_model
from tests.kernels.models import many_heads, random_model
from weightsmith import Fixed, Float
from weightsmith.arithmetic import Saturating
from weightsmith.arithmetic.rounding import quantum
from weightsmith.export import from_torch
from weightsmith.export.pytorch import made
from weightsmith.export.pytorch.module import TransformerModule
from weightsmith.export.pytorch.rounding import Rounding
from weightsmith.semantics import evaluate
from weightsmith.semantics.evaluation import Ids
from weightsmith.semantics.reference import Reference

ARITHMETICS: tuple[Saturating, ...] = (
    Fixed(4, 4),
    Fixed(2, 2, ties="even"),
    Fixed(6, 5, ties="away"),
    Fixed(12, 13),
    Float(4, 3),
    Float(3, 4, ties="away"),
    Float.like("e4m3", ties="even"),
    Float(5, 8),
    Float(10, 25),
)


def same(T: ws.Transformer, *inputs: Ids) -> None:
    """Compare every value of runs."""
    module = made(T, exact=True)
    for ids in inputs:
        same_run(T, module, ids)


def same_run(T: ws.Transformer, module: TransformerModule, ids: Ids) -> None:
    wanted, found = evaluate(T, ids), module.run(torch.from_numpy(ids))
    for a, b in zip(wanted.stream, found.stream, strict=True):
        assert np.array_equal(a, b.numpy())
    for heads, tensors in zip(wanted.heads, found.attention, strict=True):
        for head, weights in zip(heads, tensors, strict=True):
            assert np.array_equal(head.weights, weights.numpy())
    for a, b in zip(wanted.activations, found.activations, strict=True):
        assert np.array_equal(a, b.numpy())
    logits = Reference(T).read_off(wanted.stream[-1])
    assert np.array_equal(logits, found.logits.numpy())
    assert np.array_equal(logits, module(torch.from_numpy(ids)).numpy())


@pytest.mark.one_in(2)
@pytest.mark.parametrize("count", [4, pytest.param(60, marks=pytest.mark.long)])
@pytest.mark.parametrize("A", ARITHMETICS, ids=str)
def test_random_models_of_every_shape_have_the_bits_of_the_run(A: Saturating, count: int) -> None:
    for seed in range(count):
        T = random_model(A, seed + 10 * ARITHMETICS.index(A))
        same(T, np.random.default_rng(seed).integers(0, len(T.vocabulary), (4, 1 + 3 * seed % 11)))
    same(many_heads(A, 1), np.random.default_rng(0).integers(0, 2, (3, 6)))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("rule", RULES)
def test_every_scheme_of_positions_has_the_bits_of_the_run(rule: str) -> None:
    place = RULES.index(rule)
    for n, A in enumerate(ARITHMETICS[place % 3 :: 3]):
        activation = ACTIVATIONS[(place + n) % len(ACTIVATIONS)]
        T = kind_of_model(A, place + n, rule, activation, norms=n % 2 == 0, parallel=n != 1, tied=n == 1)
        same(T, np.random.default_rng(n).integers(0, 2, (3, 8)))
    if rule in FULL:
        same(kind_of_model(ARITHMETICS[place % 9], place, rule, mask="full"), np.array([[0, 1, 1, 0, 1], [1] * 5]))


@pytest.mark.parametrize("name", hand_built())
def test_hand_built_models_have_the_bits_of_the_run(name: str) -> None:
    T = hand_built()[name]
    if isinstance(T.arithmetic, Saturating):
        same(T, *all_inputs(T, 6, most=64)[::2])


@pytest.mark.parametrize("ties", ["zero", "even", "away"])
def test_fast_rounding_is_right_at_every_midpoint_and_beside_it(ties: str) -> None:
    random, count = np.random.default_rng(1), 20_000
    for A in (Fixed(4, 4, ties), Fixed(12, 13, ties), Float(2, 2, ties), Float(3, 25, ties), Float(10, 25, ties)):  # type: ignore[arg-type]
        rounding, C, p = Rounding(A), A.core, A.precision
        sizes = 2.0 ** random.uniform(np.log2(A.smallest), np.log2(A.infinity), count)
        x = A.round(random.choice([-1, 1], count) * sizes)
        y = A.round((2 * random.integers(0, 2 ** ((p + 1) // 2), count) + 1) * 2.0 ** random.integers(-p, 1, count))
        half = quantum(x, A.least_exponent, p) / 2
        near = A.round(half * (1 + random.integers(-2, 3, count) * 2.0 ** (1 - p)))
        a, b, c = (torch.from_numpy(values) for values in (x, y, near))
        assert np.array_equal(C.multiply(x, y), rounding.nearest_product(a * b).numpy()), A
        assert np.array_equal(C.add(x, near), rounding.nearest_sum(a + c).numpy()), A
        assert np.array_equal(C.subtract(x, near), rounding.nearest_sum(a - c).numpy()), A
        assert np.array_equal(C.add(x, y), rounding.nearest_sum(a + b).numpy()), A
        found = rounding.nearest_product(a * b).numpy()
        assert not np.signbit(found[found == 0]).any(), f"{A} has −0"


@pytest.mark.parametrize("A", [Fixed(4, 4), Float(10, 25)], ids=str)
def test_the_transformer_comes_back_as_it_was(A: Saturating) -> None:
    for seed, rule in enumerate(RULES):
        for T in (random_model(A, seed), kind_of_model(A, seed, rule, norms=True)):
            assert from_torch(made(T, exact=True)) == T


def test_an_empty_softmax_is_refused_in_the_words_of_the_run() -> None:
    zero, far = np.zeros((1, 1)), np.array([[-15.0]])
    head = ws.Head(np.ones((1, 1)), far, zero, zero, ws.Softmax(empty="error"))
    T = ws.Transformer(
        Fixed(4, 4), "01", ("x",), np.array([[0.0], [1.0]]), None, (ws.Block(ws.Attention((head,))),), np.zeros((2, 1))
    )
    ids = np.array([[0, 1], [1, 1]])
    with pytest.raises(ws.ModelError) as wanted:
        evaluate(T, ids)
    for exact in (True, False):
        with pytest.raises(ws.ModelError) as found:
            made(T, exact).run(torch.from_numpy(ids))
        assert str(found.value) == str(wanted.value)


def test_a_root_of_zero_is_refused_in_the_words_of_the_run() -> None:
    T = ws.Transformer(
        Fixed(4, 4), "01", ("x",), np.zeros((2, 1)), None, (), np.zeros((2, 1)), final_norm=ws.RMSNorm(1e-9)
    )
    with pytest.raises(ws.ModelError) as wanted:
        evaluate(T, np.array([[0]]))
    with pytest.raises(ws.ModelError) as found:
        made(T, exact=True)(torch.tensor([[0]]))
    assert str(found.value) == str(wanted.value)


def test_exact_is_refused_where_it_has_no_meaning() -> None:
    T = ws.random_transformer(arithmetic=ws.Native("float32"))
    with pytest.raises(ws.ModelError, match="the transformer is in float32, the machine's own: write to_torch"):
        made(T, exact=True)
    T = ws.random_transformer()
    with pytest.raises(ws.ModelError, match="exact=True computes in float64, .* leave out dtype='float32'"):
        made(T, exact=True, dtype="float32")
    with pytest.raises(ws.ModelError, match="exact='yes': write True or False"):
        made(T, exact="yes")  # type: ignore[arg-type]
    with pytest.raises(ws.ModelError, match="leave out saturate=False"):
        made(T, exact=True, saturate=False)

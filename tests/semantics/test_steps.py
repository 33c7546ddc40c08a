"""Layer norm and sinusoids of given numbers: the same as in a run."""

from collections.abc import Callable

import numpy as np
import pytest

import weightsmith as ws
from weightsmith import Fixed, Float, Native

ARITHMETICS = [Fixed(4, 4), Fixed(6, 8), Float(4, 6), Float.like("float16"), Native("float64")]


@pytest.mark.parametrize("A", ARITHMETICS, ids=str)
def test_layer_norm_is_what_a_run_computes(A: ws.Arithmetic) -> None:
    rows = A.round(np.random.default_rng(0).normal(size=(5, 4)))
    gain, bias = A.round(np.array([1.0, 2.0, -1.0, 0.5])), A.round(np.array([0.0, 1.0, 0.0, -1.0]))
    T = ws.Transformer(
        arithmetic=A,
        vocabulary=tuple("abcde"),
        lanes=tuple("wxyz"),
        embedding=rows,
        output=np.eye(4),
        classes=tuple("wxyz"),
        final_norm=ws.LayerNorm(0.0625, gain, bias),
    )
    found = ws.layer_norm(rows, eps=0.0625, gain=gain.tolist(), bias=bias.tolist(), arithmetic=A)
    assert found.shape == rows.shape
    for row, token in zip(found, "abcde", strict=True):
        assert row.tolist() == ws.run(T, token, sums="left").logits.tolist()


def test_the_numbers_of_a_lecture_come_out() -> None:
    assert ws.layer_norm([2, 4, 6, 8]).round(2).tolist() == [-1.34, -0.45, 0.45, 1.34]
    assert ws.sinusoidal(positions=3, lanes=4)[1].round(3).tolist() == [0.841, 0.540, 0.010, 1.000]


@pytest.mark.parametrize("A", ARITHMETICS, ids=str)
def test_sinusoids_are_those_that_a_run_adds(A: ws.Arithmetic) -> None:
    lanes = tuple("vwxyz")
    T = ws.Transformer(A, ("0",), lanes, np.zeros((1, 5)), ws.Sinusoidal(6, 50.0), output=np.zeros((2, 5)))
    assert ws.sinusoidal(6, 5, base=50.0, arithmetic=A).tolist() == ws.run(T, "000000").stream[0].tolist()


MISTAKES: dict[str, tuple[Callable[[], object], str]] = {
    "a number": (lambda: ws.layer_norm(3), "layer_norm(3): write some numbers, such as layer_norm([2, 4, 6, 8])"),
    "nothing": (lambda: ws.layer_norm([]), "layer_norm([]): write some numbers"),
    "a text": (lambda: ws.layer_norm("abc"), ""),
    "not a number": (lambda: ws.layer_norm([1, float("nan")]), ""),
    "gain": (lambda: ws.layer_norm([1, 2], gain=[1]), "gain has 1 numbers for 2: write one for each"),
    "no member": (lambda: ws.layer_norm([0.3, 1], arithmetic=Fixed(4, 4)), "0.3 is not a member of fixed(4,4)"),
    "an arithmetic by name": (
        lambda: ws.layer_norm([1, 2], arithmetic="fixed(4,4)"),  # type: ignore[arg-type]
        "arithmetic='fixed(4,4)' is not an arithmetic: write Fixed(4, 4), for example",
    ),
    "no positions": (lambda: ws.sinusoidal(0, 4), "positions=0: write how many positions to encode, 1 or more"),
    "no lanes": (lambda: ws.sinusoidal(3, 0), "lanes=0: write how many lanes there are, 1 or more"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_answered_with_what_to_write(name: str) -> None:
    build, message = MISTAKES[name]
    with pytest.raises(ws.WeightsmithError) as caught:
        build()
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("A", [None, ws.Fixed(6, 8), ws.Fixed(4, 4), ws.Float(4, 6), ws.Native("float32")], ids=str)
def test_the_steps_of_a_layer_norm_end_with_the_layer_norm(A: ws.Arithmetic | None) -> None:
    random = np.random.default_rng(0)
    for _ in range(20):
        x, gain = random.integers(-40, 40, 6) / 8, [0.5, 1, 2, 1, -1, 0.25]
        steps = ws.layer_norm_steps(x, gain=gain, arithmetic=A, eps=0.0625)
        plain = ws.layer_norm(x, arithmetic=A, eps=0.0625)
        assert np.array_equal(steps.normed, plain)
        assert np.array_equal(steps.result, ws.layer_norm(x, gain=gain, arithmetic=A, eps=0.0625))


def test_the_steps_are_those_of_the_slide() -> None:
    steps = ws.layer_norm_steps([2, 4, 6, 8])
    assert (steps.mean, steps.variance) == (5, 5)
    assert steps.centred.tolist() == [-3, -1, 1, 3]
    assert steps.normed.round(2).tolist() == [-1.34, -0.45, 0.45, 1.34]
    assert "x − μ, with μ = 5" in str(steps)
    with pytest.raises(ws.InputError, match=r"layer_norm_steps\(\[\[1\]\]\): write a list of up to 4,096 numbers"):
        ws.layer_norm_steps([[1]])

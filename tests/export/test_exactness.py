"""The word "proved" in a report: only where no number can saturate or round, whatever the input."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import weightsmith as ws
from tests.export.every_target import QUICK, target
from tests.export.hub import few_inputs, offline
from weightsmith import Fixed, Float, Native, export
from weightsmith.arithmetic import Saturating
from weightsmith.export.exactness import COARSE, grains, nothing_is_lost, scope
from weightsmith.model import Weighting
from weightsmith.semantics import evaluate


@pytest.fixture(autouse=True, scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with offline(tmp_path_factory.mktemp("modules")), few_inputs():
        yield


def test_grains() -> None:
    assert grains(np.array([0.0, 1.0, -6.0, 0.375, 2.0**-30])).tolist() == [COARSE, 0, 1, -3, -30]


def hard(A: Saturating, seed: int, weighting: Weighting | None = None) -> ws.Transformer:
    """Draw a model of hard heads and relu with small whole weights, of which some stay within ∞ and some do not."""
    random = np.random.default_rng(seed)
    unit = 2.0 ** -random.integers(0, 3)

    def draw(*shape: int) -> Any:
        return A.round(random.choice([-1, 0, 0, 0, 1, 1, 2], shape) * unit)

    lanes, keys, values, neurons = 3, 2, 2, 3
    heads = [
        ws.Head(
            draw(keys, lanes), draw(keys, lanes), draw(values, lanes), draw(lanes, values),
            weighting or (ws.LeftmostHard(), ws.RightmostHard())[random.integers(2)],
            b_Q=draw(keys) if random.random() < 0.5 else None, strict=bool(random.random() < 0.3),
        )
        for _ in range(random.integers(1, 3))
    ]  # fmt: skip
    gate: Any = (draw(neurons, lanes), draw(neurons)) if seed % 3 == 0 else ()
    layer = ws.FeedForward(
        draw(neurons, lanes), draw(neurons), draw(lanes, neurons), draw(lanes), "reglu" if gate else "relu", *gate
    )
    positions: Any = (None, ws.Relative(draw(2, keys), draw(2, values)), ws.PositionTable(draw(40, lanes)))[seed % 3]
    block = ws.Block(ws.Attention(heads), layer, parallel=seed % 4 == 1)
    return ws.Transformer(A, "abc", ["x", "y", "z"], draw(3, lanes), positions, [block], draw(2, lanes))


@pytest.mark.parametrize("A", [Fixed(8, 4), Fixed(6, 6), Float(5, 9), Fixed(4, 4)], ids=str)
def test_what_is_proved_has_the_same_bits_in_float32_on_long_inputs(A: Saturating) -> None:
    proved = 0
    for seed in range(24):
        T = hard(A, seed)
        if nothing_is_lost(T, "float32"):
            proved += 1
            ids = np.random.default_rng(seed).integers(0, 3, (4, 40))
            wanted = evaluate(T, ids).stream
            for name in QUICK:
                found = target(T, name, "float32").outputs(ids)
                assert all(np.array_equal(a, b) for a, b in zip(wanted, found.stream, strict=True)), (name, seed)
    assert 1 <= proved < 24


def simple(A: Saturating, W: float, b: float = 0.0, x: float = 1.0) -> ws.Transformer:
    """Give a model without attention whose one neuron is relu(W x + b)."""
    layer = ws.FeedForward([[W]], [b], [[0.0]])  # type: ignore[arg-type]
    blocks = [ws.Block(feed_forward=layer)]
    return ws.Transformer(A, "a", ["x"], np.array([[x]]), None, blocks, np.array([[0.0], [1.0]]))


def test_a_sum_may_reach_infinity_and_not_pass_it() -> None:
    A = Fixed(4, 0)
    assert nothing_is_lost(simple(A, 7.0, 8.0), "float32")
    assert not nothing_is_lost(simple(A, 7.0, 9.0), "float32")
    assert not nothing_is_lost(simple(A, 7.0, -9.0), "float32")  # relu of it is 0, but the sum is beyond −15
    assert nothing_is_lost(simple(A, 5.0, 0.0, 3.0), "float32")
    assert not nothing_is_lost(simple(A, 4.0, 0.0, 4.0), "float32")


def test_a_product_may_have_the_grain_of_the_arithmetic_and_none_finer() -> None:
    assert nothing_is_lost(simple(Fixed(4, 4), 0.25, 0.0, 0.25), "float32")
    assert not nothing_is_lost(simple(Fixed(4, 4), 0.25, 0.0, 0.125), "float32")


def test_a_sum_has_as_many_bits_as_both_hold() -> None:
    assert nothing_is_lost(simple(Float(5, 4), 8.0, 8.0), "float32")
    assert not nothing_is_lost(simple(Float(5, 4), 8.0, 9.0), "float32")  # 17 has 5 bits
    wide = simple(Fixed(13, 12), 4096.0, 2.0**-12)
    assert nothing_is_lost(wide, "float64")
    assert not nothing_is_lost(wide, "float32")
    for dtype in ("bfloat16", "float16"):
        assert not nothing_is_lost(simple(Fixed(4, 4), 1.0), dtype)


def test_what_rounds_is_never_proved() -> None:
    T = hard(Fixed(10, 6), 11)
    assert nothing_is_lost(T, "float32")
    for weighting in (ws.Softmax(), ws.AverageHard()):
        assert not nothing_is_lost(hard(Fixed(10, 6), 11, weighting), "float32")
    block = T.blocks[0]
    assert block.feed_forward is not None
    for other in (
        replace(T, final_norm=ws.RMSNorm(1.0)),
        replace(T, blocks=[replace(block, attention_norm=ws.LayerNorm(1.0))]),
        replace(T, blocks=[replace(block, feed_forward_norm=ws.LayerNorm(1.0))]),
        replace(T, blocks=[replace(block, feed_forward=replace(block.feed_forward, activation="silu"))]),
        replace(T, positions=ws.Rotary()),
        replace(T, positions=ws.Alibi((1.0,) * len(block.attention.heads))),  # type: ignore[union-attr]
        ws.to_arithmetic(T, Native("float32")),
        ws.to_arithmetic(T, Fixed(0, 8)),  # a weight of 1 is beyond ∞
    ):
        assert not nothing_is_lost(other, "float32")


def test_with_a_table_of_positions_penalties_have_an_end() -> None:
    T = hard(Fixed(10, 6), 11)
    assert T.max_length == 40
    table: Any = T.positions
    heads = len(T.blocks[0].attention.heads)  # type: ignore[union-attr]
    assert nothing_is_lost(replace(T, positions=(table, ws.Alibi((1.0,) * heads))), "float32")
    assert not nothing_is_lost(
        replace(T, positions=(table, ws.Alibi((30.0,) * heads))), "float32"
    )  # 39 · 30 is beyond ∞


def test_a_report_says_of_which_lengths(tmp_path: Path) -> None:
    assert scope([None, None]) == "all lengths"
    assert scope([None, 9, 12]) == "up to 9"
    T = ws.library.contains("1")
    report = export.to_onnx(T, tmp_path / "model.onnx")
    assert report.proved == "all lengths"
    assert "decisions: as in the original for all lengths; proved: no sum saturates or rounds\n" in str(report)
    report = export.to_transformer_lens(T).agreement
    assert (report.target, report.proved) == ("TransformerLens, own modules", "up to 1024")
    for T in (ws.library.parity(), ws.library.balanced(2)):
        assert export.to_onnx(T, tmp_path / "model.onnx").proved is None


def test_nothing_is_proved_of_what_somebody_may_have_changed(tmp_path: Path) -> None:
    T = ws.library.contains("1")
    module = export.to_torch(T)
    assert module.agreement is not None
    assert module.agreement.proved == "all lengths"
    with torch.no_grad():
        module.blocks[0].attention.heads["0"].W_V *= 1.0 + 2.0**-20
    assert export.agreement(T, module).proved is None


def test_nothing_is_proved_of_targets_that_take_other_steps(tmp_path: Path) -> None:
    T = simple(Fixed(4, 4), 1.0)
    assert export.to_transformer_lens(T, own_modules=False).agreement.proved is None
    T = replace(T, positions=ws.PositionTable(np.zeros((4, 1))))
    assert export.to_hugging_face(T, tmp_path / "model", "gpt2").proved is None

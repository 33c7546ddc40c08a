"""The memory that a run says it needs is what it allocates."""

import tracemalloc
from typing import Any

import numpy as np
import pytest

from tests.kernels.kinds import kind_of_model
from weightsmith import Transformer, parse_arithmetic, random_transformer
from weightsmith.kernels.packed import Layout, PackedRun, batch, runner, tree
from weightsmith.kernels.packed.scratch import Scratch

FORMS = ("fixed(4,4)", "fixed(8,8)", "float(4,4)", "float(5,12)", "float32")


def peak_of(T: Transformer, layout: Layout, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return the most bytes that a run holds at once; its weights are prepared and its tables made before."""
    run = PackedRun(T)
    run.evaluate(layout)
    monkeypatch.setattr(runner, "_scratch", Scratch())
    tracemalloc.start()
    run.evaluate(layout)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", ["tree", "batch"])
def test_a_run_allocates_no_more_than_it_says_and_not_far_less(
    form: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    A: Any = parse_arithmetic(form)
    T = random_transformer("01", lanes=12, blocks=2, heads=2, neurons=24, max_length=12, arithmetic=A)
    layout = tree(2, (), 12) if kind == "tree" else batch(np.random.default_rng(0).integers(0, 2, (700, 10)))
    needed, peak = PackedRun(T).bytes_needed(layout.widths.size, layout.columns), peak_of(T, layout, monkeypatch)
    assert peak <= needed <= 3 * peak, (peak, needed)


@pytest.mark.parametrize("activation", ["gelu", "swiglu"])
@pytest.mark.parametrize("form", ["fixed(4,4)", "float(5,12)"])
def test_neurons_with_a_gate_and_norms_are_counted_too(
    activation: str, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    T = kind_of_model(parse_arithmetic(form), 1, "halves", activation, norms=True, loudness=0.0)
    layout = tree(2, (), 11)
    needed, peak = PackedRun(T).bytes_needed(layout.widths.size, layout.columns), peak_of(T, layout, monkeypatch)
    assert peak <= needed <= 5 * peak, (peak, needed)

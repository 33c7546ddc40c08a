"""Every stage and position patched in turn."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.inspect.models import runs
from weightsmith import Fixed, Float, Native
from weightsmith.inspect.run import Sums
from weightsmith.model.sites import Site
from weightsmith.semantics.evaluation import Evaluation
from weightsmith.semantics.reference import Reference


def cell(a: ws.Run, b: ws.Run, stage: str, position: int, sums: Sums | None = None) -> ws.Run:
    """Patch one cell by hand."""
    if stage == "embedding":

        def change(site: Site, old: np.ndarray) -> np.ndarray:
            new = old.copy()
            if site == Site("embedding"):
                new[position] = b.stream[0, position]
            return new

        return ws.run(a.transformer, a.tokens, sums=sums, change=change)
    _, block, after = stage.split()
    return ws.patch(a, b, int(block), after=after, positions=[position], sums=sums)  # type: ignore[arg-type]


@pytest.mark.parametrize("A", [Fixed(4, 4), Float(4, 3), Native("float64")], ids=str)
def test_every_cell_is_what_patching_says_there(A: ws.Arithmetic) -> None:
    sums: Sums | None = "left" if isinstance(A, Native) else None
    cells = 0
    for a in runs(A, range(5), sums):
        T = a.transformer
        try:
            b = ws.run(T, a.tokens[::-1], sums=sums)
            found = ws.sweep(a, b, sums=sums)
        except ws.ModelError:  # a cell that cannot be run: a norm without spread
            continue
        assert found.stages == ("embedding", *(stage for stage in a.stages[1:] if present(T, stage)))
        assert found.logits.shape == (len(found.stages), 4, len(T.classes))
        for s, stage in enumerate(found.stages):
            for position in range(4):
                one = cell(a, b, stage, position, sums)
                assert np.array_equal(found.logits[s, position], one.logits)
                assert found.decisions[s][position] == one.decision
                cells += 1
    assert cells > 60


def present(T: ws.Transformer, stage: str) -> bool:
    _, block, part = stage.split()
    there = T.blocks[int(block)]
    return (there.attention if part == "attention" else there.feed_forward) is not None


def test_a_sweep_in_small_batches_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    T = ws.random_transformer(blocks=2, heads=2, seed=3)
    a, b = ws.run(T, "01101001"), ws.run(T, "11100010")
    whole = ws.sweep(a, b)
    monkeypatch.setattr("weightsmith.inspect.sweeping.NUMBERS_AT_ONCE", 1000)
    assert np.array_equal(ws.sweep(a, b).logits, whole.logits)
    assert whole.decisions[-1][-1] == b.decision
    assert np.array_equal(whole.logits[-1, -1], b.logits)


def test_a_sweep_goes_on_from_each_stage_with_all_positions_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = []
    onward = Reference.onward

    def counted(self: Reference, stream: list[np.ndarray], *rest: Any, **options: Any) -> Evaluation:
        begun.append((len(stream), stream[-1].shape[:2]))
        return onward(self, stream, *rest, **options)

    T = ws.random_transformer(blocks=2)
    a, b = ws.run(T, "011"), ws.run(T, "100")
    monkeypatch.setattr(Reference, "onward", counted)
    ws.sweep(a, b)
    assert begun == [(stage, (3, 3)) for stage in range(1, 6)]


def test_in_native_a_sweep_is_near_what_patching_says() -> None:
    T = ws.random_transformer(heads=2, arithmetic=Native("float64"), weighting=ws.Softmax(True), seed=1)
    a, b = ws.run(T, "01101"), ws.run(T, "11100")
    found = ws.sweep(a, b)
    for s, stage in enumerate(found.stages):
        for position in range(5):  # the machine adds a batch in another order than one input
            assert np.allclose(found.logits[s, position], cell(a, b, stage, position).logits, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("first", "second"), [("01", "1101"), ("1101", "01")])
def test_of_runs_of_different_lengths_the_shared_positions_are_patched(first: str, second: str) -> None:
    T = ws.random_transformer(seed=2)
    a, b = ws.run(T, first), ws.run(T, second)
    found = ws.sweep(a, b)
    assert found.tokens == tuple(first[:2])
    for s, stage in enumerate(found.stages):
        for position in range(2):
            assert np.array_equal(found.logits[s, position], cell(a, b, stage, position).logits)


def test_what_was_ablated_in_the_first_run_stays_so_in_every_cell() -> None:
    T = ws.random_transformer(blocks=2, heads=2, seed=5)
    a, b = ws.ablate(ws.run(T, "0110"), block=1, sublayer="attention"), ws.run(T, "1011")
    found = ws.sweep(a, b)
    silent = replace(T, blocks=(T.blocks[0], replace(T.blocks[1], attention=None)))
    expected = ws.sweep(ws.run(silent, "0110"), b)
    rows = [found.stages.index(stage) for stage in expected.stages]
    assert np.array_equal(found.logits[rows], expected.logits)


def test_a_sweep_prints_decisions_or_the_logit_that_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    T = ws.library.eiffel(Fixed(4, 4))
    a, b = ws.run(T, "The Paris Tower is in"), ws.run(T, "The Eiffel Tower is in")
    found = ws.sweep(a, b)
    lines = str(found).splitlines()
    assert lines[:3] == ["decision", "The Paris Tower is in: London", "patched with The Eiffel Tower is in: Paris"]
    assert lines[4].split("  ")[0].strip() == "patched after"
    assert "1 Paris ← Eiffel" in lines[4]
    assert lines[6].split() == ["embedding", *found.decisions[0]]
    styles = [[cell.style for cell in row.cells[1:]] for row in found.table().rows]
    assert styles == [["" if name == "London" else "new" for name in row] for row in found.decisions]
    asked = ws.sweep(a, b, "Paris", over="London")
    assert np.array_equal(asked.values, asked.logits[:, :, 5] - asked.logits[:, :, 6])
    assert str(asked).splitlines()[:2] == ["logit of Paris over London", "The Paris Tower is in: -3.0625"]
    assert str(asked).splitlines()[6].split() == ["embedding", "-3.0625", "3.4375", *["-3.0625"] * 3]
    assert "<td" in asked._repr_html_()

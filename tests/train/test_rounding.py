"""From trained to exact: what is reported of rounding is what happens."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.check.models import all_inputs
from tests.train.small import randomised, shape
from weightsmith import Fixed, Float, Native
from weightsmith.model import named_arrays
from weightsmith.train import rounded, rounded_into
from weightsmith.train.convert import to_transformer

ARITHMETICS = [Float(4, 3), Float(4, 6), Float(4, 8), Fixed(4, 4), Fixed(4, 8)]


def by_hand(T: ws.Transformer, S: ws.Transformer, up_to: int) -> list[tuple[str, ...]]:
    """The inputs whose decision changes, one run after another, shortest first; sums are left folds everywhere."""
    return [x for x in all_inputs(T.vocabulary, up_to) if ws.run(T, x, sums="left").decision != ws.run(S, x).decision]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("A", ARITHMETICS, ids=str)
def test_the_report_is_that_of_a_plain_loop(A: ws.Arithmetic, recogniser: ws.Transformer) -> None:
    S, report = rounded(recogniser, A, 4)
    changed = by_hand(recogniser, S, 4)
    assert ws.to_arithmetic(recogniser, A) == S
    assert (report.inputs, report.changed) == (30, len(changed))
    assert report.first == (changed[0] if changed else None)
    pairs = zip(named_arrays(recogniser), named_arrays(S), strict=True)
    assert report.changed_weights == sum(int(np.sum(old != new)) for (_, old), (_, new) in pairs) > 0
    assert report.weights == recogniser.weights
    assert report.arithmetic == A


def test_three_symbols_and_many_changes_are_counted_too() -> None:
    found = 0
    for seed in range(2):
        model = randomised(shape(context=4, blocks=2, norm="none"), 3, 2, seed)
        T = to_transformer(model, ("b", "a", "c"), ("NO", "YES"), "made by a test")
        for A in (Fixed(3, 1), Float(3, 2)):
            S, report = rounded(T, A, 2)
            changed = by_hand(T, S, 2)
            assert (report.changed, report.first) == (len(changed), changed[0] if changed else None)
            found += len(changed)
    assert found > 4  # otherwise nothing was seen


def test_several_arithmetics_are_as_one_after_another(recogniser: ws.Transformer) -> None:
    for (S, report), A in zip(rounded_into(recogniser, ARITHMETICS, 4), ARITHMETICS, strict=True):
        assert (S, report) == rounded(recogniser, A, 4)


def test_more_bits_change_fewer_decisions(recogniser: ws.Transformer) -> None:
    coarse, fine = (rounded(recogniser, Float(5, p), 8)[1] for p in (2, 12))
    assert coarse.changed > 25
    assert fine.changed < 5


@pytest.mark.parametrize("A", [Float(4, 6), Float(5, 8), Fixed(4, 8)], ids=str)
def test_the_infinity_form_of_a_rounded_classifier_keeps_every_decision(
    A: ws.Arithmetic, recogniser: ws.Transformer
) -> None:
    S, _ = rounded(recogniser, A, 6)
    form = ws.infinity_form(S)
    assert ws.check.same_decisions(S, form, up_to=7).holds
    for x in ("0", "11", "0101", "0110"):
        assert ws.run(form, x).stream[-1, -1, 0] == 1


def test_rounding_into_an_arithmetic_with_all_weights_changes_none(recogniser: ws.Transformer) -> None:
    small = ws.to_arithmetic(recogniser, Fixed(3, 3))
    S, report = rounded(small, Fixed(5, 5), 4)
    assert report.changed_weights == 0
    assert all(
        np.array_equal(old, new) for (_, old), (_, new) in zip(named_arrays(small), named_arrays(S), strict=True)
    )
    same, report = rounded(recogniser, Native("float32"), 5)
    assert (same, report.changed, report.changed_weights, report.first) == (recogniser, 0, 0, None)
    assert rounded(recogniser, Native("float64"), 5)[1].changed_weights == 0


def test_a_report_is_a_line(recogniser: ws.Transformer) -> None:
    _, report = rounded(recogniser, Float(4, 6), 4)
    quiet = replace(report, changed=0, first=None, changed_weights=3, weights=1000)
    assert str(quiet) == "float(4,6): 0 of 30 decisions change; 3 of 1,000 weights are rounded"
    loud = replace(quiet, changed=2, first=("0", "1"))
    assert str(loud) == "float(4,6): 2 of 30 decisions change, the first on 0 1; 3 of 1,000 weights are rounded"


@pytest.mark.parametrize("up_to", [0, -1, 1.5, True, 9, 40, 1 << 29, 1 << 40])
@pytest.mark.parametrize("positions", ["table", "alibi"])
def test_lengths_that_cannot_be_are_refused_at_once(up_to: Any, positions: Any) -> None:
    model = randomised(shape(positions=positions), 2 if positions == "table" else 40, 2)
    T = to_transformer(
        model, [chr(97 + n) for n in range(len(model.embedding.weight))], ("NO", "YES"), "made by a test"
    )
    with pytest.raises(ws.InputError, match=r"up_to=|the position table holds 8"):
        rounded(T, Float(4, 6), up_to)


def test_one_symbol_has_one_input_of_each_length() -> None:
    T = to_transformer(randomised(shape(positions="alibi"), 1, 2), ("a",), ("NO", "YES"), "made by a test")
    assert rounded(T, Float(5, 8), 30)[1].inputs == 30
    with pytest.raises(ws.InputError, match="or over 1024 tokens"):
        rounded(T, Float(5, 8), 1 << 29)

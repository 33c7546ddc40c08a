"""Softmax programs with gradients: what is proved of them, and what sharpness does."""

import re
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.programs.test_softmax import PROGRAMS, caught_faults, differences, inputs, proof, softmax
from weightsmith.arithmetic import Float, Native
from weightsmith.programs import compile, compile_rasp, program, rasp
from weightsmith.programs.circuit.circuit import Part
from weightsmith.programs.circuit.forms import Form
from weightsmith.programs.softmax.sharpness import ENOUGH, LADDER
from weightsmith.programs.softmax.slopes import Slanted, slanted
from weightsmith.programs.softmax.steps import Steps, steps_of
from weightsmith.rewrites import to_arithmetic

NAMES = ("hist", "reverse", "shift", "rare", "pattern", "stable sort")


def value(steps: Steps, x: Fraction) -> Fraction:
    """Return what the neurons of a function give at a number."""
    return steps.base + sum((max(Fraction(0), n.slope * (x - n.end)) * n.change for n in steps.neurons), Fraction(0))


def drawn_steps(seed: int) -> tuple[Steps, Slanted | Steps]:
    """Return a random function of a form as flat and as slanted steps."""
    draw = Random(seed)
    codes = sorted(draw.sample(range(1, 30), draw.randrange(2, 9)))
    wanted = [draw.randrange(-3, 4) for _ in codes]
    form, cells = Form(), frozenset[Any]()
    if seed % 3 == 0:  # codes that stand for 1/c
        cell: Any = object()
        form, cells = Form(cells=((cell, 1),)), frozenset([cell])
    flat = steps_of(Part(form, np.array(codes), np.array(wanted), ()), cells)
    return flat, slanted(flat, np.unique(wanted), Fraction(4 + seed % 5), frozenset())


@pytest.mark.parametrize("seed", range(30))
def test_slanted_functions_have_the_same_values_at_every_code_and_a_slope_there(seed: int) -> None:
    flat, found = drawn_steps(seed)
    if not flat.steps:
        assert found is flat
        return
    assert isinstance(found, Slanted)
    for n, code in enumerate(found.codes):
        assert value(found, code) == value(flat, code)
        width = min([gap.plateau for gap in found.gaps if code in (gap.below, gap.above)])
        line = [value(found, code + width * k / 4) for k in range(-4, 5)]
        rises = {b - a for a, b in pairwise(line)}
        assert rises == {found.slopes[n] * width / 4}
        assert abs(found.slopes[n]) > 0


def test_slopes_lead_to_the_nearest_code_with_another_value() -> None:
    flat = steps_of(Part(Form(), np.array([0, 1, 2, 3, 7]), np.array([0, 0, 1, 1, 0]), ()), frozenset())
    found = slanted(flat, np.array([0, 1]), Fraction(4), frozenset())
    assert isinstance(found, Slanted)
    assert found.slopes == (Fraction(1, 8), Fraction(1, 4), Fraction(1, 4), Fraction(1, 8), Fraction(-1, 16))


def test_the_first_code_stays_flat_where_a_head_may_select_nothing() -> None:
    cell: Any = object()
    part = Part(Form(cells=((cell, 1),)), np.array([0, 1, 2]), np.array([0, 1, 2]), ())
    found = slanted(steps_of(part, frozenset()), np.array([0, 1, 2]), Fraction(4), frozenset([cell]))
    assert isinstance(found, Slanted)
    assert found.slopes == (Fraction(0), Fraction(1, 4), Fraction(1, 4))
    assert value(found, Fraction(-100)) == 0


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", NAMES)
def test_the_stream_stays_within_the_bounds_around_the_planned_codes(name: str) -> None:
    P, sharp = softmax(name, 5, gradients=True), softmax(name, 5)
    assert P.transformer.lanes == sharp.transformer.lanes
    given = [P.read(one) for one in inputs(P, 3, others=20) if len(one) != 2]
    bounds, planned = proof(P).bounds["float32"], proof(sharp).bounds["float32"]
    T, S = P.transformer, to_arithmetic(sharp.transformer, Native("float64"))
    largest = 0.0
    for tokens in given:
        ours, theirs = ws.run(T, tokens).stream, ws.run(S, tokens).stream
        for h, code, bound, slack in zip(ours, theirs, bounds.stages, planned.stages, strict=True):
            off = np.abs(np.asarray(h, float) - np.asarray(code, float)).max(axis=0)
            assert (off <= bound + slack + 1e-9).all()
            largest = max(largest, float((off / (bound + 1e-3)).max()))
    assert largest > 0.05  # the bounds are no more than 20 times as wide as they need to be


def test_planted_faults_take_the_margin_or_change_nothing() -> None:
    assert 30 <= caught_faults(softmax("hist", 4, gradients=True), 60) < 60


@pytest.mark.parametrize("name", ["hist", "balance"])
def test_a_larger_sharpness_leaves_larger_margins(name: str) -> None:
    found = [proof(softmax(name, 5, gradients=True, sharpness=s)).margins["float32"] for s in (6.5, 8, 10, 12)]
    assert found == sorted(found)
    assert found[0] < found[-1] - 0.01
    chosen = softmax(name, 5, gradients=True)
    assert proof(chosen).sharpness in LADDER
    assert proof(chosen).margins["float32"] >= ENOUGH
    assert proof(softmax(name, 5)).sharpness is None
    assert differences(chosen, inputs(chosen, 5, others=20)) == []


def test_a_sharpness_that_leaves_no_margin_is_refused_with_one_that_does() -> None:
    make, vocabulary = PROGRAMS["hist"]
    with pytest.raises(ws.InputError, match=r"sharpness=2: .* in float32 it cannot be shown that") as refused:
        compile(program(make(6), "hist"), vocabulary, 6, backend="softmax", gradients=True, sharpness=2)
    named = re.search(r"write sharpness=([\d.]+), or None", str(refused.value))
    assert named is not None
    P = softmax("hist", 6, gradients=True, sharpness=float(named[1]))
    assert proof(P).margins["float32"] >= ENOUGH


def test_a_program_of_which_nothing_can_be_shown_is_refused() -> None:
    with pytest.raises(ws.InputError, match=r"no sharpness was found at which .*leave out gradients=True"):
        softmax("hist", 10, gradients=True, arithmetic=Float.like("bfloat16", ties="even"))


def test_a_narrow_float_is_proved_too() -> None:
    A = Float.like("float16", ties="even")
    P = softmax("shift", 5, gradients=True, arithmetic=A)
    assert P.arithmetic == A
    assert next(iter(proof(P).margins)) == str(A)
    assert proof(P).margins[str(A)] >= ENOUGH
    assert differences(P, inputs(P, 5)) == []


@pytest.mark.parametrize("sharpness", [0, -1, 65, float("nan"), float("inf"), True, "8", [8]])
def test_a_sharpness_that_is_none_is_refused(sharpness: Any) -> None:
    with pytest.raises(ws.InputError, match=r"sharpness=.*: write a number from 1 to 64, or None"):
        softmax("hist", 5, gradients=True, sharpness=sharpness)


def test_options_that_do_not_go_together_are_refused() -> None:
    with pytest.raises(ws.InputError, match=r'gradients=True is for softmax heads: write backend="softmax" too'):
        compile(rasp.length, "ab", 3, gradients=True)
    with pytest.raises(ws.InputError, match=r"sharpness=8 is for models with gradients: write gradients=True too"):
        compile(rasp.length, "ab", 3, backend="softmax", sharpness=8)
    with pytest.raises(ws.InputError, match=r"gradients='yes': write True or False"):
        compile(rasp.length, "ab", 3, backend="softmax", gradients="yes")  # type: ignore[arg-type]
    P = compile_rasp("length;", "ab", 3, backend="softmax", gradients=True, sharpness=np.int64(9))  # type: ignore[arg-type]
    assert proof(P).sharpness == 9
    assert P("ab") == [2, 2]

"""Means that need not be kept as sum and count: only compared with whole numbers, or taken over equal values."""

from dataclasses import replace

import pytest

import weightsmith as ws
from weightsmith.programs import compile_rasp
from weightsmith.programs.compiler import planner
from weightsmith.programs.compiler.halves import by_halves
from weightsmith.programs.compiler.needs import simplify
from weightsmith.programs.compiler.symbols import Affine

MEANS = 'a = select(tokens, "a", ==); m = aggregate(a, indices{}); '
COMPARED = [
    "said = indices > m;",
    "said = m >= indices;",
    "said = m == indices - 1;",
    "said = selector_width(select(indices + length - m, indices, ==));",
    "said = aggregate(select(m - indices, 1 - indices, <), indices);",
    "said = (2 * indices if -m < 1 - indices else 7) + indicator(m != length);",
]


@pytest.mark.parametrize("default", ["", ", 2", ", -1"])
@pytest.mark.parametrize("rest", COMPARED)
def test_a_mean_that_is_only_compared_with_whole_numbers_decides_as_the_interpreter(rest: str, default: str) -> None:
    P = compile_rasp(MEANS.format(default) + rest, vocabulary="ab", max_length=7)
    assert ws.check.computes(P, up_to=7).holds
    (node,) = (node for node in P.program.nodes if node.note.name == "m")
    symbol = planner.Planner.through(P.program, simplify(P.program), ("a", "b"), 7).symbols[node]
    assert isinstance(symbol, Affine)
    assert symbol.scale == 2
    assert len(symbol.form.codes) <= 2 * 7 + 1


@pytest.mark.parametrize(
    "rest",
    [
        "said = m if m > indices else 0;",  # said as it is
        "said = m + 0.5 > indices;",  # compared with what is not whole
        "said = m * 2 > indices;",
        'said = m > aggregate(select(tokens, "b", ==), indices);',
        "said = indices > round(m);",
    ],
)
def test_a_mean_of_which_more_is_asked_is_kept_as_it_is(rest: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planner, "by_halves", lambda *_: pytest.fail("it is not only compared with whole numbers"))
    P = compile_rasp(MEANS.format("") + rest, vocabulary="ab", max_length=5)
    assert ws.check.computes(P, up_to=5).holds


def test_a_half_in_the_wrong_place_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def shifted(*arguments: object) -> object:
        found = by_halves(*arguments)  # type: ignore[arg-type]
        assert isinstance(found, Affine)
        return replace(found, form=found.form.plus(1))

    monkeypatch.setattr(planner, "by_halves", shifted)
    with pytest.raises(ws.InputError, match="a mean is on another side of a whole number than what is held"):
        compile_rasp(MEANS.format("") + "said = indices > m;", vocabulary="ab", max_length=4)


@pytest.mark.parametrize("mask", ["", "causal"])
def test_values_of_one_rank_are_equal_so_their_mean_is_one_of_them(mask: str) -> None:
    text = "second = aggregate(select(selector_width(select(tokens_int, tokens_int, <)), 1, ==), tokens_int, 9);"
    P = compile_rasp(text, vocabulary="123", max_length=6, causal=bool(mask))
    assert ws.check.computes(P, up_to=6).holds
    readout = P.transformer.readout
    assert readout is not None
    if not mask:
        assert set(readout.answers) == {1, 2, 3, 9}
    else:  # where each position sees another part, equal ranks are not equal values
        assert 1.5 in readout.answers


def test_keys_that_are_shifted_alike_everywhere_select_one_position() -> None:
    text = 'n = length - count(tokens, "a");\nsaid = aggregate(select(indices + n, indices, ==), tokens, "-");'
    P = compile_rasp(text, vocabulary="ab", max_length=30)
    assert ws.check.computes(P, up_to=7).holds

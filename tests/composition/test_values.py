"""Composition of transformers with readouts: by their values, at every position of every input."""

import operator
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import weightsmith as ws
from weightsmith import Fixed, ModelError, Readout, Transformer
from weightsmith.programs import compile, compile_rasp, rasp

A = Fixed(6, 0)
INPUTS = ["".join(tokens) for n in range(1, 6) for tokens in product("ab", repeat=n)]


def made(text: str, vocabulary: str = "ab", **options: Any) -> Transformer:
    return compile_rasp(text, vocabulary, 5, arithmetic=A, **options).transformer


HAS_A = made('x = has_focus(select(tokens, "a", ==));')
LAST_B = made('x = aggregate(select(indices, length - 1, ==), indicator(tokens == "b")) == 1;')
HERE_B = made('x = tokens == "b";')  # without attention
COUNT = made("x = selector_width(select(tokens, tokens, ==));")

EARLIER_A = made('x = has_focus(select(tokens, "a", ==) and select(indices, indices, <));')


def before_is_a() -> Transformer:
    before = rasp.Select(rasp.indices, rasp.indices, lambda k, q: k == q - 1)
    return compile(rasp.Aggregate(before, rasp.tokens == "a"), "ab", 5, arithmetic=A).transformer


def many() -> dict[str, Transformer]:
    """Return seven transformers that read the codes of one differently."""
    readout = HAS_A.readout
    assert readout is not None
    tables = ({code: bool(n >> int(code[0]) & 1) for code, _ in readout.entries} for n in range(1, 8))
    return {f"P{n}": replace(HAS_A, readout=Readout(readout.lanes, table)) for n, table in enumerate(tables)}


def values(T: Transformer) -> list[tuple[Any, ...]]:
    return [tuple(said) for said in ws.outputs(T, INPUTS)]


def every(function: Callable[..., Any], *parts: Transformer) -> list[tuple[Any, ...]]:
    columns = zip(*map(values, parts), strict=True)
    return [tuple(function(*at) for at in zip(*given, strict=True)) for given in columns]


@pytest.mark.parametrize("S", [HAS_A, LAST_B, HERE_B])
@pytest.mark.parametrize("T", [HAS_A, LAST_B, HERE_B])
def test_the_operators_mean_what_they_say_at_every_position(S: Transformer, T: Transformer) -> None:
    for operation in (operator.and_, operator.or_, operator.xor):
        M = operation(S, T)
        assert values(M) == every(operation, S, T)
        assert all(type(value) is bool for value in M.answers)
    assert values(~S) == every(operator.not_, S)


def test_a_choice_takes_any_values() -> None:
    said = every(lambda r, s, t: s if r else t, LAST_B, COUNT, HAS_A)
    assert values(ws.if_then_else(LAST_B, COUNT, HAS_A)) == said


def test_a_formula_of_several_parts_is_one_table() -> None:
    M = ws.compose("S & ~T | S ^ R", S=HAS_A, T=LAST_B, R=HERE_B)
    assert values(M) == every(lambda s, t, r: (s and not t) or (s != r), HAS_A, LAST_B, HERE_B)
    assert len(M.blocks) == max(len(T.blocks) for T in (HAS_A, LAST_B, HERE_B))
    assert values(ws.compose("S", S=HAS_A)) == values(HAS_A)
    again = ws.compose(" & ".join(f"S{n}" for n in range(9)), **{f"S{n}": HAS_A for n in range(9)})
    assert len(again.lanes) == len(HAS_A.lanes)  # equal parts stand there once


def test_side_by_side_says_both_values_and_nothing_reads_across() -> None:
    M = ws.side_by_side(COUNT, LAST_B)
    assert values(M) == every(lambda s, t: f"left {s}, right {t}", COUNT, LAST_B)
    for tokens in INPUTS:
        r, left, right = (ws.run(T, tokens) for T in (M, COUNT, LAST_B))
        assert (r.stream[-1, :, : len(COUNT.lanes)] == left.stream[-1]).all()
        assert (r.stream[-1, :, len(COUNT.lanes) :] == right.stream[-1]).all()


def test_yes_and_no_are_truth_values_too_and_stay_texts() -> None:
    S = made('x = "YES" if tokens == "a" else "NO";')
    assert values(~S) == every(lambda s: {"YES": "NO", "NO": "YES"}[s], S)
    assert set((S & HAS_A).answers) == {True, False}


def test_a_composition_is_saved_and_composed_again(tmp_path: Path) -> None:
    M = HAS_A & ~LAST_B
    ws.save(M, tmp_path / "m.safetensors")
    again = ws.load(tmp_path / "m.safetensors")
    assert again == M
    assert values(again | HERE_B) == every(lambda s, t: s or t, M, HERE_B)


def test_vocabularies_and_lengths_are_those_that_all_parts_know() -> None:
    wide = made('x = has_focus(select(tokens, "c", ==));', "abc")
    M = wide | HAS_A
    assert M.vocabulary == ("a", "b")
    assert values(M) == values(HAS_A)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: HAS_A & COUNT, "'right' says 2, 3, 4, 5, and a formula combines True and False: write a program"),
        (lambda: ws.if_then_else(COUNT, HAS_A, HAS_A), "'if' says 2, 3, 4, 5"),
        (lambda: ~before_is_a(), "'not' says None"),
        (
            lambda: HAS_A & ws.library.contains("a", "ab"),
            "one part has a readout, which says a value at every position",
        ),
        (
            lambda: HAS_A & compile_rasp("x = length > 2;", "ab", 5, arithmetic=Fixed(8, 0)).transformer,
            "differ in their arithmetic: fixed(6,0) and fixed(8,0); for programs, write compile(…, arithmetic=…)",
        ),
        (
            lambda: HAS_A & EARLIER_A,
            "differ in their mask",
        ),
        (lambda: HAS_A & made('x = tokens == "d";', "de"), "differ in their vocabulary"),
        (lambda: ws.compose(" & ".join(many()), **many()), "6 × 6 × 6 × 6 × 6 × 6 × 6 codes, so 279,936 together"),
        (lambda: HAS_A & None, "not with None"),  # type: ignore[operator]
    ],
)
def test_what_cannot_be_composed_is_refused_with_what_to_write(make: Callable[[], object], said: str) -> None:
    with pytest.raises(ModelError) as error:
        make()
    assert said in str(error.value)


def test_classes_true_and_false_mean_what_they_say_in_either_order() -> None:
    S, T = (
        compile_rasp(text, "ab", 3, backend="softmax").transformer
        for text in ('x = not has_focus(select(tokens, "a", ==));', 'x = tokens != "a";')
    )
    assert (S.classes, T.classes) == (("True", "False"), ("False", "True"))
    inputs = [tokens for tokens in INPUTS if len(tokens) <= 3]
    s, t = ([decision == "True" for decision in ws.decisions(M, inputs)] for M in (S, T))
    for M, said in (
        (S & T, [a and b for a, b in zip(s, t, strict=True)]),
        (T | S, [a or b for a, b in zip(s, t, strict=True)]),
        (~S, [not a for a in s]),
        (ws.if_then_else(S, T, ~S), [b if a else not a for a, b in zip(s, t, strict=True)]),
    ):
        assert ws.decisions(M, inputs) == [str(one) for one in said]

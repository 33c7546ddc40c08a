"""A compiled program is checked at every position of every input, against the interpreter."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.check.conftest import Cut
from weightsmith.automata import Inputs
from weightsmith.check.examine import by_kernels, by_reference
from weightsmith.check.layouts import Reader
from weightsmith.errors import FileError, InputError
from weightsmith.programs import CompiledProgram, compile, compile_rasp, parse_rasp, program, rasp
from weightsmith.programs.rasp import Comparison

HIST = "hist = selector_width(select(tokens, tokens, ==));"


@pytest.fixture(scope="module")
def hist() -> CompiledProgram:
    return compile_rasp(HIST, "abc", 8)


@pytest.fixture(scope="module")
def wrong(hist: CompiledProgram) -> CompiledProgram:
    """A histogram that says 5 where it should say 3."""
    T = hist.transformer
    assert T.readout is not None
    table = [(code, 5 if value == 3 else value) for code, value in T.readout.entries]
    return replace(hist, transformer=replace(T, readout=ws.Readout(T.readout.lanes, table)))


def shifted() -> CompiledProgram:
    """The token before this one, which is None at first."""
    before = rasp.Select(rasp.indices, rasp.indices, lambda k, q: k == q - 1)
    return compile(rasp.Aggregate(before, rasp.tokens), [1, 2], 6)


def test_a_compiled_program_computes_what_it_means(hist: CompiledProgram) -> None:
    v = ws.check.computes(hist, up_to=5)
    assert v.holds
    assert v.inputs == 3 + 9 + 27 + 81 + 243
    assert str(v).startswith("computes: exhaustive up to 5, all 363 inputs (")


def test_none_and_tokens_that_are_no_texts_are_compared() -> None:
    P = shifted()
    assert P([2, 1]) == [None, 2]
    assert ws.check.computes(P, up_to=6).holds


def test_classes_of_a_portable_program_are_compared_as_what_they_stand_for() -> None:
    P = compile(rasp.SelectorWidth(rasp.Select(rasp.tokens, rasp.tokens, Comparison.EQ)), "ab", 5, backend="softmax")
    assert ws.check.computes(P, up_to=5).holds
    assert P.transformer.output_bias is not None
    other = replace(P.transformer, output_bias=P.transformer.output_bias[::-1].copy())
    verdict = ws.check.computes(replace(P, transformer=other), up_to=3)
    assert not verdict.holds


def test_a_causal_program_is_compared_at_every_position() -> None:
    so_far = rasp.Select(rasp.tokens, rasp.tokens, Comparison.EQ)
    P = compile(rasp.SelectorWidth(so_far), "ab", 6, causal=True)
    assert P.transformer.mask == "causal"
    assert ws.check.computes(P, up_to=6).holds


def test_the_shortest_counterexample_comes_first_with_what_both_say(wrong: CompiledProgram) -> None:
    v = ws.check.computes(wrong, up_to=5)
    assert not v.holds
    assert v.counterexample == "aaa"
    assert v.sides == {"the transformer": "5, 5, 5", "the program": "3, 3, 3"}
    assert v.inputs == 3 + 9 + 1


def test_a_fault_before_the_last_position_is_found() -> None:
    P = compile_rasp("place = indices;", "ab", 4)
    T = P.transformer
    assert isinstance(T.positions, ws.PositionTable)
    values = T.positions.values.copy()
    values[0] = values[1]
    v = ws.check.computes(replace(P, transformer=replace(T, positions=ws.PositionTable(values))), up_to=4)
    assert v.counterexample == "a"
    second = T.positions.values.copy()
    second[[1, 2]] = second[[2, 1]]
    v = ws.check.computes(replace(P, transformer=replace(T, positions=ws.PositionTable(second))), length=4)
    assert v.sides == {"the transformer": "0, 2, 1, 3", "the program": "0, 1, 2, 3"}


def test_a_code_that_stands_for_nothing_refutes(hist: CompiledProgram) -> None:
    T = hist.transformer
    assert T.readout is not None
    table = [(code, value) for code, value in T.readout.entries if value != 2]
    P = replace(hist, transformer=replace(T, readout=ws.Readout(T.readout.lanes, table)))
    v = ws.check.computes(P, up_to=4)
    assert v.counterexample == "aa"
    assert "holds 2, which is not in the table" in v.sides["the transformer"]
    assert v.sides["the program"] == "2, 2"


@pytest.mark.parametrize("faulty", [False, True])
def test_the_verdict_does_not_depend_on_how_it_is_divided(
    hist: CompiledProgram, wrong: CompiledProgram, faulty: bool, cut: Cut
) -> None:
    P = wrong if faulty else hist
    whole = ws.check.computes(P, up_to=5, workers=1)
    cut(7, 4)
    some = ws.check.computes(P, up_to=5)
    assert (some.holds, some.inputs, some.counterexample) == (whole.holds, whole.inputs, whole.counterexample)


def test_inputs_of_a_language_or_of_a_length_alone_are_asked_for(hist: CompiledProgram) -> None:
    assert ws.check.computes(hist, up_to=4, within="a*b*").inputs == 2 + 3 + 4 + 5
    assert ws.check.computes(hist, length=4).inputs == 81


def test_a_programs_certificate_says_what_was_also_run(hist: CompiledProgram) -> None:
    v = ws.check.computes(hist, up_to=4)
    assert "also run: all 120 inputs up to 4 tokens, every position" in str(hist.certificate(also=[v]))
    other = compile_rasp("n = length;", "abc", 8)
    with pytest.raises(InputError, match=r"write verdicts of check\.computes on this program"):
        hist.certificate(also=[ws.check.computes(other, up_to=2)])


def test_progress_is_reported(hist: CompiledProgram) -> None:
    seen: list[tuple[int, int]] = []
    ws.check.computes(hist, up_to=5, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (363, 363)


@pytest.mark.usefixtures("small_shards")
@pytest.mark.parametrize("faulty", [False, True])
def test_a_certificate_is_derived_again_with_the_program(
    hist: CompiledProgram, wrong: CompiledProgram, faulty: bool
) -> None:
    P = wrong if faulty else hist
    certificate = ws.check.computes(P, up_to=4).certificate()
    assert certificate["program"]["name"] == "hist"
    assert "selector_width" in "\n".join(certificate["program"]["lines"])
    again = ws.check.replay(certificate, [P.transformer], function=P)
    assert again.agrees
    assert ws.check.cite(certificate).startswith("computes the program hist sha256:")


@pytest.mark.usefixtures("small_shards")
def test_a_certificate_of_another_program_does_not_agree(hist: CompiledProgram) -> None:
    certificate = ws.check.computes(hist, up_to=4).certificate()
    other = replace(hist, program=compile_rasp("n = length;", "abc", 8).program)
    again = ws.check.replay(certificate, [hist.transformer], function=other)
    assert not again.agrees


def test_a_program_is_never_taken_from_a_certificate(hist: CompiledProgram) -> None:
    certificate = ws.check.computes(hist, up_to=3).certificate()
    with pytest.raises(InputError, match="holds Python code, which is not run by itself"):
        ws.check.replay(certificate, [hist.transformer])
    with pytest.raises(FileError, match="write the compiled program that the claim was checked with"):
        ws.check.replay(certificate, [hist.transformer], function=len)


def test_a_program_over_other_tokens_is_not_taken_for_the_claims(hist: CompiledProgram) -> None:
    certificate = ws.check.computes(hist, up_to=3).certificate()
    for tokens in ("ab", "abd"):
        with pytest.raises(FileError, match="another vocabulary"):
            ws.check.replay(certificate, [hist.transformer], function=compile_rasp(HIST, tokens, 8))


def test_values_that_no_transformer_says_are_shown_too() -> None:
    pairs = compile(rasp.Map(str.upper, rasp.tokens), "abc", 8)
    odd = rasp.Map(lambda token: (token, 1), rasp.tokens)
    v = ws.check.computes(replace(pairs, program=program(odd)), up_to=2)
    assert v.counterexample == "a"
    assert v.sides == {"the transformer": "A", "the program": "('a', 1)"}


def bad(P: Any, **options: Any) -> Any:
    return lambda: ws.check.computes(P, **options)


def test_what_is_no_compiled_program_is_refused(hist: CompiledProgram) -> None:
    with pytest.raises(
        InputError, match=r"computes takes a compiled program, and not a transformer: write programs\.compile\("
    ):
        bad(hist.transformer, up_to=3)()
    with pytest.raises(InputError, match="say up to which length, as in up_to=10"):
        bad(hist)()
    with pytest.raises(InputError, match="at most 8"):
        bad(hist, up_to=9)()


def test_an_input_on_which_the_program_has_no_value_is_named() -> None:
    P = compile_rasp("n = indices;", "ab", 4)
    broken = replace(P, program=parse_rasp("n = indices / (indices - 1);"))
    with pytest.raises(InputError, match=r"on the input a, a: line 1, column 5: / in 'n' on 1 and 0 at position 1"):
        ws.check.computes(broken, up_to=3)


def test_the_outputs_that_are_compared_are_those_of_a_run(hist: CompiledProgram) -> None:
    asked = [Inputs(tuple(hist.transformer.vocabulary), (), n) for n in (1, 2, 3)]
    reader = Reader(hist.transformer)
    for fast, plain in zip(by_kernels(reader, "outputs", asked), by_reference(reader, "outputs", asked), strict=True):
        assert np.array_equal(fast, plain)
        assert fast.ndim == 2

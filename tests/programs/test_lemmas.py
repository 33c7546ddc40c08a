"""Lemmas are checked on the weights: a planted fault breaks one of them, or changes nothing."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.programs import examples_in_python as python
from weightsmith.programs import CompiledProgram, compile, compile_rasp, rasp
from weightsmith.programs.proof.lemmas import LemmaError
from weightsmith.programs.proof.meaning import Meaning
from weightsmith.programs.proof.statement import Cell, Gathered, Layered
from weightsmith.programs.proof.weights import Proof

PROGRAMS: dict[str, tuple[Callable[[], rasp.SOp], str]] = {
    "hist": (python.hist, "abc"),
    "reverse": (python.reverse, "abc"),
    "stable sort": (lambda: python.stable_sort(rasp.tokens, rasp.tokens), "abc"),
    "shuffle_dyck2": (lambda: python.shuffle_dyck(("()", "{}")), "(){}"),
    "next identical": (python.next_identical, "abc"),
    "most frequent": (python.most_frequent, "abc"),
    "pattern abc": (lambda: python.ends_pattern("abc"), "abc"),
    "fraction": (lambda: python.fraction_so_far(rasp.tokens == "a"), "abc"),
    "dyck1": (lambda: python.dyck_prefixes(("()",)), "()x"),
    "parity": (lambda: python.parity("a"), "ab"),
}


@pytest.fixture(scope="module", params=PROGRAMS)
def P(request: pytest.FixtureRequest) -> CompiledProgram:
    make, vocabulary = PROGRAMS[request.param]
    return compile(make(), vocabulary, 4)


def outputs(P: CompiledProgram, T: ws.Transformer) -> list[Any]:
    inputs = [list(one) for n in range(1, 5) for one in product(P.transformer.vocabulary, repeat=n)]
    try:
        return [list(said) for said in ws.outputs(T, inputs)]
    except ws.InputError:  # a code that is not in the table
        return []


def proof(P: CompiledProgram) -> Proof:
    assert isinstance(P.proof, Proof)
    return P.proof


def holds(P: CompiledProgram, T: ws.Transformer) -> bool:
    try:
        Proof(T, proof(P).meaning)
    except LemmaError:
        return False
    return True


def off_by_a_step(P: CompiledProgram) -> Iterator[ws.Transformer]:
    """Yield the transformer with one weight off by one, for many weights of every array."""
    T = P.transformer
    random = np.random.default_rng(0)

    def changed(array: Any) -> Iterator[Any]:
        for place in random.permutation(array.size)[:4]:
            for step in (1.0, -1.0):
                other = array.copy()
                other.flat[place] += step
                if np.all(T.arithmetic.contains(other)):
                    yield other

    for array in changed(T.embedding):
        yield replace(T, embedding=array)
    for b, block in enumerate(T.blocks):
        for part in ("attention", "feed_forward"):
            for other in changed_parts(getattr(block, part), changed):
                blocks = (*T.blocks[:b], replace(block, **{part: other}), *T.blocks[b + 1 :])
                yield replace(T, blocks=blocks)


def changed_parts(part: Any, changed: Callable[[Any], Iterator[Any]]) -> Iterator[Any]:
    if isinstance(part, ws.Attention):
        for h, head in enumerate(part.heads):
            for name in ("W_Q", "b_Q", "W_K", "b_K", "W_V", "b_V", "W_O"):
                for array in changed(getattr(head, name)):
                    yield replace(part, heads=(*part.heads[:h], replace(head, **{name: array}), *part.heads[h + 1 :]))
    if isinstance(part, ws.FeedForward):
        for name in ("W_1", "b_1", "W_2", "b_2"):
            for array in changed(getattr(part, name)):
                yield replace(part, **{name: array})


@pytest.mark.one_in(3)
def test_a_weight_off_by_one_breaks_a_lemma_or_changes_nothing(P: CompiledProgram) -> None:
    wanted = outputs(P, P.transformer)
    caught, harmless = 0, 0
    for T in off_by_a_step(P):
        if holds(P, T):
            assert outputs(P, T) == wanted
            harmless += 1
        else:
            caught += 1
    assert caught >= 20  # in all ten programs several hundred
    assert harmless < caught


def test_the_readout_must_say_what_the_program_says(P: CompiledProgram) -> None:
    readout = P.transformer.readout
    assert readout is not None
    for n, (code, value) in enumerate(readout.entries):
        entries = list(readout.entries)
        entries[n] = (code, "something else" if value != "something else" else None)
        assert not holds(P, replace(P.transformer, readout=replace(readout, table=entries)))


def with_cell(P: CompiledProgram, number: int, made: Gathered | Layered) -> None:
    """Derive everything again, with another definition of a cell."""
    stated = proof(P).stated
    cell: Cell = stated.cells[number]._replace(made=made)
    cells = (*stated.cells[:number], cell, *stated.cells[number + 1 :])
    Proof(P.transformer, Meaning(replace(stated, cells=cells)))


def test_a_boundary_that_is_moved_breaks_a_lemma(P: CompiledProgram) -> None:
    for number, cell in enumerate(proof(P).stated.cells):
        for h, (boundary, sign) in enumerate(cell.made.heads if isinstance(cell.made, Gathered) else ()):
            assert isinstance(cell.made, Gathered)
            for step in (1, -1) if boundary.of else ():
                moved = boundary._replace(refused=boundary.refused + step, selected=boundary.selected + step)
                heads = (*cell.made.heads[:h], (moved, sign), *cell.made.heads[h + 1 :])
                with pytest.raises(LemmaError):
                    with_cell(P, number, cell.made._replace(heads=heads))


def test_a_neuron_that_turns_elsewhere_breaks_a_lemma(P: CompiledProgram) -> None:
    for number, cell in enumerate(proof(P).stated.cells):
        for p, part in enumerate(cell.made.parts if isinstance(cell.made, Layered) else ()):
            assert isinstance(cell.made, Layered)
            for k, (direction, offset, slope) in enumerate(part.kinks):
                kinks = (*part.kinks[:k], (direction, offset + 1, slope), *part.kinks[k + 1 :])
                parts = (*cell.made.parts[:p], part._replace(kinks=kinks), *cell.made.parts[p + 1 :])
                with pytest.raises(LemmaError):
                    with_cell(P, number, Layered(parts))


def test_scores_that_are_too_small_break_a_lemma(P: CompiledProgram) -> None:
    """In a wider arithmetic ∞ is larger, so the same scores no longer reach it."""
    if not any(block.attention for block in P.transformer.blocks):
        return
    wider = replace(P.transformer, arithmetic=ws.Fixed(P.arithmetic.precision + 2, 3))
    assert not holds(P, wider)


def test_a_certificate_lists_the_lemmas_with_their_cases_and_margins() -> None:
    P = compile_rasp("hist = selector_width(select(tokens, tokens, ==));", "abc", 20)
    certificate = P.certificate()
    assert certificate.safe_length == 20
    assert certificate.inputs == sum(3**n for n in range(1, 21))
    assert [lemma.where for lemma in certificate.lemmas] == [
        "embedding",
        "tokens %0",
        "tokens_str",
        "select %2",
        "hist",
        "block 0 head 0",
        "block 0 head 1",
        "block 0 attention",
        "readout",
    ]
    assert all(lemma.cases > 0 for lemma in certificate.lemmas)
    assert [lemma.cases for lemma in certificate.lemmas[3:5]] == [9, 5]  # pairs of tokens, and their differences
    assert certificate.lemmas[4].line == 1
    assert "1 to 20 positions" in certificate.lemmas[4].statement
    assert "every score is at least 5, whose exp is ∞, or at most -1, whose exp is 0" in str(certificate)
    assert certificate.to_json()["lemmas"][1]["margin"] == certificate.lemmas[1].margin


def test_a_given_arithmetic_that_is_too_small_is_refused_with_the_smallest_that_will_do() -> None:
    text = "hist = selector_width(select(tokens, tokens, ==));"
    smallest = compile_rasp(text, "abc", 20).arithmetic
    with pytest.raises(ws.InputError, match=re.escape(f"the smallest arithmetic that will do is {smallest}")):
        compile_rasp(text, "abc", 20, arithmetic=ws.Fixed(3, 1))
    with pytest.raises(ws.InputError, match="a program is proved in a finite arithmetic"):
        compile_rasp(text, "abc", 20, arithmetic=ws.Native("float32"))


@pytest.mark.parametrize("A", [ws.Fixed(8, 1), ws.Fixed(9, 4), ws.Float.like("float16"), ws.Float(6, 12)])
def test_programs_are_proved_in_other_arithmetics(A: ws.Arithmetic) -> None:
    P = compile(python.stable_sort(rasp.tokens, rasp.tokens), "abc", 4, arithmetic=A)
    for tokens in ("a", "cab", "baca", "ccba", "bbbb"):
        assert list(ws.run(P.transformer, tokens).outputs) == sorted(tokens)


def test_truth_values_are_said_as_such() -> None:
    P = compile(python.ends_pattern("ab"), "ab", 4)
    assert repr(P("aab")) == "[None, False, True]"
    assert repr(compile(python.shuffle_dyck(("()",)), "()", 4)("()")) == "[True, True]"
    assert repr(compile(python.parity("a"), "ab", 4)("aab")) == "[1, 0, 0]"


def test_a_block_without_its_attention_breaks_a_lemma(P: CompiledProgram) -> None:
    for b, block in enumerate(P.transformer.blocks):
        if block.attention is not None:
            blocks = list(P.transformer.blocks)
            blocks[b] = replace(block, attention=None)
            assert not holds(P, replace(P.transformer, blocks=blocks))


def test_a_selector_that_selects_nothing_needs_no_attention() -> None:
    same, more = (rasp.Select(rasp.tokens, rasp.tokens, how) for how in (rasp.Comparison.EQ, rasp.Comparison.GT))
    P = compile(rasp.Aggregate(same & more, rasp.length, default=None), "abc", 4)
    assert P("abca") == [None] * 4
    assert ws.check.computes(P, up_to=4).holds

"""Every entry of the library satisfies its predicate on every input up to a length, or fails where it says so."""

from itertools import product
from random import Random

import pytest

import weightsmith as ws
from weightsmith import Fixed, Float
from weightsmith.library import CHAINS, ENTRIES, Entry
from weightsmith.library.entries import says_yes

NARROW = [Fixed(2, 2), Float(4, 3)]
FOR_EVERY_LENGTH = [entry for entry in ENTRIES if entry.max_length is None and not entry.fails_at]
by_name = pytest.mark.parametrize("entry", [*ENTRIES, *CHAINS], ids=lambda entry: entry.name)


def shortest_failure(entry: Entry, A: ws.Arithmetic, up_to: int) -> str | None:
    T = entry.build(A)
    for length in range(1, up_to + 1):
        inputs = list(product(entry.symbols, repeat=length))
        for tokens, answer in zip(inputs, says_yes(T, inputs), strict=True):
            if answer != entry.predicate(tokens):
                return "".join(tokens)
    return None


@by_name
def test_every_input_up_to_length_8_is_decided_by_the_predicate_in_the_default_arithmetic(entry: Entry) -> None:
    assert shortest_failure(entry, Fixed(4, 4), 8) is None


@by_name
@pytest.mark.parametrize("A", NARROW, ids=str)
def test_every_input_up_to_length_6_is_decided_by_the_predicate_in_narrow_arithmetics(
    entry: Entry, A: ws.Arithmetic
) -> None:
    known = entry.fails_at.get(str(A), "")
    assert shortest_failure(entry, A, 6) == (known if 0 < len(known) <= 6 else None)


@by_name
def test_the_input_on_which_an_entry_is_said_to_fail_fails_and_those_before_it_do_not(entry: Entry) -> None:
    for A in (Fixed(4, 4), *NARROW):
        if str(A) not in entry.fails_at:
            continue
        tokens = tuple(entry.fails_at[str(A)])
        T = entry.build(A)
        assert says_yes(T, [tokens]) == [not entry.predicate(tokens)]
        assert says_yes(T, [tokens[:-1]]) == [entry.predicate(tokens[:-1])]
        draw = Random(0)
        for length in range(1, min(len(tokens), 40)):
            inputs = [("0",) * length, ("1",) * length]
            for weight in (1, 3, 9):
                inputs += [tuple(draw.choices("01", (weight, 4), k=length)) for _ in range(4)]
            assert says_yes(T, inputs) == [entry.predicate(some) for some in inputs]


@pytest.mark.parametrize("entry", FOR_EVERY_LENGTH, ids=lambda entry: entry.name)
@pytest.mark.parametrize("A", [Fixed(4, 4), *NARROW], ids=str)
def test_an_entry_for_every_length_is_right_on_long_inputs(entry: Entry, A: ws.Arithmetic) -> None:
    T, draw = entry.build(A), Random(1)
    for length in (17, 40):
        start, end = (draw.choices(entry.symbols, k=length) for _ in range(2))
        constant = [tuple(symbol * length) for symbol in entry.symbols]
        inputs = [tuple(start), tuple(end), *constant, tuple((entry.yes * length)[:length])]
        inputs += [(*tokens[: length - len(entry.yes)], *entry.yes) for tokens in inputs]
        inputs += [(*entry.yes, *tokens[: length - len(entry.yes)]) for tokens in inputs]
        assert says_yes(T, inputs) == [entry.predicate(tokens) for tokens in inputs]


@by_name
def test_an_entry_has_examples_a_claim_and_a_call_that_builds_it(entry: Entry) -> None:
    T = entry.build()
    assert entry.build(Fixed(4, 4)) == T
    assert eval(f"library.{entry.call}", {"library": ws.library}) == T
    assert says_yes(T, [tuple(entry.yes), tuple(entry.no)]) == [True, False]
    assert entry.predicate(tuple(entry.yes))
    assert not entry.predicate(tuple(entry.no))
    assert entry.claim.startswith("Answer YES exactly on the inputs")
    assert getattr(ws.library, entry.name) is entry.builder
    assert getattr(T, "transformer", T).provenance[0].startswith(f"library.{entry.name}(")


def test_calls_read_as_one_writes_them() -> None:
    calls = [entry.call for entry in (*ENTRIES, *CHAINS)]
    assert calls[0] == "contains('1')"
    assert calls[-1] == "parity_chain(max_length=8)"
    assert len(set(calls)) == len(calls)

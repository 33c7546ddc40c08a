"""Every ready-made transformer satisfies its claim on every input up to a length."""

from itertools import product

import pytest

import weightsmith as ws
from weightsmith import Fixed, Float


@pytest.mark.parametrize("A", [Fixed(2, 2), Fixed(4, 4), Float(4, 3), Float(2, 4)], ids=str)
def test_contains_says_yes_exactly_when_the_symbol_occurs(A: ws.Arithmetic) -> None:
    T = ws.library.contains("c", vocabulary="abc", arithmetic=A)
    for length in range(1, 6):
        for tokens in product("abc", repeat=length):
            assert ws.run(T, tokens).decision == ("YES" if "c" in tokens else "NO")


def test_contains_takes_symbols_as_long_as_a_token_may_be() -> None:
    symbol = "x" * 200
    assert ws.run(ws.library.contains(symbol, ["a", symbol]), ["a", symbol]).decision == "YES"


def test_contains_refuses_a_symbol_outside_the_vocabulary() -> None:
    with pytest.raises(ws.InputError, match="the symbol 2 is not in the vocabulary 0, 1"):
        ws.library.contains("2")


def test_the_symbol_must_be_one_token() -> None:
    with pytest.raises(ws.InputError, match="the symbol 01 is not in the vocabulary 0, 1"):
        ws.library.contains("01", "01")


def test_contains_runs_in_the_arithmetic_given() -> None:
    assert ws.library.contains("1", arithmetic=Float(4, 3)).arithmetic == Float(4, 3)

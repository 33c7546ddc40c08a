"""What counts: lengths, majorities, brackets, parities."""

from functools import partial
from itertools import product
from random import Random

import numpy as np
import pytest

import weightsmith as ws
from weightsmith import Fixed, Float, library
from weightsmith.library.entries import nested, odd_ones, says_yes

ARITHMETICS = pytest.mark.parametrize("A", [Fixed(4, 4), Fixed(2, 2), Float(4, 3)], ids=str)


@ARITHMETICS
@pytest.mark.parametrize(("m", "remainder"), [(1, 0), (2, 1), (5, 3), (40, 0)])
def test_length_modulo_follows_its_table(A: ws.Arithmetic, m: int, remainder: int) -> None:
    T = library.length_modulo(m, remainder, vocabulary="a", arithmetic=A, max_length=20)
    decisions = ws.decisions(T, ["a" * n for n in range(1, 21)])
    assert [n for n, decision in enumerate(decisions, 1) if decision == "YES"] == [
        n for n in range(1, 21) if n % m == remainder
    ]


@ARITHMETICS
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_brackets_are_balanced_up_to_the_depth(A: ws.Arithmetic, depth: int) -> None:
    T = library.balanced(depth, arithmetic=A)
    inputs = [tokens for n in range(1, 9) for tokens in product("()", repeat=n)]
    wanted = ["YES" if nested(tokens, depth) else "NO" for tokens in inputs]
    assert ws.decisions(T, inputs) == wanted


@ARITHMETICS
@pytest.mark.one_in(3)
def test_brackets_that_go_far_astray_never_come_back(A: ws.Arithmetic) -> None:
    T, draw = library.balanced(2, arithmetic=A), Random(2)
    for n in (10, 20, 60, 300):
        around = ["(" * n + ")" * n, ")" * n + "(" * n, "()" * n + ")(", "()" * n, "(())" * n, "(()" * n + ")" * n]
        steps = ["".join(draw.choices("()", weights, k=n)) for weights in ((1, 1), (2, 1), (1, 2))]
        for text in (*around, *steps):
            assert ws.run(T, text).decision == ("YES" if nested(tuple(text), 2) else "NO")


def test_a_majority_of_one_among_three_symbols() -> None:
    inputs = [tokens for n in range(1, 6) for tokens in product("abc", repeat=n)]
    wanted = ["YES" if 2 * tokens.count("b") > len(tokens) else "NO" for tokens in inputs]
    assert ws.decisions(library.majority("b", vocabulary="abc"), inputs) == wanted


@ARITHMETICS
@pytest.mark.one_in(3)
def test_no_shorter_input_makes_majority_fail_than_the_one_that_is_stated(A: ws.Arithmetic) -> None:
    """The lead is a fold of votes, so all inputs of a length are followed at once: every lead with its true lead."""
    T = library.majority("1", arithmetic=A)
    r = ws.run(T, "1" * 40)
    assert (r.attention[0][0][-1] == 1).all()  # every vote weighs 1, at every length
    stated = next(entry.fails_at[str(A)] for entry in library.ENTRIES if entry.name == "majority")
    leads = {(0.0, 0)}  # what is computed, what is true
    for length in range(1, len(stated) + 1):
        found = list({computed for computed, _ in leads})
        after = {v: dict(zip(found, A.add(np.array(found), v * A.smallest).tolist(), strict=True)) for v in (1, -1)}
        leads = {(after[v][computed], true + v) for computed, true in leads for v in (1, -1)}
        assert all((computed > 0) == (true > 0) for computed, true in leads) == (length < len(stated))


@ARITHMETICS
def test_parity_without_a_chain_is_right_as_far_as_the_arithmetic_counts_and_no_further(A: ws.Arithmetic) -> None:
    T, most = library.parity(arithmetic=A), library.largest_count(A)
    counts = range(1, most + 1)
    assert ws.decisions(T, ["0" + "1" * n + "0" for n in counts]) == ["YES" if n % 2 else "NO" for n in counts]
    more = ws.decisions(T, ["1" * n for n in range(most + 1, most + 9)])
    assert len(set(more)) == 1  # it cannot tell them apart
    assert more[0] == ("NO" if (most + 1) % 2 else "YES")


def test_parity_with_a_chain_is_right_far_beyond_what_the_arithmetic_counts() -> None:
    C, draw = library.parity_chain(arithmetic=Fixed(2, 2), max_length=40), Random(3)
    inputs = [tuple(draw.choices("01", k=draw.randint(30, 40))) for _ in range(6)] + [("1",) * 39, ("1",) * 40]
    assert says_yes(C, inputs) == [odd_ones(tokens) for tokens in inputs]


@ARITHMETICS
def test_the_chain_writes_the_running_parity(A: ws.Arithmetic) -> None:
    C = library.parity_chain(arithmetic=A, max_length=6)
    assert "".join(C.run("011010").generated) == "010011"
    assert "".join(C.run("10").generated) == "000011"  # nothing stands six positions before the first four
    assert ws.check.agrees_with(C, lambda word: "YES" if word.count("1") % 2 else "NO", up_to=6).inputs == 126
    assert C.decide([]) == []
    with pytest.warns(DeprecationWarning, match="write parity_chain"):
        assert library.parity_by_chain(C, "0111")


def test_the_chain_refuses_other_inputs() -> None:
    C = library.parity_chain(max_length=4)
    with pytest.raises(ws.InputError, match="^the input has 5 tokens, and this chain takes at most 4"):
        C("01010")
    with pytest.raises(ws.InputError, match="^token 1 of the input is '=': inputs of this chain consist of 0, 1"):
        C("0=")
    with pytest.raises(
        ws.InputError, match="^the vocabulary 0, 1 has 2 tokens: write 3 tokens, for zero, one and the separator$"
    ):
        library.parity_chain("01")
    with pytest.raises(ws.InputError, match="^max_length=0: write a whole number from 1 to 1048576$"):
        library.parity_chain(max_length=0)


def test_numbers_and_symbols_that_cannot_be_meant_are_refused() -> None:
    with pytest.raises(ws.InputError, match="^m=0: write a whole number from 1 to 1048576$"):
        library.length_modulo(0)
    with pytest.raises(ws.InputError, match="^remainder=3: write a whole number from 0 to 2$"):
        library.length_modulo(3, 3)
    with pytest.raises(ws.InputError, match="^max_length=-1: write a whole number from 1 to 1048576$"):
        library.length_modulo(3, max_length=-1)
    with pytest.raises(ws.InputError, match="^depth=0: write a whole number from 1 to 15$"):
        library.balanced(0)
    with pytest.raises(ws.InputError, match="^depth=8: write a whole number from 1 to 7$"):
        library.balanced(8, arithmetic=Float(4, 3))  # 8 ⊕ 1 = 8: a ninth bracket would not show
    with pytest.raises(
        ws.InputError, match="^the vocabulary a has 1 tokens: write 2 tokens, the opening and the closing bracket$"
    ):
        library.balanced(1, vocabulary="a")
    for build in (library.majority, library.parity, library.contains):
        with pytest.raises(ws.InputError, match="^the symbol 2 is not in the vocabulary 0, 1: write one of these$"):
            build("2")
        with pytest.raises(ws.InputError, match="^the symbol 1 is not in the vocabulary 0, 1: write one of these$"):
            build(1)  # type: ignore[arg-type]
    with pytest.raises(ws.ModelError, match="vocabulary has 0 twice"):
        library.first_equals_last("00")


def test_adding_up_by_softmax_needs_saturation() -> None:
    A = ws.Native("float64")
    builds = (library.parity, partial(library.majority, "1"), partial(library.balanced, 2))
    for build in builds:
        with pytest.raises(ws.LawError, match="needs exp\\(∞\\) = ∞, which float64 lacks: write Fixed\\(4, 4\\)$"):
            build(arithmetic=A)

"""The interpreter: exact means, None, causal programs, and errors that name place, value and position."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from weightsmith.errors import InputError
from weightsmith.programs import ProgramRun, evaluate, exact_values, parse_rasp, program, rasp
from weightsmith.programs.rasp import Comparison, SOp

EARLIER = rasp.Select(rasp.indices, rasp.indices, Comparison.LT)
SO_FAR = rasp.Select(rasp.indices, rasp.indices, Comparison.LEQ)


def run(sop: SOp, tokens: Any = "abc") -> list[Any]:
    return evaluate(program(sop), tokens)


def refused(sop: SOp, tokens: Any = "abc") -> str:
    with pytest.raises(InputError) as caught:
        run(sop, tokens)
    return str(caught.value)


def test_means_are_exact() -> None:
    thirds = rasp.Aggregate(SO_FAR, rasp.tokens == "a", default=0)
    assert exact_values(program(thirds), "baa") == [0, Fraction(1, 2), Fraction(2, 3)]
    assert run(3 * thirds == 2, "baa") == [False, False, True]
    assert run(thirds, "baa") == [0, 1 / 2, 2 / 3]
    tenth = rasp.Aggregate(SO_FAR, rasp.tokens)
    assert exact_values(program(tenth), [0.1, 0.2])[1] == Fraction(3, 20)


def test_a_mean_equals_what_a_person_writes_for_it() -> None:
    thirds = rasp.Aggregate(SO_FAR, rasp.numerical(rasp.tokens == "a"))
    assert run(rasp.Map(lambda x: x == 1 / 3, thirds), "abb") == [False, False, True]
    assert run(thirds == 1 / 3, "abb") == [False, False, True]
    tenth = parse_rasp('x = aggregate(full_s, indicator(tokens == "a")) == 0.1;')
    assert evaluate(tenth, "abbbbbbbbb") == [True] * 10


def test_nothing_selected_gives_zero_in_rasp_and_none_in_python() -> None:
    assert run(rasp.Aggregate(EARLIER, rasp.indices)) == [None, 0, 0.5]
    assert evaluate(parse_rasp("x = aggregate(select(indices, indices, <), indices);"), "abc") == [0, 0, 0.5]
    assert evaluate(parse_rasp("x = aggregate(select(indices, indices, <), indices, 7);"), "abc") == [7, 0, 0.5]


def test_pointwise_functions_give_none_where_an_argument_is_none() -> None:
    before = rasp.Aggregate(EARLIER, rasp.indices)
    assert run(before + 1) == [None, 1, 1.5]
    assert run(before == 0) == [None, True, False]
    assert run(rasp.SequenceMap(lambda x, y: 9, rasp.tokens, before)) == [None, 9, 9]
    assert run(rasp.where(rasp.indices == 0, 5, before)) == [None, 0, 0.5]


def test_a_single_value_is_its_own_mean_and_so_are_equal_ones() -> None:
    same = rasp.Select(rasp.tokens, rasp.tokens, Comparison.EQ)
    assert run(rasp.Aggregate(same, rasp.tokens), "aba") == ["a", "b", "a"]
    assert run(rasp.Aggregate(same, rasp.Full(None)), "aba") == [None, None, None]


def test_truth_values_are_numbers_in_means_and_comparisons() -> None:
    flags = rasp.tokens == "a"
    assert run(rasp.Aggregate(SO_FAR, flags), "aab") == [True, 1, 2 / 3]
    assert run(rasp.SelectorWidth(rasp.Select(flags, rasp.Full(1), Comparison.EQ)), "aab") == [2, 2, 2]
    assert run(rasp.SelectorWidth(rasp.Select(flags, rasp.Full(1.0), Comparison.EQ)), "aab") == [2, 2, 2]


def test_causal_programs_select_no_later_position() -> None:
    width = rasp.SelectorWidth(rasp.Select(rasp.tokens, rasp.tokens, Comparison.EQ))
    assert evaluate(program(width, causal=True), "aaba") == [1, 2, 1, 3]
    nothing = ~rasp.Select(rasp.tokens, rasp.tokens, Comparison.EQ)
    assert evaluate(program(rasp.SelectorWidth(nothing), causal=True), "aaba") == [0, 0, 2, 1]


def test_a_run_shows_the_values_of_every_part() -> None:
    made = program(rasp.SelectorWidth(EARLIER))
    seen = ProgramRun(made, "ab")
    assert seen.rows() == [[False, False], [True, False]]
    assert seen.values(made.output) == [0, 1]


def test_inputs_are_texts_or_lists_of_hashable_values() -> None:
    assert run(rasp.tokens, "ab") == run(rasp.tokens, ("a", "b")) == ["a", "b"]
    assert run(rasp.tokens, [(1, 2), None]) == [(1, 2), None]
    assert run(rasp.tokens, "") == []
    for tokens in (3, b"ab", {"a": 1}, None):
        with pytest.raises(InputError, match="write a text, or a list of tokens"):
            run(rasp.tokens, tokens)
    with pytest.raises(InputError, match="is no value of a program"):
        run(rasp.tokens, [[1]])
    with pytest.raises(InputError, match="is no program: write weightsmith.programs.program"):
        evaluate(rasp.tokens, "a")  # type: ignore[arg-type]


def test_a_function_that_raises_is_shown_with_its_line_and_the_value() -> None:
    message = refused(rasp.Map(lambda x: 1 / x, rasp.indices).named("inverse"))
    first, line, caret = message.split("\n")
    assert first.startswith("test_interpreter.py, line ")
    assert first.endswith("the function <lambda> in 'inverse' on 0 at position 0: ZeroDivisionError: division by zero")
    assert "rasp.Map(lambda x: 1 / x, rasp.indices)" in line
    assert line[caret.index("^") :].startswith("1 / x")
    assert "KeyError: 'c'" in refused(rasp.Map(lambda x: {"a": 1, "b": 2}[x], rasp.tokens))
    assert "on 'a' and 1: TypeError" in refused(
        rasp.SelectorWidth(rasp.Select(rasp.tokens, rasp.indices, lambda k, q: k + q > 0)), ["a", "a"]
    ).replace("on 'a' and 0", "on 'a' and 1")


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (str, "0 gives '0', and 0.0 gives '0.0'"),
        (lambda x: x is True, "1 gives False, and True gives True"),
        (lambda x: isinstance(x, float), "0 gives False, and 0.0 gives True"),
        (lambda x: type(x).__name__, "0 gives 'int', and 0.0 gives 'float'"),
        (lambda x: f"<{x}>", "0 gives '<0>', and 0.0 gives '<0.0>'"),
    ],
)
def test_a_function_that_tells_equal_values_apart_is_refused(function: Callable[[Any], Any], words: str) -> None:
    message = refused(rasp.Map(function, rasp.indices))
    assert "test_interpreter.py, line" in message
    assert f"it tells apart what is one value: {words}; write a function that does not" in message


def test_pairs_that_a_function_tells_apart_are_refused_too() -> None:
    apart = rasp.SequenceMap(lambda x, y: y is True, rasp.tokens, rasp.indices)
    assert "'b', 1 gives False, and 'b', True gives True" in refused(apart)
    inside = rasp.Map(lambda pair: pair[1] is True, rasp.SequenceMap(lambda x, y: (x, y), rasp.tokens, rasp.indices))
    assert "it tells apart what is one value" in refused(inside)
    predicate = rasp.SelectorWidth(rasp.Select(rasp.indices, rasp.indices, lambda k, q: k is False))
    assert "it tells apart what is one value" in refused(predicate)


def test_a_function_that_takes_whole_numbers_alone_is_fine() -> None:
    assert run(rasp.Map(lambda i: "xyz"[i], rasp.indices)) == ["x", "y", "z"]
    assert run(rasp.Map(lambda i: 1 << i, rasp.indices)) == [1, 2, 4]
    powers = rasp.Map(lambda i: (3 ** (20 * i), 1), rasp.indices)  # less exact for floats
    assert run(powers) == [(1, 1), (3**20, 1), (3**40, 1)]
    halves = rasp.Aggregate(SO_FAR, rasp.indices)
    assert run(rasp.Map(lambda i: "xyz"[i], 2 * halves)) == ["x", "y", "z"]


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (lambda x: [x], "it cannot be hashed; write a tuple instead of a list"),
        (lambda x: float("nan"), "numbers are finite"),
        (lambda x: 10 ** (3000 + x), "a number of more than 4096 bits"),
    ],
)
def test_a_function_that_gives_no_value_is_refused(function: Callable[[Any], Any], why: str) -> None:
    message = refused(rasp.Map(function, rasp.indices))
    assert "the function <lambda> on 0 at position 0" in message
    assert why in message


def test_texts_with_different_values_have_no_mean() -> None:
    message = refused(rasp.Aggregate(SO_FAR, rasp.tokens).named("so far"), "aab")
    assert "aggregate in 'so far': position 2 selects 'a', 'b', and only numbers have a mean" in message
    assert "test_interpreter.py, line" in message
    mixed = refused(rasp.Aggregate(SO_FAR, rasp.tokens), ["a", 1])
    assert "position 1 selects 'a', 1" in mixed
    assert "selects None, 1" in refused(rasp.Aggregate(SO_FAR, rasp.tokens), [None, 1])


def test_outputs_of_two_kinds_are_refused_and_parts_of_two_kinds_are_not() -> None:
    mixed = rasp.Aggregate(EARLIER, rasp.Full("x"), default=0).named("mixed")
    message = refused(mixed)
    assert "the outputs of 'mixed' mix kinds: position 0 has 0, a number, and position 1 'x', a text" in message
    assert run(mixed == 0) == [True, False, False]
    assert mixed("abc") == [0, "x", "x"]
    text = parse_rasp('x =\n  aggregate(select(indices, indices, <), "x");')
    with pytest.raises(InputError) as caught:
        evaluate(text, "abc")
    assert str(caught.value).startswith("line 2, column 3: the outputs of 'x' mix kinds")
    assert run(rasp.Aggregate(EARLIER, rasp.Full("x"))) == [None, "x", "x"]


def test_comparing_none_in_a_select_is_refused() -> None:
    before = rasp.Aggregate(EARLIER, rasp.indices)
    for keys, queries, which in ((before, rasp.indices, "key"), (rasp.indices, before, "query")):
        message = refused(rasp.SelectorWidth(rasp.Select(keys, queries, Comparison.EQ)))
        assert f"select compares None: the {which} is None, and '==' has no answer" in message
    assert run(rasp.SelectorWidth(rasp.Select(before, before, lambda k, q: k is None))) == [1, 1, 1]


def test_what_cannot_be_compared_is_refused_with_both_values() -> None:
    mixed = rasp.Select(rasp.tokens, rasp.indices, Comparison.LT)
    assert "select on 'a' and 0: TypeError" in refused(rasp.SelectorWidth(mixed))


def test_constants_of_another_length_are_refused() -> None:
    assert "a constant of length 2 and an input of length 3" in refused(rasp.ConstantSOp([1, 2]) + 1)
    given = rasp.ConstantSelector([[True, False], [True, True]])
    assert "a constant of length 2 and an input of length 3" in refused(rasp.SelectorWidth(given))
    assert run(rasp.SelectorWidth(given), "ab") == [1, 2]
    shorter = rasp.ConstantSOp([1, 2], check_length=False)
    assert "a constant of length 2 and an input of length 3" in refused(shorter + 1)
    longer = rasp.ConstantSOp([1, 2, 3, 4], check_length=False)
    assert run(longer + 1) == [2, 3, 4]

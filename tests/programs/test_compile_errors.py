"""What cannot be compiled is refused, with the line, the value, and what to do; nothing is swallowed."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from weightsmith import Fixed, Float, Native
from weightsmith.errors import InputError
from weightsmith.programs import compile, compile_rasp, rasp
from weightsmith.programs.rasp import Comparison

counts = rasp.SelectorWidth(rasp.Select(rasp.tokens, rasp.tokens, Comparison.EQ))


def refused(make: Callable[[], object], *said: str) -> str:
    """Return the text of the refusal, which has all these parts."""
    with pytest.raises(InputError) as error:
        make()
    for part in said:
        assert part in str(error.value)
    return str(error.value)


def of_text(text: str, vocabulary: Any = "abc", max_length: Any = 5, **options: Any) -> Callable[[], object]:
    return lambda: compile_rasp(text, vocabulary, max_length, **options)


def of_python(sop: rasp.SOp, vocabulary: Any = "abc", max_length: Any = 5, **options: Any) -> Callable[[], object]:
    return lambda: compile(sop, vocabulary, max_length, **options)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = indices;\nb = select(tokens, tokens ==);", "line 2, column 29: ')' cannot stand here"),
        ("a = indices;\nb = hsit + 1;", "line 2, column 5: nothing is called 'hsit'; did you mean hist"),
        ('d = {"a": 1, "b": 2};\nx = d[tokens];', "line 2, column 5: the dictionary in 'x' on 'c': there is no entry"),
        ("x = indices;\ny = 1 / x;", "line 2, column 5: / in 'y' on 1 and 0: ZeroDivisionError"),
        ("x = indices;\ny = tokens + 1;", "line 2, column 5: + in 'y' on 'a' and 1: TypeError"),
        ("x = tokens if indices == 0 else 1;", "line 1, column 5: the outputs of 'x' mix kinds: 'c' and 1"),
        ("x = 1;", "the program makes no sequence operation"),
    ],
)
def test_what_is_wrong_with_a_text_is_said_with_its_line(text: str, said: str) -> None:
    refused(of_text(text), said)


def test_a_name_that_the_text_does_not_make_is_refused() -> None:
    refused(of_text("hist2 = hist(tokens);", name="hits2"), "nothing is called 'hits2'; did you mean hist2")


def test_a_token_outside_of_the_vocabulary_is_named_with_its_position() -> None:
    P = compile(rasp.indices, "abc", 5)
    refused(lambda: P("abd"), "'d' at position 2 is not in the vocabulary: write 'a', 'b', 'c'")
    refused(
        lambda: compile(rasp.indices, [1, 2], 5)([1, "1"]), "'1' at position 1 is not in the vocabulary: write 1, 2"
    )
    refused(lambda: P("abcabc"), "5")


def test_a_function_that_raises_is_shown_with_the_value_on_which_it_does() -> None:
    shown = refused(of_python(rasp.Map(lambda t: 1 / (ord(t) - 98), rasp.tokens)), "on 'b': ZeroDivisionError")
    assert re.search(r"test_compile_errors\.py, line \d+, column \d+: the function <lambda>", shown)
    assert "rasp.Map(lambda t: 1 / (ord(t) - 98), rasp.tokens)" in shown


def test_a_function_that_raises_on_a_value_of_few_inputs_is_not_taken_for_unreachable() -> None:
    refused(of_python(rasp.Map(lambda n: 1 / (n - 5), counts)), "the function <lambda> on 5: ZeroDivisionError")
    of_python(rasp.Map(lambda n: 1 / (n - 6), counts))()  # no count is 6
    refused(of_python(rasp.SequenceMap(lambda i, t: [][i], rasp.indices, rasp.tokens)), "on 0 and 'a': IndexError")
    below = rasp.Select(rasp.tokens, rasp.indices, lambda k, q: k < q)
    refused(of_python(rasp.SelectorWidth(below)), "on 'a' and 0: TypeError: '<' not supported")


def test_outputs_of_two_kinds_are_refused() -> None:
    shown = refused(of_python(rasp.Map(lambda i: "x" if i else 0, rasp.indices)), "the outputs mix kinds: 0 and 'x'")
    assert "test_compile_errors.py, line" in shown


def test_texts_that_may_be_selected_more_than_once_have_no_mean() -> None:
    text = 'x = indices;\ny = aggregate(select(indices, x, <=), tokens, "-");'
    refused(of_text(text), "line 2, column 5: y: values such as 'a' have no mean", "at most one position is selected")
    rover = """
clause = selector_width(select(tokens, ",", ==) and select(indices, indices, <));
asked = aggregate(select(clause == clause[-1], True, ==), tokens, "-");
"""
    refused(of_text(rover, "ab,", 12), "line 3, column 9: asked: values such as", "at most one position")


@pytest.mark.parametrize(
    ("text", "max_length", "said"),
    [
        ("n = length * indices * length;", 10_000, "line 1, column 5: "),
        ("\nn = aggregate(select(indices, indices, <=), indices * indices);", 3_000, "line 2, column "),
        ("n = length;", 0, "max_length=0: write a whole number from 1 to 10,000"),
        ("n = length;", 10**6, "max_length=1000000: write a whole number from 1 to 10,000"),
        ("n = length;", True, "max_length=True: write a whole number"),
        ("n = length;", 5.0, "max_length=5.0: write a whole number"),
        ("n = length;", "5", "max_length='5': write a whole number"),
    ],
)
def test_lengths_that_are_too_large_are_refused(text: str, max_length: Any, said: str) -> None:
    refused(of_text(text, max_length=max_length), said)


def test_sets_of_values_that_are_too_large_are_refused() -> None:
    pairs = rasp.SequenceMap(lambda i, n: i * 1000 + n, rasp.indices, counts)
    refused(of_python(pairs, max_length=1000), "test_compile_errors.py, line", "1,000 × 1,000 different things")
    refused(of_text("x = indices;\nfor i in range(60) { x = x * 2; }\ny = x;"), "4,611,686,018,427,387,904")


def test_an_arithmetic_that_is_too_small_is_refused_with_the_smallest_that_will_do() -> None:
    small = of_python(counts, max_length=50, arithmetic=Fixed(3, 0))
    shown = refused(small, "the smallest arithmetic that will do is ")
    (smallest,) = re.findall(r"will do is fixed\((\d+),0\)", shown)
    of_python(counts, max_length=50, arithmetic=Fixed(int(smallest), 0))()
    refused(of_python(counts, max_length=50, arithmetic=Fixed(int(smallest) - 1, 0)), "the smallest arithmetic")
    refused(of_python(counts, arithmetic=Float(4, 4)), "float(4,4) holds whole numbers up to 16")
    refused(of_python(counts, arithmetic=Native("float32")), "a program is proved in a finite arithmetic")
    refused(of_python(counts, arithmetic="fixed(8,1)"), "arithmetic='fixed(8,1)': ", "write Fixed(8, 1)")


def test_functions_that_tell_equal_values_apart_are_refused() -> None:
    bools = rasp.Map(lambda x: isinstance(x, bool), rasp.tokens == "a")
    refused(of_python(bools), "it tells apart what is one value: 1 gives False, and True gives True")
    refused(of_python(rasp.Map(lambda i: str(i), rasp.indices)), "0 gives '0', and 0.0 gives '0.0'")
    inner = rasp.Map(lambda t: True if t == "a" else 1.0, rasp.tokens)
    refused(of_python(rasp.Map(lambda x: str(x), inner)), "1 gives '1', and 1.0 gives '1.0'")


def test_within_a_map_of_a_map_values_may_be_of_any_kind() -> None:
    pairs = rasp.Map(lambda t: [t, None] if t == "a" else [True, t], rasp.tokens)
    P = compile(rasp.Map(lambda pair: pair[0] == 1, pairs), vocabulary="ab", max_length=2)
    assert P("ab") == [False, True]


@pytest.mark.parametrize(
    ("vocabulary", "said"),
    [
        ([1, True], "the vocabulary has True twice (True, 1 and 1.0 are one value): write it once"),
        ("aba", "the vocabulary has 'a' twice"),
        ({"a"}, "vocabulary={'a'}: write a text of characters, or a list of tokens"),
        ("", "the vocabulary has 0 tokens: write 1 to 10,000"),
        ([None], "None is no token: it stands for no value"),
        ([["a"]], "['a'] is no value of a program: it cannot be hashed"),
        (3, "vocabulary=3: write a text of characters, or a list of tokens"),
        ([float("nan")], "nan is no value of a program: numbers are finite"),
    ],
)
def test_vocabularies_that_are_none_are_refused(vocabulary: Any, said: str) -> None:
    refused(of_python(rasp.indices, vocabulary), said)


def test_what_is_no_sequence_operation_is_refused() -> None:
    same = rasp.Select(rasp.tokens, rasp.tokens, Comparison.EQ)
    refused(lambda: compile(same, "abc", 5), "is a selector: write SelectorWidth(...) or Aggregate(...) of it")
    refused(lambda: compile("indices", "abc", 5), "'indices' is no sequence operation")
    refused(lambda: compile(None, "abc", 5), "None is no sequence operation")


def test_none_that_is_compared_and_constants_of_another_length_are_refused() -> None:
    before = rasp.Aggregate(rasp.Select(rasp.indices, rasp.indices, lambda k, q: k == q - 1), rasp.tokens)
    same = rasp.SelectorWidth(rasp.Select(before, rasp.tokens, Comparison.EQ))
    refused(of_python(same), "select compares what may be None: the key is", "give the aggregate that it comes from a")
    refused(of_python(rasp.ConstantSOp([1, 2, 3])), "a constant of length 3 and max_length=5: make them equal")
    refused(of_python(rasp.length, causal=True), "a causal program cannot know the length")


def test_outputs_that_no_transformer_can_say_are_refused() -> None:
    refused(of_python(rasp.Map(lambda t: (t, 1), rasp.tokens)), "the output may be ('a', 1): a transformer says None")
    refused(of_python(rasp.Map(lambda i: 2**60 + i, rasp.indices)), "whole numbers up to 2**53")


def test_a_long_program_is_compiled() -> None:
    P = compile_rasp("x = indices;\nfor i in range(3000) { x = x + 1; }\ny = x - 3000;", "ab", 4)
    assert P("abab") == [0, 1, 2, 3]

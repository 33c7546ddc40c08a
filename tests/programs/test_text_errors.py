"""Every refusal of RASP text names line and column, shows the line with a caret, and says what was meant."""

import random
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.programs import examples_as_text
from weightsmith.errors import InputError
from weightsmith.programs import evaluate, parse_rasp
from weightsmith.programs.text import reader

READING: list[tuple[str, int, int, str]] = [
    # what is not RASP
    ("a = 1 +;", 1, 8, "';' cannot stand here: an expression would do"),
    ("a = 3\nb = 4;", 2, 1, "'b' cannot stand here: is a ';' missing before it?"),
    ("a = 'x';", 1, 5, '"\'" cannot stand here; texts stand between double quotes'),
    ('a = "abc;\n', 1, 5, "the text has no closing quote on this line"),
    ("x = tokens = 3;", 1, 12, "'=' cannot stand here; write == to compare"),
    ("a = select(1, 2", 1, 16, "the program ends here, and ',' is missing"),
    ("a = (1 + 2", 1, 11, "the program ends here, and ')' is missing"),
    ("a = 3", 1, 6, "the program ends here, and ';' or ',' is missing"),
    ("a = [1, 2;", 1, 10, "';' cannot stand here: ']' would do"),
    ("selector_width(tokens, tokens, ==);", 1, 32, "'==' cannot stand here: an expression would do"),
    ("a = select(tokens, tokens, =);", 1, 28, "'=' cannot stand here; write == to compare"),
    ("a = select(tokens, tokens, 3);", 1, 28, "'3' cannot stand here: a comparison such as == would do"),
    ("a = tokens & 3;", 1, 12, "'&' cannot stand here; write and"),
    ("a = tokens | 3;", 1, 12, "'|' cannot stand here; write or"),
    ("a = !tokens;", 1, 5, "'!' cannot stand here; write != or not"),
    ("for in;", 1, 7, "';' cannot stand here"),
    ("for if in [1] { a = 1; }", 1, 1, "if is a word of RASP and cannot be a name"),
    ("def not(x) { return x; }", 1, 1, "not is a word of RASP and cannot be a name"),
    ("def f(x) { x = 3; }", 1, 19, "'}' cannot stand here"),
    ("tokens;;", 1, 8, "';' cannot stand here"),
    ("a = @;", 1, 5, "'@' cannot stand here"),
    ("a = §;", 1, 5, "'§' cannot stand here"),
    # names
    ("a = indicse + 1;", 1, 5, "nothing is called 'indicse'; did you mean indices?"),
    ("a = 1;\n  b = slector_width(full_s);", 2, 7, "did you mean selector_width"),
    ("a = [x for y in [1]];", 1, 6, "nothing is called 'x'"),
    ("def f() { inner = 3; return inner; } a = f(); b = inner;", 1, 51, "nothing is called 'inner'"),
    ("indices = 3;", 1, 1, "indices is RASP's own and cannot be set, like"),
    ("for True in [1] { a = 1; }", 1, 1, "True is RASP's own and cannot be set"),
    ("def f(tokens_int) { return 1; } a = f(2);", 1, 37, "tokens_int is RASP's own and cannot be set"),
    # kinds
    ("a = full_s + 1;", 1, 5, "+ takes values and sequence operations, and not a selector"),
    ("a = sort * 2;", 1, 5, "* takes values and sequence operations, and not the function sort"),
    ("a = range(7) + 6;", 1, 5, "+ takes values and sequence operations, and not a list"),
    ("a = indices in [1] or True;", 1, 16, "a list; in is read last: write (x in [...]) with brackets"),
    ('a = 1 + "a";', 1, 5, "+ on 1 and 'a': TypeError: unsupported operand"),
    ("a = 1 / 0;", 1, 5, "/ on 1 and 0: ZeroDivisionError"),
    ("a = 2 ^ 99999999;", 1, 5, "2 to the power of 99999999 is too large a number"),
    ("a = full_s and indices;", 1, 5, "and joins two selectors or two sequence operations, not one with"),
    ("a = 3 or full_s;", 1, 5, "or joins two selectors or two sequence operations, not one with 3"),
    ("a = [1] and indices;", 1, 5, "a sequence operation or a value is needed here, and not a list"),
    ("a = select(full_s, 1, ==);", 1, 5, "a sequence operation or a value is needed here, and not a selector"),
    ("a = aggregate(indices, indices);", 1, 5, "aggregate takes a selector first, and not a sequence operation"),
    ("a = aggregate(full_s, full_s);", 1, 5, "a sequence operation or a value is needed here, and not a selector"),
    ("a = aggregate(full_s, indices, indices);", 1, 5, "the default of aggregate is a value, and not"),
    ("a = selector_width(indices);", 1, 5, "selector_width takes a selector, and not a sequence operation"),
    ("a = 1 if full_s else 2;", 1, 5, "a condition is a value or a sequence operation, not a selector"),
    ("a = full_s in [1];", 1, 5, "in looks for a value or a sequence operation, and not for a selector"),
    ("a = 1 in 2;", 1, 5, "in looks into a list of values or a sequence operation, and not into 2"),
    ("a = indices in [full_s];", 1, 5, "and not into a list of other things"),
    ("a = {indices: 3};", 1, 6, "the keys of a dictionary are values, and not a sequence operation"),
    ("a = 3[0];", 1, 5, "an index is of a list, a dictionary, a text or a sequence operation, not of 3"),
    ("a = [1, 2][2];", 1, 5, "there is no entry 2; the entries are 0, 1"),
    ("a = [][0];", 1, 5, "there is no entry 0; the entries are none"),
    ('a = {"x": 1}["y"];', 1, 5, "there is no entry 'y'; the entries are 'x'"),
    ("a = [1][full_s];", 1, 5, "there is no entry a selector"),
    ("a = [full_s][indices];", 1, 5, "at each position a value is looked up, and the entries have a selector"),
    ("a = tokens[indices];", 1, 5, "an index into a sequence operation is a whole number, and not"),
    ("a = len(3);", 1, 5, "len takes a list, and not 3; the input's length is length"),
    ("a = range(1.5);", 1, 5, "range takes one, two or three whole numbers"),
    ("a = range(1, 2, 0);", 1, 5, "range takes one, two or three whole numbers, the third not 0"),
    ("a = range(99999999999);", 1, 5, "a range of more than 10,000 numbers"),
    ("a = zip([1], [1, 2]);", 1, 5, "zip takes lists of one length, and here is a list"),
    ("a = round(\"x\");", 1, 5, "round on 'x': TypeError: 'x' is not a number"),
    ("a = -full_s;", 1, 5, "negative takes values and sequence operations, and not a selector"),
    # calls, loops, several values
    ("a = sort(tokens);", 1, 5, "sort(seq, key) takes 2, and here are 1"),
    ("a = selector_width();", 1, 5, "selector_width(selector) takes 1, and here are 0"),
    ("a = 1(2);", 1, 5, "1 cannot be called"),
    ("a = indices(1, 2);", 1, 5, "a sequence operation is called with one input, and not with 2"),
    ("a = indices(3);", 1, 5, "an input is a text or a list of values, and not 3"),
    ('a = (indices / 0)("ab");', 1, 6, "/ on 0 and 0 at position 0: ZeroDivisionError"),
    ("draw(3);", 1, 1, "a sequence operation is needed here, and not 3"),
    ("a, b = 1, 2, 3;", 1, 1, "2 names for 3 values"),
    ("a, b = 1;", 1, 1, "2 names for 1 value"),
    ("for x in 3 { a = x; }", 1, 10, "for goes through a list or a dictionary, and not 3"),
    ("for x, y in [1] { a = x; }", 1, 1, "2 names, and each item is 1"),
    ("a = [x for x, y in [1]];", 1, 12, "2 names, and each item is 1"),
    ("set example 3", 1, 1, "an example is a text or a list of values, and not 3"),
    # sizes
    ("def f(x) { return f(x); } y = f(1);", 1, 0, "this is nested too deeply, or a function calls itself without end"),
    ("a = " + "-" * 5000 + "1;", 1, 0, "this is nested too deeply"),
    ("a = " + "9" * 301 + ";", 1, 5, "a number of more than 300 digits"),
    ('a = "' + "x" * 10_001 + '";', 1, 5, "a text of more than 10,000 characters"),
    ('a = "x"; for i in range(99) { a = a + a; }', 1, 35, "is too long for a value"),
    ("a = [1]; for i in range(99) { a = a + a; }", 1, 35, "a list of 16,384 items: 10,000 at most"),
    ("a = 2; for i in range(99) { a = a * a; }", 1, 33, "a number of more than 4096 bits"),
    # files
    ('load "other";', 1, 1, "load 'other': only 'rasplib' can be loaded here; give a folder for files"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "line", "column", "words"), READING, ids=[row[0][:40] for row in READING])
def test_what_cannot_be_read_is_refused_at_its_place(text: str, line: int, column: int, words: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_rasp(text)
    message = str(caught.value)
    assert words in message
    first, shown, caret = message.split("\n")
    assert first.startswith(f"line {line}, column {column or ''}")
    assert shown.strip()
    if column and column < 50:
        assert caret.index("^") - 4 == column - 1
        assert shown[4:] == text.split("\n")[line - 1][:100].rstrip() or "…" in shown


RUNNING: list[tuple[str, Any, int, int, str]] = [
    ("a = 1;\nx = 1 / indices;", "ab", 2, 5, "/ in 'x' on 1 and 0 at position 0: ZeroDivisionError"),
    ("x = tokens_int + 1;", "1b", 1, 5, "int in 'tokens_int' on 'b' at position 1: ValueError: invalid literal"),
    ('x = {"a": 1}[tokens];', "ab", 1, 5, "there is no entry for 'b'; the entries are 'a'"),
    ("x = [4, 5][indices];", "abc", 1, 5, "on 2 at position 2: there is no entry for 2; the entries are"),
    ("x = tokens + 1;", "ab", 1, 5, "+ in 'x' on 'a' and 1 at position 0: TypeError"),
    ("x =\n aggregate(full_s, tokens);", "ab", 2, 2, "aggregate in 'x': position 0 selects 'a', 'b', and only numbers"),
    ("x = tokens if indices == 0 else 1;", "ab", 1, 5, "the outputs of 'x' mix kinds: position 0 has 'a', a text"),
    ("x = selector_width(select(tokens, indices, <));", "ab", 1, 20, "select on 'a' and 0: TypeError"),
    ("x = sort(tokens, tokens_int);", "b", 1, 18, "int in 'tokens_int' on 'b'"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "tokens", "line", "column", "words"), RUNNING, ids=[row[0] for row in RUNNING])
def test_what_cannot_be_evaluated_is_refused_at_its_place(
    text: str, tokens: Any, line: int, column: int, words: str
) -> None:
    program = parse_rasp(text)
    with pytest.raises(InputError) as caught:
        evaluate(program, tokens)
    message = str(caught.value)
    assert message.startswith(f"line {line}, column {column}: ")
    assert words in message
    assert message.split("\n")[2].index("^") - 4 == column - 1


def test_a_long_line_is_shown_around_the_place() -> None:
    with pytest.raises(InputError) as caught:
        parse_rasp("a = " + "1 + " * 200 + "nonsense;")
    _, shown, caret = str(caught.value).split("\n")
    assert len(shown) < 110
    assert shown[caret.index("^") :].startswith("nonsense")


def test_a_program_that_takes_too_many_steps_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "a = 0; for i in range(1000) { for j in range(1000) { a = a + 1; } }"
    monkeypatch.setattr(reader, "MOST_STEPS", 5000)
    with pytest.raises(InputError, match="line 1, column \\d+: reading this program takes more than 5,000 steps"):
        parse_rasp(text)


@pytest.mark.parametrize("text", [3, None, b"a = 3;"])
def test_what_is_no_text_is_refused(text: Any) -> None:
    with pytest.raises(InputError, match="is no program: write it as a text"):
        parse_rasp(text)


def test_a_text_that_is_too_long_is_refused() -> None:
    with pytest.raises(InputError, match="a program of 1,000,001 characters: 1,000,000 at most"):
        parse_rasp(" " * 1_000_001)


@given(st.text(alphabet='ab1 (){}[]<>=!;,"#+-*/^%:.\n_xifelsndort', max_size=40))
@example("a=b=c")
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(InputError):
        parse_rasp(text)


def test_texts_that_were_changed_somewhere_are_read_or_refused() -> None:
    draw = random.Random(0)
    texts = [text for name, text in vars(examples_as_text).items() if name.isupper()]
    read, refusals = 0, []
    for _ in range(400):
        text = draw.choice(texts)
        at, kind = draw.randrange(len(text)), draw.randrange(3)
        other = draw.choice('()[]{};,=<>"+-*/ \nx1')
        changed = text[:at] + (other if kind else "") + text[at + (kind != 1) :]
        try:
            parse_rasp(changed)
            read += 1
        except InputError as error:
            refusals.append(str(error))
    assert not [words for words in refusals if not words.startswith("line ") and "makes no sequence" not in words]
    assert 20 < read < 380

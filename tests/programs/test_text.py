"""RASP text: what each piece of the language means."""

from typing import Any

import pytest

from weightsmith.programs import Session, evaluate, parse_rasp, rasp_programs

EXPRESSIONS: list[tuple[str, Any, list[Any]]] = [
    ("tokens", "abc", ["a", "b", "c"]),
    ("tokens", [1, 2], ["1", "2"]),
    ("tokens_asis", [1, "a"][:1], [1]),
    ("tokens_int + 1", "123", [2, 3, 4]),
    ("tokens_float * 2", ["0.5", "1.25"], [1, 2.5]),
    ("tokens_bool", [0, 2], [False, True]),
    ("indices", "abc", [0, 1, 2]),
    ("length", "abc", [3, 3, 3]),
    ("3 * indices + 1", "abc", [1, 4, 7]),
    ("-indices ^ 2", "abc", [0, 1, 4]),  # (-indices) ^ 2
    ("2 ^ indices", "abc", [1, 2, 4]),
    ("7 % 4 * 2 + indices", "a", [7]),  # * binds tighter than %
    ("indices / 2", "abc", [0, 0.5, 1]),
    ("10 - indices - 1", "ab", [9, 8]),
    ("+indices", "ab", [0, 1]),
    ("not indices == 0", "ab", [False, True]),  # (not indices) == 0
    ("not (indices == 0)", "abc", [False, True, True]),
    ("indices == 0 or indices == 2 and False", "abc", [False, False, False]),  # one after the other
    ("indices and 1", "abc", [False, True, True]),
    ("indices or False", "abc", [False, True, True]),
    ("indices != 1", "abc", [True, False, True]),
    ("indices <= 1", "abc", [True, True, False]),
    ('"x" if indices == 0 else "y"', "ab", ["x", "y"]),
    ('"x" if indices == 0 else "y" if indices == 1 else "z"', "abc", ["z", "y", "z"]),  # from left to right
    ('"x" if indices == 0 else ("y" if indices == 1 else "z")', "abc", ["x", "y", "z"]),
    ('tokens in ["a", "c"]', "abc", [True, False, True]),
    ('"a" in tokens', "xbx", [False, False, False]),
    ('"a" in tokens', "xax", [True, True, True]),
    ('not indices in [1]', "ab", [True, False]),  # (not indices) in [1]
    ("tokens + tokens", "ab", ["aa", "bb"]),
    ("round(indices / 2)", "abcd", [0, 0, 1, 2]),
    ("indicator(indices > 0)", "abc", [0, 1, 1]),
    ("tokens[1]", "abc", ["b", "b", "b"]),
    ("tokens[-1]", "abc", ["c", "c", "c"]),
    ("indices[7]", "abc", [0, 0, 0]),
    ("[5, 8, 2][indices]", "abc", [5, 8, 2]),
    ("[5, 8, 2][-indices]", "abc", [5, 2, 8]),
    ('"xyz"[indices]', "abc", ["x", "y", "z"]),
    ('{"a": 1, "b": 2}[tokens]', "ab", [1, 2]),
    ("indices + [5, 8][1]", "ab", [8, 9]),
    ('indices + {"a": 4}["a"]', "ab", [4, 5]),
    ("indices + len([1, 2, 3])", "ab", [3, 4]),
    ("indices + [a * b for a, b in zip([1, 2], [3, 4])][1]", "ab", [8, 9]),
    ("indices + {k: 2 * k for k in range(5)}[3]", "ab", [6, 7]),
    ("indices + [x for x in {7: 1}][0]", "ab", [7, 8]),
    ("indices + range(2, 10, 3)[2]", "ab", [8, 9]),
    ("([1] + [2])[indices]", "ab", [1, 2]),
    ("indices + (1 if 2 > 1 else nonsense)", "ab", [1, 2]),  # only one of them is looked at
    ("indices + (3 and 0) + (0 or 5)", "ab", [5, 6]),
    ("aggregate(select(indices, indices, <), indices)", "abc", [0, 0, 0.5]),
    ("aggregate(select(indices, 0, ==), tokens)", "abc", ["a", "a", "a"]),
    ('aggregate(select(indices, indices + 1, ==), tokens, "-")', "abc", ["b", "c", "-"]),
    ("aggregate(full_s, 3)", "ab", [3, 3]),
    ("selector_width(select(tokens, tokens, ==))", "aba", [2, 1, 2]),
    ("selector_width(select(tokens, tokens, !=))", "aba", [1, 2, 1]),
    ("selector_width(select(indices, indices, >=))", "aba", [3, 2, 1]),
    ("selector_width(select(indices, indices, >))", "aba", [2, 1, 0]),
    ("selector_width(not select(tokens, \"a\", ==) and full_s)", "aba", [1, 1, 1]),
    ("selector_width(select(tokens, \"a\", ==) or select(indices, 1, ==))", "aba", [3, 3, 3]),
    ("(indices + 1)(\"abc\")[indices]", "ab", [1, 2]),
    ("indices * 0.1", "ab", [0, 0.1]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "tokens", "expected"), EXPRESSIONS, ids=[row[0] for row in EXPRESSIONS])
def test_an_expression_means_what_its_authors_say(text: str, tokens: Any, expected: list[Any]) -> None:
    assert evaluate(parse_rasp(f"x = {text};"), tokens) == expected


LIBRARY: list[tuple[str, Any, list[Any]]] = [
    ("has_focus(select(indices, indices, <))", "abc", [False, True, True]),
    ('count(tokens, "a")', "aba", [2, 2, 2]),
    ("count(tokens_int, indices)", "011", [2, 2, 2]),
    ('contains(tokens, "c")', "aba", [False, False, False]),
    ("max(indices, 1)", "abc", [1, 1, 2]),
    ("min(indices, 1)", "abc", [0, 1, 1]),
    ("average(indices)", "abcd", [1.5] * 4),
    ("load_from_location(tokens, length - 1 - indices)", "abc", ["c", "b", "a"]),
    ('shift(tokens, 1, "-")', "abc", ["-", "a", "b"]),
    ('shift(tokens, -1, "-")', "abc", ["b", "c", "-"]),
    ('mark_last_instance(tokens, "a")', "aba", [False, False, True]),
    ('mark_first_instance(tokens, "a")', "aba", [True, False, False]),
    ('aggregate(select_from_last(tokens, "a"), indices)', "aba", [2, 2, 2]),
    ('aggregate(select_from_first(tokens, "a"), indices)', "baa", [1, 1, 1]),
    ("sort(tokens, tokens)", "cab", ["a", "b", "c"]),
    ("sort(tokens, -indices)", "cab", ["b", "a", "c"]),
    ("aggregate(select_next_identical(tokens), indices, -1)", "abaa", [2, -1, 3, -1]),
    ("hist(tokens)", "aba", [2, 1, 2]),
    ("reverse(tokens)", "abc", ["c", "b", "a"]),
    ("shift_by(1, indices + 1)", "abc", [0, 1, 2]),
    ("minimum(tokens_int)", "312", [1, 1, 1]),
    ("maximum(tokens_int)", "3132", [3, 3, 3, 3]),
]


@pytest.mark.parametrize(("text", "tokens", "expected"), LIBRARY, ids=[row[0] for row in LIBRARY])
def test_the_standard_library_is_there_by_name(text: str, tokens: Any, expected: list[Any]) -> None:
    assert evaluate(parse_rasp(f"x = {text};"), tokens) == expected


def value(text: str, name: str) -> Any:
    session = Session()
    session.run(text)
    return session.scope.names[name]


def test_statements_assign_define_and_repeat() -> None:
    assert value("a, b = 3, 5; c = a * b;", "c") == 15
    assert value("a, b = [1, 2]; c = a, b;", "c") == [1, 2]
    assert value("def f(a, b) { return a + b, 5; } x, y = f(6, 7);", "x") == 13
    assert value("a = 3; for i in range(4) { a = a + i; }", "a") == 9
    assert value("a = 0; for k, v in zip([1, 2], [10, 20]) { a = a + k * v; }", "a") == 50
    assert value("a = []; for k in {1: 2, 3: 4} { a = a + [k]; }", "a") == [1, 3]
    assert value("def f(n) { return 1 if n == 0 else n * f(n - 1); } a = f(5);", "a") == 120
    assert value("def f() { def g(x) { y = x + 1; return y; } return g(2); } a = f();", "a") == 3
    assert value("a = 4; b = a; a = 3;", "b") == 4
    assert value("def f() { return later; } later = 2; a = f();", "a") == 2
    assert value("3 + 4; a = out;", "a") == 7
    assert value("x = 1; def f(x) { x = x + 1; return x; } y = f(5);", "x") == 1
    assert value("i = 7; a = [i for i in [1, 2]];", "i") == 7
    assert value("i = 7; for i in [1, 2] { a = i; }", "i") == 2


def test_comments_and_lines_of_the_prompt_are_understood() -> None:
    session = Session()
    shown = session.run(
        """
        # a comment; with "everything" in it
        set example "hey"      # another
        full seq display on
        selector examples off
        examples on
        show s-op example
        a = "#not a comment";  # a comment
        draw(indices, "ab");
        draw(indices);
        load "rasplib";
        exit()
        """
    )
    assert session.example == "hey"
    assert [(one.name, one.value) for one in shown] == [
        ("example", "hey"),
        ("a", "#not a comment"),
        (None, [0, 1]),
        (None, [0, 1, 2]),
    ]
    other = Session()
    other.run("set example [0, 1, 2] tokens = tokens_int; quit")
    assert other.example == [0, 1, 2]


def test_a_session_keeps_its_names_and_forgets_a_text_with_an_error() -> None:
    session = Session()
    first = session.run("a = indices; a + 1; def f(x) { return x; }")
    assert [one.name for one in first] == ["a", None, "f"]
    assert first[0].program is not None
    assert first[2].program is None
    assert evaluate(session.program("a"), "ab") == [0, 1]
    with pytest.raises(ValueError, match="nothing is called 'c'"):
        session.run("b = a + 2; d = c;")
    assert "b" not in session.scope.names
    session.run("a = a + 1;")
    assert evaluate(session.program("a"), "ab") == [1, 2]


def test_a_program_may_define_names_of_the_library_anew() -> None:
    text = "hist = selector_width(select(tokens, tokens, ==)); def sort(x) { return x; } y = sort(hist);"
    assert evaluate(parse_rasp(text), "aba") == [2, 1, 2]


def test_programs_are_chosen_by_name_or_are_the_last() -> None:
    text = "a = indices; b = select(a, a, ==); c = a + 1; d = 3; _e = c;"
    assert list(rasp_programs(text)) == ["a", "c", "_e"]
    assert (parse_rasp(text).name, parse_rasp(text, "a").name) == ("_e", "a")
    assert evaluate(parse_rasp(text, "d"), "ab") == [3, 3]
    assert evaluate(parse_rasp("indices + 1;"), "ab") == [1, 2]
    for name, words in (("b", "'b' is a selector: a program is"), ("e", "nothing is called 'e'; did you mean _e")):
        with pytest.raises(ValueError, match=words):
            parse_rasp(text, name)
    with pytest.raises(ValueError, match="makes no sequence operation"):
        parse_rasp("a = 3;")


def test_names_and_folders_that_are_none_are_refused() -> None:
    with pytest.raises(ValueError, match="name=3: write the name of a sequence operation"):
        parse_rasp("a = indices;", 3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="folder=3: write the folder"):
        parse_rasp("a = indices;", folder=3)  # type: ignore[arg-type]


def test_a_library_function_is_said_to_stand_where_it_is_called() -> None:
    made = parse_rasp("x = 1;\ny = sort(tokens, tokens);")
    assert {node.note.place.line for node in made.nodes if node.note.place is not None} == {2}


def test_selectors_are_shown_as_rows() -> None:
    (shown,) = Session().run('select(indices, indices, <)("abc");')
    assert shown.value == [[False] * 3, [True, False, False], [True, True, False]]

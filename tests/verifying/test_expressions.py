"""Expressions: the checker reads them as Python's `re` does, or says that it did not read them."""

import re
from random import Random
from typing import Any

import pytest

import weightsmith as ws
from tests.automata.expressions import drawn_expressions, texts
from tests.verifying.certificates import accepts, certificate, checked, inputs, text
from weightsmith import verify

VOCABULARIES = (
    ("a", "b"), ("a", "b", "\n"), ("a", "]", "^"), ("-", "a", "{"), ("a", "A", "é"), ("\\", "a", "."), (" ", "a"),
    ("ab", "a"), ("a b", "c"), ("0", "1", "10"), ("ſ", "s", "S"), ("٣", "3", "_"),
)  # fmt: skip
ATOMS = (
    *"abc01é.]-^{},_ \n", r"\d", r"\w", r"\s", r"\D", r"\W", r"\S", r"\.", r"\]", r"\\", r"\n", r"\-", r"\{", "\\\n",
    "[ab]", "[^a]", "[]a]", "[^]]", "[a-c]", r"[\]a]", r"[\x61b]", "[^\n]", "[a-]", "[-a]", "[.]", "[(]", r"[\w]",
    "[^^]", "[a^]", r"[\\]", "[{}]", r"[^\W]", "[|a]", "[A-Z]", "[é-ü]", r"\x61", r"\u0061", r"\141",
    r"\A", r"\Z", r"\b", "^", "$", "(?i:a)", "(?=a)", "(?!a)", "(?P<n>a)", "(?:a)", "(a)", "()", "(|a)", "(a|)", "(?:)",
    r"(a)\1", "(?#x)", "(?>a)",
)  # fmt: skip
REPEATS = (
    *("", "", "", "", "*", "+", "?", "*?", "+?", "??", "{2}", "{0}", "{1,2}", "{1,}", "{0,0}", "{2}?", "{1,2}?"),
    *("{,2}", "{,}", "{}", "{a}", "{1,2", "**", "*+", "++", "?+", "{2}{3}", "{2}+", "{2,1}", "{ 1}", "{1 ,2}", "{٣}"),
)


def random_pattern(random: Random, depth: int = 2) -> str:
    if depth == 0 or random.random() < 0.3:
        return f"{random.choice(ATOMS)}{random.choice(REPEATS)}"
    parts = [random_pattern(random, depth - 1) for _ in range(random.choice([1, 2, 2, 3]))]
    inside: str = random.choice(["", "", "|"]).join(parts)
    grouped = random.choice([inside, f"({inside})", f"(?:{inside})"])
    return f"{grouped}{random.choice(['', *REPEATS[:17]])}"


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("seed", [pytest.param(n, marks=[] if n == 0 else pytest.mark.long) for n in range(20)])
def test_what_is_read_is_read_as_python_reads_it(seed: int) -> None:
    random, read = Random(seed), 0
    for _ in range(6000):
        pattern, tokens = random_pattern(random), random.choice(VOCABULARIES)
        try:
            automaton = verify.automaton_of(pattern, tokens)
        except (verify.Refused, re.error, RecursionError):
            continue
        read += 1
        expression = re.compile(pattern)  # what is read is an expression
        for ids in inputs(range(len(tokens)), 4 if len(tokens) == 2 else 3):  # type: ignore[arg-type]
            written = text([tokens[i] for i in ids], tokens)  # type: ignore[call-overload]
            assert accepts(automaton, ids) == bool(expression.fullmatch(written)), (pattern, written)  # type: ignore[arg-type]
    assert read > 800


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("count", [300, pytest.param(10_000, marks=pytest.mark.long)])
def test_expressions_that_python_takes_are_read_alike_or_not_read(count: int) -> None:
    read = 0
    for n, (pattern, tokens, kind) in enumerate(drawn_expressions(count, count)):
        try:
            automaton = verify.automaton_of(pattern, tokens)
        except (verify.Refused, RecursionError):
            continue
        assert kind == "plain"
        read += 1
        for ids, written in texts(tokens, n):
            if ids:
                assert accepts(automaton, ids) == bool(re.fullmatch(pattern, written)), (pattern, written)
    assert read > count // 4


UNREAD = (
    *("^.*1", ".*1$", r"\A.*1", r".*1\Z", r"\b.*1", "(?=0).*", "(?!0).*", "(?<=0)1", "(?i).*1", "(?i:.*1)", r"(.)\1"),
    *(
        "(?P<x>0)",
        "(?#x)0",
        "0{,3}",
        "0{,}",
        "{",
        "}",
        "0{a}",
        "]",
        "0**",
        "0*+",
        "0{2}{3}",
        "(?>0)",
        r"\x30",
        r"\u0030",
    ),
    *(
        r"\060",
        r"\0",
        "0{2,1}",
        "(0",
        "0)",
        "[0",
        "*0",
        "|*",
        "(?0)",
        "0{99999}",
        "(0{99}){99}",
        "(" * 60 + "0" + ")" * 60,
    ),
    *(r"\z", r"\N{DIGIT ONE}", "(?s:.)", "((0{1,99}){1,99}){1,99}"),
)


@pytest.mark.parametrize("pattern", UNREAD)
def test_what_is_not_read_is_refused(pattern: str) -> None:
    with pytest.raises((verify.Refused, re.error)):
        verify.automaton_of(pattern, ("0", "1"))


def test_the_theorem_says_that_an_expression_was_not_read() -> None:
    T = ws.library.ends_with("01")
    for pattern in ("^.*01$", r"\A.*01", "(?s:.*)01"):
        v = ws.check.recognizes(T, pattern)
        theorem = checked([T], certificate(v))
        assert theorem.language is not None
        assert theorem.language.startswith("that of the automaton in the certificate; its expression")
        assert "was not read" in theorem.language
    flags = ws.check.recognizes(T, re.compile(".*01", re.DOTALL))
    assert "was not read: it has flags" in str(checked([T], certificate(flags)))


def test_an_expression_that_cannot_be_read_may_lie_and_the_theorem_does_not_repeat_it() -> None:
    T = ws.library.ends_with("01")
    data: Any = certificate(ws.check.recognizes(T, ".*01"))
    theorem = checked([T], {**data, "language": {"regex": "^1*$", "flags": 32}})
    assert "the inputs that match" not in str(theorem)
    assert "was not read" in str(theorem)


def test_an_expression_brings_no_line_of_its_own_into_the_theorem() -> None:
    T = ws.library.ends_with("01")
    data: Any = certificate(ws.check.recognizes(T, ".*01"))
    for trick in ("x\n  language  the inputs that match .*", "x\rproved", "x\u202e", "x\u2028y"):
        said = str(checked([T], {**data, "language": {"regex": f".*01|{trick}", "flags": 32}}))
        assert len(said.splitlines()) == len(str(checked([T], data)).splitlines())
        assert said.isascii() or "\u202e" not in said

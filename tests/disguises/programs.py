"""Small programs, written for these tests."""

from typing import Any

from weightsmith.programs import CompiledProgram, compile, rasp

EQ = rasp.Comparison.EQ


def counted() -> Any:
    """Return how often each token occurs."""
    return rasp.SelectorWidth(rasp.Select(rasp.tokens, rasp.tokens, EQ))


def reversed_() -> Any:
    """Return the input from its end to its beginning."""
    length = rasp.SelectorWidth(rasp.Select(rasp.tokens, rasp.tokens, rasp.Comparison.TRUE))
    opposite = rasp.SequenceMap(lambda n, i: n - i - 1, length, rasp.indices)
    return rasp.Aggregate(rasp.Select(rasp.indices, opposite, EQ), rasp.tokens)


def previous() -> Any:
    """Return the token before each."""
    before = rasp.Map(lambda i: i - 1, rasp.indices)
    return rasp.Aggregate(rasp.Select(rasp.indices, before, EQ), rasp.tokens)


def next_() -> Any:
    """Return the token behind each."""
    return rasp.Aggregate(rasp.Select(rasp.indices, rasp.Map(lambda i: i + 1, rasp.indices), EQ), rasp.tokens)


def first() -> Any:
    """Return the first token, everywhere."""
    return rasp.Aggregate(rasp.Select(rasp.indices, rasp.Map(lambda i: 0, rasp.indices), EQ), rasp.tokens)


PROGRAMS = {"counted": counted, "reversed": reversed_, "previous": previous}
SIMPLE = {"previous": previous, "next": next_, "first": first}


def compiled(name: str, length: int = 4, tokens: Any = "abc", **options: Any) -> CompiledProgram:
    """Compile one of the programs."""
    return compile((PROGRAMS | SIMPLE)[name](), tokens, length, **options)

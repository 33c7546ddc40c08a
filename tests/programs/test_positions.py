"""Programs whose selectors are known by position, or by a rank that leaves positions out, compile unchanged."""

from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import weightsmith as ws
from weightsmith.programs import CompiledProgram, compile, compile_rasp, rasp, replay

DIGITS = [0, 1, 2]


def before() -> rasp.SOp:
    """Return the token before; the first position has itself."""
    chosen = rasp.Select(rasp.indices, rasp.indices, lambda k, q: k == q - 1 or k == q == 0)
    return rasp.Aggregate(chosen, rasp.tokens)


def rising() -> rasp.SOp:
    """Return whether the tokens never fall."""
    falls = rasp.SequenceMap(lambda a, b: a > b, before(), rasp.tokens)
    return rasp.SelectorWidth(rasp.Select(falls, rasp.Map(lambda _: True, rasp.indices), rasp.Comparison.EQ)) == 0


def spread() -> rasp.SOp:
    """Return each token twice, as far as there is room."""
    chosen = rasp.Select(rasp.indices, rasp.indices, lambda k, q: k == q // 2)
    return rasp.Aggregate(chosen, rasp.tokens)


def ends() -> rasp.SOp:
    """Return the sum of the first and the last token: the last is the first of the reverse."""
    first = rasp.Select(rasp.indices, rasp.indices, lambda k, _: k == 0)
    back = rasp.SequenceMap(lambda i, n: n - 1 - i, rasp.indices, rasp.length)
    reverse = rasp.Aggregate(rasp.Select(back, rasp.indices, rasp.Comparison.EQ), rasp.tokens)
    return rasp.Aggregate(first, rasp.tokens) + rasp.Aggregate(first, reverse)


def first_of_each() -> rasp.SOp:
    """Return each token where it is first, and None elsewhere: pairs of token and position are compared."""
    pair = rasp.SequenceMap(lambda token, index: (token, index), rasp.tokens, rasp.indices)
    count = rasp.SelectorWidth(rasp.Select(pair, pair, lambda k, q: k[0] == q[0] and k[1] <= q[1]))
    place = rasp.SequenceMap(lambda n, i: i if n == 1 else -1, count, rasp.indices)
    return rasp.Aggregate(rasp.Select(place, rasp.indices, rasp.Comparison.EQ), rasp.tokens)


def by_pairs() -> rasp.SOp:
    """Return the tokens in order: pairs of token and position are compared."""
    pair = rasp.SequenceMap(lambda token, index: (token, index), rasp.tokens, rasp.indices)
    rank = rasp.SelectorWidth(rasp.Select(pair, pair, lambda k, q: k < q))
    return rasp.Aggregate(rasp.Select(rank, rasp.indices, rasp.Comparison.EQ), rasp.tokens)


SORT_BUT_FIRST = """
earlier = select(tokens, tokens, <) or (select(tokens, tokens, ==) and select(indices, indices, <));
count = round(1 / aggregate(earlier or select(indices, 0, ==), indicator(indices == 0))) - 1;
rank = -1 if indices == 0 else count;
said = aggregate(select(rank, indices - 1, ==) or (select(indices, 0, ==) and select(indices, indices, ==)), tokens);
"""
FIRSTS = """
copies = selector_width((select(tokens, tokens, ==) and select(indices, indices, <)) or select(indices, 0, ==)) - 1;
often = selector_width(select(tokens, tokens, ==) or select(indices, 0, ==)) - 1;
word = "-" if copies > 0 else tokens;
key = (9 if copies > 0 else 0) - often;
"""
FREQUENT_BUT_FIRST = FIRSTS + SORT_BUT_FIRST.replace("tokens", "word").replace("word, word, <", "key, key, <").replace(
    "word, word, ==", "key, key, =="
)
CLAUSE = """
clause = selector_width(select(tokens, ",", ==) and select(indices, indices, <));
place = selector_width(select(clause, clause, ==) and select(indices, indices, <));
last = clause == clause[-1] and tokens != ",";
said = aggregate(select(place == 1 and last, True, ==), tokens, "-");
"""


def ranked_but_first(tokens: tuple[Any, ...]) -> list[Any]:
    return [tokens[0], *sorted(tokens[1:])]


def asked(tokens: tuple[Any, ...]) -> list[Any]:
    start = len("".join(tokens[:-1]).rpartition(",")[0] + "," * ("," in tokens[:-1]))
    second = tokens[start + 1 : start + 2]
    return [second[0] if second and second[0] != "," else "-"] * len(tokens)


Meaning = Callable[[tuple[Any, ...]], list[Any]]
CASES: dict[str, tuple[Callable[[int], CompiledProgram], Meaning]] = {
    "rising": (lambda n: compile(rising(), DIGITS, n), lambda x: [list(x) == sorted(x)] * len(x)),
    "spread": (lambda n: compile(spread(), DIGITS, n), lambda x: [x[i // 2] for i in range(len(x))]),
    "ends": (lambda n: compile(ends(), DIGITS, n), lambda x: [x[0] + x[-1]] * len(x)),
    "first of each": (
        lambda n: compile(first_of_each(), "abc", n),
        lambda x: [t if t not in x[:i] else None for i, t in enumerate(x)],
    ),
    "by pairs": (lambda n: compile(by_pairs(), "abc", n), lambda x: sorted(x)),
    "sorted but for the first": (lambda n: compile_rasp(SORT_BUT_FIRST, "abc", n), ranked_but_first),
    "clause": (lambda n: compile_rasp(CLAUSE, "ab,", n), asked),
}


@pytest.mark.parametrize("name", CASES)
def test_a_program_compiles_unchanged_and_says_what_it_means(name: str, tmp_path: Path) -> None:
    make, meaning = CASES[name]
    P = make(9)
    for n in range(1, 6):
        for tokens in product(P.vocabulary, repeat=n):
            assert P(list(tokens)) == meaning(tokens), tokens
    assert ws.check.computes(P, up_to=5).holds
    P.certificate().save(tmp_path / "c.json")
    assert replay(tmp_path / "c.json", P.transformer).safe_length == 9


@pytest.mark.long
@pytest.mark.parametrize("name", CASES)
def test_a_long_one_is_right_on_longer_inputs(name: str) -> None:
    P = CASES[name][0](40)
    assert ws.check.computes(P, up_to=9).holds


def test_the_most_frequent_come_first_but_for_the_first_position() -> None:
    P = compile_rasp(FREQUENT_BUT_FIRST, "abc", 9)
    assert ws.check.computes(P, up_to=6).holds
    assert P("abccb") == ["a", "b", "c", "-", "-"]


@pytest.mark.parametrize("name", ["rising", "spread", "first of each", "by pairs"])
def test_selectors_that_choose_one_key_need_two_heads_at_any_length(name: str) -> None:
    blocks = CASES[name][0](40).transformer.blocks
    assert all(block.attention is None or len(block.attention.heads) <= 2 for block in blocks)

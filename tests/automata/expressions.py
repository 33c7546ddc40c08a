"""Random regular expressions and texts, the same for the same seed: what `re` is compared with."""

import random
import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import NamedTuple

from weightsmith.model import tokens_text

VOCABULARIES: tuple[tuple[str, ...], ...] = (
    ("0", "1"),
    ("a", "b", "c"),
    ("\n", "a"),
    ("the", "cat", "sat"),
    ("é", "É", "e"),
    ("a", "_", "-"),
)
CLASSES = (r"\d", r"\D", r"\w", r"\W", r"\s", r"\S")
BOUNDS = ("*", "*", "+", "?", "{0}", "{2}", "{,2}", "{1,2}", "{2,}", "{1,3}")
ANCHORS = ("^", "$", r"\A", r"\Z", r"\b", r"\B")
FLAGGED = ("(?i:", "(?s:", "(?m:", "(?a:", "(?u:", "(?-i:", "(?ms-i:")
LOOKS = ("(?={})", "(?!{})", "(?>{})", "(?:{})*+", "(?:{})?+", "(?<=.){}", "(?<!a){}", r"({})\1", "({})?(?(1)a)")


class Drawn(NamedTuple):
    """An expression, the tokens of its inputs, and of which kind it is."""

    pattern: str
    vocabulary: tuple[str, ...]
    kind: str  # "plain", "anchors" with flags inside groups too, or "looks", which no automaton is made for


def drawn_expressions(count: int, seed: int) -> Iterator[Drawn]:
    """Return so many expressions that Python takes: 14 of 20 plain, 4 with anchors and flags, 2 that look around."""
    draw = random.Random(seed)
    kinds = ["plain"] * 14 + ["anchors"] * 4 + ["looks"] * 2
    while count:
        vocabulary, kind = draw.choice(VOCABULARIES), draw.choice(kinds)
        inner = partial(_expression, draw, sorted({*"".join(vocabulary)}), kind)
        pattern = inner(draw.randint(1, 3))
        if kind != "plain":
            sure = draw.choice(ANCHORS) if kind == "anchors" else draw.choice(LOOKS).format(inner(1))
            pattern = "".join((inner(1), sure, pattern)) if draw.random() < 0.5 else "".join((pattern, sure, inner(1)))
        try:
            re.compile(pattern)
        except re.error:  # a reference into an open group, or look-behind of no fixed width
            continue
        count -= 1
        yield Drawn(pattern, vocabulary, kind)


def texts(vocabulary: tuple[str, ...], seed: int) -> list[tuple[tuple[int, ...], str]]:
    """Return inputs as places in a vocabulary, each with its text: all up to four tokens, and some longer ones.

    None has more than some twelve letters: `re` can take exponential time.
    """
    draw, places = random.Random(seed), range(len(vocabulary))
    ids = [one for length in range(5) for one in product(places, repeat=length)]
    if len(max(vocabulary, key=len)) == 1:
        ids += [tuple(draw.choices(places, k=draw.randint(5, 12))) for _ in range(24)]
    return [(one, tokens_text(vocabulary, (vocabulary[i] for i in one))) for one in ids]


def _expression(draw: random.Random, letters: list[str], kind: str, depth: int) -> str:
    inner = partial(_expression, draw, letters, kind, depth - 1)
    if depth == 0 or draw.random() < 0.15:
        return _atom(draw, letters, kind)
    larger: list[Callable[[], str]] = [
        lambda: "".join(inner() for _ in range(draw.randint(2, 3))),
        lambda: f"({'|'.join(inner() for _ in range(draw.randint(2, 3)))})",
        lambda: f"{draw.choice(('(?:', '('))}{inner()}){draw.choice(BOUNDS)}{draw.choice(('', '', '?'))}",
        lambda: f"{_letter(draw, letters)}{draw.choice(BOUNDS)}{inner()}",
    ]
    if kind == "anchors":
        larger.append(lambda: f"{draw.choice(FLAGGED)}{inner()})")
    if kind == "looks":
        larger += [lambda: draw.choice(LOOKS).format(inner())] * 2
    return draw.choice(larger)()


def _atom(draw: random.Random, letters: list[str], kind: str) -> str:
    if kind == "anchors" and draw.random() < 0.3:
        return draw.choice(ANCHORS)
    return draw.choice([_letter, _letter, _letter, _letter, _dot, _class, _set, _set])(draw, letters)


def _letter(draw: random.Random, letters: list[str]) -> str:
    return _escaped(draw.choice(letters))


def _escaped(letter: str) -> str:
    return r"\n" if letter == "\n" else re.escape(letter)


def _dot(draw: random.Random, letters: list[str]) -> str:
    return "."


def _class(draw: random.Random, letters: list[str]) -> str:
    return draw.choice(CLASSES)


def _set(draw: random.Random, letters: list[str]) -> str:
    items = [_letter(draw, letters) for _ in range(draw.randint(1, 2))]
    if draw.random() < 0.3:
        low, high = sorted(draw.choices(letters, k=2))
        items.append(f"{_escaped(low)}-{_escaped(high)}")
    if draw.random() < 0.2:
        items.append(draw.choice(CLASSES))
    return f"[{draw.choice(('', '', '^'))}{''.join(items)}]"

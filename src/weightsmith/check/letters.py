"""Letters of a regular expression that no token has: nothing matches there, which is mostly a mistake."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from weightsmith.check.languages import Language, Matching, Regular
from weightsmith.check.parse_tree import NotTranslatedError, class_text, flags_inside, parse_tree, set_text
from weightsmith.errors import listed


def foreign_letters(language: Language, vocabulary: tuple[str, ...]) -> str | None:
    """Say which letters of a language's expression no token has; None where there are none, or no expression."""
    pattern = language.pattern if isinstance(language, Matching | Regular) else None
    if pattern is None:
        return None
    gap = "" if all(len(token) == 1 for token in vocabulary) else " "
    letters = {*"".join(vocabulary), *gap}
    try:
        tree, flags = parse_tree(pattern)
        sets = dict.fromkeys(_sets(tree, flags))
        found = [_written(*one) for one in sets if not _matches(*one, letters)]
    except (NotTranslatedError, AttributeError, TypeError, ValueError, RecursionError):
        return None  # nothing is known
    if not found:
        return None
    return f"has {listed(found)}, which no token of the vocabulary {listed(vocabulary)} has: nothing matches there"


_Set = tuple[tuple[str, Any], ...]  # as in the parse tree of an expression


def _sets(nodes: Iterable[tuple[object, Any]], flags: int) -> Iterator[tuple[_Set, int]]:
    """Return the sets of letters in a parse tree, each with its flags; a set that is not negated by its members."""
    for node, value in nodes:
        match str(node):
            case "LITERAL":
                yield (("LITERAL", value),), flags
            case "NOT_LITERAL":
                yield (("NEGATE", None), ("LITERAL", value)), flags
            case "IN":
                items = tuple((str(item), inner) for item, inner in value)
                yield from ((one, flags) for one in ([items] if items[0][0] == "NEGATE" else [(i,) for i in items]))
            case "SUBPATTERN":
                yield from _sets(value[-1], flags_inside(value, flags))
            case _:
                yield from (found for inner in _inner(value) for found in _sets(inner, flags))


def _inner(value: Any) -> Iterator[Any]:
    """Return the expressions in what a node of the parse tree has: a repeat, a branch, a look ahead."""
    if type(value).__name__ == "SubPattern":
        yield value
    elif isinstance(value, list | tuple):
        yield from (found for part in value for found in _inner(part))


def _matches(items: _Set, flags: int, letters: Iterable[str]) -> bool:
    one = re.compile(set_text("IN", items), flags)
    return any(one.fullmatch(letter) for letter in letters)


def _written(items: _Set, flags: int) -> str:
    """Return a set as one writes it."""
    texts = []
    for item, value in items:
        match item:
            case "LITERAL":
                texts.append(chr(value))
            case "RANGE":
                texts.append(f"{chr(value[0])}-{chr(value[1])}")
            case "CATEGORY":
                texts.append(class_text(value))
            case _:
                texts.append("^")
    return "".join(texts) if items[0][0] != "NEGATE" else f"[{''.join(texts)}]"

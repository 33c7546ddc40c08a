"""The parse tree of a regular expression, made by Python's `re`, and the letters that no token has.

Only this file knows the tree, which belongs to a private module of Python. If that module is missing or different, `re`
matches every input.
"""

import re
import warnings
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any, TypeAlias

from weightsmith.errors import InputError, brief, listed
from weightsmith.model import separator

PARSER = "re._parser"
TYPES = int(re.ASCII | re.LOCALE | re.UNICODE)  # mutually exclusive flags
READ_BY_PARSER = int(re.VERBOSE | re.DEBUG)  # flags that leave no trace in the tree
CLASSES = {"DIGIT": r"\d", "NOT_DIGIT": r"\D", "SPACE": r"\s", "NOT_SPACE": r"\S", "WORD": r"\w", "NOT_WORD": r"\W"}
ANCHORS = {
    "BEGINNING": "^",
    "BEGINNING_STRING": r"\A",
    "BOUNDARY": r"\b",
    "NON_BOUNDARY": r"\B",
    "END": "$",
    "END_STRING": r"\Z",
}


Items: TypeAlias = tuple[tuple[str, Any], ...]  # the parts of a set of characters in a parse tree


class NotTranslatedError(Exception):
    """The expression is not regular, is too large, or has an unknown node."""


def read_pattern(pattern: str | re.Pattern[str]) -> re.Pattern[str]:
    """Return a compiled regular expression, or raise an error with the position."""
    if not isinstance(pattern.pattern if isinstance(pattern, re.Pattern) else pattern, str):
        raise InputError(f"{brief(pattern)} is not a regular expression of texts: write '(01)*', for example")
    try:
        return re.compile(pattern)
    except re.error as error:
        at = error.pos or 0
        reason = f"{error.msg} at place {at}, {brief(str(pattern)[at:])}"
    except (ValueError, OverflowError) as error:  # flags that exclude each other, a huge repeat
        reason = str(error)
    except RecursionError:
        reason = "its groups are nested too deeply"
    raise InputError(
        f"{brief(pattern)} is not a regular expression: {reason}; write a backslash before what is meant literally"
    )


def parse_tree(pattern: re.Pattern[str]) -> tuple[Any, int]:
    """Return Python's parse tree of an expression, and its flags."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # re.compile has issued them already
            tree = import_module(PARSER).parse(pattern.pattern, pattern.flags & ~re.DEBUG)
        return tree, int(tree.state.flags) & ~READ_BY_PARSER
    except (ImportError, AttributeError, TypeError, ValueError):  # a Python whose parser looks different
        raise NotTranslatedError from None


def flags_inside(group: Any, flags: int) -> int:
    """Return the flags inside a group of the parse tree, such as (?i:…)."""
    _, added, removed, _ = group
    return int(((flags & ~TYPES if added & TYPES else flags) | added) & ~removed)


def set_text(kind: str, value: Any) -> str:
    """Return a set of characters as an expression, to be matched by `re`."""
    if kind == "ANY":
        return "."
    if kind != "IN":
        value = [("NEGATE", None)] * (kind == "NOT_LITERAL") + [("LITERAL", value)]
    return f"[{''.join(_items(value))}]"


def _items(items: Iterable[tuple[object, Any]]) -> Iterator[str]:
    for item, value in items:
        match str(item):
            case "NEGATE":
                yield "^"
            case "LITERAL":
                yield f"\\U{value:08x}"
            case "RANGE":
                yield f"\\U{value[0]:08x}-\\U{value[1]:08x}"
            case "CATEGORY":
                yield class_text(value)
            case _:
                raise NotTranslatedError


def class_text(code: object) -> str:
    r"""Return a class of characters, such as \d, as an expression."""
    return _named(CLASSES, "CATEGORY_", code)


def anchor_text(code: object) -> str:
    """Return an anchor as an expression."""
    return _named(ANCHORS, "AT_", code)


def _named(texts: dict[str, str], prefix: str, code: object) -> str:
    text = texts.get(str(code).removeprefix(prefix))
    if text is None:
        raise NotTranslatedError
    return text


def foreign_letters(pattern: re.Pattern[str], vocabulary: tuple[str, ...]) -> str | None:
    """Return a warning about letters of an expression that no token has, mostly a mistake; None for none."""
    letters = {*"".join(vocabulary), *separator(vocabulary)}
    try:
        tree, flags = parse_tree(pattern)
        sets = dict.fromkeys(_sets(tree, flags))
        found = [_written(*one) for one in sets if not _matches(*one, letters)]
    except (NotTranslatedError, AttributeError, TypeError, ValueError, RecursionError):
        return None  # unknown
    if not found:
        return None
    return f"has {listed(found)}, which no token of the vocabulary {listed(vocabulary)} has: nothing matches there"


def named_letters(pattern: re.Pattern[str]) -> str:
    """Return the letters that an expression names, in its order; those of ranges and classes are not named."""
    try:
        tree, flags = parse_tree(pattern)
        found = [items for items, _ in _sets(tree, flags) if items[0][0] == "LITERAL"]
    except (NotTranslatedError, AttributeError, TypeError, ValueError, RecursionError):
        return ""
    return "".join(dict.fromkeys(chr(value) for ((_, value),) in found))


def _sets(nodes: Iterable[tuple[object, Any]], flags: int) -> Iterator[tuple[Items, int]]:
    """Return the sets of letters in a parse tree with their flags; a set that is not negated, member by member."""
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
    """Return the expressions inside a node of the parse tree: a repeat, a branch, a lookahead."""
    if type(value).__name__ == "SubPattern":
        yield value
    elif isinstance(value, list | tuple):
        yield from (found for part in value for found in _inner(part))


def _matches(items: Items, flags: int, letters: Iterable[str]) -> bool:
    one = re.compile(set_text("IN", items), flags)
    return any(one.fullmatch(letter) for letter in letters)


def _written(items: Items, flags: int) -> str:
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

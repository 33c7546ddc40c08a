"""Python's own parse tree of a regular expression, and how its parts are written as expressions again."""

import re
import warnings
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any

TYPES = int(re.ASCII | re.LOCALE | re.UNICODE)
READ_BY_PARSER = int(re.VERBOSE | re.DEBUG)
CLASSES = {"DIGIT": r"\d", "NOT_DIGIT": r"\D", "SPACE": r"\s", "NOT_SPACE": r"\S", "WORD": r"\w", "NOT_WORD": r"\W"}
ANCHORS = {
    "BEGINNING": "^",
    "BEGINNING_STRING": r"\A",
    "BOUNDARY": r"\b",
    "NON_BOUNDARY": r"\B",
    "END": "$",
    "END_STRING": r"\Z",
}


class NotTranslatedError(Exception):
    """The expression is not regular, is too large, or has something unknown in it."""


def parse_tree(pattern: re.Pattern[str]) -> tuple[Any, int]:
    """Return Python's own parse tree of an expression, and the flags that hold in it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # re.compile has given them already
            tree = import_module("re._parser").parse(pattern.pattern, pattern.flags & ~re.DEBUG)
        return tree, int(tree.state.flags) & ~READ_BY_PARSER
    except (ImportError, AttributeError, TypeError, ValueError):  # a Python whose parser looks different
        raise NotTranslatedError from None


def flags_inside(group: Any, flags: int) -> int:
    """Return the flags that hold inside a group of the parse tree, such as (?i:…)."""
    _, added, removed, _ = group
    return int(((flags & ~TYPES if added & TYPES else flags) | added) & ~removed)


def set_text(kind: str, value: Any) -> str:
    """Write a set of characters as an expression again, so that `re` can say what belongs to it."""
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
    r"""Write a class of characters, such as \d, as an expression again."""
    return _named(CLASSES, "CATEGORY_", code)


def anchor_text(code: object) -> str:
    """Write an anchor as an expression again."""
    return _named(ANCHORS, "AT_", code)


def _named(texts: dict[str, str], prefix: str, code: object) -> str:
    text = texts.get(str(code).removeprefix(prefix))
    if text is None:
        raise NotTranslatedError
    return text

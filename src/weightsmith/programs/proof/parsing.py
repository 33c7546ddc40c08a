"""Checked values from untrusted data: unknown keys, other types and numbers out of range are refused by name."""

from typing import Any, NoReturn

import numpy as np

from weightsmith.errors import FileError, brief
from weightsmith.programs.proof.space import Integers

MOST_ENTRIES = 4_000_000  # of a table, or of whole numbers in a list
LARGEST = 1 << 42


def refuse(what: str) -> NoReturn:
    """Refuse a certificate."""
    raise FileError(f"the certificate is damaged: {what}")


def keys(data: Any, what: str, needed: str, more: str = "") -> dict[str, Any]:
    """Return an object that has all the needed keys, and no others but `more`."""
    if not isinstance(data, dict):
        refuse(f"{what} is {brief(data)}, and not an object")
    for name in needed.split():
        if name not in data:
            refuse(f"{what} lacks {name!r}")
    for name in data:
        if name not in needed.split() and name not in more.split():
            refuse(f"{what} has the unknown key {brief(name)}")
    return data


def whole(value: Any, what: str, low: int = -LARGEST, high: int = LARGEST) -> int:
    """Return a whole number between two others."""
    if type(value) is not int or not low <= value <= high:
        refuse(f"{what} is {brief(value)}, and not a whole number from {low:,} to {high:,}")
    return value


def truth(value: Any, what: str) -> bool:
    """Return a truth value."""
    if type(value) is not bool:
        refuse(f"{what} is {brief(value)}, and not true or false")
    return value


def items(value: Any, what: str, most: int = MOST_ENTRIES) -> list[Any]:
    """Return a list of limited length."""
    if not isinstance(value, list):
        refuse(f"{what} is {brief(value)}, and not a list")
    if len(value) > most:
        refuse(f"{what} has {len(value):,} items, and at most {most:,} are read")
    return value


def pair(value: Any, what: str) -> list[Any]:
    """Return a list of two items."""
    found = items(value, what, 2)
    if len(found) != 2:
        refuse(f"{what} is {brief(value)}, and not a pair")
    return found


def text(value: Any, what: str) -> str:
    """Return a text of a line."""
    if not isinstance(value, str) or len(value) > 1000:
        refuse(f"{what} is {brief(value)}, and not a short text")
    return value


def integers(data: Any, what: str, low: int = -LARGEST, high: int = LARGEST) -> Integers:
    """Return whole numbers: a list of them, or equal steps."""
    if isinstance(data, dict):
        steps = keys(data, what, "from step count")
        count = whole(steps["count"], what, 1, MOST_ENTRIES)
        first, step = whole(steps["from"], what, low, high), whole(steps["step"], what)
        whole(first + step * (count - 1), what, low, high)
        return first + step * np.arange(count)
    listed = items(data, what)
    for one in listed:
        whole(one, what, low, high)
    return np.array(listed, np.int64)


def integers_data(values: Integers) -> Any:
    """Return whole numbers as `integers` reads them; equal steps by their beginning, step and count."""
    if len(values) > 4:
        steps = np.diff(values)
        if (steps == steps[0]).all():
            return {"from": int(values[0]), "step": int(steps[0]), "count": len(values)}
    return values.tolist()

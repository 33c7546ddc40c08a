"""Errors, checks of numbers, and how values are shown: a message names the thing, the value and the line to write."""

from collections.abc import Sequence
from difflib import get_close_matches
from numbers import Integral
from typing import TypeGuard


class WeightsmithError(ValueError):
    """The base of every error raised on purpose by Weightsmith."""


class LawError(WeightsmithError):
    """A rewrite needs a law that the arithmetic lacks."""


class ModelError(WeightsmithError):
    """A transformer, or a part of one, is malformed."""


class InputError(WeightsmithError):
    """An argument does not fit."""


class UnknownError(WeightsmithError):
    """A budget was spent before there was an answer; the message says where."""


class FileError(ModelError):
    """A file does not hold a valid transformer, or cannot be read or written."""


class ExportError(ModelError):
    """A transformer cannot be exported as wanted, or the export decides otherwise."""


MAX_ECHO = 200  # characters of an argument that an error repeats
NAME_ECHO = 80  # of these for a single value: a message may have to name several
MORE = 24  # characters that say how many more there are
DEEPEST_ECHO = 8  # lists in each other that are written out
LONGEST_INTEGER = 10_000  # bits; Python refuses to write out 4,300 digits


def cut(text: str, most: int = MAX_ECHO) -> str:
    """Return a text, cut to at most `most` characters."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def brief(value: object, most: int = NAME_ECHO) -> str:
    """Return the repr of anything, cut, in little time and memory: no more of it is written than is shown."""
    return _written(value, most, 0)[:most]


def _written(value: object, most: int, depth: int) -> str:
    kind = type(value)
    if isinstance(value, str | bytes) and kind in (str, bytes):
        return repr(value[:most])
    if isinstance(value, int) and kind is int and value.bit_length() > LONGEST_INTEGER:
        return "a huge number"
    if isinstance(value, list | tuple | dict) and kind in (list, tuple, dict):
        return _contents(value, most, depth)
    try:
        return repr(value)
    except Exception:  # raised by __repr__
        return f"<{kind.__name__}>"


def _contents(value: list[object] | tuple[object, ...] | dict[object, object], most: int, depth: int) -> str:
    brackets = {list: "[]", tuple: "()", dict: "{}"}[type(value)]
    if depth > DEEPEST_ECHO:
        return "…".join(brackets)
    text = brackets[0]
    for n, item in enumerate(value):
        if len(text) > most:
            return text
        text += (", " if n else "") + _written(item, most - len(text), depth + 1)
        if isinstance(value, dict):
            text += ": " + _written(value[item], most - len(text), depth + 1)
    return text + ("," if type(value) is tuple and len(value) == 1 else "") + brackets[1]


def is_whole(value: object) -> TypeGuard[int]:
    """Say whether a value is a whole number: Python's or numpy's, but no truth value."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def whole_number(value: object, name: str, least: int, most: int | None = None, meaning: str | None = None) -> int:
    """Return a whole number within its bounds as an int; otherwise refuse it and say what to write.

    `meaning` is what to write: "how many tokens to generate, 0 or more". By default it is the bounds.
    """
    if is_whole(value) and least <= int(value) and (most is None or int(value) <= most):
        return int(value)
    bounds = f"a whole number from {least} {'on' if most is None else f'to {most}'}"
    raise InputError(f"{name}={brief(value)}: write {bounds if meaning is None else meaning}")


def whole_field(record: object, name: str, least: int, most: int | None = None, meaning: str | None = None) -> None:
    """Check a field of a dataclass with `whole_number`, and store it as an int."""
    object.__setattr__(record, name, whole_number(getattr(record, name), name, least, most, meaning))


def existing(number: object, count: int, what: str, where: str = "") -> int:
    """Return the number of one of `count` things, counted from 0; otherwise say how many there are."""
    if is_whole(number) and 0 <= int(number) < count:
        return int(number)
    there = f"the {what}s are 0 to {count - 1}" if count else "there is none"
    raise InputError(f"there is no {what} {brief(number)}{where}: {there}")


def position_of(position: object, length: int) -> int:
    """Return a position of an input, counted from 0; negative ones count from the end, as in Python."""
    if is_whole(position) and -length <= int(position) < length:
        return int(position) % length
    raise InputError(
        f"there is no position {brief(position)}: write 0 to {length - 1}, or -{length} to -1 from the end"
    )


def shown(name: str) -> str:
    """Return a name as it may be printed: plainly if that is clear, else quoted with escapes."""
    plain = name.isprintable() and name.strip() == name and name != ""
    return name if plain else repr(name)


def named(name: object, most: int = NAME_ECHO) -> str:
    """Return a name as an error may repeat it: shown, and cut."""
    return cut(shown(name[: most + 1]), most) if isinstance(name, str) else brief(name, most)


def listed(names: Sequence[str], most: int = 12, letters: int | None = MAX_ECHO) -> str:
    """Return names as a list for a message, cut after `most` names and `letters` letters (None: any number)."""
    head: list[str] = []
    for name in names[:most]:
        text = shown(name) if letters is None else named(name)
        if head and letters is not None and len(", ".join([*head, text])) > letters - MORE:
            break
        head.append(text)
    return ", ".join(head) + ("" if len(head) == len(names) else f", … ({len(names)} in all)")


def reason(error: Exception) -> str:
    """Return why a file could not be read or written, in the system's words if it has any."""
    return getattr(error, "strerror", None) or str(error)


def nearest_names(name: str, names: Sequence[str]) -> str:
    """Return "did you mean …?" with the nearest names."""
    if len(names) > 1000:  # it takes its time
        return ""
    close = get_close_matches(name[:NAME_ECHO], [other for other in names if len(other) <= NAME_ECHO], n=3)
    return f"did you mean {listed(close, letters=NAME_ECHO)}? " if close else ""

"""Everything that Weightsmith refuses, and how values are shown in errors: each names the thing, the value and what to
write instead."""

from collections.abc import Sequence
from difflib import get_close_matches


class WeightsmithError(ValueError):
    """The base of every error raised on purpose by Weightsmith."""


class LawError(WeightsmithError):
    """A rewrite needs a law that the arithmetic lacks."""


class ModelError(WeightsmithError):
    """A transformer, or a part of one, is malformed."""


class InputError(WeightsmithError):
    """A value, a text or a name given to Weightsmith does not fit."""


class FileError(ModelError):
    """A file does not hold a valid transformer, or cannot be read or written."""


MAX_ECHO = 200  # characters of what was given that an error repeats


def cut(text: str, most: int = MAX_ECHO) -> str:
    """Return a text that was given, or its beginning."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def brief(value: object) -> str:
    """Return the repr of anything, cut; also of integers that Python refuses to write out."""
    try:
        return f"{value!r:.80}"
    except ValueError:
        return "a huge number"


def whole_number(value: object, name: str, least: int, most: int | None = None, meaning: str | None = None) -> int:
    """Return a whole number within its bounds, or say what to write; truth values are none.

    `meaning` is what to write: "how many tokens to generate, 0 or more". Without it the bounds are said.
    """
    if type(value) is int and least <= value and (most is None or value <= most):
        return value
    bounds = f"a whole number from {least} {'on' if most is None else f'to {most}'}"
    raise InputError(f"{name}={brief(value)}: write {bounds if meaning is None else meaning}")


def shown(name: str) -> str:
    """Return a name as it may be printed: plainly if that is clear, else quoted with escapes."""
    plain = name.isprintable() and name.strip() == name and name != ""
    return name if plain else repr(name)


def listed(names: Sequence[str], most: int = 12) -> str:
    """Return names as a list for a message, cut after some."""
    head = ", ".join(shown(name) for name in names[:most])
    return head if len(names) <= most else f"{head}, … ({len(names)} in all)"


def reason(error: Exception) -> str:
    """Return why a file could not be read or written: the system's own words where there are some."""
    return getattr(error, "strerror", None) or str(error)


def nearest_names(name: str, names: Sequence[str]) -> str:
    """Say what could have been meant."""
    close = get_close_matches(name, names, n=3) if len(names) <= 1000 else []  # it takes its time
    return f"did you mean {listed(close)}? " if close else ""

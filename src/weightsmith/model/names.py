"""Names of lanes, tokens and classes: checked once, and shown safely."""

from collections import Counter
from collections.abc import Sequence

from weightsmith.errors import MAX_ECHO, InputError, ModelError, brief, listed, named, nearest_names

MAX_NAME = 200
MAX_TEXT = 2000
AT_ONCE = 4096  # names that are checked together


def checked_names(names: Sequence[str], what: str, printable: bool) -> tuple[str, ...]:
    """Return the names as a tuple; refuse none at all, duplicates, empty, over-long and (for lanes) invisible ones."""
    if not isinstance(names, list | tuple):  # a set has no order
        raise ModelError(f"{what} must be a list or tuple of names, and it is {brief(names)}")
    result = tuple(names)
    if not result:
        raise ModelError(f"{what} is empty: at least one name is needed")
    for begin in range(0, len(result), AT_ONCE):
        some = result[begin : begin + AT_ONCE]
        if not _are_sound(some, printable):
            _refuse(some, what, printable)
    if len(set(result)) != len(result):
        twice = next(name for name, count in Counter(result).items() if count > 1)
        raise ModelError(f"{what} has {named(twice)} twice: names must differ")
    return result


def _are_sound(names: tuple[str, ...], printable: bool) -> bool:
    """Return whether many names are valid: a quick check of all their letters at once."""
    if set(map(type, names)) != {str} or not all(names) or max(map(len, names)) > MAX_NAME:
        return False
    text = "".join(names)
    return is_unicode(text) and (not printable or text.isprintable())


def _refuse(names: tuple[str, ...], what: str, printable: bool) -> None:
    """Raise the error for the first invalid name."""
    for name in names:
        checked_text(name, f"a name in {what}", printable, MAX_NAME)
        if not name:
            raise ModelError(f"a name in {what} is empty")


def checked_text(text: object, what: str, printable: bool = True, most: int = MAX_TEXT) -> str:
    """Return a text; refuse other types, too long texts, invalid Unicode and, if asked, invisible characters."""
    if not isinstance(text, str):
        raise ModelError(f"{what} must be a text, and it is {brief(text)}")
    if len(text) > most:
        raise ModelError(f"{what} has {len(text)} characters, at most {most} are allowed: {brief(text[:40])}…")
    if not is_unicode(text) or (printable and not text.isprintable()):
        raise ModelError(f"{what} has characters that cannot be shown: {brief(text, MAX_ECHO)}")
    return text


def is_unicode(text: str) -> bool:
    """Return whether a text is valid Unicode: without lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def place_of(name: object, names: Sequence[str], what: str) -> int:
    """Return the index of a name; an unknown one is refused with the names that there are."""
    if isinstance(name, str) and name in names:
        return names.index(name)
    text = name if isinstance(name, str) else brief(name)
    raise InputError(f"there is no {what} {named(text)}: {nearest_names(text[:80], names)}write {listed(names)}")

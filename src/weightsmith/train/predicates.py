"""Predicates of strings, in words: contains 11, starts with 0, matches (01)*."""

import re
from collections.abc import Callable

from weightsmith.errors import InputError, cut, named

FORMS = {
    "contains WORD": re.compile(r"contains (\S+)"),
    "starts with WORD": re.compile(r"starts with (\S+)"),
    "ends with WORD": re.compile(r"ends with (\S+)"),
    "odd number of SYMBOL": re.compile(r"odd number of (\S)"),
    "more SYMBOL than SYMBOL": re.compile(r"more (\S) than (\S)"),
    "first equals last": re.compile(r"(first) equals last"),
    "matches REGEX": re.compile(r"matches (.+)"),
}


def predicate(words: str) -> Callable[[str], bool]:
    """Return the function of a string that is said in words.

    >>> predicate("contains 11")("0110"), predicate("more 1 than 0")("0110")
    (True, False)
    """
    for form, pattern in FORMS.items() if isinstance(words, str) else ():
        found = pattern.fullmatch(words.strip())
        if found is not None:
            return _function(form, found.groups())
    raise InputError(f"the predicate {named(words)} is not understood: write one of {'; '.join(FORMS)}")


def _function(form: str, words: tuple[str, ...]) -> Callable[[str], bool]:
    word = words[0]
    match form.partition(" ")[0]:
        case "contains":
            return lambda string: word in string
        case "starts":
            return lambda string: string.startswith(word)
        case "ends":
            return lambda string: string.endswith(word)
        case "odd":
            return lambda string: string.count(word) % 2 == 1
        case "more":
            return lambda string: string.count(word) > string.count(words[1])
        case "first":
            return lambda string: string[0] == string[-1]
    try:
        pattern = re.compile(word)
    except (re.error, OverflowError, RecursionError) as error:
        raise InputError(f"the regular expression {named(word)} cannot be read: {cut(str(error))}") from None
    return lambda string: pattern.fullmatch(string) is not None

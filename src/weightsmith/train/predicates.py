"""Predicates of strings, in words: contains 11, starts with 0, matches (01)*."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from weightsmith.automata import compile_regex
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


@dataclass(frozen=True)
class Rule:
    """A predicate that was said in words: a function of a string, and its language."""

    form: str
    words: tuple[str, ...]

    def __call__(self, string: str) -> bool:
        """Return whether the predicate holds."""
        word = self.words[0]
        match self.form.partition(" ")[0]:
            case "contains":
                return word in string
            case "starts":
                return string.startswith(word)
            case "ends":
                return string.endswith(word)
            case "odd":
                return string.count(word) % 2 == 1
            case "more":
                return string.count(word) > string.count(self.words[1])
            case "first":
                return string[0] == string[-1]
        return re.fullmatch(word, string) is not None

    def expression(self, vocabulary: Sequence[str]) -> str | None:
        """Return a regular expression for the strings of which it holds; None where no automaton decides that.

        >>> predicate("first equals last").expression("01")
        '0|0[01]*0|1|1[01]*1'
        """
        if any(len(symbol) > 1 for symbol in vocabulary):
            return None  # it then is about tokens, and not about their text
        symbols = [re.escape(symbol) for symbol in vocabulary]
        word, any_string = re.escape(self.words[0]), f"[{''.join(symbols)}]*"
        match self.form.partition(" ")[0]:
            case "contains":
                return f"{any_string}{word}{any_string}"
            case "starts":
                return f"{word}{any_string}"
            case "ends":
                return f"{any_string}{word}"
            case "odd":
                return f"([^{word}]*{word}[^{word}]*{word})*[^{word}]*{word}[^{word}]*"
            case "more":
                return None
            case "first":
                return "|".join(f"{symbol}|{symbol}{any_string}{symbol}" for symbol in symbols)
        return None if compile_regex(self.words[0], tuple(vocabulary)) is None else self.words[0]


def predicate(words: str) -> Rule:
    """Return the function of a string that is said in words.

    >>> predicate("contains 11")("0110"), predicate("more 1 than 0")("0110")
    (True, False)
    """
    for form, pattern in FORMS.items() if isinstance(words, str) else ():
        found = pattern.fullmatch(words.strip())
        if found is not None:
            if form == "matches REGEX":
                _check_readable(found[1])
            return Rule(form, found.groups())
    raise InputError(f"the predicate {named(words)} is not understood: write one of {'; '.join(FORMS)}")


def _check_readable(expression: str) -> None:
    try:
        re.compile(expression)
    except (re.error, OverflowError, RecursionError) as error:
        raise InputError(f"the regular expression {named(expression)} cannot be read: {cut(str(error))}") from None

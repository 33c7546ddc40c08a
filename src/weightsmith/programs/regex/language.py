"""The language to compile: an expression or an automaton, read over a vocabulary."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weightsmith.automata import Automaton, compile_regex, foreign_letters, parser_is_known, smallest
from weightsmith.automata.expressions import named_letters, read_pattern
from weightsmith.errors import InputError, brief, cut, listed
from weightsmith.model.names import checked_names


@dataclass(frozen=True)
class ReadLanguage:
    """A language: as it was given, its smallest automaton over the vocabulary, and a text for it."""

    given: re.Pattern[str] | Automaton
    automaton: Automaton
    source: str

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The tokens."""
        return tuple(self.automaton.vocabulary)


def read_language(given: object, vocabulary: str | Sequence[str] | None) -> ReadLanguage:
    """Return a language; refuse what is no regular expression, and letters that no token has."""
    if isinstance(given, Automaton):
        tokens = _tokens_of(given, vocabulary)
        plain = Automaton(given.table, given.accepting, given.start, tokens)
        return ReadLanguage(plain, smallest(plain), f"an automaton of {len(given.table)} states")
    if not isinstance(given, str | re.Pattern):
        raise InputError(
            f"{brief(given)} is no language: write a regular expression, such as '(a|b)*ab', or Automaton(…)"
        )
    pattern = read_pattern(given)
    tokens = _checked(named_letters(pattern) if vocabulary is None else vocabulary, pattern.pattern)
    foreign = foreign_letters(pattern, tokens) if parser_is_known() else None
    if foreign is not None:
        raise InputError(f"the expression {foreign}; write vocabulary= with all tokens")
    found = compile_regex(pattern, tokens)
    if found is None:
        raise InputError(
            f"{brief(pattern.pattern)} has no automaton: it is too large, or it has lookaround, references, atomic "
            "groups or possessive repeats; write an expression without them, or Automaton(…)"
        )
    return ReadLanguage(
        pattern, Automaton(found.table, found.accepting, found.start, tokens), cut(pattern.pattern, 1000)
    )


def without_empty_input(automaton: Automaton) -> Automaton:
    """Return the smallest automaton that accepts the same non-empty inputs.

    The empty input has no decision. So a start to which nothing leads back may accept or not, whichever makes it equal
    to another state.
    """
    if (automaton.table == automaton.start).any():
        return automaton
    accepting = np.array(automaton.accepting)
    accepting[automaton.start] = not accepting[automaton.start]
    other = smallest(Automaton(automaton.table, accepting, automaton.start, automaton.vocabulary))
    return other if len(other.table) < len(automaton.table) else automaton


def _tokens_of(automaton: Automaton, vocabulary: str | Sequence[str] | None) -> tuple[str, ...]:
    own = tuple(automaton.vocabulary)
    if vocabulary is None:
        if not own:
            raise InputError(
                "the automaton has no vocabulary: write vocabulary='ab', a token for each column of its table"
            )
        return own
    tokens = _checked(vocabulary, "")
    if own and own != tokens:
        raise InputError(f"vocabulary={listed(tokens)}, and the automaton reads {listed(own)}: leave out vocabulary")
    if len(tokens) != automaton.table.shape[1]:
        raise InputError(
            f"vocabulary={listed(tokens)}, and the automaton reads {automaton.table.shape[1]} tokens: write one for "
            "each column of its table"
        )
    return tokens


def _checked(vocabulary: str | Sequence[str], expression: str) -> tuple[str, ...]:
    if not vocabulary and expression:
        raise InputError(f"{brief(expression)} names no letter: write vocabulary='ab', for example")
    return checked_names(
        tuple(vocabulary) if isinstance(vocabulary, str) else vocabulary, "vocabulary", printable=False
    )

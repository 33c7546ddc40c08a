"""Claims over all inputs: checked exhaustively up to a length, or refuted by the shortest input.

Each function takes `up_to`, the length of the longest inputs, and the same options: `workers` (cores; all by default),
`memory` (bytes; 1 GiB by default), `ledger` (a file that lets a killed check go on), `cluster` (the address of a Dask
scheduler) and `progress` (a function of the inputs done and of all).
"""

from collections.abc import Callable
from typing import Any, Unpack

from weightsmith.check.automaton import Automaton
from weightsmith.check.claims import (
    AgreesWith,
    Condition,
    FinalVectors,
    Recognizes,
    SameDecisions,
    SameLogits,
    checked_model,
)
from weightsmith.check.engine import Options, decide
from weightsmith.check.explain import Divergence
from weightsmith.check.languages import language
from weightsmith.check.replay import Replay, replay
from weightsmith.check.verdict import Verdict
from weightsmith.model import Transformer

__all__ = [
    "Automaton",
    "Divergence",
    "Replay",
    "Verdict",
    "agrees_with",
    "final_vectors",
    "recognizes",
    "replay",
    "same_decisions",
    "same_logits",
]


def same_decisions(S: Transformer, T: Transformer, up_to: int, **options: Unpack[Options]) -> Verdict:
    """Claim that two transformers decide every input alike.

    >>> from weightsmith import library
    >>> S = library.contains("1")
    >>> print(same_decisions(S, ~~S, up_to=4).inputs)
    30
    """
    return decide(SameDecisions(S, T), up_to, **options)


def same_logits(S: Transformer, T: Transformer, up_to: int, **options: Unpack[Options]) -> Verdict:
    """Claim that two transformers give the same logits for every input, bit for bit."""
    return decide(SameLogits(S, T), up_to, **options)


def recognizes(
    T: Transformer, predicate: object, up_to: int, *, yes: str = "YES", **options: Unpack[Options]
) -> Verdict:
    """Claim that the decision is YES for the inputs of a set and for no others.

    The set is a compiled regular expression, which an input must match as a whole, an `Automaton`, or a function that
    is called once with each input: a text where every token is one character, else a tuple of tokens.

    >>> import re
    >>> from weightsmith import library
    >>> recognizes(library.contains("1"), re.compile("0*1.*"), up_to=10).holds
    True
    """
    checked_model(T, "first")
    return decide(Recognizes(T, language(predicate, tuple(T.vocabulary)), yes), up_to, **options)


def agrees_with(T: Transformer, function: Callable[[Any], str], up_to: int, **options: Unpack[Options]) -> Verdict:
    """Claim that a transformer whose classes are tokens decides as a function does, called once with each input."""
    return decide(AgreesWith(checked_model(T, "first"), function), up_to, **options)


def final_vectors(T: Transformer, condition: Condition, up_to: int, **options: Unpack[Options]) -> Verdict:
    """Claim something of the last vector of the stream.

    The condition takes an array (inputs, lanes) and gives a bool for each input.
    """
    return decide(FinalVectors(checked_model(T, "first"), condition), up_to, **options)

"""Claims over all inputs: proved for all lengths, checked exhaustively up to a length, or refuted by the shortest.

Without `up_to`, `recognizes` and `same_decisions` decide inputs of every length by automata. The claim is proved once
`weightsmith/verify.py` has accepted the proof. It is unknown (`verdict.holds is None`) where `seconds` (for the whole
call), `states` (of a machine) or `memory` were not enough.

Every claim takes `up_to`, the length of the longest inputs, and by name

- which inputs it is about: `length=4` (those of this length only, instead of `up_to`), `within="a*b*"` (those of a
  language only), and `suffix=("END",)` (tokens that follow each input, and are no part of it, for the models that know
  them);
- with what it is checked: `workers` (cores; all by default), `memory` (bytes; 1 GiB by default), `ledger` (a file that
  lets a killed check go on), `cluster` (the address of a Dask scheduler), `insecure_network` (True accepts a cluster
  that other machines reach without TLS, and run any code on) and `progress` (a function of the inputs done and of all).

A language is a regular expression for the whole input ("(0|1)*11", or compiled), an `Automaton`, a language by name
(`weightsmith.languages.majority("1")`), or a function that is called once with each input: a text where every token is
one character, else a tuple of tokens.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Unpack

from weightsmith import programs
from weightsmith.automata import Automaton, Describing, foreign_letters, language, parser_is_known
from weightsmith.check.citation import cite
from weightsmith.check.claim import Claim
from weightsmith.check.claims import AgreesWith, Condition, FinalVectors, Recognizes
from weightsmith.check.computing import Computes, compiled_program
from weightsmith.check.condition_text import Given, condition
from weightsmith.check.conditions import image
from weightsmith.check.divergence import Divergence
from weightsmith.check.engine import check_claim
from weightsmith.check.family import FamilyVerdict, check_family
from weightsmith.check.members import Arithmetics, Question
from weightsmith.check.models import Model
from weightsmith.check.options import (
    BudgetKeywords,
    FamilyKeywords,
    Keywords,
    LocalKeywords,
    Options,
    takes_options,
)
from weightsmith.check.pair_claims import SameDecisions, SameLogits
from weightsmith.check.places import At
from weightsmith.check.replay_results import FamilyReplay, Replay
from weightsmith.check.replaying import replay
from weightsmith.check.same_lanes import SameLanes
from weightsmith.check.vectors import Vectors
from weightsmith.check.verdict import Verdict
from weightsmith.model import Family, Transformer, Value

__all__ = [
    "Automaton",
    "Divergence",
    "FamilyReplay",
    "FamilyVerdict",
    "Replay",
    "Verdict",
    "agrees_with",
    "cite",
    "computes",
    "condition",
    "family",
    "final_vectors",
    "image",
    "recognizes",
    "replay",
    "same_decisions",
    "same_lanes",
    "same_logits",
    "vectors",
]


@takes_options
def same_decisions(S: Model, T: Model, up_to: int | None = None, **options: Unpack[BudgetKeywords]) -> Verdict:
    """Claim that two transformers make the same decision on every input. Parameters: help(weightsmith.check).

    >>> from weightsmith import infinity_form, library
    >>> S = library.contains("1")
    >>> same_decisions(S, ~~S, up_to=4).inputs
    30
    >>> same_decisions(S, infinity_form(S, lowering="attention", length=4), suffix=("END",), length=4).holds
    True
    """
    chosen = Options(**options)
    return _checked(SameDecisions(S, T, frame=chosen.frame(S, T)), up_to, chosen)


@takes_options
def same_logits(S: Transformer, T: Transformer, up_to: int | None = None, **options: Unpack[Keywords]) -> Verdict:
    """Claim that two transformers have the same logits on every input, bit for bit.

    Parameters: help(weightsmith.check).
    """
    chosen = Options(**options)
    return _checked(SameLogits(S, T, frame=chosen.frame(S, T)), up_to, chosen)


@takes_options
def recognizes(
    T: Model,
    predicate: Describing,
    up_to: int | None = None,
    *,
    yes: str = "YES",
    **options: Unpack[BudgetKeywords],
) -> Verdict:
    """Claim that the decision is YES, or the class `yes`, for the inputs of a language and for no others.

    The language is a regular expression, an `Automaton` or a function. Other parameters: help(weightsmith.check).

    >>> from weightsmith import library
    >>> recognizes(library.contains("1"), "0*1.*", up_to=10).holds
    True
    """
    chosen = Options(**options)
    frame = chosen.frame(T)
    return _checked(Recognizes(T, language(predicate, frame.vocabulary(T)), yes, frame=frame), up_to, chosen)


@takes_options
def agrees_with(
    T: Model, function: Callable[[Any], Value | tuple[str, ...]], up_to: int | None = None, **options: Unpack[Keywords]
) -> Verdict:
    """Claim that the decision is the class that a function returns; it is called once with each input.

    Other parameters: help(weightsmith.check).

    >>> from weightsmith import library
    >>> agrees_with(library.contains("1"), lambda word: "YES" if "1" in word else "NO", up_to=10).holds
    True
    """
    chosen = Options(**options)
    return _checked(AgreesWith(T, function, frame=chosen.frame(T)), up_to, chosen)


@takes_options
def final_vectors(
    T: Transformer, condition: Condition, up_to: int | None = None, **options: Unpack[Keywords]
) -> Verdict:
    """Claim that a condition holds for the last vector of the stream.

    It takes an array (inputs, lanes) and returns a bool for each input. Other parameters: help(weightsmith.check).
    """
    chosen = Options(**options)
    return _checked(FinalVectors(T, condition, frame=chosen.frame(T)), up_to, chosen)


@takes_options
def vectors(
    T: Transformer,
    condition: "Given | Condition",
    up_to: int | None = None,
    *,
    at: At = None,
    **options: Unpack[BudgetKeywords],
) -> Verdict:
    """Claim that a condition holds for the vector at a place of the stream.

    `at` is a site, or a site and a position: ("block 3 attention", 3); -1, the last position,
    is the default, and "all" is every position. None is the last vector of the stream. An input that is too short for a
    position satisfies the claim. The condition is a text (see `condition`), an `image`, a mapping from lanes to
    numbers, or a Python function as in `final_vectors`. Without `up_to`, the last position is decided for all lengths.
    Other parameters: help(weightsmith.check).

    >>> from weightsmith import infinity_form, library
    >>> T = infinity_form(library.contains("1"))
    >>> vectors(T, "NO == 1 and YES in (0, inf)").scope
    'all lengths'
    """
    chosen = Options(**options)
    return _checked(Vectors.of(T, condition, at, chosen.frame(T)), up_to, chosen)


@takes_options
def same_lanes(
    S: Transformer,
    T: Transformer,
    lanes: Mapping[str, str] | Sequence[str] | None = None,
    up_to: int | None = None,
    *,
    at: At | tuple[At, At] = None,
    **options: Unpack[BudgetKeywords],
) -> Verdict:
    """Claim that lanes of two transformers hold the same values, bit for bit, at a place of the stream.

    `lanes` maps lanes of S to lanes of T; None: the common lanes. `at` is a place as in `vectors`, for both, or a pair
    of places. None is the last vector of each. Without `up_to`, the last position is decided for all lengths. Other
    parameters: help(weightsmith.check).

    >>> from weightsmith import library, widen
    >>> S = library.contains("1")
    >>> same_lanes(S, widen(S, ["new"])).holds
    True
    """
    chosen = Options(**options)
    return _checked(SameLanes.of(S, T, lanes, at, chosen.frame(S, T)), up_to, chosen)


@takes_options
def computes(P: "programs.CompiledProgram", up_to: int | None = None, **options: Unpack[LocalKeywords]) -> Verdict:
    """Claim that a compiled program has the outputs of its interpreter, at every position of every input.

    The weights are run by the fast kernels. Other parameters: help(weightsmith.check).

    >>> from weightsmith import programs
    >>> P = programs.compile_rasp("hist = selector_width(select(tokens, tokens, ==));", "abc", max_length=8)
    >>> computes(P, up_to=6).inputs
    1092
    """
    chosen, known = Options(**options), compiled_program(P)
    T = known.transformer
    claim = Computes(T, known.program, known.vocabulary, known.answers, frame=chosen.frame(T))
    return _checked(claim, up_to, chosen)


@takes_options
def family(
    F: Family,
    predicate: Describing,
    up_to: int,
    arithmetic: Arithmetics = "fixed(4,4)",
    *,
    yes: str = "YES",
    shorter: bool = False,
    **options: Unpack[FamilyKeywords],
) -> FamilyVerdict:
    """Claim that each T_n of a family, n = 1 … up_to, recognizes a language on the inputs of length n.

    `arithmetic` is one for all n, or a function of n. With `shorter=True` T_n is asked about all inputs up to n. The
    claim is refuted by the smallest n; `weightsmith.limits` goes through all of them. `progress` is a function of the n
    that are done and of all. Other parameters: help(weightsmith.check).

    >>> from weightsmith import Family, Fixed, library
    >>> F = Family(lambda n, A: library.parity(arithmetic=A), name="parity")
    >>> family(F, "0*1(0*10*1)*0*", up_to=6, arithmetic=lambda n: Fixed(n.bit_length() + 1, 1)).holds
    True
    """
    chosen = Options(**options)
    return check_family(Question(F, predicate, yes, shorter), up_to, arithmetic, chosen, chosen.progress)


def _checked(claim: Claim, up_to: int | None, options: Options) -> Verdict:
    """Check a claim; warn the caller of its function about letters that cannot match."""
    for name, given in claim.languages.items():
        if given.pattern is None or not parser_is_known():
            continue
        message = foreign_letters(given.pattern, claim.vocabulary)
        if message is not None:
            where = "the expression" if name == "language" else name
            warnings.warn(f"{where} {message}", UserWarning, stacklevel=4)
    return check_claim(claim, up_to, options)

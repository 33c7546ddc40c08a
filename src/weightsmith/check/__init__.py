"""Claims over all inputs: proved for all lengths, checked exhaustively up to a length, or refuted by the shortest.

`recognizes` and `same_decisions` decide inputs of every length by automata, if nothing is said of lengths. The verdict
holds once `weightsmith/verify.py` has accepted the proof. It is unknown (`verdict.holds is None`) where `seconds` (for
all that the call does), `states` (of a machine) or `memory` were not enough.

Every claim takes `up_to`, the length of the longest inputs, and by name

- which inputs it is about: `length=4` (those of this length only, instead of `up_to`), `within="a*b*"` (those of a
  language only), and `suffix=("END",)` (tokens that follow each input, and are no part of it, for the models that know
  them);
- with what it is checked: `workers` (cores; all by default), `memory` (bytes; 1 GiB by default), `ledger` (a file that
  lets a killed check go on), `cluster` (the address of a Dask scheduler), `insecure_network` (True lets the cluster be
  one that others can reach without TLS, and run any code on) and `progress` (a function of the inputs done and of all).

A language is a regular expression for the whole input ("(0|1)*11", or compiled), an `Automaton`, or a function that is
called once with each input: a text where every token is one character, else a tuple of tokens.
"""

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from weightsmith.automata import Automaton, Describing, foreign_letters, language, parser_is_known
from weightsmith.automata.extraction.budget import DEFAULT_STATES
from weightsmith.check.citation import cite
from weightsmith.check.claim import Claim
from weightsmith.check.claims import AgreesWith, Condition, FinalVectors, Recognizes, SameDecisions, SameLogits
from weightsmith.check.computing import Computes, compiled_program
from weightsmith.check.engine import DEFAULT_MEMORY, File, Options, Progress, conclude
from weightsmith.check.frame import make_frame
from weightsmith.check.replaying import Replay, replay
from weightsmith.check.verdict import Divergence, Verdict
from weightsmith.model import Transformer, Value

if TYPE_CHECKING:
    from weightsmith.programs import CompiledProgram

__all__ = [
    "Automaton",
    "Divergence",
    "Replay",
    "Verdict",
    "agrees_with",
    "cite",
    "computes",
    "final_vectors",
    "recognizes",
    "replay",
    "same_decisions",
    "same_logits",
]


def same_decisions(
    S: Transformer,
    T: Transformer,
    up_to: int | None = None,
    *,
    suffix: Sequence[str] = (),
    length: int | None = None,
    within: Describing | None = None,
    workers: int | None = None,
    memory: int = DEFAULT_MEMORY,
    ledger: File | None = None,
    cluster: str | None = None,
    insecure_network: bool = False,
    progress: Progress | None = None,
    seconds: float | None = None,
    states: int = DEFAULT_STATES,
) -> Verdict:
    """Claim that two transformers decide every input alike. What the parameters mean: help(weightsmith.check).

    >>> from weightsmith import infinity_form, library
    >>> S = library.contains("1")
    >>> same_decisions(S, ~~S, up_to=4).inputs
    30
    >>> same_decisions(S, infinity_form(S, lowering="attention", length=4), suffix=("END",), length=4).holds
    True
    """
    claim = SameDecisions(S, T, frame=make_frame((S, T), suffix, length, within))
    return _decided(
        claim, up_to, Options(workers, memory, ledger, cluster, progress, insecure_network, seconds, states)
    )


def same_logits(
    S: Transformer,
    T: Transformer,
    up_to: int | None = None,
    *,
    suffix: Sequence[str] = (),
    length: int | None = None,
    within: Describing | None = None,
    workers: int | None = None,
    memory: int = DEFAULT_MEMORY,
    ledger: File | None = None,
    cluster: str | None = None,
    insecure_network: bool = False,
    progress: Progress | None = None,
) -> Verdict:
    """Claim that two transformers give the same logits for every input, bit for bit.

    What the parameters mean: help(weightsmith.check).
    """
    claim = SameLogits(S, T, frame=make_frame((S, T), suffix, length, within))
    return _decided(claim, up_to, Options(workers, memory, ledger, cluster, progress, insecure_network))


def recognizes(
    T: Transformer,
    predicate: Describing,
    up_to: int | None = None,
    *,
    yes: str = "YES",
    suffix: Sequence[str] = (),
    length: int | None = None,
    within: Describing | None = None,
    workers: int | None = None,
    memory: int = DEFAULT_MEMORY,
    ledger: File | None = None,
    cluster: str | None = None,
    insecure_network: bool = False,
    progress: Progress | None = None,
    seconds: float | None = None,
    states: int = DEFAULT_STATES,
) -> Verdict:
    """Claim that the decision is YES, or the class `yes`, for the inputs of a language and for no others.

    The language is a regular expression, an `Automaton` or a function. What the other parameters mean:
    help(weightsmith.check).

    >>> from weightsmith import library
    >>> recognizes(library.contains("1"), "0*1.*", up_to=10).holds
    True
    """
    frame = make_frame((T,), suffix, length, within)
    claim = Recognizes(T, language(predicate, frame.vocabulary(T)), yes, frame=frame)
    return _decided(
        claim, up_to, Options(workers, memory, ledger, cluster, progress, insecure_network, seconds, states)
    )


def agrees_with(
    T: Transformer,
    function: Callable[[Any], Value],
    up_to: int | None = None,
    *,
    suffix: Sequence[str] = (),
    length: int | None = None,
    within: Describing | None = None,
    workers: int | None = None,
    memory: int = DEFAULT_MEMORY,
    ledger: File | None = None,
    cluster: str | None = None,
    insecure_network: bool = False,
    progress: Progress | None = None,
) -> Verdict:
    """Claim that the decision is the class that a function gives, called once with each input.

    What the other parameters mean: help(weightsmith.check).

    >>> from weightsmith import library
    >>> agrees_with(library.contains("1"), lambda word: "YES" if "1" in word else "NO", up_to=10).holds
    True
    """
    claim = AgreesWith(T, function, frame=make_frame((T,), suffix, length, within))
    return _decided(claim, up_to, Options(workers, memory, ledger, cluster, progress, insecure_network))


def final_vectors(
    T: Transformer,
    condition: Condition,
    up_to: int | None = None,
    *,
    suffix: Sequence[str] = (),
    length: int | None = None,
    within: Describing | None = None,
    workers: int | None = None,
    memory: int = DEFAULT_MEMORY,
    ledger: File | None = None,
    cluster: str | None = None,
    insecure_network: bool = False,
    progress: Progress | None = None,
) -> Verdict:
    """Claim something of the last vector of the stream.

    The condition takes an array (inputs, lanes) and gives a bool for each input. What the other parameters mean:
    help(weightsmith.check).
    """
    claim = FinalVectors(T, condition, frame=make_frame((T,), suffix, length, within))
    return _decided(claim, up_to, Options(workers, memory, ledger, cluster, progress, insecure_network))


def computes(
    P: "CompiledProgram",
    up_to: int | None = None,
    *,
    length: int | None = None,
    within: Describing | None = None,
    workers: int | None = None,
    memory: int = DEFAULT_MEMORY,
    progress: Progress | None = None,
) -> Verdict:
    """Claim that a compiled program gives what its interpreter gives, at every position of every input.

    The weights are run by the fast kernels. What the other parameters mean: help(weightsmith.check).

    >>> from weightsmith import programs
    >>> P = programs.compile_rasp("hist = selector_width(select(tokens, tokens, ==));", "abc", max_length=8)
    >>> computes(P, up_to=6).inputs
    1092
    """
    known = compiled_program(P)
    T = known.transformer
    claim = Computes(T, known.program, known.vocabulary, known.answers, frame=make_frame((T,), (), length, within))
    return _decided(claim, up_to, Options(workers, memory, progress=progress))


def _decided(claim: Claim, up_to: int | None, options: Options) -> Verdict:
    """Check a claim; whoever called its function is told of letters that cannot match."""
    for name, given in claim.languages.items():
        if given.pattern is None or not parser_is_known():
            continue
        message = foreign_letters(given.pattern, claim.vocabulary)
        if message is not None:
            warnings.warn(f"{name} {message}", UserWarning, stacklevel=3)
    return conclude(claim, up_to, options)

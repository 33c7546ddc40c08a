"""Claims about inputs of every length, decided by automata: proved, refuted by the shortest input, or unknown."""

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from weightsmith.automata import Inputs, written
from weightsmith.automata.extraction import Budget, Decisions, UnknownError, check_possible, extract
from weightsmith.automata.extraction.chains import check_chain, over_inputs, whole_machine
from weightsmith.automata.extraction.moore import Moore
from weightsmith.automata.extraction.search import Ids, labelled_language, read_as
from weightsmith.automata.extraction.trace import ProofTrace
from weightsmith.check.claim import Claim, Watched
from weightsmith.check.examine import by_reference, reader
from weightsmith.check.plan import Plan, inputs_between
from weightsmith.check.proof import proof_data, size_of, too_large, unchecked
from weightsmith.check.verdict import EveryLength
from weightsmith.errors import InputError
from weightsmith.model import Chain

Traces: TypeAlias = Sequence[tuple[ProofTrace, Moore | None]]  # per model, for `proof_data`


def no_plan(claim: Claim) -> Plan:
    """Return the plan of a claim whose inputs are not enumerated."""
    return Plan(len(claim.vocabulary), 0, ())


def why_not(claim: Claim) -> str | None:
    """Return the reason why automata cannot decide a claim; None where they can."""
    if claim.no_automaton is not None:
        return claim.no_automaton
    for name, language in claim.languages.items():
        if language.automaton is None:
            return (
                f"no automaton decides {'within' if name == 'within' else 'the language'}: give a regular expression "
                "without lookaround and references, or Automaton(…), or say up to which length, as in up_to=10"
            )
    for T in claim.runs:
        try:
            check_chain(T) if isinstance(T, Chain) else check_possible(T)
        except InputError as error:
            return str(error)
    return None


def check_by_automata(claim: Claim, budget: Budget, up_to: int | None = None, run: int = 0) -> EveryLength:
    """Decide a claim for every input that its models can read, or for those up to a length.

    It is proved if the search finds no counterexample and `verify.py` accepts the proof. If the budget ends before
    that, the verdict is unknown. The caller has run the inputs up to length `run`: none of them refutes the claim.
    """
    reason = why_not(claim)
    if reason is not None:
        raise InputError(reason)
    budget.start()
    begin = time.perf_counter()
    longest = min((n for n in (claim.longest, up_to) if n is not None), default=None)
    inputs = None if longest is None or not claim.frame.plain else inputs_between(len(claim.vocabulary), 1, longest)
    verdict = EveryLength(claim, no_plan(claim), None, inputs, None, {}, None, 0.0, (), longest=longest)
    try:
        failure, traces = budget.search(partial(_first_failure, claim))
    except UnknownError as error:
        return replace(verdict, unknown=str(error), seconds=time.perf_counter() - begin - budget.compiling)
    begin += budget.compiling
    if failure is None or (longest is not None and len(failure) > longest):
        beyond = None if failure is None or up_to is None else len(failure)
        return _verified(replace(verdict, beyond=beyond), traces, budget, begin)
    refutation = _refuted(verdict, failure, begin)
    if len(failure) - 1 <= run:
        return refutation
    shorter = _verified(replace(verdict, longest=len(failure) - 1), traces, budget, begin)
    return replace(refutation, shortest=bool(shorter.holds), seconds=time.perf_counter() - begin)


def _verified(verdict: EveryLength, traces: Traces, budget: Budget, begin: float) -> EveryLength:
    """Return the verdict that a claim holds, if `verify.py` accepts the proof; otherwise unknown, with the reason."""
    proved, reason = verdict, too_large(traces, budget)
    if reason is None:
        proved = replace(verdict, holds=True, proof=proof_data(verdict.claim, traces))
        reason = unchecked(verdict.claim.models, proved.certificate(), budget, size_of(traces))
    seconds = time.perf_counter() - begin
    return replace(proved, seconds=seconds) if reason is None else replace(verdict, unknown=reason, seconds=seconds)


def _refuted(verdict: EveryLength, ids: Ids, begin: float) -> EveryLength:
    """Return the verdict with a counterexample, after a run by the reference semantics."""
    claim = verdict.claim
    tokens, one = written(claim.vocabulary, ids), Inputs(claim.vocabulary, ids, 0)
    values = [next(by_reference(reader(claim, T), claim.quantity, [one])) for T in claim.runs]
    holds, evidence = claim.judge(values, one)
    if holds.all():
        raise AssertionError(f"the automaton and the semantics disagree on {tokens!r}")
    sides = claim.sides(tokens, [array[0] for array in evidence])
    parted = claim.divergence(tokens)
    seconds = time.perf_counter() - begin
    return replace(
        verdict, holds=False, inputs=None, counterexample=tokens, sides=sides, divergence=parted, seconds=seconds
    )


def _first_failure(claim: Claim, budget: Budget) -> tuple[Ids | None, Traces]:
    """Return the shortest input on which a claim fails, the first in vocabulary order, or None; and the traces."""
    within = claim.frame.within
    only = None if within is None or within.automaton is None else labelled_language(within.automaton, budget)
    watched = claim.watched
    extracted = [_extracted(one, budget) for one in watched]
    chains = [
        whole_machine(one.model, decisions, budget) if isinstance(one.model, Chain) else None
        for one, decisions in zip(watched, extracted, strict=True)
    ]
    each = zip(watched, extracted, chains, strict=True)
    failure = claim.first_failure([_as_claimed(claim, *one, budget) for one in each], only, budget)
    wholes = [joined if whole is None else whole for joined, whole in zip(failure.decisions, chains, strict=True)]
    return failure.ids, [(decisions.trace, whole) for decisions, whole in zip(extracted, wholes, strict=True)]


def _extracted(watched: Watched, budget: Budget) -> Decisions:
    """Return the machines of a model: of its answers, or of numbers of its last vectors."""
    T = watched.model.transformer if isinstance(watched.model, Chain) else watched.model
    if watched.numbers is None or watched.outcomes is None:
        return extract(T, budget)
    return extract(T, budget, watched.numbers, watched.outcomes)


def _as_claimed(
    claim: Claim, watched: Watched, decisions: Decisions, whole: Moore | None, budget: Budget
) -> list[Moore]:
    """Return the machines of a model over the tokens of the claim, after its suffix; that of a chain's answers."""
    T, model = decisions.transformer, watched.model
    if isinstance(model, Chain) and whole is not None:
        return [over_inputs(model, whole, [T.vocabulary.index(token) for token in claim.vocabulary], budget)]
    columns, suffix = ([T.vocabulary.index(token) for token in tokens] for tokens in (claim.vocabulary, watched.suffix))
    return read_as(decisions, columns, suffix)

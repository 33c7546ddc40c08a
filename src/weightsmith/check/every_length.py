"""Claims about inputs of every length, decided by automata: proved, refuted by the shortest input, or unknown."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from weightsmith.automata import Inputs, input_text, written
from weightsmith.automata.extraction import Budget, Decisions, UnknownError, check_possible, extract
from weightsmith.automata.extraction.journal import Journal
from weightsmith.automata.extraction.moore import Moore
from weightsmith.automata.extraction.search import Ids, Truths, as_few, first_difference, read_as, spoken
from weightsmith.check.claim import Claim
from weightsmith.check.claims import Recognizes, SameDecisions
from weightsmith.check.examine import by_reference, reader
from weightsmith.check.plan import Plan, inputs_between
from weightsmith.check.proof import proof_data, sealed, size_of, too_large, unchecked
from weightsmith.check.verdict import CERTIFICATE_FORMAT, Verdict, counted_inputs
from weightsmith.errors import InputError, shown
from weightsmith.storage import write_json

ALL_LENGTHS = "all lengths"
Traces: TypeAlias = Sequence[tuple[Journal, Moore | None]]  # of each model: what `proof_data` takes


@dataclass(frozen=True, eq=False)
class EveryLength(Verdict):
    """What automata decided of inputs of every length, or of every input that fits a position table."""

    longest: int | None = None  # the longest input that it is about
    unknown: str = ""  # why nothing is known
    decided: int = 0  # where nothing is known of all lengths: up to here the claim holds
    beyond: int | None = None  # where it holds up to a length that was asked for: the length of its first failure
    shortest: bool = True  # of a counterexample: whether the checker has seen that no shorter input refutes the claim
    proof: dict[str, Any] | None = field(default=None, repr=False)  # that `verify.py` has accepted

    @property
    def up_to(self) -> int | None:
        """The longest input that the verdict is about; None for all lengths."""
        return self.longest if self.holds is not None else self.decided or None

    @property
    def scope(self) -> str:
        """Which inputs it is about: "all lengths", "up to 64"."""
        longest = self.longest if self.holds is not None else self.decided
        return ALL_LENGTHS if longest is None else f"up to {longest}"  # up to 0: of no input

    def _first_line(self) -> str:
        name, rate = str(self.claim), f"{self.seconds:.2f} s"
        if self.counterexample is not None:
            size = f" of length {len(self.counterexample)}" if len(self.counterexample) > 20 else ""
            which = which_counterexample(self.shortest)
            return f"{name}: refuted by {shown(input_text(self.counterexample))}{size}, {which} ({rate})"
        if self.holds is None:
            far = f"; every input up to {self.decided} was run, and it holds" if self.decided else ""
            return f"{name}: unknown: {self.unknown}{far} ({rate})"
        if self.longest is None:
            return f"{name}: proved for all lengths ({rate})"
        more = "" if self.beyond is None else f"; the first failure has length {self.beyond}"
        return f"{name}: proved up to {self.longest}, {counted_inputs(self.inputs)}, by automata{more} ({rate})"

    def summary(self) -> dict[str, Any]:
        """Return what was decided, as data."""
        verdict = {True: f"proved, {self.scope}", False: "refuted", None: "unknown"}[self.holds]
        return {
            "format": CERTIFICATE_FORMAT,
            **self.claim.identity(None),
            "scope": self.scope,
            "verdict": verdict,
            "holds": self.holds,
            "inputs": self.inputs,
            "counterexample": self.refutation(),
            **({"unknown": self.unknown} if self.holds is None else {}),
            **({"shortest": False} if self.holds is False and not self.shortest else {}),
            **self.origin(),
        }

    def certificate(self) -> dict[str, Any]:
        """Return the certificate as data; where the claim is proved, with the proof that `verify.py` has accepted."""
        return self.summary() if self.proof is None else sealed({**self.summary(), **self.proof})

    def _write(self, path: Path, data: dict[str, Any]) -> None:
        if self.proof is None:
            return super()._write(path, data)
        write_json(path, sealed({**data, **self.proof}), entry_lines=True)


def which_counterexample(shortest: bool) -> str:
    """Say of a counterexample whether no shorter input refutes the claim, or whether nobody has checked that."""
    return "the shortest" if shortest else "perhaps not the shortest"


def no_plan(claim: Claim) -> Plan:
    """Return the plan of a claim whose inputs are not gone through."""
    return Plan(len(claim.vocabulary), 0, ())


def why_not(claim: Claim) -> str | None:
    """Say why automata cannot decide a claim; None where they can."""
    if not isinstance(claim, Recognizes | SameDecisions):
        return f"{claim.kind} has no automaton for all lengths: say up to which length, as in up_to=10"
    for name, language in claim.languages.items():
        if language.automaton is None:
            return (
                f"no automaton decides {name.replace('the expression', 'the language')}: give a regular expression "
                "without lookaround and references, or Automaton(…), or say up to which length, as in up_to=10"
            )
    for T in claim.models:
        try:
            check_possible(T)
        except InputError as error:
            return str(error)
    return None


def prove(claim: Claim, budget: Budget, up_to: int | None = None, run: int = 0) -> EveryLength:
    """Decide a claim for every input that its models can read, or every one up to a length.

    It is proved where the search finds no input that refutes it and `verify.py` accepts what was found. Where the
    budget is spent before that, nothing is known. The inputs up to a length `run` are known not to refute it.
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
        found, traces = _first_failure(claim, budget)
    except UnknownError as error:
        return replace(verdict, unknown=str(error), seconds=time.perf_counter() - begin)
    if found is None or (longest is not None and len(found) > longest):
        beyond = None if found is None or up_to is None else len(found)
        return _checked(replace(verdict, beyond=beyond), traces, budget, begin)
    refutation = refuted(verdict, found, begin)
    if len(found) - 1 <= run:
        return refutation
    shorter = _checked(replace(verdict, longest=len(found) - 1), traces, budget, begin)
    return replace(refutation, shortest=bool(shorter.holds), seconds=time.perf_counter() - begin)


def _checked(verdict: EveryLength, traces: Traces, budget: Budget, begin: float) -> EveryLength:
    """Return the verdict that a claim holds, if the checker accepts the proof; otherwise nothing is known, and why."""
    proved, reason = verdict, too_large(traces, budget)
    if reason is None:
        proved = replace(verdict, holds=True, proof=proof_data(verdict.claim, traces))
        reason = unchecked(verdict.claim.models, proved.certificate(), budget, size_of(traces))
    seconds = time.perf_counter() - begin
    return replace(proved, seconds=seconds) if reason is None else replace(verdict, unknown=reason, seconds=seconds)


def refuted(verdict: EveryLength, ids: Ids, begin: float) -> EveryLength:
    """Return the verdict with a counterexample, which is run by the reference semantics."""
    claim = verdict.claim
    tokens, one = written(claim.vocabulary, ids), Inputs(claim.vocabulary, ids, 0)
    values = [next(by_reference(reader(claim, T), claim.quantity, [one])) for T in claim.models]
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
    """Return the shortest input on which a claim fails, the smallest in vocabulary order, or None; and the traces."""
    within = claim.frame.within
    only = None if within is None or within.automaton is None else spoken(within.automaton, budget)
    extracted = [extract(T, budget) for T in claim.models]
    machines = [_as_claimed(claim, decisions) for decisions in extracted]
    if isinstance(claim, Recognizes):
        assert claim.language.automaton is not None
        yes = 1 + claim.T.classes.index(claim.yes)
        wanted = spoken(claim.language.automaton, budget)
        found = first_difference(machines[0], [wanted], lambda a, b: (a == yes) != (b == 2), only, budget)
        return found, [(extracted[0].journal, None)]
    assert isinstance(claim, SameDecisions)
    S, T = claim.models
    place = {name: n for n, name in enumerate(S.answers)}
    code = np.array([0, *(1 + place.get(name, len(place) + n) for n, name in enumerate(T.answers))], np.int32)
    few = [as_few(each, len(model.answers), budget) for each, model in zip(machines, claim.models, strict=True)]

    def differ(a: Any, b: Any) -> Truths:
        result: Truths = a != code[b]
        return result

    found = first_difference(few[0], few[1], differ, only, budget)
    whole = [each[0] if len(each) == 1 else None for each in few]
    return found, [(decisions.journal, machine) for decisions, machine in zip(extracted, whole, strict=True)]


def _as_claimed(claim: Claim, decisions: Decisions) -> list[Moore]:
    """Return the machines of a model as the claim gives it inputs."""
    T = decisions.transformer
    places: Sequence[int] = [T.vocabulary.index(token) for token in claim.vocabulary]
    suffix = [T.vocabulary.index(token) for token in claim.frame.after(T)]
    return read_as(decisions, places, suffix)

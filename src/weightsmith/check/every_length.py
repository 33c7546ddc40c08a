"""Claims about inputs of every length, decided by automata: proved, refuted by the shortest input, or unknown."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from weightsmith.automata import Inputs, input_text, written
from weightsmith.automata.extraction import Budget, UnknownError, check_possible, extract
from weightsmith.automata.extraction.moore import Moore
from weightsmith.automata.extraction.search import Ids, Truths, as_few, first_difference, read_as, spoken
from weightsmith.check.claim import Claim
from weightsmith.check.claims import Recognizes, SameDecisions
from weightsmith.check.examine import by_reference, reader
from weightsmith.check.plan import Plan, inputs_between
from weightsmith.check.proof import proof_of, sealed, unproved
from weightsmith.check.verdict import CERTIFICATE_FORMAT, Verdict, counted_inputs
from weightsmith.errors import InputError, shown
from weightsmith.model import Transformer
from weightsmith.storage import write_json

ALL_LENGTHS = "all lengths"


@dataclass(frozen=True, eq=False)
class EveryLength(Verdict):
    """What automata decided of inputs of every length, or of every input that fits a position table."""

    longest: int | None = None  # the longest input that it is about
    unknown: str = ""  # why nothing is known
    decided: int = 0  # where nothing is known of all lengths: up to here the claim holds
    beyond: int | None = None  # where it holds up to a length that was asked for: the length of its first failure

    @property
    def up_to(self) -> int | None:
        """The longest input that the verdict is about; None for all lengths."""
        return self.longest if self.holds is not None else self.decided or None

    @property
    def scope(self) -> str:
        """Which inputs it is about: "all lengths", "up to 64"."""
        longest = self.longest if self.holds is not None else self.decided
        return ALL_LENGTHS if longest is None else f"up to {longest}"

    def _first_line(self) -> str:
        name, rate = str(self.claim), f"{self.seconds:.2f} s"
        if self.counterexample is not None:
            size = f" of length {len(self.counterexample)}" if len(self.counterexample) > 20 else ""
            return f"{name}: refuted by {shown(input_text(self.counterexample))}{size}, the shortest ({rate})"
        if self.holds is None:
            far = f"; every input up to {self.decided} was run, and it holds" if self.decided else ""
            return f"{name}: unknown: {self.unknown}{far} ({rate})"
        if self.longest is None:
            return f"{name}: proved for all lengths ({rate})"
        more = "" if self.beyond is None else f"; the first failure has length {self.beyond}"
        return f"{name}: proved up to {self.longest}, {counted_inputs(self.inputs)}, by automata{more} ({rate})"

    def certificate(self) -> dict[str, Any]:
        """Return the certificate as data: what was decided; `save` writes the proof as well."""
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
            **self.origin(),
        }

    def _write(self, path: Path, data: dict[str, Any]) -> None:
        """Write the proof as well, which `weightsmith/verify.py` checks."""
        if not self.holds:
            return super()._write(path, data)
        reason = unproved(self.claim)
        more = {"unproved": reason} if reason else proof_of(self.claim, Budget())
        write_json(path, sealed({**data, **more}), entry_lines=True)


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


def prove(claim: Claim, budget: Budget) -> EveryLength:
    """Decide a claim for every input that its models can read; where the budget is spent, nothing is known."""
    reason = why_not(claim)
    if reason is not None:
        raise InputError(reason)
    budget.start()
    begin, longest = time.perf_counter(), claim.longest
    inputs = None if longest is None or not claim.frame.plain else inputs_between(len(claim.vocabulary), 1, longest)
    verdict = EveryLength(claim, no_plan(claim), None, inputs, None, {}, None, 0.0, (), longest=longest)
    try:
        found = _first_failure(claim, budget)
    except UnknownError as error:
        return replace(verdict, unknown=str(error), seconds=time.perf_counter() - begin)
    if found is not None and longest is not None and len(found) > longest:
        found = None
    if found is None:
        return replace(verdict, holds=True, seconds=time.perf_counter() - begin)
    return refuted(verdict, found, begin)


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


def _first_failure(claim: Claim, budget: Budget) -> Ids | None:
    """Return the shortest input on which a claim fails, the smallest in vocabulary order; None for none."""
    within = claim.frame.within
    only = None if within is None or within.automaton is None else spoken(within.automaton)
    if isinstance(claim, Recognizes):
        assert claim.language.automaton is not None
        yes = 1 + claim.T.classes.index(claim.yes)
        wanted = spoken(claim.language.automaton)
        machines = _machines(claim, claim.T, budget)
        return first_difference(machines, [wanted], lambda a, b: (a == yes) != (b == 2), only, budget)
    assert isinstance(claim, SameDecisions)
    S, T = claim.models
    place = {name: n for n, name in enumerate(S.answers)}
    code = np.array([0, *(1 + place.get(name, len(place) + n) for n, name in enumerate(T.answers))], np.int32)
    mine = as_few(_machines(claim, S, budget), len(S.answers), budget)
    others = as_few(_machines(claim, T, budget), len(T.answers), budget)

    def differ(a: Any, b: Any) -> Truths:
        result: Truths = a != code[b]
        return result

    return first_difference(mine, others, differ, only, budget)


def _machines(claim: Claim, T: Transformer, budget: Budget) -> list[Moore]:
    """Return the machines of a model as the claim gives it inputs."""
    places: Sequence[int] = [T.vocabulary.index(token) for token in claim.vocabulary]
    suffix = [T.vocabulary.index(token) for token in claim.frame.after(T)]
    return read_as(extract(T, budget), places, suffix)

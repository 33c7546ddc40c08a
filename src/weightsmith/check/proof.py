"""Proofs for all lengths: written as data, and handed to `weightsmith/verify.py`, which shares no code with the search.

Whoever reads *proved* reads what that program has accepted.
"""

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

from weightsmith import verify
from weightsmith.automata.extraction import Budget, UnknownError
from weightsmith.automata.extraction.journal import Journal
from weightsmith.automata.extraction.moore import Moore
from weightsmith.automata.languages import Regular
from weightsmith.check.claim import Claim
from weightsmith.files import model_bytes
from weightsmith.model import Transformer

STATE_BYTES = 800  # that a state of a walk of the checker takes, about
NUMBER_BYTES = 150  # that a number of a proof takes, as data and in the checker
NUMBERS_PER_SECOND = 100_000  # of a proof that are checked, about


def proof_data(claim: Claim, found: Sequence[tuple[Journal, Moore | None]]) -> dict[str, Any]:
    """Return what a certificate holds of a proof: the automata of its languages, and how each model was extracted.

    For each model these are the journal of its extraction and, where there is one, a machine of all its decisions.
    """
    given = {"language": getattr(claim, "language", None), "within": claim.frame.within}
    known = {name: language.automaton for name, language in given.items() if language is not None}
    automata = {name: Regular(automaton).described()["automaton"] for name, automaton in known.items() if automaton}
    return {"automata": automata, "proof": [_of_model(*one) for one in found]}


def size_of(found: Sequence[tuple[Journal, Moore | None]]) -> int:
    """Return how many numbers a proof has."""
    return sum(journal.size + (0 if decisions is None else decisions.table.size) for journal, decisions in found)


def too_large(found: Sequence[tuple[Journal, Moore | None]], budget: Budget) -> str | None:
    """Say why a proof is not even written down: the memory or the time that is left is too little; None if it is."""
    size = size_of(found)
    budget.place = "checking the proof"
    try:
        budget.room(NUMBER_BYTES * size, "to check the proof")
        if size / NUMBERS_PER_SECOND > 4 * budget.left():
            raise budget.stop(f"it has {size:,} numbers")
    except UnknownError as error:
        return _not_checked(error, size / NUMBERS_PER_SECOND)
    return None


def _of_model(journal: Journal, decisions: Moore | None) -> dict[str, Any]:
    whole = decisions and {"table": decisions.table.tolist(), "labels": decisions.labels.tolist()}
    return {**journal.to_json(), "decisions": whole}


def sealed(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return data with a digest of all of it, so that nobody changes a number by accident."""
    text = json.dumps({**data, "digest": None}, sort_keys=True)
    return {**data, "digest": hashlib.sha256(text.encode()).hexdigest()}


def unchecked(
    models: Sequence[Transformer], certificate: Mapping[str, Any], budget: Budget | None = None, size: int = 0
) -> str | None:
    """Let `verify.py` check a certificate, whose proof has so many numbers; return why it has not accepted it, or None.

    Where the budget ends first, the reason says about how long the check takes.
    """
    begin, fraction = time.perf_counter(), 0.0

    def tick(work: verify.Work) -> None:
        nonlocal fraction
        fraction = work.done / work.readings
        if budget is not None:
            budget.place = "checking the proof"
            budget.room(NUMBER_BYTES * size + STATE_BYTES * work.held, "to check the proof")

    try:
        verify.check([verify.Model(model_bytes(T)) for T in models], certificate, tick)
    except UnknownError as error:
        return _not_checked(error, (time.perf_counter() - begin) / max(fraction, 0.01))
    except verify.Refused as error:
        return f"a proof was found, and the checker refuses it: {error}"
    return None


def _not_checked(error: UnknownError, seconds: float) -> str:
    """Say why a proof was not checked, and about how long that takes."""
    hint = "write a larger memory" if " bytes" in str(error) else f"to check it takes about {_about(seconds)}"
    return f"a proof was found, and not checked: {error}; {hint}"


def _about(seconds: float) -> str:
    """Write a time, rounded up."""
    whole = int(seconds) + 1
    return (
        f"{whole} s: write seconds={2 * whole}" if whole < 600 else f"{whole // 60} minutes: write seconds={2 * whole}"
    )

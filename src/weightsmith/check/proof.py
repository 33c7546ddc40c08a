"""Proofs for all lengths, as data for `weightsmith/verify.py`, which shares no code with the search.

*Proved* means that this program has accepted the proof.
"""

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

from weightsmith import verify
from weightsmith.automata.extraction import Budget, UnknownError
from weightsmith.automata.extraction.moore import Moore
from weightsmith.automata.extraction.trace import ProofTrace
from weightsmith.automata.languages import Regular
from weightsmith.check.claim import Claim
from weightsmith.check.models import Model
from weightsmith.files import model_bytes

STATE_BYTES = 800  # of a state that the checker visits, about
NUMBER_BYTES = 150  # of a number of a proof, as data and in the checker
NUMBERS_PER_SECOND = 100_000  # of a proof that the checker reads, about


def proof_data(claim: Claim, traces: Sequence[tuple[ProofTrace, Moore | None]]) -> dict[str, Any]:
    """Return the entries of a certificate for a proof: the automata of the languages, and a trace for each model.

    Beside the trace of its extraction, a model may have one machine of all its decisions.
    """
    known = {name: language.automaton for name, language in claim.languages.items()}
    automata = {name: Regular(automaton).described()["automaton"] for name, automaton in known.items() if automaton}
    return {"automata": automata, **claim.proof_entries(), "proof": [_of_model(*one) for one in traces]}


def size_of(traces: Sequence[tuple[ProofTrace, Moore | None]]) -> int:
    """Return how many numbers a proof has."""
    return sum(trace.size + (0 if decisions is None else decisions.table.size) for trace, decisions in traces)


def too_large(traces: Sequence[tuple[ProofTrace, Moore | None]], budget: Budget) -> str | None:
    """Return the reason why a proof is not written: too little memory or time is left. None if there is enough."""
    size = size_of(traces)
    budget.step = "checking the proof"
    try:
        budget.room(NUMBER_BYTES * size, "to check the proof")
        if size / NUMBERS_PER_SECOND > 4 * budget.left():
            raise budget.stop(f"it has {size:,} numbers")
    except UnknownError as error:
        return _not_checked(error, size / NUMBERS_PER_SECOND)
    return None


def _of_model(trace: ProofTrace, decisions: Moore | None) -> dict[str, Any]:
    whole = decisions and {"table": decisions.table.tolist(), "labels": decisions.labels.tolist()}
    return {**trace.to_json(), "decisions": whole}


def sealed(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return data with a digest of all its entries, which detects accidental changes."""
    text = json.dumps({**data, "digest": None}, sort_keys=True)
    return {**data, "digest": hashlib.sha256(text.encode()).hexdigest()}


def unchecked(
    models: Sequence[Model], certificate: Mapping[str, Any], budget: Budget | None = None, size: int = 0
) -> str | None:
    """Let `verify.py` check a certificate whose proof has `size` numbers; return why it was not accepted, or None.

    If the budget ends first, the reason estimates how long the check takes.
    """
    begin, fraction = time.perf_counter(), 0.0

    def tick(work: verify.Work) -> None:
        nonlocal fraction
        fraction = work.done / work.readings
        if budget is not None:
            budget.step = "checking the proof"
            budget.room(NUMBER_BYTES * size + STATE_BYTES * work.held, "to check the proof")

    try:
        verify.check([verify.Model(model_bytes(T)) for T in models], certificate, tick)
    except UnknownError as error:
        return _not_checked(error, (time.perf_counter() - begin) / max(fraction, 0.01))
    except verify.Refused as error:
        return f"a proof was found, and the checker refuses it: {error}"
    return None


def _not_checked(error: UnknownError, seconds: float) -> str:
    """Return the reason why a proof was not checked, and how long that takes."""
    hint = "write a larger memory" if " bytes" in str(error) else f"to check it takes about {_about(seconds)}"
    return f"a proof was found, and not checked: {error}; {hint}"


def _about(seconds: float) -> str:
    """Return a duration, rounded up, and the option to write."""
    whole = int(seconds) + 1
    return (
        f"{whole} s: write seconds={2 * whole}" if whole < 600 else f"{whole // 60} minutes: write seconds={2 * whole}"
    )

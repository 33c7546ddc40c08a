"""Proofs for all lengths as data: what `weightsmith/verify.py` checks on its own, with nothing of ours.

That program reads what follows from the weights by rational numbers alone, and one model's tokens as they are. Of the
rest nothing is written: such a certificate is checked by finding the automata again.
"""

import hashlib
import json
from typing import Any

from weightsmith.arithmetic import TwosComplement
from weightsmith.automata.extraction import Budget, extract
from weightsmith.automata.languages import Regular
from weightsmith.check.claim import Claim
from weightsmith.model import Alibi, Sinusoidal, Transformer
from weightsmith.model.positions import added


def unproved(claim: Claim) -> str | None:
    """Say why a proof of a claim cannot be checked by `verify.py`; None where it can."""
    if claim.frame.suffix:
        return "each input is followed by a suffix"
    return next((reason for T in claim.models if (reason := _unread(T)) is not None), None)


def _unread(T: Transformer) -> str | None:
    if isinstance(T.arithmetic, TwosComplement):
        return f"the arithmetic {T.arithmetic} is not symmetric"
    if isinstance(added(T.positions), Sinusoidal):
        return "sinusoidal positions are not rational numbers: write them as a PositionTable"
    heads = [len(block.attention.heads) for block in T.blocks if block.attention and block.attention.heads]
    scheme = T.attention_positions
    own = [head.positions for block in T.blocks if block.attention for head in block.attention.heads]
    by_place = any(isinstance(one, Alibi) and one.place is not None for one in own)
    if by_place or (isinstance(scheme, Alibi) and scheme.slopes is None and any(8 % count for count in heads)):
        return "the slopes of Alibi() are not rational numbers here: write them, as in Alibi((0.5, 0.25))"
    return None


def proof_of(claim: Claim, budget: Budget) -> dict[str, Any]:
    """Return what a certificate holds of a proof: the automata of its languages, and how each model was extracted."""
    given = {"language": getattr(claim, "language", None), "within": claim.frame.within}
    known = {name: language.automaton for name, language in given.items() if language is not None}
    automata = {name: Regular(automaton).described()["automaton"] for name, automaton in known.items() if automaton}
    return {"automata": automata, "proof": [extract(T, budget).journal.to_json() for T in claim.models]}


def sealed(data: dict[str, Any]) -> dict[str, Any]:
    """Return data with a digest of all of it, so that nobody changes a number by accident."""
    text = json.dumps({**data, "digest": None}, sort_keys=True)
    return {**data, "digest": hashlib.sha256(text.encode()).hexdigest()}

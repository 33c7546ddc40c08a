"""Why a fact cannot be written: the rival, the two responses, and the largest margin that works."""

from collections.abc import Sequence
from typing import NoReturn

import numpy as np

from weightsmith.arithmetic import Arithmetic, Array
from weightsmith.errors import InputError
from weightsmith.memory.facts import fact_places, respond
from weightsmith.memory.rivals import Rivals
from weightsmith.memory.threshold import Thresholds, overlaps
from weightsmith.model import FeedForward
from weightsmith.model.places import neuron_text


def collision(A: Arithmetic, layer: FeedForward, keys: Array, labels: Sequence[str]) -> None:
    """Refuse keys that an old fact answers to: both would add their values there."""
    old = fact_places(layer)
    if not old.size:
        return
    responses = respond(A, layer, old, keys)  # (keys, old facts)
    n, i = divmod(int(np.argmax(responses)), len(old))
    if responses[n, i] >= 0:
        raise InputError(
            f"the fact {neuron_text(layer, int(old[i]))}, which is there already, responds to the key of {labels[n]} "
            f"with {responses[n, i]:g}, and it must stay below 0: edit it first, with this key among its rivals, or "
            "write both with write_many"
        )


def refuse(
    A: Arithmetic, keys: Array, labels: Sequence[str], rivals: Rivals, found: Thresholds, margin: float
) -> NoReturn:
    """Say why one of the keys has no good neuron; `found` has the best that there is for the first of them."""
    s, r, strongest = overlaps(keys, rivals.patterns, rivals.allowed)
    r, wrong = r[:, 0], np.flatnonzero(~found.good(margin))
    n = int(wrong[np.argmax(s[wrong] <= r[wrong])])  # one that nothing can tell apart, if there is one
    if s[n] <= r[n]:
        raise InputError(
            f"{labels[n]} cannot be told from {rivals.text(int(strongest[n, 0]))}: ⟨key, key⟩ = {s[n]:g} and "
            f"⟨key, rival⟩ = {r[n]:g}, so what fires for the key fires there too; "
            "add a lane to the key on which they differ"
        )
    at_key, at_rival, rival = float(found.at_key[n]), float(found.at_rival[n]), rivals.text(int(found.rival[n]))
    if at_key == 1 and at_rival < 0:
        works = "the largest margin that works is" if A.bits <= 16 else "a margin that works is"
        raise InputError(
            f"{labels[n]} cannot keep margin={margin:g} in {A}: its response is 1 at its key and "
            f"{at_rival:g} at {rival}; {works} {-at_rival!r}: write margin={-at_rival!r}"
        )
    raise InputError(
        f"{labels[n]} cannot be written in {A}: its response would be {at_key:g} at its key and "
        f"{at_rival:g} at {rival}, and it must be 1 and at most {-margin:g};"
        " no margin works here: use a wider arithmetic, or another key"
    )

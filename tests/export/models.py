"""The models that every target must take: the library, its ∞ forms, boolean combinations, random ones."""

from functools import cache

import numpy as np

import weightsmith as ws
from weightsmith.library.entries import ENTRIES, EXAMPLES
from weightsmith.semantics.evaluation import Ids


@cache
def hand_built() -> dict[str, ws.Transformer]:
    """Return them by what one writes."""
    models = {entry.call: entry.build() for entry in (*ENTRIES, *EXAMPLES)}
    forms = {name: T for name, T in models.items() if len(T.classes) == 2 and T.arithmetic.infinity < 1e300}
    models |= {f"infinity_form({name})": ws.infinity_form(T) for name, T in forms.items()}
    S, T = ws.library.contains("1"), ws.library.first_equals_last()
    combined = {"S & T": S & T, "S | T": S | T, "S ^ T": S ^ T, "~T": ~T, "if": ws.if_then_else(S, T, ~T)}
    return models | combined


def all_inputs(T: ws.Transformer, up_to: int, most: int = 500) -> list[Ids]:
    """Return every input up to a length, or so many of each length."""
    random, found = np.random.default_rng(0), list[Ids]()
    for length in range(1, min(up_to, T.max_length or up_to) + 1):
        count = len(T.vocabulary) ** length
        if count <= most:
            found.append(np.indices((len(T.vocabulary),) * length).reshape(length, -1).T.copy())
        else:
            found.append(random.integers(0, len(T.vocabulary), (most, length)))
    return found

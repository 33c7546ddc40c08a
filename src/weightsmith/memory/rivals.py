"""What a new neuron must not fire for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.errors import InputError
from weightsmith.memory.facts import fact_places
from weightsmith.memory.patterns import Pattern, read_patterns
from weightsmith.memory.seen import Tokens, look
from weightsmith.memory.threshold import Chosen
from weightsmith.model import FeedForward, Transformer
from weightsmith.model.places import neuron_text


@dataclass(frozen=True, eq=False)
class Rivals:
    """Patterns that new neurons must not fire for; the empty one comes first, then old facts, then new ones."""

    patterns: Array  # (rivals, lanes)
    allowed: Chosen  # (keys, rivals): which is a rival of which
    texts: Sequence[str | Callable[[], str]]  # a text, or a function that gives one

    def text(self, rival: int) -> str:
        """Name a rival."""
        text = self.texts[rival]
        return text if isinstance(text, str) else text()


def gather(
    T: Transformer,
    block: int,
    layer: FeedForward,
    keys: Array,
    labels: Sequence[str],
    rivals: Sequence[Pattern],
    inputs: Sequence[Tokens],
) -> Rivals:
    """Collect the rivals of new keys."""
    if isinstance(rivals, str) or not isinstance(rivals, Sequence):
        raise InputError(f"rivals={rivals!r:.80}: write a list of patterns, such as [{{{T.lanes[0]!r}: 1.0}}]")
    old = fact_places(layer)
    given = read_patterns(T, rivals, [f"rival {i}" for i in range(len(rivals))])
    seen = look(T, block, inputs)
    vectors, first = np.unique(seen.vectors, axis=0, return_index=True)
    known = layer.keys[old] if layer.keys is not None else np.zeros((0, len(T.lanes)))
    patterns = np.vstack([np.zeros((1, len(T.lanes))), known, keys, given, vectors])
    allowed = np.full((len(keys), len(patterns)), True)
    here = 1 + len(old) + np.arange(len(keys))
    allowed[np.arange(len(keys)), here] = False
    for n, key in enumerate(keys if len(vectors) else ()):
        lanes = np.flatnonzero(key)
        allowed[n, len(patterns) - len(vectors) :] = (vectors[:, lanes] != key[lanes]).any(axis=1)
    texts: list[str | Callable[[], str]] = ["the empty pattern"]
    texts += [f"the fact {neuron_text(layer, int(n))}" for n in old]
    texts += [f"the new fact {label}" if label != "the new fact" else "another new fact" for label in labels]
    texts += [f"rival {i}" for i in range(len(given))]
    texts += [partial(seen.text, int(row)) for row in first]
    return Rivals(patterns, allowed, texts)

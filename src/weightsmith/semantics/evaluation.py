"""What every engine shares: the values of a run, and refusing, by name, parts of a transformer that it does not know.

Positional schemes need no refusal: a scheme consists of tables (`AttentionPositions`), which every engine asks for.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Array
from weightsmith.errors import ModelError, brief
from weightsmith.model import LayerNorm, Norm, RMSNorm, Transformer
from weightsmith.model.block import ARRAYS, first_window, new_arrays
from weightsmith.model.sites import Site

Ids: TypeAlias = npt.NDArray[np.integer]  # of tokens: indices in the vocabulary
AnswerIds: TypeAlias = npt.NDArray[np.intp]  # indices in `Transformer.answers`
KeysAndValues: TypeAlias = Sequence[tuple[Array, Array]]  # [head]
Quantity: TypeAlias = Literal["decisions", "logits", "vectors", "outputs", "streams"]  # an engine's results
Sums: TypeAlias = Literal["left", "machine"]  # left folds as defined, or the order in which BLAS adds

NORMS = (LayerNorm, RMSNorm)  # every engine knows the same ones
NUMBERS_AT_ONCE = 1 << 26  # in the evaluation of inputs that run together: half a gigabyte of float64
Change: TypeAlias = Callable[[Site, Array], Array]  # replaces values of the stream, of a head's output, of activations


@dataclass(frozen=True, eq=False)
class HeadRun:
    """One head on one input, or on several of the same length: then every array has a further axis in front."""

    weights: Array  # (positions, positions); 0 where j is not visible from i
    empty: npt.NDArray[np.bool_]  # (positions): which rows had no weight
    keys: Array  # (positions, key size): after rotation
    values: Array  # (positions, value size)
    mixed: Array  # (positions, value size): Σ weight ⊗ value
    scores: Array  # (positions, positions); 0 where j is not visible from i
    output: Array  # (positions, lanes): W_O mixed, the head's part of the attention's sum

    def as_float64(self) -> "HeadRun":
        """Return the head with every number as float64, which changes none of them."""
        if self.mixed.dtype == np.float64:
            return self
        wide = [x.astype(np.float64) for x in (self.keys, self.values, self.mixed, self.scores, self.output)]
        return HeadRun(self.weights.astype(np.float64), self.empty, *wide)

    def with_output(self, output: Array) -> "HeadRun":
        """Return the head with its output replaced."""
        return HeadRun(self.weights, self.empty, self.keys, self.values, self.mixed, self.scores, output)


@dataclass(frozen=True)
class Past:
    """The positions before those of a run: how many, and their keys and values."""

    length: int
    blocks: Sequence[KeysAndValues]


NOTHING = Past(0, ())


@dataclass(frozen=True)
class Evaluation:
    """Every value of a run, for one input or with a further axis in front for several of the same length."""

    stream: list[Array]
    heads: list[tuple[HeadRun, ...]]
    activations: list[Array]
    logits: Array
    before: Past

    @property
    def past(self) -> Past:
        """The keys and values, for a run that continues from here."""
        length = self.before.length + self.stream[0].shape[-2]
        return Past(length, [[(head.keys, head.values) for head in heads] for heads in self.heads])


def numbers_held(T: Transformer, length: int) -> int:
    """Return roughly how many numbers the evaluation of an input of a length holds."""
    numbers = len(T.lanes)
    for block in T.blocks:
        numbers += 2 * len(T.lanes) + (len(block.feed_forward.W_1) if block.feed_forward else 0)
        for head in block.attention.heads if block.attention else ():
            numbers += 2 * length + len(head.W_K) + 2 * len(head.W_V)
    return length * numbers


def kept_numbers(T: Transformer, positions: int) -> int:
    """Return how many numbers the keys and values of a text are."""
    heads = [head for block in T.blocks if block.attention is not None for head in block.attention.heads]
    return positions * sum(len(head.W_K) + len(head.W_V) for head in heads)


def products_of_run(T: Transformer, positions: int) -> int:
    """Return about how many products a run on an input takes."""
    return positions * (T.weights + kept_numbers(T, positions))


def unchanged(site: Site, values: Array) -> Array:
    """Return the values as they are."""
    return values


def may_change(change: Change, sites: Iterable[Site]) -> bool:
    """Return whether a change may replace values at some of these sites.

    A change that replaces values at a few sites says so by an attribute `sites`; engines then compute nothing for it
    elsewhere.
    """
    if change is unchanged:
        return False
    known = getattr(change, "sites", None)
    return known is None or any(site in known for site in sites)


def unsupported(
    T: Transformer,
    engine: str,
    weightings: Iterable[type],
    arrays: frozenset[str] = ARRAYS,
    windows: bool = False,
) -> str | None:
    """Return an error for the first part that an engine with these weightings and arrays does not know, or None.

    An engine that knows the windows of heads says so.
    """
    known = set(weightings)
    for b, block in enumerate(T.blocks):
        for name in new_arrays(block, arrays):
            return f"block {b}: {engine} does not know the array {name}: leave it out"
        narrow = None if windows else first_window(block)
        if narrow is not None:
            return f"block {b}, head {narrow}: {engine} does not know windows: write Head(…, window=None)"
    for b, block in enumerate(T.blocks):
        for i, head in enumerate(block.attention.heads if block.attention else ()):
            if type(head.weighting) not in known:
                return _text(f"block {b}, head {i}: {engine}", "weighting", head.weighting, known)
    for name, norm in _norms(T):
        if norm is not None and type(norm) not in NORMS:
            return _text(f"{name}: {engine}", "norm", norm, NORMS)
    return None


def refuse(reason: str | None) -> None:
    """Raise a reason as a `ModelError`; None is no reason."""
    if reason is not None:
        raise ModelError(reason)


def _norms(T: Transformer) -> Iterator[tuple[str, Norm | None]]:
    for b, block in enumerate(T.blocks):
        yield f"block {b} attention norm", block.attention_norm
        yield f"block {b} feed-forward norm", block.feed_forward_norm
    yield "final norm", T.final_norm


def _text(who: str, what: str, part: object, known: Iterable[type]) -> str:
    names = sorted(f"{kind.__name__}()" for kind in known)
    return f"{who} does not know the {what} {brief(part)}: write one of {', '.join(names)}"

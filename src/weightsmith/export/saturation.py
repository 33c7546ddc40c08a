"""Which sublayers rely on saturation: those that give something else where values beyond ±∞ are not cut off.

A target may lack saturation altogether (`Unbounded`), or saturate at the end of each sum and not midway (`Late`).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from weightsmith.arithmetic import Array, Core, Fixed, Saturating, Ties, Weights
from weightsmith.arithmetic.core import Elementary, silent
from weightsmith.arithmetic.rounding import nearest_integer, quantum
from weightsmith.errors import ModelError
from weightsmith.model import Transformer
from weightsmith.model.sites import Site, stage_names
from weightsmith.semantics import reference
from weightsmith.semantics.evaluation import Ids

LARGEST = 2.0**1000  # the machine's own end
LARGEST_EXPONENT = 300.0  # of e: sums of so large numbers stay below LARGEST


@dataclass(frozen=True, repr=False)
class Unbounded(Saturating):
    """A finite arithmetic that goes on beyond its ∞: the same rounding, and nothing is cut off."""

    bounded: Saturating

    @property
    def ties(self) -> Ties:  # type: ignore[override]
        """The tie rule."""
        return self.bounded.ties

    @property
    def infinity(self) -> float:
        """The ∞ of the arithmetic that goes on; here it is a number like others."""
        return self.bounded.infinity

    @property
    def bits(self) -> int:
        """The size of the arithmetic that goes on."""
        return self.bounded.bits

    @property
    def precision(self) -> int:
        """p: how many bits a significand has; in fixed point, up to ∞."""
        return self.bounded.precision

    @property
    def least_exponent(self) -> int:
        """The smallest E."""
        return self.bounded.least_exponent

    def _nearest(self, x: Array) -> Array:
        within = np.clip(x, -LARGEST, LARGEST)
        steps: Array | float = 2.0 ** (self.least_exponent - self.precision + 1)
        if not isinstance(self.bounded, Fixed):
            steps = quantum(within, self.least_exponent, self.precision)
        return nearest_integer(within / steps, self.ties) * steps + 0.0

    def _elementary(self, name: Elementary, x: Array) -> Array:
        if name != "exp":  # an activation, which is never further from 0 than x
            known = self.bounded._elementary(name, np.clip(x, -self.infinity, self.infinity))
            return np.where(np.abs(x) > self.infinity, np.maximum(x, 0.0), known)
        known = self.bounded._elementary(name, np.clip(x, -self.infinity, self.infinity))
        beyond = self._nearest(np.exp(np.minimum(x, LARGEST_EXPONENT)))
        return np.where((known == self.infinity) | (np.abs(x) > self.infinity), beyond, known)

    def __str__(self) -> str:
        """Describe the arithmetic."""
        return f"{self.bounded} without its ends"


@dataclass(frozen=True, repr=False)
class Late(Unbounded):
    """A finite arithmetic whose sums come to their ends late: a fold is cut off once, after its last term.

    Products are rounded as before. With `rounded` partial sums are, too; without, a sum is exact and rounded once.
    """

    rounded: bool = True

    @property
    def core(self) -> Core:
        """The operations; single ones, and all tables, are those of the arithmetic itself."""
        return _LateCore(self)

    def _nearest(self, x: Array) -> Array:
        return self.bounded._nearest(x)

    def _elementary(self, name: Elementary, x: Array) -> Array:
        return self.bounded._elementary(name, x)

    def __str__(self) -> str:
        """Describe the arithmetic."""
        return f"{self.bounded} with late ends"


class _LateCore(Core):
    def __init__(self, late: Late) -> None:
        """Take over the operations of the arithmetic, and its rounding without ends for folds."""
        super().__init__(late.bounded)
        self._endless = Unbounded(late.bounded)._nearest
        self._partial: Callable[[Array], Array] = self._endless if late.rounded else np.asarray

    @silent
    def dot(self, x: Weights, y: Weights) -> Array:
        """Return Σ x_j ⊗ y_j, cut off at its end."""
        return self._fold_along(-1, self._endless(x * y))

    def _fold(self, terms: Iterable[Array], shape: tuple[int, ...]) -> Array:
        total = np.zeros(shape)
        for term in terms:
            total = self._partial(total + term)
        return self._nearest(total)


def relying_on_saturation(
    T: Transformer, inputs: Iterable[Ids], ends: Callable[[Saturating], Saturating] = Unbounded
) -> tuple[str, ...]:
    """Return the names of the sublayers that give something else, on some input, in an arithmetic with other ends.

    Each sublayer starts from what the transformer itself gives before it, so only its own values count.
    """
    if not isinstance(T.arithmetic, Saturating):
        return ()
    other, names = replace(T, arithmetic=ends(T.arithmetic)), (*stage_names(T), "output")
    found: set[int] = set()
    for ids in inputs:
        found |= _differing(T, other, ids)
    return tuple(names[stage] for stage in sorted(found))


def late_and_exact(A: Saturating) -> Late:
    """Return the arithmetic whose sums are exact, rounded and cut off once."""
    return Late(A, rounded=False)


def _differing(T: Transformer, endless: Transformer, ids: Ids) -> set[int]:
    """Return the stages at which the other run leaves the run, which it follows again after each of them."""
    run = reference.evaluate(T, ids)
    found, reached = set[int](), 0

    def follow(site: Site, values: Array) -> Array:
        nonlocal reached
        if not site.in_stream:
            return values
        stage = site.stage
        reached = stage + 1
        if not np.array_equal(values, run.stream[stage]):
            found.add(stage)
        return run.stream[stage]

    try:
        logits = reference.evaluate(endless, ids, change=follow).logits
    except ModelError:  # a softmax that is empty now, or a square root that is 0: then this sublayer needs its ends
        return found | {reached}
    return found if np.array_equal(logits, run.logits) else found | {len(run.stream)}

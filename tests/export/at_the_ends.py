"""What every plain target is to compute: the reference's own steps, where nothing rounds and each sum saturates once.

This is said with the reference run in an arithmetic of its own, and shares nothing with the targets.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

import weightsmith as ws
from weightsmith.arithmetic import Array, Core, Saturating
from weightsmith.arithmetic.core import Activation, silent
from weightsmith.export.saturation import Unbounded
from weightsmith.model.sites import Site
from weightsmith.semantics.evaluation import Ids
from weightsmith.semantics.reference import Reference


@dataclass(frozen=True, repr=False)
class AtTheEnds(Unbounded):
    """A finite arithmetic whose tables and constants are members, and whose operations saturate and do not round."""

    @property
    def core(self) -> Core:
        return _Ends(self)

    def _nearest(self, x: Array) -> Array:
        return self.bounded._nearest(x)

    def members(self, x: Any) -> Array:
        return np.asarray(x, np.float64)  # what comes from a target is not rounded either


class _Ends(Core):
    def __init__(self, A: AtTheEnds) -> None:
        super().__init__(A)
        self.bounded = A.bounded
        self._nearest = self._nearest_sum = lambda x: np.clip(x, -self.infinity, self.infinity)

    def round(self, x: npt.ArrayLike) -> Array:
        return self.bounded.round(x) if np.ndim(x) == 0 else self._nearest(np.asarray(x))  # a constant, or 1/m

    def exp(self, x: Array) -> Array:
        with np.errstate(over="ignore"):
            return np.where(x > math.log(self.bounded.smallest / 2), self._nearest(np.exp(x)), 0.0)

    def activate(self, name: Activation, x: Array) -> Array:
        if name == "relu":
            return np.maximum(x, 0.0)
        if name == "gelu":
            normal: Array = (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2
            return x * normal
        steep = x if name == "silu" else math.sqrt(8 / math.pi) * (x + 0.044715 * x**3)
        with np.errstate(over="ignore"):
            sigmoid: Array = 1 / (1 + np.exp(-steep))
        return x * sigmoid

    @silent
    def dot(self, x: Any, y: Any) -> Array:
        return self._nearest((x * y).sum(-1))

    @silent
    def sum(self, x: Array, axis: int = -1) -> Array:
        return self._nearest(x.sum(axis))


def furthest(T: ws.Transformer, ids: Ids, stream: list[Array], logits: Array) -> float:
    """Say how far a target's stream and logits are from what they should be, each stage from the target's last one."""
    assert isinstance(T.arithmetic, Saturating)
    model = replace(T, arithmetic=AtTheEnds(T.arithmetic))
    found = [0.0]

    def follow(site: Site, values: Array) -> Array:
        if not site.in_stream:
            return values
        found.append(float(np.abs(values - stream[site.stage]).max(initial=0.0)))
        return stream[site.stage]

    engine = Reference(model)
    engine.evaluate(ids, change=follow)
    said = engine.read_codes(stream[-1]) if T.readout else engine.read_off(stream[-1])
    return max(*found, float(np.abs(said - logits).max(initial=0.0))) / T.arithmetic.infinity

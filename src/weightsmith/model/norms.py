"""Norms: they bring a vector to a common scale before or after a sublayer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from weightsmith.arithmetic import Weights
from weightsmith.errors import ModelError, brief
from weightsmith.model.frozen import LANES, Axes, Frozen, LaneNames
from weightsmith.model.names import checked_names

NORM_LANES = "lanes of the norm"
MAX_NUMBER = 1e30


class Norm(Frozen):
    """The base of every norm."""

    eps: float
    gain: Weights | None
    lanes: Sequence[str] | None

    def __post_init__(self) -> None:
        """Freeze and check."""
        self._freeze()
        name = type(self).__name__
        if type(self.eps) not in (int, float) or not 0 <= self.eps < MAX_NUMBER or float(self.eps) >= MAX_NUMBER:
            raise ModelError(f"{name}(eps={brief(self.eps)}): write a small number such as 1e-5")
        self._set("eps", float(self.eps) + 0.0)  # without −0
        if self.lanes is not None:
            self._set("lanes", checked_names(self.lanes, f"the lanes of {name}", printable=True))

    def axis_sizes(self, sizes: Mapping[str, int]) -> Mapping[str, int]:
        """Return how many lanes it is over."""
        return {NORM_LANES: sizes[LANES] if self.lanes is None else len(self.lanes)}


@dataclass(frozen=True, eq=False)
class LayerNorm(Norm):
    """(x ⊖ mean) ⊘ sqrt(variance ⊕ eps) ⊗ gain ⊕ bias.

    `lanes` limits the norm: the other lanes pass unchanged and do not count. None means all lanes. gain and bias are
    over the limited lanes; None means 1 and 0.
    """

    eps: float = 1e-5
    gain: Annotated[Weights | None, Axes(NORM_LANES)] = None
    bias: Annotated[Weights | None, Axes(NORM_LANES)] = None
    lanes: Annotated[Sequence[str] | None, LaneNames()] = None


@dataclass(frozen=True, eq=False)
class RMSNorm(Norm):
    """x ⊘ sqrt(mean of squares ⊕ eps) ⊗ gain; lanes and gain as in `LayerNorm`."""

    eps: float = 1e-5
    gain: Annotated[Weights | None, Axes(NORM_LANES)] = None
    lanes: Annotated[Sequence[str] | None, LaneNames()] = None

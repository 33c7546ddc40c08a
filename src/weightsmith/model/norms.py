"""Norms: they bring a vector to a common scale before or after a sublayer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, TypeAlias

from weightsmith.arithmetic import Weights
from weightsmith.errors import ModelError, brief
from weightsmith.model.axes import LANES, Axes, LaneNames
from weightsmith.model.frozen import Frozen
from weightsmith.model.names import checked_names

NORM_LANES = "lanes of the norm"
MAX_NUMBER = 1e30


@dataclass(frozen=True, eq=False)
class LayerNorm(Frozen):
    """(x ⊖ mean) ⊘ sqrt(variance ⊕ eps) ⊗ gain ⊕ bias.

    `lanes` limits the norm: the others pass unchanged and do not count. None means all lanes. gain and bias are over
    the limited lanes; None means 1 and 0.
    """

    eps: float = 1e-5
    gain: Annotated[Weights | None, Axes(NORM_LANES)] = None
    bias: Annotated[Weights | None, Axes(NORM_LANES)] = None
    lanes: Annotated[Sequence[str] | None, LaneNames()] = None

    def __post_init__(self) -> None:
        """Freeze and check."""
        self._freeze()
        _check_norm(self)

    def axis_sizes(self, sizes: Mapping[str, int]) -> Mapping[str, int]:
        """Return how many lanes it is over."""
        return {NORM_LANES: sizes[LANES] if self.lanes is None else len(self.lanes)}


@dataclass(frozen=True, eq=False)
class RMSNorm(Frozen):
    """x ⊘ sqrt(mean of squares ⊕ eps) ⊗ gain; lanes and gain as in `LayerNorm`."""

    eps: float = 1e-5
    gain: Annotated[Weights | None, Axes(NORM_LANES)] = None
    lanes: Annotated[Sequence[str] | None, LaneNames()] = None

    def __post_init__(self) -> None:
        """Freeze and check."""
        self._freeze()
        _check_norm(self)

    def axis_sizes(self, sizes: Mapping[str, int]) -> Mapping[str, int]:
        """Return how many lanes it is over."""
        return {NORM_LANES: sizes[LANES] if self.lanes is None else len(self.lanes)}


Norm: TypeAlias = LayerNorm | RMSNorm


def _check_norm(norm: Norm) -> None:
    if type(norm.eps) not in (int, float) or not 0 <= norm.eps < MAX_NUMBER or float(norm.eps) >= MAX_NUMBER:
        raise ModelError(f"{type(norm).__name__}(eps={brief(norm.eps)}): write a small number such as 1e-5")
    norm._set("eps", float(norm.eps) + 0.0)  # without −0
    if norm.lanes is not None:
        norm._set("lanes", checked_names(norm.lanes, f"the lanes of {type(norm).__name__}", printable=True))

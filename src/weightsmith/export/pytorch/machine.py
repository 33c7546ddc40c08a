"""What the parts of a module ask of the arithmetic that they are computed in."""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from torch import Tensor, nn

from weightsmith.arithmetic import Activation
from weightsmith.errors import ModelError
from weightsmith.model import Softmax
from weightsmith.semantics.attention import EMPTY_ERROR, UNSEEN_ERROR
from weightsmith.semantics.layers import ROOT_ERROR

if TYPE_CHECKING:
    from weightsmith.arithmetic import Arithmetic
    from weightsmith.export.pytorch.geometry import Geometry
    from weightsmith.export.pytorch.parts import Heads, Norm


class Machine(nn.Module, ABC):
    """The operations on tensors, as `Core` has them on arrays, and the steps that are worth doing at once."""

    arithmetic: "Arithmetic"

    @abstractmethod
    def add(self, x: Tensor, y: Tensor) -> Tensor:
        """Return x ⊕ y."""

    @abstractmethod
    def subtract(self, x: Tensor, y: Tensor) -> Tensor:
        """Return x ⊖ y."""

    @abstractmethod
    def multiply(self, x: Tensor, y: Tensor) -> Tensor:
        """Return x ⊗ y."""

    @abstractmethod
    def linear(self, x: Tensor, W: Tensor, b: Tensor | None) -> Tensor:
        """Return W x ⊕ b for vectors (…, columns)."""

    @abstractmethod
    def activate(self, function: Activation, x: Tensor) -> Tensor:
        """Return an activation of x."""

    @abstractmethod
    def norm(self, norm: "Norm", x: Tensor) -> Tensor:
        """Return vectors (…, positions, lanes of the norm), normalised."""

    @abstractmethod
    def attend(
        self, heads: "Heads", q: Tensor, k: Tensor, v: Tensor, geometry: "Geometry"
    ) -> tuple[Tensor, Tensor | None]:
        """Return Σ weight ⊗ value of each head, (batch, heads, positions, value size), and the weights if traced."""

    @abstractmethod
    def gathered(self, total: Tensor | None, mixed: Tensor, W_O: Tensor) -> Tensor:
        """Return a total (None: nothing yet) with what further heads add to the stream."""

    def refuse_zero_root(self, norm: "Norm", root: Tensor) -> None:
        """Refuse to divide by a square root (batch, positions, 1) that is 0."""
        wrong = (root == 0).nonzero()
        if len(wrong):
            A = self.arithmetic
            raise ModelError(ROOT_ERROR.format(norm.name, int(wrong[0][-2]), norm.eps, A, A.smallest))

    def refuse_unseen(self, heads: "Heads") -> None:
        """Refuse a strict head without an answer for the first position, which sees nothing."""
        if heads.strict and isinstance(heads.weighting, Softmax) and heads.weighting.empty == "error":
            raise ModelError(UNSEEN_ERROR.format(f"block {heads.block}, head {heads.first}", 0))

    def refuse_empty(self, heads: "Heads", empty: Tensor, largest: Tensor) -> None:
        """Refuse a softmax (batch, heads, positions, 1) whose exponentials are all 0."""
        wrong = empty.nonzero()
        if len(wrong):
            where = wrong[0]
            name = f"block {heads.block}, head {heads.first + int(where[-3])}"
            top = float(largest.detach()[tuple(where)])
            raise ModelError(EMPTY_ERROR.format(name, int(where[-2]), self.arithmetic, top))

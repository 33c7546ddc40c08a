"""Rounding of tensors: what `arithmetic.rounding` does, bit for bit, on any device that has float64."""

import torch
from torch import Tensor

from weightsmith.arithmetic import Fixed, Saturating

_EXPONENT = 0x7FF


class Rounding:
    """The rounding of a finite arithmetic. Each result is a fresh tensor, in which the work is done in place."""

    def __init__(self, A: Saturating) -> None:
        """Take over the constants."""
        self.lowest, self.infinity, self.ties = A.lowest, A.infinity, A.ties
        self.precision, self.least = A.precision, A.least_exponent
        self.step = 2.0 ** (self.least - self.precision + 1)
        self.one_step = A.infinity < 2.0 ** (self.least + 1)  # fixed point: one quantum for all
        self.sums_are_exact = isinstance(A, Fixed)

    def nearest(self, x: Tensor) -> Tensor:
        """Return the nearest member of each value. What was given is overwritten."""
        x = x.clamp_(self.lowest, self.infinity)
        if self.one_step:
            return self._whole(x.mul_(1 / self.step)).mul_(self.step).add_(0.0)
        exponent = (x.view(torch.int64) >> 52).bitwise_and_(_EXPONENT).clamp_min_(self.least + 1023)
        exponent -= self.precision - 1
        per_step = ((2046 - exponent) << 52).view(torch.float64)
        return self._whole(x.mul_(per_step)).mul_((exponent << 52).view(torch.float64)).add_(0.0)  # no −0

    def nearest_sum(self, x: Tensor) -> Tensor:
        """Round sums and differences of two members, which are multiples of the one quantum in fixed point."""
        return x.clamp_(self.lowest, self.infinity) if self.sums_are_exact else self.nearest(x)

    def _whole(self, s: Tensor) -> Tensor:
        """Round to integers, in place."""
        if self.ties == "even":
            return s.round_()
        if self.ties == "zero":
            return s.abs().sub_(0.5).ceil_().copysign_(s)
        away = s - s.trunc()
        return s.trunc_().add_((away.abs() >= 0.5).to(s).copysign_(away))

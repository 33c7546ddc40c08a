"""Rounding of tensors: what `arithmetic.rounding` does, bit for bit, on any device that has float64.

**Fast, for sums and products of two members.** Adding 1.5·2^52 quanta and taking them away again leaves a whole
number of quanta: the machine's own rounding, ties to even, does the work. Ties go to zero where the value was moved one
float64 towards zero before, and away from zero where it was moved away by one or two. That moves nothing else across a
midpoint: a product of members has at most 2p bits, and a sum that is not a midpoint is at least 2^(1−2p) times its size
away from one (or a member and something far smaller than its quantum), while two float64 are 2^−51 of it; and p is at
most 25. Everything else, such as quotients, takes the slower way, which is right for every float64.
"""

import torch
from torch import Tensor

from weightsmith.arithmetic import Fixed, Saturating

_EXPONENT = 0x7FF
_NUDGES = {"even": 1.0, "zero": 1 - 2.0**-53, "away": 1 + 2.0**-52}


class Rounding:
    """The rounding of a finite arithmetic. Arguments are overwritten: they must be fresh tensors."""

    def __init__(self, A: Saturating) -> None:
        """Take over the constants."""
        self.lowest, self.infinity, self.ties = A.lowest, A.infinity, A.ties
        self.precision, self.least = A.precision, A.least_exponent
        self.step = 2.0 ** (self.least - self.precision + 1)
        self.one_step = A.infinity < 2.0 ** (self.least + 1)  # fixed point: one quantum for all
        self.sums_are_exact = isinstance(A, Fixed)

    def nearest_product(self, x: Tensor) -> Tensor:
        """Round products of two members."""
        return self._fast(x.clamp_(self.lowest, self.infinity))

    def nearest_sum(self, x: Tensor) -> Tensor:
        """Round sums and differences of two members, which are multiples of the one quantum in fixed point."""
        x = x.clamp_(self.lowest, self.infinity)
        return x if self.sums_are_exact else self._fast(x)

    def _fast(self, x: Tensor) -> Tensor:
        far: Tensor | float = 1.5 * 2.0**52 * self.step
        if not self.one_step:
            power = (x.view(torch.int64) & (_EXPONENT << 52)).view(torch.float64).clamp_min_(2.0**self.least)
            far = power.mul_(1.5 * 2.0 ** (53 - self.precision))
        if self.ties != "even":
            x = x.mul_(_NUDGES[self.ties])
        return x.add_(far).sub_(far)

    def nearest(self, x: Tensor) -> Tensor:
        """Round any values."""
        x = x.clamp_(self.lowest, self.infinity)
        if self.one_step:
            return self._whole(x.mul_(1 / self.step)).mul_(self.step).add_(0.0)
        exponent = (x.view(torch.int64) >> 52).bitwise_and_(_EXPONENT).clamp_min_(self.least + 1023)
        exponent -= self.precision - 1
        per_step = ((2046 - exponent) << 52).view(torch.float64)
        return self._whole(x.mul_(per_step)).mul_((exponent << 52).view(torch.float64)).add_(0.0)  # no −0

    def _whole(self, s: Tensor) -> Tensor:
        """Round to integers, in place."""
        if self.ties == "even":
            return s.round_()
        if self.ties == "zero":
            return s.abs().sub_(0.5).ceil_().copysign_(s)
        away = s - s.trunc()
        return s.trunc_().add_((away.abs() >= 0.5).to(s).copysign_(away))

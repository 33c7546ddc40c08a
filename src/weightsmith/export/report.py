"""The report on an exported model."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from weightsmith.errors import listed


@dataclass(frozen=True)
class Agreement:
    """The report on an exported model: how far it is from the original on the inputs that both were run on."""

    target: str
    dtype: str
    inputs: int
    outputs: int  # compared: one at each position of each input
    up_to: int  # all inputs up to this length were run; 0: none of them all
    longest: int
    logit_difference: float  # the largest; with a readout, of a code
    stream_difference: float | None  # the largest; None where the target does not show its stream
    different_decisions: int  # at any position; with a readout, values, and codes that stand for none
    first_difference: tuple[str, ...] | None  # the shortest input of which something else is said
    first_position: int | None  # of it where that is
    smallest_margin: float | None  # of the original: how far the best class is ahead; None with a readout
    survives: Mapping[str, bool] = field(default_factory=dict)  # in which dtypes every decision stays
    saturates: tuple[str, ...] = ()  # the sublayers that rely on saturation, which the target lacks
    error_bound: float | None = None  # of an approximate target: how far a logit is off, but for saturation

    @property
    def agrees(self) -> bool:
        """Whether what is said at every position is what the original says."""
        return self.different_decisions == 0

    def to_json(self) -> dict[str, Any]:
        """Return the report as plain values."""
        plain = asdict(self)
        return {**plain, "survives": dict(self.survives), "agrees": self.agrees}

    def __str__(self) -> str:
        """Say it in a few lines."""
        ran = [f"all inputs up to length {self.up_to}"] if self.up_to else []
        ran += [f"random ones up to {self.longest}"] if self.longest > self.up_to else []
        lines = [f"{self.target}, {self.dtype}: {self.inputs:,} inputs run ({' and '.join(ran)})"]
        what, number = ("outputs", "code") if self.smallest_margin is None else ("decisions", "logit")
        if self.agrees:
            lines.append(f"{what}: all {self.outputs:,} as in the original")
        else:
            lines.append(f"{what}: {self.different_decisions:,} of {self.outputs:,} differ, the first {self.where()}")
        lines.append(f"largest difference of a {number}: {self.logit_difference:.3g}")
        if self.stream_difference is not None:
            lines.append(f"largest difference of the stream: {self.stream_difference:.3g}")
        if self.error_bound is not None:
            lines.append(f"a logit is at most {self.error_bound:.3g} from that of the same weights in exact floats")
        if self.smallest_margin is not None:
            lines.append(f"smallest margin of a decision: {self.smallest_margin:.3g}")
        if self.survives:
            said = ", ".join(f"{dtype} {'yes' if fine else 'NO'}" for dtype, fine in self.survives.items())
            lines.append(f"{what} survive in: {said}")
        if self.saturates:
            lines.append(f"relies on saturation, which the target lacks: {listed(self.saturates)}")
        return "\n".join(lines)

    def where(self) -> str:
        """Say where the first difference is."""
        tokens = self.first_difference or ()
        at = "" if self.first_position == len(tokens) - 1 else f" at position {self.first_position}"
        return f"on {listed(tokens)}{at}"

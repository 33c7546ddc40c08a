"""The report on an exported model."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import groupby
from typing import Any

from weightsmith.errors import listed, named
from weightsmith.tables import Printed

MOST_RUNS = 12  # of an input that are written out
SHORT = 12  # tokens of an input that is written token by token


@dataclass(frozen=True)
class Agreement(Printed):
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
    first_difference: tuple[str, ...] | None  # the shortest input with another answer
    first_position: int | None  # the position of that answer
    smallest_margin: float | None  # of the original: how far the best class is ahead; None with a readout
    survives: Mapping[str, bool] = field(default_factory=dict)  # in which dtypes every decision stays
    saturates: tuple[str, ...] = ()  # the sublayers that rely on saturation which the target lacks, at all or midway
    error_bound: float | None = None  # of an approximate target: how far a logit is off, but for saturation
    random: int = 0  # of the inputs, how many were drawn at random
    searched: int = 0  # of the inputs, how many were searched for, to bring sums to their ends midway
    first_answers: tuple[str, str] | None = None  # to the first difference: the original's, and the target's
    midway: tuple[
        str, ...
    ] = ()  # the sublayers whose sums saturate or round midway, if every difference has that cause
    saturates_at_ends: bool = False  # whether the target saturates at the end of each sum
    proved: str | None = None  # of which inputs, "all lengths" or "up to 64", it is proved that nothing differs

    @property
    def agrees(self) -> bool:
        """Whether all answers equal the original's, at every position of the inputs that were run."""
        return self.different_decisions == 0

    @property
    def difference(self) -> str | None:
        """A sentence that names the first input of which something else is said, and both answers; None without one."""
        if self.agrees or self.first_answers is None:
            return None
        ours, theirs = self.first_answers
        cause = f": sums saturate or round midway in {listed(self.midway)}" if self.midway else ""
        return f"O{self.where()[1:]} {self.target} says {theirs}, and the original {ours}{cause}."

    def to_json(self) -> dict[str, Any]:
        """Return the report as plain values."""
        plain = asdict(self)
        return {**plain, "survives": dict(self.survives), "agrees": self.agrees, "difference": self.difference}

    def __str__(self) -> str:
        """Return the report as a few lines."""
        lines = [f"{self.target}, {self.dtype}: {self.inputs:,} inputs run ({self.ran()})"]
        what, number = ("outputs", "code") if self.smallest_margin is None else ("decisions", "logit")
        if self.proved:
            of = "for all lengths" if self.proved == "all lengths" else f"on all inputs {self.proved}"
            lines.append(f"{what}: as in the original {of}; proved: no sum saturates or rounds")
        elif self.agrees:
            lines.append(f"{what}: all {self.outputs:,} as in the original on these inputs")
        else:
            differ = f"{what}: {self.different_decisions:,} of {self.outputs:,} differ, the first {self.where()}"
            ours, theirs = self.first_answers or ("", "")
            lines.append(f"{differ}: {theirs}, where the original says {ours}")
            lines += [f"sums of the original saturate or round midway there: {listed(self.midway)}"] * bool(self.midway)
        lines.append(f"largest difference of a {number}: {self.logit_difference:.3g}")
        if self.stream_difference is not None:
            lines.append(f"largest difference of the stream: {self.stream_difference:.3g}")
        if self.error_bound is not None:
            lines.append(f"a logit is at most {self.error_bound:.3g} from that of the same weights in exact floats")
        if self.smallest_margin is not None:
            lines.append(f"smallest margin of a decision: {self.smallest_margin:.3g}")
        if self.survives:
            said = ", ".join(f"{dtype} {'yes' if fine else 'NO'}" for dtype, fine in self.survives.items())
            lines.append(f"{what} survive on these inputs in: {said}")
        if self.saturates and self.saturates_at_ends:
            lines.append(f"saturates midway, where the target adds up first: {listed(self.saturates)}")
        elif self.saturates:
            lines.append(f"relies on saturation, which the target lacks: {listed(self.saturates)}")
        return "\n".join(lines)

    def ran(self) -> str:
        """Describe the inputs that were run."""
        ran = [f"all up to length {self.up_to}"] if self.up_to else []
        ran += [f"{self.random:,} random ones"] if self.random else []
        ran += [f"{self.searched:,} in search of sums that saturate or round midway"] if self.searched else []
        longest = f"; the longest has {self.longest}" if self.longest > self.up_to else ""
        return f"{', '.join(ran[:-1])}{' and ' if len(ran) > 1 else ''}{''.join(ran[-1:])}{longest}"

    def where(self) -> str:
        """Describe the place of the first difference."""
        tokens = self.first_difference or ()
        at = "" if self.first_position == len(tokens) - 1 else f" at position {self.first_position}"
        return f"on {in_runs(tokens)}{at}"


def in_runs(tokens: Sequence[str]) -> str:
    """Return an input for a message: token by token, or, where it is long, by its runs, as in 1×16 0×15."""
    if len(tokens) <= SHORT:
        return listed(tokens)
    found = [(token, len(list(run))) for token, run in groupby(tokens)]
    said = [f"{named(token)}×{count}" for token, count in found[:MOST_RUNS]]
    more = "" if len(found) <= MOST_RUNS else f" … ({len(tokens)} tokens)"
    return " ".join(said) + more

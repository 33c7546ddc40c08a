"""The report on an exported chain."""

from dataclasses import asdict, dataclass
from typing import Any

from weightsmith.errors import listed, named
from weightsmith.export.report import in_runs
from weightsmith.tables import Printed


@dataclass(frozen=True)
class ChainAgreement(Printed):
    """The report on an exported chain: whole chains were run in both, and all their tokens compared."""

    target: str
    dtype: str
    by: str  # "generate": the target's own loop; "a loop": Weightsmith appends the decisions
    inputs: int
    tokens: int  # that the chain wrote on these inputs
    shortest: int  # input that was run
    up_to: int  # all inputs from the shortest up to this length were run; 0: none of them all
    longest: int
    random: int  # of the inputs, how many were drawn at random
    unended: int  # of the inputs, on how many the chain does not end
    different_chains: int  # on how many inputs some token differs
    different_answers: int  # on how many inputs the answer differs, or one of the two does not end
    first_difference: tuple[str, ...] | None = None  # the shortest input with another token
    first_step: int | None = None  # the first step there that differs, from 1 on
    first_tokens: tuple[str, str] | None = None  # of that step: the chain's, and the target's
    midway: tuple[str, ...] = ()  # sublayers whose sums saturate or round midway, if that is the cause
    proved: str | None = None  # of which texts it is proved that no number saturates or rounds
    error_bound: float | None = None  # of an approximate target: how far a logit is off, but for saturation

    @property
    def agrees(self) -> bool:
        """Whether the target wrote the very tokens of the chain on all inputs that were run."""
        return self.different_chains == 0

    @property
    def difference(self) -> str | None:
        """A sentence on the first input on which the tokens part; None without one."""
        if self.first_tokens is None:
            return None
        ours, theirs = self.first_tokens
        cause = f": sums saturate or round midway in {listed(self.midway)}" if self.midway else ""
        place = f"On {in_runs(self.first_difference or ())} the tokens part at step {self.first_step}"
        return f"{place}: {self.target} writes {theirs}, and the chain {ours}{cause}."

    def to_json(self) -> dict[str, Any]:
        """Return the report as plain values."""
        return {**asdict(self), "agrees": self.agrees, "difference": self.difference}

    def ran(self) -> str:
        """Describe the inputs that were run."""
        beginning = f"of length {self.up_to}" if self.shortest == self.up_to else f"up to length {self.up_to}"
        least = f" from length {self.shortest}" if 1 < self.shortest < self.up_to else ""
        parts = [f"all{least} {beginning}"] if self.up_to else []
        parts += [f"{self.random:,} random ones"] if self.random else []
        longest = f"; the longest has {self.longest}" if self.longest > self.up_to else ""
        return " and ".join(parts) + longest

    def __str__(self) -> str:
        """Return the report as a few lines."""
        how = "its own generate" if self.by == "generate" else "a loop that appends each decision"
        lines = [
            f"{self.target}, {self.dtype}: whole chains on {self.inputs:,} inputs ({self.ran()})",
            f"run by {how}: {self.tokens:,} tokens of the chain compared",
        ]
        if self.agrees:
            lines.append("tokens and answers: all as in the chain on these inputs")
        else:
            lines.append(
                f"chains: {self.different_chains:,} of {self.inputs:,} differ in a token, "
                f"{self.different_answers:,} in the answer"
            )
            lines.append(self.difference or "")
        if self.unended:
            lines.append(f"the chain does not end on {self.unended:,} of these inputs")
        if self.proved:
            of = "of any length" if self.proved == "all lengths" else self.proved
            lines.append(f"proved: on texts {of} no sum of the transformer saturates or rounds")
        if self.error_bound is not None:
            lines.append(f"a logit is at most {self.error_bound:.3g} from that of the same weights in exact floats")
        return "\n".join(lines)


def token_text(tokens: tuple[Any, ...], number: int) -> str:
    """Return a token by its number among the answers; −1: the chain has ended; anything else is no answer."""
    if number == -1:
        return "nothing more"
    return named(str(tokens[number])) if 0 <= number < len(tokens) else "nothing that is an answer"

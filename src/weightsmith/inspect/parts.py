"""A logit as a sum of parts, which can be merged and shown."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from weightsmith.errors import shown, whole_number
from weightsmith.inspect.asked import Target
from weightsmith.inspect.run import Run
from weightsmith.inspect.trace import position_text
from weightsmith.tables import MACHINE_NOISE, Table, Tabled, bar, number

Kind: TypeAlias = Literal["embedding", "position", "head", "neuron", "feed-forward", "block", "bias", "patch"]


@dataclass(frozen=True)
class Part:
    """One part of a logit."""

    kind: Kind
    amount: float
    block: int | None = None
    place: int | None = None  # which head or neuron of the block
    source: int | None = None  # from which position a head took it; None for all of them
    name: str = ""  # the token at that position, or which bias it is, or the name of the neuron

    def __str__(self) -> str:
        """Say where it comes from."""
        match self.kind:
            case "head":
                whence = "" if self.source is None else f", from {shown(self.name)} at position {self.source}"
                return f"block {self.block}, head {self.place}{whence}"
            case "neuron":
                return f"block {self.block}, neuron {self.place}" + (f" {shown(self.name)}" if self.name else "")
            case "feed-forward":
                return f"block {self.block}, feed-forward"
            case "block":
                return f"block {self.block}"
            case "embedding":
                return f"embedding of {shown(self.name)}"
            case "bias":
                return self.name
            case "patch":
                return f"patched in after {self.name}"
            case _:
                return "position"


@dataclass(frozen=True)
class Attribution(Tabled):
    """A logit, or the difference of two, as a sum of parts.

    The order is: the embedding, the position; then for each block the heads in order, each from the first to the last
    position that it sees, b_O, the neurons in order, b_2; the biases of norms where they stand; the output's bias.
    """

    run: Run = field(repr=False, compare=False)
    target: Target = field(repr=False)
    position: int  # at which the logit stands, counted from 0
    logit: float
    parts: tuple[Part, ...]

    @property
    def wanted(self) -> str:
        """The class."""
        return self.target.wanted

    @property
    def over(self) -> str | None:
        """The class whose logit is subtracted."""
        return self.target.over

    @property
    def total(self) -> float:
        """The sum of the parts, a left fold in float64."""
        total = 0.0
        for part in self.parts:
            total += part.amount
        return total

    @property
    def residue(self) -> float:
        """What rounding on the way took or gave: the logit less the sum of the parts. 0 where nothing was rounded."""
        return self.logit - self.total

    def largest(self, count: int) -> list[Part]:
        """Return the parts that matter most, by absolute value; equal ones in order."""
        return sorted((part for part in self.parts if part.amount != 0), key=lambda part: -abs(part.amount))[:count]

    def by_head(self) -> "Attribution":
        """Return it with each head as one part, from wherever it took it, and each feed-forward layer with its b_2."""
        return self._merged(_by_head)

    def by_block(self) -> "Attribution":
        """Return it with each block as one part: its heads, neurons, biases and the biases of its norms."""
        return self._merged(lambda part: part if part.block is None else Part("block", 0.0, part.block))

    def _merged(self, whole: Callable[[Part], Part]) -> "Attribution":
        """Add up the parts that belong to the same whole, which stands where the first of them stood."""
        amounts: dict[Part, float] = {}
        for part in self.parts:
            into = replace(whole(part), amount=0.0)
            amounts[into] = amounts.get(into, 0.0) + part.amount
        return replace(self, parts=tuple(replace(part, amount=amount) for part, amount in amounts.items()))

    def table(self, top: int = 15) -> Table:
        """Return the largest parts as a table, then what the smaller ones add up to, and what rounding did."""
        whole_number(top, "top", 1, meaning="how many parts to show, 1 or more")
        infinity, chosen = self.run.transformer.arithmetic.infinity, self.largest(top)
        last = self.position == len(self.run.tokens) - 1
        where = "" if last else f" at {position_text(self.run.tokens, self.position)}"
        result = Table("part", "adds", "", right=[1], title=f"{self.target}{where}: {number(self.logit, infinity)}")
        most = max((abs(part.amount) for part in chosen), default=1.0)
        for part in chosen:
            adds, length = number(part.amount, infinity), bar(abs(part.amount) / most)
            result.add(str(part), adds, length, style="good" if part.amount > 0 else "bad")
        rest = self.largest(len(self.parts))[len(chosen) :]
        if rest:
            word = "part" if len(rest) == 1 else "parts"
            together = number(sum(part.amount for part in rest), infinity)
            result.add(f"{len(rest)} smaller {word}", together, "", style="faint")
        tiny = 0 < abs(self.residue) < MACHINE_NOISE * max(most, abs(self.logit))
        result.add("rounding on the way", "~0" if tiny else number(self.residue, infinity), "", style="faint")
        return result


def _by_head(part: Part) -> Part:
    if part.kind == "head":
        return Part("head", 0.0, part.block, part.place)
    in_the_layer = part.kind == "neuron" or (part.kind == "bias" and part.name == f"block {part.block}, b_2")
    return Part("feed-forward", 0.0, part.block) if in_the_layer else part

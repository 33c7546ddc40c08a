"""A logit as a sum of parts, one for each head, neuron and bias; parts can be merged and shown."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from weightsmith.errors import shown, whole_number
from weightsmith.inspect.arguments import Target
from weightsmith.inspect.run import Run
from weightsmith.inspect.trace import position_text
from weightsmith.model.sites import Site
from weightsmith.tables import MACHINE_NOISE, Table, Tabled, bar, number

Kind: TypeAlias = Literal["embedding", "position", "head", "neuron", "feed-forward", "block", "bias", "patch"]


@dataclass(frozen=True)
class Part:
    """One part of a logit."""

    kind: Kind
    amount: float
    block: int | None = None
    place: int | None = None  # which head or neuron of the block
    source: int | None = None  # the position that a head read; None for all of them
    name: str = ""  # the token at that position, the name of the bias, or the name of the neuron

    def __str__(self) -> str:
        """Return its name: "block 0, head 1, from Tower at position 2"."""
        match self.kind:
            case "head" | "neuron" | "feed-forward":
                source = "" if self.source is None else f", from {shown(self.name)} at position {self.source}"
                name = f" {shown(self.name)}" if self.kind == "neuron" and self.name else ""
                return f"{Site(self.kind, self.block, self.place).label}{name}{source}"
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

    The parts are in the order of the computation: the embedding, the position; for each block the heads, each from the
    first to the last position that it sees, b_O, the neurons, b_2; the biases of norms after them; the output's bias.
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
        """The rounding error of the run: the logit less the sum of the parts. 0 where no operation rounded."""
        return self.logit - self.total

    def largest(self, count: int) -> list[Part]:
        """Return the parts with the largest absolute values; equal ones stay in order."""
        return sorted((part for part in self.parts if part.amount != 0), key=lambda part: -abs(part.amount))[:count]

    def by_head(self) -> "Attribution":
        """Return the attribution with one part for each head, and one for each feed-forward layer with its b_2."""
        return self._merged(_by_head)

    def by_block(self) -> "Attribution":
        """Return the attribution with one part for each block: its heads, neurons and all its biases."""
        return self._merged(lambda part: part if part.block is None else Part("block", 0.0, part.block))

    def _merged(self, whole: Callable[[Part], Part]) -> "Attribution":
        """Add up the parts that `whole` maps to the same part; the sum takes the place of the first of them."""
        amounts: dict[Part, float] = {}
        for part in self.parts:
            into = replace(whole(part), amount=0.0)
            amounts[into] = amounts.get(into, 0.0) + part.amount
        return replace(self, parts=tuple(replace(part, amount=amount) for part, amount in amounts.items()))

    def table(self, top: int = 15) -> Table:
        """Return a table of the largest parts, the sum of the smaller ones, and the rounding error."""
        top = whole_number(top, "top", 1, meaning="how many parts to show, 1 or more")
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


def bias_name(block: int | None, bias: str) -> str:
    """Return the name of a bias of a block: "block 0, b_2"."""
    return f"block {block}, {bias}"


def _by_head(part: Part) -> Part:
    if part.kind == "head":
        return Part("head", 0.0, part.block, part.place)
    in_the_layer = part.kind == "neuron" or (part.kind == "bias" and part.name == bias_name(part.block, "b_2"))
    return Part("feed-forward", 0.0, part.block) if in_the_layer else part

"""Where a logit comes from: every part of the stream at the last position, and what it adds."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.model import LayerNorm, Norm, Relative, Transformer, position_table
from weightsmith.model.names import place_of, shown
from weightsmith.semantics.run import Run

Kind: TypeAlias = Literal["embedding", "position", "head", "neuron", "bias"]


@dataclass(frozen=True)
class Part:
    """One part of a logit."""

    kind: Kind
    amount: float
    block: int | None = None
    place: int | None = None  # which head or neuron of the block
    source: int | None = None  # from which position a head took it
    name: str = ""  # the token at that position, or which bias it is, or the name of the neuron

    def __str__(self) -> str:
        """Say where it comes from."""
        match self.kind:
            case "head":
                return f"block {self.block}, head {self.place}, from {shown(self.name)} at position {self.source}"
            case "neuron":
                return f"block {self.block}, neuron {self.place}" + (f" {shown(self.name)}" if self.name else "")
            case "embedding":
                return f"embedding of {shown(self.name)}"
            case "bias":
                return self.name
            case _:
                return "position"


@dataclass(frozen=True)
class Attribution:
    """A logit as a sum of parts.

    The order is: the embedding, the position; then for each block the heads in order, each from the first to the last
    position that it sees, b_O, the neurons in order, b_2; the biases of norms where they stand; the output's bias.
    """

    wanted: str  # the class
    logit: float
    parts: tuple[Part, ...]

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
        """Give the parts that matter most, by absolute value; equal ones in order."""
        return sorted((part for part in self.parts if part.amount != 0), key=lambda part: -abs(part.amount))[:count]


def attribute(run: Run, wanted: str) -> Attribution:
    """Split the logit of a class into embedding, position, each head from each position, each neuron and each bias.

    Attention weights, activations and the spread by which a norm divides are taken as they came out in this run; with
    these fixed the logit is linear in the parts, which are computed in float64. So the parts add up to the logit
    exactly where the run rounded nothing, and up to `residue` otherwise. A head's own biases belong to what it moves.
    """
    T = run.transformer
    c = place_of(wanted, T.classes, "class")
    end = () if T.output_bias is None else (Part("bias", float(T.output_bias[c]), name="output bias"),)
    direction, parts = _through(T, T.final_norm, run.stream[-1, -1], T.output[c], "bias of the final norm")
    groups: list[list[Part]] = [[*parts, *end]]
    for b in reversed(range(len(T.blocks))):
        direction, parts = _neurons(run, b, direction)
        groups.append(parts)
        direction, parts = _heads(run, b, direction)
        groups.append(parts)
    groups.append(list(_start(run, direction)))
    return Attribution(wanted, float(run.logits[c]), tuple(part for group in reversed(groups) for part in group))


def _start(run: Run, direction: Array) -> Iterator[Part]:
    T, token = run.transformer, run.tokens[-1]
    yield Part("embedding", float(T.embedding[T.vocabulary.index(token)] @ direction), name=token)
    table = position_table(T.positions, T.arithmetic, len(T.lanes), len(run.tokens))
    if table is not None:
        yield Part("position", float(table[-1] @ direction))


def _neurons(run: Run, b: int, direction: Array) -> tuple[Array, list[Part]]:
    """Give the parts that a feed-forward layer adds, and the direction before it."""
    block = run.transformer.blocks[b]
    layer, activations = block.feed_forward, run.activations[b][-1]
    if layer is None:
        return direction, []
    sum_there = run.stream[2 * b + 1, -1] + (layer.W_2 @ activations + layer.b_2)
    name = f"block {b}, bias of the feed-forward norm"
    inner, after = _after(run.transformer, block.feed_forward_norm, block.norm_placement, sum_there, direction, name)
    amounts = activations * (inner @ layer.W_2)
    names = layer.names or [""] * len(amounts)
    parts = [Part("neuron", amount, b, n, name=names[n]) for n, amount in enumerate(amounts.tolist())]
    parts += _bias(layer.b_2, inner, f"block {b}, b_2")
    return inner, parts + after


def _heads(run: Run, b: int, direction: Array) -> tuple[Array, list[Part]]:
    """Give the parts that attention adds, and the direction before it."""
    block, attention = run.transformer.blocks[b], run.transformer.blocks[b].attention
    if attention is None:
        return direction, []
    sum_there = run.stream[2 * b, -1] + sum((head.output[-1] for head in run.heads[b]), np.zeros(len(direction)))
    if attention.b_O is not None:
        sum_there = sum_there + attention.b_O
    name = f"block {b}, bias of the attention norm"
    inner, after = _after(run.transformer, block.attention_norm, block.norm_placement, sum_there, direction, name)
    parts = []
    for i, found in enumerate(run.heads[b]):
        amounts = found.weights[-1] * (last_values(run, b, i) @ (inner @ attention.heads[i].W_O))
        for j, amount in enumerate(amounts.tolist()):
            parts.append(Part("head", amount, b, i, j, run.tokens[j]))
    if attention.b_O is not None:
        parts += _bias(attention.b_O, inner, f"block {b}, b_O")
    return inner, parts + after


def last_values(run: Run, b: int, i: int, target: int = -1) -> Array:
    """Give the values (positions, value size) that a position takes in through a head."""
    T, found = run.transformer, run.heads[b][i]
    attention = T.blocks[b].attention
    assert attention is not None
    rule = attention.positions_of(i, T.attention_positions)
    if not isinstance(rule, Relative) or rule.values is None:
        return found.values
    here = range(len(run.tokens))[target]
    distance = np.clip(here - np.arange(len(run.tokens)), 0, rule.max_distance)
    return T.arithmetic.add(found.values, rule.values[distance])


def _after(
    T: Transformer, norm: Norm | None, placement: str, x: Array, direction: Array, name: str
) -> tuple[Array, list[Part]]:
    """Go back through a norm that stands after a sublayer."""
    return _through(T, norm, x, direction, name) if placement == "post" else (direction, [])


def _through(T: Transformer, norm: Norm | None, x: Array, direction: Array, name: str) -> tuple[Array, list[Part]]:
    """Go back through a norm of x: give the direction before it, and the part of its bias."""
    if norm is None:
        return direction, []
    lanes = tuple(norm.lanes or T.lanes)
    places = [T.lanes.index(lane) for lane in lanes]
    inside, centred = direction[places], isinstance(norm, LayerNorm)
    parts = _bias(norm.bias, inside, name) if isinstance(norm, LayerNorm) and norm.bias is not None else []
    seen = x[places] - (x[places].mean() if centred else 0.0)
    spread = np.sqrt(np.mean(seen * seen) + float(T.arithmetic.round(norm.eps)))
    steep = (inside if norm.gain is None else inside * norm.gain) / spread
    before = direction.copy()
    before[places] = steep - (steep.mean() if centred else 0.0)
    return before, parts


def _bias(bias: Array, direction: Array, name: str) -> list[Part]:
    return [Part("bias", float(bias @ direction), name=name)] if bias.any() else []

"""A transformer that was written with Weightsmith, as a PyTorch module: plain floats, any weights, needs torch only.

A description, plain JSON, lists its parts; the weights have the names of the papers. Positions are counted among the
tokens that are not padding, so a batch may be padded on either side. A model that was written for an arithmetic with a
largest value, ∞, stays within ±∞ after every product and every sum; nothing else is rounded.
"""

import math
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from .steps_weightsmith import (
    BlockSteps,
    Description,
    FeedForwardSteps,
    HeadSteps,
    NetworkSteps,
    NormSteps,
    Passed,
    Steps,
    attention,
)


class Places(NamedTuple):
    """The positions of a batch. Without padding, there is no axis for inputs and `position` is None."""

    length: int
    position: Tensor | None  # (inputs, positions): counted from 0, without padding
    distance: Tensor  # (positions, positions) or (inputs, positions, positions): i − j
    visible: Tensor  # (positions, positions) or (inputs, 1, positions, positions): whether i sees j


def places(ids: Tensor, real: Tensor | None, causal: bool) -> Places:
    """Return the positions of tokens (inputs, positions); `real` is False where there is padding."""
    if real is None:
        here = torch.arange(ids.shape[1], device=ids.device)
        distance = here[:, None] - here
        visible = distance >= 0 if causal else torch.ones_like(distance, dtype=torch.bool)
        return Places(ids.shape[1], None, distance, visible)
    position = (real.long().cumsum(-1) - 1).clamp(min=0)
    distance = position[:, :, None] - position[:, None, :]
    visible = real[:, :, None] & real[:, None, :]
    longest = int(position.max()) + 1 if ids.numel() else 0
    return Places(longest, position, distance, (visible & (distance >= 0) if causal else visible)[:, None])


class Operations(Steps):
    """Operations on tensors in the machine's floats; with `infinity`, sums and products end at ±∞."""

    def __init__(self, infinity: float | None = None) -> None:
        """Take ∞; None for floats without an end."""
        self.infinity = infinity

    sqrt, where, equal = staticmethod(torch.sqrt), staticmethod(torch.where), staticmethod(torch.eq)

    def within(self, x: Tensor) -> Tensor:
        """Return values with those beyond ±∞, or the largest number of their type, there."""
        if self.infinity is None:
            return x
        end = min(self.infinity, torch.finfo(x.dtype).max)
        return x.clamp(-end, end)

    def total(self, x: Tensor) -> Tensor:
        """Return the sum over the last axis, without an end."""
        return x.sum(-1, keepdim=True)

    def constant(self, number: float) -> float:
        """Return a number as the operators of tensors take it."""
        return float(number)

    def constant_of(self, x: Tensor) -> Tensor:
        """Return values that gradients do not reach."""
        return x.detach()

    def exp(self, x: Tensor | float) -> Tensor | float:
        """Return eˣ."""
        return x.exp() if isinstance(x, Tensor) else math.exp(min(x, 700.0))

    def minimum(self, x: Tensor, y: Tensor | float) -> Tensor:
        """Return the smaller of two numbers."""
        return torch.minimum(x, y) if isinstance(y, Tensor) else x.clamp(max=min(y, torch.finfo(x.dtype).max))

    def number(self, mask: Tensor, like: Tensor) -> Tensor:
        """Return 1.0 for True and 0.0 for False."""
        return mask.to(like)

    def count(self, mask: Tensor, like: Tensor) -> Tensor:
        """Return how many of each row are True; 1 where none is."""
        return mask.sum(-1, keepdim=True).clamp(min=1).to(like)

    def running_count(self, mask: Tensor, backwards: bool) -> Tensor:
        """Return how many are True up to each place of a row, or from there on."""
        return mask.flip(-1).cumsum(-1).flip(-1) if backwards else mask.cumsum(-1)

    def largest(self, scores: Tensor, visible: Tensor) -> Tensor:
        """Return the largest visible score of each row; 0 where nothing is visible."""
        largest = scores.masked_fill(~visible, -math.inf).amax(-1, keepdim=True)
        return largest.masked_fill(largest == -math.inf, 0.0)

    def take(self, x: Tensor, coordinates: list[int] | slice) -> Tensor:
        """Return some coordinates of vectors."""
        return x[..., coordinates]

    def put(self, x: Tensor, coordinates: list[int], new: Tensor) -> Tensor:
        """Return vectors with new values at some coordinates."""
        result = x.clone()
        result[..., coordinates] = new
        return result

    def put_pairs(self, x: Tensor, heads: Any, first: Tensor, second: Tensor) -> Tensor:
        """Return vectors that begin with pairs, either interleaved or in two halves, with new values for these."""
        rest = x[..., 2 * first.shape[-1] :]
        if heads.pairs[0].step == 2:
            return torch.cat([torch.stack([first, second], dim=-1).flatten(-2), rest], dim=-1)
        return torch.cat([first, second, rest], dim=-1)

    def linear(self, x: Tensor, W: Tensor, b: Tensor | None) -> Tensor:
        """Return W x ⊕ b for vectors (…, columns)."""
        if self.infinity is None:
            return functional.linear(x, W, b)
        product = self.within(functional.linear(x, W))
        return product if b is None else self.within(product + b)

    def activate(self, name: str, x: Tensor) -> Tensor:
        """Return relu, gelu, its approximation by tanh, or silu."""
        if name == "relu":
            return functional.relu(x)
        if name == "silu":
            return functional.silu(x)
        return functional.gelu(x, approximate="tanh" if name == "gelu_tanh" else "none")

    def norm(self, norm: Any, x: Tensor) -> Tensor:
        """Return vectors, normalised; by PyTorch's own function where nothing ends."""
        if self.infinity is None and norm.count == x.shape[-1]:
            if norm.centred:
                return functional.layer_norm(x, x.shape[-1:], norm.gain, norm.bias, norm.eps)
            return functional.rms_norm(x, list(x.shape[-1:]), norm.gain, norm.eps)
        precise = x if x.dtype in (torch.float32, torch.float64) else x.float()  # as PyTorch's own norms do
        normed: Tensor = super().norm(norm, precise)
        return self.within(normed.to(x.dtype))

    def projected(self, heads: Any, h: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return queries, keys and values, (inputs, heads, positions, size)."""
        q, k, v = (
            split_heads(self.linear(h, W, b), heads.heads)
            for W, b in ((heads.W_Q, heads.b_Q), (heads.W_K, heads.b_K), (heads.W_V, heads.b_V))
        )
        return q, k, v

    def scores(self, q: Tensor, k: Tensor, offsets: Tensor | None, where: Places) -> Tensor:
        """Return ⟨q, k ⊕ a⟩, where a is what is added to a key for its distance."""
        if offsets is None:
            return self.within(q @ k.transpose(-1, -2))
        if self.infinity is None:
            scores, by_distance = q @ k.transpose(-1, -2), q @ offsets.transpose(-1, -2)
            rows = where.distance.clamp(0, offsets.shape[-2] - 1)
            return scores + by_distance.gather(-1, (rows if rows.dim() == 2 else rows[:, None]).expand(scores.shape))
        spread, scores = self.by_distance(offsets, where), q.new_zeros(*q.shape[:-1], k.shape[-2])
        for c in range(q.shape[-1]):  # one coordinate at a time: a key for each pair of positions is large
            scores = scores + q[..., :, None, c] * self.add(k[..., None, :, c], spread[..., c])
        return self.within(scores)

    def mix(self, weights: Tensor, v: Tensor, offsets: Tensor | None, where: Places) -> Tensor:
        """Return Σ weight ⊗ (v ⊕ a), where a is what is added to a value for its distance."""
        if offsets is None or v.shape[-1] == 0:
            return self.within(weights @ v)
        spread = self.by_distance(offsets, where)
        if self.infinity is None:
            spread = spread.expand(*spread.shape[:-4], v.shape[1], -1, -1, -1)  # one table may serve all heads
            return weights @ v + torch.einsum(f"nhij,{'n' * (spread.dim() - 4)}hijd->nhid", weights, spread)
        values = (self.add(v[..., None, :, c], spread[..., c]) for c in range(v.shape[-1]))
        return self.within(torch.stack([(weights * value).sum(-1) for value in values], dim=-1))

    def gather(self, mixed: list[tuple[Tensor, Tensor]], b_O: Tensor | None, h: Tensor) -> Tensor:
        """Return W_O times what each head mixed, folded in their order, plus b_O."""
        if self.infinity is None and len(mixed) == 1:
            ((only, W_O),) = mixed
            return functional.linear(only.transpose(1, 2).flatten(2), W_O, b_O)
        total: Tensor | None = None
        for some, W_O in mixed:
            for output in self.outputs(some, W_O):
                total = output if total is None else self.add(total, output)
        total = torch.zeros_like(h) if total is None else total
        return total if b_O is None else self.add(total, b_O)

    def outputs(self, mixed: Tensor, W_O: Tensor) -> list[Tensor]:
        """Return what each head adds, one by one; without an end, what they add together."""
        if self.infinity is None:
            return [functional.linear(mixed.transpose(1, 2).flatten(2), W_O)]
        matrices = W_O.reshape(len(W_O), mixed.shape[1], mixed.shape[-1]).permute(1, 2, 0)
        return list(self.within(mixed @ matrices).unbind(1))

    def embed(self, table: Tensor, ids: Tensor) -> Tensor:
        """Return the rows of a table for ids in the vocabulary."""
        return functional.embedding(ids, table)

    def at_positions(self, table: Any, where: Places, by_head: bool = False) -> Tensor:
        """Return the rows of a table by position; it may be a function of how many rows there must be."""
        rows: Tensor = table(where.length) if callable(table) else table
        if where.position is None:
            return rows[: where.length]
        return rows[where.position][:, None] if by_head else rows[where.position]

    def by_distance(self, table: Any, where: Places) -> Tensor:
        """Return entries of a table (heads, distances, …) for all pairs of positions; the last serves what is beyond.

        Penalties, (heads, positions), are for |i − j|; vectors, (heads, distances, size), for i − j from 0 on.
        """
        table = table(where.length) if callable(table) else table
        rows = where.distance.abs() if table.dim() == 2 else where.distance.clamp(0, table.shape[1] - 1)
        found: Tensor = table[:, rows]
        return found if rows.dim() == 2 else found.transpose(0, 1)

    def sight(self, where: Places, heads: Any) -> Tensor:
        """Return what each position sees.

        A strict head sees only what is before, under any mask; one with a window nothing that is so far before.
        """
        seen = where.visible
        for near in near_enough(where.distance, heads):
            seen = seen & (near if where.position is None else near[:, None])
        return seen

    def real(self, where: Places) -> Tensor:
        """Return which rows of weights belong to tokens; those of padding see nothing."""
        return where.visible.any(-1, keepdim=True)

    def beside(self, weights: list[Tensor], h: Tensor) -> Tensor:
        """Return the weights of all heads of a block, (inputs, heads, positions, positions)."""
        return torch.cat([h.new_zeros(len(h), 0, h.shape[1], h.shape[1]), *weights], dim=1)

    def no_neurons(self, h: Tensor) -> Tensor:
        """Return the activations of a block without feed-forward."""
        return h[..., :0]

    def softmax(self, weighting: Description, scores: Tensor, visible: Tensor, real: Tensor, heads: Any = None) -> Any:
        """Return the softmax of each row; by PyTorch's own function where no exponential ends.

        A row that sees nothing is computed as if it saw everything, and taken away afterwards: so no gradient is nan.
        """
        endless = self.infinity is None and (weighting["shifted"] or weighting["low"] == -math.inf)
        if not endless or weighting["empty"] == "error":
            return super().softmax(weighting, scores, visible, real, heads)
        hidden = ~visible & visible.any(-1, keepdim=True)
        return scores.masked_fill(hidden, -math.inf).softmax(-1).masked_fill(~visible, 0.0)

    def refuse_empty(self, empty: Tensor, real: Tensor, largest: Tensor, visible: Tensor, heads: Any) -> None:
        """Raise an error if a row is empty; a program of `torch.export` cannot."""
        empty = empty & real
        if torch.compiler.is_compiling() or not bool(empty.any()):
            return
        if bool((empty & ~visible.any(-1, keepdim=True)).any()):
            raise ValueError("a strict head sees only what is before, and before the first token there is nothing")
        top = float(largest.detach().expand(empty.shape)[empty][0])
        raise ValueError(f"every weight of a row of attention is 0; the largest score is {top:g}")


def near_enough(distance: Tensor, heads: Any) -> list[Tensor]:
    """Return which distances strict heads see, and which are within a window, where heads are strict or have one."""
    strict = [distance > 0] if heads.strict else []
    return strict if heads.window is None else [*strict, distance < heads.window]


def split_heads(x: Tensor, heads: int) -> Tensor:
    """Return vectors (inputs, positions, heads · size) as (inputs, heads, positions, size)."""
    return x.reshape(*x.shape[:-1], heads, x.shape[-1] // heads).transpose(-2, -3)


def weights(*shape: int) -> nn.Parameter:
    """Return room for weights."""
    return nn.Parameter(torch.zeros(*shape))


class Norm(NormSteps, nn.Module):
    """A layer norm ("layer") or a norm by the mean square ("rms"); `count` is the arithmetic's number of lanes."""

    def __init__(self, description: Description, lanes: int) -> None:
        """Make room for gain and bias, where there are some."""
        super().__init__()
        self.centred = description["kind"] == "layer"
        self.eps: float = description["eps"]
        self.lanes: list[int] | None = description.get("lanes")
        size = lanes if self.lanes is None else len(self.lanes)
        self.count: float = description.get("count", size)
        self.gain = weights(size) if description.get("gain") else None
        self.bias = weights(size) if description.get("bias") else None


class Heads(HeadSteps, nn.Module):
    """Heads of one size and kind, computed together."""

    b_Q: Tensor | None
    b_K: Tensor | None
    b_V: Tensor | None
    rotation_cos: Any
    rotation_sin: Any
    key_offsets: Any
    value_offsets: Any
    penalties: Any

    def __init__(self, description: Description, lanes: int, length: int) -> None:
        """Make room for the weights, and for the tables of their positions."""
        super().__init__()
        self.heads: int = description["heads"]
        self.weighting: Description = description["weighting"]
        self.strict: bool = description.get("strict", False)  # sees only what is before
        self.window: int | None = description.get("window")  # how many positions it sees, its own included
        self.pairs = tuple(as_slice(some) for some in description.get("rotation") or ())
        keys, values, n = description["key_size"], description["value_size"], self.heads
        self.W_Q, self.W_K = weights(n * keys, lanes), weights(n * keys, lanes)
        self.W_V, self.W_O = weights(n * values, lanes), weights(lanes, n * values)
        for name, size in (("b_Q", keys), ("b_K", keys), ("b_V", values)):
            self.register_parameter(name, weights(n * size) if name in description["biases"] else None)
        self.make_tables(description, length)

    def make_tables(self, description: Description, length: int) -> None:
        """Make room for the tables of positions."""
        n, distances = self.heads, description.get("distances", 0)
        shapes = {
            "key_offsets": (n, distances, description["key_size"]),
            "value_offsets": (n, distances, description["value_size"]),
            "penalties": (n, length),
        }
        shapes = {name: shape for name, shape in shapes.items() if name in description["tables"]}
        if self.pairs:
            shapes |= dict.fromkeys(("rotation_cos", "rotation_sin"), (length, len(description["rotation"][0])))
        for name in ("rotation_cos", "rotation_sin", "key_offsets", "value_offsets", "penalties"):
            self.register_buffer(name, torch.zeros(shapes[name]) if name in shapes else None)


def as_slice(coordinates: list[int]) -> slice:
    """Return coordinates that follow each other, or every second one, as a slice."""
    step = coordinates[1] - coordinates[0] if len(coordinates) > 1 else 1
    return slice(coordinates[0], coordinates[-1] + 1, step)


class FeedForward(FeedForwardSteps, nn.Module):
    """A feed-forward layer, which may be gated."""

    def __init__(self, description: Description, lanes: int) -> None:
        """Make room for the weights."""
        super().__init__()
        self.function: str = description["function"]
        neurons = description["neurons"]
        self.W_1, self.b_1 = weights(neurons, lanes), weights(neurons)
        self.W_2, self.b_2 = weights(lanes, neurons), weights(lanes)
        self.W_3 = weights(neurons, lanes) if description["gated"] else None
        self.b_3 = weights(neurons) if description["gated"] else None


class Block(BlockSteps, nn.Module):
    """Attention and feed-forward, with their norms."""

    def __init__(self, description: Description, lanes: int, length: int) -> None:
        """Make the parts."""
        super().__init__()
        self.before = description["norm_placement"] == "pre"
        self.parallel: bool = description.get("parallel", False)
        self.attends: bool = description["attention"]
        self.make_heads(description, lanes, length)
        layer, first, second = (description[name] for name in ("feed_forward", "attention_norm", "feed_forward_norm"))
        self.feed_forward = None if layer is None else FeedForward(layer, lanes)
        self.attention_norm = None if first is None else Norm(first, lanes)
        self.feed_forward_norm = None if second is None else Norm(second, lanes)

    def make_heads(self, description: Description, lanes: int, length: int) -> None:
        """Make the groups of heads, and what is added to their total."""
        self.groups = nn.ModuleList(Heads(group, lanes, length) for group in description["groups"])
        self.b_O = weights(lanes) if description["b_O"] else None

    def attention_steps(self, h: Tensor, ops: Operations, where: Places, passed: Passed | None) -> Any:
        """Return what attention adds to the stream."""
        return attention(self.groups, self.b_O, h, ops, where, passed)


class Network(NetworkSteps, nn.Module):
    """The whole model: ids in the vocabulary to logits, or to the codes of a readout, at every position."""

    positions: Tensor | None

    def __init__(self, description: Description) -> None:
        """Make room for everything that the description lists."""
        super().__init__()
        lanes, self.max_length = description["lanes"], description.get("max_length")
        self.operations = Operations(description.get("infinity"))
        self.causal = description["mask"] == "causal"
        self.embedding = nn.Embedding(description["vocabulary"], lanes)
        table = torch.zeros(self.max_length or 0, lanes) if description.get("positions") else None
        self.register_buffer("positions", table)
        self.blocks = nn.ModuleList(Block(block, lanes, self.max_length or 0) for block in description["blocks"])
        norm = description.get("final_norm")
        self.final_norm = None if norm is None else Norm(norm, lanes)
        self.codes: list[int] | None = description.get("codes")  # the lanes that hold them
        self.output = (
            None if description.get("tied") or self.codes is not None else weights(description["classes"], lanes)
        )
        self.output_bias = weights(description["classes"]) if description.get("output_bias") else None

    def forward(self, ids: Tensor, real: Tensor | None = None) -> Passed:
        """Run on ids in the vocabulary, (inputs, positions); `real` is 0 or False where there is padding."""
        where = places(ids, None if real is None else real.bool(), self.causal)
        if self.max_length is not None and where.length > self.max_length:
            raise ValueError(f"the input has {where.length} tokens, and this model reads at most {self.max_length}")
        if real is not None:
            ids = ids.masked_fill(~real.bool(), 0)  # padding may have an id outside the vocabulary
        passed = Passed([], [], [])
        self.streamed(ids, self.operations, where, passed)
        return passed

    def logits(self, h: Tensor) -> Tensor:
        """Return the logits, or the codes, of vectors of the last stage of the stream."""
        found: Tensor = self.answered(h, self.operations)
        return found

    def token_table(self) -> Tensor:
        """Return the embedding, (vocabulary, lanes)."""
        return self.embedding.weight

    def position_table(self) -> Tensor | None:
        """Return the vectors that are added to the embedding, by position."""
        return self.positions

    def output_table(self) -> tuple[Tensor, Tensor | None]:
        """Return the rows of the output, (classes, lanes), and its bias."""
        return self.embedding.weight if self.output is None else self.output, self.output_bias

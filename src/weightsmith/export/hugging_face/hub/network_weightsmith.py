"""A transformer that was written with Weightsmith, as a PyTorch module: plain floats, any weights, needs torch only.

A description, plain JSON, says what it consists of; the weights have the names of the papers. Positions are counted
among the tokens that are not padding, so it does not matter on which side a batch is padded. A model that was written
for an arithmetic with a largest value, ∞, stays within ±∞ after every product and every sum; nothing else is rounded.
"""

import math
from typing import Any, NamedTuple, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

Description = dict[str, Any]


class Passed(NamedTuple):
    """What went through the network."""

    stream: list[Tensor]  # after the embedding and after each sublayer, (inputs, positions, lanes)
    attention: list[Tensor]  # [block]: weights (inputs, heads, positions, positions)
    activations: list[Tensor]  # [block]: (inputs, positions, neurons)


class Places(NamedTuple):
    """Where the tokens of a batch stand."""

    position: Tensor  # (inputs, positions): counted from 0, without padding
    distance: Tensor  # (inputs, 1, positions, positions): i − j
    visible: Tensor  # (inputs, 1, positions, positions): whether i sees j


def places(real: Tensor, causal: bool) -> Places:
    """Return where tokens stand, (inputs, positions), of which some are real and the others padding."""
    position = (real.long().cumsum(-1) - 1).clamp(min=0)
    distance = (position[:, :, None] - position[:, None, :])[:, None]
    visible = (real[:, :, None] & real[:, None, :])[:, None]
    return Places(position, distance, visible & (distance >= 0) if causal else visible)


def within(x: Tensor, infinity: float | None) -> Tensor:
    """Return values with those beyond ±∞, or the largest number of their type, there; None is no limit."""
    if infinity is None:
        return x
    end = min(infinity, torch.finfo(x.dtype).max)
    return x.clamp(-end, end)


def product(x: Tensor, W: Tensor, b: Tensor | None, infinity: float | None) -> Tensor:
    """Return W x + b: the product stays within ±∞, then the sum."""
    if infinity is None or b is None:
        return within(functional.linear(x, W, b), infinity)
    return within(within(functional.linear(x, W), infinity) + b, infinity)


def weights(*shape: int) -> nn.Parameter:
    """Return room for weights."""
    return nn.Parameter(torch.zeros(*shape))


class Norm(nn.Module):
    """A layer norm ("layer") or a norm by the mean square ("rms"), which may be limited to some lanes.

    Every step stays within ±∞, and the number of lanes, `count`, is what the arithmetic has for it.
    """

    def __init__(self, description: Description, lanes: int, infinity: float | None) -> None:
        """Make room for gain and bias, where there are some."""
        super().__init__()
        self.infinity = infinity
        self.centred = description["kind"] == "layer"
        self.eps: float = description["eps"]
        self.lanes: list[int] | None = description.get("lanes")
        size = lanes if self.lanes is None else len(self.lanes)
        self.count: float = description.get("count", size)
        self.gain = weights(size) if description.get("gain") else None
        self.bias = weights(size) if description.get("bias") else None

    def forward(self, h: Tensor) -> Tensor:
        """Normalise; lanes outside the norm pass unchanged."""
        x = h if self.lanes is None else h[..., self.lanes]
        if self.centred:
            x = self._within(x - self._mean(x))
        root = self._within(self._within(self._mean(self._within(x.square())) + self.eps).sqrt())
        y = self._within(x / root)
        if self.gain is not None:
            y = self._within(y * self.gain)
        if self.bias is not None:
            y = self._within(y + self.bias)
        if self.lanes is None:
            return y
        result = h.clone()
        result[..., self.lanes] = y
        return result

    def _mean(self, x: Tensor) -> Tensor:
        return self._within(self._within(x.sum(-1, keepdim=True)) / self.count)

    def _within(self, x: Tensor) -> Tensor:
        return within(x, self.infinity)


class Heads(nn.Module):
    """Heads of one size and kind, computed together: W_Q and the others have a row for each coordinate of each head."""

    b_Q: Tensor | None
    b_K: Tensor | None
    b_V: Tensor | None
    rotation_cos: Tensor | None
    rotation_sin: Tensor | None
    key_offsets: Tensor | None
    value_offsets: Tensor | None
    penalties: Tensor | None

    def __init__(self, description: Description, lanes: int, length: int, infinity: float | None) -> None:
        """Make room for the weights, and for the tables of their positions."""
        super().__init__()
        self.infinity = infinity
        self.heads: int = description["heads"]
        self.weighting: Description = description["weighting"]
        self.strict: bool = description.get("strict", False)  # sees only what is before
        self.pairs: list[list[int]] = description.get("rotation") or []
        keys, values = description["key_size"], description["value_size"]
        n, distances = self.heads, description.get("distances", 0)
        self.W_Q, self.W_K = weights(n * keys, lanes), weights(n * keys, lanes)
        self.W_V, self.W_O = weights(n * values, lanes), weights(lanes, n * values)
        for name, size in (("b_Q", keys), ("b_K", keys), ("b_V", values)):
            self.register_parameter(name, weights(n * size) if name in description["biases"] else None)
        turned = (length, len(self.pairs[0])) if self.pairs else None
        self._table("rotation_cos", turned)
        self._table("rotation_sin", turned)
        self._table("key_offsets", (n, distances, keys) if "key_offsets" in description["tables"] else None)
        self._table("value_offsets", (n, distances, values) if "value_offsets" in description["tables"] else None)
        self._table("penalties", (n, length) if "penalties" in description["tables"] else None)

    def _table(self, name: str, shape: tuple[int, ...] | None) -> None:
        self.register_buffer(name, None if shape is None else torch.zeros(shape))

    def forward(self, h: Tensor, where: Places) -> tuple[Tensor, Tensor]:
        """Return what the heads add, one by one (all together without ∞), and their weights.

        Both are (inputs, heads, positions, …).
        """
        q = self._turned(self._projected(h, self.W_Q, self.b_Q), where)
        k = self._turned(self._projected(h, self.W_K, self.b_K), where)
        v = self._projected(h, self.W_V, self.b_V)
        scores = self._within(self._scores(q, k, where))
        shape = (len(h), self.heads, *where.distance.shape[-2:])
        if self.penalties is not None:
            scores = self._within(scores + self.penalties[:, where.distance[:, 0].abs()].transpose(0, 1))
        visible = where.visible & (where.distance > 0) if self.strict else where.visible
        real = where.visible.any(-1, keepdim=True)  # padding sees nothing, and that is as it should be
        weight = weigh(self.weighting, scores, visible.expand(shape), real, self.infinity)
        mixed = weight @ v if self.value_offsets is None else self._mixed(weight, v, where)
        return self._gathered(self._within(mixed)), weight

    def _within(self, x: Tensor) -> Tensor:
        return within(x, self.infinity)

    def _scores(self, q: Tensor, k: Tensor, where: Places) -> Tensor:
        """Return products of queries and keys, of keys with what their distance adds to them."""
        if self.key_offsets is None:
            return q @ k.transpose(-1, -2)
        if self.infinity is None:
            rows = where.distance.clamp(0, self.key_offsets.shape[1] - 1).expand(-1, self.heads, -1, -1)
            return q @ k.transpose(-1, -2) + (q @ self.key_offsets.transpose(-1, -2)).gather(-1, rows)
        offsets = self._by_distance(self.key_offsets, where)
        scores = q.new_zeros(*q.shape[:-1], k.shape[-2])
        for c in range(q.shape[-1]):  # one coordinate at a time: a key for each pair of positions is large
            scores = scores + q[..., :, None, c] * self._within(k[..., None, :, c] + offsets[..., c])
        return scores

    def _mixed(self, weight: Tensor, v: Tensor, where: Places) -> Tensor:
        """Return weighted sums of values, of values with what their distance adds to them."""
        offsets = self._by_distance(cast(Tensor, self.value_offsets), where)
        mixed = weight @ v
        if self.infinity is None:
            return mixed + torch.einsum("nhij,nhijd->nhid", weight, offsets)
        mixed = torch.zeros_like(mixed)
        for c in range(v.shape[-1]):
            mixed[..., c] = (weight * self._within(v[..., None, :, c] + offsets[..., c])).sum(-1)
        return mixed

    def _by_distance(self, table: Tensor, where: Places) -> Tensor:
        """Return rows of a table (heads, distances, size) for all pairs: (inputs, heads, positions, positions, …)."""
        return table[:, where.distance[:, 0].clamp(0, table.shape[1] - 1)].transpose(0, 1)

    def _gathered(self, mixed: Tensor) -> Tensor:
        """Return what each head adds; without ∞ what they add together, as one."""
        if self.infinity is None:
            return functional.linear(mixed.transpose(1, 2).flatten(2), self.W_O)[:, None]
        return self._within(mixed @ self.W_O.reshape(len(self.W_O), self.heads, mixed.shape[-1]).permute(1, 2, 0))

    def _projected(self, h: Tensor, W: Tensor, b: Tensor | None) -> Tensor:
        """Return queries, keys or values (inputs, heads, positions, size)."""
        x = product(h, W, b, self.infinity)
        return x.reshape(*x.shape[:2], self.heads, x.shape[-1] // self.heads).transpose(1, 2)

    def _turned(self, x: Tensor, where: Places) -> Tensor:
        if self.rotation_cos is None or self.rotation_sin is None:
            return x
        first, second = self.pairs
        a, b = x[..., first], x[..., second]
        cos, sin = self.rotation_cos[where.position][:, None], self.rotation_sin[where.position][:, None]
        result = x.clone()
        result[..., first], result[..., second] = self._within(a * cos - b * sin), self._within(b * cos + a * sin)
        return result


def weigh(
    weighting: Description, scores: Tensor, visible: Tensor, real: Tensor, infinity: float | None = None
) -> Tensor:
    """Turn each row of scores into weights on what is visible; `real` says which rows are no padding."""
    seen = scores.masked_fill(~visible, -math.inf)
    largest = seen.amax(-1, keepdim=True)
    if weighting["kind"] == "softmax":
        largest = torch.where(largest.isinf(), 0.0, largest)
        return within(softmax(weighting, scores, visible, real, largest, infinity), infinity)
    best = visible & (scores == largest)
    if weighting["kind"] == "average":
        return within(best / best.sum(-1, keepdim=True).clamp(min=1).to(scores), infinity)
    count = best.cumsum(-1) if weighting["kind"] == "leftmost" else best.flip(-1).cumsum(-1).flip(-1)
    return within((best & (count == 1)).to(scores), infinity)


def softmax(
    weighting: Description,
    scores: Tensor,
    visible: Tensor,
    real: Tensor,
    largest: Tensor,
    infinity: float | None = None,
) -> Tensor:
    """Return the softmax of each row of scores, in the range of the arithmetic that the model was written for.

    There the exponential is 0 up to `low` and ∞, the largest value, from `high` on, and no sum is above ∞: so a row may
    be empty, and its weights may add up to more than 1. `shifted` subtracts the largest score first.
    """
    low, high, shift = weighting["low"], weighting["high"], torch.zeros_like(largest)
    if weighting["shifted"]:
        scores = within(scores - largest, infinity)
    else:
        scores, shift = scores.clamp(max=high), largest.clamp(max=high)  # which keeps the exponentials small
    e = (scores - shift).masked_fill(~(visible & (scores > low)), -math.inf).exp()
    z = torch.minimum(e.sum(-1, keepdim=True), (high - shift).exp())
    weight = e / z.where(z > 0, 1.0)
    empty = (z == 0) & real
    if weighting["empty"] == "zero" or not bool(empty.any()):
        return weight
    if weighting["empty"] == "error":
        if bool((empty & ~visible.any(-1, keepdim=True)).any()):
            raise ValueError("a strict head sees only what is before, and before the first token there is nothing")
        raise ValueError(f"every weight of a row of attention is 0; the largest score is {float(largest[empty][0]):g}")
    return torch.where(empty & visible, 1 / visible.sum(-1, keepdim=True).clamp(min=1).to(weight), weight)


class FeedForward(nn.Module):
    """W_2 act(W_1 h + b_1) + b_2; with a gate, act(…) is multiplied by W_3 h + b_3."""

    def __init__(self, description: Description, lanes: int, infinity: float | None) -> None:
        """Make room for the weights."""
        super().__init__()
        self.infinity = infinity
        self.function: str = description["function"]
        neurons = description["neurons"]
        self.W_1, self.b_1 = weights(neurons, lanes), weights(neurons)
        self.W_2, self.b_2 = weights(lanes, neurons), weights(lanes)
        self.W_3 = weights(neurons, lanes) if description["gated"] else None
        self.b_3 = weights(neurons) if description["gated"] else None

    def forward(self, h: Tensor) -> tuple[Tensor, Tensor]:
        """Return what the layer adds, and its activations."""
        z = activate(self.function, product(h, self.W_1, self.b_1, self.infinity))
        if self.W_3 is not None:
            z = within(z * product(h, self.W_3, self.b_3, self.infinity), self.infinity)
        return product(z, self.W_2, self.b_2, self.infinity), z


def activate(name: str, z: Tensor) -> Tensor:
    """Return relu, gelu, its approximation by tanh, or silu."""
    if name == "relu":
        return functional.relu(z)
    if name == "silu":
        return functional.silu(z)
    return functional.gelu(z, approximate="tanh" if name == "gelu_tanh" else "none")


class Block(nn.Module):
    """Attention, then feed-forward; either may be absent. In a parallel block both read what enters it."""

    def __init__(self, description: Description, lanes: int, length: int, infinity: float | None) -> None:
        """Make the parts."""
        super().__init__()
        self.infinity = infinity
        self.before = description["norm_placement"] == "pre"
        self.parallel: bool = description.get("parallel", False)
        self.attends: bool = description["attention"]
        self.groups = nn.ModuleList(Heads(group, lanes, length, infinity) for group in description["groups"])
        self.b_O = weights(lanes) if description["b_O"] else None
        layer, first, second = (description[name] for name in ("feed_forward", "attention_norm", "feed_forward_norm"))
        self.feed_forward = None if layer is None else FeedForward(layer, lanes, infinity)
        self.attention_norm = nn.Identity() if first is None else Norm(first, lanes, infinity)
        self.feed_forward_norm = nn.Identity() if second is None else Norm(second, lanes, infinity)

    def forward(self, h: Tensor, where: Places, passed: Passed) -> Tensor:
        """Add to the stream, twice; note what passed."""
        entry = h
        added, weight = self._attention(self.attention_norm(h) if self.before else h, where)
        h = h if added is None else self._added(h, added, self.attention_norm)
        passed.stream.append(h)
        active = h[..., :0]
        if self.feed_forward is not None:
            read = entry if self.parallel else h
            seen = self.feed_forward_norm(read) if self.before else read
            more, active = self.feed_forward(seen)
            h = self._added(h, more, self.feed_forward_norm)
        passed.stream.append(h)
        passed.attention.append(weight)
        passed.activations.append(active)
        return h

    def _added(self, h: Tensor, more: Tensor, norm: nn.Module) -> Tensor:
        h = within(h + more, self.infinity)
        return h if self.before else cast(Tensor, norm(h))

    def _attention(self, h: Tensor, where: Places) -> tuple[Tensor | None, Tensor]:
        """Return what the heads add, None without attention, and their weights."""
        found = [group(h, where) for group in self.groups]
        nothing = h.new_zeros(len(h), 0, h.shape[1], h.shape[1])
        weight = torch.cat([nothing, *(weight for _, weight in found)], dim=1)
        if not self.attends:
            return None, weight
        total = torch.zeros_like(h)
        for added in (each for heads, _ in found for each in heads.unbind(1)):
            total = within(total + added, self.infinity)
        return total if self.b_O is None else within(total + self.b_O, self.infinity), weight


class Network(nn.Module):
    """The whole model: places in the vocabulary to logits, or to the codes of a readout, at every position."""

    positions: Tensor | None

    def __init__(self, description: Description) -> None:
        """Make room for everything that the description lists."""
        super().__init__()
        lanes, self.max_length = description["lanes"], description.get("max_length")
        length, self.infinity = self.max_length or 0, description.get("infinity")
        self.causal = description["mask"] == "causal"
        self.embedding = nn.Embedding(description["vocabulary"], lanes)
        self.register_buffer("positions", torch.zeros(length, lanes) if description.get("positions") else None)
        self.blocks = nn.ModuleList(Block(block, lanes, length, self.infinity) for block in description["blocks"])
        norm = description.get("final_norm")
        self.final_norm = nn.Identity() if norm is None else Norm(norm, lanes, self.infinity)
        self.codes: list[int] | None = description.get("codes")  # the lanes that hold them
        self.output = (
            None if description.get("tied") or self.codes is not None else weights(description["classes"], lanes)
        )
        self.output_bias = weights(description["classes"]) if description.get("output_bias") else None

    def forward(self, ids: Tensor, real: Tensor | None = None) -> Passed:
        """Run on places in the vocabulary, (inputs, positions); `real` is 0 or False where there is padding."""
        there = torch.ones_like(ids, dtype=torch.bool) if real is None else real.bool()
        where = places(there, self.causal)
        longest = int(where.position.max()) + 1 if ids.numel() else 0
        if self.max_length is not None and longest > self.max_length:
            raise ValueError(f"the input has {longest} tokens, and this model reads at most {self.max_length}")
        h = self.embedding(ids.masked_fill(~there, 0))  # padding may have a place outside the vocabulary
        if self.positions is not None:
            h = within(h + self.positions[where.position], self.infinity)
        passed = Passed([h], [], [])
        for block in self.blocks:
            h = block(h, where, passed)
        return passed

    def logits(self, h: Tensor) -> Tensor:
        """Return the logits, or the codes, of vectors of the last stage of the stream."""
        if self.codes is not None:
            return cast(Tensor, self.final_norm(h))[..., self.codes]
        output = self.embedding.weight if self.output is None else self.output
        return product(self.final_norm(h), output, self.output_bias, self.infinity)

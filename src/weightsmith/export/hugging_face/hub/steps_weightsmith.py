"""The forward pass of a transformer: a sequence of steps over an object that does the operations. It needs no library.

`network_weightsmith` has the operations on tensors of PyTorch. A part, such as a head or a norm, is any object that has
the attributes named in its class here; its weights may be anything that the operations understand.
"""

import math
from typing import Any, NamedTuple

Value = Any  # an array of the operations
Description = dict[str, Any]
FAR = 80.0  # exp(80) is more than any number of positions, and every type but float16 holds it


class Passed(NamedTuple):
    """The values of a run."""

    stream: list[Value]  # after the embedding and after each sublayer, (inputs, positions, lanes)
    attention: list[Value]  # [block]: weights (inputs, heads, positions, positions)
    activations: list[Value]  # [block]: (inputs, positions, neurons)


class Steps:
    """The steps that consist of operations; a subclass has the operations themselves.

    Sums and products end at ±∞, `infinity`, or nowhere where that is None. An exact subclass rounds as well.
    """

    infinity: float | None = None

    # Numbers: x within ±∞; Σ over the last axis without an end; a number as an array; √x; eˣ; the smaller of two
    within: Any
    total: Any
    constant: Any
    sqrt: Any
    exp: Any
    minimum: Any
    # Truth values: x = y; 1.0 and 0.0; how many are true, 1 for none; how many so far; x or y; the largest visible
    equal: Any
    number: Any
    count: Any
    running_count: Any
    where: Any
    largest: Any
    # Vectors: some coordinates, and new ones in their place; W x ⊕ b; queries, keys and values; scores; weighted sums
    take: Any
    put: Any
    put_pairs: Any
    linear: Any
    activate: Any
    projected: Any
    scores: Any
    mix: Any
    gather: Any
    # Positions: rows of a table at the positions of an input, or by distance; what is visible; what is no padding
    at_positions: Any
    by_distance: Any
    sight: Any
    real: Any

    def rounded(self, x: Value) -> Value:
        """Return the members for some numbers."""
        return self.within(x)

    def constant_of(self, x: Value) -> Value:
        """Return values that gradients do not reach."""
        return x

    def add(self, x: Value, y: Value) -> Value:
        """Return x ⊕ y."""
        return self.within(x + y)

    def subtract(self, x: Value, y: Value) -> Value:
        """Return x ⊖ y."""
        return self.within(x - y)

    def multiply(self, x: Value, y: Value) -> Value:
        """Return x ⊗ y."""
        return self.within(x * y)

    def divide(self, x: Value, y: Value) -> Value:
        """Return x ⊘ y."""
        return self.within(x / y)

    def sum(self, x: Value) -> Value:
        """Return the sum over the last axis, which stays with size 1."""
        return self.within(self.total(x))

    def join(self, h: Value, added: Value) -> Value:
        """Return the stream with what a sublayer adds."""
        return self.add(h, added)

    def embedded(self, h: Value) -> Value:
        """Return the stream as it enters the first block; training drops some of it."""
        return h

    def normalised(self, norm: Any, h: Value) -> Value:
        """Return the stream after a norm, or as it is without one."""
        return h if norm is None else norm(h, self)

    def norm(self, norm: Any, x: Value) -> Value:
        """Return vectors, normalised: each step ends at ±∞, and eps and the number of lanes are members."""
        count, eps = self.constant(norm.count), self.constant(norm.eps)
        if norm.centred:
            x = self.subtract(x, self.divide(self.sum(x), count))
        spread = self.divide(self.sum(self.multiply(x, x)), count)
        y = self.divide(x, self.root(norm, self.add(spread, eps)))
        if norm.gain is not None:
            y = self.multiply(y, norm.gain)
        return y if norm.bias is None else self.add(y, norm.bias)

    def root(self, norm: Any, x: Value) -> Value:
        """Return the square root that a norm divides by."""
        return self.within(self.sqrt(x))

    def rotated(self, heads: Any, x: Value, where: Any) -> Value:
        """Turn pairs of coordinates of queries or keys by the angles of their positions."""
        if heads.rotation_cos is None:
            return x
        cos, sin = (self.at_positions(table, where, by_head=True) for table in (heads.rotation_cos, heads.rotation_sin))
        a, b = (self.take(x, coordinates) for coordinates in heads.pairs)
        first = self.subtract(self.multiply(a, cos), self.multiply(b, sin))
        second = self.add(self.multiply(b, cos), self.multiply(a, sin))
        return self.put_pairs(x, heads, first, second)

    def attend(self, heads: Any, q: Value, k: Value, v: Value, where: Any, wanted: bool) -> tuple[Value, Value]:
        """Return Σ weight ⊗ value of each head, (inputs, heads, positions, value size), and the weights.

        An operation that has no weights to show returns None instead of them, unless they are `wanted`.
        """
        scores = self.scores(q, k, heads.key_offsets, where)
        if heads.penalties is not None:
            scores = self.add(scores, self.by_distance(heads.penalties, where))
        weights = self.weigh(heads.weighting, scores, self.sight(where, heads), self.real(where), heads)
        return self.mix(weights, v, heads.value_offsets, where), weights

    def weigh(self, weighting: Description, scores: Value, visible: Value, real: Value, heads: Any = None) -> Value:
        """Turn each row of scores into weights on what is visible; `real` says which rows are no padding."""
        kind = weighting["kind"]
        if kind == "softmax":
            return self.softmax(weighting, scores, visible, real, heads)
        best = visible & self.equal(scores, self.largest(scores, visible))
        if kind == "average":
            return self.equal_parts(best, scores)
        if kind not in ("leftmost", "rightmost"):
            raise ValueError(f"there is no weighting {kind!r} here")
        count = self.running_count(best, backwards=kind == "rightmost")
        return self.rounded(self.number(best & self.equal(count, self.constant(1)), scores))

    def equal_parts(self, chosen: Value, like: Value) -> Value:
        """Return 1/m for each of the m that are chosen in a row, and 0 for the others."""
        return self.divide(self.number(chosen, like), self.count(chosen, like))

    def softmax(self, weighting: Description, scores: Value, visible: Value, real: Value, heads: Any = None) -> Value:
        """Return exp(score) ⊘ Σ exp(score) for what is visible; where that sum is 0, as the weighting says."""
        largest = self.largest(scores, visible)
        shifted = self.subtract(scores, largest) if weighting["shifted"] else scores
        e, z = self.exponentials(weighting, shifted, visible, largest)
        empty = self.equal(z, self.constant(0))
        weights = self.divide(e, self.where(empty, self.constant(1), z))
        if weighting["empty"] == "uniform":
            return self.where(empty & visible, self.equal_parts(visible, scores), weights)
        if weighting["empty"] == "error":
            self.refuse_empty(empty, real, largest, visible, heads)
        return weights

    def exponentials(
        self, weighting: Description, scores: Value, visible: Value, largest: Value
    ) -> tuple[Value, Value]:
        """Return exp(score) and their sum, both divided by one number for each row, so that nothing overflows.

        In an arithmetic the exponential is 0 up to `low` and ∞ from `high` on, and no sum is above ∞: so a row may be
        empty, and its weights may add up to more than 1.
        """
        low, high = self.constant(weighting["low"]), self.constant(weighting["high"])
        counts, scores = visible & (scores > low), self.minimum(scores, high)
        if not weighting["shifted"]:
            shift = self.minimum(self.constant_of(largest), high)
            scores, high = scores - shift, high - shift
        e = self.exp(self.where(counts, scores, self.constant(-math.inf)))
        if weighting["high"] == math.inf:
            return e, self.total(e)
        end = high if isinstance(high, float) else self.minimum(high, self.constant(FAR))
        return e, self.minimum(self.total(e), self.exp(end))

    def refuse_empty(self, empty: Value, real: Value, largest: Value, visible: Value, heads: Any) -> None:
        """Raise an error if a row is empty; operations that only describe a run cannot."""


class NormSteps:
    """A layer norm, or one by the mean square where it is not `centred`, over all lanes or some."""

    lanes: list[int] | None

    def forward(self, h: Value, ops: Any) -> Value:
        """Return the stream, normalised; lanes outside the norm pass unchanged."""
        if self.lanes is None:
            return ops.norm(self, h)
        return ops.put(h, self.lanes, ops.norm(self, ops.take(h, self.lanes)))


class HeadSteps:
    """Heads of one size and kind: W_Q and the others have a row for each coordinate of each head."""

    def forward(self, h: Value, ops: Any, where: Any, wanted: bool) -> tuple[Value, Value]:
        """Return what each head mixes, (inputs, heads, positions, value size), and the weights."""
        q, k, v = ops.projected(self, h)
        return ops.attend(self, ops.rotated(self, q, where), ops.rotated(self, k, where), v, where, wanted)  # type: ignore[no-any-return]


def attention(groups: Any, b_O: Value, h: Value, ops: Any, where: Any, passed: Passed | None) -> Value:
    """Return what the heads of a block add to the stream: W_O of each, folded in their order, and b_O."""
    mixed, weights = [], []
    for heads in groups:
        own, weight = heads(h, ops, where, passed is not None)
        mixed.append((own, heads.W_O))
        weights.append(weight)
    if passed is not None:
        passed.attention.append(ops.beside(weights, h))
    return ops.gather(mixed, b_O, h)


class FeedForwardSteps:
    """W_2 act(W_1 h ⊕ b_1) ⊕ b_2; with a gate, act(…) is multiplied by W_3 h ⊕ b_3."""

    function: str
    W_1: Value
    b_1: Value
    W_2: Value
    b_2: Value
    W_3: Value
    b_3: Value

    def forward(self, h: Value, ops: Any, passed: Passed | None) -> Value:
        """Return what the layer adds to the stream."""
        z = ops.activate(self.function, ops.linear(h, self.W_1, self.b_1))
        if self.W_3 is not None:
            z = ops.multiply(z, ops.linear(h, self.W_3, self.b_3))
        if passed is not None:
            passed.activations.append(z)
        return ops.linear(z, self.W_2, self.b_2)


class BlockSteps:
    """Attention, then feed-forward; either may be absent. In a `parallel` block both read what enters it."""

    before: bool  # norms come before a sublayer, and not after it
    parallel: bool
    attends: bool
    feed_forward: Any
    attention_norm: Any
    feed_forward_norm: Any

    def attention_steps(self, h: Value, ops: Any, where: Any, passed: Passed | None) -> Value:
        """Return what attention adds to the stream."""
        raise NotImplementedError

    def forward(self, h: Value, ops: Any, where: Any, passed: Passed | None) -> Value:
        """Return the stream after both sublayers."""
        entry = h
        if self.attends:
            added = self.attention_steps(self._read(h, self.attention_norm, ops), ops, where, passed)
            h = self._joined(h, added, self.attention_norm, ops)
        elif passed is not None:
            passed.attention.append(ops.beside([], h))
        if passed is not None:
            passed.stream.append(h)
        if self.feed_forward is not None:
            read = self._read(entry if self.parallel else h, self.feed_forward_norm, ops)
            h = self._joined(h, self.feed_forward(read, ops, passed), self.feed_forward_norm, ops)
        elif passed is not None:
            passed.activations.append(ops.no_neurons(h))
        if passed is not None:
            passed.stream.append(h)
        return h

    def _read(self, h: Value, norm: Any, ops: Any) -> Value:
        return ops.normalised(norm, h) if self.before else h

    def _joined(self, h: Value, added: Value, norm: Any, ops: Any) -> Value:
        h = ops.join(h, added)
        return h if self.before else ops.normalised(norm, h)


class NetworkSteps:
    """The whole model: ids in the vocabulary to the stream, and the stream to logits, or to the codes of a readout."""

    blocks: Any
    final_norm: Any
    codes: list[int] | None  # the lanes of a readout

    def streamed(self, ids: Value, ops: Any, where: Any, passed: Passed | None) -> Value:
        """Return the stream after the last block."""
        h = ops.embed(self.token_table(), ids)
        table = self.position_table()
        if table is not None:
            h = ops.add(h, ops.at_positions(table, where))
        h = ops.embedded(h)
        if passed is not None:
            passed.stream.append(h)
        for block in self.blocks:
            h = block(h, ops, where, passed)
        return h

    def answered(self, h: Value, ops: Any) -> Value:
        """Return the logits, or the codes, of vectors of the last stage of the stream."""
        h = ops.normalised(self.final_norm, h)
        return ops.take(h, self.codes) if self.codes is not None else ops.linear(h, *self.output_table())

    def token_table(self) -> Value:
        """Return the embedding, (vocabulary, lanes)."""
        raise NotImplementedError

    def position_table(self) -> Value:
        """Return the vectors that are added to the embedding, by position; None without."""
        raise NotImplementedError

    def output_table(self) -> tuple[Value, Value]:
        """Return the rows of the output, (classes, lanes), and its bias or None."""
        raise NotImplementedError

"""Attention as nodes of an ONNX graph: heads of one kind together, every value (batch, heads, positions, …)."""

import math
from dataclasses import dataclass, replace

from weightsmith.arithmetic import Arithmetic, Array, Weights
from weightsmith.export.onnx.graph import Graph, Value
from weightsmith.kernels.blas.attention import stacked
from weightsmith.kernels.blas.prepared import Heads
from weightsmith.model import AverageHard, LeftmostHard, Softmax, Transformer


@dataclass(frozen=True)
class Places:
    """What the nodes of attention need to know about positions, made once for the whole graph."""

    batch: Value  # (1): how many inputs there are
    length: Value  # (1): how many positions they have
    here: Value  # (positions): 0, 1, 2, …
    distance: Value  # (positions, positions): i − j
    visible: Value  # (positions, positions): whether i sees j
    counted: Value  # (positions, 1): how many i sees
    longest: int  # positions that tables have rows for


def places(graph: Graph, tokens: Value, mask: str, longest: int) -> Places:
    """Add the nodes that say where positions are and what they see, for an input of any length."""
    shape = graph.add("Shape", tokens)
    batch, length = (graph.add("Gather", shape, graph.whole([axis]), axis=0) for axis in (0, 1))
    count = graph.add("Squeeze", length, graph.whole([0]))
    here = graph.add("Range", graph.whole(0), count, graph.whole(1), name="positions")
    rows = graph.add("Unsqueeze", here, graph.whole([1]))
    distance = graph.add("Sub", rows, here, name="distance")
    least = graph.whole(0) if mask == "causal" else graph.add("Neg", count)
    visible = graph.add("GreaterOrEqual", distance, least, name="visible")
    counted = _count(graph, visible)
    return Places(batch, length, here, distance, visible, counted, longest)


def strictly(graph: Graph, at: Places) -> Places:
    """Add the nodes that say what a strict head sees: the positions before, under any mask."""
    visible = graph.add("Greater", at.distance, graph.whole(0), name="before")
    return replace(at, visible=visible, counted=graph.add("Max", _count(graph, visible), graph.number(1.0)))


def add_heads(T: Transformer, graph: Graph, at: Places, heads: Heads, seen: Value, part: str) -> tuple[Value, Value]:
    """Add heads that read a stream; return their weights (batch, heads, positions, positions) and what they add."""
    key_size, value_size = len(heads.W_Q) // heads.count, len(heads.W_V) // heads.count
    q = _projected(graph, heads, seen, heads.W_Q, heads.b_Q, part, "Q")
    k = _projected(graph, heads, seen, heads.W_K, heads.b_K, part, "K")
    q, k = (_rotated(T, graph, at, heads, x, key_size, part) for x in (q, k))
    weights = _weights(T.arithmetic, graph, at, heads, _scores(T, graph, at, heads, q, k, part))
    if value_size == 0:
        return weights, ""
    values = _projected(graph, heads, seen, heads.W_V, heads.b_V, part, "V")
    mixed = graph.bounded(_mixed(graph, at, heads, weights, values, part))
    side_by_side = graph.add("Transpose", mixed, perm=[0, 2, 1, 3])
    joined = graph.add("Reshape", side_by_side, graph.whole([0, 0, heads.count * value_size]))
    return weights, graph.product(joined, heads.W_O, None, part, "O")


def _projected(graph: Graph, heads: Heads, seen: Value, W: Weights, b: Weights | None, part: str, which: str) -> Value:
    """Return queries, keys or values (batch, heads, positions, size); "" where they have no coordinates."""
    if len(W) == 0:
        return ""
    side_by_side = graph.product(seen, W, b, part, which)
    shape = graph.whole([0, 0, heads.count, len(W) // heads.count])
    return graph.add("Transpose", graph.add("Reshape", side_by_side, shape), perm=[0, 2, 1, 3])


def _rotated(T: Transformer, graph: Graph, at: Places, heads: Heads, x: Value, size: int, part: str) -> Value:
    turns = heads.schemes[0].rotation(T.arithmetic, size, at.longest)
    if turns is None:
        return x
    a, b = graph.chosen(x, turns.first), graph.chosen(x, turns.second)
    cos, sin = (
        graph.add("Gather", graph.table(table.astype(graph.dtype), f"{part}.{name}"), at.here, axis=0)
        for table, name in ((turns.cos, "cosines"), (turns.sin, "sines"))
    )
    first = graph.difference(graph.times(a, cos), graph.times(b, sin))
    second = graph.sum(graph.times(b, cos), graph.times(a, sin))
    turned = graph.add("Concat", first, second, axis=-1)
    return graph.replaced(x, size, [*turns.first.tolist(), *turns.second.tolist()], turned)


def _scores(T: Transformer, graph: Graph, at: Places, heads: Heads, q: Value, k: Value, part: str) -> Value:
    offsets = stacked([scheme.key_offsets() for scheme in heads.schemes], graph.dtype)
    if not q:  # without coordinates every score is 0
        shape = graph.add("Concat", at.batch, graph.whole([heads.count]), at.length, at.length, axis=0)
        scores = graph.add("Expand", graph.number(0.0), shape)
    elif offsets is None:
        scores = graph.bounded(graph.add("MatMul", q, graph.add("Transpose", k, perm=[0, 1, 3, 2])))
    else:  # a query (…, 1, size) meets its own keys (…, positions, size)
        keys = _by_pair(graph, at, k, offsets, f"{part}.key_offsets")
        one = graph.add("Unsqueeze", q, graph.whole([3]))
        products = graph.add("MatMul", one, graph.add("Transpose", keys, perm=[0, 1, 2, 4, 3]))
        scores = graph.bounded(graph.add("Squeeze", products, graph.whole([3])))
    penalties = stacked([scheme.penalties(T.arithmetic, at.longest) for scheme in heads.schemes], graph.dtype)
    if penalties is not None:
        table = graph.weights(penalties, f"{part}.penalties")
        scores = graph.sum(scores, graph.add("Gather", table, graph.add("Abs", at.distance), axis=1))
    return scores


def _rows(graph: Graph, at: Places, table: Array) -> Value:
    """Return the row of a table by distance that serves each pair of positions."""
    return graph.add("Clip", at.distance, graph.whole(0), graph.whole(table.shape[1] - 1))


def _by_pair(graph: Graph, at: Places, x: Value, offsets: Array, name: str) -> Value:
    """Return keys or values with what is added for each pair, (batch, heads, positions, positions, size)."""
    by_pair = graph.add("Gather", graph.weights(offsets, name), _rows(graph, at, offsets), axis=1)
    return graph.sum(graph.add("Unsqueeze", x, graph.whole([2])), by_pair)


def _mixed(graph: Graph, at: Places, heads: Heads, weights: Value, values: Value, part: str) -> Value:
    """Return weighted sums of values, each with what is added for its distance."""
    offsets = stacked([scheme.value_offsets() for scheme in heads.schemes], graph.dtype)
    if offsets is None:
        return graph.add("MatMul", weights, values)
    rows = graph.add("Unsqueeze", weights, graph.whole([3]))
    by_pair = _by_pair(graph, at, values, offsets, f"{part}.value_offsets")
    return graph.add("Squeeze", graph.add("MatMul", rows, by_pair), graph.whole([3]))


def _weights(A: Arithmetic, graph: Graph, at: Places, heads: Heads, scores: Value) -> Value:
    """Turn scores into weights on what is visible."""
    weighting = heads.weighting
    seen = graph.add("Where", at.visible, scores, graph.number(-math.inf))
    if isinstance(weighting, Softmax):
        return _softmax(A, graph, at, weighting, seen)
    if isinstance(weighting, AverageHard):
        best = graph.add("And", at.visible, graph.add("Equal", seen, _largest(graph, seen)))
        shared = _count(graph, best)
        shared = graph.add("Max", shared, graph.number(1.0)) if heads.strict else shared
        return graph.quotient(graph.add("Cast", best, to=graph.element), shared)
    last = 0 if isinstance(weighting, LeftmostHard) else 1
    place = graph.add("ArgMax", seen, axis=-1, keepdims=1, select_last_index=last)
    best = graph.add("Equal", place, at.here)
    best = graph.add("And", best, at.visible) if heads.strict else best  # the first position sees nothing
    return graph.bounded(graph.add("Cast", best, to=graph.element))


def _largest(graph: Graph, seen: Value) -> Value:
    return graph.add("ReduceMax", seen, graph.whole([-1]), keepdims=1)


def _count(graph: Graph, chosen: Value) -> Value:
    """Return how many are chosen of each row: a count, which does not saturate."""
    return graph.add("ReduceSum", graph.add("Cast", chosen, to=graph.element), graph.whole([-1]), keepdims=1)


def _softmax(A: Arithmetic, graph: Graph, at: Places, weighting: Softmax, seen: Value) -> Value:
    """Return exp(score) ⊘ Σ exp(score). What rounds to 0 in the arithmetic is 0 here too: only so can a row be empty.

    Where nothing saturates the largest score is subtracted in any case: it changes no weight and keeps exp in range.
    """
    shifted = graph.difference(seen, _largest(graph, seen))
    if graph.limit is not None:
        shifted = graph.add("Where", at.visible, shifted, graph.number(-math.inf))
    exponent = shifted if weighting.shifted else seen
    least = graph.number(math.log(A.smallest) - math.log(2))  # exp of it is half-way between 0 and the smallest member
    counts = graph.add("Greater", exponent, least)
    raised = exponent if graph.limit is not None else shifted
    e = graph.bounded(graph.add("Exp", graph.add("Where", counts, raised, graph.number(-math.inf))))
    z = graph.summed(e)
    empty = graph.add("Equal", z, graph.number(0.0))
    weights = graph.quotient(e, graph.add("Where", empty, graph.number(1.0), z))
    if weighting.empty != "uniform":
        return weights
    uniform = graph.quotient(graph.add("Cast", at.visible, to=graph.element), at.counted)
    return graph.add("Where", empty, uniform, weights)

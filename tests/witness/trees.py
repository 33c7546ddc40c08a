"""The decisions of the witness on all inputs of a tree at once: what begins several inputs is evaluated once.

A node is an input; its keys are the inputs that begin it, itself included. The definition is that of `runs`, over
arrays of places instead of lists of fractions, and as independent of the package.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from tests.witness.functions import FUNCTIONS, GATED
from tests.witness.positions import ByDistance, Penalty, Rule, added_vectors, rule_of_head
from tests.witness.tables import Places, Tables, tables

Truths = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Tree:
    """Inputs: the last token of each, its length, and the nodes that begin it, by length (then anything)."""

    tokens: Places  # (nodes)
    lengths: Places  # (nodes)
    beginnings: Places  # (nodes, longest)
    wholes: Places | None = None  # (nodes), under a full mask: how many nodes the node's input has


def every_input(symbols: int, longest: int) -> Tree:
    """Make the tree of all inputs, shortest first, then in vocabulary order."""
    tokens, lengths, rows, first = [], [], [], 0
    above = np.zeros((1, 0), np.int32)
    for length in range(1, longest + 1):
        own = first + np.arange(symbols**length, dtype=np.int32)
        above = np.concatenate([above.repeat(symbols, axis=0), own[:, None]], axis=1)
        tokens.append(np.tile(np.arange(symbols, dtype=np.int32), symbols ** (length - 1)))
        lengths.append(np.full(len(own), length, np.int32))
        rows.append(np.pad(above, ((0, 0), (0, longest - length))))
        first += len(own)
    return Tree(*(np.concatenate(parts) for parts in (tokens, lengths, rows)))


def one_input(ids: list[int]) -> Tree:
    """Make the tree of an input and all that begin it."""
    count = np.arange(len(ids), dtype=np.int32)
    return Tree(np.array(ids, np.int32), count + 1, np.tile(count, (len(ids), 1)))


def every_position(tree: Tree) -> Tree:
    """Make the forest for a full mask: a node is a position of an input, its keys are all positions of that input."""
    tokens, lengths, rows, wholes, first = [], [], [], [], 0
    for length in range(1, int(tree.lengths.max()) + 1):
        inputs = tree.beginnings[tree.lengths == length][:, :length]
        nodes = first + np.arange(inputs.size, dtype=np.int32).reshape(-1, length)
        tokens.append(tree.tokens[inputs].reshape(-1))
        lengths.append(np.tile(np.arange(1, length + 1, dtype=np.int32), len(inputs)))
        rows.append(np.pad(nodes, ((0, 0), (0, tree.beginnings.shape[1] - length))).repeat(length, axis=0))
        wholes.append(np.full(inputs.size, length, np.int32))
        first += inputs.size
    return Tree(*(np.concatenate(parts) for parts in (tokens, lengths, rows, wholes)))


def decided_under_a_full_mask(T: Any, tree: Tree) -> Places:
    """Give the place of the class that is decided for each input of a tree, whose nodes are sorted by length."""
    assert T.mask == "full"
    forest = every_position(tree)
    ends = np.flatnonzero(forest.lengths == forest.wholes)
    last: Places = decided(T, forest)[ends]
    return last


def decided(T: Any, tree: Tree) -> Places:
    """Give the place of the class that is decided for each input of a tree."""
    assert (T.mask == "causal") == (tree.wholes is None)
    assert T.readout is None
    N = tables(str(T.arithmetic))
    h = N.of(T.embedding)[tree.tokens]
    vectors = added_vectors(N.N, T, int(tree.lengths.max()))
    if vectors is not None:
        h = N.add(h, N.of(np.array(vectors))[tree.lengths - 1])
    for block in T.blocks:
        entry, pre = h, block.norm_placement == "pre"
        if block.attention is not None:
            seen = normalised(N, T, block.attention_norm if pre else None, h)
            h = N.add(h, attention(N, T, block.attention, seen, tree))
            h = normalised(N, T, None if pre else block.attention_norm, h)
        if block.feed_forward is not None:
            seen = normalised(N, T, block.feed_forward_norm if pre else None, entry if block.parallel else h)
            h = N.add(h, feed_forward(N, block.feed_forward, seen))
            h = normalised(N, T, None if pre else block.feed_forward_norm, h)
    logits = N.product(N.of(T.embedding if T.tied else T.output), normalised(N, T, T.final_norm, h))
    if T.output_bias is not None:
        logits = N.add(logits, N.of(T.output_bias))
    classes: Places = np.argmax(logits, axis=1).astype(np.int32)  # places are in the order of numbers
    return classes


def attention(N: Tables, T: Any, layer: Any, seen: Places, tree: Tree) -> Places:
    total = np.full(seen.shape, N.zero, np.int32)
    for place, head in enumerate(layer.heads):
        total = N.add(total, one_head(N, head, rule_of_head(T, head, place, len(layer.heads)), seen, tree))
    return total if layer.b_O is None else N.add(total, N.of(layer.b_O))


def one_head(N: Tables, head: Any, rule: Rule, seen: Places, tree: Tree) -> Places:
    q, k, v = (projected(N, W, b, seen) for W, b in ((head.W_Q, head.b_Q), (head.W_K, head.b_K), (head.W_V, head.b_V)))
    distances = tree.lengths[:, None] - 1 - np.arange(tree.beginnings.shape[1])
    visible = distances >= int(head.strict)
    if tree.wholes is not None and not head.strict:
        visible = np.arange(tree.beginnings.shape[1]) < tree.wholes[:, None]
    if head.window is not None:
        visible = visible & (distances < head.window)
    away = np.abs(distances) if tree.wholes is not None else np.maximum(distances, 0)
    keys, values = k[tree.beginnings], v[tree.beginnings]
    if isinstance(rule, ByDistance):
        keys = N.add(keys, by_distance(N, rule.keys, away))
        values = values if rule.values is None else N.add(values, by_distance(N, rule.values, away))
    scores = N.dot(q[:, None, :], keys)
    if isinstance(rule, Penalty):
        penalties = [rule.penalty(N.N, int(distance), 0) for distance in range(int(away.max()) + 1)]
        scores = N.add(scores, N.of(np.array(penalties))[away])
    weights = weigh(N, head.weighting, scores, visible)
    mixed = N.sum(np.moveaxis(N.multiply(weights[..., None], values), 1, -1))
    return N.product(N.of(head.W_O), mixed)


def projected(N: Tables, W: Any, b: Any, h: Places) -> Places:
    rows = N.product(N.of(W), h)
    return rows if b is None else N.add(rows, N.of(b))


def by_distance(N: Tables, rows: list[list[Fraction]], away: Places) -> Places:
    return N.of(np.array(rows))[np.minimum(away, len(rows) - 1)]


def weigh(N: Tables, weighting: Any, scores: Places, visible: Truths) -> Places:
    """Give the weight of each key, 0 where it is not visible."""
    kind = type(weighting).__name__
    largest = np.where(visible, scores, -1).max(axis=1, keepdims=True)
    best = visible & (scores == largest)
    if kind == "AverageHard":
        return shares(N, best)
    if kind == "LeftmostHard":
        return np.where(best & (best.cumsum(axis=1) == 1), N.one, N.zero)
    if kind == "RightmostHard":
        return np.where(best & (best[:, ::-1].cumsum(axis=1)[:, ::-1] == 1), N.one, N.zero)
    assert kind == "Softmax"
    if weighting.shifted:
        scores = np.where(visible, N.subtract(scores, np.maximum(largest, 0)), N.zero)
    e = np.where(visible, N.each("exp", N.N.exp, scores), N.zero)
    z = N.sum(e)[:, None]
    weights = N.divide(e, np.where(z == N.zero, N.one, z))
    if weighting.empty == "error" and (z == N.zero).any():
        raise ZeroDivisionError("a softmax is empty")
    empty = shares(N, visible) if weighting.empty == "uniform" else np.full(e.shape, N.zero)
    return np.where(z == N.zero, empty, weights)


def shares(N: Tables, chosen: Truths) -> Places:
    """Give equal parts of 1 to those that are chosen in each row."""
    parts = [N.N.round(Fraction(1, max(count, 1))) for count in range(chosen.shape[1] + 1)]
    return np.where(chosen, N.of(np.array(parts))[chosen.sum(axis=1, keepdims=True)], N.zero)


def feed_forward(N: Tables, layer: Any, seen: Places) -> Places:
    name = GATED.get(layer.activation, layer.activation)
    z = N.each(name, FUNCTIONS[name], projected(N, layer.W_1, layer.b_1, seen))
    if layer.activation in GATED:
        z = N.multiply(z, projected(N, layer.W_3, layer.b_3, seen))
    return projected(N, layer.W_2, layer.b_2, z)


def normalised(N: Tables, T: Any, norm: Any, h: Places) -> Places:
    if norm is None:
        return h
    lanes = [list(T.lanes).index(lane) for lane in (norm.lanes or T.lanes)]
    m, eps = N.of(np.array([N.N.round(Fraction(number)) for number in (len(lanes), norm.eps)]))
    x = h[:, lanes]
    if type(norm).__name__ == "LayerNorm":
        x = N.subtract(x, N.divide(N.sum(x), m)[:, None])
    y = N.divide(x, N.each("sqrt", N.N.sqrt, N.add(N.divide(N.dot(x, x), m), eps))[:, None])
    if norm.gain is not None:
        y = N.multiply(y, N.of(norm.gain))
    if getattr(norm, "bias", None) is not None:
        y = N.add(y, N.of(norm.bias))
    result = h.copy()
    result[:, lanes] = y
    return result

"""The operations of the shared network as nodes of an ONNX graph. None stands for vectors without coordinates."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from weightsmith.arithmetic import Weights
from weightsmith.export.hugging_face.hub.steps_weightsmith import Steps
from weightsmith.export.onnx.graph import Graph, Value

# erf x = 2/√π · exp(−x²) · Σ 2ⁿ x²ⁿ⁺¹ / (2n+1)!!, where nothing cancels; beyond ±6 it is ±1 in float64, and up to
# there 130 terms are enough.
ERF_END, ERF_TERMS = 6.0, 130


@dataclass(frozen=True)
class Matrix:
    """A matrix of the model, which is stored as the product needs it: transposed, unless it is used otherwise too."""

    name: str
    array: Weights
    stored: Value | None = None  # as it is


@dataclass(frozen=True)
class Places:
    """The positions of an input, made once for the whole graph."""

    batch: Value  # (1): how many inputs there are
    length: Value  # (1): how many positions they have
    here: Value  # (positions): 0, 1, 2, …
    distance: Value  # (positions, positions): i − j
    visible: Value  # (positions, positions): whether i sees j
    before: Value | None  # (positions, positions): whether j is before i, where there are strict heads


def places(graph: Graph, tokens: Value, mask: str, strict: bool) -> Places:
    """Add the nodes of the positions and of what each sees, for an input of any length."""
    shape = graph.add("Shape", tokens)
    batch, length = (graph.add("Gather", shape, graph.whole([axis]), axis=0) for axis in (0, 1))
    count = graph.add("Squeeze", length, graph.whole([0]))
    here = graph.add("Range", graph.whole(0), count, graph.whole(1), name="positions")
    distance = graph.add("Sub", graph.add("Unsqueeze", here, graph.whole([1])), here, name="distance")
    least = graph.whole(0) if mask == "causal" else graph.add("Neg", count)
    visible = graph.add("GreaterOrEqual", distance, least, name="visible")
    before = graph.add("Greater", distance, graph.whole(0), name="before") if strict else None
    return Places(batch, length, here, distance, visible, before)


def node(operator: str, **attributes: Any) -> Callable[..., Value]:
    """Return the operation that adds a single node."""

    def add(ops: "GraphOperations", *values: Value) -> Value:
        return ops.graph.add(operator, *values, **attributes)

    return add


class GraphOperations(Steps):
    """Operations that add nodes to a graph; beyond ±limit values saturate, where there is one."""

    constant: Callable[[float], Value]

    def __init__(self, graph: Graph, limit: float | None, lanes: int) -> None:
        """Take the graph, and the number of lanes of the stream."""
        self.graph, self.infinity, self.lanes, self.constant = graph, limit, lanes, graph.number
        self._windows = dict[tuple[bool, int], Value]()  # by strictness and size: what heads with a window see

    sqrt, exp, minimum, equal, where = (node(name) for name in ("Sqrt", "Exp", "Min", "Equal", "Where"))
    embed = node("Gather", axis=0)

    def within(self, x: Value) -> Value:
        """Return values within ±∞."""
        if self.infinity is None:
            return x
        return self.graph.add("Clip", x, self.constant(-self.infinity), self.constant(self.infinity))

    def total(self, x: Value) -> Value:
        """Return the sum over the last axis, which stays with size 1."""
        return self.graph.add("ReduceSum", x, self.graph.whole([-1]), keepdims=1)

    def number(self, mask: Value, like: Value) -> Value:
        """Return 1.0 for true and 0.0 for false."""
        return self.graph.add("Cast", mask, to=self.graph.element)

    def count(self, mask: Value, like: Value) -> Value:
        """Return how many of each row are true; 1 where none is."""
        return self.graph.add("Max", self.total(self.number(mask, like)), self.constant(1))

    def running_count(self, mask: Value, backwards: bool) -> Value:
        """Return how many are true up to each place of a row, or from there on."""
        return self.graph.add("CumSum", self.number(mask, mask), self.graph.whole(-1), reverse=int(backwards))

    def largest(self, scores: Value, visible: Value) -> Value:
        """Return the largest visible score of each row; 0 where nothing is visible."""
        nothing = self.constant(-math.inf)
        largest = self.graph.add("ReduceMax", self.where(visible, scores, nothing), self.graph.whole([-1]), keepdims=1)
        return self.where(self.equal(largest, nothing), self.constant(0), largest)

    def take(self, x: Value, coordinates: Sequence[int]) -> Value:
        """Return some coordinates of vectors."""
        return self.graph.chosen(x, coordinates)

    def put_pairs(self, x: Value, heads: Any, first: Value, second: Value) -> Value:
        """Return queries or keys with new pairs."""
        turned = self.graph.add("Concat", first, second, axis=-1)
        return self.graph.replaced(x, heads.key_size, [*heads.pairs[0], *heads.pairs[1]], turned)

    def multiply(self, x: Value | None, y: Value | None) -> Value | None:
        """Return x ⊗ y."""
        return None if x is None or y is None else self.within(x * y)

    def linear(self, x: Value | None, W: Matrix, b: Value | None) -> Value | None:
        """Return W x ⊕ b for vectors x (…, columns)."""
        if x is None or not len(W.array):
            return b if len(W.array) else None
        graph = self.graph
        columns = (
            graph.weights(W.array.T, W.name) if W.stored is None else graph.add("Transpose", W.stored, perm=[1, 0])
        )
        product = self.within(graph.add("MatMul", x, columns))
        return product if b is None else self.add(product, b)

    def join(self, h: Value, added: Value | None) -> Value:
        """Return the stream with what a sublayer adds, if it adds anything."""
        return h if added is None else self.within(h + added)

    def projected(self, heads: Any, h: Value) -> tuple[Value | None, ...]:
        """Return queries, keys and values, (batch, heads, positions, size)."""
        graph, found = self.graph, []
        for W, b in ((heads.W_Q, heads.b_Q), (heads.W_K, heads.b_K), (heads.W_V, heads.b_V)):
            shape = graph.whole([0, 0, heads.heads, len(W.array) // heads.heads])
            x = self.linear(h, W, b)
            found.append(
                None if x is None else graph.add("Transpose", graph.add("Reshape", x, shape), perm=[0, 2, 1, 3])
            )
        return tuple(found)

    def attend(
        self, heads: Any, q: Value | None, k: Value | None, v: Value | None, where: Places, wanted: bool
    ) -> tuple[Value | None, Value]:
        """Attend; the scores of queries without coordinates are 0."""
        if q is None:
            size = self.graph.whole([heads.heads])
            shape = self.graph.add("Concat", where.batch, size, where.length, where.length, axis=0)
            k = self.graph.add("Expand", self.constant(0), shape)
        return super().attend(heads, q, k, v, where, wanted)

    def scores(self, q: Value | None, k: Value, offsets: Value | None, where: Places) -> Value:
        """Return ⟨q, k ⊕ a⟩, where a is what is added to a key for its distance."""
        graph = self.graph
        if q is None:
            return k
        if offsets is None:
            return self.within(graph.add("MatMul", q, graph.add("Transpose", k, perm=[0, 1, 3, 2])))
        keys = graph.add("Transpose", self._by_pair(k, offsets, where), perm=[0, 1, 2, 4, 3])
        products = graph.add("MatMul", graph.add("Unsqueeze", q, graph.whole([3])), keys)  # one query, its own keys
        return self.within(graph.add("Squeeze", products, graph.whole([3])))

    def mix(self, weights: Value, v: Value | None, offsets: Value | None, where: Places) -> Value | None:
        """Return Σ weight ⊗ (v ⊕ a), where a is what is added to a value for its distance."""
        graph = self.graph
        if v is None:
            return None
        if offsets is None:
            return self.within(graph.add("MatMul", weights, v))
        rows = graph.add("Unsqueeze", weights, graph.whole([3]))
        mixed = graph.add("MatMul", rows, self._by_pair(v, offsets, where))
        return self.within(graph.add("Squeeze", mixed, graph.whole([3])))

    def _by_pair(self, x: Value, offsets: Value, where: Places) -> Value:
        """Return keys or values with what is added for each pair, (batch, heads, positions, positions, size)."""
        most = self.graph.constants[offsets.name].shape[1] - 1
        rows = self.graph.add("Clip", where.distance, self.graph.whole(0), self.graph.whole(most))
        by_pair = self.graph.add("Gather", offsets, rows, axis=1)
        return self.within(self.graph.add("Unsqueeze", x, self.graph.whole([2])) + by_pair)

    def gather(self, mixed: list[tuple[Value | None, Matrix]], b_O: Value | None, h: Value) -> Value | None:
        """Return W_O times what each group mixed, folded in their order, plus b_O; None for nothing."""
        total: Value | None = None
        for some, W_O in mixed:
            if some is not None:
                flat = self.graph.whole([0, 0, W_O.array.shape[1]])
                joined = self.graph.add("Reshape", self.graph.add("Transpose", some, perm=[0, 2, 1, 3]), flat)
                output = self.linear(joined, W_O, None)
                total = output if total is None else self.add(total, output)
        return total if b_O is None else b_O if total is None else self.add(total, b_O)

    def at_positions(self, table: Value, where: Places, by_head: bool = False) -> Value:
        """Return the rows of a table by position: a Gather refuses positions beyond the table; a Slice would not."""
        return self.graph.add("Gather", table, where.here, axis=0)

    def by_distance(self, penalties: Value, where: Places) -> Value:
        """Return penalties (heads, positions) for all pairs of positions."""
        return self.graph.add("Gather", penalties, self.graph.add("Abs", where.distance), axis=1)

    def sight(self, where: Places, heads: Any) -> Value | None:
        """Return what each position sees.

        A strict head sees the positions before, under any mask; one with a window nothing that is so far before.
        """
        seen = where.before if heads.strict else where.visible
        if heads.window is None or seen is None:
            return seen
        kind = bool(heads.strict), int(heads.window)
        if kind not in self._windows:
            near = self.graph.add("Less", where.distance, self.graph.whole(heads.window))
            self._windows[kind] = self.graph.add("And", seen, near)
        return self._windows[kind]

    def real(self, where: Places) -> None:
        """Return None: there is no padding."""

    def beside(self, weights: list[Value], h: Value) -> Value | None:
        """Return the weights of all heads of a block, (batch, heads, positions, positions)."""
        return None if not weights else weights[0] if len(weights) == 1 else self.graph.add("Concat", *weights, axis=1)

    def no_neurons(self, h: Value) -> None:
        """Return None, the activations of a block without neurons."""

    def put(self, h: Value, lanes: Sequence[int], new: Value) -> Value:
        """Return the stream with new values in some lanes."""
        return self.graph.replaced(h, self.lanes, lanes, new)

    def activate(self, function: str, x: Value | None) -> Value | None:
        """Return relu, gelu, its approximation by tanh, or silu."""
        if x is None or function == "relu":
            return None if x is None else self.graph.add("Relu", x)
        if function == "gelu":
            erf = self._erf(x * self.constant(math.sqrt(0.5)))
            return self.graph.add("Mul", x * self.constant(0.5), erf + self.constant(1))
        steep = x
        if function == "gelu_tanh":  # x / (1 + exp(−2√(2/π)(x + 0.044715x³))), which is the usual formula with tanh
            steep = (x + x * x * (x * self.constant(0.044715))) * self.constant(2 * math.sqrt(2 / math.pi))
        return self.graph.add("Div", x, self.exp(self.graph.add("Neg", steep)) + self.constant(1))

    def _erf(self, x: Value) -> Value:
        """Return the error function: onnxruntime has it in float32 only."""
        graph = self.graph
        if graph.dtype == np.float32:
            return graph.add("Erf", x)
        x = graph.add("Clip", x, self.constant(-ERF_END), self.constant(ERF_END))
        square, n = x * x, np.arange(ERF_TERMS, dtype=np.float64)
        factors = np.cumprod(np.concatenate([[2 / math.sqrt(math.pi)], 2 / (2 * n[1:] + 1)]))
        powers = graph.add("Pow", graph.add("Unsqueeze", square, graph.whole([-1])), graph.table(n, "erf.exponents"))
        series = graph.add("MatMul", powers, graph.table(factors[:, np.newaxis], "erf.factors"))
        return x * self.exp(graph.add("Neg", square)) * graph.add("Squeeze", series, graph.whole([-1]))

"""An ONNX graph that grows node by node: values are known by their names, constants are stored once."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import onnx
from onnx import helper

from weightsmith.arithmetic import Weights
from weightsmith.errors import ExportError
from weightsmith.export.onnx.file import Dtype

Value: TypeAlias = str  # the name of a value in the graph
OPSET, IR_VERSION = 18, 8  # as old as what is used allows: every onnxruntime from 1.14 on runs it


class Graph:
    """Nodes and constants in one floating-point type; every method adds what it needs and returns the value's name."""

    def __init__(self, dtype: Dtype, limit: float | None = None) -> None:
        """Begin without nodes; beyond ±limit values saturate, where there is one."""
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        self.limit = limit
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, npt.NDArray[Any]] = {}
        self._tables: dict[tuple[str, tuple[int, ...], bytes], Value] = {}
        self._used = Counter[str]()

    @property
    def element(self) -> int:
        """ONNX's number for the floating-point type."""
        return helper.np_dtype_to_tensor_dtype(self.dtype)

    def add(self, operator: str, *inputs: Value, name: str = "", **attributes: Any) -> Value:
        """Add a node with one output; a name of its own is for values that somebody may look for."""
        output = self._fresh(name or operator.lower())
        self.nodes.append(helper.make_node(operator, list(inputs), [output], name=output, **attributes))
        return output

    def weights(self, array: Weights, name: str) -> Value:
        """Store an array of the model in the graph's floating-point type; refuse what is beyond its range."""
        with np.errstate(over="ignore"):
            stored = np.ascontiguousarray(array, self.dtype)
        if not np.isfinite(stored).all():
            raise ExportError(f"{name} holds numbers beyond the range of {self.dtype}: write dtype='float64'")
        self.constants[fresh := self._fresh(name)] = stored
        return fresh

    def table(self, array: npt.NDArray[Any], name: str) -> Value:
        """Store numbers that several parts may need; the same ones are stored once."""
        key = (array.dtype.str, array.shape, array.tobytes())
        if key not in self._tables:
            self._tables[key] = self._fresh(name)
            self.constants[self._tables[key]] = array
        return self._tables[key]

    def number(self, value: float) -> Value:
        """Store a single number."""
        return self.table(np.array(value, self.dtype), "number")

    def whole(self, values: int | Sequence[int] | npt.NDArray[np.integer]) -> Value:
        """Store whole numbers: an axis, a shape, places."""
        return self.table(np.array(values, np.int64), "whole")

    def _fresh(self, name: str) -> str:
        self._used[name] += 1
        return name if self._used[name] == 1 else f"{name}#{self._used[name]}"

    # What is made of several nodes

    def product(self, x: Value, W: Weights, b: Weights | None, part: str, which: str) -> Value:
        """Return W x ⊕ b for vectors x (…, columns). W is stored transposed, as the product needs it."""
        result = self.bounded(self.add("MatMul", x, self.weights(W.T, f"{part}.W_{which}")))
        return result if b is None else self.sum(result, self.weights(b, f"{part}.b_{which}"))

    def bounded(self, x: Value) -> Value:
        """Return values that saturate as in the arithmetic, where the graph is to do so."""
        return x if self.limit is None else self.add("Clip", x, self.number(-self.limit), self.number(self.limit))

    def sum(self, x: Value, y: Value) -> Value:
        """Return x ⊕ y."""
        return self.bounded(self.add("Add", x, y))

    def times(self, x: Value, y: Value) -> Value:
        """Return x ⊗ y."""
        return self.bounded(self.add("Mul", x, y))

    def difference(self, x: Value, y: Value) -> Value:
        """Return x ⊖ y."""
        return self.bounded(self.add("Sub", x, y))

    def quotient(self, x: Value, y: Value) -> Value:
        """Return x ⊘ y."""
        return self.bounded(self.add("Div", x, y))

    def chosen(self, x: Value, places: Sequence[int] | npt.NDArray[np.integer]) -> Value:
        """Return some coordinates of vectors x (…, coordinates)."""
        return self.add("Gather", x, self.whole(places), axis=-1)

    def replaced(self, x: Value, size: int, places: Sequence[int], new: Value) -> Value:
        """Return vectors x (…, size) with new coordinates at some places, in the order of these."""
        order = list(places) + sorted(set(range(size)) - set(places))
        if len(places) < size:
            new = self.add("Concat", new, self.chosen(x, order[len(places) :]), axis=-1)
        return new if order == sorted(order) else self.chosen(new, np.argsort(order))

    def summed(self, x: Value) -> Value:
        """Return the sum over the last axis, which stays with size 1."""
        return self.bounded(self.add("ReduceSum", x, self.whole([-1]), keepdims=1))

"""An ONNX graph that grows node by node: values are known by their names, constants are stored once."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import helper

from weightsmith.arithmetic import Weights
from weightsmith.errors import ExportError

OPSET, IR_VERSION = 18, 8  # as old as the operators allow: every onnxruntime from 1.14 on runs it


def _operator(name: str) -> Callable[["Value", "Value"], "Value"]:
    def apply(x: "Value", y: "Value") -> "Value":
        return x.graph.add(name, x, y)

    return apply


@dataclass(frozen=True)
class Value:
    """A value of a graph, by its name; operators on it add nodes."""

    graph: "Graph"
    name: str

    __add__, __sub__, __mul__, __truediv__ = (_operator(name) for name in ("Add", "Sub", "Mul", "Div"))
    __and__, __gt__ = _operator("And"), _operator("Greater")


class Graph:
    """Nodes and constants in one floating-point type; every method adds what it needs and returns the value."""

    def __init__(self, dtype: str) -> None:
        """Begin without nodes."""
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, npt.NDArray[Any]] = {}
        self._tables: dict[tuple[str, tuple[int, ...], bytes], Value] = {}
        self._used = Counter[str]()

    @property
    def element(self) -> int:
        """ONNX's number for the floating-point type."""
        return helper.np_dtype_to_tensor_dtype(self.dtype)

    def add(self, operator: str, *inputs: Value, name: str = "", **attributes: Any) -> Value:
        """Add a node with one output; a name is for values that users look for."""
        output, names = self._fresh(name or operator.lower()), [value.name for value in inputs]
        self.nodes.append(helper.make_node(operator, names, [output], name=output, **attributes))
        return Value(self, output)

    def weights(self, array: Weights, name: str) -> Value:
        """Store an array of the model in the graph's floating-point type; refuse numbers beyond its range."""
        with np.errstate(over="ignore"):
            stored = np.ascontiguousarray(array, self.dtype)
        if not np.isfinite(stored).all():
            raise ExportError(f"{name} holds numbers beyond the range of {self.dtype}: write dtype='float64'")
        self.constants[fresh := self._fresh(name)] = stored
        return Value(self, fresh)

    def table(self, array: npt.NDArray[Any], name: str) -> Value:
        """Store numbers that several parts may need; the same ones are stored once."""
        key = (array.dtype.str, array.shape, array.tobytes())
        if key not in self._tables:
            self._tables[key] = Value(self, self._fresh(name))
            self.constants[self._tables[key].name] = array
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

    def chosen(self, x: Value, coordinates: Sequence[int]) -> Value:
        """Return some coordinates of vectors x (…, coordinates)."""
        return self.add("Gather", x, self.whole(coordinates), axis=-1)

    def replaced(self, x: Value, size: int, coordinates: Sequence[int], new: Value) -> Value:
        """Return vectors x (…, size) with new values at some coordinates, in the order of these."""
        order = list(coordinates) + sorted(set(range(size)) - set(coordinates))
        if len(coordinates) < size:
            new = self.add("Concat", new, self.chosen(x, order[len(coordinates) :]), axis=-1)
        return new if order == sorted(order) else self.chosen(new, np.argsort(order).tolist())

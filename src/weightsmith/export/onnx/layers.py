"""Norms, activations and feed-forward layers as nodes of an ONNX graph."""

import math

import numpy as np

from weightsmith.export.onnx.graph import Graph, Value
from weightsmith.model import FeedForward, LayerNorm, Norm, Transformer

# erf x = 2/√π · exp(−x²) · Σ 2ⁿ x²ⁿ⁺¹ / (2n+1)!!, where nothing cancels; beyond ±6 it is ±1 in float64, and up to
# there 130 terms are enough.
ERF_END, ERF_TERMS = 6.0, 130


def add_norm(T: Transformer, graph: Graph, norm: Norm | None, h: Value, part: str) -> Value:
    """Normalise a stream; lanes outside the norm pass unchanged. The number of lanes and eps are as in a run."""
    if norm is None:
        return h
    A, lanes = T.arithmetic, list(T.lanes)
    places = list(range(len(lanes))) if norm.lanes is None else [lanes.index(lane) for lane in norm.lanes]
    count, eps = graph.number(float(A.round(len(places)))), graph.number(float(A.round(norm.eps)))
    x = h if norm.lanes is None else graph.chosen(h, places)
    if isinstance(norm, LayerNorm):
        x = graph.difference(x, graph.quotient(graph.summed(x), count))
    spread = graph.quotient(graph.summed(graph.times(x, x)), count)
    y = graph.quotient(x, graph.bounded(graph.add("Sqrt", graph.sum(spread, eps))))
    if norm.gain is not None:
        y = graph.times(y, graph.weights(norm.gain, f"{part}.gain"))
    if isinstance(norm, LayerNorm) and norm.bias is not None:
        y = graph.sum(y, graph.weights(norm.bias, f"{part}.bias"))
    return y if norm.lanes is None else graph.replaced(h, len(lanes), places, y)


def add_neurons(graph: Graph, layer: FeedForward, seen: Value, part: str) -> Value:
    """Return the activations (batch, positions, neurons): what W_2 reads."""
    z = _activated(graph, layer.function, graph.product(seen, layer.W_1, layer.b_1, part, "1"))
    if layer.W_3 is None:
        return z
    return graph.times(z, graph.product(seen, layer.W_3, layer.b_3, part, "3"))


def _activated(graph: Graph, function: str, x: Value) -> Value:
    if function == "relu":
        return graph.add("Relu", x)
    if function == "gelu":
        half = graph.add("Mul", x, graph.number(0.5))
        erf = _erf(graph, graph.add("Mul", x, graph.number(math.sqrt(0.5))))
        return graph.add("Mul", half, graph.add("Add", erf, graph.number(1.0)))
    steep = x
    if function == "gelu_tanh":  # x / (1 + exp(−2√(2/π)(x + 0.044715x³))), which is the usual formula with tanh
        cube = graph.add("Mul", graph.add("Mul", x, x), graph.add("Mul", x, graph.number(0.044715)))
        steep = graph.add("Mul", graph.add("Add", x, cube), graph.number(2 * math.sqrt(2 / math.pi)))
    shrunk = graph.add("Exp", graph.add("Neg", steep))
    return graph.add("Div", x, graph.add("Add", shrunk, graph.number(1.0)))


def _erf(graph: Graph, x: Value) -> Value:
    """Return the error function: onnxruntime has it in float32 only."""
    if graph.dtype == np.float32:
        return graph.add("Erf", x)
    x = graph.add("Clip", x, graph.number(-ERF_END), graph.number(ERF_END))
    square = graph.add("Mul", x, x)
    n = np.arange(ERF_TERMS, dtype=np.float64)
    factors = np.cumprod(np.concatenate([[2 / math.sqrt(math.pi)], 2 / (2 * n[1:] + 1)]))
    powers = graph.add("Pow", graph.add("Unsqueeze", square, graph.whole([-1])), graph.table(n, "erf.exponents"))
    series = graph.add("MatMul", powers, graph.table(factors[:, np.newaxis], "erf.factors"))
    falling = graph.add("Exp", graph.add("Neg", square))
    return graph.add("Mul", graph.add("Mul", x, falling), graph.add("Squeeze", series, graph.whole([-1])))

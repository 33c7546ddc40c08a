"""A transformer as an ONNX graph, from tokens to logits, with every value of the run as an output where wanted."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import onnx
from onnx import helper

from weightsmith._version import __version__
from weightsmith.errors import ExportError
from weightsmith.export.answers import code_places, names
from weightsmith.export.onnx.attention import Places, add_heads, places, strictly
from weightsmith.export.onnx.file import Dtype
from weightsmith.export.onnx.graph import IR_VERSION, OPSET, Graph, Value
from weightsmith.export.onnx.layers import add_neurons, add_norm
from weightsmith.kernels.blas.prepared import Heads, groups
from weightsmith.model import Attention, Block, Transformer, position_table
from weightsmith.storage import MAX_TEXT

TABLE_LENGTH = 2048  # positions that rotary positions and ALiBi have tables for, where the model has no longest input
METADATA = "weightsmith"


class Exporter:
    """Makes the graph of one transformer; `graph` and `outputs` are what is made."""

    def __init__(self, T: Transformer, dtype: Dtype, trace: bool, max_length: int | None, limit: float | None) -> None:
        """Make the whole graph."""
        self.T, self.graph, self.trace = T, Graph(dtype, limit), trace
        self.longest = T.max_length or max_length or TABLE_LENGTH
        self.outputs: list[Any] = []
        self.places: Places | None = None
        self.before: Places | None = None  # as strict heads see them
        h = self._embedded("tokens")
        for b, block in enumerate(T.blocks):
            h = self._block(block, h, f"blocks.{b}")
        self._said(h)

    def _embedded(self, tokens: Value) -> Value:
        T, graph = self.T, self.graph
        self.places = places(graph, tokens, T.mask, self.longest)
        h = graph.add("Gather", graph.weights(T.embedding, "embedding"), tokens, axis=0)
        table = position_table(T.positions, T.arithmetic, len(T.lanes))
        if table is not None:  # a Gather refuses positions that the table does not have; a Slice would not
            rows = graph.add("Gather", graph.weights(table, "position_table"), self.places.here, axis=0)
            h = graph.sum(h, rows)
        return self._stream(h, "embedding")

    def _block(self, block: Block, h: Value, part: str) -> Value:
        entry = h
        h = self._stream(self._attention(block, h, f"{part}.attention"), f"{part}.attention")
        seen = entry if block.parallel else h
        return self._stream(self._feed_forward(block, h, seen, f"{part}.feed_forward"), f"{part}.feed_forward")

    def _attention(self, block: Block, h: Value, part: str) -> Value:
        T, graph, attention = self.T, self.graph, block.attention
        if attention is None:
            return h
        before, after = self._norms(block, "attention")
        seen = add_norm(T, graph, before, h, f"{part}.norm")
        weights, added = [], []
        for heads in self._heads(attention):
            first, last = heads.first, heads.first + heads.count - 1
            own = f"{part}.heads.{first}" if first == last else f"{part}.heads.{first}-{last}"
            found, total = add_heads(T, graph, self._places(heads), heads, seen, own)
            weights.append(found)
            added += [total] if total else []
        if attention.b_O is not None:
            added.append(graph.weights(attention.b_O, f"{part}.b_O"))
        if weights and self.trace:
            self._output(weights, f"{part}.weights", ("batch", len(attention.heads), "positions", "positions"))
        return add_norm(T, graph, after, self._with(h, added), f"{part}.norm")

    def _places(self, heads: Heads) -> Places:
        """Return what heads need to know about positions, made once."""
        assert self.places is not None
        if heads.strict and self.before is None:
            self.before = strictly(self.graph, self.places)
        return self.before if heads.strict and self.before is not None else self.places

    def _heads(self, attention: Attention) -> Iterator[Heads]:
        """Yield heads of one kind together; each by itself where they saturate, for then their sum is no product."""
        if self.graph.limit is None:
            yield from groups(self.T, attention, np.dtype(np.float64), shared_once=False)
            return
        for i, head in enumerate(attention.heads):
            own = replace(head, positions=attention.positions_of(i, self.T.attention_positions))
            (alone,) = groups(self.T, Attention((own,)), np.dtype(np.float64))
            yield replace(alone, first=i)

    def _feed_forward(self, block: Block, h: Value, read: Value, part: str) -> Value:
        T, graph, layer = self.T, self.graph, block.feed_forward
        if layer is None:
            return h
        before, after = self._norms(block, "feed_forward")
        added = []
        if len(layer.W_1):
            neurons = add_neurons(graph, layer, add_norm(T, graph, before, read, f"{part}.norm"), part)
            if self.trace:
                self._output([neurons], f"{part}.neurons", ("batch", "positions", len(layer.W_1)))
            added.append(graph.product(neurons, layer.W_2, None, part, "2"))
        added.append(graph.weights(layer.b_2, f"{part}.b_2"))
        return add_norm(T, graph, after, self._with(h, added), f"{part}.norm")

    def _norms(self, block: Block, sublayer: str) -> tuple[Any, Any]:
        """Return the norm before and the norm after a sublayer."""
        norm = getattr(block, f"{sublayer}_norm")
        return (norm, None) if block.norm_placement == "pre" else (None, norm)

    def _with(self, h: Value, added: Sequence[Value]) -> Value:
        """Add up what a sublayer gives, then add that to the stream."""
        if not added:
            return h
        total = added[0]
        for more in added[1:]:
            total = self.graph.sum(total, more)
        return self.graph.sum(h, total)

    def _said(self, h: Value) -> None:
        T, graph = self.T, self.graph
        last, codes = add_norm(T, graph, T.final_norm, h, "final_norm"), code_places(T)
        if codes is not None:
            self._output([graph.chosen(last, codes)], said_as(T), ("batch", "positions", len(codes)))
            return
        rows = "embedding" if T.tied else graph.weights(T.output, "output")
        logits = graph.bounded(graph.add("MatMul", last, graph.add("Transpose", rows, perm=[1, 0])))
        if T.output_bias is not None:
            logits = graph.sum(logits, graph.weights(T.output_bias, "output_bias"))
        self._output([logits], said_as(T), ("batch", "positions", len(T.classes)))

    def _stream(self, h: Value, part: str) -> Value:
        if self.trace:
            self._output([h], f"{part}.stream", ("batch", "positions", len(self.T.lanes)))
        return h

    def _output(self, values: list[Value], name: str, shape: tuple[str | int, ...]) -> None:
        """Let values, side by side, be an output of this name."""
        made = (
            self.graph.add("Identity", values[0], name=name)
            if len(values) == 1
            else self.graph.add("Concat", *values, name=name, axis=1)
        )
        assert made == name
        self.outputs.append(helper.make_tensor_value_info(name, self.graph.element, shape))

    def model(self, initializers: Sequence[onnx.TensorProto], difference: str | None = None) -> onnx.ModelProto:
        """Return the graph as a model, given its constants as tensors; what it says is the first output.

        A sentence on what it says otherwise than the original goes into the metadata.
        """
        tokens = helper.make_tensor_value_info("tokens", onnx.TensorProto.INT64, ("batch", "positions"))
        outputs = [self.outputs[-1], *self.outputs[:-1]]
        graph = helper.make_graph(self.graph.nodes, "transformer", [tokens], outputs, list(initializers))
        model = helper.make_model(
            graph,
            opset_imports=[helper.make_opsetid("", OPSET)],
            ir_version=IR_VERSION,
            producer_name=METADATA,
            producer_version=__version__,
        )
        helper.set_model_props(model, {METADATA: _metadata(self.T, self.longest, self.graph.limit, difference)})
        return model


def said_as(T: Transformer) -> str:
    """Return the name of the output that a model is for."""
    return "logits" if T.readout is None else "codes"


def _metadata(T: Transformer, longest: int, limit: float | None, difference: str | None) -> str:
    """Return what the graph does not say: names, what codes stand for, and where the model comes from."""
    text = json.dumps(
        {
            "arithmetic": str(T.arithmetic),
            **names(T, difference),
            "mask": T.mask,
            "max_length": T.max_length,
            "table_length": longest,
            "saturates_at": limit,
            "origins": [block.origin for block in T.blocks],
            "provenance": list(T.provenance),
        }
    )
    if len(text) > MAX_TEXT:
        raise ExportError(f"the names of tokens, classes, lanes and values take {len(text):,} letters: shorten them")
    return text

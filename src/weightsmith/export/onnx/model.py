"""A transformer as an ONNX graph, from tokens to logits, with every value of the run as an output where wanted."""

import json
from collections.abc import Sequence
from typing import Any

import onnx
from onnx import helper

from weightsmith._version import __version__
from weightsmith.errors import ExportError
from weightsmith.export.chains.card import names_of
from weightsmith.export.description import LAYER, TABLE_LENGTH, Description, description, group_arrays
from weightsmith.export.hugging_face.hub.steps_weightsmith import (
    BlockSteps,
    FeedForwardSteps,
    HeadSteps,
    NetworkSteps,
    NormSteps,
    Passed,
    attention,
)
from weightsmith.export.onnx.graph import IR_VERSION, OPSET, Graph, Value
from weightsmith.export.onnx.operations import GraphOperations, Matrix, Places, places
from weightsmith.export.outputs import width
from weightsmith.model import Chain, FeedForward, Norm, Transformer, position_table
from weightsmith.model.head_groups import BIASES, MATRICES, HeadGroup, apart, head_groups
from weightsmith.storage import MAX_TEXT

METADATA = "weightsmith"


class Part:
    """A part of the network whose weights are constants of a graph."""

    def __init__(self, **attributes: Any) -> None:
        """Take the attributes that the steps of the part read."""
        vars(self).update(attributes)

    def __call__(self, *given: Any) -> Any:
        """Add the nodes of the part."""
        return self.forward(*given)  # type: ignore[attr-defined]


class NormPart(NormSteps, Part):
    """A norm."""


class HeadsPart(HeadSteps, Part):
    """Heads of one kind."""


class FeedForwardPart(FeedForwardSteps, Part):
    """A feed-forward layer."""


class BlockPart(BlockSteps, Part):
    """A block."""

    groups: list[HeadsPart]
    b_O: Value | None

    def attention_steps(self, h: Value, ops: GraphOperations, where: Places, passed: Passed | None) -> Any:
        """Return what attention adds to the stream."""
        return attention(self.groups, self.b_O, h, ops, where, passed)


class Exporter(NetworkSteps):
    """Makes the graph of one transformer; `graph` and `outputs` are the results."""

    def __init__(self, T: Transformer, dtype: str, trace: bool, max_length: int | None, limit: float | None) -> None:
        """Make the whole graph."""
        self.T, self.graph, self.limit, self.trace = T, Graph(dtype), limit, trace
        self.longest = T.max_length or max_length or TABLE_LENGTH
        self.outputs: list[Any] = []
        self.chain: Chain | None = None
        # Heads that saturate stand each by itself, for then their sum is no product
        self.split = None if limit is None else apart
        described = description(T, saturate=limit is not None, split=self.split)
        self.embedding = self.graph.weights(T.embedding, "embedding")
        self.blocks = [self._block(b, part) for b, part in enumerate(described["blocks"])]
        self.final_norm = self._norm(described["final_norm"], T.final_norm, "final_norm")
        self.codes = described.get("codes")
        strict = any(group.get("strict") for part in described["blocks"] for group in part["groups"])
        tokens, passed = Value(self.graph, "tokens"), Passed([], [], [])
        ops = GraphOperations(self.graph, limit, len(T.lanes))
        h = self.streamed(tokens, ops, places(self.graph, tokens, T.mask, strict), passed if trace else None)
        self._trace(passed)
        self._output(self.answered(h, ops), answer_name(T), ("batch", "positions", width(T)))

    def token_table(self) -> Value:
        """Return the embedding, (vocabulary, lanes)."""
        return self.embedding

    def position_table(self) -> Value | None:
        """Return the vectors that are added to the embedding, by position."""
        table = position_table(self.T.positions, self.T.arithmetic, len(self.T.lanes))
        return None if table is None else self.graph.weights(table, "position_table")

    def output_table(self) -> tuple[Matrix, Value | None]:
        """Return the rows of the output, (classes, lanes), and its bias."""
        T, bias = self.T, self.T.output_bias
        rows = self.embedding if T.tied else self.graph.weights(T.output, "output")
        return Matrix("output", T.output, rows), None if bias is None else self.graph.weights(bias, "output_bias")

    def _block(self, b: int, part: Description) -> BlockPart:
        block, name = self.T.blocks[b], f"blocks.{b}"
        b_O = None if block.attention is None else block.attention.b_O
        groups = zip(head_groups(self.T, block.attention, self.split), part["groups"], strict=True)
        return BlockPart(
            before=part["norm_placement"] == "pre",
            parallel=part["parallel"],
            attends=part["attention"],
            groups=[self._heads(group, own, f"{name}.attention.heads.{group.name}") for group, own in groups],
            b_O=None if b_O is None else self.graph.weights(b_O, f"{name}.attention.b_O"),
            feed_forward=self._feed_forward(block.feed_forward, f"{name}.feed_forward"),
            attention_norm=self._norm(part["attention_norm"], block.attention_norm, f"{name}.attention.norm"),
            feed_forward_norm=self._norm(
                part["feed_forward_norm"], block.feed_forward_norm, f"{name}.feed_forward.norm"
            ),
        )

    def _heads(self, group: HeadGroup, part: Description, name: str) -> HeadsPart:
        """Store the weights of heads, and the tables of their positions; equal tables are stored once."""
        arrays, graph = group_arrays(self.T, group, self.longest), self.graph
        parts: dict[str, Any] = dict.fromkeys((*BIASES, "key_offsets", "value_offsets", "penalties"))
        parts |= {key: Matrix(f"{name}.{key}", arrays[key]) for key in MATRICES}
        parts |= {
            key: graph.weights(arrays[key], f"{name}.{key}") for key in arrays if key in parts and key not in MATRICES
        }
        for key, called in (("rotation_cos", "cosines"), ("rotation_sin", "sines")):
            table = arrays.get(key)
            parts[key] = None if table is None else graph.table(table.astype(graph.dtype), f"{name}.{called}")
        same = {key: part[key] for key in ("heads", "key_size", "weighting")}
        return HeadsPart(
            **parts, **same, strict=part.get("strict", False), window=part.get("window"), pairs=part["rotation"]
        )

    def _feed_forward(self, layer: FeedForward | None, name: str) -> FeedForwardPart | None:
        if layer is None:
            return None
        parts: dict[str, Any] = dict.fromkeys(LAYER)
        for key in LAYER:
            array = getattr(layer, key)
            if array is not None and key[0] == "W":
                parts[key] = Matrix(f"{name}.{key}", array)
            elif array is not None and array.size:
                parts[key] = self.graph.weights(array, f"{name}.{key}")
        return FeedForwardPart(function=layer.function, **parts)

    def _norm(self, part: Description | None, norm: Norm | None, name: str) -> NormPart | None:
        if part is None or norm is None:
            return None
        arrays = {key: getattr(norm, key, None) for key in ("gain", "bias")}
        parts = {
            key: None if array is None else self.graph.weights(array, f"{name}.{key}") for key, array in arrays.items()
        }
        same = {key: part[key] for key in ("eps", "count", "lanes")}
        return NormPart(centred=part["kind"] == "layer", **same, **parts)

    def _trace(self, passed: Passed) -> None:
        """Make every value of the run an output."""
        every = [f"blocks.{b}.{part}" for b in range(len(self.blocks)) for part in ("attention", "feed_forward")]
        for name, h in zip(("embedding", *every), passed.stream, strict=False):
            self._output(h, f"{name}.stream", ("batch", "positions", len(self.T.lanes)))
        for b, (weights, neurons) in enumerate(zip(passed.attention, passed.activations, strict=True)):
            block = self.T.blocks[b]
            if weights is not None and block.attention is not None:
                heads = len(block.attention.heads)
                self._output(weights, f"blocks.{b}.attention.weights", ("batch", heads, "positions", "positions"))
            if neurons is not None and block.feed_forward is not None:
                count = len(block.feed_forward.W_1)
                self._output(neurons, f"blocks.{b}.feed_forward.neurons", ("batch", "positions", count))

    def _output(self, value: Value, name: str, shape: tuple[str | int, ...]) -> None:
        """Make a value an output of this name."""
        self.graph.add("Identity", value, name=name)
        self.outputs.append(helper.make_tensor_value_info(name, self.graph.element, shape))

    def model(self, initializers: Sequence[onnx.TensorProto], difference: str | None = None) -> onnx.ModelProto:
        """Return the graph as a model, with its constants as tensors; the answer is the first output.

        A sentence on a difference from the original goes into the metadata.
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
        helper.set_model_props(model, {METADATA: _metadata(self.T, self.chain, self.longest, self.limit, difference)})
        return model


def answer_name(T: Transformer) -> str:
    """Return the name of the output that holds the answer."""
    return "logits" if T.readout is None else "codes"


def _metadata(T: Transformer, chain: Chain | None, longest: int, limit: float | None, difference: str | None) -> str:
    """Return the metadata: names, the values of codes, and the provenance of the model."""
    text = json.dumps(
        {
            "arithmetic": str(T.arithmetic),
            **names_of(T if chain is None else chain, difference),
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

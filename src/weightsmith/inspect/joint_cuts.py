"""Many edges cut at once, over all readers; or fed with what their sources wrote in another run.

Every reader sees a stream of its own: the same sum, in the same order, in which the sources of its cut edges wrote 0 or
a value that is given. All other sources wrote what they write in the changed run, in which the cuts before them count.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.errors import InputError, brief
from weightsmith.inspect.components import Edge, Input, Node, read_at
from weightsmith.inspect.cuts import Cutting
from weightsmith.inspect.output import read_numbers
from weightsmith.model import position_table
from weightsmith.model.positions import NO_POSITIONS
from weightsmith.semantics.attention import run_head
from weightsmith.semantics.evaluation import AnswerIds

Outputs = Mapping[Node, Array]  # what each component writes to the stream, (inputs, positions, lanes), encoded
Reader = tuple[Node, Input]


class JointCutting(Cutting):
    """Some inputs of one length through a transformer, and again with any set of edges cut or fed."""

    def cut_all(self, cuts: Iterable[Edge]) -> AnswerIds:
        """Return the answers, (inputs, positions), with edges to any readers cut at once."""
        return self._answers(self.last_stage(cuts))

    def numbers(self, cuts: Iterable[Edge] = (), values: Outputs | None = None) -> Array:
        """Return the logits or codes at every position, with the sources of edges replaced for their readers only."""
        return read_numbers(self.T, self.last_stage(cuts, values), "left")

    def last_stage(self, cuts: Iterable[Edge], values: Outputs | None = None) -> Array:
        """Return the last stage of the stream, as the output reads it; a source without a value writes 0."""
        by_reader = defaultdict[Reader, set[Node]](set)
        for edge in cuts:
            by_reader[edge.target, edge.input].add(edge.source)
        with np.errstate(all="ignore"):
            return _Changed(self, by_reader, values or {}).last()

    def outputs(self) -> dict[Node, Array]:
        """Return what each component writes in the run without cuts."""
        with np.errstate(all="ignore"):
            changed = _Changed(self, {}, {})
            changed.upto(len(self.T.blocks))
            return changed.outputs


class _Changed:
    """One changed run: the outputs of the components so far, and the streams that are made of them."""

    def __init__(self, run: Cutting, cuts: Mapping[Reader, set[Node]], values: Outputs) -> None:
        self.run, self.T, self.engine, self.A = run, run.T, run.engine, run.engine.A
        self.cuts, self.values = cuts, values
        self.streams = dict[tuple[frozenset[Node], int], Array]()
        embedded = self.A.encoded(self.T.embedding[run.ids])
        self.outputs: dict[Node, Array] = {Node("embed"): embedded}
        table = position_table(self.T.positions, self.T.arithmetic, len(self.T.lanes), run.ids.shape[-1])
        if table is not None:
            self.outputs[Node("pos_embed")] = np.broadcast_to(self.A.encoded(table), embedded.shape)
        self.zero = np.zeros_like(embedded)
        unknown = [node for node in values if values[node].shape != embedded.shape]
        if unknown:
            raise InputError(
                f"the value of {brief(str(unknown[0]))} has shape {values[unknown[0]].shape}: write one of shape "
                f"{embedded.shape}"
            )

    def last(self) -> Array:
        first = min((node.block for node, _ in self.cuts if node.kind != "unembed"), default=len(self.T.blocks))
        self.upto(first)
        for b in range(first, len(self.T.blocks)):
            self._block(b)
        return self._seen(Node("unembed"), "in")

    def upto(self, block: int) -> None:
        """Take the outputs of the components before a block from the run without cuts."""
        for b in range(block):
            for i, head in enumerate(self.run.found.heads[b]):
                self.outputs[Node("head", b, i)] = head.output
            if self.T.blocks[b].feed_forward is not None:
                activations = self.run.found.activations[b]
                self.outputs[Node("mlp", b)] = self.engine.feed_forward_output(b, activations)

    def _block(self, b: int) -> None:
        """Compute the outputs of a block's components, each from the stream that it sees."""
        block = self.T.blocks[b]
        for i in range(len(block.attention.heads) if block.attention is not None else 0):
            self.outputs[Node("head", b, i)] = self._head(Node("head", b, i))
        if block.feed_forward is not None:
            activations = self.engine.activations(b, self._seen(Node("mlp", b), "in"))
            self.outputs[Node("mlp", b)] = self.engine.feed_forward_output(b, activations)

    def _head(self, node: Node) -> Array:
        T, b = self.T, node.block
        attention = T.blocks[b].attention
        assert attention is not None
        scheme = attention.positions_of(node.index, T.attention_positions) or NO_POSITIONS
        h = self.engine.before_attention(b, self._stream(frozenset(), 2 * b))
        names: tuple[Input, ...] = ("q", "k", "v")
        reads: dict[str, Array] = {
            name: self.engine.before_attention(b, self._seen(node, name)) for name in names if (node, name) in self.cuts
        }
        name = f"block {b}, head {node.index}"
        return run_head(T, attention.heads[node.index], scheme, h, None, name, reads).output

    def _seen(self, node: Node, name: Input) -> Array:
        """Return the stream that an input of a component reads."""
        return self._stream(frozenset(self.cuts.get((node, name), ())), read_at(self.T, node))

    def _stream(self, cut: frozenset[Node], stage: int) -> Array:
        """Return the stream at a stage with some components' outputs replaced; kept, as others may read the same."""
        if (cut, stage) not in self.streams:
            self.streams[cut, stage] = self._folded(cut, stage)
        return self.streams[cut, stage]

    def _folded(self, cut: frozenset[Node], stage: int) -> Array:
        def written(node: Node) -> Array:
            return self.values.get(node, self.zero) if node in cut else self.outputs[node]

        if stage == 0:
            h = written(Node("embed"))
            return self.A.add(h, written(Node("pos_embed"))) if Node("pos_embed") in self.outputs else h
        before, (b, attention) = self._stream(cut, stage - 1), ((stage - 1) // 2, stage % 2 == 1)
        block = self.T.blocks[b]
        if attention:
            heads = len(block.attention.heads) if block.attention is not None else 0
            if block.attention is None:
                return before
            return self.engine.add_heads(b, before, [written(Node("head", b, i)) for i in range(heads)])
        return before if block.feed_forward is None else self.engine.add_output(b, before, written(Node("mlp", b)))

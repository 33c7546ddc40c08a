"""Cut edges: runs in which one component does not see what another wrote.

To cut an edge means that the reader, and no other, sees the stream without the writer: the same sum, in the same order,
with 0 in the place of what that wrote. Everything behind the reader is then computed again.
"""

from collections.abc import Sequence

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.errors import InputError, brief
from weightsmith.inspect.components import Edge, Input, Node, read_at
from weightsmith.inspect.output import answers_of, read_numbers
from weightsmith.model import Transformer, position_table
from weightsmith.model.positions import NO_POSITIONS
from weightsmith.model.sites import Site, attention_stage
from weightsmith.semantics.attention import run_head
from weightsmith.semantics.evaluation import AnswerIds, Ids
from weightsmith.semantics.reference import Reference


class Cutting:
    """Some inputs of one length through a transformer, and again with edges cut."""

    def __init__(self, T: Transformer, ids: Ids) -> None:
        """Run the inputs, (inputs, positions), as they are."""
        self.T, self.engine, self.ids = T, Reference(T), ids
        self.found = self.engine.evaluate(ids)
        self.answers = self._answers(self.found.stream[-1])
        self._last: tuple[tuple[Node, int], Array] | None = None  # activations that were computed last, with their key

    def without(self, source: Node, stage: int) -> Array:
        """Return the stream at a stage as if a component had written 0, and all others what they wrote."""
        T, A = self.T, self.engine.A
        with np.errstate(all="ignore"):
            if source.kind in ("embed", "pos_embed"):
                h, first = self._start(source), 0
            else:
                first = source.block
                h = self.found.stream[2 * first]
            for b in range(first, len(T.blocks)):
                block = T.blocks[b]
                if stage == 2 * b:
                    break
                if block.attention is not None:
                    outputs = [head.output for head in self.found.heads[b]]
                    if source.kind == "head" and source.block == b:
                        outputs[source.index] = np.zeros_like(outputs[source.index])
                    h = self.engine.add_heads(b, h, outputs)
                if stage == attention_stage(b):
                    break
                if block.feed_forward is None:
                    continue
                if source == Node("mlp", b):
                    h = self.engine.add_output(b, h, np.zeros_like(h))
                    continue
                activations = self.found.activations[b]
                if source.kind == "neuron" and source.block == b:
                    activations = activations.copy()
                    activations[..., source.index] = 0.0
                h = self.engine.add_neurons(b, h, activations)
            return A.encoded(h)

    def _start(self, source: Node) -> Array:
        """Return the first stage without the embedding, or without the positions."""
        T, A = self.T, self.engine.A
        h = A.encoded(T.embedding[self.ids])
        table = position_table(T.positions, T.arithmetic, len(T.lanes), self.ids.shape[-1])
        if source.kind == "pos_embed":
            return h
        return np.zeros_like(h) if table is None else A.add(np.zeros_like(h), table)

    def cut(self, cuts: Sequence[Edge]) -> AnswerIds:
        """Return the answers, (inputs, positions), with edges to one reader cut, one for each of its inputs."""
        if len({edge.target for edge in cuts}) != 1 or len({edge.input for edge in cuts}) != len(cuts):
            raise InputError(
                f"cuts={brief([str(edge) for edge in cuts])}: write edges that lead to one component, at most one to "
                f"each of its inputs"
            )
        target = cuts[0].target
        sources = {edge.input: edge.source for edge in cuts}
        if target.kind == "unembed":
            return self._answers(self.without(sources["in"], read_at(self.T, target)))
        if target.kind == "head":
            reads = {name: self.without(source, read_at(self.T, target)) for name, source in sources.items()}
            old = self.found.heads[target.block][target.index].output
            return self._onward(Site("head", target.block, target.index), old, self._head(target, reads))
        old, new = self.found.activations[target.block], self._activations(sources["in"], target.block)
        if target.kind == "neuron":
            all_new, new = new, old.copy()
            new[..., target.index] = all_new[..., target.index]
        return self._onward(Site("activations", target.block), old, new)

    def _activations(self, source: Node, block: int) -> Array:
        """Return the activations of a layer without a source; those of the last call are kept, for other neurons."""
        if self._last is None or self._last[0] != (source, block):
            seen = self.without(source, read_at(self.T, Node("mlp", block)))
            self._last = ((source, block), self.engine.activations(block, seen))
        return self._last[1]

    def _onward(self, site: Site, old: Array, new: Array) -> AnswerIds:
        """Return the answers with new values at a site; inputs of which none differs keep theirs."""
        assert site.block is not None
        rows = np.flatnonzero((new != old).any(axis=(1, 2)))
        answers = self.answers.copy()
        if len(rows):
            stages = 2 * site.block + (2 if site.kind == "activations" else 1)
            stream, some = [h[rows] for h in self.found.stream[:stages]], new[rows]
            after = self.engine.onward(stream, change=lambda at, values: some if at == site else values)
            answers[rows] = self._answers(after.stream[-1])
        return answers

    def _head(self, node: Node, reads: dict[Input, Array]) -> Array:
        """Return the output of a head whose queries, keys or values read another stream."""
        T, b = self.T, node.block
        attention = T.blocks[b].attention
        assert attention is not None
        scheme = attention.positions_of(node.index, T.attention_positions) or NO_POSITIONS
        normed: dict[str, Array] = {name: self.engine.before_attention(b, h) for name, h in reads.items()}
        h = self.engine.before_attention(b, self.found.stream[2 * b])
        with np.errstate(all="ignore"):
            return run_head(
                T, attention.heads[node.index], scheme, h, None, f"block {b}, head {node.index}", normed
            ).output

    def _answers(self, last: Array) -> AnswerIds:
        """Return the answers at each position of the last stage."""
        return answers_of(self.T, read_numbers(self.T, last, "left"))

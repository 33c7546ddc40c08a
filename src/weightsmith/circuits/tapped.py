"""A run in PyTorch in which every component reads its own copy of the stream, so that each copy has its own gradient.

A head has three copies, for queries, keys and values. A copy is taken before the norm of the sublayer, as by
TransformerLens's `hook_q_input` and `hook_mlp_in`. This module loads PyTorch.
"""

from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

import torch
from torch import Tensor

from weightsmith.export.hugging_face.hub.network_weightsmith import Places, places
from weightsmith.export.hugging_face.hub.steps_weightsmith import Passed
from weightsmith.export.pytorch import made
from weightsmith.export.pytorch.module import Block, Heads
from weightsmith.inspect.components import Input, Node
from weightsmith.model import Transformer

Start: TypeAlias = dict[Node, Tensor]  # what the embedding and the positions write, (inputs, positions, lanes)
EMBED, POSITIONS, OUTPUT = Node("embed"), Node("pos_embed"), Node("unembed")


@dataclass
class TappedRun:
    """The values of a run; all are part of one graph, so that gradients at any of them can be asked for."""

    outputs: dict[Node, Tensor] = field(default_factory=dict)  # what each component writes, (inputs, positions, lanes)
    copies: dict[tuple[Node, Input], Tensor] = field(default_factory=dict)  # read by (block, first head): one per head
    projected: dict[tuple[Node, Input], Tensor] = field(default_factory=dict)  # (inputs, heads, positions, size)
    neurons: dict[Node, Tensor] = field(default_factory=dict)  # activations, (inputs, positions, neurons)
    numbers: Any = None  # logits, or codes of a readout: (inputs, positions, …)


class Tapped:
    """A transformer as a module with taps, in float64."""

    def __init__(self, T: Transformer) -> None:
        """Make the module; its weights are no parameters here."""
        self.T = T
        self.module = made(T, dtype="float64").requires_grad_(False)
        self.ops = self.module.operations
        self.blocks = [cast(Block, block) for block in self.module.blocks]
        self.spreads = any(not block.before and _normed(block) for block in self.blocks)
        self.ended = False  # whether a sum in the stream of some run came to ±∞

    def start(self, ids: Tensor) -> Start:
        """Return what the embedding and the positions write."""
        h = self.ops.embed(self.module.token_table(), ids)
        table = self.module.position_table()
        found = {EMBED: h}
        if table is not None:
            found[POSITIONS] = self.ops.at_positions(table, self._places(ids)).expand(h.shape).clone()
        return found

    def _places(self, ids: Tensor) -> Places:
        return places(ids, None, self.module.causal)

    def run(self, ids: Tensor, start: Start | None = None) -> TappedRun:
        """Run inputs (inputs, positions), perhaps from other values of the embedding and the positions."""
        where, found = self._places(ids), TappedRun()
        found.outputs = {node: h.detach().requires_grad_() for node, h in (start or self.start(ids)).items()}
        h = self._begin(found.outputs)
        for b, block in enumerate(self.blocks):
            entry = h
            if block.attention is not None:
                h = self._join(block, "attention_norm", h, self._attention(b, block, h, where, found))
            if block.feed_forward is not None:
                node, passed = Node("mlp", b), Passed([], [], [])
                copy = found.copies[node, "in"] = (entry if block.parallel else h).clone()
                read = self.ops.normalised(block.feed_forward_norm, copy) if block.before else copy
                found.outputs[node] = block.feed_forward(read, self.ops, passed)
                found.neurons[node] = passed.activations[0]
                h = self._join(block, "feed_forward_norm", h, found.outputs[node])
        found.copies[OUTPUT, "in"] = h.clone()
        found.numbers = self.module.answered(found.copies[OUTPUT, "in"], self.ops)
        return found

    def streams(self, outputs: dict[Node, Tensor]) -> list[Tensor]:
        """Return the stream at every stage, from what the components write; nothing is computed again."""
        found = [self._begin(outputs)]
        for b, block in enumerate(self.blocks):
            h = found[-1]
            if block.attention is not None:
                own = [each for node, each in outputs.items() if node.kind == "head" and node.block == b]
                h = self._join(block, "attention_norm", h, self._total(block, own, h))
            found.append(h)
            if block.feed_forward is not None:
                h = self._join(block, "feed_forward_norm", h, outputs[Node("mlp", b)])
            found.append(h)
        return found

    def _begin(self, outputs: dict[Node, Tensor]) -> Tensor:
        h = outputs[EMBED]
        return self._added(h, outputs[POSITIONS]) if POSITIONS in outputs else h.clone()

    def _join(self, block: Block, norm: str, h: Tensor, added: Tensor) -> Tensor:
        joined = self._added(h, added)
        return cast(Tensor, joined if block.before else self.ops.normalised(getattr(block, norm), joined))

    def _attention(self, b: int, block: Block, h: Tensor, where: Places, found: TappedRun) -> Tensor:
        """Return what attention adds to the stream; note what each head reads and writes."""
        assert block.attention is not None
        own: list[Tensor] = []
        for heads in (cast(Heads, each) for each in block.attention.heads.values()):
            node = Node("head", b, heads.first)
            q, k, v = (self._projected(block, heads, name, h, node, found) for name in ("q", "k", "v"))
            q, k = (self.ops.rotated(heads, each, where) for each in (q, k))
            mixed, _ = self.ops.attend(heads, q, k, v, where, True)
            W_O = heads.W_O.reshape(len(heads.W_O), heads.heads, -1).permute(1, 2, 0)
            for i, each in enumerate(self.ops.within(mixed @ W_O).unbind(1)):
                found.outputs[Node("head", b, heads.first + i)] = each
                own.append(each)
        return self._total(block, own, h)

    def _projected(self, block: Block, heads: Heads, name: str, h: Tensor, node: Node, found: TappedRun) -> Tensor:
        """Return the queries, keys or values of some heads, each from its own copy of the stream."""
        key = (node, cast(Input, name))
        copy = found.copies[key] = h.unsqueeze(1).expand(-1, heads.heads, -1, -1).clone()
        read = self.ops.normalised(block.attention_norm, copy) if block.before else copy
        W, bias = getattr(heads, f"W_{name.upper()}"), getattr(heads, f"b_{name.upper()}")
        x = self.ops.within(read @ W.reshape(heads.heads, -1, W.shape[1]).transpose(1, 2))
        if bias is not None:
            x = self.ops.add(x, bias.reshape(heads.heads, 1, -1))
        found.projected[key] = x
        return x

    def _total(self, block: Block, own: list[Tensor], h: Tensor) -> Tensor:
        """Return the sum of what heads write, in their order, and b_O."""
        total = torch.zeros_like(h)
        for each in own:
            total = self._added(total, each)
        b_O = None if block.attention is None else block.attention.b_O
        return total if b_O is None else self._added(total, b_O)

    def _added(self, x: Tensor, y: Tensor) -> Tensor:
        found: Tensor = self.ops.add(x, y)
        infinity = self.ops.infinity
        self.ended = self.ended or (infinity is not None and bool((found.detach().abs() >= infinity).any()))
        return found


def _normed(block: Block) -> bool:
    return block.attention_norm is not None or block.feed_forward_norm is not None

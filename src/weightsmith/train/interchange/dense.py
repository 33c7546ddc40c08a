"""The dense transformer that is trained: what its heads mix and its neurons compute can be kept and replaced."""

from collections.abc import Mapping
from typing import cast

import torch
from torch import Tensor
from torch.nn import functional

from weightsmith.export.hugging_face.hub.network_weightsmith import Places, places
from weightsmith.inspect.components import Node
from weightsmith.train.module import Attention, Learning, Model
from weightsmith.train.settings import Shape

Put = Mapping[tuple[str, int], tuple[Tensor, Tensor]]  # by kind and block: new values, and which of them are put in


class Interchanging(Learning):
    """The operations of training, which keep what the parts of each block compute, or put other values there."""

    causal: bool
    kept: dict[tuple[str, int], Tensor]
    given: Put

    def __init__(self, causal: bool) -> None:
        """Take whether a position sees no later one."""
        super().__init__()
        self.causal = causal
        self.begin({})

    def begin(self, put: Put) -> None:
        """Begin a run, with values to put in."""
        self.kept, self.given, self._block = {}, put, 0

    def attend(
        self, heads: Attention, q: Tensor, k: Tensor, v: Tensor, where: Places, wanted: bool
    ) -> tuple[Tensor, Tensor | None]:
        """Attend, to all positions if the model is not causal."""
        if self.causal:
            return super().attend(heads, q, k, v, where, wanted)
        return functional.scaled_dot_product_attention(q, k, v), None

    def gather(self, mixed: list[tuple[Tensor, Tensor]], b_O: Tensor | None, h: Tensor) -> Tensor:
        """Return W_O times what each head mixed; that it comes from another input changes what the head writes."""
        ((own, W_O),) = mixed
        return super().gather([(self._at("head", own), W_O)], b_O, h)

    def activate(self, name: str, x: Tensor) -> Tensor:
        """Return the activations of the neurons."""
        z = self._at("mlp", super().activate(name, x))
        self._block += 1
        return z

    def _at(self, kind: str, values: Tensor) -> Tensor:
        place = (kind, self._block)
        if place in self.given:
            new, which = self.given[place]
            values = torch.where(which, new, values)
        self.kept[place] = values
        return values


class Dense(Model):
    """A transformer whose parts can be interchanged between inputs."""

    def __init__(self, shape: Shape, vocabulary: int, classes: int, causal: bool) -> None:
        """Make the parts, with small random weights."""
        super().__init__(shape, vocabulary, classes)
        self.operations = Interchanging(causal)

    def interchanged(self, ids: Tensor, put: Put) -> tuple[Tensor, Mapping[tuple[str, int], Tensor]]:
        """Return the logits at every position with some values put in, and the values of the parts."""
        ops = cast(Interchanging, self.operations)
        ops.begin(put)
        h = self.streamed(ids, ops, places(ids, None, ops.causal), None)
        logits, kept = cast(Tensor, self.answered(h, ops)), ops.kept
        ops.begin({})
        return logits, kept

    def forward(self, ids: Tensor) -> Tensor:
        """Return the logits at every position."""
        return self.interchanged(ids, {})[0]

    def putting(self, kept: Mapping[tuple[str, int], Tensor], nodes: list[Node], which: Tensor, length: int) -> Put:
        """Return what is put into the runs of bases: of each row r, node number which[r], from its source.

        A row with the number −1 stays as it is.
        """
        put: dict[tuple[str, int], tuple[Tensor, Tensor]] = {}
        for n, node in enumerate(nodes):
            rows = which == n
            if not rows.any():
                continue
            place = (node.kind, node.block)
            values = kept[place]
            mask = rows[:, None, None]
            if node.kind == "head":
                mask = rows[:, None, None, None] & (torch.arange(values.shape[1]) == node.index)[:, None, None]
            if place in put:
                mask = mask | put[place][1]
            put[place] = values[..., :length, :], mask
        return put


def new_dense(shape: Shape, vocabulary: int, classes: int, causal: bool, seed: int) -> Dense:
    """Return the module that training begins with; the same seed gives the same one."""
    torch.manual_seed(seed)
    return Dense(shape, vocabulary, classes, causal)

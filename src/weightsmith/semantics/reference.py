"""The forward pass, step by step, written to be read beside the paper: embedding, attention, feed-forward, output.

`Reference` defines each bit of a run: every value is a member of the arithmetic, every sum a left fold in index order.
A faster engine is a subclass that has another `Core`, the object whose operations the steps use.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import AT_ONCE, Array, Core
from weightsmith.model import Attention, Block, Norm, Transformer, position_table
from weightsmith.model.positions import NO_POSITIONS
from weightsmith.model.sites import Site, SiteKind, attention_stage, feed_forward_stage
from weightsmith.semantics.attention import WEIGHTINGS, run_head
from weightsmith.semantics.evaluation import (
    NOTHING,
    NUMBERS_AT_ONCE,
    AnswerIds,
    Change,
    Evaluation,
    HeadRun,
    Ids,
    Past,
    Quantity,
    numbers_held,
    refuse,
    unchanged,
    unsupported,
)
from weightsmith.semantics.layers import finite, run_neurons, run_norm

SEMANTICS_VERSION = 2  # goes up when a bit of any run changes


class Reference:
    """Runs one transformer by the definition."""

    name = "the reference"

    def __init__(self, T: Transformer) -> None:
        """Refuse a transformer with a part that this engine does not know."""
        refuse(self.refusal(T))
        self.T, self.A = T, self._core(T)

    @classmethod
    def supports(cls, T: Transformer) -> bool:
        """Return whether this engine knows every part of a transformer."""
        return cls.refusal(T) is None

    @classmethod
    def refusal(cls, T: Transformer) -> str | None:
        """Return why this engine refuses a transformer, or None."""
        return unsupported(T, cls.name, WEIGHTINGS, windows=True)

    def _core(self, T: Transformer) -> Core:
        return T.arithmetic.core

    def ready(self) -> None:
        """Do nothing: there is no machine code to compile."""

    def evaluate(self, ids: Ids, past: Past = NOTHING, change: Change = unchanged) -> Evaluation:
        """Run on token ids (…, positions), which follow the positions whose keys and values are `past`.

        Only a causal transformer may have a past. `change` may replace values on their way.
        """
        T, A, before = self.T, self.A, past.length
        with np.errstate(all="ignore"):
            h = A.encoded(T.embedding[ids])
            table = position_table(T.positions, T.arithmetic, len(T.lanes), before + ids.shape[-1])
            if table is not None:
                h = A.add(h, table[before:])
            h = self._changed(change, h, "embedding")
            return self.onward([self._finite(h, "embedding")], past, change)

    def onward(self, stream: list[Array], past: Past = NOTHING, change: Change = unchanged) -> Evaluation:
        """Run on from the last stage of a stream, whose stages so far are in the list; the list grows.

        Blocks that were not run have no heads and no activations in the result.
        """
        heads, activations, before = list[tuple[HeadRun, ...]](), list[Array](), past.length
        with np.errstate(all="ignore"):
            for b, block in enumerate(self.T.blocks):
                h, block_heads = stream[-1], tuple[HeadRun, ...]()
                if len(stream) == attention_stage(b):
                    h, block_heads = self._attention(b, h, past, change)
                    h = self._changed(change, h, "attention", b)
                    stream.append(self._finite(h, f"block {b} attention"))
                if len(stream) == feed_forward_stage(b):
                    entry = stream[-2] if block.parallel else h
                    h, active = self._feed_forward(b, h, entry, before, change)
                    h = self._changed(change, h, "feed-forward", b)
                    stream.append(self._finite(h, f"block {b} feed-forward"))
                else:
                    active = np.zeros((*h.shape[:-1], 0))
                heads.append(block_heads)
                activations.append(active)
            return Evaluation(stream, heads, activations, self.read_off(stream[-1][..., -1, :]), past)

    def _finite(self, values: Array, name: str) -> Array:
        return finite(self.T.arithmetic, values, name)

    def _changed(
        self, change: Change, values: Array, kind: SiteKind, block: int | None = None, index: int | None = None
    ) -> Array:
        """Return the values that `change` makes of those at a site; they must be members too."""
        if change is unchanged:
            return values
        new = change(Site(kind, block, index), values)
        return new if new is values else self.A.checked(new)

    def _attention(self, b: int, h: Array, past: Past, change: Change) -> tuple[Array, tuple[HeadRun, ...]]:
        attention = self.T.blocks[b].attention
        if attention is None:
            return h, ()
        total, runs = self._heads(b, attention, self.before_attention(b, h, past.length), past, change)
        return self._after_heads(b, h, total, past.length), tuple(runs)

    def before_attention(self, b: int, h: Array, before: int = 0) -> Array:
        """Return the input of a block's heads for a stream whose first position is number `before`."""
        return self._normed(self.T.blocks[b], "attention", h, before, f"block {b} attention norm", "pre")

    def _heads(self, b: int, attention: Attention, h: Array, past: Past, change: Change) -> tuple[Array, list[HeadRun]]:
        """Return the sum of the outputs of a block's heads, folded in their order, and the run of each."""
        total, runs = np.zeros_like(h), []
        for i, head in enumerate(attention.heads):
            scheme = attention.positions_of(i, self.T.attention_positions) or NO_POSITIONS
            before = past.blocks[b][i] if past.length else None
            run = run_head(self.T, head, scheme, h, before, f"block {b}, head {i}")
            output = self._changed(change, run.output, "head", b, i)
            runs.append(run if output is run.output else run.with_output(output))
            total = self.A.add(total, output)
        return total, runs

    def _after_heads(self, b: int, h: Array, total: Array, before: int) -> Array:
        """Add the sum of the heads' outputs to the stream once."""
        block = self.T.blocks[b]
        if block.attention is not None and block.attention.b_O is not None:
            total = self.A.add(total, block.attention.b_O)
        return self._normed(block, "attention", self.A.add(h, total), before, f"block {b} attention norm", "post")

    def add_heads(self, b: int, h: Array, outputs: Sequence[Array]) -> Array:
        """Return the stream after a block's attention, from the stream before it and the outputs of its heads."""
        total = np.zeros_like(h)
        for output in outputs:
            total = self.A.add(total, output)
        return self._after_heads(b, h, total, 0)

    def add_neurons(self, b: int, h: Array, activations: Array, before: int = 0) -> Array:
        """Return the stream after a block's feed-forward layer, from the stream before it and its activations."""
        return self.add_output(b, h, self.feed_forward_output(b, activations), before)

    def feed_forward_output(self, b: int, activations: Array) -> Array:
        """Return what a block's feed-forward layer writes to the stream, from its activations."""
        layer = self.T.blocks[b].feed_forward
        assert layer is not None
        return self.A.affine(layer.W_2, activations, layer.b_2)

    def add_output(self, b: int, h: Array, output: Array, before: int = 0) -> Array:
        """Return the stream after a block's feed-forward layer, from the stream before it and the layer's output."""
        name = f"block {b} feed-forward norm"
        return self._normed(self.T.blocks[b], "feed_forward", self.A.add(h, output), before, name, "post")

    def after_attention(self, b: int, h: Array, outputs: Sequence[Array] | None) -> Array:
        """Return vectors (…, lanes) of the stream after a block, from those before it and its heads' outputs.

        `outputs` is None for a block without attention.
        """
        entry = h[..., np.newaxis, :]
        after = entry
        if outputs is not None:
            after = self.add_heads(b, entry, [output[..., np.newaxis, :] for output in outputs])
        return self._feed_forward(b, after, entry if self.T.blocks[b].parallel else after, 0)[0][..., 0, :]

    def _feed_forward(
        self, b: int, h: Array, source: Array, before: int, change: Change = unchanged
    ) -> tuple[Array, Array]:
        """Add the output of the feed-forward layer for `source`, the stream or the block's entry, to the stream."""
        if self.T.blocks[b].feed_forward is None:
            return h, np.zeros((*h.shape[:-1], 0), h.dtype)
        activations = self._changed(change, self.activations(b, source, before), "activations", b)
        return self.add_neurons(b, h, activations, before), activations

    def activations(self, b: int, source: Array, before: int = 0) -> Array:
        """Return the activations of a block's feed-forward layer, from the stream that it reads."""
        block, layer = self.T.blocks[b], self.T.blocks[b].feed_forward
        assert layer is not None
        seen = self._normed(block, "feed_forward", source, before, f"block {b} feed-forward norm", "pre")
        return run_neurons(self.A, layer, seen)

    def _normed(self, block: Block, sublayer: str, h: Array, before: int, name: str, placement: str) -> Array:
        if block.norm_placement != placement:
            return h
        return self._norm(getattr(block, f"{sublayer}_norm"), h, name, before)

    def _norm(self, norm: Norm | None, h: Array, name: str, before: int = 0) -> Array:
        """Normalise a stream whose first position is number `before`."""
        return run_norm(self.A, norm, h, tuple(self.T.lanes), name, before)

    # The output

    def read_off(self, h: Array) -> Array:
        """Return the logits of vectors of the stream (…, lanes)."""
        return self._logits(self._final(h[..., np.newaxis, :])[..., 0, :])

    def read_answers(self, h: Array) -> AnswerIds:
        """Return the answer at each position of a stream (…, positions, lanes), as its index in `T.answers`.

        That is the class of the largest logit, the first one on a tie; with a readout, the value of the code in its
        lanes, and −1 for a code that is not in the table.
        """
        if self.T.readout is not None:
            return self.T.readout.answer_ids(self.read_codes(h))
        last = self._final(h)
        rows, some = last.reshape(-1, last.shape[-1]), max(1, AT_ONCE // len(self.T.classes))  # logits held at once
        parts = [np.argmax(self._logits(rows[i : i + some]), axis=-1) for i in range(0, len(rows), some)]
        return np.concatenate(parts).reshape(last.shape[:-1])

    def read_codes(self, h: Array) -> Array:
        """Return the codes in the readout's lanes, after the final norm, at each position of a stream (…, lanes)."""
        T = self.T
        assert T.readout is not None
        codes = self._final(h)[..., [T.lanes.index(lane) for lane in T.readout.lanes]]
        return codes.astype(np.float64, copy=False)

    def _final(self, h: Array) -> Array:
        with np.errstate(all="ignore"):
            return self._norm(self.T.final_norm, self.A.encoded(h), "final norm")

    def _logits(self, h: Array) -> Array:
        with np.errstate(all="ignore"):
            return self._finite(self.A.affine(self.T.output, h, self.T.output_bias), "output")

    # Many inputs at once

    def last_answers(self, found: Evaluation) -> AnswerIds:
        """Return the answer at the last position of each evaluated input."""
        if self.T.readout is not None:
            return self.read_answers(found.stream[-1][..., -1:, :])[..., 0]
        answers: AnswerIds = np.argmax(found.logits, axis=-1)
        return answers

    def results(self, ids: Ids, quantity: Quantity) -> npt.NDArray[np.generic]:
        """Return a quantity of inputs (inputs, positions): of the last position, for "outputs", "streams" of each."""
        found = self.evaluate(ids)
        if quantity == "streams":
            return found.stream[-1]
        if quantity == "outputs":
            answers = self.read_answers(found.stream[-1])
            answers[:, -1] = self.last_answers(found)  # the same numbers; BLAS may have added them in another order
            return answers
        if quantity == "decisions":
            return self.last_answers(found)
        return found.logits if quantity == "logits" else found.stream[-1][:, -1]

    def bytes_needed(self, positions: int, columns: int) -> int:
        """Return the memory that inputs of a length take, which have `columns` positions in all."""
        size = self.A.encoded(self.T.embedding[:0]).itemsize
        return -(-columns // positions) * numbers_held(self.T, positions) * size

    def inputs_at_once(self, length: int) -> int:
        """Return how many inputs of a length should be run together."""
        return max(1, NUMBERS_AT_ONCE // numbers_held(self.T, length))


def evaluate(T: Transformer, ids: Ids, past: Past = NOTHING, change: Change = unchanged) -> Evaluation:
    """Run a transformer by the definition: see `Reference.evaluate`."""
    return Reference(T).evaluate(ids, past, change)

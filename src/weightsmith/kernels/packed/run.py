"""The packed engine: runs of many inputs at once."""

from functools import cached_property, lru_cache
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Saturating, Ties
from weightsmith.kernels.packed.carrier import carrier, function_table
from weightsmith.kernels.packed.columns import Columns, Start
from weightsmith.kernels.packed.compiled import compiled
from weightsmith.kernels.packed.layout import Layout, batch
from weightsmith.kernels.packed.program import WEIGHTINGS, Program, program
from weightsmith.kernels.packed.runner import Give, Runner, Watch
from weightsmith.kernels.packed.scratch import bytes_needed
from weightsmith.model import Transformer
from weightsmith.model.positions import NO_POSITIONS
from weightsmith.semantics.evaluation import Ids, Quantity, refuse, unsupported

KEPT_RUNS = 16


RUN_BYTES = 64 << 20  # that inputs which run together may take


class PackedRun:
    """Runs one transformer on many inputs at once, equal to the reference bit for bit."""

    name = "the packed engine"

    def __init__(self, T: Transformer) -> None:
        """Refuse unknown parts, and choose the carrier; weights are prepared when they are needed."""
        refuse(self.refusal(T))
        self.transformer, self.carrier = T, carrier(T.arithmetic)
        self.loops = compiled(self.carrier)

    @cached_property
    def program(self) -> Program:
        """The prepared transformer."""
        return program(self.transformer)

    def ready(self) -> None:
        """Compile the loops that a run needs, so that the first run is not slower than the next."""
        self.loops.ready(self._needed)

    @property
    def is_ready(self) -> bool:
        """Whether this process has the machine code that a run needs."""
        return self.loops.are_ready(self._needed)

    @property
    def is_kept(self) -> bool:
        """Whether the machine code that a run needs is probably on disk, so that it loads at once."""
        return self.loops.are_kept(self._needed)

    @cached_property
    def _needed(self) -> list[str]:
        return needed(self.transformer)

    def evaluate(
        self, layout: Layout, watch: Watch | None = None, every: bool = False, give: Give | None = None,
        start: Start | None = None,
    ) -> Columns:  # fmt: skip
        """Run every column; `watch` receives the stream (lanes, columns) after each sublayer, `give` encoded rows.

        With `every`, answers are read off at every position, also without a causal mask.
        """
        self.ready()
        return Runner(self.program, self.loops, layout, watch, every, give).run(start)

    @classmethod
    def supports(cls, T: Transformer) -> bool:
        """Return whether this engine knows every part of a transformer."""
        return id(T) in _by_identity or cls.refusal(T) is None

    @classmethod
    def refusal(cls, T: Transformer) -> str | None:
        """Return why this engine refuses a transformer, or None."""
        A = T.arithmetic
        if isinstance(A, Saturating) and A.rounding.direction is None:
            return (
                f"{cls.name} does not know the tie rule {A.ties} of {A}: write one of {', '.join(get_args(Ties)[:3])}"
            )
        return unsupported(T, cls.name, WEIGHTINGS)

    def results(self, ids: Ids, quantity: Quantity) -> npt.NDArray[Any]:
        """Return a quantity of inputs (inputs, positions): of the last position, for "outputs", "streams" of each."""
        layout = batch(ids.astype(np.int64, copy=False))
        return self.evaluate(layout, every=quantity == "outputs").of_batch(quantity, layout)

    def inputs_at_once(self, length: int) -> int:
        """Return how many inputs of a length should be run together."""
        fixed = self.bytes_needed(length, 0)
        return max(1, max(RUN_BYTES - fixed, 0) // (self.bytes_needed(length, length) - fixed))

    def bytes_needed(self, positions: int, columns: int) -> int:
        """Return the memory that `evaluate` takes."""
        return bytes_needed(self.transformer, positions, columns)


_by_value = lru_cache(maxsize=KEPT_RUNS)(PackedRun)
_by_identity: dict[int, tuple[Transformer, PackedRun]] = {}


def packed_run(T: Transformer) -> PackedRun:
    """Return the engine of a transformer; a few engines are kept, and equal transformers share one."""
    found = _by_identity.get(id(T))
    if found is None:  # hashing a transformer takes as long as a short run
        if len(_by_identity) >= KEPT_RUNS:
            _by_identity.clear()
        found = _by_identity[id(T)] = T, _by_value(T)  # T is kept, so that its id stays taken
    return found[1]


def run_columns(T: Transformer, layout: Layout, watch: Watch | None = None) -> Columns:
    """Run a transformer on every column: see `PackedRun.evaluate`."""
    return packed_run(T).evaluate(layout, watch)


def needed(T: Transformer) -> list[str]:
    """Return the names of the loops that runs of a transformer need."""
    attentions = [block.attention for block in T.blocks if block.attention is not None]
    layers = [block.feed_forward for block in T.blocks if block.feed_forward is not None]
    heads = [
        (head, layer.positions_of(i, T.attention_positions) or NO_POSITIONS)
        for layer in attentions
        for i, head in enumerate(layer.heads)
    ]
    functions = {layer.function for layer in layers} - {"relu"}
    norms = [T.final_norm, *(norm for block in T.blocks for norm in (block.attention_norm, block.feed_forward_norm))]
    wanted = {
        "embed": True,
        "apply": True,
        "attend": bool(heads),
        "rotate": any(scheme.rotation(T.arithmetic, len(head.W_Q), 1) is not None for head, scheme in heads),
        "accumulate": any(len(layer.heads) != 1 for layer in attentions),
        "look_up_rows": any(function_table(carrier(T.arithmetic), name) is not None for name in functions),
        "multiply_rows": any(layer.W_3 is not None for layer in layers),
        "norm": any(norm is not None for norm in norms),
        "decide": T.readout is None,
    }
    return [name for name in wanted if wanted[name]]

"""Fast runs of many inputs at once, equal to `semantics` bit for bit."""

from functools import cached_property, lru_cache

from weightsmith.kernels.packed.carrier import carrier, function_table
from weightsmith.kernels.packed.compiled import compiled
from weightsmith.kernels.packed.layout import Layout
from weightsmith.kernels.packed.program import Program, program
from weightsmith.kernels.packed.runner import Columns, Runner, Watch
from weightsmith.kernels.packed.size import bytes_needed
from weightsmith.model import Transformer
from weightsmith.model.positions import NO_POSITIONS

KEPT_RUNS = 16


class PackedRun:
    """Runs of one transformer: see `kernels.interface.FastRun`."""

    def __init__(self, T: Transformer) -> None:
        """Choose how its values are carried; the rest is done when it is needed."""
        self.transformer, self.carrier = T, carrier(T.arithmetic)
        self.loops = compiled(self.carrier)

    @cached_property
    def program(self) -> Program:
        """The transformer made ready."""
        return program(self.transformer)

    def ready(self) -> None:
        """Have the loops compiled that a run will need, so that it takes no longer than the next one."""
        self.loops.ready(self._needed)

    @cached_property
    def _needed(self) -> list[str]:
        return needed(self.transformer)

    def evaluate(self, layout: Layout, watch: Watch | None = None, every: bool = False) -> Columns:
        """Run on every column; `watch` sees the stream (lanes, columns) after each sublayer.

        With `every`, what an input says is read off at every position, also without a causal mask.
        """
        self.ready()
        return Runner(self.program, self.loops, layout, watch, every).run()

    def bytes_needed(self, positions: int, columns: int) -> int:
        """Return the memory that `evaluate` takes."""
        return bytes_needed(self.transformer, positions, columns)


_by_value = lru_cache(maxsize=KEPT_RUNS)(PackedRun)
_by_identity: dict[int, tuple[Transformer, PackedRun]] = {}


def packed_run(T: Transformer) -> PackedRun:
    """Return the runs of a transformer, which are kept for some time; equal ones share them."""
    found = _by_identity.get(id(T))
    if found is None:  # to hash a transformer takes as long as many a run
        if len(_by_identity) >= KEPT_RUNS:
            _by_identity.clear()
        found = _by_identity[id(T)] = T, _by_value(T)  # with T, which so keeps its identity
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

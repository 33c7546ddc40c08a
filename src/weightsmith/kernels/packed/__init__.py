"""Fast runs of many inputs at once, equal to the reference semantics bit for bit."""

from weightsmith.kernels.packed.layout import Layout, batch, ranks, tree
from weightsmith.kernels.packed.run import Columns, PackedRun, packed_run, run_columns

__all__ = ["Columns", "Layout", "PackedRun", "batch", "packed_run", "ranks", "run_columns", "tree"]

"""Fast runs of many inputs at once, equal to the reference semantics bit for bit.

The `runner` takes a transformer prepared by `program` and applies loops (`linear`, `attention`, `norms`) to whole rows
of columns. The loops use the operations of a `representation`; `instructions` and `access` add what Numba lacks.
`compiled` compiles the loops, `parts` what they call, and `machine_code` caches them on disk. What two models have in
common at the beginning runs once: `numbering` finds it, and `handover` runs both.

The environment variable `WEIGHTSMITH_CHECKED_KERNELS=1` switches on a *debug mode*, many times slower: a load or store
out of bounds raises an IndexError.

Glossary:

- **column**: one position of one input. Arrays are (rows, columns), and a row lies in memory without gaps. Prefixes
  that inputs share are one column in a *tree*, and many in a *batch*; a **layout** says which column is which.
- **level**: the columns of one position.
- **carrier**: the machine type of an arithmetic's values, with its representation. A value is *encoded* in it and
  *decoded* from it.
- **representation**: how a carrier computes: one of five classes. Its **constants** are a named tuple whose type tells
  Numba which class to compile for.
- **SIMD vector**: neighbouring values that one instruction works on, `SIMD_BYTES` of a row.
- **padding**: unused columns after those of a layout, so that a loop may end on a whole SIMD vector. They hold members
  of the arithmetic.
- **chunk**: columns of a position that attention works on at once; **tile**: columns that stay in the first-level cache
  while a matrix is applied, or over which positions with few columns are repeated.
- **factor**: the right factor of a product, prepared and typed by what is known of it, as in `UnitFactor`.
- **reach**: the size of x from which on x ⊗ weight saturates.
- **calm**: a row of a matrix is calm if no sum saturates.
- **nudge**: a change of a factor that decides ties and nothing else.
- **equal part**: the weight of each of m positions that share it.
"""

from weightsmith.kernels.packed.columns import Columns
from weightsmith.kernels.packed.handover import Handover, handover
from weightsmith.kernels.packed.layout import Layout, batch, ranks, tree
from weightsmith.kernels.packed.run import PackedRun, packed_run, run_columns

__all__ = [
    "Columns",
    "Handover",
    "Layout",
    "PackedRun",
    "batch",
    "handover",
    "packed_run",
    "ranks",
    "run_columns",
    "tree",
]

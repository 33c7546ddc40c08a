"""Fast runs of many inputs at once, equal to the reference semantics bit for bit.

How a run goes: the `runner` takes a transformer made ready by `program`, and applies loops (`linear`, `attention`,
`norms`) to whole rows of columns. The loops are written in `operations`, which each of the `representations` computes
in its own way; `instructions` and `access` have what Numba lacks. `compiled` makes machine code of the loops, and
`cache` keeps it.

With the environment variable `WEIGHTSMITH_CHECKED_KERNELS=1` all this runs in a *debug mode*, many times slower: every
load and store looks at the bounds of its array, and raises an IndexError beyond them.

The words used here:

- **column**: one position of one input. Arrays are (rows, columns), and a row lies in memory without gaps. Prefixes
  that inputs share are one column in a *tree*, and many in a *batch*; a **layout** says which column is which.
- **level**: the columns of one position.
- **carrier**: the machine type that carries an arithmetic's values, and what is needed to compute with it. A value is
  *encoded* in it and *decoded* from it.
- **representation**: how a carrier computes: one of five modules. Its **constants** are a named tuple whose type tells
  Numba which to compile for.
- **SIMD vector**: neighbouring values that one instruction works on, `SIMD_BYTES` of a row.
- **padding**: columns after those of a layout, so that a loop may end on a whole SIMD vector. They hold members of the
  arithmetic, which nobody reads.
- **chunk**: so many columns of a position as attention works on together; **tile**: so many columns as stay in a near
  cache while a matrix is applied, or as positions with few columns are repeated over.
- **factor**: the right factor of a product, made ready for it: typed by what is known of it, as in `UnitFactor`.
- **reach**: the size of x from which on x ⊗ weight saturates.
- **places**: by how many bits an integer is raised before a product.
- **calm**: of a row of a matrix, that no sum saturates; **normal**: of a product, that it is not subnormal.
- **nudge**: a change of a factor, too small for anything but to decide ties.
- **equal part**: the weight of each of m positions that share it.
"""

from weightsmith.kernels.packed.layout import Layout, batch, ranks, tree
from weightsmith.kernels.packed.run import PackedRun, packed_run, run_columns
from weightsmith.kernels.packed.runner import Columns

__all__ = ["Columns", "Layout", "PackedRun", "batch", "packed_run", "ranks", "run_columns", "tree"]

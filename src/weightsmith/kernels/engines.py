"""The one place that chooses how a transformer is run.

| engine | arithmetics | gives |
| --- | --- | --- |
| `semantics.reference.Reference` | all | every value, by the definition |
| `kernels.blas.BlasRun` | `Native` | every value, with the sums of BLAS |
| `kernels.packed.PackedRun` | all | answers, logits and last vectors of many inputs, equal to the reference |

Every engine has `supports(T)`, `ready()`, `results(ids, quantity)`, `inputs_at_once(length)` and
`bytes_needed(positions, columns)`. It refuses, by name, a transformer with a part that it lacks.
"""

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, overload

from weightsmith.arithmetic import Native
from weightsmith.errors import InputError, brief
from weightsmith.kernels.blas import BlasRun
from weightsmith.model import Transformer
from weightsmith.semantics.evaluation import Sums
from weightsmith.semantics.reference import Reference

if TYPE_CHECKING:
    from weightsmith.kernels.packed import PackedRun

SMALL_WORK = 30_000_000  # products: the reference takes about half a second for them, as long as loading the kernels
COMPILING = 4  # times SMALL_WORK is small too if the kernels must be compiled first, which takes about 4 s


@overload
def engine_for(T: Transformer, sums: Sums | None = None) -> Reference: ...
@overload
def engine_for(T: Transformer, sums: Sums | None = None, *, every_value: Literal[False]) -> "Reference | PackedRun": ...
def engine_for(T: Transformer, sums: Sums | None = None, *, every_value: bool = True) -> "Reference | PackedRun":
    """Return the fastest engine that supports a transformer.

    In `Native` the sums are the machine's, unless `sums="left"`. With `every_value=False` the engine need not return
    the values inside a run: then left folds are computed by the packed kernels.
    """
    if sums not in (None, "left", "machine"):
        raise InputError(f"sums={brief(sums)}: write 'left' for left folds, or 'machine'")
    native = isinstance(T.arithmetic, Native) and BlasRun.supports(T)
    if sums == "machine" and not native:
        raise InputError(f"sums='machine' is for Native arithmetics: in {T.arithmetic} a sum is a left fold")
    if sums != "left" and native:
        return BlasRun(T)
    if not every_value:
        from weightsmith.kernels.packed import PackedRun, packed_run  # here, because it loads Numba

        if PackedRun.supports(T):
            return packed_run(T)
    return Reference(T)


@dataclass
class _Small:
    work: int = 0  # products that the reference has computed in this process in place of the kernels


_small = _Small()


def packed_if_worthwhile(T: Transformer, sums: Sums | None, work: int) -> "PackedRun | None":
    """Return the packed engine for some products, or None if the reference should compute them.

    That is so if the kernels do not know the transformer, or while the work is small and the kernels would have to be
    loaded or compiled first. All the small work of a process together is small too.
    """
    total = _small.work + work
    if total > SMALL_WORK or "weightsmith.kernels.packed" in sys.modules:
        engine = engine_for(T, sums, every_value=False)
        if isinstance(engine, Reference):
            return None
        if engine.is_ready or (total > SMALL_WORK and (engine.is_kept or total > COMPILING * SMALL_WORK)):
            return engine
    _small.work = total
    return None

"""How an arithmetic's values are held and computed with, one module for each representation.

| module | arithmetics | carried by |
| --- | --- | --- |
| `integers` | `Fixed` | int16, int32 |
| `int16_to_zero` | `Fixed` with ties to zero, in 16 bits | int16 |
| `floats` | `Float` and wide `Fixed`, ties to zero or away | float32, float64 |
| `floats_to_even` | the same with ties to even | float32, float64 |
| `machine` | `Native` | float32, float64 |

A module begins with its *constants*, a named tuple whose type tells Numba which representation to compile for, and with
what is made of whole arrays: `constants`, `factors`, `unit_factors`, `reach`. Then come the functions for Numba that
`operations` describes. What a module lacks is that of the module named as its `BASE`.
"""

from types import ModuleType
from typing import Any

from weightsmith.kernels.packed.representations import floats, floats_to_even, int16_to_zero, integers, machine
from weightsmith.kernels.packed.representations.factors import FACTORS, BoundedFactor, Factor, UnitFactor, WeightFactor
from weightsmith.kernels.packed.representations.floats import Floats
from weightsmith.kernels.packed.representations.floats_to_even import FloatsToEven
from weightsmith.kernels.packed.representations.int16_to_zero import Int16ToZero
from weightsmith.kernels.packed.representations.integers import Integers
from weightsmith.kernels.packed.representations.machine import Machine

__all__ = [
    "FACTORS",
    "MODULES",
    "BoundedFactor",
    "Constants",
    "Factor",
    "Floats",
    "FloatsToEven",
    "Int16ToZero",
    "Integers",
    "Machine",
    "UnitFactor",
    "WeightFactor",
    "function",
]

Constants = Integers | Int16ToZero | Floats | FloatsToEven | Machine
MODULES: dict[type, ModuleType] = {
    Integers: integers,
    Int16ToZero: int16_to_zero,
    Floats: floats,
    FloatsToEven: floats_to_even,
    Machine: machine,
}


def function(constants: type, name: str) -> Any:
    """Return a function of the representation with constants of a type."""
    module = MODULES[constants]
    while name not in vars(module):
        module = module.BASE
    return vars(module)[name]

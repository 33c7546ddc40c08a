"""Looking into runs: where a logit comes from, what was moved, and what happens without a part or with another."""

from weightsmith.inspect.ablation import Ablation, Ablations, ablate, ablations
from weightsmith.inspect.attribution import attribute
from weightsmith.inspect.changes import Changed, Difference, Pair, changed
from weightsmith.inspect.lens import Lens, lens
from weightsmith.inspect.moved import Move, Moves, moved
from weightsmith.inspect.parts import Attribution, Part
from weightsmith.inspect.patch import patch
from weightsmith.inspect.sweeping import Sweep, sweep

__all__ = [
    "Ablation",
    "Ablations",
    "Attribution",
    "Changed",
    "Difference",
    "Lens",
    "Move",
    "Moves",
    "Pair",
    "Part",
    "Sweep",
    "ablate",
    "ablations",
    "attribute",
    "changed",
    "lens",
    "moved",
    "patch",
    "sweep",
]

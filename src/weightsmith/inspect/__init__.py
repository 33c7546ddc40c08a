"""Runs with every value, and looking into them: where a logit comes from, what was moved, what a part changes."""

from weightsmith.inspect.ablation import Ablation, Ablations, ablate, ablations
from weightsmith.inspect.attribution import attribute
from weightsmith.inspect.changes import Changed, Difference, Pair, changed
from weightsmith.inspect.generate import generate, next_token
from weightsmith.inspect.lens import Lens, lens
from weightsmith.inspect.moved import Move, Moves, moved
from weightsmith.inspect.parts import Attribution, Part
from weightsmith.inspect.patch import patch
from weightsmith.inspect.run import Run, decisions, logits, run
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
    "Run",
    "Sweep",
    "ablate",
    "ablations",
    "attribute",
    "changed",
    "decisions",
    "generate",
    "lens",
    "logits",
    "moved",
    "next_token",
    "patch",
    "run",
    "sweep",
]

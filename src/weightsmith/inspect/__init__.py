"""Runs with every value, and looking into them: where a logit comes from, what was moved, what follows a feature."""

from weightsmith.inspect.ablation import Ablation, Ablations, ablate, ablations
from weightsmith.inspect.attribution import attribute
from weightsmith.inspect.changes import Changed, Difference, Pair, changed
from weightsmith.inspect.every_position import outputs
from weightsmith.inspect.generate import generate, next_token
from weightsmith.inspect.lens import Lens, lens
from weightsmith.inspect.moved import Move, Moves, moved
from weightsmith.inspect.parts import Attribution, Part
from weightsmith.inspect.patch import patch
from weightsmith.inspect.run import Run, decisions, logits, run
from weightsmith.inspect.sweeping import Sweep, sweep
from weightsmith.inspect.tracking import Baselines, Followed, Tracking, tracking
from weightsmith.inspect.tracks import Track, Tracks
from weightsmith.inspect.units import Reading, Unit

__all__ = [
    "Ablation",
    "Ablations",
    "Attribution",
    "Baselines",
    "Changed",
    "Difference",
    "Followed",
    "Lens",
    "Move",
    "Moves",
    "Pair",
    "Part",
    "Reading",
    "Run",
    "Sweep",
    "Track",
    "Tracking",
    "Tracks",
    "Unit",
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
    "outputs",
    "patch",
    "run",
    "sweep",
    "tracking",
]

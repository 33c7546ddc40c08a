"""Runs with every value, and tools to look into them: attribution, lens, moves, patching, ablation, probing."""

from weightsmith.inspect.ablation import Ablation, Ablations, ablate, ablations
from weightsmith.inspect.attribution import attribute
from weightsmith.inspect.batch import Batch, Cache, run_batch
from weightsmith.inspect.chains import ChainRun, chain_answers, run_chain
from weightsmith.inspect.changes import Changed, Difference, Pair, changed
from weightsmith.inspect.diagram import diagram
from weightsmith.inspect.every_position import outputs
from weightsmith.inspect.generate import generate, next_token
from weightsmith.inspect.lens import Lens, lens
from weightsmith.inspect.logit_parts import Attribution, Part
from weightsmith.inspect.moved import Move, Moves, moved
from weightsmith.inspect.patch import patch
from weightsmith.inspect.probing import Baselines, Followed, Reading, Track, Tracking, Tracks, Unit, tracking
from weightsmith.inspect.recurrent import LSTM, LSTMRun
from weightsmith.inspect.run import Run, decisions, logits, run
from weightsmith.inspect.sweeping import Sweep, sweep

__all__ = [
    "LSTM",
    "Ablation",
    "Ablations",
    "Attribution",
    "Baselines",
    "Batch",
    "Cache",
    "ChainRun",
    "Changed",
    "Difference",
    "Followed",
    "LSTMRun",
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
    "chain_answers",
    "changed",
    "decisions",
    "diagram",
    "generate",
    "lens",
    "logits",
    "moved",
    "next_token",
    "outputs",
    "patch",
    "run",
    "run_batch",
    "run_chain",
    "sweep",
    "tracking",
]

"""What a transformer means: the readable reference run."""

from weightsmith.semantics.attribution import Attribution, Part, attribute
from weightsmith.semantics.evaluation import HeadRun
from weightsmith.semantics.generate import generate, next_token
from weightsmith.semantics.lens import Lens, lens
from weightsmith.semantics.moved import Move, moved
from weightsmith.semantics.run import SEMANTICS_VERSION, Run, decisions, logits, run
from weightsmith.semantics.steps import layer_norm, sinusoidal

__all__ = [
    "SEMANTICS_VERSION",
    "Attribution",
    "HeadRun",
    "Lens",
    "Move",
    "Part",
    "Run",
    "attribute",
    "decisions",
    "generate",
    "layer_norm",
    "lens",
    "logits",
    "moved",
    "next_token",
    "run",
    "sinusoidal",
]

"""What a transformer means: the readable reference run."""

from weightsmith.semantics.evaluation import HeadRun
from weightsmith.semantics.generate import generate, next_token
from weightsmith.semantics.run import SEMANTICS_VERSION, Run, decisions, logits, run
from weightsmith.semantics.steps import layer_norm, sinusoidal

__all__ = [
    "SEMANTICS_VERSION",
    "HeadRun",
    "Run",
    "decisions",
    "generate",
    "layer_norm",
    "logits",
    "next_token",
    "run",
    "sinusoidal",
]

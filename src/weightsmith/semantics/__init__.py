"""The meaning of a transformer: the readable reference run."""

from weightsmith.semantics.evaluation import Evaluation, HeadRun
from weightsmith.semantics.norm_steps import NormSteps, layer_norm_steps
from weightsmith.semantics.reference import SEMANTICS_VERSION, evaluate
from weightsmith.semantics.steps import layer_norm, sinusoidal

__all__ = [
    "SEMANTICS_VERSION",
    "Evaluation",
    "HeadRun",
    "NormSteps",
    "evaluate",
    "layer_norm",
    "layer_norm_steps",
    "sinusoidal",
]

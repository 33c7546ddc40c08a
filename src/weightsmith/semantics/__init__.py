"""The meaning of a transformer: the readable reference run."""

from weightsmith.semantics.evaluation import Evaluation, HeadRun
from weightsmith.semantics.reference import SEMANTICS_VERSION, evaluate
from weightsmith.semantics.steps import layer_norm, sinusoidal

__all__ = ["SEMANTICS_VERSION", "Evaluation", "HeadRun", "evaluate", "layer_norm", "sinusoidal"]

"""What a transformer means: the readable reference run."""

from weightsmith.semantics.attention import HeadRun
from weightsmith.semantics.generate import generate
from weightsmith.semantics.run import SEMANTICS_VERSION, Run, decisions, run

__all__ = ["SEMANTICS_VERSION", "HeadRun", "Run", "decisions", "generate", "run"]

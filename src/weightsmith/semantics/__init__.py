"""What a transformer means: the readable reference run."""

from weightsmith.semantics.attention import HeadRun
from weightsmith.semantics.generate import generate
from weightsmith.semantics.run import Run, decisions, run

__all__ = ["HeadRun", "Run", "decisions", "generate", "run"]

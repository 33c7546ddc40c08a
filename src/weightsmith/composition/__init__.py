"""Several transformers into one."""

from weightsmith.composition.boolean import both, compose, either, exactly_one, if_then_else, negation
from weightsmith.composition.side_by_side import side_by_side

__all__ = ["both", "compose", "either", "exactly_one", "if_then_else", "negation", "side_by_side"]

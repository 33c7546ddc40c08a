"""Several transformers into one."""

from weightsmith.compose.boolean import both, either, exactly_one, if_then_else, negation
from weightsmith.compose.side_by_side import side_by_side

__all__ = ["both", "either", "exactly_one", "if_then_else", "negation", "side_by_side"]

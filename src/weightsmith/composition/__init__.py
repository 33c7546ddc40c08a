"""Several transformers into one."""

from weightsmith.composition.boolean import both, compose, either, exactly_one, if_then_else, negation
from weightsmith.composition.chains import both_chains, either_chain, exactly_one_chain, negated_chain, then
from weightsmith.composition.side_by_side import side_by_side

__all__ = [
    "both",
    "both_chains",
    "compose",
    "either",
    "either_chain",
    "exactly_one",
    "exactly_one_chain",
    "if_then_else",
    "negated_chain",
    "negation",
    "side_by_side",
    "then",
]

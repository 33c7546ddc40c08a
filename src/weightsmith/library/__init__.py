"""Ready-made transformers, each with the claim that it satisfies; `ENTRIES`, `CHAINS` and `EXAMPLES` list them all."""

from weightsmith.library import papers
from weightsmith.library.associations import associations
from weightsmith.library.bank import bank
from weightsmith.library.contains import contains
from weightsmith.library.counting import balanced, largest_count, majority, parity
from weightsmith.library.eiffel import eiffel
from weightsmith.library.entries import CHAINS, ENTRIES, EXAMPLES, Entry, Example
from weightsmith.library.first_equals_last import first_equals_last
from weightsmith.library.fish import fish
from weightsmith.library.lengths import length_modulo
from weightsmith.library.parity_chain import parity_by_chain, parity_chain
from weightsmith.library.words import contains_word, ends_with, exact_length, matches, starts_with

__all__ = [
    "CHAINS",
    "ENTRIES",
    "EXAMPLES",
    "Entry",
    "Example",
    "associations",
    "balanced",
    "bank",
    "contains",
    "contains_word",
    "eiffel",
    "ends_with",
    "exact_length",
    "first_equals_last",
    "fish",
    "largest_count",
    "length_modulo",
    "majority",
    "matches",
    "papers",
    "parity",
    "parity_by_chain",
    "parity_chain",
    "starts_with",
]

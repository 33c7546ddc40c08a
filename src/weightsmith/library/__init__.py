"""Ready-made transformers, each with the claim that it satisfies; `ENTRIES`, `CHAINS`, `EXAMPLES` and
`LECTURE` list them all."""

from weightsmith.library import papers
from weightsmith.library.associations import associations
from weightsmith.library.bank import bank
from weightsmith.library.contains import contains
from weightsmith.library.counting import balanced, largest_count, majority, parity
from weightsmith.library.eiffel import eiffel
from weightsmith.library.eiffel_tagger import eiffel_tagger
from weightsmith.library.eight_heads import eight_heads
from weightsmith.library.entries import CHAINS, ENTRIES, EXAMPLES, LECTURE, TRAINED, Entry, Example
from weightsmith.library.first_equals_last import first_equals_last
from weightsmith.library.fish import fish
from weightsmith.library.lengths import length_modulo
from weightsmith.library.mood_lstm import mood_lstm
from weightsmith.library.normed import normed
from weightsmith.library.parity_chain import parity_by_chain, parity_chain
from weightsmith.library.positions import learned_positions, relative_positions, word_and_position
from weightsmith.library.shipped import storyteller
from weightsmith.library.words import contains_word, ends_with, exact_length, matches, starts_with

__all__ = [
    "CHAINS",
    "ENTRIES",
    "EXAMPLES",
    "LECTURE",
    "TRAINED",
    "Entry",
    "Example",
    "associations",
    "balanced",
    "bank",
    "contains",
    "contains_word",
    "eiffel",
    "eiffel_tagger",
    "eight_heads",
    "ends_with",
    "exact_length",
    "first_equals_last",
    "fish",
    "largest_count",
    "learned_positions",
    "length_modulo",
    "majority",
    "matches",
    "mood_lstm",
    "normed",
    "papers",
    "parity",
    "parity_by_chain",
    "parity_chain",
    "relative_positions",
    "starts_with",
    "storyteller",
    "word_and_position",
]

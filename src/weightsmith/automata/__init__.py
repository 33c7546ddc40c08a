"""Automata, regular expressions and languages: sets of inputs, and which inputs belong to them."""

from weightsmith.automata.automaton import Automaton, smallest
from weightsmith.automata.counting import Counting
from weightsmith.automata.decisions import DecisionAutomaton
from weightsmith.automata.expressions import foreign_letters
from weightsmith.automata.inputs import Input, Inputs, TokenIds, Truths, input_text, written
from weightsmith.automata.languages import (
    Describing,
    Language,
    called,
    description_of,
    language,
    read_described,
    source_of,
)
from weightsmith.automata.named import Named
from weightsmith.automata.regular import compile_regex, parser_is_known

__all__ = [
    "Automaton",
    "Counting",
    "DecisionAutomaton",
    "Describing",
    "Input",
    "Inputs",
    "Language",
    "Named",
    "TokenIds",
    "Truths",
    "called",
    "compile_regex",
    "description_of",
    "foreign_letters",
    "input_text",
    "language",
    "parser_is_known",
    "read_described",
    "smallest",
    "source_of",
    "written",
]

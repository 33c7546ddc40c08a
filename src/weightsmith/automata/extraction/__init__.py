"""The exact automaton of a transformer, block by block.

A causal transformer in a finite arithmetic is a finite machine over its tokens. What stands in the stream at the last
position is said by a *union* of small machines (`stream`), of which one speaks after each input: one for each class of
queries (`meeting`) and each guess of what the weights depend on (`guesses`). With that guessed, attention is a fold
over labels of keys (`reading`), and walking through the stream below with it gives the machine (`walk`). A block puts
the machines of its heads together (`blocks`); `whole` goes through all blocks, from the embedding to the decisions.
Machines are made as small as possible at once (`moore`), by loops that Numba compiles (`loops`). All arithmetic is that
of the semantics. A budget stops whatever grows too large (`budget`): then nothing is known, and nothing wrong is said.
"""

from weightsmith.automata.extraction.budget import Budget
from weightsmith.automata.extraction.whole import Decisions, automaton, check_possible, extract
from weightsmith.errors import UnknownError

__all__ = ["Budget", "Decisions", "UnknownError", "automaton", "check_possible", "extract"]

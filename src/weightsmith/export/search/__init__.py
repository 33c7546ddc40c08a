"""Inputs on which a sum of the original comes to its ends midway: random inputs hardly ever meet them.

The original saturates and rounds after every ⊕; what is exported adds up first. The two part where a partial sum went
further than the whole, as on 1¹⁶0¹⁵ of `majority("1")` in `Fixed(2, 2)`. Such inputs are looked for in three ways: runs
of tokens (`runs`), words that go token by token towards an end of some sum (`towards`), and words that tell the states
of the model's automaton apart (`states`).
"""

from weightsmith.export.search.found import LONGEST, searched

__all__ = ["LONGEST", "searched"]

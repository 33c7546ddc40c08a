"""Entries of the gallery that compute a function instead of recognizing a language."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from weightsmith.arithmetic import Arithmetic
from weightsmith.library.papers.entry import Paper
from weightsmith.model import Chain, Transformer


@dataclass(frozen=True)
class Computation:
    """A published construction that runs: `build(size, A)` computes `function(size)` on the inputs of `lengths(size)`.

    `check.agrees_with(build(size, A), function(size), **lengths(size))` decides the claim.
    """

    name: str
    paper: Paper
    theorem: str  # where the paper has it
    statement: str  # the theorem, in our words
    build: Callable[[int, Arithmetic], Transformer | Chain]
    function: Callable[[int], Callable[[Any], Any]]
    lengths: Callable[[int], Mapping[str, Any]]  # the options of the check
    sizes: tuple[int, ...]  # that the tests check
    arithmetic: str = "fixed(4,4)"  # in which it is right
    claim: str = field(default="")
    note: str = ""  # where our construction departs from the paper's

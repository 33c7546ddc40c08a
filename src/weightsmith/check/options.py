"""The keyword arguments of every claim, declared once: types for type checkers, defaults and checks in `Options`.

A claim's function takes `**options: Unpack[Keywords]`, or one of the two other sets. `takes_options` gives it the
signature that `help()` shows.
"""

import inspect
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import wraps
from typing import Any, ParamSpec, TypeAlias, TypedDict, TypeVar, get_args, get_type_hints

from weightsmith.automata import Describing
from weightsmith.automata.extraction import Budget
from weightsmith.automata.extraction.budget import DEFAULT_MEMORY, DEFAULT_SECONDS, DEFAULT_STATES
from weightsmith.check.frame import Frame, make_frame
from weightsmith.check.models import Model
from weightsmith.errors import InputError, brief, whole_number

Progress: TypeAlias = Callable[[int, int], None]  # inputs done, inputs in all
File: TypeAlias = str | os.PathLike[str]
P = ParamSpec("P")
R = TypeVar("R")


class LocalKeywords(TypedDict, total=False):
    """For a claim that is checked on this machine only."""

    length: int | None
    within: Describing | None
    workers: int | None
    memory: int
    progress: Progress | None


class Keywords(LocalKeywords, total=False):
    """For a claim that a cluster can check too."""

    suffix: Sequence[str]
    ledger: File | None
    cluster: str | None
    insecure_network: bool


class BudgetKeywords(Keywords, total=False):
    """For a claim that automata can decide at all lengths."""

    seconds: float | None
    states: int


class FamilyKeywords(TypedDict, total=False):
    """For claims about a family of models."""

    workers: int | None
    memory: int
    progress: Progress | None
    seconds: float | None
    states: int


@dataclass(frozen=True)
class Options:
    """The inputs that a claim is about, and the resources of a check, which do not change its verdict."""

    suffix: Sequence[str] = ()
    length: int | None = None
    within: Describing | None = None
    workers: int | None = None
    memory: int = DEFAULT_MEMORY
    ledger: File | None = None
    cluster: str | None = None
    insecure_network: bool = False
    progress: Progress | None = None
    seconds: float | None = None  # for the whole check; None: 60 for automata, no limit for runs
    states: int = DEFAULT_STATES  # of each machine

    def __post_init__(self) -> None:
        """Refuse impossible resources."""
        if self.workers is not None:
            whole_number(self.workers, "workers", 1, meaning="how many cores to use, 1 or more")
        whole_number(self.memory, "memory", 1 << 20, meaning="a number of bytes, a million or more")
        if self.ledger is not None and (not isinstance(self.ledger, str | os.PathLike) or not str(self.ledger)):
            raise InputError(f"ledger={brief(self.ledger)}: write the name of a file")
        if self.cluster is not None and (not isinstance(self.cluster, str) or not self.cluster):
            raise InputError(
                f"cluster={brief(self.cluster)}: write the address of a scheduler, such as 'tcp://127.0.0.1:8786'"
            )
        if type(self.insecure_network) is not bool:
            raise InputError(f"insecure_network={brief(self.insecure_network)}: write True or False")
        self.budget()  # raises

    def frame(self, *models: Model) -> Frame:
        """Return the inputs that a claim about these models is about."""
        return make_frame(models, self.suffix, self.length, self.within)

    def budget(self, most: float | None = None) -> Budget:
        """Return the budget of automata; `most` bounds its seconds."""
        seconds = DEFAULT_SECONDS if self.seconds is None else self.seconds
        whole = Budget(seconds, self.states, self.memory)
        return whole if most is None or most > seconds else replace(whole, seconds=most)

    def for_short_inputs(self) -> "Options":
        """Return the options of the few runs before automata are tried, which report no progress."""
        return Options(workers=self.workers, memory=self.memory)


def takes_options(function: Callable[P, R]) -> Callable[P, R]:
    """Show the keywords behind `**options` as parameters, with the defaults of `Options`; refuse other keywords."""
    before = inspect.signature(function)
    *own, options = before.parameters.values()
    (keywords_of_claim,) = get_args(options.annotation)
    types = get_type_hints(keywords_of_claim)
    shared = [
        inspect.Parameter(f.name, inspect.Parameter.KEYWORD_ONLY, default=f.default, annotation=types[f.name])
        for f in fields(Options)
        if f.name in types
    ]
    known = {parameter.name for parameter in (*own, *shared)}

    @wraps(function)
    def checked(*arguments: P.args, **keywords: P.kwargs) -> R:
        for name in keywords.keys() - known:
            raise TypeError(f"{function.__name__}() got an unexpected keyword argument {name!r}")
        return function(*arguments, **keywords)

    shown: Any = checked
    del shown.__wrapped__  # Sphinx would look for the defaults in the source of `function`
    shown.__signature__ = before.replace(parameters=[*own, *shared])
    shown.__annotations__ = {p.name: p.annotation for p in (*own, *shared)} | {"return": before.return_annotation}
    return checked

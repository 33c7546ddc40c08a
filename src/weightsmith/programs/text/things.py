"""The things that names of RASP text denote: values, lists, dictionaries, functions, operations and selectors."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias, TypeGuard

from weightsmith.errors import brief, listed, nearest_names
from weightsmith.programs.form import SelectorNode, SequenceNode
from weightsmith.programs.places import Place, refusal
from weightsmith.programs.text.syntax import Source, Syntax
from weightsmith.programs.values import presented

WORDS = (
    *("if", "else", "not", "and", "or", "def", "return", "for", "in", "load", "draw"),
    *("select", "aggregate", "round", "indicator", "range", "zip", "len"),
)
Atom: TypeAlias = str | int | Fraction  # truth values are ints
Thing: TypeAlias = Any  # an atom, a list, a dict, a SequenceNode, a SelectorNode, a Definition or a Builtin


@dataclass(frozen=True, eq=False)
class Definition:
    """A function that a program defines."""

    name: str
    parameters: tuple[str, ...]
    body: "Syntax"
    returned: "Syntax"
    scope: "Scope"
    source: Source


@dataclass(frozen=True, eq=False)
class Builtin:
    """A function that is there from the start."""

    name: str
    parameters: tuple[str, ...]
    call: Callable[..., Thing]  # the place's note first


def is_atom(thing: Thing) -> TypeGuard[Atom]:
    """Return whether something is a text, a number or a truth value."""
    return isinstance(thing, str | int | Fraction)


def described(thing: Thing) -> str:
    """Return a description of a thing, for errors."""
    if isinstance(thing, SequenceNode):
        return "a sequence operation"
    if isinstance(thing, SelectorNode):
        return "a selector"
    if isinstance(thing, Definition | Builtin):
        return f"the function {thing.name}"
    if isinstance(thing, list | dict):
        return f"a {'list' if isinstance(thing, list) else 'dictionary'}"
    return brief(presented(thing))


class Scope:
    """Names and their things; those of the scopes around are visible too."""

    def __init__(self, around: "Scope | None" = None, first: Callable[[], dict[str, Thing]] = dict) -> None:
        """Start with the names that `first` returns; it is called when they are first looked at."""
        self.around, self._first = around, first
        self.fixed: dict[str, Thing] = {} if around is None else around.fixed

    @cached_property
    def names(self) -> dict[str, Thing]:
        """The names that are set here, the last one last."""
        return self._first()

    def __iter__(self) -> Iterator[str]:
        """Yield every name that can be used."""
        yield from {**self.fixed, **self.names}
        yield from () if self.around is None else self.around

    def get(self, name: str, place: Place | None = None) -> Thing:
        """Return the thing of a name."""
        here: Scope | None = self
        while here is not None:
            for names in (here.fixed, here.names):
                if name in names:
                    return names[name]
            here = here.around
        near = nearest_names(name, list(dict.fromkeys(self))).strip()
        raise refusal(place, f"nothing is called {brief(name)}{f'; {near}' if near else ''}")

    def set(self, name: str, thing: Thing, place: Place) -> None:
        """Let a name stand for something from now on."""
        if name in WORDS:
            raise refusal(place, f"{name} is a word of RASP and cannot be a name")
        if name in self.fixed or name == "out":
            raise refusal(
                place, f"{name} is RASP's own and cannot be set, like {listed([*self.fixed, 'out'])}; take another name"
            )
        self.names.pop(name, None)  # so that the last one set stands last
        self.names[name] = thing

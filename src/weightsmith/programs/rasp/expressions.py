"""Expressions of RASP in Python: annotations, a name, a number, and the source location."""

import copy
import itertools
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import CodeType
from typing import Any, Protocol, TypeAlias, TypeVar

from weightsmith.errors import InputError, brief
from weightsmith.programs.form import Node
from weightsmith.programs.places import Note, Place
from weightsmith.programs.rasp.sources import place_in

SelectorValue: TypeAlias = list[list[bool]]
NumericValue: TypeAlias = int | float
Value: TypeAlias = int | float | str | bool | None
VT = TypeVar("VT", bound=Value)
T = TypeVar("T")
RASPExprT = TypeVar("RASPExprT", bound="RASPExpr")

OURS = str(Path(__file__).parents[1]) + os.sep
DEFAULT_ANNOTATORS: dict[str, Callable[["RASPExpr"], Any]] = {}
"""Default annotations: functions of the expression, called when one is first asked for."""


class Annotator(Protocol):
    """Computes a default annotation."""

    def __call__(self, expr: "RASPExpr") -> Any:
        """Return the annotation of an expression."""


class Annotations(Mapping[str, Any]):
    """The annotations of an expression; missing ones come from `DEFAULT_ANNOTATORS` when they are asked for."""

    def __init__(self, expression: "RASPExpr", given: Mapping[str, Any]) -> None:
        """Hold the annotations that were set."""
        self._expression = expression
        self._given = dict(given)

    def __getitem__(self, key: str) -> Any:
        """Return an annotation."""
        if key not in self._given:
            if key not in DEFAULT_ANNOTATORS:
                known = sorted({*self._given, *DEFAULT_ANNOTATORS})
                raise KeyError(f"there is no annotation {key!r}; there are {', '.join(known)}")
            self._given[key] = DEFAULT_ANNOTATORS[key](self._expression)
        return self._given[key]

    def __iter__(self) -> Iterator[str]:
        """Yield the keys that were set or asked for."""
        return iter(self._given)

    def __len__(self) -> int:
        """Return the number that were set or asked for."""
        return len(self._given)


class RASPExpr(ABC):
    """An expression: a sequence operation or a selector."""

    _numbers = itertools.count(1)
    _parts: tuple[str, ...] = ()  # the attributes that hold its children
    _kind: str | None = None  # its name, and that of the method that evaluates it

    def __init__(self) -> None:
        """Start without annotations, and remember who made this."""
        self._annotations: Mapping[str, Any] = Annotations(self, {})
        self._made_at = _maker()

    @abstractmethod
    def __call__(self, xs: Sequence[Any]) -> Any:
        """Return the values of this expression for an input."""

    def node(self, parts: tuple[Any, ...], note: Note) -> Node:
        """Return this expression as a node of a program, from the nodes of its children."""
        raise InputError(f"an expression of the kind {type(self).__name__} is none of RASP's: {brief(self)}")

    @property
    def children(self) -> Sequence["RASPExpr"]:
        """The expressions that this one is made of."""
        return [getattr(self, name) for name in self._parts]

    @property
    def annotations(self) -> Mapping[str, Any]:
        """The annotations of this expression."""
        return self._annotations

    @annotations.setter
    def annotations(self, annotations: Mapping[str, Any]) -> None:
        self._annotations = Annotations(self, annotations)

    @property
    def name(self) -> str:
        """The name of this expression."""
        name: str = self.annotations["name"]
        return name

    @property
    def unique_id(self) -> int:
        """The number of this expression, which no other has."""
        if "_number" not in self.__dict__:
            self._number = next(self._numbers)
        return self._number

    @property
    def label(self) -> str:
        """The name with the number."""
        return f"{self.name}_{self.unique_id}"

    @property
    def place(self) -> Place | None:
        """Where this expression was made."""
        return None if self._made_at is None else place_in(*self._made_at)

    def copy(self: RASPExprT) -> RASPExprT:
        """Return a copy with a number of its own."""
        new = copy.copy(self)
        new.__dict__.pop("_number", None)
        return new

    def named(self: RASPExprT, name: str) -> RASPExprT:
        """Return a copy with a name."""
        return annotate(self, name=name)

    def annotated(self: RASPExprT, **annotations: Any) -> RASPExprT:
        """Return a copy with annotations."""
        return annotate(self, **annotations)


def annotate(expr: RASPExprT, **annotations: Any) -> RASPExprT:
    """Return a copy of an expression with these annotations and the ones that it has."""
    new = expr.copy()
    new.annotations = {**expr.annotations, **annotations}
    return new


def _maker() -> tuple[CodeType, int] | None:
    """Return the code outside of this package that is being run, and where it is."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(OURS):
        frame = frame.f_back
    return None if frame.f_code.co_filename.startswith(OURS) else (frame.f_code, frame.f_lasti)

"""Sequence operations of RASP in Python: one value at every position of the input."""

from collections.abc import Callable, Sequence
from types import GenericAlias
from typing import Any, TypeVar

from weightsmith.programs import form
from weightsmith.programs.form import SequenceNode
from weightsmith.programs.places import Note
from weightsmith.programs.rasp.expressions import RASPExpr, Value
from weightsmith.programs.rasp.operations import FIRST, SECOND, THIRD, Chain, Linear, applied, operation
from weightsmith.programs.values import exact

SOpT = TypeVar("SOpT", bound="SOp")


def _binary(symbol: str, swapped: bool = False) -> "Callable[[SOp, Any], SOp]":
    def method(self: "SOp", other: Any) -> "SOp":
        return pointwise(symbol, other, self) if swapped else pointwise(symbol, self, other)

    method.__doc__ = f"Return other {symbol} self." if swapped else f"Return self {symbol} other."
    return method


def _unary(symbol: str) -> "Callable[[SOp], SOp]":
    def method(self: "SOp") -> "SOp":
        return pointwise(symbol, self)

    method.__doc__ = f"Return {symbol} of self."
    return method


class SOp(RASPExpr):
    """A sequence operation: called with an input it gives one value for each position.

    Operators work on every position by itself, with another operation or with a constant. `x == y` is an operation too.
    """

    _kind = "sop"

    def __call__(self, xs: Sequence[Any]) -> list[Any]:
        """Return the value at every position."""
        from weightsmith.programs.rasp.evaluation import evaluate  # it evaluates what is defined here

        values: list[Any] = evaluate(self, xs)
        return values

    def __repr__(self) -> str:
        """Return the name of this operation and of its parts."""
        return f"{self.name}({', '.join(child.name for child in self.children)})"

    def __class_getitem__(cls, values: Any) -> GenericAlias:
        """Return the class with the kind of its values, as annotations write it: `Aggregate[int]`."""
        return GenericAlias(cls, values)

    __hash__ = object.__hash__

    __lt__, __le__, __gt__, __ge__ = _binary("<"), _binary("<="), _binary(">"), _binary(">=")
    __eq__ = _binary("==")  # type: ignore[assignment]  # it makes an operation
    __ne__ = _binary("!=")  # type: ignore[assignment]  # it makes an operation
    __add__, __radd__ = _binary("+"), _binary("+", swapped=True)
    __sub__, __rsub__ = _binary("-"), _binary("-", swapped=True)
    __mul__, __rmul__ = _binary("*"), _binary("*", swapped=True)
    __truediv__, __rtruediv__ = _binary("/"), _binary("/", swapped=True)
    __floordiv__, __mod__ = _binary("//"), _binary("%")
    __neg__, __abs__, __round__ = _unary("negative"), _unary("absolute"), _unary("round")
    __and__, __rand__ = _binary("and"), _binary("and", swapped=True)  # one of the two, as in Python
    __or__ = __ror__ = _binary("or")  # also with a constant on the left, as programs for Tracr have it
    __invert__ = _unary("not")


class _Given(SOp):
    """A built-in operation."""

    def __init__(self) -> None:
        """Built-ins have no source location."""
        super().__init__()
        self._made_at = None

    @property
    def label(self) -> str:
        """The name."""
        return str(self._kind)

    def __repr__(self) -> str:
        """Return the name."""
        return str(self._kind)


class TokensType(_Given):
    """The input."""

    _kind = "tokens"

    def node(self, parts: tuple[Any, ...], note: Note) -> SequenceNode:
        """Return the tokens."""
        return form.Tokens(note=note)


class IndicesType(_Given):
    """The positions, from 0."""

    _kind = "indices"

    def node(self, parts: tuple[Any, ...], note: Note) -> SequenceNode:
        """Return the positions."""
        return form.Indices(note=note)


class LengthType(_Given):
    """How many positions the input has, at every position."""

    _kind = "length"

    def node(self, parts: tuple[Any, ...], note: Note) -> SequenceNode:
        """Return the length."""
        return form.Length(note=note)


class Map(SOp):
    """A function of one operation, at every position; None where that is None.

    With `simplify`, a map of a map is one map: its function gets the results of the inner function, even None.
    """

    _kind = "map"
    _parts = ("inner",)

    def __init__(self, f: Callable[[Any], Any], inner: SOp, simplify: bool = True) -> None:
        """Apply `f` to each value of `inner`."""
        super().__init__()
        assert isinstance(inner, SOp), f"a Map is of a sequence operation, and not of {inner!r}"
        assert _is_function(f), f"a Map has a function, and not {f!r}"
        self.f, self.inner = f, inner
        if simplify and isinstance(inner, Map):
            steps = inner.f.steps if isinstance(inner.f, Chain) else (inner.f,)
            self.f, self.inner = Chain((*steps, f)), inner.inner

    def node(self, parts: tuple[Any, ...], note: Note) -> SequenceNode:
        """Return the function of a node."""
        return applied(self.f, parts, note)


class SequenceMap(SOp):
    """A function of two operations, at every position; None where either is None."""

    _kind = "sequence_map"
    _parts = ("fst", "snd")

    def __init__(self, f: Callable[[Any, Any], Any], fst: SOp, snd: SOp) -> None:
        """Apply `f` to the values of `fst` and `snd`."""
        super().__init__()
        for one in (fst, snd):
            assert isinstance(one, SOp), f"a SequenceMap is of sequence operations, and not of {one!r}"
        assert _is_function(f), f"a SequenceMap has a function, and not {f!r}"
        self.f, self.fst, self.snd = f, fst, snd

    def node(self, parts: tuple[Any, ...], note: Note) -> SequenceNode:
        """Return the function of two nodes."""
        return applied(self.f, parts, note)


class LinearSequenceMap(SequenceMap):
    """The sum of two operations, each times a factor."""

    _kind = "linear_sequence_map"

    def __init__(self, fst: SOp, snd: SOp, fst_fac: float, snd_fac: float) -> None:
        """Return fst_fac * fst + snd_fac * snd at every position."""
        super().__init__(Linear(fst_fac, snd_fac), fst, snd)
        self.fst_fac, self.snd_fac = fst_fac, snd_fac


class Pointwise(SOp):
    """A function of any number of operations, at every position; None where one of them is None."""

    _kind = "pointwise"

    def __init__(self, f: Callable[..., Any], *sops: SOp) -> None:
        """Apply `f` to the values of all operations."""
        super().__init__()
        for one in sops:
            assert isinstance(one, SOp), f"a Pointwise is of sequence operations, and not of {one!r}"
        self.f, self.sops = f, sops

    @property
    def children(self) -> Sequence[RASPExpr]:
        """The operations."""
        return self.sops

    def node(self, parts: tuple[Any, ...], note: Note) -> SequenceNode:
        """Return the function of all nodes."""
        return applied(self.f, parts, note)


class Full(SOp):
    """One value at every position."""

    _kind = "full"

    def __init__(self, fill: Value) -> None:
        """Hold the value."""
        super().__init__()
        self.fill = fill

    def node(self, parts: tuple[Any, ...], note: Note) -> SequenceNode:
        """Return a constant."""
        return form.Constant(exact(self.fill), note=note)


class ConstantSOp(SOp):
    """Given values, whatever the input; for tests."""

    _kind = "constant_sop"

    def __init__(self, value: Sequence[Any], check_length: bool = True) -> None:
        """Hold the values; inputs of another length are refused if `check_length`."""
        super().__init__()
        self.value, self.check_length = value, check_length

    def node(self, parts: tuple[Any, ...], note: Note) -> SequenceNode:
        """Return a row of values."""
        return form.Row(tuple(exact(value) for value in self.value), self.check_length, note=note)


def _is_function(f: object) -> bool:
    return callable(f) and not isinstance(f, RASPExpr)


def pointwise(symbol: str, *arguments: Any) -> SOp:
    """Return a known operator of operations and constants; there is at least one operation."""
    sops: list[SOp] = []
    slots: list[Any] = []
    for argument in arguments:
        slots.append((FIRST, SECOND, THIRD)[len(sops)] if isinstance(argument, SOp) else argument)
        sops += [argument] if isinstance(argument, SOp) else []
    return combined(operation(symbol, *slots), sops)


def combined(f: Callable[..., Any], sops: Sequence[SOp]) -> SOp:
    """Return a function of one, two or more operations."""
    if len(sops) == 1:
        return Map(f, sops[0])
    return SequenceMap(f, *sops) if len(sops) == 2 else Pointwise(f, *sops)


tokens = TokensType()
indices = IndicesType()
length = LengthType()

"""Sequence operations of RASP in Python: one value at every position of the input."""

from collections.abc import Callable, Sequence
from types import GenericAlias
from typing import TYPE_CHECKING, Any, TypeVar

from weightsmith.programs.rasp.expressions import RASPExpr, Value
from weightsmith.programs.rasp.operations import FIRST, SECOND, THIRD, Chain, Linear, operation

if TYPE_CHECKING:
    pass

SOpT = TypeVar("SOpT", bound="SOp")


class SOp(RASPExpr):
    """A sequence operation: called with an input it gives one value for each position.

    Operators work on every position by itself, with another operation or with a constant. `x == y` is an operation too.
    """

    def __call__(self, xs: Sequence[Any]) -> list[Any]:
        """Return the value at every position."""
        from weightsmith.programs.rasp.evaluation import evaluate  # it evaluates what is defined here

        values: list[Any] = evaluate(self, xs)
        return values

    def __repr__(self) -> str:
        """Return the name of this operation and what it is made of."""
        return f"{self.name}({', '.join(child.name for child in self.children)})"

    def __class_getitem__(cls, values: Any) -> GenericAlias:
        """Return the class with the kind of its values, as annotations write it: `Aggregate[int]`."""
        return GenericAlias(cls, values)

    __hash__ = object.__hash__

    def __lt__(self, other: Any) -> "SOp":
        """Return self < other."""
        return pointwise("<", self, other)

    def __le__(self, other: Any) -> "SOp":
        """Return self <= other."""
        return pointwise("<=", self, other)

    def __eq__(self, other: object) -> "SOp":  # type: ignore[override]  # it makes an operation
        """Return self == other."""
        return pointwise("==", self, other)

    def __ne__(self, other: object) -> "SOp":  # type: ignore[override]  # it makes an operation
        """Return self != other."""
        return pointwise("!=", self, other)

    def __gt__(self, other: Any) -> "SOp":
        """Return self > other."""
        return pointwise(">", self, other)

    def __ge__(self, other: Any) -> "SOp":
        """Return self >= other."""
        return pointwise(">=", self, other)

    def __add__(self, other: Any) -> "SOp":
        """Return self + other."""
        return pointwise("+", self, other)

    def __radd__(self, other: Any) -> "SOp":
        """Return other + self."""
        return pointwise("+", other, self)

    def __sub__(self, other: Any) -> "SOp":
        """Return self - other."""
        return pointwise("-", self, other)

    def __rsub__(self, other: Any) -> "SOp":
        """Return other - self."""
        return pointwise("-", other, self)

    def __mul__(self, other: Any) -> "SOp":
        """Return self * other."""
        return pointwise("*", self, other)

    def __rmul__(self, other: Any) -> "SOp":
        """Return other * self."""
        return pointwise("*", other, self)

    def __truediv__(self, other: Any) -> "SOp":
        """Return self / other."""
        return pointwise("/", self, other)

    def __rtruediv__(self, other: Any) -> "SOp":
        """Return other / self."""
        return pointwise("/", other, self)

    def __floordiv__(self, other: Any) -> "SOp":
        """Return self // other."""
        return pointwise("//", self, other)

    def __mod__(self, other: Any) -> "SOp":
        """Return self % other."""
        return pointwise("%", self, other)

    def __neg__(self) -> "SOp":
        """Return -self."""
        return pointwise("negative", self)

    def __abs__(self) -> "SOp":
        """Return the absolute value."""
        return pointwise("absolute", self)

    def __round__(self) -> "SOp":
        """Return the nearest whole number; halves go to the even one."""
        return pointwise("round", self)

    def __invert__(self) -> "SOp":
        """Return whether self is false."""
        return pointwise("not", self)

    def __and__(self, other: Any) -> "SOp":
        """Return `self and other`, one of the two as in Python."""
        return pointwise("and", self, other)

    def __rand__(self, other: Any) -> "SOp":
        """Return `other and self`, one of the two as in Python."""
        return pointwise("and", other, self)

    def __or__(self, other: Any) -> "SOp":
        """Return `self or other`, one of the two as in Python."""
        return pointwise("or", self, other)

    def __ror__(self, other: Any) -> "SOp":
        """Return `self or other` for a constant on the left, as programs for Tracr have it."""
        return pointwise("or", self, other)


class _Given(SOp):
    """An operation that is there from the start."""

    _shown: str

    def __init__(self) -> None:
        """Be there, wherever that is."""
        super().__init__()
        self._made_at = None

    @property
    def children(self) -> Sequence[RASPExpr]:
        """Nothing."""
        return []

    @property
    def label(self) -> str:
        """The name."""
        return self._shown

    def __repr__(self) -> str:
        """Return the name."""
        return self._shown


class TokensType(_Given):
    """The input."""

    _shown = "tokens"


class IndicesType(_Given):
    """The positions, from 0."""

    _shown = "indices"


class LengthType(_Given):
    """How many positions the input has, at every position."""

    _shown = "length"


class Map(SOp):
    """A function of one operation, at every position; None where that is None.

    With `simplify`, a map of a map is one map: its function gets what the inner function gives, even None.
    """

    def __init__(self, f: Callable[[Any], Any], inner: SOp, simplify: bool = True) -> None:
        """Apply `f` to each value of `inner`."""
        super().__init__()
        assert isinstance(inner, SOp), f"a Map is of a sequence operation, and not of {inner!r}"
        assert _is_function(f), f"a Map has a function, and not {f!r}"
        self.f, self.inner = f, inner
        if simplify and isinstance(inner, Map):
            steps = inner.f.steps if isinstance(inner.f, Chain) else (inner.f,)
            self.f, self.inner = Chain((*steps, f)), inner.inner

    @property
    def children(self) -> Sequence[RASPExpr]:
        """The operation that is mapped."""
        return [self.inner]


class SequenceMap(SOp):
    """A function of two operations, at every position; None where either is None."""

    def __init__(self, f: Callable[[Any, Any], Any], fst: SOp, snd: SOp) -> None:
        """Apply `f` to the values of `fst` and `snd`."""
        super().__init__()
        for one in (fst, snd):
            assert isinstance(one, SOp), f"a SequenceMap is of sequence operations, and not of {one!r}"
        assert _is_function(f), f"a SequenceMap has a function, and not {f!r}"
        self.f, self.fst, self.snd = f, fst, snd

    @property
    def children(self) -> Sequence[RASPExpr]:
        """The two operations."""
        return [self.fst, self.snd]


class LinearSequenceMap(SequenceMap):
    """The sum of two operations, each times a factor."""

    def __init__(self, fst: SOp, snd: SOp, fst_fac: float, snd_fac: float) -> None:
        """Return fst_fac * fst + snd_fac * snd at every position."""
        super().__init__(Linear(fst_fac, snd_fac), fst, snd)
        self.fst_fac, self.snd_fac = fst_fac, snd_fac


class Pointwise(SOp):
    """A function of any number of operations, at every position; None where one of them is None."""

    def __init__(self, f: Callable[..., Any], *sops: SOp) -> None:
        """Apply `f` to the values of all operations."""
        super().__init__()
        for one in sops:
            assert isinstance(one, SOp), f"a Pointwise is of sequence operations, and not of {one!r}"
        self.f, self.sops = f, sops

    @property
    def children(self) -> Sequence[RASPExpr]:
        """The operations."""
        return list(self.sops)


class Full(SOp):
    """One value at every position."""

    def __init__(self, fill: Value) -> None:
        """Hold the value."""
        super().__init__()
        self.fill = fill

    @property
    def children(self) -> Sequence[RASPExpr]:
        """Nothing."""
        return []


class ConstantSOp(SOp):
    """Given values, whatever the input; for tests."""

    def __init__(self, value: Sequence[Any], check_length: bool = True) -> None:
        """Hold the values; inputs of another length are refused if `check_length`."""
        super().__init__()
        self.value, self.check_length = value, check_length

    @property
    def children(self) -> Sequence[RASPExpr]:
        """Nothing."""
        return []


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
    """Return a function of operations as the expression for so many of them."""
    if len(sops) == 1:
        return Map(f, sops[0])
    return SequenceMap(f, *sops) if len(sops) == 2 else Pointwise(f, *sops)


tokens = TokensType()
indices = IndicesType()
length = LengthType()

"""Selectors of RASP in Python: which positions every position selects."""

import enum
from collections.abc import Callable, Sequence
from typing import Any, Protocol, cast

from weightsmith.programs import form
from weightsmith.programs.form import SelectorNode
from weightsmith.programs.operators import COMPARISONS
from weightsmith.programs.places import Note
from weightsmith.programs.rasp.expressions import RASPExpr, SelectorValue
from weightsmith.programs.rasp.operations import known_symbol, opaque
from weightsmith.programs.rasp.sequences import Full, SOp


class Predicate(Protocol):
    """Says whether a pair of a key and a query is selected."""

    def __call__(self, key: Any, query: Any, /) -> Any:
        """Return whether the pair is selected."""


class Comparison(enum.Enum):
    """How a key is compared with a query."""

    EQ = "=="
    LT = "<"
    LEQ = "<="
    GT = ">"
    GEQ = ">="
    NEQ = "!="
    TRUE = "True"
    FALSE = "False"

    def __call__(self, key: Any, query: Any) -> bool:
        """Return whether the pair compares so."""
        for name, value in (("key", key), ("query", query)):
            if value is None:
                raise ValueError(f"{name} is None!")
        if self in (Comparison.TRUE, Comparison.FALSE):
            return self is Comparison.TRUE
        return bool(COMPARISONS[self.value](key, query))


class Selector(RASPExpr):
    """A selector: called with an input it gives a row for each query, with a truth value for each key."""

    _kind = "selector"

    def __call__(self, xs: Sequence[Any]) -> SelectorValue:
        """Return for every position which positions it selects."""
        from weightsmith.programs.rasp.evaluation import evaluate  # it evaluates what is defined here

        rows: SelectorValue = evaluate(self, xs)
        return rows

    def __repr__(self) -> str:
        """Return the name of this selector and of its parts."""
        return f"{self.name}({', '.join(child.name for child in self.children)})"

    def __and__(self, other: "Selector") -> "Selector":
        """Return the pairs that both select."""
        return selector_and(self, other)

    def __rand__(self, other: "Selector") -> "Selector":
        """Return the pairs that both select."""
        return selector_and(other, self)

    def __or__(self, other: "Selector") -> "Selector":
        """Return the pairs that either selects."""
        return selector_or(self, other)

    def __ror__(self, other: "Selector") -> "Selector":
        """Return the pairs that either selects."""
        return selector_or(other, self)

    def __invert__(self) -> "Selector":
        """Return the pairs that this does not select."""
        return selector_not(self)


class Select(Selector):
    """The pairs of which a predicate holds: a `Comparison`, or a function of (key, query)."""

    _kind = "select"
    _parts = ("keys", "queries")

    meaning: Selector | None = None  # the selector before simplification

    def __init__(self, keys: SOp, queries: SOp, predicate: Predicate) -> None:
        """Compare each value of `keys` with each of `queries`."""
        super().__init__()
        for one in (keys, queries):
            assert isinstance(one, SOp), f"a Select is of sequence operations, and not of {one!r}"
        self.keys, self.queries, self.predicate = keys, queries, predicate

    def node(self, parts: tuple[Any, ...], note: Note) -> SelectorNode:
        """Return the select, or the selector that it was simplified from."""
        if self.meaning is not None:
            return cast(SelectorNode, parts[0])
        keys, queries = parts
        if isinstance(self.predicate, Comparison):
            return form.select(keys, queries, self.predicate.value.lower(), note)
        symbol = known_symbol(self.predicate)
        known = symbol if symbol in COMPARISONS else None
        return form.select(keys, queries, known or opaque(self.predicate, note), note)


class ConstantSelector(Selector):
    """Given pairs, whatever the input; for tests."""

    _kind = "constant_selector"

    def __init__(self, value: SelectorValue, check_length: bool = True) -> None:
        """Hold a row for each query; inputs of another length are refused if `check_length`."""
        super().__init__()
        self.value, self.check_length = value, check_length

    def node(self, parts: tuple[Any, ...], note: Note) -> SelectorNode:
        """Return the pairs as a matrix."""
        rows = tuple(tuple(bool(one) for one in row) for row in self.value)
        return form.Matrix(rows, self.check_length, note=note)


class _OfTwo(Selector):
    _parts = ("fst", "snd")

    def __init__(self, fst: Selector, snd: Selector) -> None:
        """Combine two selectors."""
        super().__init__()
        for one in (fst, snd):
            assert isinstance(one, Selector), f"a {type(self).__name__} is of selectors, and not of {one!r}"
        self.fst, self.snd = fst, snd


class SelectorAnd(_OfTwo):
    """The pairs that both select."""

    _kind = "selector_and"

    def node(self, parts: tuple[Any, ...], note: Note) -> SelectorNode:
        """Return the conjunction."""
        return form.And(*parts, note=note)


class SelectorOr(_OfTwo):
    """The pairs that either selects."""

    _kind = "selector_or"

    def node(self, parts: tuple[Any, ...], note: Note) -> SelectorNode:
        """Return the disjunction."""
        return form.Or(*parts, note=note)


class SelectorNot(Selector):
    """The pairs that the other does not select."""

    _kind = "selector_not"
    _parts = ("inner",)

    def __init__(self, inner: Selector) -> None:
        """Turn a selector round."""
        super().__init__()
        assert isinstance(inner, Selector), f"a SelectorNot is of a selector, and not of {inner!r}"
        self.inner = inner

    def node(self, parts: tuple[Any, ...], note: Note) -> SelectorNode:
        """Return the negation."""
        return form.Not(*parts, note=note)


def selector_not(inner: Selector, simplify: bool = True) -> Selector:
    """Return the pairs that `inner` does not select: a Select, where `inner` is one and `simplify` is wanted."""
    turned = SelectorNot(inner)
    if not simplify or not isinstance(inner, Select):
        return turned
    return _simplified(inner.keys, inner.queries, lambda key, query: not inner.predicate(key, query), turned)


def selector_and(fst: Selector, snd: Selector, simplify: bool = True) -> Selector:
    """Return the pairs that both select: a Select, where both are of the same keys and queries."""
    return _combined(SelectorAnd(fst, snd), simplify, lambda first, second: first() and second())


def selector_or(fst: Selector, snd: Selector, simplify: bool = True) -> Selector:
    """Return the pairs that either selects: a Select, where both are of the same keys and queries."""
    return _combined(SelectorOr(fst, snd), simplify, lambda first, second: first() or second())


def _combined(pair: _OfTwo, simplify: bool, combine: Callable[..., bool]) -> Selector:
    fst, snd = pair.fst, pair.snd
    if not simplify or not isinstance(fst, Select) or not isinstance(snd, Select):
        return pair
    keys, queries = _common(fst.keys, snd.keys), _common(fst.queries, snd.queries)
    if keys is None or queries is None:
        return pair

    def predicate(key: Any, query: Any) -> bool:
        return combine(lambda: _asked(fst, key, query), lambda: _asked(snd, key, query))

    return _simplified(keys, queries, predicate, pair)


def _common(one: SOp, other: SOp) -> SOp | None:
    """Return the operation that can stand for both: a constant is at hand wherever it is needed."""
    if one is other or isinstance(other, Full):
        return one
    return other if isinstance(one, Full) else None


def _asked(select: Select, key: Any, query: Any) -> bool:
    keys, queries = select.keys, select.queries
    return bool(
        select.predicate(
            keys.fill if isinstance(keys, Full) else key, queries.fill if isinstance(queries, Full) else query
        )
    )


def _simplified(keys: SOp, queries: SOp, predicate: Predicate, meaning: Selector) -> Select:
    select = Select(keys, queries, predicate)
    select.meaning = meaning
    return select

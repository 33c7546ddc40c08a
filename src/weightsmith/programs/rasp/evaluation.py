"""Evaluating expressions of RASP in Python: each step is a small program, and the interpreter says what it means."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from weightsmith.programs.form import Matrix, Node, Row, SelectorNode, SequenceNode, Width
from weightsmith.programs.graph import Program
from weightsmith.programs.interpreter import ProgramRun
from weightsmith.programs.rasp import aggregates, selectors, sequences
from weightsmith.programs.rasp.conversion import dependencies, node_of
from weightsmith.programs.rasp.expressions import RASPExpr
from weightsmith.programs.values import exact, presented


class RASPEvaluator(ABC):
    """Something that evaluates expressions."""

    @abstractmethod
    def evaluate(self, expr: RASPExpr, xs: Sequence[Any]) -> Any:
        """Return the values of an expression for an input."""


class DefaultRASPEvaluator(RASPEvaluator):
    """The evaluator behind `sop(input)`; to change the meaning of one kind of expression, override its method."""

    def __init__(self) -> None:
        """Start with nothing evaluated."""
        self._known: dict[tuple[int, int], tuple[RASPExpr, Sequence[Any], Any]] | None = None
        self._methods: dict[type[RASPExpr], Callable[[Any, Sequence[Any]], Any]] = {
            sequences.TokensType: self.eval_tokens,
            sequences.IndicesType: self.eval_indices,
            sequences.LengthType: self.eval_length,
            sequences.SequenceMap: self.eval_sequence_map,
            sequences.Map: self.eval_map,
            sequences.Pointwise: self.eval_pointwise,
            sequences.Full: self.eval_full,
            sequences.ConstantSOp: self.eval_constant_sop,
            aggregates.SelectorWidth: self.eval_selector_width,
            aggregates.Aggregate: self.eval_aggregate,
            selectors.Select: self.eval_select,
            selectors.SelectorAnd: self.eval_selector_and,
            selectors.SelectorOr: self.eval_selector_or,
            selectors.SelectorNot: self.eval_selector_not,
            selectors.ConstantSelector: self.eval_constant_selector,
        }

    def evaluate(self, expr: RASPExpr, xs: Sequence[Any]) -> Any:
        """Return the values of an operation, or the rows of a selector; shared parts are evaluated once."""
        if self._known is None:
            self._known = {}
            try:
                return self.evaluate(expr, xs)
            finally:
                self._known = None
        key = (id(expr), id(xs))
        if key not in self._known:
            self._known[key] = (expr, xs, self._method(expr)(expr, xs))  # what is held here keeps its id
        return self._known[key][2]

    def _method(self, expr: RASPExpr) -> Callable[[Any, Sequence[Any]], Any]:
        for kind, method in self._methods.items():
            if isinstance(expr, kind):
                return method
        raise NotImplementedError(f"how to evaluate a {type(expr).__name__} is not known: {expr!r}")

    def _step(self, expr: RASPExpr, xs: Sequence[Any]) -> Any:
        """Return what one expression makes of the values of its parts."""
        parts = tuple(_given(part, self.evaluate(part, xs)) for part in dependencies(expr))
        node = node_of(expr, parts)
        if isinstance(node, SelectorNode):
            return ProgramRun(Program(Width(node), "tracr"), xs).rows()
        assert isinstance(node, SequenceNode)
        program = Program(node, "tracr")
        return [presented(value) for value in ProgramRun(program, xs).values(program.output)]

    def eval_tokens(self, sop: sequences.TokensType, xs: Sequence[Any]) -> list[Any]:
        """Return the input."""
        return list(xs)

    def eval_indices(self, sop: sequences.IndicesType, xs: Sequence[Any]) -> list[Any]:
        """Return the positions."""
        return list(range(len(xs)))

    def eval_length(self, sop: sequences.LengthType, xs: Sequence[Any]) -> list[Any]:
        """Return the length at every position."""
        return [len(xs)] * len(xs)

    def eval_map(self, sop: sequences.Map, xs: Sequence[Any]) -> Any:
        """Return a function of one operation."""
        return self._step(sop, xs)

    def eval_sequence_map(self, sop: sequences.SequenceMap, xs: Sequence[Any]) -> Any:
        """Return a function of two operations."""
        return self._step(sop, xs)

    def eval_pointwise(self, sop: sequences.Pointwise, xs: Sequence[Any]) -> Any:
        """Return a function of several operations."""
        return self._step(sop, xs)

    def eval_full(self, sop: sequences.Full, xs: Sequence[Any]) -> list[Any]:
        """Return a value at every position."""
        return [sop.fill] * len(xs)

    def eval_constant_sop(self, sop: sequences.ConstantSOp, xs: Sequence[Any]) -> Any:
        """Return the given values."""
        return self._step(sop, xs) if sop.check_length else list(sop.value)

    def eval_selector_width(self, sop: aggregates.SelectorWidth, xs: Sequence[Any]) -> Any:
        """Return how many positions are selected."""
        return self._step(sop, xs)

    def eval_aggregate(self, sop: aggregates.Aggregate, xs: Sequence[Any]) -> Any:
        """Return the means of the selected values."""
        return self._step(sop, xs)

    def eval_select(self, sel: selectors.Select, xs: Sequence[Any]) -> Any:
        """Return the pairs of which the predicate holds."""
        return self._step(sel, xs)

    def eval_constant_selector(self, sel: selectors.ConstantSelector, xs: Sequence[Any]) -> Any:
        """Return the given pairs."""
        return self._step(sel, xs) if sel.check_length else [list(row) for row in sel.value]

    def eval_selector_and(self, sel: selectors.SelectorAnd, xs: Sequence[Any]) -> Any:
        """Return the pairs that both select."""
        return self._step(sel, xs)

    def eval_selector_or(self, sel: selectors.SelectorOr, xs: Sequence[Any]) -> Any:
        """Return the pairs that either selects."""
        return self._step(sel, xs)

    def eval_selector_not(self, sel: selectors.SelectorNot, xs: Sequence[Any]) -> Any:
        """Return the pairs that the other does not select."""
        return self._step(sel, xs)


def _given(part: RASPExpr, values: Any) -> Node:
    if isinstance(part, sequences.SOp):
        return Row(tuple(exact(value) for value in values), only_this_length=False)
    return Matrix(tuple(tuple(bool(one) for one in row) for row in values), only_this_length=False)


def evaluate(expr: RASPExpr, xs: Sequence[Any]) -> Any:
    """Return the values of an operation, or the rows of a selector, for an input."""
    return DefaultRASPEvaluator().evaluate(expr, xs)

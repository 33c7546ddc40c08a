"""Evaluating expressions of RASP in Python: each step is a small program for the interpreter."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, cast

from weightsmith.programs.form import Matrix, Node, Row, SelectorNode, SequenceNode, Width
from weightsmith.programs.graph import Program
from weightsmith.programs.interpreter import ProgramRun
from weightsmith.programs.rasp import selectors, sequences
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
            self._known[key] = (expr, xs, self._method(expr)(expr, xs))  # objects that are held keep their ids
        return self._known[key][2]

    def _method(self, expr: RASPExpr) -> Callable[[Any, Sequence[Any]], Any]:
        for kind in type(expr).__mro__:
            method = getattr(self, f"eval_{kind.__dict__.get('_kind')}", None)
            if method is not None:
                return cast(Callable[[Any, Sequence[Any]], Any], method)
        if type(expr).node is RASPExpr.node:
            raise NotImplementedError(f"how to evaluate a {type(expr).__name__} is not known: {expr!r}")
        return self._step

    def _step(self, expr: RASPExpr, xs: Sequence[Any]) -> Any:
        """Return the value of one expression, from the values of its parts."""
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

    def eval_full(self, sop: sequences.Full, xs: Sequence[Any]) -> list[Any]:
        """Return a value at every position."""
        return [sop.fill] * len(xs)

    def eval_constant_sop(self, sop: sequences.ConstantSOp, xs: Sequence[Any]) -> Any:
        """Return its values."""
        return self._step(sop, xs) if sop.check_length else list(sop.value)

    def eval_constant_selector(self, sel: selectors.ConstantSelector, xs: Sequence[Any]) -> Any:
        """Return its pairs."""
        return self._step(sel, xs) if sel.check_length else [list(row) for row in sel.value]

    eval_map = eval_sequence_map = eval_pointwise = eval_selector_width = eval_aggregate = _step
    eval_select = eval_selector_and = eval_selector_or = eval_selector_not = _step


def _given(part: RASPExpr, values: Any) -> Node:
    if isinstance(part, sequences.SOp):
        return Row(tuple(exact(value) for value in values), only_this_length=False)
    return Matrix(tuple(tuple(bool(one) for one in row) for row in values), only_this_length=False)


def evaluate(expr: RASPExpr, xs: Sequence[Any]) -> Any:
    """Return the values of an operation, or the rows of a selector, for an input."""
    return DefaultRASPEvaluator().evaluate(expr, xs)

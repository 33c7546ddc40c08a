"""Encodings and names: annotations that every expression has without being asked."""

import enum
from typing import Any

from weightsmith.programs.rasp.aggregates import Aggregate, SelectorWidth
from weightsmith.programs.rasp.expressions import DEFAULT_ANNOTATORS, RASPExpr, annotate
from weightsmith.programs.rasp.selectors import (
    ConstantSelector,
    Select,
    Selector,
    SelectorAnd,
    SelectorNot,
    SelectorOr,
)
from weightsmith.programs.rasp.sequences import (
    ConstantSOp,
    Full,
    IndicesType,
    LengthType,
    LinearSequenceMap,
    Map,
    Pointwise,
    SequenceMap,
    SOp,
    SOpT,
    TokensType,
)


class Encoding(enum.Enum):
    """How values are held: each by itself, or as a number. It changes no meaning."""

    CATEGORICAL = "categorical"
    NUMERICAL = "numerical"


NAMES: dict[Any, str] = {  # a kind before the kinds that it belongs to
    TokensType: "tokens",
    IndicesType: "indices",
    LengthType: "length",
    LinearSequenceMap: "linear_sequence_map",
    SequenceMap: "sequence_map",
    Map: "map",
    Pointwise: "pointwise",
    Full: "full",
    ConstantSOp: "constant_sop",
    SelectorWidth: "selector_width",
    Aggregate: "aggregate",
    SOp: "sop",
    Select: "select",
    SelectorAnd: "selector_and",
    SelectorOr: "selector_or",
    SelectorNot: "selector_not",
    ConstantSelector: "constant_selector",
    Selector: "selector",
}


def numerical(sop: SOpT) -> SOpT:
    """Return a copy that is said to hold numbers."""
    return annotate(sop, encoding=Encoding.NUMERICAL)


def categorical(sop: SOpT) -> SOpT:
    """Return a copy that is said to hold each value by itself."""
    return annotate(sop, encoding=Encoding.CATEGORICAL)


def get_encoding(sop: SOp) -> Encoding:
    """Return the encoding of an operation."""
    encoding: Encoding = sop.annotations["encoding"]
    return encoding


def is_numerical(sop: SOp) -> bool:
    """Say whether an operation is said to hold numbers."""
    return get_encoding(sop) == Encoding.NUMERICAL


def is_categorical(sop: SOp) -> bool:
    """Say whether an operation is said to hold each value by itself."""
    return get_encoding(sop) == Encoding.CATEGORICAL


def default_encoding(expr: RASPExpr) -> Encoding | None:
    """Return the encoding where none was given: categorical."""
    if not isinstance(expr, SOp):
        raise TypeError(f"{expr!r} is no sequence operation, and only those have an encoding")
    return Encoding.CATEGORICAL


def default_name(expr: RASPExpr) -> str:
    """Return the name where none was given: that of its kind."""
    for kind, name in NAMES.items():
        if isinstance(expr, kind):
            return name
    raise NotImplementedError(f"an expression of the kind {type(expr).__name__} has no name: give it one by .named()")


DEFAULT_ANNOTATORS["encoding"] = default_encoding
DEFAULT_ANNOTATORS["name"] = default_name

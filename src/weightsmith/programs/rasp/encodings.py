"""Encodings and names: annotations that every expression has without being asked."""

import enum

from weightsmith.programs.rasp.expressions import DEFAULT_ANNOTATORS, RASPExpr, annotate
from weightsmith.programs.rasp.sequences import SOp, SOpT


class Encoding(enum.Enum):
    """How values are held: each by itself, or as a number. It changes no meaning."""

    CATEGORICAL = "categorical"
    NUMERICAL = "numerical"


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
    """Return whether an operation is said to hold numbers."""
    return get_encoding(sop) == Encoding.NUMERICAL


def is_categorical(sop: SOp) -> bool:
    """Return whether an operation is said to hold each value by itself."""
    return get_encoding(sop) == Encoding.CATEGORICAL


def default_encoding(expr: RASPExpr) -> Encoding | None:
    """Return the default encoding: categorical."""
    if not isinstance(expr, SOp):
        raise TypeError(f"{expr!r} is no sequence operation, and only those have an encoding")
    return Encoding.CATEGORICAL


def default_name(expr: RASPExpr) -> str:
    """Return the default name: that of its kind."""
    if expr._kind is not None:
        return expr._kind
    raise NotImplementedError(f"an expression of the kind {type(expr).__name__} has no name: give it one by .named()")


DEFAULT_ANNOTATORS["encoding"] = default_encoding
DEFAULT_ANNOTATORS["name"] = default_name

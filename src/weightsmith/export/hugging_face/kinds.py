"""What kinds of exported models there are: language models and classifiers, in several types of floats."""

from typing import Literal, TypeAlias, get_args

from weightsmith.arithmetic import Native
from weightsmith.errors import InputError, brief
from weightsmith.model import Transformer

Dtype: TypeAlias = Literal["float64", "float32", "bfloat16", "float16"]


def checked_dtype(T: Transformer, dtype: object) -> Dtype:
    """Return the type of the weights: what is asked for, or that of the arithmetic."""
    if dtype is None:
        return T.arithmetic.dtype if isinstance(T.arithmetic, Native) else "float64"
    if isinstance(dtype, str) and dtype in get_args(Dtype):
        return dtype  # type: ignore[return-value]
    raise InputError(f"dtype={brief(dtype)}: write one of {', '.join(get_args(Dtype))}")


def is_language_model(T: Transformer) -> bool:
    """Say whether the classes are the vocabulary, so that a decision is the next token."""
    return tuple(T.classes) == tuple(T.vocabulary)

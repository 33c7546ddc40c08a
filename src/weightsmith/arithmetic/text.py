"""From the text form of an arithmetic back to the arithmetic: `fixed(4,4)`, `float(4,3,ties=even)`, `float16`."""

import re
from collections.abc import Callable
from typing import cast

from weightsmith.arithmetic.base import Arithmetic
from weightsmith.arithmetic.core import Ties
from weightsmith.arithmetic.native import Native, NativeType
from weightsmith.arithmetic.saturating import HARDWARE, Fixed, Float, HardwareFormat, TwosComplement
from weightsmith.errors import InputError, brief

_FORM = re.compile(
    r"""\s* ([a-z0-9]+) \s*                               # the family or the format
    (?: \( \s*
        (?: ([0-9]{1,4}) \s* , \s* ([0-9]{1,4}) \s* )?    # its two sizes
        (?: (?: , | (?<=\() ) \s* ties \s* = \s* ([a-z]+) \s* )?
    \) \s* )?""",
    re.VERBOSE,
)
_FAMILIES: dict[str, Callable[..., Arithmetic]] = {"fixed": Fixed, "float": Float, "twos": TwosComplement}


def parse_arithmetic(text: str) -> Arithmetic:
    """Read the text form of an arithmetic.

    >>> parse_arithmetic("float(4,3)")
    Float(4, 3)
    """
    match = _FORM.fullmatch(text.lower()) if isinstance(text, str) and len(text) <= 100 else None
    if match:
        name, first, second, ties = match.groups()
        if name in _FAMILIES and first is not None:
            return _FAMILIES[name](int(first), int(second), ties or "zero")
        if name in HARDWARE and first is None:
            return Float.like(cast(HardwareFormat, name), cast(Ties, ties or "zero"))
        if name in ("float32", "float64") and "(" not in text:
            return Native(cast(NativeType, name))
    raise InputError(
        f"{brief(text, 120)} is not an arithmetic: write fixed(4,4), float(4,3), one of {', '.join(HARDWARE)} "
        "(each also with ties=even or ties=away, as in fixed(4,4,ties=even)), float32 or float64"
    )

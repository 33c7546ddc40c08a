"""From the text form of an arithmetic back to the arithmetic: `fixed(4,4)`, `float(4,3,ties=even)`, `float16`."""

import re
from collections.abc import Callable
from typing import cast

from weightsmith.arithmetic.base import Arithmetic, Ties
from weightsmith.arithmetic.native import Native, NativeType
from weightsmith.arithmetic.saturating import HARDWARE, Fixed, Float, HardwareFormat, TwosComplement
from weightsmith.errors import InputError

_FORM = re.compile(r"([a-z0-9]+)(?:\((?:(\d{1,4}),(\d{1,4}))?(?:(?:,|(?<=\())ties=([a-z]+))?\))?")
_FAMILIES: dict[str, Callable[..., Arithmetic]] = {"fixed": Fixed, "float": Float, "twos": TwosComplement}


def parse_arithmetic(text: str) -> Arithmetic:
    """Read the text form of an arithmetic.

    >>> parse_arithmetic("float(4,3)")
    Float(4, 3)
    """
    compact = "".join(str(text).split()).lower() if len(str(text)) <= 100 else ""
    match = _FORM.fullmatch(compact)
    if match:
        name, first, second, ties = match.groups()
        if name in _FAMILIES and first is not None:
            return _FAMILIES[name](int(first), int(second), ties or "zero")
        if name in HARDWARE and first is None:
            return Float.like(cast(HardwareFormat, name), cast(Ties, ties or "zero"))
        if compact in ("float32", "float64"):
            return Native(cast(NativeType, compact))
    raise InputError(
        f"{text!r:.120} is not an arithmetic: write fixed(4,4), float(4,3), one of {', '.join(HARDWARE)} "
        "(each also with ties=even or ties=away, as in fixed(4,4,ties=even)), float32 or float64"
    )

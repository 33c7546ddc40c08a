"""Ways to write functions of every position by itself."""

from collections.abc import Callable
from typing import Any

from weightsmith.programs.rasp.operations import Slot
from weightsmith.programs.rasp.sequences import Full, SOp, combined, pointwise


def where(condition: Any, yes: Any, no: Any) -> SOp:
    """Return `yes` where the condition is true and `no` elsewhere; each is an operation or a constant."""
    if not any(isinstance(one, SOp) for one in (condition, yes, no)):
        return Full(yes if condition else no)
    return pointwise("where", condition, yes, no)


def function(f: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function of values one of operations: a decorator. Constants may stand in place of operations.

    >>> from weightsmith.programs import function, rasp
    >>> @function
    ... def capped(x, most):
    ...     return min(x, most)
    >>> capped(rasp.indices, 2)("abcd")
    [0, 1, 2, 2]
    """

    def of_operations(*arguments: Any) -> Any:
        sops = [one for one in arguments if isinstance(one, SOp)]
        if not sops:
            return f(*arguments)
        if len(sops) == len(arguments):
            return combined(f, sops)
        slots = iter(range(len(sops)))
        pattern = [Slot(next(slots)) if isinstance(one, SOp) else one for one in arguments]

        def filled(*values: Any) -> Any:
            return f(*(values[one.index] if isinstance(one, Slot) else one for one in pattern))

        filled.__name__ = getattr(f, "__name__", "function")
        return combined(filled, sops)

    of_operations.__name__ = getattr(f, "__name__", "function")
    of_operations.__doc__ = f.__doc__
    return of_operations


def sop_not(sop: SOp) -> SOp:
    """Return whether an operation is false, at every position."""
    return pointwise("not", sop)

"""What a rewrite needs of the arithmetic, and the refusal where that is missing."""

from weightsmith.arithmetic import Arithmetic, laws
from weightsmith.errors import LawError

COPYING = ("symmetric", "zero product", "unit product")  # what pairs of neurons need to copy a lane


def require(arithmetic: Arithmetic, names: tuple[str, ...], rewrite: str, instead: str) -> None:
    """Refuse an arithmetic that lacks one of the laws, with the counterexample and what to use instead."""
    for law in laws(arithmetic):
        if law.name in names and not law.holds:
            raise LawError(
                f"{rewrite} needs the law '{law.statement}' ({law.name}), which fails in {arithmetic}: "
                f"{law.counterexample}; {instead}"
            )

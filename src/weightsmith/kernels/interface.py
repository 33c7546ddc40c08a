"""What all faster runs have in common."""

from typing import Protocol, TypeVar

Inputs = TypeVar("Inputs", contravariant=True)
Results = TypeVar("Results", covariant=True)


class FastRun(Protocol[Inputs, Results]):
    """A faster run of one transformer, which it was made from: it computes what the reference semantics define."""

    def evaluate(self, inputs: Inputs, /) -> Results:
        """Run the transformer on many inputs at once, laid out as this kind of run wants them."""

    def bytes_needed(self, positions: int, columns: int) -> int:
        """Return the memory that `evaluate` takes for inputs of so many positions, which have so many columns in all.

        A column is one position of one input; what inputs share is one column.
        """

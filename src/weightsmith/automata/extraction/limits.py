"""The bounds and thresholds of an extraction, in one record: what is found depends on them, but not whether it is true.

Some say when to give up, the others which of two ways is faster. Tests set all of them to 1, 2, 3 …, so that every one
is reached again and again: `with using(Limits(sums=2)): …`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields

from weightsmith.errors import whole_field


@dataclass(frozen=True)
class Limits:
    """Numbers from 1 on."""

    # Beyond these, nothing is found
    counted_keys: int = 1 << 14  # keys that share a weight above 0
    ages: int = 1 << 12  # positions after which the penalty for distance must be −∞

    # Merging what has the same outcome: looked for in no more cases than these
    outcomes: int = 20_000  # vectors after a block that are computed at once
    told_heads: int = 2  # heads of a block, if outcomes are looked at before all of them are known
    sums: int = 500  # sums of terms that are looked at, to say that none of them matters; all of them or none
    sampled_sums: int = 6  # of these, to see at once that some do matter
    states_per_outcome: int = 16  # states that are made and merged in the time in which one outcome is computed
    pairs_per_state: int = 8  # pairs that are made, for each state of either machine, where merging is worth while

    # Which of two ways is taken
    tried_guesses: int = 3  # guesses of a head, of which all are tried with another head
    machines_at_once: int = 16  # machines, of which the smallest are paired first
    kept_views: int = 6  # views that others are made from, those that were used last
    member_bits: int = 12  # bits of an arithmetic, if a table of sums has a column for every member
    reach_states: int = 1 << 12  # states of a normaliser, if it is known for all at once which leads where
    plain_states: int = 10_000  # states that are walked through before the fold is made small by itself
    fold_steps: int = 200_000  # steps of a fold that is made small by itself
    joined_states: int = 200_000  # states of one machine for all decisions, where several would do

    # How much is done at a time
    first_rows: int = 256  # states for which there is room at first; it doubles
    slice_steps: int = 100_000  # steps of a compiled loop until the budget is looked at again
    slice_products: int = 500_000  # products of weights and vectors, likewise

    def __post_init__(self) -> None:
        """Refuse what is no number from 1 on."""
        for field in fields(self):
            whole_field(self, field.name, 1, meaning="a bound of the extraction")


DEFAULT = Limits()
_using: ContextVar[Limits | None] = ContextVar("limits of the extraction", default=None)


def current() -> Limits:
    """Return the limits that a new budget has."""
    return _using.get() or DEFAULT


@contextmanager
def using(limits: Limits) -> Iterator[None]:
    """Give other limits to the budgets that are made meanwhile, in this thread."""
    before = _using.set(limits)
    try:
        yield
    finally:
        _using.reset(before)

"""The bounds and thresholds of an extraction, in one record. They decide how much is found, not whether it is true.

Some tell when to give up, the others which of two ways is faster. Tests set all of them to 1, 2, 3 …, so that each is
reached often: `with using(Limits(sums=2)): …`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields

from weightsmith.errors import whole_field


@dataclass(frozen=True)
class Limits:
    """Whole numbers from 1."""

    # Beyond these, the extraction gives up
    counted_keys: int = 1 << 14  # keys that share a weight above 0
    contexts: int = 1 << 12  # results of a block's heads for the whole input, under a full mask
    ages: int = 1 << 12  # positions after which the penalty for distance must be −∞

    # Merging by outcome: skipped beyond these
    outcomes: int = 20_000  # vectors after a block that are computed at once
    outcome_heads: int = 2  # heads of a block whose outcomes are computed before the last head's machines
    sums: int = 500  # sums of terms that are compared, to merge them; all of them or none
    sampled_sums: int = 6  # of these, to see quickly that they differ
    states_per_outcome: int = 16  # states that take as long as one outcome
    outcomes_per_call: int = 300  # outcomes that take as long as to ask for one
    pairs_per_state: int = 8  # pairs for each state of either machine, if merging pays

    # Which of two ways is taken
    tried_guesses: int = 3  # guesses of a head that are all tried with another head
    unions: int = 3  # unions of all machines of a stream, before its machines are joined for further ones
    states_for_one: int = 2  # states of a stream's machines that are joined to one
    union_pairs: int = 2  # pairs for each state of two machines of a stream that are joined
    machines_at_once: int = 16  # machines of a union that are paired smallest first
    kept_views: int = 6  # most recently used views, from which others are derived
    member_bits: int = 12  # bits of an arithmetic whose tables of sums have a column for every member
    sums_of_members: int = 1 << 18  # pairs of members whose sums are all computed, once for an arithmetic
    reach_states: int = 1 << 12  # states of a normaliser whose reachability is tabulated
    plain_states: int = 10_000  # states of a product before the fold is minimised by itself
    fold_steps: int = 200_000  # steps of the fold that is minimised by itself
    joined_states: int = 200_000  # states of one machine for all decisions, where several would do

    # How much is done at a time
    first_rows: int = 2_048  # states allocated at first; four times as many when full
    many_rows: int = 20_000  # states from which on they are only doubled
    slice_steps: int = 100_000  # steps of a compiled loop between two checks of the budget
    minimising_steps: int = 16  # of these, for each entry of a table that is minimised in one call
    slice_products: int = 500_000  # products of weights and vectors, likewise

    # How much is done in Python, before the loops are compiled
    python_milliseconds: int = 500  # of a search
    python_steps: int = 2_000  # of a loop in slices
    python_numbers: int = 20_000  # of an array that another loop goes through

    def __post_init__(self) -> None:
        """Refuse other values."""
        for field in fields(self):
            whole_field(self, field.name, 1, meaning="a bound of the extraction")


DEFAULT = Limits()
_using: ContextVar[Limits | None] = ContextVar("limits of the extraction", default=None)


def current() -> Limits:
    """Return the limits of new budgets."""
    return _using.get() or DEFAULT


@contextmanager
def using(limits: Limits) -> Iterator[None]:
    """Use other limits for the budgets made inside, in this thread."""
    before = _using.set(limits)
    try:
        yield
    finally:
        _using.reset(before)

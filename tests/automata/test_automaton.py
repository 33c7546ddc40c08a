"""An automaton is checked when it is made, and never changes."""
# ruff: noqa: E501

import pickle
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from weightsmith.automata import Automaton, smallest
from weightsmith.errors import InputError

ODD_ONES: dict[str, Any] = {"table": [[0, 1], [1, 0]], "accepting": [False, True]}
HOSTILE: dict[str, tuple[dict[str, Any], str]] = {
    "ragged": ({"table": [[0, 1], [1]]}, "table is [[0, 1], [1]], which is not a rectangular array: write a row of integers for each state: [[0, 1], [1, 0]]"),
    "one axis": ({"table": [0, 1]}, "table has shape (2,), and it must have 2 axes, none empty"),
    "three axes": ({"table": np.zeros((2, 2, 2), int)}, "table has shape (2, 2, 2)"),
    "none": ({"table": None}, "table has shape ()"),
    "no states": ({"table": np.zeros((0, 2), int), "accepting": []}, "table has shape (0, 2)"),
    "no tokens": ({"table": [[], []]}, "table has shape (2, 0)"),
    "floats": ({"table": [[0.0, 1.0], [1.0, 0.0]]}, "table is [[0.0, 1.0], [1.0, 0.0]], of type float64: write a row of integers"),
    "nan": ({"table": [[np.nan, 1], [1, 0]]}, "of type float64"),
    "texts": ({"table": [["0", "1"], ["1", "0"]]}, "table is [['0', '1'], ['1', '0']], of type <U1"),
    "truths": ({"table": [[False, True], [True, False]]}, "of type bool"),
    "objects": ({"table": [[0, None], [1, 0]]}, "of type object"),
    "beyond int64": ({"table": [[0, 2**70], [1, 0]]}, "of type object"),
    "huge": ({"table": [[0, 10**5000], [1, 0]]}, "table is [[0, a huge number], [1, 0]], of type object"),
    "beyond int32": ({"table": [[0, 2**32], [1, 0]]}, "table[0, 1] is 4294967296, which is no state: write 0 to 1"),
    "unsigned": ({"table": np.array([[0, 2**64 - 1], [1, 0]], np.uint64)}, "table[0, 1] is 18446744073709551615, which is no state"),
    "too large": ({"table": [[0, 1], [2, 0]]}, "table[1, 0] is 2, which is no state: write 0 to 1"),
    "negative": ({"table": [[0, -1], [1, 0]]}, "table[0, 1] is -1, which is no state: write 0 to 1"),
    "accepting short": ({"accepting": [True]}, "accepting has 1 entries and table has 2 rows: write one for each"),
    "accepting long": ({"accepting": [True] * 3}, "accepting has 3 entries and table has 2 rows"),
    "accepting empty": ({"accepting": []}, "accepting has shape (0,), and it must have 1 axes, none empty: write True or False for each state: [False, True]"),
    "accepting numbers": ({"accepting": [0, 1]}, "accepting is [0, 1], of type int64: write True or False"),
    "accepting states": ({"accepting": {1}}, "accepting has shape ()"),
    "accepting axes": ({"accepting": [[True, False]]}, "accepting has shape (1, 2)"),
    "start large": ({"start": 2}, "start=2 is no state: write 0 to 1"),
    "start negative": ({"start": -1}, "start=-1 is no state: write 0 to 1"),
    "start float": ({"start": 0.0}, "start=0.0 is no state"),
    "start truth": ({"start": True}, "start=True is no state"),
    "start text": ({"start": "0"}, "start='0' is no state"),
    "start huge": ({"start": 10**5000}, "start=a huge number is no state"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_malformed_automaton_is_refused_with_its_part_and_value(name: str) -> None:
    changed, message = HOSTILE[name]
    with pytest.raises(InputError) as caught:
        Automaton(**ODD_ONES | changed)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "ids", [[2], [-1], [0, True], ["0"], "01", [0.0], [None], [[0]], np.array([[0]]), None, 3, {0}]
)
def test_what_is_no_list_of_places_is_refused(ids: Any) -> None:
    with pytest.raises(InputError, match=r"ids.*write (0 to 1|\[0\])"):
        Automaton(**ODD_ONES).accepts(ids)


def test_an_automaton_takes_lists_and_arrays_starts_where_told_and_never_changes() -> None:
    table = np.array([[0, 1], [1, 0]], np.uint8)
    automaton = Automaton(table, np.array([False, True]), start=np.int64(1))  # type: ignore[arg-type]
    table[0, 0] = 1
    assert automaton == Automaton(**ODD_ONES, start=1) != Automaton(**ODD_ONES)
    assert automaton.accepts([])
    assert automaton.accepts(np.array([0, 1, 1]))  # type: ignore[arg-type]
    assert not automaton.accepts((1,))
    assert (automaton.table.dtype.name, automaton.accepting.dtype.name) == ("int32", "bool")
    assert type(automaton.start) is int
    for array in (automaton.table, automaton.accepting):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.flags.writeable = True
    copy = pickle.loads(pickle.dumps(automaton))
    assert copy == automaton
    assert hash(copy) == hash(automaton)


@st.composite
def automata(draw: st.DrawFn) -> Automaton:
    states, tokens = draw(st.integers(1, 12)), draw(st.integers(1, 3))
    rows = st.lists(st.integers(0, states - 1), min_size=tokens, max_size=tokens)
    table = draw(st.lists(rows, min_size=states, max_size=states))
    accepting = draw(st.lists(st.booleans(), min_size=states, max_size=states))
    return Automaton(table, accepting, draw(st.integers(0, states - 1)))  # type: ignore[arg-type]


def distinct_states(automaton: Automaton) -> int:
    """Count the states that can be reached and told apart, by asking again and again (Moore)."""
    reached = {automaton.start}
    looks: dict[int, Any] = {}
    for _ in automaton.table:
        reached |= {int(state) for row in automaton.table[list(reached)] for state in row}
    for _ in automaton.table:
        seen = {
            state: (bool(automaton.accepting[state]), [looks.get(int(n)) for n in automaton.table[state]])
            for state in reached
        }
        names = {key: name for name, key in enumerate(sorted(map(repr, seen.values())))}
        looks = {state: names[repr(look)] for state, look in seen.items()}
    return len(set(looks.values()))


# two in which a class is split again while it waits
ONE_TOKEN: Any = [[3], [5], [1], [9], [7], [5], [4], [3], [5], [2]]
TWO_TOKENS: Any = [[1, 0], [5, 5], [4, 0], [4, 7], [0, 5], [4, 8], [3, 4], [4, 2], [4, 8], [5, 8]]


@given(automata())
@example(Automaton(ONE_TOKEN, np.isin(range(10), [0, 3, 5])))
@example(Automaton(TWO_TOKENS, np.isin(range(10), [2, 7, 8])))
def test_the_smallest_automaton_accepts_the_same_with_as_few_states_as_can_be(automaton: Automaton) -> None:
    small = smallest(automaton)
    assert len(small.table) == distinct_states(automaton)
    assert small.start == 0
    for length in range(7):
        for ids in product(range(automaton.table.shape[1]), repeat=length):
            assert small.accepts(ids) == automaton.accepts(ids)

"""What errors say of values."""

import pytest

from weightsmith.errors import InputError, brief, whole_number


def test_a_whole_number_within_its_bounds_comes_back() -> None:
    assert [whole_number(n, "n", 0, 2) for n in (0, 1, 2)] == [0, 1, 2]
    assert whole_number(10**30, "n", 1) == 10**30


@pytest.mark.parametrize("value", [-1, 3, True, 1.0, "1", None, 10**5000], ids=brief)
def test_what_is_no_whole_number_within_its_bounds_is_refused(value: object) -> None:
    with pytest.raises(InputError, match="^n=.*: write a whole number from 0 to 2$"):
        whole_number(value, "n", 0, 2)


def test_what_to_write_is_said_in_words_where_they_are_given() -> None:
    with pytest.raises(InputError, match="^k=-1: write a whole number from 0 on$"):
        whole_number(-1, "k", 0)
    with pytest.raises(InputError, match="^k=-1: write how many classes to list, 0 or more$"):
        whole_number(-1, "k", 0, meaning="how many classes to list, 0 or more")

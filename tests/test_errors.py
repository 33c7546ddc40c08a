"""What errors say of values."""

import pytest

from weightsmith.errors import MAX_ECHO, NAME_ECHO, InputError, brief, cut, listed, named, nearest_names, whole_number


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


@pytest.mark.parametrize(
    "value",
    [
        "a",
        "it's",
        "\n",
        b"x",
        1,
        -1.5,
        None,
        True,
        [],
        [1, "a"],
        (),
        (1,),
        (1, 2),
        {},
        {"a": [1]},
        {1: {2: (3,)}},
        [[[]]],
    ],
    ids=repr,
)
def test_a_value_that_is_short_is_repeated_as_python_writes_it(value: object) -> None:
    assert brief(value) == repr(value)


def test_of_a_value_that_is_long_only_the_beginning_is_written() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    wide: list[object] = ["x"]
    for _ in range(60):
        wide = [wide] * 10  # to write all of it would take 10^60 letters
    for value in ("x" * 10**6, ["x" * 10**6] * 1000, list(range(10**6)), dict.fromkeys(range(9), "x" * 10**6), wide):
        assert brief(value).startswith(brief(value, 20)[:8])
        assert len(brief(value)) == NAME_ECHO
    assert brief(deep) == "[" * 10 + "…" + "]" * 10
    assert brief([10**5000, 1]) == "[a huge number, 1]"
    assert brief(10**5000) == brief(-(10**5000)) == "a huge number"
    assert brief(10**3000) == "1" + "0" * (NAME_ECHO - 1)


def test_a_value_that_cannot_be_written_is_named_by_its_kind() -> None:
    class Broken:
        def __repr__(self) -> str:
            raise RuntimeError

    assert brief(Broken()) == "<Broken>"


def test_names_are_shown_plainly_and_cut() -> None:
    assert [named(name) for name in ("a b", " a", "", "\n", 3, ["a"])] == ["a b", "' a'", "''", "'\\n'", "3", "['a']"]
    assert named("x" * 10**6) == cut("x" * 10**6, NAME_ECHO) == "x" * (NAME_ECHO - 1) + "…"
    assert named("x" * NAME_ECHO) == "x" * NAME_ECHO
    assert len(named("\x1b" * 10**6)) == NAME_ECHO
    assert cut("x" * 201) == "x" * 199 + "…"


def test_lists_of_names_end_after_some_names_and_some_letters() -> None:
    assert listed(["a", "b"]) == "a, b"
    assert listed([str(n) for n in range(20)]) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, … (20 in all)"
    assert listed(["x" * 70] * 4) == f"{'x' * 70}, {'x' * 70}, … (4 in all)"
    assert listed(["x" * 1000]) == named("x" * 1000)
    assert listed(["x" * 70] * 4, letters=None) == ", ".join(["x" * 70] * 4)
    assert all(len(listed(["\0" * n] * 40)) <= MAX_ECHO for n in range(120))


def test_what_could_have_been_meant_is_short() -> None:
    assert nearest_names("hed", ["head", "tail"]) == "did you mean head? "
    assert len(nearest_names("x" * 10_000, [f"{'x' * 70}{n}" for n in range(9)])) < 2 * NAME_ECHO

"""How values look in the page: colours on which numbers can be read, numbers that are written properly."""

import json
from typing import Any

import pytest

from tests.studio.node import run_node

LEAST_CONTRAST = 4.5  # of small text, by the accessibility guidelines


@pytest.fixture(scope="module")
def looks() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run_node("looks.mjs"))
    return found


def test_every_number_can_be_read_on_the_colour_of_its_value(looks: dict[str, Any]) -> None:
    contrasts = looks["contrasts"]
    assert contrasts.count(None) == 2  # 0 has no fill, in light and in dark
    assert min(contrast for contrast in contrasts if contrast is not None) >= LEAST_CONTRAST


def test_a_larger_value_never_has_a_weaker_colour(looks: dict[str, Any]) -> None:
    strengths = looks["strengths"]
    assert strengths == sorted(strengths)
    assert (strengths[0], strengths[-1]) == (0, 1)


def test_numbers_are_short_in_cells_and_exact_on_hover(looks: dict[str, Any]) -> None:
    assert looks["written"] == [
        ["∞", "∞ = 15.9375"],
        ["\N{MINUS SIGN}∞", "\N{MINUS SIGN}∞ = \N{MINUS SIGN}15.9375"],
        ["\N{MINUS SIGN}0.81", "\N{MINUS SIGN}0.8125 = \N{MINUS SIGN}13/16"],
        ["0", "0"],
        ["6.48", "6.48"],
        ["1235", "1234.5"],
        ["\N{MINUS SIGN}1e\N{MINUS SIGN}4", "\N{MINUS SIGN}0.00012"],
        ["1e12", "1000000000000"],
    ]


def test_repeated_tokens_carry_their_position_and_blanks_are_seen(looks: dict[str, Any]) -> None:
    assert looks["tokens"] == ["0\N{SUBSCRIPT ZERO}", "1", "0\N{SUBSCRIPT TWO}", "␣"]

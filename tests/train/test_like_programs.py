"""Five programs are learnt part by part, and the page has what was measured."""

import json
from pathlib import Path

import pytest
from benchmarks import like

PAGE = Path(__file__).parents[2] / "docs" / "disguises.md"


@pytest.mark.long
@pytest.mark.parametrize("name", like.PROGRAMS)
def test_five_programs_are_learnt_with_an_interchange_accuracy_of_at_least_95_percent(name: str) -> None:
    found = like.run(name)
    assert found["wrong"] == 0
    for part in found["parts"].values():
        assert part["changing"] > 0
        assert part["accuracy"] >= 0.95
        assert part["accuracy_changing"] >= 0.95
    for node in found["outside"].values():
        assert node["accuracy"] >= 0.95


def test_the_page_has_the_figures_that_were_measured() -> None:
    found = json.loads(like.DATA.read_text())
    assert list(found) == list(like.PROGRAMS)
    rows = [line.strip("| \n").split(" | ") for line in PAGE.read_text().splitlines()]
    for cells in like.rows(found):
        assert [*cells] in rows
    for one in found.values():
        assert one["wrong"] == 0
        assert min(part["accuracy_changing"] for part in one["parts"].values()) >= 0.95

"""The page and the tests carry the same numbers."""

import re
from pathlib import Path

import pytest

from tests.claims import test_claims

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("page", ["claims.md", "es/claims.md"])
def test_every_row_of_the_page_has_its_test_and_every_test_its_row(page: str) -> None:
    rows = re.findall(r"^\| (\d+) \|.*`(test_claim_\d+)` \|$", (DOCS / page).read_text(), re.MULTILINE)
    assert [int(number) for number, _ in rows] == list(range(1, 17))
    named = sorted(name[:13] for name in dir(test_claims) if name.startswith("test_claim_"))
    assert [test for _, test in rows] == named
    assert all(int(test[-2:]) == int(number) for number, test in rows)

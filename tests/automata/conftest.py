"""What some tests take away is there before them: it is looked at once in a process."""

import pytest

from weightsmith.automata import parser_is_known


@pytest.fixture(autouse=True)
def parser() -> None:
    assert parser_is_known()

"""A small benchmark that the tests share; they leave it as it is."""

from pathlib import Path

import pytest

from weightsmith import circuits

PROGRAMS = "count-a,distinct"


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("circuits") / "benchmark"
    circuits.make(place, PROGRAMS, "exact,distracted", exports="none")
    return place

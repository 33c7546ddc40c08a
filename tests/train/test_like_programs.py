"""Five programs are learnt part by part."""

import pytest
from benchmarks import like


@pytest.mark.long
@pytest.mark.parametrize("name", like.PROGRAMS)
def test_five_programs_are_learnt_with_an_interchange_accuracy_of_at_least_95_percent(name: str) -> None:
    found = like.run(name)
    assert found["wrong"] == 0
    for part in found["parts"].values():
        assert part["changing"] > 0
        assert part["accuracy"] >= 0.95
        assert part["accuracy_changing"] >= 0.9
    for node in found["outside"].values():
        assert node["accuracy"] >= 0.95

"""Every example decides what is said of it."""

import pytest

import weightsmith as ws
from weightsmith.library import ENTRIES, EXAMPLES, LECTURE, TRAINED, Example


@pytest.mark.parametrize("example", [*EXAMPLES, *LECTURE], ids=lambda example: example.name)
def test_an_example_decides_what_is_said_of_it(example: Example) -> None:
    T = example.build()
    assert dict(zip(example.decides, ws.decisions(T, list(example.decides)), strict=True)) == example.decides
    assert len(set(example.decides.values())) > 1, "it can also say something else"
    assert getattr(ws.library, example.name) is example.builder
    assert T.provenance[0] == f"library.{example.call}"
    assert (len(T.provenance) > 1) == (example in TRAINED), "how it was trained"
    assert example.claim.endswith(".")


def test_no_example_has_the_name_of_an_entry() -> None:
    assert not {entry.name for entry in ENTRIES} & {example.name for example in (*EXAMPLES, *LECTURE)}

"""Every construction that computes a function computes it, on every input of the sizes that its entry names."""

import pytest

import weightsmith as ws
from weightsmith.library.papers import COMPUTATIONS, ENTRIES, Computation, Entry

CASES = [(entry, size) for entry in COMPUTATIONS for size in entry.sizes]


@pytest.mark.parametrize(("entry", "size"), CASES, ids=lambda case: getattr(case, "name", str(case)))
def test_a_construction_computes_its_function_on_every_input(entry: Computation, size: int) -> None:
    model = entry.build(size, ws.parse_arithmetic(entry.arithmetic))
    verdict = ws.check.agrees_with(model, entry.function(size), workers=1, **entry.lengths(size))
    assert verdict.holds, str(verdict)
    assert verdict.scope != "all lengths"


def test_names_and_citations_are_complete() -> None:
    entries: list[Computation | Entry] = [*COMPUTATIONS, *ENTRIES]
    names = [entry.name for entry in entries]
    assert len(set(names)) == len(names)
    for entry in entries:
        assert entry.statement.endswith(".")
        assert entry.theorem
        assert str(entry.paper).startswith(entry.paper.authors)

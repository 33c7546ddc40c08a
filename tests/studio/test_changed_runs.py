"""The page's engine with parts switched off, values set and values taken: equal to `ws.ablate` and `ws.patch`."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.studio.engine import Cases
from tests.studio.random_changes import changeable, random_steps, texts
from weightsmith import parse_arithmetic
from weightsmith.studio.changes import page_changes

FORMS = ("fixed(4,4)", "float(3,3)", "fixed(2,3,ties=even)", "float16(ties=even)", "fixed(0,4)", "bfloat16",
         "float(4,3,ties=even)", "e4m3(ties=away)", "fixed(12,13)", "float(10,25)")  # fmt: skip
NATIVE = {"float64": 1e-12, "float32": 2e-5}


def add_cases(cases: Cases, form: str, wanted: int, sums: Any = None) -> set[str]:
    """Add changed runs of random models; return which kinds of changes they have."""
    A, kinds, seed = parse_arithmetic(form), set[str](), 0
    until = cases.runs + wanted
    while cases.runs < until:
        seed += 1
        random = np.random.default_rng([seed, 32])
        T = changeable(A, seed)
        try:
            r, other = (ws.run(T, text, sums=sums) for text in texts(T, random))
            steps, changed = random_steps(r, other, random), r
            for _, _, step in steps:
                changed = step(changed, sums)
        except ws.ModelError:  # a softmax without a weight that is an error, or an overflow
            continue
        if not steps:
            continue
        changes = page_changes(changed)
        kinds |= {change["kind"] for change in changes}
        plain = {name: [told for kind, told, _ in steps if kind == name] for name in ("ablate", "patch")}
        cases.add_changed(changed, changes, plain)
    return kinds


@pytest.mark.parametrize("each", [8, pytest.param(20, marks=pytest.mark.long)])
def test_changed_runs_equal_those_of_python_bit_for_bit(each: int, tmp_path: Path) -> None:
    """Heads, neurons and sublayers off, values set, values taken from another input; several at once: 80, then 200."""
    cases = Cases(tmp_path)
    for form in FORMS:
        assert add_cases(cases, form, each) >= {"off", "set", "take"}
    cases.assert_equal()
    assert cases.runs == each * len(FORMS)


@pytest.mark.parametrize("form", NATIVE)
def test_changed_runs_of_the_machines_arithmetic_are_as_near_as_its_bits(form: str, tmp_path: Path) -> None:
    cases = Cases(tmp_path, NATIVE[form])
    assert add_cases(cases, form, 12, sums="left") >= {"off", "set", "take"}
    cases.assert_equal()

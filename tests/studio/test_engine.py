"""The engine of the page equals the reference: every value of every run, bit for bit, and every refusal."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.kernels.kinds import ACTIVATIONS, FULL, RULES, kind_of_model
from tests.kernels.models import LENGTH, many_heads, random_model
from tests.studio.engine import Cases
from weightsmith import Transformer, parse_arithmetic

FORMS = (
    "fixed(4,4)", "fixed(2,3,ties=even)", "fixed(3,1,ties=away)", "fixed(0,4)", "fixed(5,0)", "fixed(12,13)",
    "fixed(0,25,ties=even)", "fixed(25,0,ties=away)", "fixed(8,8)", "float(3,3)", "float(2,4,ties=away)",
    "float(4,3,ties=even)", "float(1,2)", "float(5,11)", "float(10,25)", "float(10,25,ties=even)",
    "float(6,24,ties=away)", "float16(ties=even)", "bfloat16", "e4m3(ties=away)", "e5m2",
)  # fmt: skip


def inputs_of(T: Transformer, seed: int, lengths: tuple[int, ...] = (1, 3, 7)) -> list[list[str]]:
    random = np.random.default_rng(seed)
    return [[T.vocabulary[n] for n in random.integers(0, len(T.vocabulary), length)] for length in lengths]


@pytest.mark.parametrize("form", FORMS)
def test_random_models_run_as_in_python(form: str, tmp_path: Path) -> None:
    """Every size, weighting, mask, norm and tie rule; then every rule inside attention, activation and bias."""
    A, cases = parse_arithmetic(form), Cases(tmp_path)
    for seed in range(14):
        cases.add_model(T := random_model(A, seed), inputs_of(T, seed))
    for mask in ("causal", "full"):
        for n, rule in enumerate(RULES if mask == "causal" else FULL):
            how: Any = {"heads": 1 + n % 3, "mask": mask, "norms": n % 2 == 1, "tied": n % 3 == 0}
            T = kind_of_model(A, n, rule, ACTIVATIONS[(n + len(mask)) % len(ACTIVATIONS)], **how)
            cases.add_model(T, inputs_of(T, n, (2, LENGTH)))
    for seed in range(2):
        cases.add_model(T := many_heads(A, seed), inputs_of(T, seed))
    cases.assert_equal()
    assert cases.runs > 60

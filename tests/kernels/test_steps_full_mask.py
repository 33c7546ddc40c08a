"""Chains of models with a full mask: every step is a run of the whole text, by the kernels too."""

import pytest

import weightsmith as ws

WEIGHTINGS = (ws.Softmax(), ws.AverageHard(), ws.RightmostHard())
STEPS = 4


@pytest.mark.parametrize("seed", range(9))
def test_a_step_under_a_full_mask_is_a_run_of_the_whole_text(seed: int) -> None:
    A = (ws.Fixed(4, 4), ws.Fixed(2, 2), ws.Float(4, 3))[seed % 3]
    T = ws.random_transformer(
        lanes=3, max_length=8, arithmetic=A, seed=seed, classes=("0", "1"), mask="full", weighting=WEIGHTINGS[seed // 3]
    )
    C = ws.Chain(T, steps=STEPS)

    def by_runs(word: str) -> str:
        for _ in range(STEPS):
            word += ws.run(T, word).decision
        return word

    for word in ("0", "10", "0111"):
        assert "".join(C.run(word).text) == by_runs(word)
    assert ws.check.agrees_with(C, lambda word: by_runs(word)[-1], up_to=3).holds

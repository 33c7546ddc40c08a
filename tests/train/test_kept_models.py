"""The trained models that the documentation shows: what it says of them is decided again."""

import json
from pathlib import Path

import weightsmith as ws
from weightsmith import verify

KEPT = Path(__file__).parents[2] / "docs" / "_static"


def test_the_model_trained_on_contains_11_is_proved_to_be_that_language(tmp_path: Path) -> None:
    file = KEPT / "exact-eleven.safetensors"
    T = ws.load(file)
    verdict = ws.check.recognizes(T, ".*11.*")
    assert (verdict.holds, verdict.scope) == (True, "all lengths")
    assert ws.automaton(T).regex() == ".*11.*"
    verdict.save(tmp_path / "proof.json")
    data = json.loads((tmp_path / "proof.json").read_text())
    assert verify.check([verify.Model(file.read_bytes())], data) == "proved, all lengths: recognizes"


def test_the_model_trained_on_parity_is_refuted_by_its_shortest_input() -> None:
    T = ws.load(KEPT / "exact-parity.safetensors")
    verdict = ws.check.recognizes(T, "0*(10*10*)*10*")
    assert (verdict.holds, verdict.counterexample) == (False, "111")
    assert len(ws.automaton(T).table) == 5


def test_the_pictures_are_those_of_the_models() -> None:
    for name in ("eleven", "parity"):
        drawn = ws.automaton(ws.load(KEPT / f"exact-{name}.safetensors")).svg()
        assert (KEPT / f"exact-{name}-trained.svg").read_text().strip() == drawn.strip()

"""A run of a model that is too large for a page: it is shown without the model, and the page says so."""

from pathlib import Path

import numpy as np
import pytest

import weightsmith as ws
from tests.studio.pages import HOSTILE, carried, elements
from weightsmith.inspect.attribution import by_lane
from weightsmith.studio import document, large, page


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> ws.Run:
    """Give a run of a model that a page could not carry, with hostile tokens."""
    monkeypatch.setattr(document, "MAX_PARAMETERS", 1000)
    T = ws.random_transformer(
        [*HOSTILE, *"abcdefghij"], lanes=24, blocks=3, heads=5, neurons=20, weighting=ws.Softmax(shifted=True),
        max_length=12, arithmetic=ws.Native("float32"), seed=2, tied=True,
    )  # fmt: skip
    return ws.run(T, [*HOSTILE, "a", "b"])


def test_a_large_run_is_shown_without_its_model_and_the_page_says_so(run: ws.Run) -> None:
    text = page(run)
    data = carried(text)
    assert data["models"] == []
    assert data["input"] == list(run.tokens)
    assert data["run"]["decision"] == run.decision
    assert f"not the model: its {run.transformer.weights:,} weights are more than the 1,000 that a page holds" in text
    assert "Shown are 16 of 24 lanes, 12 of 15 heads and 16 of 60 neurons" in text
    assert len(text) < 100_000


def test_no_script_runs_in_it_and_no_name_breaks_out(run: ws.Run) -> None:
    found = elements(page(run))
    assert [attributes.get("type") for tag, attributes, _ in found if tag == "script"] == ["application/json"]
    (allowed,) = [attributes["content"] for tag, attributes, _ in found if attributes.get("http-equiv")]
    assert allowed == "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    assert any("data-weightsmith" in attributes for _, attributes, _ in found)


def test_what_is_chosen_adds_most_to_the_answer(run: ws.Run) -> None:
    chosen, T = large.facts(run), run.transformer
    first, second = (T.classes[c] for c in np.argsort(-run.logits, kind="stable")[:2])
    whole = ws.attribute(run, first, over=second)
    heads = sorted((abs(part.amount) for part in whole.by_head().parts if part.kind == "head"), reverse=True)
    assert [abs(part.amount) for part in chosen.heads] == heads[: large.HEADS]
    neurons = sorted((abs(part.amount) for part in whole.parts if part.kind == "neuron"), reverse=True)
    assert [abs(part.amount) for part in chosen.neurons] == neurons[: large.NEURONS]
    left_out = set(range(len(T.lanes))) - set(chosen.lanes)
    assert min(abs(chosen.of_lanes[list(chosen.lanes)])) >= max(abs(chosen.of_lanes[list(left_out)]))


@pytest.mark.parametrize("norm", [None, ws.LayerNorm(), ws.RMSNorm()])
def test_what_the_lanes_add_sums_up_to_the_logit(norm: ws.LayerNorm | ws.RMSNorm | None) -> None:
    T = ws.Transformer(
        ws.Native("float64"), "ab", ("x", "y", "z"), np.array([[1, 2, 4.5], [3, -1, 0.5]]), final_norm=norm,
        output=np.array([[1, 0, 2], [0, 3, 1.0]]),
    )  # fmt: skip
    run = ws.run(T, "ab")
    found = ws.attribute(run, "YES", over="NO")
    assert by_lane(run, found.target).sum() == pytest.approx(found.logit, abs=1e-12)  # float64, in another order


def test_a_large_model_without_a_run_is_refused_with_what_to_write(run: ws.Run) -> None:
    for shown, beside in ((run.transformer, None), (run, run)):
        with pytest.raises(ws.ModelError, match=r"show a single run of it, ws\.run\(T, text\)\.save_html\(path\)"):
            page(shown, beside=beside)


def test_save_html_writes_it(run: ws.Run, tmp_path: Path) -> None:
    run.save_html(tmp_path / "run.html")
    assert carried((tmp_path / "run.html").read_text())["run"]["weights"] == run.transformer.weights

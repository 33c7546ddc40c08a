"""The examples through the command line, and what info says about where the weights are."""

import json
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

import weightsmith as ws
from tests.cli.commands import good, weightsmith
from weightsmith.cli import info
from weightsmith.library import EXAMPLES, Example

by_name = pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)


@by_name
def test_new_writes_an_example_in_its_own_arithmetic_and_run_decides_with_it(example: Example, tmp_path: Path) -> None:
    good("new", example.name, "-o", "example.safetensors", folder=tmp_path)
    assert ws.load(tmp_path / "example.safetensors") == example.build()
    for tokens, decision in example.decides.items():
        found = json.loads(good("run", "example.safetensors", tokens, "--json", folder=tmp_path))
        assert found["decision"] == decision


@by_name
def test_new_writes_an_example_in_the_arithmetic_given(example: Example, tmp_path: Path) -> None:
    good("new", example.name, "-o", "half.safetensors", "--arithmetic", "float16", folder=tmp_path)
    assert ws.load(tmp_path / "half.safetensors") == example.build(ws.Float.like("float16"))


def test_new_refuses_what_an_example_does_not_take_and_an_arithmetic_that_cannot_hold_it(tmp_path: Path) -> None:
    result = weightsmith("new", "eiffel", "--symbol", "x", "-o", "x", folder=tmp_path)
    assert (result.returncode, result.stderr) == (2, "error: eiffel takes no --symbol: leave it out\n")
    result = weightsmith("new", "eifel", "-o", "x", folder=tmp_path)
    assert result.stderr.startswith("error: there is no 'eifel': did you mean eiffel? ")
    result = weightsmith("new", "bank", "--arithmetic", "float(2,4)", "-o", "x", folder=tmp_path)
    assert result.returncode == 2
    assert result.stderr.startswith("error: to attend to nothing needs exp(−3.75) = 0")


def test_library_lists_the_examples_with_what_they_decide() -> None:
    rows = {row["name"]: row for row in json.loads(good("library", "--up-to", "1", "--json"))}
    for example in EXAMPLES:
        assert rows[example.call]["decisions"] == example.decides
        assert rows[example.call]["claim"] == example.claim
        assert rows[example.call]["nonzero_weights"] == example.build().nonzero_weights
    shown = good("library", "--up-to", "1")
    assert "The Eiffel Tower is in → Paris" in shown
    assert "a deposit at the bank → financial" in shown


def test_the_parts_that_info_counts_add_up_to_all_weights(tmp_path: Path) -> None:
    norm = ws.LayerNorm(gain=np.ones(4), bias=np.zeros(4))
    R = ws.random_transformer(lanes=4, neurons=5)
    normed = ws.Transformer(
        R.arithmetic, R.vocabulary, R.lanes, R.embedding, R.positions, R.blocks, R.output,
        output_bias=np.zeros(2), final_norm=norm,
    )  # fmt: skip
    for T in (R, normed, ws.library.length_modulo(3), *(example.build() for example in EXAMPLES)):
        assert sum(info.weights_by_part(T).values()) == T.weights
    assert info.weights_by_part(normed)["norms"] == 8
    assert info.weights_by_part(normed)["output"] == info.weights_by_part(R)["output"] + 2
    assert info.weights_by_part(R)["feed-forward"] == 2 * (4 * 5 + 5 + 5 * 4 + 4)
    ws.save(normed, tmp_path / "normed.safetensors")
    facts = json.loads(good("info", "normed.safetensors", "--json", folder=tmp_path))
    parts = facts["weights_by_part"]
    assert list(parts) == ["embedding", "positions", "attention", "feed-forward", "norms", "output"]
    assert sum(part["weights"] for part in parts.values()) == facts["weights"] == normed.weights
    assert sum(part["percent"] for part in parts.values()) == pytest.approx(100, abs=0.05)


def test_info_names_attention_and_feed_forward_even_where_there_are_none(tmp_path: Path) -> None:
    ws.save(ws.library.length_modulo(3), tmp_path / "none.safetensors")
    shown = good("info", "none.safetensors", folder=tmp_path)
    assert "attention            0    0.0 %" in shown
    assert "feed-forward         0    0.0 %" in shown
    assert "█" not in shown, "bars are for terminals"


def test_info_draws_bars_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    console = Console(force_terminal=True, width=80, record=True, markup=False)
    monkeypatch.setattr(info, "results", lambda: console)
    info.show_parts(ws.library.bank())
    lines = {line.split()[0]: line.count("█") for line in console.export_text().splitlines() if "%" in line}
    assert lines == {"embedding": 12, "attention": 10, "feed-forward": 6, "output": 3}

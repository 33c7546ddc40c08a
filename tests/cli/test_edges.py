"""The edges of the command line: escapes, JSON, what goes where."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import weightsmith as ws
from tests.cli.commands import WIDE, good, weightsmith
from weightsmith import Fixed, Float


def test_json_has_tokens_stages_and_the_chosen_lanes(folder: Path) -> None:
    found = json.loads(
        good("run", "random.safetensors", "01", "--json", "--trace", "--lane", "x2", "--lane", "x0", folder=folder)
    )
    r = ws.run(ws.random_transformer(seed=3), "01")
    assert found["tokens"] == ["0", "1"]
    assert found["stages"] == list(r.stages)
    assert found["lanes"] == ["x2", "x0"]
    assert np.array_equal(found["stream"], r.stream[:, :, [2, 0]])


def test_infinities_are_shown_by_name(folder: Path) -> None:
    A = Fixed(4, 4)
    T = ws.Transformer(A, "a", ["x", "y"], np.array([[A.infinity, -A.infinity]]), None, (), np.eye(2))
    ws.save(T, folder / "ends.safetensors")
    lines = good("run", "ends.safetensors", "a", "--trace", folder=folder).splitlines()
    assert any(line.split() == ["NO", "∞"] for line in lines)
    assert any(line.split() == ["YES", "-∞"] for line in lines)


def test_of_many_classes_the_best_twenty_are_shown_best_first(folder: Path) -> None:
    classes = [f"c{i}" for i in range(30)]
    T = ws.Transformer(Fixed(5, 1), "a", ["x"], np.ones((1, 1)), None, (), np.arange(30.0)[:, None], classes)
    ws.save(T, folder / "many.safetensors")
    shown = [
        line.split()[0]
        for line in good("run", "many.safetensors", "a", folder=folder).splitlines()
        if line.strip().startswith("c") and line.split()[0] != "class"
    ]
    assert shown == [f"c{i}" for i in range(29, 9, -1)]


def test_empty_softmaxes_are_reported(folder: Path) -> None:
    one = np.ones((1, 1))
    h = ws.Head(-15.0 * one, one, one, one)
    T = ws.Transformer(Fixed(4, 4), "a", ["x"], one, None, [ws.Block(ws.Attention([h]))], np.array([[0.0], [1.0]]))
    ws.save(T, folder / "empty.safetensors")
    assert "every exponential rounded to 0: 3" in good("run", "empty.safetensors", "aaa", folder=folder)
    assert json.loads(good("run", "empty.safetensors", "aaa", "--json", folder=folder))["empty_softmax"] == 3


def test_version(folder: Path) -> None:
    assert good("--version") == f"weightsmith {ws.__version__}\n"


@pytest.mark.parametrize("width", [50, 80, 200])
def test_laws_prints_the_table_that_python_prints(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    program = [sys.executable, "-m", "weightsmith", "laws", "float(2,4)"]
    env = {**WIDE, "COLUMNS": str(width)}
    printed = subprocess.run(program, capture_output=True, text=True, check=True, env=env).stdout
    assert [line.rstrip() for line in printed.splitlines() if line.strip()] == [
        line for line in str(ws.laws(Float(2, 4))).splitlines() if line
    ]


def test_a_random_model_of_the_machine_runs(folder: Path) -> None:
    for arithmetic in ("float32", "float64"):
        size = ("--lanes", "64", "--blocks", "4", "--neurons", "64")
        good("new", "random", "--arithmetic", arithmetic, *size, "-o", "machine.safetensors", folder=folder)
        found = json.loads(good("run", "machine.safetensors", "01101001", "--json", folder=folder))
        assert found["decision"] in ("NO", "YES")
        assert np.isfinite(list(found["logits"].values())).all()


def test_messages_on_a_terminal_without_unicode_are_escaped(folder: Path) -> None:
    env = {**WIDE, "PYTHONIOENCODING": "ascii:strict"}
    program = [sys.executable, "-m", "weightsmith", "run", "contains.safetensors", "∞"]
    result = subprocess.run(program, capture_output=True, check=False, env=env, cwd=folder)
    assert result.returncode == 2
    assert b"\\u221e" in result.stderr
    assert b"Traceback" not in result.stderr


def test_a_message_is_one_line(folder: Path) -> None:
    assert len(weightsmith("laws", "fixed(4)").stderr.splitlines()) == 1


def test_names_are_shown_with_escapes_everywhere(folder: Path) -> None:
    tokens = ["[red]", "\x1b[2J", "\n"]
    T = ws.random_transformer(tokens, classes=tokens, blocks=0)
    bias = np.array([0.0, 15.0, 0.0])
    ws.save(replace(T, output_bias=bias), folder / "hostile.safetensors")
    shown = good("run", "hostile.safetensors", "[red]", "--trace", folder=folder)
    assert "decision: '\\x1b[2J'" in shown
    assert "\x1b" not in shown


def test_new_puts_the_message_on_stderr(folder: Path) -> None:
    result = weightsmith("new", "random", "-o", "again.safetensors", folder=folder)
    assert result.stderr == "written to again.safetensors\n"
    assert "written" not in result.stdout


def test_info_as_json_counts_the_weights(folder: Path) -> None:
    facts = json.loads(good("info", "contains.safetensors", "--json", folder=folder))
    assert (facts["weights"], facts["nonzero_weights"]) == (17, 6)


def test_new_passes_every_size_on(folder: Path) -> None:
    sizes = {"--lanes": "3", "--blocks": "1", "--heads": "2", "--neurons": "5", "--max-length": "6", "--seed": "7"}
    given = [x for pair in sizes.items() for x in pair]
    good("new", "random", "-o", "sizes.safetensors", "--arithmetic", "float(4,3)", "--vocabulary", "abc", *given,
         folder=folder)  # fmt: skip
    assert ws.load(folder / "sizes.safetensors") == ws.random_transformer("abc", 3, 1, 2, 5, 6, Float(4, 3), 7)

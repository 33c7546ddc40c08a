"""The program stands alone, and prints the theorem that it has proved."""

import ast
import hashlib
import json
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import weightsmith as ws
from tests.verifying.certificates import Data, certificate, checked
from weightsmith import verify
from weightsmith.check.proof import sealed
from weightsmith.files import model_bytes
from weightsmith.model import digest

PROGRAM = Path(verify.__file__)


def test_it_is_one_file_of_the_standard_library() -> None:
    nodes = [node for node in ast.walk(ast.parse(PROGRAM.read_text())) if isinstance(node, ast.Import | ast.ImportFrom)]
    modules = {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    modules |= {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}
    assert all(node.level == 0 for node in nodes if isinstance(node, ast.ImportFrom))
    assert {module.partition(".")[0] for module in modules} <= sys.stdlib_module_names


@cache
def ends() -> tuple[ws.Transformer, Data]:
    T = ws.library.ends_with("01")
    return T, certificate(ws.check.recognizes(T, ".*01"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a copy of the program, a model, another one, and a claim about the first."""
    shutil.copy(PROGRAM, tmp_path / "verify.py")
    (tmp_path / "model.safetensors").write_bytes(model_bytes(ends()[0]))
    (tmp_path / "other.safetensors").write_bytes(model_bytes(ws.library.contains("1")))
    (tmp_path / "claim.json").write_text(json.dumps(ends()[1]))
    return tmp_path


def run_alone(folder: Path, *given: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-I", "-S", "verify.py", *given]  # without any installed package
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_it_runs_where_nothing_is_installed(folder: Path) -> None:
    T, data = ends()
    theorem = checked([T], data)
    file = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    right = run_alone(folder, "model.safetensors", "claim.json")
    assert (right.returncode, right.stderr) == (0, "")
    assert right.stdout.splitlines() == [
        "proved for all lengths: the decision is 'YES' just for the inputs of a language",
        f"  model     {digest(T)}",
        f"            in a file with the SHA-256 {file}",
        "  language  the inputs that match .*01",
        "  tokens    '0' '1'",
        f"  checked   {theorem.walks} walks, {theorem.states} states",
    ]
    assert theorem.walks > 3
    assert theorem.states > 10
    told = run_alone(folder, "model.safetensors", "claim.json", "--json")
    assert told.returncode == 0
    said = json.loads(told.stdout)
    assert said["proved"] is True
    assert said["models"] == [{"digest": digest(T), "file": file}]
    assert (said["scope"], said["yes"], said["within"]) == ("all lengths", "YES", None)


@pytest.mark.parametrize(
    "given",
    [
        "other.safetensors claim.json",
        "claim.json",
        "model.safetensors",
        "none claim.json",
        "",
        "a b c d",
        "--automaton",
    ],
)
def test_whatever_fails_ends_with_1(folder: Path, given: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = [str(folder / word) if "." in word else word for word in given.split()]
    assert verify.main(words) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("refused: ")
    assert verify.main([*words, "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said["proved"] is False
    assert said["reason"]


@pytest.mark.parametrize("version", [1, 2])
def test_earlier_formats_are_refused_by_name(version: int) -> None:
    T, data = ends()
    with pytest.raises(verify.Refused, match="made by an earlier version: check the claim again"):
        checked([T], {**data, "format": f"weightsmith certificate {version}"})
    with pytest.raises(verify.Refused, match="made by an earlier version: check the claim again"):
        verify.check([], {"format": f"weightsmith certificate {version}"})


def test_a_claim_about_no_input_says_so() -> None:
    T, data = ends()
    nothing = {"regex": "2", "flags": 32}
    automaton = verify.automaton_of("2", ["0", "1"])
    theorem = checked([T], {**data, "within": nothing, "automata": {**data["automata"], "within": automaton}})
    assert theorem.about_no_input
    assert "This is a claim about no input at all." in str(theorem)
    late = {"regex": "0{5}1", "flags": 32}
    automata = {**data["automata"], "within": verify.automaton_of("0{5}1", ["0", "1"])}
    some: Data = {**data, "within": late, "automata": automata}
    assert not checked([T], some).about_no_input
    assert checked([T], {**some, "scope": "up to 5", "verdict": "proved, up to 5"}).about_no_input


def test_the_automaton_of_the_reader_takes_the_place_of_the_language(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [str(folder / name) for name in ("model.safetensors", "claim.json")]
    own = folder / "own.json"
    own.write_text(json.dumps(verify.automaton_of(".*01", ["0", "1"])))
    assert verify.main([*files, "--automaton", str(own)]) == 0
    assert "language  that of the automaton that you gave" in capsys.readouterr().out
    for wrong in (verify.automaton_of(".*10", ["0", "1"]), {}, {"table": [[-1, 0]], "accepting": [True], "start": 0}):
        own.write_text(json.dumps(wrong))
        assert verify.main([*files, "--automaton", str(own)]) == 1
    T = ends()[0]
    both, models = sealed(certificate(ws.check.same_decisions(T, T))), [verify.Model(model_bytes(T))] * 2
    with pytest.raises(verify.Refused, match="there is an automaton, and no language"):
        verify.check(models, both, own=verify.automaton_of(".*01", ["0", "1"]))


def test_the_theorem_of_two_models_names_both_and_the_suffix() -> None:
    S = ws.library.contains("1")
    T = ws.infinity_form(S)
    theorem = checked([S, T], certificate(ws.check.same_decisions(S, T, within="0*1*")))
    lines = str(theorem).splitlines()
    assert lines[0] == "proved for all lengths: both models decide alike"
    assert [line for line in lines if line.startswith("  model")] == [f"  model     {digest(M)}" for M in (S, T)]
    assert "  within    the inputs that match 0*1*" in lines


def test_given_automata_are_counted_by_states() -> None:
    T, data = ends()
    automaton: Any = data["automata"]["language"]
    theorem = checked([T], {**data, "language": {"automaton": automaton}})
    assert theorem.language == "that of the automaton in the certificate, which has 3 states"

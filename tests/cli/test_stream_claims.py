"""weightsmith check vectors and same-lanes."""

import json
import subprocess
from pathlib import Path

import pytest

import weightsmith as ws
from tests.cli.commands import weightsmith


def run_command(*arguments: object) -> subprocess.CompletedProcess[str]:
    return weightsmith(*map(str, arguments))


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    S = ws.library.contains("1")
    ws.save(S, tmp_path / "one.safetensors")
    ws.save(ws.infinity_form(S), tmp_path / "loud.safetensors")
    return tmp_path / "one.safetensors", tmp_path / "loud.safetensors"


def test_a_condition_is_proved_refuted_and_replayed(files: tuple[Path, Path], tmp_path: Path) -> None:
    _, loud = files
    proof = tmp_path / "proof.json"
    done = run_command("check", "vectors", loud, "NO == 1 and YES in (0, inf)", "-o", proof)
    assert (done.returncode, "proved for all lengths" in done.stdout) == (0, True)
    assert run_command("check", "--replay", proof, "--model", loud).returncode == 0
    cited = run_command("check", "--cite", proof)
    assert "satisfy NO == 1 and (YES == 0 or YES == 15.9375): proved for all lengths" in cited.stdout
    refuted = run_command("check", "vectors", loud, "YES == 0", "--json")
    assert refuted.returncode == 1
    assert json.loads(refuted.stdout)["counterexample"]["input"] == ["1"]
    some = run_command("check", "vectors", loud, "symbol == 0", "--at", "embedding", "--position", "2", "--up-to", "4")
    assert (some.returncode, "refuted by 001" in some.stdout) == (1, True)


def test_lanes_are_compared_by_name_or_by_pairs(files: tuple[Path, Path]) -> None:
    one, loud = files
    same = run_command(
        "check", "same-lanes", one, loud, "--lane", "symbol", "--lane", "found=found", "--at", "block 0 attention"
    )
    assert (same.returncode, "proved for all lengths" in same.stdout) == (0, True)
    other = run_command(
        "check", "same-lanes", one, loud, "--lane", "symbol=NO", "--at", "embedding", "--second-at",
        "block 3 feed-forward", "--second-position", "-1",
    )  # fmt: skip
    assert (other.returncode, "refuted by 0, the shortest" in other.stdout) == (1, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--position", "last"], "--position 'last': write 0 for the first, -1 for the last, or all"),
        (["--at", "block 9 attention"], "there is no site block 9 attention"),
        (["--position", "7", "--up-to", "3"], "no input has the position 7"),
        (["--position", "2"], "position 2 counts from the left"),
    ],
)
def test_bad_places_end_with_2(files: tuple[Path, Path], words: list[str], said: str) -> None:
    done = run_command("check", "vectors", files[0], "symbol == 0", *words)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())

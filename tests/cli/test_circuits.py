"""weightsmith circuits: made, found, scored; and what is refused."""

import json
from pathlib import Path

import pytest

from tests.cli.commands import good, weightsmith


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("circuits")
    said = weightsmith("circuits", "make", "b", "--programs", "count-a", "--exports", "none", folder=folder)
    assert said.returncode == 0, said.stderr
    assert "exact        1         0" in said.stdout
    assert "written to b" in said.stderr
    return folder


def test_the_programs_are_listed() -> None:
    rows = json.loads(good("circuits", "programs", "--json"))
    assert len(rows) == 100
    assert {row["difficulty"] for row in rows} == {"easy", "medium", "hard"}
    assert "count-a-so-far" in good("circuits", "programs")


def test_a_method_is_run_and_scored(made: Path) -> None:
    found = weightsmith("circuits", "find", "b", "--method", "zero", "-o", "zero.json", folder=made)
    assert found.returncode == 0, found.stderr
    assert "next: weightsmith circuits score b zero.json" in found.stderr
    some = ("--models", "exact/count-a , exact/count-a")
    assert weightsmith("circuits", "find", "b", "--method", "zero", "-o", "m.json", *some, folder=made).returncode == 0
    scored = json.loads(good("circuits", "score", "b", "zero.json", "--json", folder=made))
    assert scored["method"] == "zero"
    assert scored["mean"]["edges"] == {"mean": 1.0, "models": 1}
    assert "exact/count-a" in good("circuits", "score", "b", "zero.json", "--per-model", folder=made)
    assert json.loads(
        good("circuits", "make", "b", "--programs", "count-a", "--exports", "none", "--json", folder=made)
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("make", "c", "--kinds", "odd"), "there is no kind 'odd': write some of exact, softmax"),
        (("make", "c", "--programs", "101"), "programs=101: write a number from 1 to 100"),
        (("make", "c", "--programs", ""), "'' is no program of the benchmark"),
        (("make", "c", "--verify", "no"), "verify='no': write 'quick' or 'full'"),
        (("make", "no/where", "--programs", "1"), "cannot write"),
        (("make", "b", "--verify", "full"), "the benchmark in it was made with"),
        (("make", "zero-byte\\0", "--exports", "odd"), "there is no export 'odd'"),
        (("find", "b", "--method", "magic", "-o", "m.json"), "there is no method 'magic': write one of zero, mean"),
        (("find", "b", "--method", "zero", "-o", "no/where.json"), "cannot write"),
        (("find", "b", "--method", "zero", "--models", "x/y", "-o", "m.json"), "the benchmark has no model 'x/y'"),
        (("score", "b", "none.json"), "cannot read"),
        (("score", "none", "none.json"), "cannot read"),
        (("score", "b", "b/index.json"), "they are no results: write"),
    ],
)
def test_wrong_values_end_with_one_line(made: Path, arguments: tuple[str, ...], message: str) -> None:
    result = weightsmith("circuits", *arguments, folder=made)
    assert (result.returncode, result.stdout) == (2, "")
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not (made / "c").exists()

"""weightsmith automaton, limits, and check without a length."""

import json
import re
from pathlib import Path

import pytest

import weightsmith as ws
from tests.cli.commands import good, weightsmith
from weightsmith.cli.ending import DEFECT, INTERRUPTED, REFUTED, UNKNOWN, UNREAD, WRONG

CODES = [REFUTED, WRONG, UNKNOWN, DEFECT, INTERRUPTED, UNREAD]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("automata")
    ws.save(ws.library.contains_word("101"), path / "word.safetensors")
    ws.save(ws.library.majority("1"), path / "majority.safetensors")
    ws.save(ws.random_transformer(blocks=2, max_length=30), path / "large.safetensors")
    return path


def test_automaton_shows_a_table_an_expression_and_a_picture(folder: Path) -> None:
    lines = [line.split() for line in good("automaton", "word.safetensors", folder=folder).splitlines()]
    assert lines[0] == ["4", "states,", "all", "lengths"]
    assert lines[3:] == [
        ["0", "(start)", "NO", "0", "1"],
        ["1", "NO", "2", "1"],
        ["2", "NO", "0", "3"],
        ["3", "YES", "3", "3"],
    ]
    out = good("automaton", "word.safetensors", "--regex", "--picture", "word.svg", folder=folder)
    assert out == ".*101.*\n"
    assert (folder / "word.svg").read_text() == ws.automaton(ws.library.contains_word("101")).svg()
    assert "more than 40: --json prints all of them" in good("automaton", "majority.safetensors", folder=folder)


def test_an_automaton_in_json_is_a_language_for_check(folder: Path) -> None:
    data = json.loads(good("automaton", "word.safetensors", "--json", "--regex", folder=folder))
    assert (data["regex"], data["scope"], len(data["table"])) == (".*101.*", "all lengths", 4)
    (folder / "word.json").write_text(json.dumps(data))
    out = good("check", "recognizes", "word.safetensors", "--automaton", "word.json", folder=folder)
    assert out.startswith("recognizes: proved for all lengths (")


def test_check_without_a_length_is_about_all_lengths(folder: Path) -> None:
    out = good("check", "recognizes", "word.safetensors", "--regex", ".*101.*", "-o", "c.json", folder=folder)
    assert out.startswith("recognizes: proved for all lengths (")
    again = good("check", "--replay", "c.json", "--model", "word.safetensors", folder=folder)
    assert again.endswith("everything agrees with the certificate\n")
    refuted = weightsmith("check", "recognizes", "word.safetensors", "--regex", ".*1", folder=folder)
    assert refuted.returncode == 1
    assert refuted.stdout.startswith("recognizes: refuted by 1, the shortest (")


def test_unknown_ends_with_3(folder: Path) -> None:
    ended = weightsmith("check", "same-decisions", *2 * ["large.safetensors"], "--states", "50", folder=folder)
    assert ended.returncode == 3
    assert "same decisions: unknown: block 0, head 0, class " in ended.stdout


def test_an_automaton_that_the_budget_does_not_find_ends_with_3(folder: Path) -> None:
    ended = weightsmith("automaton", "large.safetensors", "--states", "2", folder=folder)
    assert (ended.returncode, ended.stdout) == (3, "")
    assert "a machine has more than 2 states" in ended.stderr


def test_every_table_of_exit_codes_has_the_same_codes() -> None:
    """Those of the pages, and those that the command line knows."""
    pages = Path(__file__).parents[2] / "docs"
    for name in ("check.md", "commands.md", "trust.md"):
        table = (pages / name).read_text().partition("## Exit codes")[2].partition("\n\n## ")[0]
        codes = [int(code) for row in re.findall(r"^\| ([0-9, ]+) \|", table, re.M) for code in row.split(",")]
        assert codes == [0, *CODES], name


def test_limits_builds_anew_for_each_arithmetic(folder: Path) -> None:
    into = ("--into", "fixed(2,2)", "fixed(4,4)", "float(4,3)")
    assert good("limits", "contains_word", *into, folder=folder).count("all lengths") == 3
    alone = good("limits", "contains_word", "fixed(4,4)", "--up-to", "4", "--json", folder=folder)
    assert [row["arithmetic"] for row in json.loads(alone)["rows"]] == ["fixed(4,4)"]
    out = good("limits", "papers.parity", "--into", "float(4,3)", "--up-to", "8", "--json", folder=folder)
    assert json.loads(out)["rows"][0]["failing"] == [4, 8]


def test_limits_rounds_a_file_only_if_asked(folder: Path) -> None:
    into = ("--into", "fixed(2,2)", "fixed(4,4)")
    said = ("limits", "majority.safetensors", "--round", "--up-to", "6", "--picture", "limits.svg", "--json")
    rows = json.loads(good(*said, "--regex", "0*1", *into, folder=folder))["rows"]
    assert [row["arithmetic"] for row in rows] == ["fixed(2,2)", "fixed(4,4)"]
    assert rows[1]["shortest"] == ["0", "1"]
    assert (folder / "limits.svg").read_text().startswith("<svg")
    (folder / "odd.json").write_text(json.dumps({"table": [[0, 1], [1, 0]], "accepting": [False, True]}))
    odd = good("limits", "parity", "--automaton", "odd.json", "--into", "fixed(2,2)", "--up-to", "5", folder=folder)
    assert "fails at 4–5" in odd


def test_a_certificate_of_a_family_is_replayed_on_the_command_line(folder: Path) -> None:
    entry = ws.library.papers.find("parity")
    ws.check.family(entry.family, entry.language, 4, "float(4,3)").save(folder / "family.json")
    out = good("check", "--replay", "family.json", folder=folder)
    assert "T_1 … T_4" in out
    assert "everything agrees with the certificate" in out


BAD = {
    ("automaton", "word.safetensors", "--yes", "MAYBE"): "the class MAYBE does not exist",
    ("automaton", "word.safetensors", "--seconds", "0"): "seconds=0.0: write how long it may take",
    ("automaton", "word.safetensors", "--memory", "0"): "--memory 0: write how many GiB it may take",
    ("automaton", "word.safetensors", "--picture", "word.safetensors"): "cannot write",
    ("automaton", "majority.safetensors", "--regex"): "the automaton has 511 states, and an expression would be too",
    ("limits", "word.safetensors"): "holds the weights of one arithmetic: write --round",
    ("limits", "nothing"): "there is no construction nothing",
    ("limits", "word.safetensors", "--round"): "say what it should recognize: write --regex",
    ("limits", "parity", "--regex", "1", "--language", "parity"): "write one of them",
    ("limits", "parity", "--language", "parrity"): "there is no language parrity: did you mean parity",
    ("limits", "parity", "--into", "fixed"): "fixed",
    ("limits", "parity", "--regex", "(", "--into", "fixed(4,4)"): "regular expression",
    ("limits", "parity", "--into", "fixed(4,4)", "--seconds", "0"): "seconds=0.0",
    ("limits", "parity", "--into", "fixed(4,4)", "--states", "0"): "states",
    ("limits", "parity", "--into", "fixed(4,4)", "--up-to", "0"): "up_to=0: write the greatest n",
}


@pytest.mark.parametrize("arguments", BAD, ids=" ".join)
def test_what_does_not_fit_ends_with_2_and_a_line(arguments: tuple[str, ...], folder: Path) -> None:
    ended = weightsmith(*arguments, folder=folder)
    assert ended.returncode == 2
    assert BAD[arguments] in ended.stderr
    assert len(ended.stderr.splitlines()) == 1

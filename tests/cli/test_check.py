"""`weightsmith check` as a person meets it: real processes, their output, their exit codes."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import weightsmith as ws
from tests.check.processes import hear_interrupts, lines, until
from tests.cli.commands import WIDE, checked, good, weightsmith
from weightsmith.kernels.packed import packed_run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    S = ws.library.contains("1")
    packed_run(S).ready()  # or the first command would say that it compiles
    ws.save(S, tmp_path / "one.safetensors")
    ws.save(ws.infinity_form(S), tmp_path / "loud.safetensors")
    ws.save(ws.library.contains("0"), tmp_path / "zero.safetensors")
    ws.save(ws.library.contains("a", "ab"), tmp_path / "letters.safetensors")
    ws.save(ws.library.length_modulo(3, max_length=4), tmp_path / "short.safetensors")
    return tmp_path


def test_a_claim_that_holds_says_how_many_inputs_and_exits_with_0(folder: Path) -> None:
    out = checked("same-decisions", "one.safetensors", "loud.safetensors", "--up-to", "10", folder=folder, code=0)
    assert out.startswith("same decisions: exhaustive up to 10, all 2,046 inputs")
    assert "verified" not in out


def test_a_refuted_claim_shows_the_input_both_sides_and_where_they_part_and_exits_with_1(folder: Path) -> None:
    out = checked("same-decisions", "one.safetensors", "zero.safetensors", "--up-to", "10", folder=folder, code=1)
    assert out.splitlines()[0].startswith("same decisions: refuted by 0, the shortest")
    assert "the first: NO" in out
    assert "the second: YES" in out
    assert "the streams part after embedding, position 0, lane symbol: 0 and 1" in out


def test_same_logits_is_stricter_than_same_decisions(folder: Path) -> None:
    checked("same-logits", "one.safetensors", "one.safetensors", "--up-to", "6", folder=folder, code=0)
    out = checked("same-logits", "one.safetensors", "loud.safetensors", "--up-to", "6", folder=folder, code=1)
    assert "refuted by" in out


RULES = """
def one(word):
    return "YES" if "1" in word else "NO"

def two(word):
    return "YES" if "11" in word else "NO"

def odd(word):
    return "MAYBE"
"""


def test_a_model_agrees_with_a_function_of_a_python_file(folder: Path) -> None:
    (folder / "rule.py").write_text(RULES)
    (folder / "broken.py").write_text("1 / 0")

    def against(function: str, code: int) -> str:
        return checked("agrees-with", "one.safetensors", function, "--up-to", "8", folder=folder, code=code)

    assert "exhaustive up to 8, all 510 inputs" in against("rule.py:one", 0)
    assert "refuted by 1, the shortest" in against("rule.py:two", 1)
    for function, words in {
        "rule.py:odd": "it must give one of NO, YES",
        "rule.py:none": "rule.py' has no function 'none': it has one, two, odd",
        "rule.py": "names no function: write FILE.py:NAME",
        "nowhere.py:one": "there is no file 'nowhere.py'",
        "broken.py:one": "'broken.py' cannot be run: ZeroDivisionError: division by zero",
    }.items():
        assert words in against(function, 2), function
    error = checked("agrees-with", "one.safetensors", "rule.py:one", folder=folder, code=2)
    assert "up to which length" in error


def test_a_language_is_a_regular_expression_or_an_automaton(folder: Path) -> None:
    checked("recognizes", "one.safetensors", "--regex", "0*1.*", "--up-to", "12", folder=folder, code=0)
    automaton = {"table": [[0, 1], [1, 1]], "accepting": [False, True]}
    (folder / "one.json").write_text(json.dumps(automaton))
    checked("recognizes", "one.safetensors", "--automaton", "one.json", "--up-to", "12", folder=folder, code=0)
    checked("recognizes", "zero.safetensors", "--automaton", "one.json", "--up-to", "12", folder=folder, code=1)


def test_json_is_the_certificate_and_can_be_replayed(folder: Path) -> None:
    claim = ("same-decisions", "one.safetensors", "loud.safetensors", "--up-to", "9")
    data = json.loads(checked(*claim, "--json", folder=folder, code=0))
    assert (data["holds"], data["inputs"], data["verdict"]) == (True, 1022, "exhaustive up to 9")
    assert data["files"] == ["one.safetensors", "loud.safetensors"]
    (folder / "c.json").write_text(json.dumps(data))
    replay = ("--replay", "c.json", "--model", "one.safetensors", "--model", "loud.safetensors")
    out = checked(*replay, folder=folder, code=0)
    assert "the only shard, 1,022 inputs" in out
    assert "everything agrees" in out
    data["shards"][0][0] = "0" * 64
    (folder / "c.json").write_text(json.dumps(data))
    out = checked(*replay, folder=folder, code=1)
    assert "tier 0, shard 0 comes out differently" in out
    assert out.endswith("the certificate is refuted\n")


def test_a_replayed_refutation_runs_the_counterexample_again(folder: Path) -> None:
    claim = ("recognizes", "one.safetensors", "--regex", "0*1", "--up-to", "9", "--certificate", "c.json")
    checked(*claim, folder=folder, code=1)
    replay = ("--replay", "c.json", "--model", "one.safetensors")
    assert "the counterexample 10 was run again" in checked(*replay, folder=folder, code=0)


def test_a_suffix_a_length_and_a_language_frame_a_claim(folder: Path) -> None:
    S = ws.load(folder / "one.safetensors")
    ws.save(ws.infinity_form(S, lowering="attention", length=4), folder / "end.safetensors")
    claim = ("same-decisions", "one.safetensors", "end.safetensors", "--suffix", "END", "--length", "4")
    out = checked(*claim, "--certificate", "c.json", folder=folder, code=0)
    assert out.startswith("same decisions, each input followed by END, inputs of length 4: exhaustive, all 16 inputs (")
    models = ("--model", "end.safetensors", "--model", "one.safetensors")
    assert "everything agrees" in checked("--replay", "c.json", *models, folder=folder, code=0)
    out = checked(*claim, "--within", "0*1*", "--json", folder=folder, code=0)
    data = json.loads(out)
    assert (data["inputs"], data["suffix"], data["length"], data["within"]["regex"]) == (5, ["END"], 4, "0*1*")
    logits = ("same-logits", "one.safetensors", "loud.safetensors", "--up-to", "5", "--within", "0*1")
    assert checked(*logits, folder=folder, code=1).startswith("same logits, inputs that match 0*1: refuted by 1, ")
    words = ("recognizes", "one.safetensors", "--regex", "0", "--length", "1", "--suffix", "0 1")
    assert "has no token besides the suffix" in checked(*words, folder=folder, code=2)
    words = ("recognizes", "end.safetensors", "--regex", ".*1.*", "--length", "4", "--suffix", "END")
    assert "all 16 inputs" in checked(*words, folder=folder, code=0)


def test_letters_that_no_token_has_are_a_line_of_messages(folder: Path) -> None:
    claim = ("recognizes", "one.safetensors", "--regex", "(0|1|2)*1.*", "--up-to", "4", "--json")
    result = weightsmith("check", *claim, folder=folder)
    assert result.returncode == 0
    assert result.stderr == (
        "warning: the expression has 2, which no token of the vocabulary 0, 1 has: nothing matches there\n"
    )
    assert json.loads(result.stdout)["holds"]
    claim = ("same-decisions", "one.safetensors", "one.safetensors", "--within", "[a-c]", "--up-to", "4")
    result = weightsmith("check", *claim, folder=folder)
    assert result.stdout.startswith("same decisions, inputs that match [a-c]: exhaustive up to 4, no input (")
    assert result.stderr == (
        "warning: within has a-c, which no token of the vocabulary 0, 1 has: nothing matches there\n"
    )


def test_a_class_that_does_not_exist_is_answered_with_an_option(folder: Path) -> None:
    ws.save(ws.library.bank(), folder / "bank.safetensors")
    financial = "((?!river ).)*deposit ((?!river ).)*bank"
    claim = ("recognizes", "bank.safetensors", "--regex", financial, "--up-to", "3")
    assert checked(*claim, folder=folder, code=2) == (
        "error: the class YES does not exist: the classes are unclear, financial, geographic; write --yes financial\n"
    )
    checked(*claim, "--yes", "financial", folder=folder, code=0)


BAD = {
    ("same-logits", "one.safetensors", "one.safetensors"): "up to which length? Write --up-to 10, or --length 4",
    ("recognizes", "one.safetensors", "--regex", "1"): "a ledger and a cluster go through inputs: say up to which "
    "length, as in --up-to 20",
    ("same-decisions", "one.safetensors", "short.safetensors", "--up-to", "5"): "the position table holds 4",
    ("same-decisions", "one.safetensors", "none.safetensors", "--up-to", "5"): "cannot read 'none.safetensors'",
    ("same-decisions", "one.safetensors", "one.safetensors", "--up-to", "4", "--memory", "0"): "--memory 0",
    ("same-decisions", "one.safetensors", "one.safetensors", "--up-to", "4", "--memory", "nan"): "--memory nan",
    ("recognizes", "one.safetensors", "--up-to", "4"): "say which inputs it recognizes",
    ("recognizes", "one.safetensors", "--up-to", "4", "--regex", "1("): "'1(' is not a regular expression",
    ("recognizes", "one.safetensors", "--up-to", "4", "--regex", "1", "--yes", "MAYBE"): "MAYBE",
    ("recognizes", "one.safetensors", "--up-to", "4", "--automaton", "one.safetensors"): "one.safetensors",
    ("same-decisions", "one.safetensors", "loud.safetensors", "--up-to", "4", "--cluster", "nonsense"): "nonsense",
    ("--replay", "one.safetensors"): "one.safetensors",
    ("--replay", "c.json", "same-decisions", "one.safetensors", "one.safetensors", "--up-to", "4"): "needs no claim",
}


@pytest.mark.parametrize("arguments", BAD, ids=" ".join)
def test_bad_input_is_answered_in_a_line_with_exit_code_2_and_the_ledger_untouched(
    arguments: tuple[str, ...], folder: Path
) -> None:
    ledger = () if "--replay" in arguments else ("--ledger", "l")
    error = checked(*arguments, *ledger, folder=folder, code=2)
    assert error.startswith("error: ")
    assert BAD[arguments] in error
    assert not (folder / "l").exists()


# The command as it is, but it stands still, until it is stopped, once three shards are in the ledger.
STILL = """
import time
from weightsmith.check import ledger
from weightsmith.cli import main
ledger.SYNC_SECONDS, add = 0, ledger.Ledger.add
def adding(self, *entry):
    add(self, *entry)
    while len(self.digests) == 3:
        time.sleep(0.01)
ledger.Ledger.add = adding
main()
"""


def long_check(folder: Path) -> list[str]:
    """A check of many shards."""
    T = ws.random_transformer("01", 24, 4, 2, 96, 20, seed=3, weighting=ws.Softmax(shifted=True))
    ws.save(T, folder / "long.safetensors")
    claim = ["same-logits", "long.safetensors", "long.safetensors", "--up-to", "15"]
    return ["check", *claim, "--ledger", "l", "--json"]


def begun(arguments: list[str], folder: Path) -> subprocess.Popen[str]:
    """Start a check, and wait until some of its shards are in the ledger."""
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    command = [sys.executable, "-c", STILL, *arguments]
    process = subprocess.Popen(command, cwd=folder, env=WIDE, text=True, preexec_fn=hear_interrupts, **pipes)
    until(lambda: lines(folder / "l") == 4, process)  # the first says what is checked
    return process


def without_times(certificate: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(certificate)
    return {key: value for key, value in data.items() if key not in ("seconds", "finished")}


@pytest.mark.long
def test_a_killed_check_goes_on_from_its_ledger_to_the_same_certificate(folder: Path) -> None:
    command = long_check(folder)
    process = begun(command, folder)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert lines(folder / "l") == 4
    resumed = good(*command, folder=folder)
    assert lines(folder / "l") > 4
    (folder / "l").unlink()
    assert without_times(resumed) == without_times(good(*command, folder=folder))


def test_ctrl_c_stops_with_a_word_and_keeps_the_ledger(folder: Path) -> None:
    process = begun(long_check(folder), folder)
    process.send_signal(signal.SIGINT)
    out, error = process.communicate()
    assert process.returncode == 130
    assert out == ""
    assert "the same command goes on from here" in error
    assert "Traceback" not in error
    assert (folder / "l").read_bytes().endswith(b"\n")

"""weightsmith compile and rasp: programs become files, and are evaluated twice as they are typed."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import weightsmith as ws
from tests.cli.commands import WIDE, good, weightsmith
from tests.command_line import end_of, start_command
from weightsmith.cli import waiting
from weightsmith.cli.programs import given_tokens

HIST = "hist = selector_width(select(tokens, tokens, ==));\n"
SMALL = ("--vocabulary", "abc", "--max-length", "5", "-o", "m")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "hist.rasp").write_text(HIST)
    return tmp_path


WIDE_MEAN = """a = indices * indices;
m = aggregate(select(tokens, tokens, ==), a);
said = m > indices;
"""


def test_a_program_that_takes_too_much_is_refused_with_its_line(folder: Path) -> None:
    (folder / "wide.rasp").write_text(WIDE_MEAN)
    result = weightsmith(
        "compile", "wide.rasp", "--max-length", "20", *SMALL[:2], *SMALL[4:], "--memory", "0.001", folder=folder
    )
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("error: line 2, column 5: m: the ")
    assert " (--memory 0.0" in result.stderr
    assert "\n    m = aggregate(select(tokens, tokens, ==), a);\n" in result.stderr
    assert not (folder / "m").exists()
    result = weightsmith("compile", "hist.rasp", *SMALL, "--seconds", "1e-9", folder=folder)
    assert result.returncode == 2
    assert (
        ": compiling has taken 1e-09 seconds, and this step is not done: write seconds=2e-09 or more" in result.stderr
    )
    good("compile", "hist.rasp", *SMALL, "--seconds", "600", "--memory", "0.5", folder=folder)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (("--memory", "0"), "error: --memory 0: write how many GiB it may take, such as 0.5\n"),
        (("--seconds", "-1"), "error: seconds=-1.0: write how long compiling may take, such as 60, or None\n"),
    ],
)
def test_what_is_no_budget_is_refused(option: tuple[str, str], message: str, folder: Path) -> None:
    for what in (("hist.rasp", *SMALL), ("--ltl", "O a", "-o", "m")):
        result = weightsmith("compile", *what, *option, folder=folder)
        assert (result.returncode, result.stderr) == (2, message)


def prompted(text: str, *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run `weightsmith rasp` on lines from a file."""
    given, out, err = (folder / name for name in ("given", "out", "err"))
    given.write_text(text)
    process = start_command("rasp", *arguments, folder=folder, environment=WIDE, files=(given, out, err))
    code = end_of(process)
    return subprocess.CompletedProcess(["rasp"], code, out.read_text("utf-8"), err.read_text("utf-8"))


def test_a_program_becomes_a_file_that_computes_it(folder: Path) -> None:
    said = good("compile", "hist.rasp", *SMALL, folder=folder)
    assert "%3 = selector_width(%2)" in said
    assert "block 0     2 heads (Softmax) · hist" in said
    T = ws.load(folder / "m")
    assert ws.run(T, "abca").outputs == (2, 1, 1, 2)
    shown = good("run", "m", "abca", folder=folder)
    assert "output   2     1     1     2" in shown


def test_the_program_stands_beside_the_weights(folder: Path) -> None:
    good("compile", "hist.rasp", *SMALL, folder=folder)
    info = good("info", "m", folder=folder)
    assert "  made by     compiled from hist\n              hist, RASP\n                %0 = tokens\n" in info
    rows = [line.split() for line in info.splitlines()]
    assert "                1 | hist = selector_width(select(tokens, tokens, ==));\n" in info
    assert ["block", "0", "%3", "hist:", "selector_width(%2)", "line", "1"] in rows
    assert ["block", "0", "heads", "0", "to", "1", "%3", "hist:", "selector_width(%2)", "line", "1"] in rows
    assert ["lane", "hist", "%3", "hist:", "selector_width(%2)", "line", "1"] in rows


def test_options_choose_operation_arithmetic_and_mask(folder: Path) -> None:
    (folder / "two.rasp").write_text(HIST + "place = indices + 1;\n")
    good("compile", "two.rasp", *SMALL, "--name", "hist", "--into", "fixed(8,1)", "--causal", folder=folder)
    T = ws.load(folder / "m")
    assert T.arithmetic == ws.Fixed(8, 1)
    assert T.mask == "causal"
    assert ws.run(T, "abca").outputs == (1, 1, 1, 2)
    good("compile", "two.rasp", *SMALL, folder=folder)
    assert ws.run(ws.load(folder / "m"), "ba").outputs == (1, 2)


def test_loaded_files_stand_beside_the_program(folder: Path) -> None:
    (folder / "more.rasp").write_text('load "hist";\ntwice = 2 * hist;\n')
    good("compile", f"{folder.name}/more.rasp", *SMALL, folder=folder.parent)
    assert ws.run(ws.load(folder.parent / "m"), "aab").outputs == (4, 4, 2)


def test_the_certificate_is_printed_or_written(folder: Path) -> None:
    said = good("compile", "hist.rasp", *SMALL, "--certificate", "-", folder=folder)
    assert "right at every position of every input up to 5 tokens" in said
    good("compile", "hist.rasp", *SMALL, "--certificate", "c.json", folder=folder)
    data = json.loads((folder / "c.json").read_text())
    assert (data["program"], data["safe_length"], data["vocabulary"]) == ("hist", 5, ["a", "b", "c"])
    assert len(data["lemmas"]) > 3


def test_a_written_certificate_is_derived_again(folder: Path) -> None:
    good("compile", "hist.rasp", *SMALL, "--certificate", "c.json", folder=folder)
    said = good("check", "--replay", "c.json", "--model", "m", folder=folder)
    assert "proved: right at every position of all 363 inputs of 1 to 5 tokens" in said
    for options, why in (
        ([], "write --model MODEL once"),
        (["--model", "m", "--model", "m"], "write --model MODEL once"),
        (["--model", "m", "--sample", "3"], "has no shards: leave out --sample and --all"),
    ):
        result = weightsmith("check", "--replay", "c.json", *options, folder=folder)
        assert result.returncode == 2
        assert why in result.stderr
    data = json.loads((folder / "c.json").read_text())
    data["stated"]["positions"] = 4
    (folder / "c.json").write_text(json.dumps(data))
    result = weightsmith("check", "--replay", "c.json", "--model", "m", folder=folder)
    assert result.returncode == 1
    assert "the certificate is refuted: the model has no table of 4 positions" in result.stdout


def test_short_inputs_are_run_if_asked_for(folder: Path) -> None:
    said = good("compile", "hist.rasp", *SMALL, "--check", "4", "--certificate", "c.json", folder=folder)
    assert "computes: exhaustive up to 4, all 120 inputs" in said
    assert json.loads((folder / "c.json").read_text())["also"] == [{"up_to": 4, "inputs": 120, "holds": True}]
    result = weightsmith("compile", "hist.rasp", *SMALL, "--check", "9", folder=folder)
    assert result.returncode == 2
    assert "at most 5" in result.stderr


def test_vocabularies_are_characters_or_words() -> None:
    assert given_tokens("abc") == ("a", "b", "c")
    assert given_tokens("cat dog") == ("cat", "dog")
    assert given_tokens("cat, dog") == given_tokens("cat,dog") == ("cat", "dog")
    assert given_tokens("(){}") == ("(", ")", "{", "}")
    assert given_tokens("ab,") == ("a", "b", ",")
    assert given_tokens("a b ,") == ("a", "b", ",")
    assert given_tokens(None) is None


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "what is to be compiled? write a file, as in program.rasp, or --ltl 'O(a & Y b)'"),
        (["hist.rasp", "--ltl", "O a"], "what is to be compiled?"),
        (["hist.rasp"], "over which tokens? write --vocabulary abc"),
        (["hist.rasp", "--vocabulary", "ab"], "for inputs up to which length? write --max-length 20"),
        (["hist.rasp", "--vocabulary", "ab", "--max-length", "9", "--soft"], "--soft is not for a program"),
        (["hist.rasp", "--vocabulary", "ab", "--max-length", "9", "--name", "hits"], "nothing is called 'hits'"),
        (["--ltl", "O a", "--max-length", "5"], "--max-length is not for a formula: leave it out"),
        (["none.rasp", "--vocabulary", "ab", "--max-length", "5"], "cannot read 'none.rasp': "),
        (["bytes.rasp", "--vocabulary", "ab", "--max-length", "5"], "cannot read 'bytes.rasp': it is no text in UTF-8"),
        (["bad.rasp", "--vocabulary", "ab", "--max-length", "5"], "line 2, column 9: "),
        (["hist.rasp", "--vocabulary", "ab", "--max-length", "5", "--certificate", "m"], "cannot write 'm': the same"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_written(arguments: list[str], said: str, folder: Path) -> None:
    (folder / "bytes.rasp").write_bytes(b"a = \xff;")
    (folder / "bad.rasp").write_text("a = indices;\nb = a + ;\n")
    result = weightsmith("compile", *arguments, "-o", "m", folder=folder)
    assert result.returncode == 2, result.stdout
    assert f"error: {said}" in result.stderr or said in result.stderr
    assert not (folder / "m").exists()


def test_a_program_is_never_written_over(folder: Path) -> None:
    result = weightsmith("compile", "hist.rasp", *SMALL[:-1], "hist.rasp", folder=folder)
    assert result.returncode == 2
    assert "cannot write 'hist.rasp': the same command reads it" in result.stderr
    assert (folder / "hist.rasp").read_text() == HIST


def test_what_takes_longer_than_a_second_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(waiting, "QUIET_SECONDS", 0.02)
    monkeypatch.setattr(waiting, "LINE_SECONDS", 0.05)
    with waiting.waiting("compiling"):
        time.sleep(0.2)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "compiling …"
    assert lines[1].startswith("compiling … ")
    monkeypatch.setattr(waiting, "QUIET_SECONDS", 60.0)
    with waiting.waiting("compiling"):
        pass
    assert capsys.readouterr().err == ""


def test_the_prompt_evaluates_by_interpreter_and_by_weights(tmp_path: Path) -> None:
    result = prompted(HIST + 'set example "abca"\nhist\nindices * 2;\n', folder=tmp_path)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines() == [
        "hist('hello') = [1, 1, 2, 2, 1]",
        "   by weights = [1, 1, 2, 2, 1]  (blocks: 1, lanes: 2, fixed(6,0), up to 20 tokens)",
        "it('abca') = [2, 1, 1, 2]",
        "by weights = [2, 1, 1, 2]  (blocks: 1, lanes: 2, fixed(6,0), up to 20 tokens)",
        "it('abca') = [0, 2, 4, 6]",
        "by weights = [0, 2, 4, 6]  (blocks: 0, lanes: 1, fixed(6,0), up to 20 tokens)",
    ]
    assert "error" not in result.stderr


def test_the_prompt_takes_pieces_of_several_lines_and_shows_what_is_no_operation(tmp_path: Path) -> None:
    text = """# a function of two
def plus(a,
         b) {
    return a + b;
}
x = plus(
    indices, 1)
set example "aba"
select(tokens, tokens, ==)
["a", 1]
{"a": 2};
show example
quit
indices
"""
    result = prompted(text, "--vocabulary", "ab", "--max-length", "4", folder=tmp_path)
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines() == [
        "plus = the function plus",
        "x('hello') = [1, 2, 3, 4, 5]",
        "no weights: 'h' at position 0 is not in the vocabulary: write 'a', 'b'",
        "it('aba') selects, for each position:",
        "  a  1 · 1",
        "  b  · 1 ·",
        "  a  1 · 1",
        "it = ['a', 1]",
        "it = {'a': 2}",
        "example = 'aba'",
    ]


def test_the_prompt_goes_on_after_errors_which_name_their_line(tmp_path: Path) -> None:
    result = prompted("indices\n1 / indices\ny = foo + 1;\nselect(\n\nlength\n", folder=tmp_path)
    assert result.returncode == 2
    assert "error: line 2, column 1: / on 1 and 0 at position 0" in result.stderr
    assert "error: line 3, column 5: nothing is called 'foo'" in result.stderr
    assert "error: line 6, column" in result.stderr
    assert result.stdout.count("by weights") == 1


def test_the_prompt_says_why_something_has_no_weights(tmp_path: Path) -> None:
    result = prompted('aggregate(select(indices, indices, <=), tokens, "-")\n', folder=tmp_path)
    assert result.returncode == 2  # the interpreter refuses it too
    result = prompted(
        'set example "a"\naggregate(select(indices, indices, <=), tokens, "-")\n', "--vocabulary", "ab", folder=tmp_path
    )
    assert result.returncode == 0
    assert "it('a') = ['a']\nno weights: line 2, column 1: " in result.stdout


def test_the_prompt_sees_only_what_is_before_it_if_asked_to(tmp_path: Path) -> None:
    result = prompted(HIST, "--causal", folder=tmp_path)
    assert "hist('hello') = [1, 1, 1, 2, 1]\n   by weights = [1, 1, 1, 2, 1]" in result.stdout


@pytest.mark.skipif(os.name != "posix", reason="a terminal is made")
def test_the_prompt_in_a_terminal_asks(tmp_path: Path) -> None:
    import pty

    main, inner = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "weightsmith", "rasp"],
        stdin=inner,
        stdout=inner,
        stderr=subprocess.PIPE,
        env=WIDE,
        cwd=tmp_path,
    )
    os.close(inner)
    with process:
        os.write(main, b"1 +\nindices\nquit\n")
        assert process.stderr is not None
        complaints = process.stderr.read().decode()
    said = os.read(main, 10_000).decode()
    os.close(main)
    assert process.returncode == 0, complaints
    assert ">> " in said
    assert "it('hello') = [0, 1, 2, 3, 4]" in said
    assert "error: line 1, column" in complaints

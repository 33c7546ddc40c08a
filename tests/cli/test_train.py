"""weightsmith train as a person meets it: what it writes, what it says, what it refuses before it begins."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

import weightsmith as ws
from tests.cli.commands import python
from weightsmith.cli import main

TEXT = "the cat sat on the mat; the rat sat on the cat.\n" * 10
SMALL = (
    "--lanes", "8", "--blocks", "1", "--heads", "2", "--batch", "4", "--steps", "6", "--evaluate-every", "4",
    "--threads", "1",
)  # fmt: skip
LEARN = ("text.txt", "--context", "8", *SMALL)
Train = Callable[..., tuple[int | str | None, str, str]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "text.txt").write_text(TEXT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def train(folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Train:
    """The command in this process, where torch is loaded already."""

    def run(*arguments: str) -> tuple[int | str | None, str, str]:
        monkeypatch.setattr(sys, "argv", ["weightsmith", "train", *arguments])
        with pytest.raises(SystemExit) as end:
            main()
        return end.value.code, *capfd.readouterr()

    return run


def files(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_text_gives_a_model_a_log_a_picture_and_a_sample(folder: Path, train: Train) -> None:
    code, out, err = train(*LEARN)
    assert code == 0
    T = ws.load("model.safetensors")
    assert T.vocabulary == tuple(sorted(set(TEXT)))
    assert T.max_length == 8
    records = [json.loads(line) for line in Path("model.log.jsonl").read_text().splitlines()]
    assert [record["step"] for record in records] == [0, 4, 6]
    assert ElementTree.parse("model.loss.svg").getroot().tag.endswith("}svg")
    assert f"validation loss {records[-1]['validation_loss']:.4f} after 6 steps" in out
    assert "written to model.safetensors; losses in model.log.jsonl, model.loss.svg" in err
    assert sorted(os.listdir()) == ["model.log.jsonl", "model.loss.svg", "model.safetensors", "text.txt"]
    code, again, _ = train(*LEARN, "--json", "-o", "again")
    found = json.loads(again)
    assert found["step"] == 6
    assert len(found["sample"]) == 7
    assert set(found["sample"]) <= set(T.vocabulary)
    assert Path("again").read_bytes() == Path("model.safetensors").read_bytes()


def test_a_short_training_has_a_curve_of_twenty_points_and_its_start(train: Train) -> None:
    short = ("--lanes", "8", "--blocks", "1", "--heads", "2", "--batch", "4", "--steps", "40", "--threads", "1")
    assert train("text.txt", "--context", "4", *short)[0] == 0
    records = [json.loads(line) for line in Path("model.log.jsonl").read_text().splitlines()]
    assert [record["step"] for record in records] == list(range(0, 41, 2))


def test_a_context_of_one_can_be_learnt(train: Train) -> None:
    assert train("text.txt", "--context", "1", *SMALL)[0] == 0
    assert ws.load("model.safetensors").max_length == 1


def test_words_and_labelled_strings_can_be_learnt(folder: Path, train: Train) -> None:
    assert train("text.txt", "--context", "4", "--tokens", "words", *SMALL)[0] == 0
    assert {"mat", ";"} < {*ws.load("model.safetensors").vocabulary}
    Path("labels").write_text("".join(f"{n:04b}\t{'YES' if n % 3 else 'NO'}\n" for n in range(16)))
    assert train("--labelled", "labels", "-o", "labelled.safetensors", *SMALL)[0] == 0
    T = ws.load("labelled.safetensors")
    assert (T.vocabulary, T.classes, T.max_length) == (("0", "1"), ("NO", "YES"), 4)


def test_a_predicate_can_be_learnt_over_other_symbols(train: Train) -> None:
    assert train("--predicate", "contains b", "--vocabulary", "abc", "--max-length", "4", *SMALL)[0] == 0
    T = ws.load("model.safetensors")
    assert (T.vocabulary, T.classes, T.max_length) == (("a", "b", "c"), ("NO", "YES"), 4)
    assert T.blocks[0].feed_forward is not None
    assert (T.blocks[0].feed_forward.activation, T.final_norm) == ("relu", None)  # as for all labelled strings


def test_an_exact_training_leaves_a_model_in_its_arithmetic_with_hard_attention(train: Train) -> None:
    code, out, _ = train("--predicate", "first equals last", "--exact", "fixed(3,3)", "--max-length", "4", *SMALL)
    assert code == 0
    assert "after 6 steps" in out
    T = ws.load("model.safetensors")
    assert T.arithmetic == ws.Fixed(3, 3)
    assert "RightmostHard" in str(T)
    assert T.max_length is None  # relative positions: any length
    verdict = ws.check.recognizes(T, "0|1|0(0|1)*0|1(0|1)*1")
    assert str(verdict).partition(" (")[0] in out


def test_an_exact_training_says_what_no_rule_can_be_compared_with(folder: Path, train: Train) -> None:
    (folder / "labels").write_text("a\tYES\nb\tNO\nab\tNO\n")
    for source in (("--labelled", "labels"), ("--predicate", "more 1 than 0", "--max-length", "3")):
        code, out, _ = train(*source, "--exact", "fixed(3,3)", *SMALL)
        states = len(ws.automaton(ws.load("model.safetensors")).table)
        assert (code, f"its exact language has {states} states, all lengths: " in out) == (0, True)


def test_settings_that_are_given_are_never_left_out(train: Train) -> None:
    assert train("--predicate", "contains 1", "--max-length", "4", *SMALL, "--decay", "0.5")[0] == 0
    decayed = ws.load("model.safetensors")
    assert train("--predicate", "contains 1", "--max-length", "4", *SMALL)[0] == 0
    assert decayed != ws.load("model.safetensors")
    assert train(*LEARN, "--rate", "0")[0] == 0  # nothing is learnt, as asked


def test_names_of_other_files_keep_the_whole_name_of_the_model(folder: Path, train: Train) -> None:
    for name in ("model.v1", "model.v2", "model.checkpoint"):
        assert train(*LEARN, "-o", name)[0] == 0
        assert ws.load(name).max_length == 8
        assert (folder / f"{name}.log.jsonl").exists()


BAD: dict[str, tuple[tuple[str, ...], str]] = {
    "nothing to learn": (SMALL, "write a text file, or --predicate 'contains 11', or --labelled FILE: one of them"),
    "two things": ((*LEARN, "--predicate", "contains 1"), "one of them"),
    "no file": (("no.txt",), "cannot read no.txt: No such file or directory"),
    "a folder": (("sub",), "cannot read sub: Is a directory"),
    "empty": (("empty",), "the text is empty: there is nothing to learn"),
    "binary": (("binary",), "binary is not a text in UTF-8: byte 0 cannot be read"),
    "zeros": (("zeros",), "zeros is not a text: it holds a zero byte"),
    "short": (("text.txt", "--context", "300"), "the text has 480 tokens, and a context of 300 needs at least 602"),
    "labels": (("--labelled", "labels", *SMALL), "labels, line 2: 'b\\tMAYBE' is not a string, a tab, and YES or NO"),
    "both labels": (("--labelled", "both", *SMALL), "both, line 2: 'a' has both labels"),
    "no labels": (("--labelled", "empty", *SMALL), "there are no labelled strings"),
    "never": (("--predicate", "contains 2", *SMALL), "the predicate never holds"),
    "always": (("--predicate", "matches .*", *SMALL), "the predicate always holds"),
    "no predicate": (("--predicate", "is even", *SMALL), "the predicate is even is not understood"),
    "bad regex": (("--predicate", "matches (", *SMALL), "the regular expression ( cannot be read: missing )"),
    "no symbols": (("--predicate", "contains 1", "--vocabulary", "", *SMALL), "vocabulary is empty"),
    "lanes": ((*LEARN, "--lanes", "9"), "lanes=9 cannot be divided among heads=2: write a multiple"),
    "many lanes": ((*LEARN, "--lanes", "10000000"), "weights, at most 268,435,456 can be trained"),
    "dropout 1": ((*LEARN, "--dropout", "1"), "dropout=1.0: write a number from 0 to 0.99"),
    "steps 0": ((*LEARN, "--steps", "0"), "steps=0: write a whole number from 1 on"),
    "no folder": ((*LEARN, "-o", "no/m"), "cannot write no/m: No such file or directory"),
    "file as folder": ((*LEARN, "-o", "one/m"), "cannot write one/m: Not a directory"),
    "output is a folder": ((*LEARN, "-o", "sub"), "cannot write sub: it is not a regular file"),
    "output is no file": ((*LEARN, "-o", "/dev/full"), "cannot write /dev/full: it is not a regular file"),
    "unwritable": ((*LEARN, "-o", "/proc/m"), "cannot write /proc/m: "),
    "long name": ((*LEARN, "-o", "m" * 255), "File name too long"),
    "in circles": ((*LEARN, "-o", "circle/m"), "cannot write circle/m: "),
    "over the text": ((*LEARN, "-o", "text.txt"), "cannot write text.txt: it is what is to be learnt"),
    "over the text by a link": ((*LEARN, "-o", "link"), "cannot write link: it is what is to be learnt"),
    "over the labels": (("--labelled", "good.log.jsonl", "-o", "good", *SMALL), "cannot write good.log.jsonl: it is"),
    "log is a folder": ((*LEARN, "-o", "sub.model.safetensors"), "cannot write sub.model.log.jsonl: it is not"),
    "exact text": ((*LEARN, "--exact", "fixed(3,3)"), "--exact is for strings with a label: write --predicate"),
    "exact floats": (("--predicate", "contains 1", "--exact", "float32"), "write a finite arithmetic, such as Fixed(3"),
    "exact what": (("--predicate", "contains 1", "--exact", "fixed"), "fixed"),
    "old model as checkpoint": ((*LEARN, "-o", "old"), "old.checkpoint is no checkpoint"),
}  # fmt: skip


@pytest.mark.one_in(2)
@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_before_anything_is_learnt(
    case: str, folder: Path, train: Train, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "sub").mkdir()
    (folder / "sub.model.log.jsonl").mkdir()
    (folder / "circle").symlink_to("circle")
    (folder / "link").symlink_to("text.txt")
    for name, data in (
        ("empty", b""), ("binary", bytes(range(128, 256))), ("zeros", bytes(500)), ("labels", b"a\tYES\nb\tMAYBE\n"),
        ("both", b"a\tYES\na\tNO\n"), ("one", b"a\tYES\nb\tYES\n"), ("good.log.jsonl", b"a\tYES\nb\tNO\n"),
    ):  # fmt: skip
        (folder / name).write_bytes(data)
    ws.save(ws.random_transformer(), folder / "old.checkpoint")
    before = files(folder)
    monkeypatch.setattr("weightsmith.train.loop._learn", lambda *_: pytest.fail("it began to learn"))
    arguments, message = BAD[case]
    code, out, err = train(*arguments)
    assert (code, out) == (2, "")
    assert err.splitlines()[-1].startswith("error: ")
    assert message in err
    assert files(folder) == before


def test_a_checkpoint_of_another_configuration_is_refused_and_stays(
    folder: Path, train: Train, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(ws, "save", stop)
    assert train(*LEARN, "--checkpoint-every", "3")[0] == 130
    monkeypatch.undo()
    monkeypatch.chdir(folder)
    before = files(folder)
    assert str(folder / "model.checkpoint") in before
    for other, what in (
        (("--lanes", "16"), "shape, lanes"), (("--seed", "1"), "course, seed"), (("--steps", "7"), "course, steps"),
        (("--tokens", "words"), "data"),
    ):  # fmt: skip
        code, _, err = train(*LEARN, *other)
        assert code == 2
        assert f"model.checkpoint is a checkpoint of another training, which differs in {what}" in err
        assert files(folder) == before
    code, _, err = train(*LEARN, "--checkpoint-every", "5")
    assert code == 0
    assert "going on from model.checkpoint" in err
    assert not (folder / "model.checkpoint").exists()


FULL = """
import resource, sys, torch
torch.set_num_threads(1)
from weightsmith.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)),) * 2)
main()
"""


@pytest.mark.long
def test_a_full_disk_is_a_clear_error_and_the_model_before_stays(folder: Path, train: Train) -> None:
    assert train(*LEARN, "--seed", "5")[0] == 0
    before = files(folder)
    result = python("-c", FULL, "3000", "train", *LEARN, "--checkpoint-every", "2")  # a checkpoint takes more
    assert result.returncode == 2
    assert "error: cannot write the checkpoint model.checkpoint: File too large" in result.stderr
    assert "Traceback" not in result.stderr
    assert files(folder) == before


def test_a_disk_that_is_full_at_the_end_loses_no_training(
    folder: Path, train: Train, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert train(*LEARN, "-o", "whole")[0] == 0
    replace = os.replace

    def full(source: Path, target: Path) -> None:
        if target.name == "model.safetensors":
            raise OSError(28, "No space left on device")
        replace(source, target)

    with monkeypatch.context() as here:
        here.setattr(os, "replace", full)
        code, _, err = train(*LEARN, "--checkpoint-every", "4")
    assert code == 2
    assert "error: cannot write 'model.safetensors': No space left on device" in err
    assert not any(name.startswith(".") for name in os.listdir())
    code, _, err = train(*LEARN, "--checkpoint-every", "4")
    assert (code, "going on from model.checkpoint" in err) == (0, True)
    assert (folder / "model.safetensors").read_bytes() == (folder / "whole").read_bytes()

"""The directory of an exported model: what may be overwritten, what a tokenizer reads, and what is refused."""

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

import weightsmith as ws
from weightsmith import export
from weightsmith.errors import ExportError, FileError, InputError
from weightsmith.export.hugging_face.folder import MARK, new_directory, write_files
from weightsmith.export.hugging_face.tokenizer import BLANKS, padding_token, tokenizer
from weightsmith.model.tokens import text_tokens, tokens_text

T = ws.library.contains("1")


def write(directory: Path, content: str = "1") -> None:
    with new_directory(directory) as place:
        write_files(place, {"config.json": {MARK: content}, "tokenizer.json": "{}"})


# The directory


def test_a_directory_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    def fail() -> None:
        with new_directory(tmp_path / "model") as place:
            write_files(place, {"config.json": {MARK: 1}})
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert list(tmp_path.iterdir()) == []
    write(tmp_path / "model")
    assert [path.name for path in tmp_path.iterdir()] == ["model"]
    assert json.loads((tmp_path / "model" / "config.json").read_text()) == {MARK: "1"}


def test_an_empty_directory_and_an_earlier_export_are_replaced(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    write(tmp_path / "model")
    with new_directory(tmp_path / "model") as place:
        write_files(place, {"config.json": {MARK: "2"}})
    assert [path.name for path in tmp_path.rglob("*")] == ["model", "config.json"]
    assert json.loads((tmp_path / "model" / "config.json").read_text()) == {MARK: "2"}


def test_a_link_to_a_directory_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "here").symlink_to("there")
    write(tmp_path / "here")
    assert (tmp_path / "here").is_symlink()
    assert (tmp_path / "there" / "config.json").exists()


@pytest.mark.parametrize(
    ("files", "says"),
    [
        (["thesis.txt"], r"it holds something else \(thesis\.txt\): give the name of a new or an empty directory"),
        (["config.json"], r"it holds something else \(config\.json\)"),
        (["config.json", "README.md"], r"it holds something else \(README\.md\)"),
    ],
)
def test_a_directory_that_holds_something_else_is_refused_and_kept(files: list[str], says: str, tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    for name in files:
        (tmp_path / "model" / name).write_text("{}")
    with pytest.raises(FileError, match=f"cannot write .*model.*: {says}"):
        export.to_hugging_face(T, tmp_path / "model")
    assert sorted(path.name for path in tmp_path.rglob("*")) == sorted(["model", *files])


def test_what_comes_in_meanwhile_is_kept(tmp_path: Path) -> None:
    write(tmp_path / "model")
    with pytest.raises(FileError, match=r"it holds something else \(thesis\.txt\)"), new_directory(tmp_path / "model"):
        (tmp_path / "model" / "thesis.txt").write_text("mine")
    assert sorted(path.name for path in tmp_path.rglob("*.*")) == ["config.json", "thesis.txt", "tokenizer.json"]


def test_a_file_and_a_missing_folder_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a long path is cut in the message
    (tmp_path / "file").write_text("mine")
    with pytest.raises(FileError, match="it is a file, and a directory is written: give another name"):
        export.to_hugging_face(T, tmp_path / "file")
    with pytest.raises(FileError, match="cannot write 'nowhere/model': there is no directory"):
        export.to_hugging_face(T, Path("nowhere") / "model")
    with pytest.raises(FileError, match="cannot write 7"):
        export.to_hugging_face(T, 7)  # type: ignore[arg-type]
    assert (tmp_path / "file").read_text() == "mine"


# What is asked for


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (
            {"stock": "t5"},
            "stock='t5': write stock='gpt2' for a plain GPT-2, 'llama' for a plain Llama, or leave it out",
        ),
        ({"dtype": "int8"}, "dtype='int8': write one of float64, float32, bfloat16, float16"),
        ({"allow_differences": "yes"}, "allow_differences='yes': write True or False"),
    ],
)
def test_a_wrong_option_is_refused_before_anything_is_written(wrong: Any, says: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=says):
        export.to_hugging_face(T, tmp_path / "model", **wrong)
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_transformer_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'model.safetensors' is not a transformer"):
        export.to_hugging_face("model.safetensors", tmp_path / "model")  # type: ignore[arg-type]


def test_a_missing_library_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(ExportError, match=r"needs transformers: write pip install 'weightsmith\[export\]'"):
        export.to_hugging_face(T, tmp_path / "model")


# The tokenizer


def reading(vocabulary: Sequence[str]) -> Tokenizer:
    return tokenizer(vocabulary, padding_token(vocabulary))


texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=4)
words = texts.filter(lambda text: text.split() == [text])


characters = st.lists(texts.map(lambda text: text[0]), min_size=1, unique=True)


@given(st.one_of(characters, st.lists(words, min_size=1, unique=True)), st.data())
def test_a_tokenizer_reads_and_writes_as_weightsmith_does(vocabulary: list[str], data: st.DataObject) -> None:
    tokens = data.draw(st.lists(st.sampled_from(vocabulary), min_size=1, max_size=8))
    made, text = reading(vocabulary), tokens_text(vocabulary, tokens)
    ids = [vocabulary.index(token) for token in tokens]
    assert made.encode(text).ids == ids
    assert text_tokens(vocabulary, made.decode(ids)) == tuple(tokens)


def test_padding_cannot_be_taken_for_tokens() -> None:
    for vocabulary in (["[PAD]", "a"], list("[PAD]"), ["x[PAD]x", "[PAD\ue000]", "a b"], ["<unk>", "[UNK]"]):
        made, pad = reading(vocabulary), padding_token(vocabulary)
        assert made.token_to_id(pad) == len(vocabulary)
        for n, token in enumerate(vocabulary):
            assert made.token_to_id(token) == n
            if token.split() == [token]:
                assert made.encode(token).ids == [n]


@pytest.mark.parametrize("vocabulary", [["0", "1"], ["zero", "one"], ["<unk>", "[UNK]", "[PAD]"]])
def test_what_is_not_in_the_vocabulary_is_refused(vocabulary: list[str]) -> None:
    made = reading(vocabulary)
    for text in ("2", "two", "01x", "one two"):
        with pytest.raises(Exception, match="WordLevel error: Missing"):
            made.encode(text)


def test_blanks_are_those_of_python() -> None:
    made = reading(["a", "bc"])
    for blank in (chr(n) for n in range(sys.maxunicode) if chr(n).isspace()):
        assert made.encode(f"{blank}a{blank}{blank}bc").ids == [0, 1]
    everything = "".join(chr(n) for n in range(sys.maxunicode))
    assert re.findall(f"[{BLANKS}]", everything) == [character for character in everything if character.isspace()]

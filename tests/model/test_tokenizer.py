"""The tokenizer that comes along with a checkpoint: texts to tokens, and back."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.export.checkpoints import GPT2, LINES, TOKENS, drawn_arrays, gpt2_shapes, trained_tokenizer, write
from weightsmith.export import from_hugging_face
from weightsmith.model import digest, read_tokens, readable_text
from weightsmith.model.tokenizer import MAX_TOKENIZER

TEXTS = [*LINES, "Turm🗼 <|endoftext|>The", " leading and  double spaces\n", "\x00\t"]


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = write(tmp_path_factory.mktemp("checkpoint"), GPT2, drawn_arrays(gpt2_shapes()))
    trained_tokenizer(290).save(str(path / "tokenizer.json"))
    return path


@pytest.fixture(scope="module")
def T(directory: Path) -> ws.Transformer:
    found: ws.Transformer = replace(from_hugging_face(directory), positions=None)  # for texts of any length
    return found


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_is_read_as_the_tokenizers_library_reads_it_and_comes_back(T: ws.Transformer, text: str) -> None:
    ids = trained_tokenizer(290).encode(text).ids
    tokens = read_tokens(T, text)
    assert tokens == tuple(T.vocabulary[i] for i in ids)
    assert readable_text(T, tokens) == text
    assert ws.run(T, text).tokens == tokens


def test_ids_without_a_token_get_names_and_can_be_given_as_a_list(T: ws.Transformer) -> None:
    assert T.vocabulary[289:292] == (T.vocabulary[289], "<unused 290>", "<unused 291>")
    assert "unused" not in T.vocabulary[289]
    assert ws.run(T, ["<unused 290>", "a"]).tokens == ("<unused 290>", "a")
    assert readable_text(T, ["a", "<unused 290>", "b"]) == "a<unused 290>b"


def test_a_model_with_a_tokenizer_generates_and_predicts_from_a_text(T: ws.Transformer) -> None:
    tokens = read_tokens(T, "The Tower")
    assert list(ws.generate(T, "The Tower", 3)) == list(ws.generate(T, list(tokens), 3))
    assert next(iter(ws.next_token(T, "The Tower"))) == ws.run(T, "The Tower").decision


def test_the_tokenizer_is_kept_in_files_and_by_rewrites_and_does_not_count(T: ws.Transformer, tmp_path: Path) -> None:
    ws.save(T, tmp_path / "saved.safetensors")
    loaded = ws.load(tmp_path / "saved.safetensors")
    assert loaded.tokenizer == T.tokenizer != ""
    assert ws.widen(loaded, ["more"]).tokenizer == T.tokenizer
    assert replace(T, tokenizer="") == T
    assert digest(replace(T, tokenizer="")) == digest(T)
    ws.save(replace(T, tokenizer=""), tmp_path / "without.safetensors")
    assert b"tokenizer" not in (tmp_path / "without.safetensors").read_bytes()  # older readers take it


def test_vocab_and_merges_stand_for_the_tokenizer_of_gpt2(T: ws.Transformer, tmp_path: Path) -> None:
    path = write(tmp_path / "older", GPT2, drawn_arrays(gpt2_shapes()))
    trained_tokenizer(290).model.save(str(path))
    older = replace(from_hugging_face(path), positions=None)
    assert older.vocabulary == T.vocabulary
    for text in TEXTS:
        assert read_tokens(older, text) == read_tokens(T, text)


def test_without_a_tokenizer_tokens_are_numbers(tmp_path: Path) -> None:
    plain = from_hugging_face(write(tmp_path / "plain", GPT2, drawn_arrays(gpt2_shapes())))
    assert plain.vocabulary == tuple(str(i) for i in range(TOKENS))
    assert ws.run(plain, "299 0 17").tokens == ("299", "0", "17")


def test_tokens_that_cannot_be_names_get_others_that_nobody_has(tmp_path: Path) -> None:
    path = write(tmp_path / "odd", GPT2, drawn_arrays(gpt2_shapes()))
    tokenizer = trained_tokenizer(290)
    tokenizer.add_tokens(["x" * 201, "<token 290>", "<unused 299>"])
    tokenizer.save(str(path / "tokenizer.json"))
    odd = from_hugging_face(path)
    assert odd.vocabulary[290] == "<<token 290>>"
    assert odd.vocabulary[299] == "<<unused 299>>"
    assert read_tokens(odd, "x" * 201) == ("<<token 290>>",)
    assert readable_text(odd, ("<<token 290>>",)) == "x" * 201


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (3, "the tokenizer must be a text, and it is 3"),
        ("x" * (MAX_TOKENIZER + 1), "the tokenizer has 25165825 characters, at most 25165824 are allowed"),
        ("\ud800", "the tokenizer has characters that cannot be shown"),
    ],
)
def test_what_is_no_text_of_a_tokenizer_is_refused(T: ws.Transformer, given: Any, text: str) -> None:
    with pytest.raises(ws.ModelError, match=text):
        replace(T, tokenizer=given)


def test_a_tokenizer_in_a_file_that_is_none_is_refused_when_it_is_used(T: ws.Transformer) -> None:
    spoilt = replace(T, tokenizer="{}")
    assert ws.run(spoilt, ["a"]).tokens == ("a",)
    with pytest.raises(ws.InputError, match="its tokenizer cannot be read: "):
        ws.run(spoilt, "a")


def test_a_token_that_a_rewrite_took_away_is_refused_by_name(T: ws.Transformer) -> None:
    fewer = replace(
        T, vocabulary=T.vocabulary[:100], embedding=T.embedding[:100], tied=False, output=np.zeros((TOKENS, 8))
    )
    with pytest.raises(ws.InputError, match="token 0 of the input, .*, is not in the vocabulary"):
        ws.run(fewer, "The")


def test_without_the_library_the_error_says_what_to_install(T: ws.Transformer, monkeypatch: pytest.MonkeyPatch) -> None:
    from weightsmith.model.tokenizer import tokenizer_of

    tokenizer_of.cache_clear()
    monkeypatch.setitem(__import__("sys").modules, "tokenizers", None)
    with pytest.raises(ws.InputError, match=r"pip install 'weightsmith\[export\]', or give the tokens as a list"):
        ws.run(T, "The")

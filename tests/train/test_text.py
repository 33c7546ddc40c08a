"""Texts: their tokens, what is held back, and what cannot be learnt."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import weightsmith as ws
from tests.train.small import text
from weightsmith.train import as_text, read_file

LINE = "one two three two one "


def test_characters_are_the_tokens_in_order() -> None:
    found = as_text("hello world, " * 20, 4)
    assert found.vocabulary == tuple(sorted(set("hello world, ")))
    together = torch.cat([found.learn, found.validate])
    assert "".join(found.vocabulary[i] for i in together) == "hello world, " * 20
    assert found.separator == ""


def test_words_are_the_tokens_if_asked() -> None:
    found = as_text(LINE * 10, 4, "words")
    assert found.vocabulary == ("one", "three", "two")
    assert [found.vocabulary[i] for i in torch.cat([found.learn, found.validate])] == (LINE * 10).split()
    assert found.separator == " "


def test_a_vocabulary_that_is_given_is_kept() -> None:
    found = as_text("abba" * 20, 4, vocabulary="xba")
    assert found.vocabulary == ("x", "b", "a")
    assert found.learn[:4].tolist() == [2, 1, 1, 2]


def test_what_is_held_back_is_never_learnt_from() -> None:
    tokens = [f"w{n}" for n in range(400)]  # every token once: a token tells its place
    found = as_text(" ".join(tokens), 8, "words")
    place = {token: n for n, token in enumerate(tokens)}
    learnt, held = set[int](), set[int]()
    for step in range(300):
        for part in found.batch(np.random.default_rng((0, step)), 16):
            learnt |= {place[found.vocabulary[i]] for i in part.flatten()}
    for batch in found.validation(16):
        for part in batch:
            held |= {place[found.vocabulary[i]] for i in part.flatten()}
    assert learnt == set(range(360))  # also the ends
    assert held == set(range(360, 400))
    assert len(found.validate) == 40


def test_a_batch_is_windows_and_what_comes_next() -> None:
    found = text(8)
    ids, following = found.batch(np.random.default_rng(5), 7)
    assert ids.shape == following.shape == (7, 8)
    assert torch.equal(ids[:, 1:], following[:, :-1])
    whole = found.learn.tolist()
    windows = [whole[i : i + 9] for i in range(len(whole) - 8)]
    assert all([*row.tolist(), int(last[-1])] in windows for row, last in zip(ids, following, strict=True))
    assert found.tokens_in((ids, following)) == 56
    assert all(torch.equal(a[0], b[0]) for a, b in zip(found.validation(4), found.validation(4), strict=True))


def test_the_shortest_text_that_can_be_learnt() -> None:
    found = as_text("ab" * 9, 8)
    assert (len(found.learn), len(found.validate)) == (9, 9)
    assert found.batch(np.random.default_rng(0), 2)[0].tolist() == [[0, 1] * 4] * 2
    with pytest.raises(
        ws.InputError, match="the text has 17 tokens, and a context of 8 needs at least 18: write a smaller"
    ):
        as_text("ab" * 8 + "a", 8)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"text": ""}, "the text is empty: there is nothing to learn"),
        ({"text": " \n ", "tokens": "words"}, "the text is empty"),
        ({"tokens": "letters"}, "tokens='letters': write 'characters' or 'words'"),
        ({"vocabulary": "on"}, r"the text has 8 different tokens and the vocabulary 2: ' ' is not in it"),
        ({"vocabulary": [*" enohrtw", "o"]}, "vocabulary has o twice"),
        ({"vocabulary": [*" enohrtw", ""]}, "a name in vocabulary is empty"),
        ({"context": 0}, "context=0: write a whole number from 1 on"),
        ({"context": -9}, "context=-9: write a whole number from 1 on"),
        ({"context": 1.5}, r"context=1\.5: write a whole number from 1 on"),
        ({"context": 200}, "a context of 200 needs at least 402"),
        ({"text": "x" * 201 + " y z", "tokens": "words", "context": 1}, "the word 'x+'… has 201 letters, at most 200"),
        ({"text": "".join(map(chr, range(0x4E00, 0x4E00 + 70000))).replace("\ud800", "")}, "65,536"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_cannot_be_learnt_is_named(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ws.WeightsmithError, match=message):
        as_text(**{"text": LINE * 8, "context": 4, **given})


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"abc\xff\xfe", "is not a text in UTF-8: byte 3 cannot be read"),
        (b"abc\x00d", "is not a text: it holds a zero"),
    ],
)
def test_binary_files_are_refused(data: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_bytes(data)
    with pytest.raises(ws.InputError, match=f"{path} {message}"):
        read_file(path)


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    with pytest.raises(ws.InputError, match=f"cannot read {tmp_path / 'missing'}: No such file or directory"):
        read_file(tmp_path / "missing")
    with pytest.raises(ws.InputError, match=f"cannot read {tmp_path}: Is a directory"):
        read_file(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ws.InputError, match=f"cannot read {tmp_path / 'pipe'}: it is not a regular file"):
        read_file(tmp_path / "pipe")


def test_a_text_file_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes("añ∞\r\n\t😀".encode())
    assert read_file(path) == "añ∞\r\n\t😀"


def test_words_are_split_from_punctuation() -> None:
    text = as_text("The cat sat. The dog, too: don't ask (twenty-one)!\n“Why?” 3.5 % " * 3, 4, "words")
    marks = {".", ",", ":", "(", ")", "!", "“", "”", "?", "%"}
    assert set(text.vocabulary) == {
        *["The", "cat", "sat", "dog", "too", "don't", "ask", "twenty-one", "Why", "3", "5"],
        *marks,
    }
    with pytest.raises(ws.InputError, match="the text is empty"):
        as_text(" \n ", 4, "words")

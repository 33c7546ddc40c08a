"""An LSTM as an object: its equations, its units, its picture and its page."""

from itertools import product
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import weightsmith as ws
from weightsmith.library.mood_lstm import BAD, GOOD, NOT, WORDS

SENTENCE = "she walks sunny and then not fine the dog not sad"


def test_one_cell_is_the_mood_after_every_word_of_every_sentence_up_to_length_6() -> None:
    L = ws.library.mood_lstm()
    for length in range(1, 7):
        for words in product(("the", "glad", "sad", "not"), repeat=length):
            r = L.run(words)
            moods = ws.train.moods(words)
            assert [said == "good" for said in r.outputs] == moods
            assert [bool(value > 0.25) for value in r.part("cell")[:, 1]] == moods


def test_words_are_those_of_the_training_and_all_of_a_kind_are_alike() -> None:
    assert tuple(ws.train.MOOD_WORDS) == WORDS
    L = ws.library.mood_lstm()
    for good, bad in zip(GOOD, BAD, strict=True):
        assert L.run([good, NOT, good, NOT, bad, bad]).outputs == ("good", "good", "bad", "bad", "good", "bad")


def test_the_table_shows_how_the_next_state_comes_about() -> None:
    r = ws.library.mood_lstm().run("sunny not fine")
    assert r.at("input gate", 0, "mood") == 0.5
    assert (r.at("forget gate", 1, "mood"), r.at("input gate", 1, "mood")) == (1, 0), "not leaves the mood as it is"
    assert r.at("cell", 2, "mood") == -1
    shown = str(r.table("mood"))
    assert "forget gate" in shown
    assert "output" in shown
    assert "not\n" not in shown, "the other cell is left out"


def test_units_of_an_lstm_are_tracked() -> None:
    sentences = ws.train.mood_sentences(160, seed=1)

    def mood(reading: Any) -> list[bool]:
        return ws.train.moods(reading.tokens)

    found = ws.tracking(ws.library.mood_lstm(), mood, sentences[:80], sentences[80:])
    assert str(found.best().unit) == "cell 1"
    assert found.best().held_out == 1


def test_the_picture_has_every_gate_and_the_stream_beside_it() -> None:
    r = ws.library.mood_lstm().run(SENTENCE)
    T = ws.library.eiffel()
    picture = r.svg(beside=ws.run(T, "The Eiffel Tower is in"))
    root = ElementTree.fromstring(picture)
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert texts.count("forget gate") == 2
    assert "residual stream of in: through the blocks" in texts
    assert {"embed", "attn 0", "ff 1", "word Paris", "6.48"} <= set(texts)
    assert ElementTree.fromstring(r.svg("mood")).find(".//*[@fill='#b45309']") is not None
    assert r._repr_html_().startswith("<svg")


def test_mistakes_are_answered_with_what_to_write(tmp_path: Path) -> None:
    L = ws.library.mood_lstm()
    with pytest.raises(ws.InputError, match="token 0 of the input, happy, is not in the vocabulary"):
        L.run("happy dog")
    with pytest.raises(ws.InputError, match="the input is empty"):
        L.run("")
    with pytest.raises(ws.InputError, match="an LSTM has no 'gate': write one of input gate"):
        L.run("dog").part("gate")
    with pytest.raises(ws.InputError, match="position=3: the input has 1 tokens, write a number from 0 to 0"):
        L.run("dog").at("cell", 3, "mood")
    with pytest.raises(ws.WeightsmithError, match="moot"):
        L.run("dog").at("cell", 0, "moot")
    with pytest.raises(ws.InputError, match="a picture shows up to 40 tokens"):
        L.run(["dog"] * 41).svg()
    with pytest.raises(ws.ModelError, match=r"LSTM\(W_x=…\) has the shape \(8, 2\): for 2 cells, 3 inputs"):
        ws.LSTM(L.vocabulary, L.embedding, L.W_x[:, :2], L.W_h, L.b, L.output, cells=L.cells)
    with pytest.raises(ws.ModelError, match=r"LSTM\(b=…\) has a number that is not finite"):
        ws.LSTM(L.vocabulary, L.embedding, L.W_x, L.W_h, L.b + np.inf, L.output)
    with pytest.raises(ws.ModelError, match="beside='x': write a run of a transformer"):
        L.run("dog").save_html(tmp_path / "x.html", beside="x")  # type: ignore[arg-type]

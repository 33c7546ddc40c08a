"""Dictionaries of features, and scores of found ones."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from weightsmith.disguises.dictionary import Score

BOOK = ws.Dictionary(("red", "round", "big"), np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 3.0]]))


def test_cosines_interference_and_shared_directions() -> None:
    half = 0.5**0.5
    np.testing.assert_allclose(BOOK.gram, [[1, 0, half], [0, 1, half], [half, half, 1]])
    assert BOOK.interference == pytest.approx(half)
    assert [pair[:2] for pair in BOOK.shared()] == [("red", "big"), ("round", "big")]
    assert ws.Dictionary(("one",), np.eye(1)).interference == 0
    assert BOOK.alone == ()
    assert ws.Dictionary(("a", "b"), np.eye(2)).alone == ("a", "b")


def test_a_perfect_dictionary_scores_1_in_any_order_and_sign() -> None:
    score = BOOK.score(-BOOK.directions[::-1] * 5)
    assert score.mean_max_cosine == pytest.approx(1)
    assert (score.coverage, score.lost, score.dead) == (1.0, (), ())


def test_a_score_that_is_printed_is_cut_and_not_rounded() -> None:
    almost = Score(0.99996, 0.996, 0.9, ("one",), ())
    assert str(almost) == "mean max cosine 0.9999, coverage 99% at 0.9, 0 dead; not found: one"
    assert str(Score(1.0, 1.0, 0.9, (), ())) == "mean max cosine 1.0000, coverage 100% at 0.9, 0 dead"


def test_lost_and_dead_features_are_counted() -> None:
    found = np.array([[1.0, 0.0], [0.0, 0.0], [1.0, 0.1]])
    score = BOOK.score(found, activations=[[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]])
    assert score.lost == ("round", "big")
    assert score.coverage == pytest.approx(1 / 3)
    assert score.dead == (1, 2)
    assert score.mean_max_cosine < 0.7
    assert "2 dead; not found: round, big" in str(score)
    random = ws.Dictionary(tuple("abcdefgh"), np.eye(8)).score(np.random.default_rng(0).standard_normal((8, 8)))
    assert random.coverage < 0.5


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"found": [[1.0, 2.0, 3.0]]}, "the stream has 2 lanes"),
        ({"found": "rows"}, "write a matrix"),
        ({"found": [[np.nan, 1.0]]}, "finite"),
        ({"found": [[1.0, 1.0]], "activations": [[1.0, 2.0]]}, "write one column for each"),
        ({"found": [[1.0, 1.0]], "threshold": 2}, "threshold=2"),
    ],
)
def test_wrong_scores_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ws.InputError, match=message):
        BOOK.score(**given)


def test_wrong_dictionaries_are_refused() -> None:
    with pytest.raises(ws.InputError, match="2 features and 1 directions"):
        ws.Dictionary(("a", "b"), np.eye(1))
    with pytest.raises(ws.ModelError, match="twice"):
        ws.Dictionary(("a", "a"), np.eye(2))
    with pytest.raises(ws.InputError, match="there is no feature green"):
        BOOK.direction("green")


@pytest.mark.parametrize(
    "change",
    [
        {"version": 2},
        {"format": "x"},
        {"features": "ab"},
        {"directions": [[1], [2, 3]]},
        {"directions": 3},
        {"more": 1},
    ],
)
def test_files_are_read_back_and_others_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    path = tmp_path / "dictionary.json"
    BOOK.save(path)
    again = ws.Dictionary.load(path)
    assert again.features == BOOK.features
    assert np.array_equal(again.directions, BOOK.directions)
    path.write_text(json.dumps(BOOK.to_json() | change))
    with pytest.raises(ws.FileError, match="cannot read"):
        ws.Dictionary.load(path)


def test_a_large_dictionary_of_small_numbers_can_be_read(tmp_path: Path) -> None:
    book = ws.Dictionary(tuple(f"f{i}" for i in range(200)), np.eye(200))
    book.save(tmp_path / "d.json")
    assert np.array_equal(ws.Dictionary.load(tmp_path / "d.json").directions, np.eye(200))

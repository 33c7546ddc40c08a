"""track and moods, as a person meets them."""

import json
from pathlib import Path

import pytest

import weightsmith as ws
from tests.cli.commands import good, weightsmith
from weightsmith.cli.track import strings


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    ws.save(ws.library.contains("1"), tmp_path / "contains.safetensors")
    ws.save(ws.library.bank(), tmp_path / "bank.safetensors")
    return tmp_path


def test_track_finds_the_lane_that_follows_a_predicate_exactly(folder: Path) -> None:
    shown = good("track", "contains.safetensors", "contains 1", "--over", "0010", folder=folder)
    assert "lane found after block 0 attention follows contains 1: 100.0 % held out" in shown
    assert "█ yes" in shown
    found = json.loads(good("track", "contains.safetensors", "contains 1", "--over", "010", "--json", folder=folder))
    assert found["kinds"] == {"lane": {"best": "lane found after block 0 attention", "follows": True}}
    assert found["units"][0]["held_out"] == 1
    assert len(found["units"]) == 4
    assert found["over"]["feature"] == [False, True, True]
    assert found["over"]["units"][0]["says"] == [False, True, True]


def test_track_says_that_none_follows_what_is_not_computed_and_that_is_no_failure(folder: Path) -> None:
    shown = good("track", "contains.safetensors", "odd number of 1", "--top", "1", folder=folder)
    assert "no lane follows odd number of 1: the gain of the best is" in shown
    assert shown.count("lane ") == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("contains.safetensors", "is nice"), "the predicate is nice is not understood"),
        (("bank.safetensors", "contains 1"), "a predicate is of strings, and the tokens we, sat, made, the, by, at"),
        (("contains.safetensors", "contains 1", "--max-length", "0"), "--max-length=0: write a whole number from 1 to"),
        (("contains.safetensors", "contains 1", "--over", "012"), "token 2 of the input, 2, is not in the vocabulary"),
        (("contains.safetensors", "contains 1", "--top", "0"), "top=0: write how many units of each kind to show"),
        (("contains.safetensors", "contains 2"), "contains 2 is False everywhere in inputs"),
    ],
)
def test_track_refuses_what_it_cannot_do(folder: Path, arguments: tuple[str, ...], message: str) -> None:
    result = weightsmith("track", *arguments, folder=folder)
    assert (result.returncode, result.stdout) == (2, "")
    assert message in result.stderr


def test_strings_are_different_and_no_more_than_there_are() -> None:
    assert sorted(strings("01", 2, 100, 0)) == ["0", "00", "01", "1", "10", "11"]
    many = strings("01", 12, 400, 0)
    assert len(set(many)) == len(many) == 400
    assert strings("01", 12, 400, 0) == many != strings("01", 12, 400, 1)


def test_moods_trains_both_and_draws_the_best_units(tmp_path: Path) -> None:
    options = ("--lanes", "4", "--heads", "1", "--blocks", "1", "--steps", "4", "--sentence", "not sad home", "--json")
    found = json.loads(good("moods", *options, "-o", "moods.svg", "--model", "m.safetensors", folder=tmp_path))
    assert found["feature"] == "mood"
    assert set(found["kinds"]) == {"cell", "neuron", "lane"}
    assert not any(kind["follows"] for kind in found["kinds"].values()), "four steps are too few"
    assert found["over"]["tokens"] == ["not", "sad", "home"]
    assert found["over"]["feature"] == [False, True, True]
    assert {path.name for path in tmp_path.iterdir()} == {"moods.svg", "m.safetensors"}, "no checkpoint is left"
    assert ws.load(tmp_path / "m.safetensors").vocabulary == ws.train.MOOD_WORDS


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--sentence", "she sings"), "--sentence has sings, which they do not learn: write of the, dog"),
        (("--sentence", "the " * 13), "--sentence has 13 words: write from 1 to 12"),
        (("--sentence", ""), "--sentence has 0 words"),
        (("-o", "moods.gif"), "moods.gif ends in .gif, and a picture can be svg, png, pdf"),
    ],
)
def test_moods_refuses_before_it_trains(tmp_path: Path, options: tuple[str, ...], message: str) -> None:
    result = weightsmith("moods", *options, folder=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert message in result.stderr
    assert not list(tmp_path.iterdir())

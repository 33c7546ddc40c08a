"""corpus, rounding and compare, as a person meets them."""

import json
import re
from pathlib import Path

import pytest

import weightsmith as ws
from tests.cli.commands import good, weightsmith
from weightsmith.train import corpus

SUM = re.compile(r"has (\d+) \w+ and (finds|loses) (\d+)(?: more)?\. Now s?he has (\d+) ")


def test_sums_in_the_corpus_are_right() -> None:
    sums = SUM.findall(corpus(100_000, seed=3))
    assert len(sums) > 200
    for first, doing, second, result in sums:
        assert int(result) == int(first) + (int(second) if doing == "finds" else -int(second))


def test_verbs_in_the_corpus_agree_with_their_nouns() -> None:
    found = re.findall(r"The \w+ (\w+) near the \w+ (\w+)\.", corpus(100_000, seed=3))
    assert len(found) > 200
    assert all(noun.endswith("s") != verb.endswith("s") for noun, verb in found)


def test_a_corpus_has_as_many_bytes_as_were_asked_for_and_depends_on_the_seed(tmp_path: Path) -> None:
    good("corpus", "--bytes", "5000", "--seed", "1", "-o", "text.txt", folder=tmp_path)
    text = (tmp_path / "text.txt").read_bytes()
    assert len(text) == 5000
    assert text.decode() == corpus(5000, seed=1) != corpus(5000, seed=2)


def test_rounding_counts_the_changed_decisions_and_names_the_first(folder: Path) -> None:
    T = ws.load(folder / "random.safetensors")
    options = ("--up-to", "6", "--into", "fixed(1,1)", "--into", "float(5,8)", "--json")
    rows = json.loads(good("rounding", "random.safetensors", *options, folder=folder))
    assert [row["arithmetic"] for row in rows] == ["fixed(4,4)", "fixed(1,1)", "float(5,8)"]
    for row in rows:
        verdict = ws.check.same_decisions(T, ws.to_arithmetic(T, ws.parse_arithmetic(row["arithmetic"])), 6)
        assert (row["changed"] == 0) == verdict.holds
        assert row["first_changed"] == verdict.counterexample
        assert row["inputs"] == 2**7 - 2


def test_rounding_shows_the_shortest_input_that_breaks_a_predicate(folder: Path) -> None:
    options = ("--up-to", "6", "--into", "fixed(3,3)", "--predicate", "contains 11", "--seconds", "60")
    out = good("rounding", "contains.safetensors", *options, folder=folder)
    rows = [line.split() for line in out.splitlines() if line.strip().startswith("fixed")]
    assert [row[:5] for row in rows] == [["fixed(4,4)", "0", "-", "same", "1"], ["fixed(3,3)", "0", "-", "same", "1"]]
    assert all(row[5:] == ["fails", "at", "length", "1"] for row in rows)


def test_rounding_goes_on_to_the_exact_language(folder: Path) -> None:
    options = (
        "--up-to",
        "3",
        "--into",
        "fixed(3,3)",
        "--into",
        "float32",
        "--predicate",
        "contains 1",
        "--seconds",
        "60",
    )
    rows = json.loads(good("rounding", "contains.safetensors", *options, "--json", folder=folder))
    assert [row["language"] for row in rows] == ["all lengths", "all lengths", None]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--up-to", "0"), "up_to=0: write a whole number from 1 on"),
        (("--up-to", "3", "--into", "fixed"), "fixed"),
        (("--up-to", "3", "--predicate", "is nice"), "the predicate is nice is not understood"),
    ],
)
def test_rounding_refuses_what_it_does_not_understand(folder: Path, options: tuple[str, ...], message: str) -> None:
    result = weightsmith("rounding", "contains.safetensors", *options, folder=folder)
    assert result.returncode == 2
    assert message in result.stderr


@pytest.mark.parametrize(
    ("sentence", "message"),
    [("", "has 0 tokens: write from 1 to 16"), ("Anna" * 9, "has 36 tokens"), ("Ω", "Ω, which the text has not")],
)
def test_compare_refuses_a_sentence_before_it_trains(tmp_path: Path, sentence: str, message: str) -> None:
    (tmp_path / "text.txt").write_text(corpus(3000))
    result = weightsmith("compare", "text.txt", "--context", "16", "--sentence", sentence, folder=tmp_path)
    assert result.returncode == 2
    assert message in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["text.txt"]


@pytest.mark.parametrize("name", ["both.gif", "both", "both.svg.gz"])
def test_compare_refuses_a_picture_that_it_cannot_draw_before_it_trains(tmp_path: Path, name: str) -> None:
    (tmp_path / "text.txt").write_text(corpus(3000))
    result = weightsmith("compare", "text.txt", "--context", "16", "-o", name, folder=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith(f"error: {name} ")
    assert "a picture can be svg, png, pdf: write both" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["text.txt"]


@pytest.mark.parametrize(
    ("text", "tokens", "name"),
    [
        (corpus(3000), "characters", "both.png"),
        ("\n\n" + corpus(3000), "characters", "both.pdf"),
        ("\n" * 50, "characters", "both.svg"),
        (
            "an " + "extraordinarily " * 5 + "long words, of which eight have more letters than a line " * 9,
            "words",
            "both.svg",
        ),
    ],
    ids=["a story", "empty lines first", "nothing but lines", "long words"],
)
@pytest.mark.one_in(4)
def test_compare_draws_the_beginning_of_the_text_unless_told(tmp_path: Path, text: str, tokens: str, name: str) -> None:
    (tmp_path / "text.txt").write_text(text)
    small = ("--context", "6", "--lanes", "8", "--heads", "1", "--blocks", "1", "--steps", "2", "--batch", "2")
    good("compare", "text.txt", *small, "--threads", "1", "--tokens", tokens, "-o", name, folder=tmp_path)
    assert (tmp_path / name).read_bytes()[:5] in (b"<?xml", b"\x89PNG\r", b"%PDF-")
    assert sorted(path.name for path in tmp_path.iterdir()) == [name, "text.txt"]

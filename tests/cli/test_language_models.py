"""next, generate and explain, as a person meets them."""

import json
from pathlib import Path

import pytest

import weightsmith as ws
from tests.cli.commands import good, weightsmith


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a folder with a language model over letters, one over words, and a recogniser."""
    folder = tmp_path_factory.mktemp("models")
    letters = ws.random_transformer("abcde", 6, max_length=40, weighting=ws.Softmax(True), tied=True)
    ws.save(letters, folder / "letters.safetensors")
    words = ("red", "[bold]", "\x1b[31m", "blue")  # tokens are hostile until shown
    ws.save(ws.random_transformer(words, seed=3, tied=True), folder / "words.safetensors")
    ws.save(ws.library.contains("1"), folder / "contains.safetensors")
    return folder


def test_next_shows_the_most_likely_tokens_as_bars(models: Path) -> None:
    out = good("next", "letters.safetensors", "abc", "--top", "2", folder=models)
    likely = ws.next_token(ws.load(models / "letters.safetensors"), "abc")
    first = next(iter(likely))
    lines = [line for line in out.splitlines() if "█" in line]
    assert lines[0].split()[:2] == [first, f"{likely[first]:.4f}"]
    assert "3 others share" in out


def test_next_as_json_is_the_distribution(models: Path) -> None:
    out = good("next", "letters.safetensors", "abc", "--json", "--temperature", "3", folder=models)
    assert json.loads(out) == ws.next_token(ws.load(models / "letters.safetensors"), "abc", temperature=3.0)


def test_generate_prints_the_text_and_goes_on(models: Path) -> None:
    T = ws.load(models / "letters.safetensors")
    expected = "abc" + "".join(ws.generate(T, "abc", 12, temperature=2.0, top_k=3, seed=7))
    options = ("--steps", "12", "--temperature", "2", "--top-k", "3", "--seed", "7")
    assert good("generate", "letters.safetensors", "abc", *options, folder=models) == expected + "\n"
    out = json.loads(good("generate", "letters.safetensors", "abc", *options, "--json", folder=models))
    assert "".join(out["input"] + out["tokens"]) == expected


CONTEXT = "the context holds 40 tokens: from token 41 on, only the last 40 are seen\n"


@pytest.mark.parametrize(("steps", "said"), [(37, ""), (38, ""), (39, CONTEXT), (60, CONTEXT)])
def test_generate_says_when_the_text_outgrows_the_context(models: Path, steps: int, said: str) -> None:
    T = ws.load(models / "letters.safetensors")
    result = weightsmith("generate", "letters.safetensors", "abc", "--steps", str(steps), "--slide", folder=models)
    assert (result.returncode, result.stderr) == (0, said)
    assert result.stdout == "abc" + "".join(ws.generate(T, "abc", steps, slide=True)) + "\n"
    if not said:
        assert good("generate", "letters.safetensors", "abc", "--steps", str(steps), folder=models) == result.stdout


@pytest.mark.parametrize(
    ("text", "steps", "why"),
    [
        ("abc", 39, "the text has 3, so at most 38 more tokens can be generated"),
        ("a" * 40, 2, "the text has 40, so at most 1 more token can be generated"),
        ("a" * 41, 1, "the text has 41, so a shorter text is needed"),
    ],
)
def test_generate_refuses_what_leaves_the_context(models: Path, text: str, steps: int, why: str) -> None:
    result = weightsmith("generate", "letters.safetensors", text, "--steps", str(steps), folder=models)
    assert (result.returncode, result.stdout) == (2, "")
    words = " ".join(result.stderr.split())
    assert (
        words
        == f"error: the context holds 40 tokens and {why}; write --slide to see only the last 40 tokens from there on"
    )


def test_generate_sees_the_end_of_a_text_that_is_longer_than_the_context(models: Path) -> None:
    T, text = ws.load(models / "letters.safetensors"), "abcde" * 9
    result = weightsmith("generate", "letters.safetensors", text, "--steps", "1", "--json", "--slide", folder=models)
    assert (result.returncode, result.stderr) == (0, CONTEXT)
    assert json.loads(result.stdout) == {"input": list(text), "tokens": [ws.run(T, text[-40:]).decision]}
    nothing = weightsmith("generate", "letters.safetensors", text, "--steps", "0", folder=models)
    assert (nothing.stdout, nothing.stderr) == (text + "\n", "")


def test_hostile_tokens_are_shown_with_escapes(models: Path) -> None:
    for verb in (("next",), ("generate", "--steps", "5", "--temperature", "9", "--seed", "1"), ("explain",)):
        out = good(verb[0], "words.safetensors", "red [bold] blue", *verb[1:], folder=models)
        assert "\x1b[31m" not in out
        assert "[bold]" in out


def test_explain_shows_parts_that_add_up(models: Path) -> None:
    T = ws.load(models / "contains.safetensors")
    found = ws.attribute(ws.run(T, "0010"), "YES")
    data = json.loads(good("explain", "contains.safetensors", "0010", "--class", "YES", "--json", folder=models))
    assert data["class"] == "YES"
    assert data["logit"] == found.logit == sum(part["amount"] for part in data["parts"]) + data["residue"]
    assert len(data["parts"]) == len(found.parts)
    out = good("explain", "contains.safetensors", "0010", folder=models)
    assert "decision: YES" in out
    assert "block 0, head 0, from 1 at position 2" in out
    assert "the head would say" in out


def test_explain_prints_the_table_of_an_attribution(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    T = ws.load(models / "contains.safetensors")
    r = ws.run(T, "0010")
    monkeypatch.setenv("COLUMNS", "100")
    for options, found in {
        (): ws.attribute(r, "YES"),
        ("--class", "NO"): ws.attribute(r, "NO"),
        ("--over", "NO"): ws.attribute(r, "YES", over="NO"),
        ("--position", "1"): ws.attribute(r, "NO", position=1),
        ("--class", "YES", "--position", "-2"): ws.attribute(r, "YES", position=2),
        ("--by", "head"): ws.attribute(r, "YES").by_head(),
        ("--by", "block"): ws.attribute(r, "YES").by_block(),
    }.items():
        out = good("explain", "contains.safetensors", "0010", *options, folder=models)
        lines = [line.strip() for line in out.splitlines() if line.strip()]
        table = [line.strip() for line in str(found).splitlines() if line.strip()]
        assert lines[1 : 1 + len(table)] == table, options
    assert lines[0] == "decision: YES"


def test_explain_of_a_program_is_about_the_lane_of_its_readout(tmp_path: Path) -> None:
    source = "aggregate(select(indices, length - indices - 1, ==), tokens);"
    ws.save(ws.programs.compile_rasp(source, vocabulary="abc", max_length=5).transformer, tmp_path / "p.safetensors")
    out = good("explain", "p.safetensors", "abcb", "--position", "1", folder=tmp_path)
    assert out.splitlines()[:2] == ["decision at 1 b: c", "value of lane aggregate %7 at 1 b: 2"]
    data = json.loads(good("explain", "p.safetensors", "abcb", "--class", "aggregate %7", "--json", folder=tmp_path))
    assert (data["class"], data["logit"]) == ("aggregate %7", 0)


def test_explain_at_a_position_shows_what_the_output_says_there(models: Path) -> None:
    out = good("explain", "contains.safetensors", "0010", "--position", "1", folder=models)
    assert "decision at 1 0: NO" in out
    assert out.strip().splitlines()[-1].split() == ["block", "0", "attention", "NO"]
    data = json.loads(good("explain", "contains.safetensors", "0010", "--position", "-3", "--json", folder=models))
    assert (data["class"], data["over"], data["position"]) == ("NO", None, 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("explain", "contains.safetensors", "0010", "--top", "0"), "--top 0"),
        (("explain", "contains.safetensors", "0010", "--by", "layer"), "--by 'layer': write --by head or --by block"),
        (("explain", "contains.safetensors", "0010", "--position", "4"), "there is no position 4: write 0 to 3"),
        (("next", "letters.safetensors", "abc", "--temperature", "0"), "temperature=0.0: write a number above 0"),
        (("next", "letters.safetensors", "", "--top", "3"), "the input is empty"),
        (("next", "contains.safetensors", "01"), "next_token needs classes that are tokens, and NO, YES is not in"),
        (("generate", "nothing.safetensors", "01"), "nothing.safetensors"),
    ],
)
def test_bad_input_ends_with_a_clear_error(models: Path, arguments: tuple[str, ...], message: str) -> None:
    result = weightsmith(*arguments, folder=models)
    assert result.returncode == 2
    assert message in result.stderr
    assert result.stdout == ""
    assert "Traceback" not in result.stderr

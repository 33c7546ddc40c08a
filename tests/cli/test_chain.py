"""weightsmith chain, and the verbs that know chains."""

import json
from pathlib import Path

import pytest

import weightsmith as ws
from tests.cli.commands import good, weightsmith
from tests.studio.pages import carried

CHAIN = ws.library.parity_chain(max_length=6)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    ws.save(CHAIN.transformer, tmp_path / "model.safetensors")
    ws.save(CHAIN, tmp_path / "chain.safetensors")
    return tmp_path


def test_a_chain_is_made_of_a_transformer(files: Path) -> None:
    options = ("--prompt", "=", "--steps", "6", "--answer", "0=NO", "--answer", "1=YES", "--max-length", "6")
    shown = good("chain", "model.safetensors", *options, "-o", "made.safetensors", folder=files)
    assert shown.startswith("Chain\n  inputs      0, 1, at most 6 tokens\n  prompt      =\n  steps       6\n")
    assert ws.load(files / "made.safetensors") == CHAIN
    formula = ("--prompt", "=", "--steps", "2*n", "-o", "formula.safetensors")
    good("chain", "model.safetensors", *formula, folder=files)
    assert ws.load(files / "formula.safetensors").steps == "2*n"


def test_verbs_know_chains(files: Path) -> None:
    assert good("run", "chain.safetensors", "0111", folder=files) == "0111=000101\nanswer: YES\n"
    assert good("run", "chain.safetensors", "0111", "--trace", folder=files).rstrip() == str(CHAIN.run("0111"))
    found = json.loads(good("run", "chain.safetensors", "0111", "--json", folder=files))
    assert found == {"answer": "YES", "generated": [*"000101"], "text": [*"0111=000101"], "halted": True}
    assert good("info", "chain.safetensors", folder=files).startswith("Chain\n")
    assert json.loads(good("info", "chain.safetensors", "--json", folder=files))["chain"]["prompt"] == ["="]
    language = ("--regex", "0*1(0*10*1)*0*", "--up-to", "6")
    assert "exhaustive up to 6, all 126 inputs" in good(
        "check", "recognizes", "chain.safetensors", *language, folder=files
    )
    good("show", "chain.safetensors", "0111", "-o", "page.html", folder=files)
    found = carried((files / "page.html").read_text())  # the page plays the chain itself
    assert (found["input"], found["title"]) == ([*"0111"], "chain · Weightsmith")
    good("show", "chain.safetensors", "0111", "--beside-input", "0110", "-o", "page.html", folder=files)
    assert carried((files / "page.html").read_text())["beside"] == {"model": 0, "input": [*"0110"]}


def test_verbs_that_need_a_transformer_say_so(files: Path) -> None:
    for verb in (
        ("rewrite", "chain.safetensors", "--form", "infinity", "-o", "x.safetensors"),
        ("next", "chain.safetensors", "01"),
    ):
        ended = weightsmith(*verb, folder=files)
        assert ended.returncode == 2
        assert "holds a chain, and a transformer is needed here" in ended.stderr


def test_what_cannot_be_meant_is_refused(files: Path) -> None:
    for options, words in (
        (("--steps", "-1"), "steps='-1': write a formula of n"),
        (("--steps", "x"), "write a formula of n"),
        ((), "nothing ends the chain"),
        (("--steps", "3", "--answer", "YES"), "--answer YES: write a token and what it means, as in --answer 1=YES"),
        (("--steps", "3", "--prompt", "x"), "prompt has 'x', which is not in the vocabulary"),
    ):
        ended = weightsmith("chain", "model.safetensors", *options, "-o", "x.safetensors", folder=files)
        assert (ended.returncode, words in ended.stderr) == (2, True), ended.stderr
    assert not (files / "x.safetensors").exists()

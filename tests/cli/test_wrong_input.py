"""Wrong input ends with 2, one message and no traceback."""

from pathlib import Path

import pytest

from tests.cli.test_cli import weightsmith

WRONG = {
    "unknown token": (
        ("run", "contains.safetensors", "012"),
        "error: token 2 of the input, 2, is not in the vocabulary",
    ),
    "empty input": (("run", "contains.safetensors", ""), "error: the input is empty"),
    "too long": (
        ("run", "random.safetensors", "0" * 9),
        "error: the input has 9 tokens and the position table holds 8",
    ),
    "no file": (("run", "none.safetensors", "0"), "error: cannot read 'none.safetensors': No such file or directory"),
    "no model": (("info", __file__), "cannot read"),
    "arithmetic": (("laws", "fixed(4)"), "error: 'fixed(4)' is not an arithmetic: write fixed(4,4), float(4,3)"),
    "too wide": (("laws", "fixed(20,20)"), "error: fixed(20,20) has 40 bits besides the sign"),
    "no name": (("new", "contain", "-o", "x"), "error: there is no 'contain': did you mean contains, contains_word?"),
    "no symbol": (("new", "contains", "-o", "x"), "error: contains needs --symbol"),
    "other option": (
        ("new", "contains", "--symbol", "1", "--lanes", "3", "-o", "x"),
        "error: contains takes no --lanes: leave it out",
    ),
    "library": (("library", "--up-to", "99"), "error: --up-to 99: write a length from 1 to 16"),
    "symbol": (("new", "contains", "--symbol", "2", "-o", "x"), "error: the symbol 2 is not in the vocabulary 0, 1"),
    "lanes": (("new", "random", "--lanes", "0", "-o", "x"), "error: lanes=0: write a whole number from 1 on"),
    "lane": (("run", "random.safetensors", "0", "--trace", "--lane", "x"), "error: there is no lane x: did you mean x"),
    "position": (
        ("run", "random.safetensors", "01", "--trace", "--position", "2"),
        "error: there is no position 2: write 0 to 1",
    ),
    "position alone": (("run", "random.safetensors", "01", "--position", "0"), "--position chooses what --trace shows"),
    "lane alone": (("run", "random.safetensors", "0", "--lane", "x0"), "write --trace too"),
    "folder": (("new", "random", "-o", "no/where"), "error: cannot write 'no/where': No such file or directory"),
    "step": (
        ("rewrite", "random.safetensors", "--fly", "1", "-o", "x"),
        "error: there is no step '--fly': write MODEL first",
    ),
    "step value": (("rewrite", "random.safetensors", "-o", "x", "--zero"), "error: --zero needs a value"),
    "step order": (
        ("rewrite", "random.safetensors", "--zero", "here", "--flag", "here=1", "-o", "x"),
        "error: there is no flag here",
    ),
    "step flag": (
        ("rewrite", "random.safetensors", "--flag", "here", "-o", "x"),
        "error: --flag here: write NAME=POSITION",
    ),
    "step number": (
        ("rewrite", "random.safetensors", "--flag", "here=x", "-o", "x"),
        "error: --flag here=x: 'x' is not a whole number",
    ),
    "step form": (
        ("rewrite", "random.safetensors", "--form", "loud", "-o", "x"),
        "error: --form loud: write one of zero-one, infinity, signed",
    ),
    "step add": (
        ("rewrite", "random.safetensors", "--add", "here", "-o", "x"),
        "error: --add here: write FLAG:LANE=VALUE",
    ),
    "step add twice": (
        ("rewrite", "random.safetensors", "--flag", "here=1", "--add", "here:x0=1,x0=2", "-o", "x"),
        "error: --add here:x0=1,x0=2 has the lane x0 twice: write each lane once",
    ),
    "let twice": (
        ("compose", "S", "--let", "S=random.safetensors", "--let", "S=contains.safetensors", "-o", "x"),
        "error: --let gives S twice: write each name once",
    ),
    "formula end": (
        ("compose", "S &", "--let", "S=random.safetensors", "-o", "x"),
        "error: the formula 'S &' ends too early",
    ),
    "formula name": (
        ("compose", "S & T", "--let", "S=random.safetensors", "-o", "x"),
        "error: the formula 'S & T' has 'T', and the parts are S: write --let T=FILE",
    ),
    "formula code": (
        ("compose", "S.__class__", "--let", "S=random.safetensors", "-o", "x"),
        "error: the formula 'S.__class__' has '.'",
    ),
    "formula more": (
        ("compose", "S S", "--let", "S=random.safetensors", "-o", "x"),
        "goes on after it is complete, with 'S'",
    ),
    "formula bracket": (
        ("compose", "(S", "--let", "S=random.safetensors", "-o", "x"),
        "has a bracket that is not closed",
    ),
    "formula long": (("compose", "~" * 600 + "S", "--let", "S=random.safetensors", "-o", "x"), "at most 500 are read"),
    "let": (("compose", "S", "--let", "S", "-o", "x"), "error: --let S: write NAME=MODEL"),
    "verb": (("fly",), "No such command 'fly'"),
    "option": (("laws",), "Missing argument 'ARITHMETIC'"),
    "markup": (("run", "contains.safetensors", "[/red]"), "error: token 0 of the input, [, is not in the vocabulary"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_input_ends_with_2_a_message_and_no_traceback(folder: Path, name: str) -> None:
    arguments, message = WRONG[name]
    result = weightsmith(*arguments, folder=folder)
    assert result.returncode == 2
    assert message in " ".join(result.stderr.split())
    assert "Traceback" not in result.stderr
    assert result.stdout == ""

"""Wrong input ends with 2, one message and no traceback. Only messages of the command line itself are worded here."""

import shlex
from pathlib import Path

import pytest

from tests.cli.commands import weightsmith

ONE, RANDOM = "contains.safetensors", "random.safetensors"
WRONG = {  # commands, with the message where it is the command line's own
    f"run {ONE} 012": "",
    f"run {ONE} ''": "",
    f"run {ONE} [/red]": "error: token 0 of the input, [, is not in the vocabulary",  # no markup of rich
    f"run {RANDOM} 000000000": "",
    "run none.safetensors 0": "error: cannot read 'none.safetensors': No such file or directory",
    f"run {RANDOM} 0 --trace --lane x": "",
    f"run {RANDOM} 01 --trace --position 2": "",
    f"run {RANDOM} 01 --position 0": "--position chooses what --trace shows",
    f"run {RANDOM} 0 --lane x0": "write --trace too",
    f"info {__file__}": "cannot read",
    "laws fixed(4)": "",
    "laws fixed(20,20)": "",
    "new contain -o x": "error: there is no 'contain': did you mean contains, contains_word?",
    "new contains -o x": "error: contains needs --symbol",
    "new contains --symbol 1 --lanes 3 -o x": "error: contains takes no --lanes: leave it out",
    "new contains --symbol 2 -o x": "",
    "new random --lanes 0 -o x": "",
    "new random -o no/where": "error: cannot write 'no/where': No such file or directory",
    "library --up-to 99": "error: --up-to 99: write a length from 1 to 16",
    f"rewrite {RANDOM} --fly 1 -o x": "error: there is no step '--fly': write MODEL first",
    f"rewrite {RANDOM} -o x --zero": "error: --zero needs a value",
    f"rewrite {RANDOM} --zero here --flag here=1 -o x": "",
    f"rewrite {RANDOM} --flag here -o x": "error: --flag here: write NAME=POSITION",
    f"rewrite {RANDOM} --flag here=x -o x": "error: --flag here=x: 'x' is not a whole number",
    f"rewrite {RANDOM} --form loud -o x": "error: --form loud: write one of zero-one, infinity, signed",
    f"rewrite {RANDOM} --add here -o x": "error: --add here: write FLAG:LANE=VALUE",
    f"rewrite {RANDOM} --flag here=1 --add here:x0=1,x0=2 -o x": "has the lane x0 twice: write each lane once",
    f"compose S --let S={RANDOM} --let S={ONE} -o x": "error: --let gives S twice: write each name once",
    f"compose 'S & T' --let S={RANDOM} -o x": "has 'T', and the parts are S: write --let T=FILE",
    f"compose 'S &' --let S={RANDOM} -o x": "",
    "compose S --let S -o x": "error: --let S: write NAME=MODEL",
    "fly": "No such command 'fly'",
    "laws": "Missing argument 'ARITHMETIC'",
}


@pytest.mark.parametrize("command", WRONG)
def test_wrong_input_ends_with_2_a_message_and_no_traceback(folder: Path, command: str) -> None:
    result = weightsmith(*shlex.split(command), folder=folder)
    assert result.returncode == 2
    assert WRONG[command] in " ".join(result.stderr.split())
    assert result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""

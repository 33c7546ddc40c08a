"""weightsmith rewrite."""

from pathlib import Path

import typer

import weightsmith as ws
from weightsmith.cli import lazy
from weightsmith.cli.loading import load_model, save_model
from weightsmith.cli.output import ModelFile, OutputFile, check_outputs
from weightsmith.errors import InputError, brief, listed

STEPS = """
--flag NAME=POSITION,…        a lane that is 1 at these positions; without a position table here=3@8, for inputs up to 8

--add FLAG:LANE=VALUE,…       add a vector where the flag is up

--zero FLAG                   make the vector 0 where the flag is up

--cancel FLAG                 the same by subtracting, in one block

--widen NAME,…                new lanes in front

--ignore LANE,…               blocks that neither read nor write these lanes

--hide FLAG                   no head looks at the positions where the flag is up

--shift K                     position i + K gets the vector that position i had

--append FILE                 the blocks of another model at the end; its lanes and arithmetic must be the same

--prepend FILE                the same at the beginning

--map LANE=TERMS,…            a linear map at every position: x0=2*x1+x0,x1=x0

--map 1:3:LANE=TERMS,…        the same from position 1 into position 3

--pad COUNT                   blocks that do nothing

--form FORM                   zero-one, infinity or signed; by attention: infinity@4 for inputs of length 4

--to ARITHMETIC               round the weights into another arithmetic
"""
BLOCKS = ("--append", "--prepend")  # steps that read a file
COMMAND = {  # the steps keep the order in which they are given, which options would lose
    "epilog": STEPS,
    "context_settings": {
        "ignore_unknown_options": True,
        "allow_extra_args": True,
        "help_option_names": ["-h", "--help"],
    },
}


def rewrite(context: typer.Context, file: ModelFile, output: OutputFile) -> None:
    """Rewrite a model, step by step, in the order given: MODEL --flag here=3 --zero here --form infinity -o OUT."""
    steps = lazy.steps.pairs(context.args, BLOCKS)
    check_outputs(output)
    T = load_model(file)
    for step, value in steps:
        T = _with_blocks(T, step, value) if step in BLOCKS else lazy.steps.apply(T, step, value)
    save_model(T, output)


def _with_blocks(T: "ws.Transformer", step: str, file: str) -> "ws.Transformer":
    """Add the blocks of another model."""
    other = load_model(Path(file))
    for what in ("arithmetic", "lanes"):
        ours, theirs = getattr(T, what), getattr(other, what)
        if ours != theirs:
            both = [listed(each) if what == "lanes" else str(each) for each in (ours, theirs)]
            raise InputError(f"{step} {brief(file)}: the models differ in their {what}: {both[0]} and {both[1]}")
    blocks = lazy.own_positions(other).blocks
    return ws.append(T, blocks) if step == "--append" else ws.prepend(T, blocks)

"""weightsmith rewrite."""

import typer

from weightsmith.cli import lazy
from weightsmith.cli.loading import load_model, save_model
from weightsmith.cli.output import ModelFile, OutputFile, check_outputs

STEPS = """
--flag NAME=POSITION,…        a lane that is 1 at these positions; without a position table here=3@8, for inputs up to 8

--add FLAG:LANE=VALUE,…       add a vector where the flag is up

--zero FLAG                   make the vector 0 where the flag is up

--cancel FLAG                 the same by subtracting, in one block

--widen NAME,…                new lanes in front

--ignore LANE,…               blocks that neither read nor write these lanes

--map LANE=TERMS,…            a linear map at every position: x0=2*x1+x0,x1=x0

--map 1:3:LANE=TERMS,…        the same from position 1 into position 3

--pad COUNT                   blocks that do nothing

--form FORM                   zero-one, infinity or signed; by attention: infinity@4 for inputs of length 4

--to ARITHMETIC               round the weights into another arithmetic
"""
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
    steps = lazy.steps.pairs(context.args)
    check_outputs(output)
    T = load_model(file)
    for step, value in steps:
        T = lazy.steps.apply(T, step, value)
    save_model(T, output)

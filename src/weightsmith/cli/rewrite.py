"""weightsmith rewrite."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer

import weightsmith as ws
from weightsmith.cli.equations import read_map
from weightsmith.cli.output import ModelFile, check_outputs, say, say_written
from weightsmith.errors import InputError, brief

STEPS = """
--flag NAME=POSITION,…        a lane that is 1 at these positions

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


def rewrite(
    context: typer.Context,
    file: ModelFile,
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.")],
) -> None:
    """Rewrite a model, step by step, in the order given: MODEL --flag here=3 --zero here --form infinity -o OUT."""
    steps = pairs(context.args)
    check_outputs(output)
    T = ws.load(file)
    for step, value in steps:
        T = apply(T, step, value)
    ws.save(T, output)
    say(repr(T))
    say_written(output)


def pairs(arguments: Sequence[str]) -> list[tuple[str, str]]:
    """Read --step value --step value …, or --step=value."""
    result, rest = [], list(arguments)
    while rest:
        step = rest.pop(0)
        name, equals, value = step.partition("=")
        if name not in _APPLY:
            raise InputError(f"there is no step {brief(step)}: write MODEL first, then {', '.join(_APPLY)}")
        if not equals and not rest:
            raise InputError(f"{step} needs a value: weightsmith rewrite --help shows them")
        result.append((name, value if equals else rest.pop(0)))
    return result


def apply(T: "ws.Transformer", step: str, value: str) -> "ws.Transformer":
    """Apply one step."""
    return _APPLY[step](T, value)


def _flag(T: "ws.Transformer", value: str) -> "ws.Transformer":
    name, equals, positions = value.partition("=")
    if not equals:
        raise InputError(f"--flag {value}: write NAME=POSITION, as in --flag here=3")
    return ws.flag(T, name, [whole(position, f"--flag {value}") for position in positions.split(",")])


def _add(T: "ws.Transformer", value: str) -> "ws.Transformer":
    at, colon, entries = value.partition(":")
    vector = {}
    for entry in entries.split(",") if colon else []:
        lane, _, number = entry.rpartition("=")
        try:
            vector[lane] = float(number)
        except ValueError:
            raise InputError(f"--add {value}: {brief(number)} is not a number") from None
    if not vector:
        raise InputError(f"--add {value}: write FLAG:LANE=VALUE, as in --add here:x0=1.5,x1=2")
    return ws.add_vector(T, vector, at=at)


def _zero(T: "ws.Transformer", value: str) -> "ws.Transformer":
    return ws.zero_vector(T, at=value)


def _cancel(T: "ws.Transformer", value: str) -> "ws.Transformer":
    return ws.zero_vector(T, at=value, method="cancel")


def _widen(T: "ws.Transformer", value: str) -> "ws.Transformer":
    return ws.widen(T, value.split(","), where="front")


def _ignore(T: "ws.Transformer", value: str) -> "ws.Transformer":
    return ws.ignore_lanes(T, value.split(","))


def _map(T: "ws.Transformer", value: str) -> "ws.Transformer":
    lanes, M, route = read_map(T, value)
    return ws.map_stream(T, M, lanes) if route is None else ws.linear_map(T, M, *route, lanes)


def _pad(T: "ws.Transformer", value: str) -> "ws.Transformer":
    return ws.pad_blocks(T, whole(value, f"--pad {value}"))


def _form(T: "ws.Transformer", value: str) -> "ws.Transformer":
    forms = {"zero-one": ws.zero_one_form, "infinity": ws.infinity_form, "signed": ws.signed_infinity_form}
    name, at, length = value.partition("@")
    if name not in forms:
        raise InputError(f"--form {value}: write one of {', '.join(forms)}")
    return forms[name](T, "attention", whole(length, f"--form {value}")) if at else forms[name](T)


def _to(T: "ws.Transformer", value: str) -> "ws.Transformer":
    return ws.to_arithmetic(T, ws.parse_arithmetic(value))


_APPLY: dict[str, Callable[["ws.Transformer", str], "ws.Transformer"]] = {
    "--flag": _flag,
    "--add": _add,
    "--zero": _zero,
    "--cancel": _cancel,
    "--widen": _widen,
    "--ignore": _ignore,
    "--map": _map,
    "--pad": _pad,
    "--form": _form,
    "--to": _to,
}


def whole(text: str, where: str) -> int:
    """Read a whole number."""
    if not text.isdecimal() or len(text) > 9:
        raise InputError(f"{where}: {brief(text)} is not a whole number")
    return int(text)

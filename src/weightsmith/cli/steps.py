"""The grammar of rewrite steps, `--flag here=3`: for `weightsmith rewrite`, and for the studio's menu."""

from collections.abc import Callable, Sequence

from weightsmith.arithmetic import parse_arithmetic
from weightsmith.cli.equations import read_map
from weightsmith.errors import InputError, brief, cut, named
from weightsmith.model import Transformer
from weightsmith.rewrites.hiding import hide, shift_positions
from weightsmith.rewrites.lanes import flag, ignore_lanes, widen
from weightsmith.rewrites.maps import linear_map, map_stream
from weightsmith.rewrites.normal_forms import infinity_form, signed_infinity_form, zero_one_form
from weightsmith.rewrites.vectors import add_vector, zero_vector
from weightsmith.rewrites.whole_model import pad_blocks, to_arithmetic


def pairs(arguments: Sequence[str], more: Sequence[str] = ()) -> list[tuple[str, str]]:
    """Read --step value --step value …, or --step=value; `more` are steps that the caller applies itself."""
    result, rest = [], list(arguments)
    while rest:
        step = rest.pop(0)
        name, equals, value = step.partition("=")
        if name not in _APPLY and name not in more:
            raise InputError(f"there is no step {brief(step)}: write MODEL first, then {', '.join([*_APPLY, *more])}")
        if not equals and not rest:
            raise InputError(f"{cut(step)} needs a value: weightsmith rewrite --help shows them")
        result.append((name, value if equals else rest.pop(0)))
    return result


def apply(T: Transformer, step: str, value: str) -> Transformer:
    """Apply one step."""
    if step not in _APPLY:
        raise InputError(f"there is no step {brief(step)}: write one of {', '.join(_APPLY)}")
    return _APPLY[step](T, value)


def _flag(T: Transformer, value: str) -> Transformer:
    name, equals, rest = value.partition("=")
    if not equals:
        raise InputError(f"--flag {cut(value)}: write NAME=POSITION, as in --flag here=3")
    positions, at, longest = rest.partition("@")
    numbers = [whole(position, f"--flag {cut(value)}") for position in positions.split(",")]
    return flag(T, name, numbers, max_length=whole(longest, f"--flag {cut(value)}") if at else None)


def _add(T: Transformer, value: str) -> Transformer:
    at, colon, entries = value.partition(":")
    vector = {}
    for entry in entries.split(",") if colon else []:
        lane, _, number = entry.rpartition("=")
        if lane in vector:
            raise InputError(f"--add {cut(value)} has the lane {named(lane)} twice: write each lane once")
        try:
            vector[lane] = float(number)
        except ValueError:
            raise InputError(f"--add {cut(value)}: {brief(number)} is not a number") from None
    if not vector:
        raise InputError(f"--add {cut(value)}: write FLAG:LANE=VALUE, as in --add here:x0=1.5,x1=2")
    return add_vector(T, vector, at=at)


def _zero(T: Transformer, value: str) -> Transformer:
    return zero_vector(T, at=value)


def _cancel(T: Transformer, value: str) -> Transformer:
    return zero_vector(T, at=value, method="cancel")


def _widen(T: Transformer, value: str) -> Transformer:
    return widen(T, value.split(","), where="front")


def _ignore(T: Transformer, value: str) -> Transformer:
    return ignore_lanes(T, value.split(","))


def _map(T: Transformer, value: str) -> Transformer:
    lanes, M, route = read_map(T, value)
    return map_stream(T, M, lanes) if route is None else linear_map(T, M, *route, lanes)


def _hide(T: Transformer, value: str) -> Transformer:
    return hide(T, value)


def _shift(T: Transformer, value: str) -> Transformer:
    sign, digits = (-1, value[1:]) if value.startswith("-") else (1, value)
    return shift_positions(T, sign * whole(digits, f"--shift {cut(value)}"))


def _pad(T: Transformer, value: str) -> Transformer:
    return pad_blocks(T, whole(value, f"--pad {cut(value)}"))


def _form(T: Transformer, value: str) -> Transformer:
    forms = {"zero-one": zero_one_form, "infinity": infinity_form, "signed": signed_infinity_form}
    name, at, length = value.partition("@")
    if name not in forms:
        raise InputError(f"--form {cut(value)}: write one of {', '.join(forms)}")
    return forms[name](T, "attention", whole(length, f"--form {cut(value)}")) if at else forms[name](T)


def _to(T: Transformer, value: str) -> Transformer:
    return to_arithmetic(T, parse_arithmetic(value))


_APPLY: dict[str, Callable[[Transformer, str], Transformer]] = {
    "--flag": _flag,
    "--add": _add,
    "--zero": _zero,
    "--cancel": _cancel,
    "--widen": _widen,
    "--ignore": _ignore,
    "--hide": _hide,
    "--shift": _shift,
    "--map": _map,
    "--pad": _pad,
    "--form": _form,
    "--to": _to,
}
STEPS = tuple(_APPLY)


def whole(text: str, where: str) -> int:
    """Read a whole number."""
    if not text.isdecimal() or len(text) > 9:
        raise InputError(f"{where}: {brief(text)} is not a whole number")
    return int(text)

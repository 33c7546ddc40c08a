"""The grammar of `--map`: an equation for each lane, and optionally a source and a target position."""

from typing import NoReturn

from weightsmith.errors import InputError, brief, listed, named, nearest_names, shown
from weightsmith.model import Transformer
from weightsmith.model.members import member

EQUATION = 'write LANE=TERMS, with terms such as x1 or -2*x1 joined by +, or 0, as in --map "x0=2*x1+x0,x1=0"'
POSITIONS = (
    'write SOURCE:TARGET: in front of the equations, as in --map "1:3:x0=x1,x1=0", or nothing for every position'
)


def read_map(T: Transformer, text: str) -> tuple[list[str], list[list[float]], tuple[int, int] | None]:
    """Return the lanes that have an equation, in the order of the stream, the matrix over them, and the positions.

    The positions are source and target, or None for every position. A name with , + = in it cannot be written here.
    """
    route, equations = _route(T, text)
    rows: dict[str, dict[str, float]] = {}
    for equation in equations.split(","):
        lane, terms = _equation(T, equation)
        if lane in rows:
            raise InputError(f"--map has two equations for {named(lane)}: write one for each lane")
        rows[lane] = terms
    for lane in (lane for terms in rows.values() for lane in terms):
        if lane not in rows:
            keep = f"{lane}={lane} to keep it, or {lane}=0"
            raise InputError(f"--map reads {named(lane)}, which has no equation: write {keep}")
    lanes = [lane for lane in T.lanes if lane in rows]
    return lanes, [[rows[to].get(of, 0.0) for of in lanes] for to in lanes], route


def _route(T: Transformer, text: str) -> tuple[tuple[int, int] | None, str]:
    """Split SOURCE:TARGET: off; a lane may have : in its name."""
    first = text.partition("=")[0]
    if ":" not in first or first.strip() in T.lanes:
        return None, text
    *positions, equations = text.split(":", 2)
    if len(positions) < 2 or not all(place.strip().isdecimal() and len(place) <= 9 for place in positions):
        raise InputError(f"--map {brief(first)} has no two positions, counted from 0: {POSITIONS}")
    source, target = map(int, positions)
    return (source, target), equations


def _equation(T: Transformer, text: str) -> tuple[str, dict[str, float]]:
    """Return the lane and the terms of LANE=TERMS, as factors by lane."""
    left, equals, right = text.partition("=")
    if not equals or not right.strip():
        _wrong(text, "this is no equation")
    lane, terms = _lane(T, left, text), dict[str, float]()
    for term in right.split("+") if right.strip() != "0" else ():
        of, factor = _term(T, term, text)
        if of in terms:
            _wrong(text, f"{shown(of)} is read twice, and its terms must be one")
        terms[of] = factor
    return lane, terms


def _term(T: Transformer, text: str, equation: str) -> tuple[str, float]:
    """Read LANE or NUMBER*LANE."""
    if text.strip() in T.lanes:
        return text.strip(), 1.0
    number, star, name = text.partition("*")
    if not text.strip():
        _wrong(equation, "a term is missing")
    if not star:
        return _lane(T, text, equation), 1.0
    try:
        factor = float(number)
    except ValueError:
        _wrong(equation, f"{number.strip()!r:.40} is not a number")
    return _lane(T, name, equation), member(T.arithmetic, factor, f"--map {equation!r:.80}")


def _lane(T: Transformer, text: str, equation: str) -> str:
    name = text.strip()
    if name not in T.lanes:
        near = nearest_names(name[:80], T.lanes)
        _wrong(equation, f"there is no lane {shown(name[:80])}: {near}the lanes are {listed(T.lanes)}")
    return name


def _wrong(piece: str, why: str) -> NoReturn:
    raise InputError(f"--map {brief(piece)}: {why}; {EQUATION}")

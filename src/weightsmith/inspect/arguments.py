"""Arguments of the functions that look into runs: a run, positions, a sublayer, neurons, a number of the output."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from weightsmith.arithmetic import Array, Weights, as_float64
from weightsmith.errors import InputError, brief, is_whole, named, position_of, shown
from weightsmith.inspect.run import Run
from weightsmith.model import Transformer, lane_index
from weightsmith.model.lookup import neuron_at
from weightsmith.model.names import place_of

Sublayer: TypeAlias = Literal["attention", "feed-forward"]
Place: TypeAlias = Literal["embedding", "attention", "feed-forward"]  # after which a value of the stream stands


def checked_run(run: Any) -> Run:
    """Return the run; refuse anything else."""
    if not isinstance(run, Run):
        raise InputError(f"{brief(run)} is not a run: write run(T, tokens)")
    return run


def check_alike(a: Run, b: Run, *names: str) -> None:
    """Refuse two runs whose transformers differ in one of the named fields."""
    S, T = checked_run(a).transformer, checked_run(b).transformer
    for name in names:
        if name == "blocks" and len(S.blocks) != len(T.blocks):
            raise InputError(f"the transformers of the two runs have {len(S.blocks)} and {len(T.blocks)} blocks")
        if name != "blocks" and getattr(S, name) != getattr(T, name):
            raise InputError(
                f"the transformers of the two runs differ in their {name}: values of one do not fit the other"
            )


def positions_at(run: Run, positions: Any, other: Run | None = None) -> tuple[int, ...]:
    """Return positions counted from 0; None means all of them. With another run, both runs must have them."""
    mine, theirs = len(run.tokens), len(run.tokens if other is None else other.tokens)
    shared = min(mine, theirs)
    if positions is None and mine != theirs:
        raise InputError(f"the inputs have {mine} and {theirs} tokens: write positions=[…], from 0 to {shared - 1}")
    if positions is None:
        return tuple(range(mine))
    if isinstance(positions, str) or not isinstance(positions, Sequence | np.ndarray):
        raise InputError(f"positions={brief(positions)}: write a list of positions, such as [0]")
    if mine == theirs:
        return tuple(position_of(position, mine) for position in positions)
    for position in positions:
        if not is_whole(position) or not 0 <= position < shared:
            raise InputError(f"position {brief(position)} is not in both runs: they share 0 to {shared - 1}")
    return tuple(map(int, positions))


def checked_sublayer(sublayer: Any, argument: str) -> Sublayer:
    """Return the name of a sublayer; refuse anything else."""
    if sublayer not in get_args(Sublayer):
        raise InputError(f"{argument}={brief(sublayer)}: write 'attention' or 'feed-forward'")
    name: Sublayer = sublayer
    return name


def checked_place(after: Any) -> Place:
    """Return the name of a stage of the stream; refuse anything else."""
    return "embedding" if isinstance(after, str) and after == "embedding" else checked_sublayer(after, "after")


def lanes_at(T: Transformer, lanes: Any) -> list[int]:
    """Return lanes counted from 0; None means all of them."""
    if lanes is None:
        return list(range(len(T.lanes)))
    if isinstance(lanes, str) or not isinstance(lanes, Sequence):
        raise InputError(f"lanes={brief(lanes)}: write a list of names, such as {[*T.lanes[:1]]}")
    return [lane_index(T, lane) for lane in lanes]


def numbers_at(T: Transformer, given: Mapping[str, float]) -> tuple[list[int], list[float]]:
    """Return the lanes of a dictionary, counted from 0, with their numbers, which must be members."""
    A, numbers = T.arithmetic, list[float]()
    if not given:
        raise InputError(f"the dictionary sets no lane: write a lane with a number, such as {{{T.lanes[0]!r}: 1}}")
    columns = [lane_index(T, lane) for lane in given]
    for lane, value in given.items():
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            raise InputError(f"{named(lane)}: {brief(value)} is not a number: write one, such as 1.5") from None
        if not A.contains(number):
            nearest = "" if np.isnan(number) else f"; the nearest is {float(A.round(number))!r}"
            raise InputError(f"{named(lane)}: {brief(value)} is not a member of {A}{nearest}: write a member")
        numbers.append(number + 0.0)  # there is no −0
    return columns, numbers


def neurons_at(T: Transformer, block: int, neurons: Any) -> list[int]:
    """Return the numbers of neurons, each written as a number or a name."""
    if isinstance(neurons, str) or not isinstance(neurons, Sequence | np.ndarray):
        raise InputError(f"neurons={brief(neurons)}: write a list of numbers or names, such as [0]")
    return [neuron_at(T, block, neuron) for neuron in neurons]


@dataclass(frozen=True)
class Target:
    """One number of the output: the logit of a class, the value in a lane of the readout, or a difference of two."""

    wanted: str
    over: str | None
    kind: Literal["logit", "lane"]
    _row: int  # of the class, or of the lane among those of the readout
    _other: int | None  # of the one to subtract

    def of(self, numbers: Weights) -> Array:
        """Return it for the numbers of outputs, or for any array whose last axis is the classes or readout lanes."""
        number = as_float64(numbers[..., self._row])
        return number if self._other is None else number - as_float64(numbers[..., self._other])

    def __str__(self) -> str:
        """Return its name."""
        name = "logit of" if self.kind == "logit" else "value of lane"
        return f"{name} {shown(self.wanted)}" + ("" if self.over is None else f" over {shown(self.over)}")


def target(T: Transformer, wanted: Any, over: Any) -> Target:
    """Return the logit of a class, with a readout the value of one of its lanes, or the difference to that of `over`.

    Classes and lanes that do not exist are refused.
    """
    names, what = (T.classes, "class") if T.readout is None else (T.readout.lanes, "lane of the readout")
    kind: Literal["logit", "lane"] = "logit" if T.readout is None else "lane"
    if T.readout is not None:
        _refuse_values(T, *(one for one in (wanted, over) if one is not None))  # not the value None, but nothing given
    row = place_of(wanted, names, what)
    if over is None:
        return Target(wanted, None, kind, row, None)
    other = place_of(over, names, what)
    if other == row:
        raise InputError(f"over={brief(over)} is the {what} itself: write another one, or leave over out")
    return Target(wanted, over, kind, row, other)


def _refuse_values(T: Transformer, *given: Any) -> None:
    """Refuse values of a readout where lanes are written; the error names the lanes and the code of the value."""
    assert T.readout is not None
    for one in given:
        code = next((code for code, value in T.readout.table if type(value) is type(one) and value == one), None)
        if code is not None and one not in T.readout.lanes:
            said = ", ".join(f"{lane}={number:g}" for lane, number in zip(T.readout.lanes, code, strict=True))
            raise InputError(
                f"{brief(one)} is a value of the readout, whose code is {said}; a number of the output is that of a "
                f"lane: write {T.readout.lanes[0]!r}, or leave it out"
            )


def usual_target(run: Run, wanted: Any, over: Any, position: int) -> Target | None:
    """Return the target; without `wanted`, the logit of the answer at a position, or the only lane of the readout.

    The code of a readout with several lanes has no usual target: then it is None.
    """
    T = run.transformer
    if wanted is None and T.readout is None:
        wanted = T.answers[run.answer_ids[position]]
    elif wanted is None and T.readout is not None and len(T.readout.lanes) == 1:
        wanted = T.readout.lanes[0]
    return None if wanted is None and over is None else target(T, wanted, over)

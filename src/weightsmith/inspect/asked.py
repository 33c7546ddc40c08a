"""What a question is about: a run, some of its positions, a stage, the logit of a class."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from weightsmith.arithmetic import Array, Weights, as_float64
from weightsmith.errors import InputError, brief, shown
from weightsmith.inspect.run import Run
from weightsmith.inspect.trace import position_of
from weightsmith.model import Transformer, needs_classes
from weightsmith.model.lookup import attention_stage, block_at, feed_forward_stage
from weightsmith.model.names import place_of

Sublayer: TypeAlias = Literal["attention", "feed-forward"]


def checked_run(run: Any) -> Run:
    """Return a run, or refuse what is none."""
    if not isinstance(run, Run):
        raise InputError(f"{brief(run)} is not a run: write run(T, tokens)")
    return run


def check_alike(a: Run, b: Run, *names: str) -> None:
    """Refuse two runs whose transformers differ in what is named, so that their values cannot be put together."""
    S, T = checked_run(a).transformer, checked_run(b).transformer
    for name in names:
        if name == "blocks" and len(S.blocks) != len(T.blocks):
            raise InputError(f"the transformers of the two runs have {len(S.blocks)} and {len(T.blocks)} blocks")
        if name != "blocks" and getattr(S, name) != getattr(T, name):
            raise InputError(
                f"the transformers of the two runs differ in their {name}: values of one do not fit the other"
            )


def positions_at(run: Run, positions: Any, other: Run | None = None) -> tuple[int, ...]:
    """Return positions counted from 0; None is all of them. With another run, they are positions of both."""
    mine, theirs = len(run.tokens), len(run.tokens if other is None else other.tokens)
    if positions is None and mine != theirs:
        raise InputError(
            f"the inputs have {mine} and {theirs} tokens: write positions=[…], from 0 to {min(mine, theirs) - 1}"
        )
    if positions is None:
        return tuple(range(mine))
    if isinstance(positions, str) or not isinstance(positions, Sequence | np.ndarray):
        raise InputError(f"positions={brief(positions)}: write a list of positions, such as [0]")
    if mine == theirs:
        return tuple(position_of(run, position) for position in positions)
    for position in positions:
        if not _whole(position) or not 0 <= position < min(mine, theirs):
            raise InputError(f"position {brief(position)} is not in both runs: they share 0 to {min(mine, theirs) - 1}")
    return tuple(map(int, positions))


def _whole(number: object) -> bool:
    return isinstance(number, int | np.integer) and not isinstance(number, bool)


def stage_at(T: Transformer, block: Any, sublayer: Any, argument: str) -> int:
    """Return the stage of the stream after a sublayer."""
    block_at(T, block)
    if sublayer not in get_args(Sublayer):
        raise InputError(f"{argument}={brief(sublayer)}: write 'attention' or 'feed-forward'")
    return (attention_stage if sublayer == "attention" else feed_forward_stage)(int(block))


@dataclass(frozen=True)
class Target:
    """The logit of a class, or how far it is above that of another."""

    wanted: str
    over: str | None
    _place: int
    _under: int | None

    def of(self, logits: Weights) -> Array:
        """Return it for logits (…, classes), or for anything else that the logits are linear in."""
        found = as_float64(logits[..., self._place])
        return found if self._under is None else found - as_float64(logits[..., self._under])

    def __str__(self) -> str:
        """Say whose logit it is."""
        return f"logit of {shown(self.wanted)}" + ("" if self.over is None else f" over {shown(self.over)}")


def target(T: Transformer, wanted: Any, over: Any) -> Target:
    """Return the logit of a class, or its difference to that of another; refuse classes that do not exist."""
    needs_classes(T, "the logit of a class")
    place = place_of(wanted, T.classes, "class")
    if over is None:
        return Target(wanted, None, place, None)
    under = place_of(over, T.classes, "class")
    if under == place:
        raise InputError(f"over={brief(over)} is the class itself: write another class, or leave over out")
    return Target(wanted, over, place, under)

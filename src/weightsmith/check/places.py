"""Places in the stream: a site and a position, and the part of a transformer that computes the vectors there."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from weightsmith.check.plan import MAX_LENGTH
from weightsmith.errors import InputError, brief, is_whole
from weightsmith.model import Transformer
from weightsmith.model.sites import Site, stage_names, stage_site

ALL: Literal["all"] = "all"
LAST = -1
Position: TypeAlias = int | Literal["all"]  # from the left, from the end if negative, or every one
At: TypeAlias = str | tuple[str, Position] | None  # a site, or a site and a position


@dataclass(frozen=True, order=True)
class Place:
    """A stage of the stream, and a position."""

    stage: int
    position: Position = LAST

    def __str__(self) -> str:
        """Return its name: "block 3 attention, position 3"."""
        return f"{self.site}, {position_text(self.position)}"

    @property
    def site(self) -> str:
        """The name of its site."""
        return str(stage_site(self.stage))

    def to_json(self) -> list[Any]:
        """Return the site and the position, as a certificate has them."""
        return [self.site, self.position]

    def index(self, positions: int) -> int | None:
        """Return its position in an input of a length; None where the input is too short. It is not "all"."""
        assert self.position != ALL
        found = self.position if self.position >= 0 else positions + self.position
        return found if 0 <= found < positions else None

    @property
    def shortest(self) -> int:
        """The length of the shortest text that has this position."""
        if self.position == ALL:
            return 1
        return self.position + 1 if self.position >= 0 else -self.position


def position_text(position: Position) -> str:
    """Return a position in words."""
    return {ALL: "every position", LAST: "the last position"}.get(position, f"position {position}")


def place_in(T: Transformer, at: object, name: str = "at") -> Place:
    """Return a place of a transformer; None is the last vector of the stream."""
    if at is None:
        return Place(2 * len(T.blocks))
    if isinstance(at, str):
        return Place(stage_in(T, at))
    if not isinstance(at, tuple | list) or len(at) != 2:
        raise InputError(f"{name}={brief(at)}: write a site and a position, such as ('block 0 attention', 3)")
    site, position = at
    return Place(stage_in(T, site), checked_position(position))


def stage_in(T: Transformer, site: object) -> int:
    """Return the stage of a site of the stream, by its name."""
    found, names = Site.parse(site), stage_names(T)
    if not found.in_stream:
        raise InputError(f"{brief(site)} is no site of the stream: write {some_sites(names)}")
    if found.stage >= len(names):
        raise InputError(f"there is no site {found}: {_blocks(len(T.blocks))}; write {some_sites(names)}")
    return found.stage


def some_sites(names: Sequence[str]) -> str:
    """Return the first sites and the last one, for a message."""
    few = [*names[:3], *(names[3:][-1:])]
    return " or ".join([", ".join(map(repr, few[:-1])), repr(few[-1])]) if len(few) > 1 else repr(few[0])


def _blocks(count: int) -> str:
    return {0: "there is no block", 1: "the only block is 0"}.get(count, f"the blocks are 0 to {count - 1}")


def checked_position(position: object) -> Position:
    """Return a position, or raise."""
    if isinstance(position, str) and position == ALL:
        return ALL
    if is_whole(position) and -MAX_LENGTH <= int(position) < MAX_LENGTH:
        return int(position)
    raise InputError(
        f"position={brief(position)}: write a whole number, from 0 on the left or from -1 at the end, or 'all'"
    )


def until(T: Transformer, stage: int) -> Transformer:
    """Return the part of a transformer up to a stage: its last vectors are those of the stage. It decides nothing."""
    blocks = list(T.blocks[: (stage + 1) // 2])
    if stage % 2:
        blocks[-1] = replace(blocks[-1], feed_forward=None, feed_forward_norm=None, parallel=False)
    nothing = np.zeros((1, len(T.lanes)))
    return replace(
        T, blocks=tuple(blocks), final_norm=None, output=nothing, classes=("a vector",), output_bias=None, tied=False,
        readout=None, edits=(), provenance=(), tokenizer="", description="",
    )  # fmt: skip

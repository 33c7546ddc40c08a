"""Sites: where in a run a value stands, with the one text form of each; stages number the sites of the stream."""

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast, get_args

from weightsmith.errors import InputError, brief
from weightsmith.model.transformer import Transformer

SiteKind: TypeAlias = Literal["embedding", "attention", "feed-forward", "head", "neuron", "activations"]
_FORM = re.compile(r"block ([0-9]{1,9}),? ([a-z-]+)(?: ([0-9]{1,9}))?")


@dataclass(frozen=True)
class Site:
    """One place of a run at which values can be read or replaced.

    The stream after the embedding, after a block's attention or after its feed-forward layer; the output of a head; the
    activation of one neuron, or the activations of a whole layer.
    """

    kind: SiteKind
    block: int | None = None  # None: the embedding
    index: int | None = None  # which head or neuron of the block

    def __str__(self) -> str:
        """Return its name: "embedding", "block 0 attention", "block 0 head 1"."""
        return self._text(" ")

    @property
    def label(self) -> str:
        """Its name as a part of something: "block 0, head 1"."""
        return self._text(", ")

    def _text(self, between: str) -> str:
        kind = self.kind if self.index is None else f"{self.kind} {self.index}"
        return kind if self.block is None else f"block {self.block}{between}{kind}"

    @property
    def in_stream(self) -> bool:
        """Whether it is a vector of the residual stream at each position."""
        return self.kind in ("embedding", "attention", "feed-forward")

    @property
    def stage(self) -> int:
        """The stage of the stream, `run.stream[stage]`: 0 is the embedding."""
        if self.block is None:
            return 0
        return attention_stage(self.block) if self.kind == "attention" else feed_forward_stage(self.block)

    @classmethod
    def parse(cls, text: object) -> "Site":
        """Return the site with a name or label."""
        if text == "embedding":
            return cls("embedding")
        form = _FORM.fullmatch(text) if isinstance(text, str) else None
        if form is None or form[2] not in get_args(SiteKind) or (form[3] is None) == (form[2] in ("head", "neuron")):
            raise InputError(f"{brief(text)} names no site of a run: write 'block 0 attention' or 'block 0 head 1'")
        return cls(cast(SiteKind, form[2]), int(form[1]), None if form[3] is None else int(form[3]))


def attention_stage(block: int) -> int:
    """Return the stage of the stream after a block's attention; the block reads the stage before it."""
    return 2 * block + 1


def feed_forward_stage(block: int) -> int:
    """Return the stage of the stream after a block's feed-forward layer."""
    return 2 * block + 2


def feed_forward_source(T: Transformer, block: int) -> int:
    """Return the stage of the stream that a block's feed-forward layer reads."""
    return attention_stage(block) - (1 if T.blocks[block].parallel else 0)


def stage_site(stage: int) -> Site:
    """Return the site of a stage of the stream."""
    return Site("attention" if stage % 2 else "feed-forward", (stage - 1) // 2) if stage else Site("embedding")


def stage_names(T: Transformer) -> tuple[str, ...]:
    """Return the name of each stage of the stream: after the embedding, and after each sublayer."""
    return tuple(str(stage_site(stage)) for stage in range(1 + 2 * len(T.blocks)))


def present_stages(T: Transformer) -> list[int]:
    """Return the stages of the stream whose sublayer exists; the first is the embedding."""
    sublayers = [part for block in T.blocks for part in (block.attention, block.feed_forward)]
    return [0, *(stage for stage, part in enumerate(sublayers, 1) if part is not None)]

"""The record of an edit of a feed-forward layer, sufficient to undo it."""

from dataclasses import dataclass

from weightsmith.errors import ModelError, brief, is_whole
from weightsmith.model.block import FeedForward
from weightsmith.model.frozen import Frozen
from weightsmith.model.names import checked_text


@dataclass(frozen=True, eq=False)
class Edit(Frozen):
    """A splice: some neurons of a block, one after the other, were replaced by others."""

    text: str
    block: int
    first: int  # neuron
    count: int  # how many neurons stand there now
    before: FeedForward | None  # those that stood there; None if none did
    created: bool  # the block had no feed-forward layer
    digest: str  # of the transformer after the edit

    def __post_init__(self) -> None:
        """Check the kinds of the fields."""
        checked_text(self.text, "the text of an edit")
        checked_text(self.digest, "the digest of an edit", most=64)
        for name in ("block", "first", "count"):
            value = getattr(self, name)
            if not is_whole(value) or value < 0:
                raise ModelError(f"Edit({name}={brief(value)}): write a whole number, 0 or more")
            self._set(name, int(value))
        if self.before is not None and not isinstance(self.before, FeedForward):
            raise ModelError(f"Edit(before={brief(self.before)}): write FeedForward(…), or None")
        if type(self.created) is not bool:
            raise ModelError(f"Edit(created={brief(self.created)}): write True or False")

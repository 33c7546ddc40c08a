"""The places that a story can name in a transformer: stages, positions, heads, neurons, lanes, parts and cells.

Each method returns the place or refuses its name, with the names that exist.
"""

import math
import re

from weightsmith.errors import InputError, brief, position_of, shown
from weightsmith.model.lookup import attention_at, head_at, layer_at, neuron_at
from weightsmith.model.names import place_of
from weightsmith.model.sites import Site, present_stages, stage_names
from weightsmith.model.tokens import read_tokens, text_tokens, tokens_text
from weightsmith.model.transformer import Transformer

MAX_TOKENS = 512  # of the input of a step
_PART = re.compile(r"([0-9]{1,9})\.(?:(attention|feed-forward)|(head)\.([0-9]{1,9})|(neuron)\.(.+))", re.DOTALL)
_CELL = re.compile(
    r"(?:embedding|([0-9]{1,9})\.(attention|feed-forward)):([0-9]{1,9}):(.+):"
    r"(-?[0-9]{1,15}(?:\.[0-9]{1,30})?(?:[eE][-+]?[0-9]{1,3})?)",
    re.DOTALL,
)


class StoryPlaces:
    """Looks up what the steps of a story name."""

    def __init__(self, T: Transformer, by_vocabulary: bool = False) -> None:
        """Take a transformer; with `by_vocabulary`, its tokenizer is not used."""
        self.T, self.by_vocabulary = T, by_vocabulary
        names = stage_names(T)
        self.stages = [names[stage] for stage in present_stages(T)]

    def tokens(self, given: object) -> tuple[str, ...]:
        """Return the tokens of an input: a text, or a list of tokens."""
        if not isinstance(given, str | list | tuple):
            raise InputError(f"the input is {brief(given)}: write a text, or a list of tokens")
        if self.by_vocabulary and isinstance(given, str):
            given = text_tokens(self.T.vocabulary, given)
        found = read_tokens(self.T, given)
        if len(found) > MAX_TOKENS:
            raise InputError(f"the input has {len(found)} tokens: write at most {MAX_TOKENS}")
        return found

    def written(self, tokens: tuple[str, ...]) -> str | tuple[str, ...]:
        """Return tokens as files hold them: as a text where the vocabulary alone reads it back."""
        text = tokens_text(self.T.vocabulary, tokens)
        plain = not self.T.tokenizer and text_tokens(self.T.vocabulary, text) == tokens
        return text if plain else tokens

    def stage(self, name: object) -> Site:
        """Return the site of a stage that exists."""
        place_of(name, self.stages, "stage")
        return Site.parse(name)

    def head(self, stage: Site, head: object) -> int:
        """Return the number of a head of the stage."""
        if stage.kind != "attention":
            raise InputError(
                f"it points at head {brief(head)}: write the stage of its attention{self._some('attention')}"
            )
        return head_at(self.T, stage.block, head)

    def neuron(self, stage: Site, neuron: object) -> int | str:
        """Return a neuron of the stage as it is named: its name or its number."""
        if stage.kind != "feed-forward":
            where = f"write the stage of its feed-forward layer{self._some('feed-forward')}"
            raise InputError(f"it points at neuron {brief(neuron)}: {where}")
        number = neuron_at(self.T, stage.block, neuron)
        return neuron if isinstance(neuron, str) else number

    def _some(self, kind: str) -> str:
        found = next((name for name in self.stages if name.endswith(kind)), None)
        return "; the transformer has none" if found is None else f", such as {found!r}"

    def lane(self, name: object) -> int:
        """Return the index of a lane."""
        return place_of(name, self.T.lanes, "lane")

    def position(self, position: object, length: int) -> int:
        """Return a position of an input, counted from 0."""
        return position_of(position, length)

    def part(self, text: str) -> None:
        """Refuse a part that cannot be switched off: 0.attention, 0.feed-forward, 0.head.1, 0.neuron.name."""
        form = _PART.fullmatch(text)
        if form is None:
            raise InputError(
                f"off has {brief(text)}: write '0.head.1', '0.neuron.3', '0.attention' or '0.feed-forward'"
            )
        block, sublayer, head, number, _, neuron = form.groups()
        if sublayer == "attention":
            attention_at(self.T, int(block))
        elif head:
            head_at(self.T, int(block), int(number))
        else:
            layer = layer_at(self.T, int(block))
            by_number = neuron is not None and neuron not in layer.names and neuron.isascii() and neuron.isdecimal()
            if neuron is not None:
                neuron_at(self.T, int(block), int(neuron[:9]) if by_number else neuron)

    def cell(self, text: str, length: int) -> None:
        """Refuse a cell that cannot be set: 0.attention:2:compound:1 is stage, position, lane and value."""
        form = _CELL.fullmatch(text)
        if form is None:
            raise InputError(
                f"set has {brief(text)}: write stage:position:lane:value, such as '0.attention:2:{self._lane}:1'"
            )
        block, sublayer, position, lane, number = form.groups()
        if block is not None:
            (attention_at if sublayer == "attention" else layer_at)(self.T, int(block))
        self.position(int(position), length)
        self.lane(lane)
        value, A = float(number), self.T.arithmetic
        if not math.isfinite(value) or not A.contains(value):
            nearest = f"; the nearest is {brief(float(A.round(value)))}" if math.isfinite(value) else ""
            raise InputError(f"set has {brief(text)}, and {number} is not a member of {A}{nearest}")

    @property
    def _lane(self) -> str:
        return shown(self.T.lanes[0])

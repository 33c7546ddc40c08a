"""Text to learn from: its tokens, and batches of it that depend only on the seed and the step."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from weightsmith.errors import MAX_ECHO, InputError, brief, named, reason
from weightsmith.model import separator
from weightsmith.model.names import MAX_NAME, checked_names
from weightsmith.storage import read_bytes
from weightsmith.train.module import Model
from weightsmith.train.settings import whole

WORDS = re.compile(r"\w+(?:['’-]\w+)*|[^\w\s]")
Tokens: TypeAlias = Literal["characters", "words"]
MOST_TOKENS = 65536
HELD_BACK = 0.1  # of the text, its end, for validation
VALIDATION_BATCHES = 8


@dataclass(frozen=True, eq=False)
class Text:
    """A text as token ids: the first part to learn from, the rest to validate with."""

    vocabulary: tuple[str, ...]
    learn: Tensor
    validate: Tensor
    context: int

    classes: None = None

    @property
    def separator(self) -> str:
        """What stands between tokens."""
        return separator(self.vocabulary)

    @property
    def longest(self) -> int:
        """The length of the windows that are learnt from."""
        return self.context

    @property
    def data(self) -> tuple[str, list[Tensor]]:
        """What kind of data it is, and all of it."""
        return str(self.context), [self.learn, self.validate]

    def batch(self, random: np.random.Generator, size: int) -> tuple[Tensor, Tensor]:
        """Return windows of the text, and the tokens that come next."""
        return self._windows(self.learn, random, size)

    def validation(self, size: int) -> list[tuple[Tensor, Tensor]]:
        """Return the same few batches every time."""
        random = np.random.default_rng(0)
        return [self._windows(self.validate, random, size) for _ in range(VALIDATION_BATCHES)]

    def _windows(self, text: Tensor, random: np.random.Generator, size: int) -> tuple[Tensor, Tensor]:
        starts = torch.from_numpy(random.integers(0, len(text) - self.context, size=size))
        columns = starts[:, None] + torch.arange(self.context + 1)
        windows = text[columns]
        return windows[:, :-1], windows[:, 1:]

    def loss(self, model: Model, batch: tuple[Tensor, Tensor]) -> Tensor:
        """Return the mean of −log p(next token)."""
        ids, following = batch
        return functional.cross_entropy(model(ids).flatten(0, 1), following.flatten())

    def tokens_in(self, batch: tuple[Tensor, Tensor]) -> int:
        """Count the tokens of the batch."""
        return batch[0].numel()


def read_file(path: Path) -> str:
    """Read a text file."""
    try:
        text = read_bytes(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{named(str(path), MAX_ECHO)} is not a text in UTF-8: byte {error.start} cannot be read"
        ) from None
    except (OSError, ValueError) as error:  # also: names that cannot be names
        raise InputError(f"cannot read {named(str(path), MAX_ECHO)}: {reason(error)}") from None
    if "\x00" in text:
        raise InputError(f"{named(str(path), MAX_ECHO)} is not a text: it holds a zero byte")
    return text


def words_of(text: str) -> list[str]:
    """Return the words of a text, each punctuation mark as a word of its own.

    >>> words_of("She said: don't stop, twenty-one!")
    ['She', 'said', ':', "don't", 'stop', ',', 'twenty-one', '!']
    """
    return WORDS.findall(text)


def as_text(text: str, context: int, tokens: Tokens = "characters", vocabulary: Sequence[str] | None = None) -> Text:
    """Make a text ready to be learnt; without a vocabulary it is that of the text."""
    if tokens not in ("characters", "words"):
        raise InputError(f"tokens={brief(tokens)}: write 'characters' or 'words'")
    context = whole(context, "context", 1)
    units = list(text) if tokens == "characters" else words_of(text)
    if not units:
        raise InputError("the text is empty: there is nothing to learn")
    found = sorted(set(units))
    if vocabulary is None:
        vocabulary = found
    elif set(found) - set(vocabulary):
        extra = sorted(set(found) - set(vocabulary))
        raise InputError(
            f"the text has {len(found)} different tokens and the vocabulary {len(vocabulary)}: "
            f"{named(extra[0])} is not in it"
        )
    if len(vocabulary) > MOST_TOKENS:
        raise InputError(f"the text has {len(vocabulary):,} different tokens, at most {MOST_TOKENS:,} can be learnt")
    longest = max(vocabulary, key=len)
    if len(longest) > MAX_NAME:
        raise InputError(f"the word {brief(longest[:40])}… has {len(longest)} letters, at most {MAX_NAME} are taken")
    vocabulary = checked_names(list(vocabulary), "vocabulary", printable=False)
    place = {token: i for i, token in enumerate(vocabulary)}
    ids = torch.tensor([place[unit] for unit in units])
    held = max(int(len(ids) * HELD_BACK), context + 1)
    if len(ids) - held <= context:
        raise InputError(
            f"the text has {len(ids)} tokens, and a context of {context} needs at least {2 * context + 2}: "
            "write a smaller context, or give a longer text"
        )
    return Text(vocabulary, ids[:-held], ids[-held:], context)

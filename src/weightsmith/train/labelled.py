"""Labelled strings to learn from: drawn and labelled by a predicate, or given one by one."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from weightsmith.automata import TokenIds, called
from weightsmith.errors import MAX_ECHO, InputError, brief, listed, named
from weightsmith.model import separator
from weightsmith.model.names import checked_names
from weightsmith.train.module import Model
from weightsmith.train.settings import whole
from weightsmith.train.text import read_file

CLASSES = ("NO", "YES")
MOST_HELD_BACK = 1024  # strings of a length
MOST_LENGTH = 1024  # of strings that a predicate labels
HELD_BACK = 0.1  # of the strings of a length, for validation
SHORT = 3  # strings up to this length are all validated

Predicate = Callable[[str], bool]


@dataclass(frozen=True, eq=False)
class Labelled:
    """Strings with YES or NO. A batch holds strings of one length, so nothing is padded."""

    vocabulary: tuple[str, ...]
    by_length: Mapping[int, tuple[Tensor, Tensor]]  # strings (count, length), labels (count)
    held: Mapping[int, tuple[Tensor, Tensor]]
    rule: Predicate | None = None  # the rule that labelled them

    classes = CLASSES

    @property
    def longest(self) -> int:
        """The length of the longest string."""
        return max(*self.by_length, *self.held)

    @property
    def data(self) -> tuple[str, list[Tensor]]:
        """What kind of data it is, and all of it."""
        return "labelled", [t for part in (self.by_length, self.held) for pair in part.values() for t in pair]

    def batch(self, random: np.random.Generator, size: int) -> tuple[Tensor, Tensor]:
        """Return strings of a length, both labels as often where there are both."""
        lengths = sorted(self.by_length)
        length = lengths[random.integers(len(lengths))]
        ids, labels = self.by_length[length]
        rows = torch.from_numpy(self.chosen(random, length, size))
        return ids[rows], labels[rows]

    def chosen(self, random: np.random.Generator, length: int, size: int) -> TokenIds:
        """Return indices of strings of a length, both labels as often where there are both."""
        labels = self.by_length[length][1].numpy()
        groups = [group for group in (np.flatnonzero(labels == label) for label in (0, 1)) if len(group)]
        share = -(-size // len(groups))
        return np.concatenate([random.choice(group, share) for group in groups])[:size]

    def learnt(self, size: int) -> list[tuple[Tensor, Tensor]]:
        """Return as many strings of each length as of `validation`, as far as there are: the same ones every time."""
        random, result = np.random.default_rng(1), []
        for length, (held, _) in self.held.items():
            if length in self.by_length:
                ids, labels = self.by_length[length]
                rows = torch.from_numpy(random.permutation(len(ids))[: len(held)])
                result.append((ids[rows], labels[rows]))
        return result or list(self.by_length.values())

    def validation(self, size: int) -> list[tuple[Tensor, Tensor]]:
        """Return the strings held back, and those of short lengths."""
        return list(self.held.values())

    def loss(self, model: Model, batch: tuple[Tensor, Tensor]) -> Tensor:
        """Return the mean of −log p(label), decided at the last position."""
        ids, labels = batch
        return functional.cross_entropy(model(ids)[:, -1], labels)

    def tokens_in(self, batch: tuple[Tensor, Tensor]) -> int:
        """Count the tokens of the batch."""
        return batch[0].numel()


def by_predicate(
    predicate: Predicate, vocabulary: str | Sequence[str], max_length: int, count: int = 50000, seed: int = 0
) -> Labelled:
    """Draw strings of every length up to the longest and label them; of short lengths, all strings are there.

    `predicate` is a function of a string, or of a list of tokens where a token has several characters.
    """
    tokens = checked_names(list(vocabulary), "vocabulary", printable=False)
    max_length, count, seed = whole(max_length, "max_length", 1), whole(count, "count", 1), whole(seed, "seed", 0)
    if max_length > MOST_LENGTH:
        raise InputError(f"max_length={max_length}: write at most {MOST_LENGTH}")
    random, share = np.random.default_rng(seed), max(count // max_length, 16)
    strings: list[tuple[str, ...]] = []
    for length in range(1, max_length + 1):
        if len(tokens) ** length <= share:
            ids = np.stack(np.unravel_index(np.arange(len(tokens) ** length), (len(tokens),) * length), axis=1)
        else:
            ids = random.integers(len(tokens), size=(share, length))
        strings += [tuple(tokens[i] for i in row) for row in ids]
    one_character = not separator(tokens)
    labels = {}
    for string in strings:
        answer = called(predicate, "the predicate", "".join(string) if one_character else string)
        if not isinstance(answer, bool | np.bool_):
            raise InputError(
                f"the predicate gives {brief(answer)} for {named(''.join(string))}: it must give True or False"
            )
        labels[string] = CLASSES[bool(answer)]
    for label in CLASSES:
        if label not in labels.values():
            never = "always" if label == "NO" else "never"
            raise InputError(
                f"the predicate {never} holds, for {len(labels):,} strings: there is nothing to tell apart"
            )
    return replace(as_labelled(labels, tokens, seed), rule=predicate)


def read_labelled(path: Path, seed: int = 0) -> Labelled:
    """Read strings with labels from a file: on each line a string, a tab, and YES or NO."""
    labels: dict[tuple[str, ...], str] = {}
    for number, line in enumerate(read_file(path).split("\n"), 1):
        if not line.strip():
            continue
        string, tab, label = line.rpartition("\t")
        if not tab or label.strip() not in CLASSES:
            raise InputError(
                f"{named(str(path), MAX_ECHO)}, line {number}: {brief(line)} is not a string, a tab, and YES or NO"
            )
        tokens = tuple(string)
        if labels.get(tokens, label.strip()) != label.strip():
            raise InputError(f"{named(str(path), MAX_ECHO)}, line {number}: {brief(string)} has both labels")
        labels[tokens] = label.strip()
    return as_labelled(labels, seed=seed)


def as_labelled(
    labels: Mapping[tuple[str, ...], str], vocabulary: Sequence[str] | None = None, seed: int = 0
) -> Labelled:
    """Make labelled strings ready to be learnt; a tenth of each length is held back.

    Of lengths up to 3, and of those with fewer than ten strings, none can be spared: all of them are learnt, and all
    are validated too. So a model that is wrong on the shortest strings does not look right.
    """
    if not isinstance(labels, Mapping):
        raise InputError(f"labels={brief(labels)}: write each string with its label, {{('0', '1'): 'YES'}}")
    if not labels:
        raise InputError("there are no labelled strings: there is nothing to learn")
    found = sorted({token for string in labels for token in string})
    tokens = checked_names(list(found if vocabulary is None else vocabulary), "vocabulary", printable=False)
    if set(found) - set(tokens):
        raise InputError(f"the token {named(min(set(found) - set(tokens)))} is not in the vocabulary {listed(tokens)}")
    seed = whole(seed, "seed", 0)
    for string, label in labels.items():
        if label not in CLASSES:
            raise InputError(f"the label of {named(' '.join(string)[:80])} is {brief(label)}: write YES or NO")
        if not string:
            raise InputError("a labelled string is empty: every input has at least one token")
    if len(set(labels.values())) < 2:
        raise InputError(f"every label is {next(iter(labels.values()))}: there is nothing to tell apart")
    place = {token: i for i, token in enumerate(tokens)}
    random = np.random.default_rng(seed)
    learn: dict[int, tuple[Tensor, Tensor]] = {}
    held: dict[int, tuple[Tensor, Tensor]] = {}
    for length in sorted({len(string) for string in labels}):
        strings = sorted(string for string in labels if len(string) == length)
        ids = torch.tensor([[place[token] for token in string] for string in strings])
        answers = torch.tensor([CLASSES.index(labels[string]) for string in strings])
        order = torch.from_numpy(random.permutation(len(strings)))
        back = 0 if length <= SHORT else int(len(strings) * HELD_BACK)
        learn[length] = ids[order[back:]], answers[order[back:]]
        some = order[: min(back, MOST_HELD_BACK) or len(order)]
        held[length] = ids[some], answers[some]
    return Labelled(tokens, learn, held)

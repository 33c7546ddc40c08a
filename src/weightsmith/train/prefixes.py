"""Labelled strings learnt at every position: a causal model decides there for a prefix."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from weightsmith.train.labelled import Labelled
from weightsmith.train.module import Model

UNKNOWN = -100  # the label of a prefix that has none, or is held back: PyTorch leaves it out of the loss


@dataclass(frozen=True, eq=False)
class Prefixes:
    """Labelled strings, each with the labels of those prefixes that are to be learnt too."""

    strings: Labelled

    classes = Labelled.classes

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The tokens."""
        return self.strings.vocabulary

    @property
    def longest(self) -> int:
        """The length of the longest string."""
        return self.strings.longest

    @property
    def data(self) -> tuple[str, list[Tensor]]:
        """What kind of data it is, and all of it."""
        return self.strings.data

    @cached_property
    def _labels(self) -> Mapping[int, Tensor]:
        """The labels of all prefixes of all strings that are learnt, by length: (count, length)."""
        learnt = self.strings.by_length
        known: dict[bytes, int] = {}
        for ids, labels in learnt.values():
            known.update(zip(map(bytes, ids.numpy()), labels.tolist(), strict=True))
        return {
            length: torch.tensor(
                [[known.get(bytes(row[: n + 1]), UNKNOWN) for n in range(length)] for row in ids.numpy()]
            )
            for length, (ids, _) in learnt.items()
        }

    def batch(self, random: np.random.Generator, size: int) -> tuple[Tensor, Tensor]:
        """Return strings of a length, longer ones more often, with the labels of their prefixes."""
        learnt = self.strings.by_length
        lengths = np.array(sorted(learnt))
        length = int(random.choice(lengths, p=lengths / lengths.sum()))
        rows = torch.from_numpy(self.strings.chosen(random, length, size))
        return learnt[length][0][rows], self._labels[length][rows]

    def learnt(self, size: int) -> list[tuple[Tensor, Tensor]]:
        """Return whole strings that are learnt from, chosen as those of `validation` are."""
        return self.strings.learnt(size)

    def validation(self, size: int) -> list[tuple[Tensor, Tensor]]:
        """Return the strings held back, and those of short lengths."""
        return self.strings.validation(size)

    def loss(self, model: Model, batch: tuple[Tensor, Tensor]) -> Tensor:
        """Return the mean of −log p(label) over the prefixes, both labels as weighty; of those held back, as ever."""
        ids, labels = batch
        if labels.ndim == 1:
            return self.strings.loss(model, batch)
        counts = torch.stack([(labels == label).sum() for label in range(len(self.classes))])
        logits = model(ids)
        weights = (counts.sum() / counts.clamp(min=1)).to(logits)
        return functional.cross_entropy(logits.flatten(0, 1), labels.flatten(), weights, ignore_index=UNKNOWN)

    def tokens_in(self, batch: tuple[Tensor, Tensor]) -> int:
        """Count the tokens of the batch."""
        return self.strings.tokens_in(batch)

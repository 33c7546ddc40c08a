"""Many inputs of one length at once, with every value as an array that has an axis for the inputs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.errors import InputError, brief, cut, nearest_names, shown
from weightsmith.inspect.hook import hook
from weightsmith.inspect.output import answer, answers_of, read_numbers
from weightsmith.inspect.run import Sums, evaluate
from weightsmith.model import Transformer, token_ids, value_text
from weightsmith.model.sites import Site, stage_site
from weightsmith.model.tokens import Tokens, read_inputs
from weightsmith.model.transformer import checked
from weightsmith.semantics.evaluation import Change, Evaluation, numbers_held, unchanged
from weightsmith.tables import Table, Tabled

MOST_NUMBERS = 1 << 28  # of float64 that a batch holds: 2 GiB
MOST_ROWS, LETTERS, FEW = 20, 40, 6  # of the table: inputs, characters of a cell; names in a description
OF_HEADS = ("scores", "weights", "keys", "values", "mixed")


@dataclass(frozen=True, eq=False, repr=False)
class Cache(Mapping[str, Array]):
    """The values of a batch by name, such as "block 0 attention", "block 0 head 1" or "block 0 head 1 weights"."""

    _found: Evaluation

    @cached_property
    def _names(self) -> tuple[str, ...]:
        names = [str(stage_site(stage)) for stage in range(len(self._found.stream))]
        for b, heads in enumerate(self._found.heads):
            for i in range(len(heads)):
                names += [f"{Site('head', b, i)}{part}" for part in ("", *(f" {part}" for part in OF_HEADS))]
            if self._found.activations[b].shape[-1]:
                names.append(str(Site("activations", b)))
        return tuple(names)

    def __getitem__(self, name: str) -> Array:
        """Return an array (inputs, positions, …) by its name."""
        if name not in self:
            few = nearest_names(name, self._names) if isinstance(name, str) else ""
            raise InputError(f"{brief(name)} names no values of this batch: {few}write one of list(batch.cache)")
        *_, last = words = name.split()
        site = Site.parse(" ".join(words[:-1]) if last in OF_HEADS else name)
        return _kept(self._array(site, last))

    def _array(self, site: Site, last: str) -> Array:
        if site.in_stream:
            return self._found.stream[site.stage]
        assert site.block is not None
        if site.kind == "activations":
            return self._found.activations[site.block]
        assert site.index is not None
        head = self._found.heads[site.block][site.index]
        array: Array = getattr(head, last) if last in OF_HEADS else head.output
        return array

    def __contains__(self, name: object) -> bool:
        """Say whether there are values of a name."""
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        """Yield the names, the stream first."""
        return iter(self._names)

    def __len__(self) -> int:
        """Return how many arrays there are."""
        return len(self._names)

    def __repr__(self) -> str:
        """Return the names of the first arrays."""
        return f"<{len(self)} arrays: {', '.join(self._names[:FEW])}{', …' if len(self) > FEW else ''}>"


def _kept(values: Array) -> Array:
    """Return values as a read-only array of float64."""
    result = values.astype(np.float64, copy=False).view()
    result.setflags(write=False)
    return result


@dataclass(frozen=True, eq=False, repr=False)
class Batch(Tabled):
    """Many inputs of one length through one transformer, with every value."""

    transformer: Transformer
    tokens: tuple[tuple[str, ...], ...]
    sums: Sums | None
    _found: Evaluation = field(repr=False)

    def __len__(self) -> int:
        """Return the number of inputs."""
        return len(self.tokens)

    @property
    def cache(self) -> Cache:
        """Every value by name: cache["block 0 head 1"] is (inputs, positions, lanes)."""
        return Cache(self._found)

    @property
    def stream(self) -> Array:
        """The stream, (stages, inputs, positions, lanes)."""
        return _kept(np.stack(self._found.stream))

    @property
    def logits(self) -> Array:
        """The logits at the last position, (inputs, classes); with a readout there are none."""
        return _kept(self._found.logits)

    @cached_property
    def outputs(self) -> tuple[tuple[Any, ...], ...]:
        """The answers at each position of each input; NO_VALUE, shown as ?, for a code without a value."""
        T = self.transformer
        ids = answers_of(T, read_numbers(T, self._found.stream[-1], self.sums))
        if T.readout is None:
            ids[:, -1] = np.argmax(self._found.logits, axis=-1)  # the same numbers; BLAS may have added them otherwise
        return tuple(tuple(answer(T, n) for n in row) for row in ids.tolist())

    @property
    def decisions(self) -> tuple[Any, ...]:
        """The answer at the last position of each input."""
        return tuple(row[-1] for row in self.outputs)

    def table(self) -> Table:
        """Return the first inputs as a table, each with the answer at every position."""
        names = [f"at {i}" for i in range(len(self.tokens[0]))]
        result = Table("input", *names, lead=1)
        for tokens, outputs in list(zip(self.tokens, self.outputs, strict=True))[:MOST_ROWS]:
            result.add(cut(shown(" ".join(tokens)), LETTERS), *(cut(value_text(one), LETTERS) for one in outputs))
        left = len(self) - MOST_ROWS
        result.notes += [f"… {left:,} more inputs: see .outputs"] if left > 0 else []
        return result

    def __repr__(self) -> str:
        """Describe it briefly."""
        return f"<{len(self):,} inputs of {len(self.tokens[0])} tokens, {len(self.cache)} arrays in .cache>"


def run_batch(
    T: Transformer, inputs: Sequence[Tokens], *, sums: Sums | None = None, change: Change = unchanged
) -> Batch:
    """Run a transformer on many inputs of one length at once, and keep every value.

    Each row equals `run` on that input; in `Native` the last bits may differ, because BLAS adds in another order.
    `change` is the hook of `run`; its values are (inputs, positions, …), so every input of the batch can have its own
    intervention.

    >>> from weightsmith import library
    >>> batch = run_batch(library.contains("1"), ["0010", "0000"])
    >>> batch.decisions
    ('YES', 'NO')
    >>> batch.cache["block 0 attention"].shape
    (2, 4, 2)
    """
    listed = isinstance(inputs, Sequence) and not isinstance(inputs, str | bytes)
    if not (listed or (isinstance(inputs, np.ndarray) and inputs.ndim)) or not len(inputs):
        raise InputError(f"inputs={brief(inputs)}: write a list of inputs, all of one length")
    read = read_inputs(checked(T), inputs)
    lengths = sorted({len(tokens) for tokens in read})
    if len(lengths) > 1:
        few = ", ".join(map(str, lengths[:4]))
        raise InputError(f"the inputs have the lengths {few}: a batch has one length; write a batch for each")
    if len(read) * numbers_held(T, lengths[0]) > MOST_NUMBERS:
        most = MOST_NUMBERS // numbers_held(T, lengths[0])
        fewer = f"write at most {most:,} at once" if most else "write shorter inputs"
        raise InputError(f"{len(read):,} inputs of {lengths[0]} tokens: a batch keeps every value, so {fewer}")
    ids = np.array([token_ids(T, tokens) for tokens in read])
    return Batch(T, tuple(read), sums, evaluate(T, ids, sums=sums, change=hook(change)))

"""The interpreter: the meaning of a program, for any input.

Everything is exact. An aggregate is the mean of the selected values as a fraction, or the default where nothing is
selected: RASP's default is 0 unless another is written, Tracr's is None. A pointwise function gives None where an
argument is None. An error names the place in the program, the value and the position.
"""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from weightsmith.errors import InputError, brief, listed
from weightsmith.programs.batch import Batch, Numbering, distinct
from weightsmith.programs.form import SelectorNode, SequenceNode
from weightsmith.programs.graph import Program
from weightsmith.programs.places import refusal
from weightsmith.programs.values import KINDS, Value, exact, kind, presented

Numbers: TypeAlias = npt.NDArray[np.int64]

PAIRS_AT_ONCE = 1 << 24  # of positions, over all inputs and selectors of a batch


def evaluate(program: Program, tokens: Sequence[Value]) -> list[Value]:
    """Return the program's value at every position of an input: a text of characters, or a list of tokens.

    Whole numbers are ints, other numbers are floats, or fractions where no float stands for them.

    >>> from weightsmith.programs import parse_rasp
    >>> evaluate(parse_rasp("hist = selector_width(select(tokens, tokens, ==));"), "abca")
    [2, 1, 1, 2]
    """
    values = exact_values(program, tokens)
    _require_one_kind(program, values)
    return [presented(value) for value in values]


def exact_values(program: Program, tokens: Sequence[Value]) -> list[Value]:
    """Return the exact value at every position; outputs may mix kinds."""
    run = ProgramRun(program, tokens)
    return run.values(program.output)


def evaluate_batch(program: Program, tokens: Sequence[Value], inputs: npt.ArrayLike) -> tuple[Numbers, list[Value]]:
    """Return the program's values for many inputs of one length, each a row of token numbers.

    The result is an array of the same shape that indexes a list of exact values.

    >>> from weightsmith.programs import parse_rasp
    >>> found, values = evaluate_batch(parse_rasp("double = 2 * indices;"), "ab", [[0, 1], [1, 1]])
    >>> [[values[number] for number in row] for row in found]
    [[0, 2], [0, 2]]
    """
    ids, numbering = np.asarray(inputs, np.int64), Numbering()
    numbers = np.array([numbering.of(exact(token)) for token in tokens], np.int64)[ids]
    selectors = sum(isinstance(node, SelectorNode) for node in program.nodes)
    most = max(PAIRS_AT_ONCE // (max(selectors, 1) * max(ids.shape[1], 1) ** 2), 1)
    parts = [_evaluated(program, numbers[n : n + most], numbering) for n in range(0, len(numbers), most)]
    result = np.concatenate(parts) if parts else np.zeros(ids.shape, np.int64)
    used, which = distinct(result)
    return which, [numbering.values[n] for n in used]


def _evaluated(program: Program, numbers: Numbers, numbering: Numbering) -> Numbers:
    """Return the output's numbers; after an error, evaluate input by input to name the first that fails."""
    try:
        result = Batch(program, numbers, numbering).values[program.output]
        if _of_one_kind(result, numbering):
            return result
    except Exception:  # of a person's function, or of memory: raised again below for its input
        pass
    return np.concatenate(list(_one_by_one(program, numbers, numbering)))


def _one_by_one(program: Program, numbers: Numbers, numbering: Numbering) -> Iterator[Numbers]:
    for n in range(len(numbers)):
        try:
            result = Batch(program, numbers[n : n + 1], numbering).values[program.output]
            _require_one_kind(program, numbering.listed(result[0]))
        except InputError as error:
            shown = listed([str(presented(token)) for token in numbering.listed(numbers[n])])
            raise InputError(f"on the input {shown}: {error}") from None
        yield result


def read_tokens(tokens: object) -> list[Value]:
    """Return an input as a list of exact values."""
    if isinstance(tokens, str | bytes | dict) or not isinstance(tokens, Sequence):
        if not isinstance(tokens, str):
            raise InputError(f"the input is {brief(tokens)}: write a text, or a list of tokens")
        return list(tokens)
    return [exact(token) for token in tokens]


class ProgramRun:
    """One input through one program: the exact values of every node."""

    def __init__(self, program: Program, tokens: Sequence[Value]) -> None:
        """Evaluate all nodes, each after its parts."""
        if not isinstance(program, Program):
            raise InputError(f"{brief(program)} is no program: write weightsmith.programs.program(...) of it")
        self.tokens, self._numbering = read_tokens(tokens), Numbering()
        numbers = np.array([[self._numbering.of(token) for token in self.tokens]], np.int64)
        self._batch = Batch(program, numbers, self._numbering)

    def values(self, node: SequenceNode) -> list[Value]:
        """Return the value of a sequence operation at every position."""
        return self._numbering.listed(self._batch.values[node][0])

    def selected(self, node: SelectorNode) -> list[list[bool]]:
        """Return for every position which positions it selects."""
        rows: list[list[bool]] = self._batch.selected[node][0].tolist()
        return rows

    def rows(self) -> list[list[bool]]:
        """Return the pairs of positions that the last selector of the program selects."""
        return self.selected(next(node for node in reversed(self._batch.selected) if isinstance(node, SelectorNode)))


def _of_one_kind(result: Numbers, numbering: Numbering) -> bool:
    """Return whether no input has outputs of two kinds."""
    names = list(KINDS)
    kinds = np.array([names.index(name) if (name := kind(v)) else -1 for v in numbering.values], np.int64)[result]
    has = [(kinds == n).any(axis=1) for n in range(len(names))]
    return not (np.sum(has, axis=0) > 1).any()


def _require_one_kind(program: Program, values: list[Value]) -> None:
    first: dict[str, int] = {}
    for position, value in enumerate(values):
        found = kind(value)
        if found is not None:
            first.setdefault(found, position)
    if len(first) > 1:
        (one, here), (other, there) = list(first.items())[:2]
        note = program.output.note
        raise refusal(
            note.place,
            f"the outputs{'' if note.name is None else f' of {note.name!r}'} mix kinds: position {here} has "
            f"{brief(presented(values[here]))}, {KINDS[one]}, and position {there} {brief(presented(values[there]))}, "
            f"{KINDS[other]}; give the aggregate a default of the other kind",
        )

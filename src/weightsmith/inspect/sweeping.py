"""A patching sweep: one vector of another run is put in at every stage and position in turn."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.errors import InputError, brief, position_of, shown
from weightsmith.inspect.arguments import Target, check_alike, target
from weightsmith.inspect.output import answer, answer_at, answers_of, numbers_of_evaluation, numbers_of_run
from weightsmith.inspect.patch import can_go_on, changing, stream_of_several
from weightsmith.inspect.run import NUMBERS_AT_ONCE, Run, Sums, evaluate
from weightsmith.inspect.trace import position_text
from weightsmith.kernels.engines import engine_for
from weightsmith.model import token_ids, value_text
from weightsmith.model.sites import Site, present_stages
from weightsmith.semantics.evaluation import Evaluation, numbers_held
from weightsmith.tables import Cell, Table, Tabled, number


@dataclass(frozen=True, eq=False)
class Sweep(Tabled):
    """The decisions and logits of run a with one vector of run b's stream, for every stage and position."""

    a: Run = field(repr=False)
    b: Run = field(repr=False)
    stages: tuple[str, ...]  # with a sublayer
    tokens: tuple[str, ...]  # of a, at the positions that both runs have
    decisions: tuple[tuple[Any, ...], ...]  # [stage][position]; NO_VALUE, shown as ?, for a code without a value
    logits: Array = field(repr=False)  # (stages, positions, classes); with a readout there are no classes
    target: Target | None
    codes: Array | None = field(repr=False, default=None)  # (stages, positions, lanes of the readout)
    position: int = -1  # at which the output is read

    @property
    def values(self) -> Array:
        """The wanted logit or lane, or the difference, (stages, positions); refused if none was wanted."""
        if self.target is None:
            raise InputError("no class was asked for: write sweep(a, b, wanted='…')")
        return self.target.of(self.logits if self.codes is None else self.codes)

    def table(self) -> Table:
        """Return a table of the decisions, or of the wanted logit; changed decisions stand out.

        A row is a stage, a column a position with its token in a and, if that is another one, in b.
        """
        a, b, infinity = self.a, self.b, self.a.transformer.arithmetic.infinity
        columns = [_column(a, b, i) for i in range(len(self.tokens))]
        if self.target is None:
            cells, what = [[value_text(name) for name in row] for row in self.decisions], "decision"
            ends = [value_text(_decided(run, self.position)) for run in (a, b)]
        else:
            cells = [[number(x, infinity) for x in row] for row in self.values.tolist()]
            ends = [number(float(self.target.of(_numbers(run, self.position))), infinity) for run in (a, b)]
            what = str(self.target)
        texts = [f"{shown(' '.join(run.tokens)[:200])}: {end}" for run, end in zip((a, b), ends, strict=True)]
        title = f"{what}\n{texts[0]}\npatched with {texts[1]}"
        right = range(1, 1 + len(columns)) if self.target else ()
        result = Table("patched after", *columns, right=right, lead=1, title=title)
        same = _decided(a, self.position)
        for stage, row, decided in zip(self.stages, cells, self.decisions, strict=True):
            styled = [Cell(text, "" if c == same else "new") for text, c in zip(row, decided, strict=True)]
            result.add(stage, *styled)
        return result


def _column(a: Run, b: Run, i: int) -> str:
    other = "" if a.tokens[i] == b.tokens[i] else f" ← {shown(b.tokens[i])}"
    return position_text(a.tokens, i) + other


def _decided(run: Run, position: int) -> Any:
    return answer_at(run, position_of(position, len(run.tokens)))


def _numbers(run: Run, position: int) -> Array:
    return numbers_of_run(run, position_of(position, len(run.tokens)))


def sweep(
    a: Run,
    b: Run,
    wanted: str | None = None,
    over: str | None = None,
    *,
    position: int = -1,
    sums: Sums | None = None,
) -> Sweep:
    """Run a again with b's stream put in at one stage and position, for every stage and position in turn.

    Each cell is the result of `patch` there; the first stage is the embedding. With `wanted` the table shows the logit
    of this class, or of a readout the value of this lane; with `over`, its difference to that of another. The output is
    read at `position`, by default the last one. Only positions that both runs have are patched.
    """
    check_alike(a, b, "arithmetic", "lanes", "blocks")
    T, count = a.transformer, min(len(a.tokens), len(b.tokens))
    if wanted is None and over is not None:
        raise InputError(f"over={brief(over)} without wanted: write sweep(a, b, wanted, over)")
    asked = None if wanted is None else target(T, wanted, over)
    here = position_of(position, len(a.tokens))
    stages = present_stages(T)
    numbers = np.stack([_stage(a, b, stage, count, here, sums) for stage in stages])
    numbers.setflags(write=False)
    decisions = tuple(tuple(answer(T, n) for n in row) for row in answers_of(T, numbers).tolist())
    logits, codes = (numbers, None) if T.readout is None else (np.zeros((*numbers.shape[:-1], 0)), numbers)
    names = tuple(a.stages[s] for s in stages)
    return Sweep(a, b, names, a.tokens[:count], decisions, logits, asked, codes, position)


def _stage(a: Run, b: Run, stage: int, count: int, here: int, sums: Sums | None) -> Array:
    """Return the numbers of the output (positions, …) with b's stream at a stage, for each of some positions."""
    T = a.transformer
    most, found = max(1, NUMBERS_AT_ONCE // numbers_held(T, len(a.tokens))), []
    for first in range(0, count, most):
        some = np.arange(first, min(first + most, count))
        goes_on = can_go_on(a, sums)
        every = _onward(a, b, stage, some, sums) if goes_on else _from_start(a, b, stage, some, sums)
        found.append(numbers_of_evaluation(T, every, here, sums))
    return np.concatenate(found)


def _onward(a: Run, b: Run, stage: int, some: np.ndarray, sums: Sums | None) -> Evaluation:
    """Run on from the stage itself: until there, nothing differs from run a."""
    engine = engine_for(a.transformer, sums)
    stream = stream_of_several(a, stage, len(some), engine)
    stream[-1][np.arange(len(some)), some] = b.stream[stage, some]
    return engine.onward(stream)


def _from_start(a: Run, b: Run, stage: int, some: np.ndarray, sums: Sums | None) -> Evaluation:
    """Run again from the start, with the patches and ablations of run a."""
    T = a.transformer

    def put(site: Site, old: Array) -> Array:
        if not site.in_stream or site.stage != stage:
            return old
        new = old.copy()
        new[np.arange(len(some)), some] = b.stream[stage, some]
        return new

    ids = np.tile(np.array(token_ids(T, a.tokens)), (len(some), 1))
    return evaluate(T, ids, sums=sums, change=changing(a.swaps, put))

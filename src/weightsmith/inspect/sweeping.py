"""A patching sweep: one vector of another run is put in at every stage and position in turn."""

from dataclasses import dataclass, field

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.errors import InputError, brief, shown
from weightsmith.inspect.arguments import Target, check_alike, target
from weightsmith.inspect.patch import changing
from weightsmith.inspect.run import NUMBERS_AT_ONCE, Run, Sums, evaluate
from weightsmith.inspect.trace import position_text
from weightsmith.model import needs_classes, token_ids
from weightsmith.model.sites import Site, present_stages
from weightsmith.semantics.evaluation import numbers_held
from weightsmith.tables import Cell, Table, Tabled, number


@dataclass(frozen=True, eq=False)
class Sweep(Tabled):
    """The decisions and logits of run a with one vector of run b's stream, for every stage and position."""

    a: Run = field(repr=False)
    b: Run = field(repr=False)
    stages: tuple[str, ...]  # with a sublayer
    tokens: tuple[str, ...]  # of a, at the positions that both runs have
    decisions: tuple[tuple[str, ...], ...]  # [stage][position]
    logits: Array = field(repr=False)  # (stages, positions, classes)
    target: Target | None

    @property
    def values(self) -> Array:
        """The wanted logit, or the logit difference, (stages, positions); refused if no class was wanted."""
        if self.target is None:
            raise InputError("no class was asked for: write sweep(a, b, wanted='…')")
        return self.target.of(self.logits)

    def table(self) -> Table:
        """Return a table of the decisions, or of the wanted logit; changed decisions stand out.

        A row is a stage, a column a position with its token in a and, if that is another one, in b.
        """
        a, b, infinity = self.a, self.b, self.a.transformer.arithmetic.infinity
        columns = [_column(a, b, i) for i in range(len(self.tokens))]
        if self.target is None:
            cells, what = [[shown(name) for name in row] for row in self.decisions], "decision"
            ends = [shown(run.decision) for run in (a, b)]
        else:
            cells = [[number(x, infinity) for x in row] for row in self.values.tolist()]
            ends = [number(float(self.target.of(run.logits)), infinity) for run in (a, b)]
            what = str(self.target)
        texts = [f"{shown(' '.join(run.tokens)[:200])}: {end}" for run, end in zip((a, b), ends, strict=True)]
        title = f"{what}\n{texts[0]}\npatched with {texts[1]}"
        right = range(1, 1 + len(columns)) if self.target else ()
        result = Table("patched after", *columns, right=right, lead=1, title=title)
        for stage, row, decided in zip(self.stages, cells, self.decisions, strict=True):
            styled = [Cell(text, "" if c == a.decision else "new") for text, c in zip(row, decided, strict=True)]
            result.add(stage, *styled)
        return result


def _column(a: Run, b: Run, i: int) -> str:
    other = "" if a.tokens[i] == b.tokens[i] else f" ← {shown(b.tokens[i])}"
    return position_text(a.tokens, i) + other


def sweep(a: Run, b: Run, wanted: str | None = None, over: str | None = None, *, sums: Sums | None = None) -> Sweep:
    """Run a again with b's stream put in at one stage and position, for every stage and position in turn.

    Each cell is the result of `patch` there; the first stage is the embedding. With `wanted` the table shows the logit
    of this class, with `over` its difference to that of another. Only positions that both runs have are patched.
    """
    check_alike(a, b, "arithmetic", "lanes", "blocks")
    T, count = a.transformer, min(len(a.tokens), len(b.tokens))
    if wanted is None and over is not None:
        raise InputError(f"over={brief(over)} without wanted: write sweep(a, b, wanted, over)")
    asked = None if wanted is None else target(T, wanted, over)
    needs_classes(T, "sweep")
    stages = present_stages(T)
    logits = np.stack([_stage(a, b, stage, count, sums) for stage in stages])
    logits.setflags(write=False)
    decisions = tuple(tuple(T.classes[c] for c in row) for row in np.argmax(logits, axis=-1))
    return Sweep(a, b, tuple(a.stages[s] for s in stages), a.tokens[:count], decisions, logits, asked)


def _stage(a: Run, b: Run, stage: int, count: int, sums: Sums | None) -> Array:
    """Return the logits (positions, classes) with b's stream at a stage, for each of some positions."""
    T = a.transformer
    ids = np.array(token_ids(T, a.tokens))
    most, found = max(1, NUMBERS_AT_ONCE // numbers_held(T, len(ids))), []
    for first in range(0, count, most):
        some = np.arange(first, min(first + most, count))

        def put(site: Site, old: Array, some: np.ndarray = some) -> Array:
            if not site.in_stream or site.stage != stage:
                return old
            new = old.copy()
            new[np.arange(len(some)), some] = b.stream[stage, some]
            return new

        every = evaluate(T, np.tile(ids, (len(some), 1)), sums=sums, change=changing(a.swaps, put))
        found.append(every.logits.astype(np.float64))
    return np.concatenate(found)

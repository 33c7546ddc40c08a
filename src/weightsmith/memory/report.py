"""The effect of an edit: which new facts are recalled, which decisions changed, and the margins left."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from weightsmith.errors import InputError, shown
from weightsmith.inspect.run import logits
from weightsmith.memory.facts import Fact, fact_neurons, facts, respond
from weightsmith.memory.read import Tokens, look, promoted, read_inputs
from weightsmith.model import Transformer
from weightsmith.model.lookup import layer_at
from weightsmith.model.transformer import checked
from weightsmith.tables import Printed


@dataclass(frozen=True)
class NewFact:
    """A fact that the edited model has and the other has not."""

    fact: Fact
    fires: tuple[tuple[str, ...], int] | None  # the first input and position at which its neuron fires
    says: str | None  # the class whose logit its value raises most
    decision: str | None  # of the edited model, on that input
    comes_out: bool  # the neuron fires, and its class is the decision there, or the logits changed


@dataclass(frozen=True)
class Change:
    """An input on which the two models differ."""

    tokens: tuple[str, ...]
    before: str  # the decisions
    after: str


@dataclass(frozen=True)
class Report(Printed):
    """The effect of an edit on some inputs."""

    inputs: int
    new: tuple[NewFact, ...]
    decisions: tuple[Change, ...]  # inputs whose decision changed
    logits: tuple[Change, ...]  # inputs whose logits changed, but not their decision
    smallest_margin: float | None  # over all facts, at each other's keys and at every position of the inputs
    collisions: tuple[tuple[str, str], ...]  # pairs of facts of a block: the first fires for the key of the second

    def __str__(self) -> str:
        """Return the report as a few lines."""
        out = sum(fact.comes_out for fact in self.new)
        lines = [f"{out} of {len(self.new)} new facts come out on {self.inputs} inputs"]
        for fact in self.new:
            if not fact.comes_out:
                why = "its neuron fires at no input" if fact.fires is None else "nothing changes where it fires"
                lines.append(f"  not {fact_text(fact.fact)}: {why}")
        lines.append(f"decisions changed: {len(self.decisions)}")
        lines += [f"  {_input(c.tokens)}: {shown(c.before)} → {shown(c.after)}" for c in self.decisions[:20]]
        lines += [f"  … {len(self.decisions) - 20} more"] if len(self.decisions) > 20 else []
        lines.append(f"only logits changed: {len(self.logits)}")
        lines.append(f"smallest margin: {'none' if self.smallest_margin is None else f'{self.smallest_margin:g}'}")
        lines.append(f"colliding keys: {len(self.collisions)}")
        lines += [f"  {a} fires for the key of {b}" for a, b in self.collisions[:20]]
        return "\n".join(lines)


def report(T: Transformer, edited: Transformer, inputs: Sequence[Tokens]) -> Report:
    """Compare a model with an edited one on some inputs."""
    for each in (T, edited):
        checked(each)
    for name in ("vocabulary", "classes", "lanes", "arithmetic"):
        if getattr(T, name) != getattr(edited, name):
            raise InputError(f"the two models differ in their {name}: a report compares a model with an edit of it")
    read = read_inputs(T, inputs)
    before, after = logits(T, read), logits(edited, read)
    decided = [[T.classes[c] for c in np.argmax(found, axis=1)] for found in (before, after)]
    changes = [Change(*row) for row in zip(read, *decided, strict=True)]
    differ = (before != after).any(axis=1)
    margins, first = _responses(edited, read)
    known = {(fact.block, fact.name, _frozen(fact)) for fact in facts(T)}
    written = facts(edited)
    new = [fact for fact in written if (fact.block, fact.name, _frozen(fact)) not in known]
    margins += [abs(fact.margin) for fact in written if fact.margin is not None]
    return Report(
        inputs=len(read),
        new=tuple(_new(edited, fact, first, read, decided[1], differ) for fact in new),
        decisions=tuple(change for change in changes if change.before != change.after),
        logits=tuple(c for c, other in zip(changes, differ, strict=True) if other and c.before == c.after),
        smallest_margin=min(margins, default=None),
        collisions=_collisions(edited),
    )


def _responses(
    T: Transformer, read: Sequence[tuple[str, ...]]
) -> tuple[list[float], dict[tuple[int, int], tuple[int, int]]]:
    """Return the smallest distance of the facts' pre-activations to 0, and where each fact's neuron fires first."""
    margins: list[float] = []
    first: dict[tuple[int, int], tuple[int, int]] = {}
    for b, block in enumerate(T.blocks):
        rows = fact_neurons(block.feed_forward)
        if block.feed_forward is None or not rows.size or not read:
            continue
        seen = look(T, b, read)
        responses = respond(T.arithmetic, block.feed_forward, rows, seen.vectors)
        margins.append(float(np.abs(responses).min()))
        order = sorted(range(len(seen.sources)), key=seen.sources.__getitem__)
        fires = responses[order] > 0
        for i in np.flatnonzero(fires.any(axis=0)):
            first[b, int(rows[i])] = seen.sources[order[int(np.argmax(fires[:, i]))]]
    return margins, first


def _new(
    T: Transformer,
    fact: Fact,
    first: dict[tuple[int, int], tuple[int, int]],
    read: Sequence[tuple[str, ...]],
    decided: Sequence[str],
    differ: np.ndarray,
) -> NewFact:
    assert fact.block is not None
    assert fact.neuron is not None
    raised = promoted(T, fact.block, fact.neuron, 1).raised
    says = raised[0][0] if raised else None
    where = first.get((fact.block, fact.neuron))
    if where is None:
        return NewFact(fact, None, says, None, False)
    number, position = where
    comes_out = bool(decided[number] == says or differ[number])
    return NewFact(fact, (read[number], position), says, decided[number], comes_out)


def _collisions(T: Transformer) -> tuple[tuple[str, str], ...]:
    result = []
    for b, block in enumerate(T.blocks):
        rows = fact_neurons(block.feed_forward)
        if not rows.size:
            continue
        layer = layer_at(T, b)
        assert layer.keys is not None
        responses = respond(T.arithmetic, layer, rows, layer.keys[rows])  # (keys, neurons)
        names = [f"{fact_name(layer.names[n] if layer.names else '', b, int(n))}" for n in rows]
        result += [(names[j], names[i]) for i, j in np.argwhere(responses > 0) if i != j]
    return tuple(result)


def fact_text(fact: Fact) -> str:
    """Name a fact."""
    return fact_name(fact.name, fact.block, fact.neuron)


def fact_name(name: str, block: int | None, neuron: int | None) -> str:
    """Return a fact's name, or where it is."""
    return shown(name) if name else f"block {block}, neuron {neuron}"


def _frozen(fact: Fact) -> tuple[object, ...]:
    return tuple(tuple(sorted(part.items())) for part in (fact.key, fact.value) if isinstance(part, Mapping))


def _input(tokens: Sequence[str]) -> str:
    return shown(" ".join(tokens)[:200])

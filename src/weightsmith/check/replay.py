"""Replaying a certificate: part of it is derived again with the readable reference semantics."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from weightsmith.check.certificate import Certificate
from weightsmith.check.examine import NOTHING, by_reference, examine, reader
from weightsmith.check.explain import divergence, sides
from weightsmith.check.inputs import Inputs, written
from weightsmith.check.languages import text
from weightsmith.check.plan import Shard
from weightsmith.errors import InputError, brief, shown
from weightsmith.model import Transformer


@dataclass(frozen=True)
class Replay:
    """What was derived again, and whether it came out the same."""

    shards: tuple[Shard, ...]
    of: int  # how many shards with inputs the certificate has
    inputs: int
    counterexample: str | None
    problems: tuple[str, ...]

    @property
    def agrees(self) -> bool:
        """Whether everything came out the same."""
        return not self.problems

    def __str__(self) -> str:
        """Say what was done."""
        done = [f"{len(self.shards)} of {self.of} shards with {self.inputs:,} inputs"] if self.of else []
        done += [f"the counterexample {self.counterexample}"] if self.counterexample is not None else []
        head = f"derived again with the reference semantics: {' and '.join(done) or 'nothing'}"
        return "\n".join([head, *(self.problems or ("everything agrees with the certificate",))])


def replay(
    certificate: str | Mapping[str, Any],
    models: Sequence[Transformer],
    *,
    sample: int = 2,
    seed: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Replay:
    """Derive a sample of a certificate's shards again, and its counterexample completely.

    The models are those of the claim, in its order. Claims with a Python function cannot be replayed.
    """
    if type(sample) is not int or sample < 0:
        raise InputError(f"sample={brief(sample)}: write how many shards to derive again, 0 or more")
    c = Certificate.read(certificate, models)
    found = {shard: c.digests[shard.tier][shard.index] for t in range(len(c.digests)) for shard in c.plan.shards(t)}
    shards = [shard for shard in found if c.claimed.of(shard)]
    chosen = sorted(random.Random(seed).sample(shards, min(sample, len(shards))))
    problems = list(c.contradictions())
    problems += [_differently(shard) for shard in sorted(found.keys() - shards) if found[shard] != NOTHING]
    for done, shard in enumerate(chosen):
        if examine(c.claim, c.plan, shard, source=by_reference).digest != found[shard]:
            problems.append(_differently(shard))
        if progress is not None:
            progress(done + 1, len(chosen))
    name = None
    if c.refuting is not None:
        name = shown(text(written(c.claim.vocabulary, c.refuting)))
        problems += _counterexample(c, c.refuting)
    inputs = sum(map(c.claimed.of, chosen))
    return Replay(tuple(chosen), len(shards), inputs, name, tuple(problems))


def _differently(shard: Shard) -> str:
    return f"tier {shard.tier}, shard {shard.index} comes out differently"


def _counterexample(c: Certificate, ids: tuple[int, ...]) -> list[str]:
    """Run the counterexample through the reference semantics."""
    asked = c.claim.frame.claimed(Inputs(c.claim.vocabulary, ids, 0))
    if not len(asked):
        return ["the claim is not about the counterexample"]
    values = [next(by_reference(reader(c.claim, T), c.claim.quantity, [asked])) for T in c.claim.models]
    if c.claim.judge(values, asked)[0].all():
        return ["the counterexample refutes nothing"]
    tokens, found = written(c.claim.vocabulary, ids), c.data["counterexample"]
    problems = []
    if sides(c.claim, tokens) != found.get("sides"):
        problems.append("the counterexample refutes the claim, but the two sides say other things")
    parted = divergence(c.claim, tokens)
    if (None if parted is None else parted.to_json()) != found.get("divergence"):
        problems.append("the counterexample refutes the claim, but the streams part elsewhere")
    return problems

"""Deciding a claim: tier after tier, on the cores of this machine or on a cluster."""

import math
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias, TypedDict

from weightsmith.check.claims import Claim
from weightsmith.check.examine import Finding, examine
from weightsmith.check.explain import divergence, sides
from weightsmith.check.languages import written
from weightsmith.check.ledger import Ledger, open_ledger
from weightsmith.check.plan import Plan, Shard, make_plan, tokens
from weightsmith.check.size import bytes_of_run, columns_for
from weightsmith.check.verdict import Verdict, identity
from weightsmith.errors import InputError
from weightsmith.model import check_length

MEMORY = 1 << 30
LONGEST = 10_000  # tokens: with one symbol that is a check; with more, only a refutation ends it
Progress: TypeAlias = Callable[[int, int], None]  # inputs done, inputs in all
Limit: TypeAlias = Callable[[Shard], int]  # the longest inputs of a shard that are still of interest


class Options(TypedDict, total=False):
    """What every check takes besides the claim and the length."""

    workers: int | None
    memory: int
    ledger: str | os.PathLike[str] | None
    cluster: str | None
    progress: Progress | None


class Backend(Protocol):
    """What examines shards."""

    def findings(self, claim: Claim, plan: Plan, shards: list[Shard], limit: Limit) -> Iterator[Finding]:
        """Examine shards, and give what each showed as soon as it is known."""


@dataclass(frozen=True)
class Threads:
    """The cores of this machine: the kernels let go of Python's lock."""

    workers: int

    def findings(self, claim: Claim, plan: Plan, shards: list[Shard], limit: Limit) -> Iterator[Finding]:
        """Keep every core busy, with as little as possible begun in vain."""
        if self.workers == 1 or len(shards) == 1:
            for shard in shards:
                yield examine(claim, plan, shard, limit(shard))
            return
        waiting, running = iter(shards), set[Future[Finding]]()
        pool = ThreadPoolExecutor(self.workers)
        try:
            while True:
                for shard in waiting:
                    running.add(pool.submit(examine, claim, plan, shard, limit(shard)))
                    if len(running) > self.workers:
                        break
                if not running:
                    return
                done, running = wait(running, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in done)
        finally:  # an error, Ctrl-C, or nobody wants the rest
            pool.shutdown(cancel_futures=True)


@dataclass
class _Check:
    """One check on its way."""

    claim: Claim
    plan: Plan
    backend: Backend
    ledger: Ledger
    progress: Progress
    done: int = 0
    digests: list[tuple[str, ...]] = field(default_factory=list)

    def run(self) -> tuple[int, int] | None:
        """Give length and place of the first refuting input; None where there is none."""
        for tier in range(len(self.plan.tiers)):
            refuted = self._tier(tier)
            if refuted is not None:
                return refuted
            self.digests.append(tuple(self.ledger.digests[shard] for shard in self.plan.shards(tier)))
        return None

    def _tier(self, number: int) -> tuple[int, int] | None:
        tier, best = self.plan.tiers[number], (math.inf, math.inf)

        def limit(shard: Shard) -> int:
            """Inputs longer than the best refutation, or as long and later, no longer matter."""
            if best[0] > tier.longest:
                return tier.longest
            begins = shard.index * tier.stems * int(self.plan.vocabulary ** int(best[0] - tier.stem))
            return int(best[0]) - (begins > best[1])

        pending = [shard for shard in self.plan.shards(number) if shard not in self.ledger.digests]
        finished = self.plan.tiers[number].shards - len(pending)
        self._add(finished * self.plan.inputs_of(Shard(number, 0)))
        for finding in self.backend.findings(self.claim, self.plan, pending, limit):
            if finding.digest is not None:
                self.ledger.add(finding.shard, finding.digest)
            if finding.refuted is not None:
                best = min(best, finding.refuted)
            self._add(self.plan.inputs_of(finding.shard))
        return None if best[0] == math.inf else (int(best[0]), int(best[1]))

    def _add(self, inputs: int) -> None:
        self.done += inputs
        if inputs:
            self.progress(self.done, self.plan.inputs)


def decide(
    claim: Claim,
    up_to: int,
    *,
    workers: int | None = None,
    memory: int = MEMORY,
    ledger: str | os.PathLike[str] | None = None,
    cluster: str | None = None,
    progress: Progress | None = None,
) -> Verdict:
    """Check a claim for every input of length 1 … up_to."""
    begin = time.perf_counter()
    _check_arguments(claim, up_to, workers, memory, ledger, cluster)
    plan = make_plan(len(claim.vocabulary), up_to, columns_for(claim, up_to, memory))
    with _backend(claim, plan, workers, memory, cluster) as backend, open_ledger(
        ledger, identity(claim, plan) if ledger is not None else {}, plan
    ) as book:  # fmt: skip
        check = _Check(claim, plan, backend, book, progress or (lambda done, total: None))
        refuted = check.run()
    tokens_of = None if refuted is None else written(claim.vocabulary, tokens(refuted[1], refuted[0], plan.vocabulary))
    return Verdict(
        claim,
        plan,
        holds=refuted is None,
        inputs=plan.inputs if refuted is None else plan.up_to_length(refuted[0] - 1) + refuted[1] + 1,
        counterexample=tokens_of,
        sides={} if tokens_of is None else sides(claim, tokens_of),
        divergence=None if tokens_of is None else divergence(claim, tokens_of),
        seconds=time.perf_counter() - begin,
        digests=tuple(check.digests),
    )


def _check_arguments(
    claim: Claim,
    up_to: int,
    workers: int | None,
    memory: int,
    ledger: str | os.PathLike[str] | None,
    cluster: str | None,
) -> None:
    if type(up_to) is not int or up_to < 1:
        raise InputError(f"up_to={up_to!r:.80}: write the length up to which every input is checked, 1 or more")
    if up_to > LONGEST:
        raise InputError(f"up_to={up_to!r:.80}: write at most {LONGEST}; no check goes through longer inputs")
    for T in claim.models:
        check_length(T, up_to)
    if workers is not None and (type(workers) is not int or workers < 1):
        raise InputError(f"workers={workers!r:.80}: write how many cores to use, 1 or more")
    if type(memory) is not int or memory < 1 << 20:
        raise InputError(f"memory={memory!r:.80}: write a number of bytes, a million or more")
    if ledger is not None and (not isinstance(ledger, str | os.PathLike) or not str(ledger)):
        raise InputError(f"ledger={ledger!r:.80}: write the name of a file")
    if cluster is not None and (not isinstance(cluster, str) or not cluster):
        raise InputError(f"cluster={cluster!r:.80}: write the address of a scheduler, such as 'tcp://127.0.0.1:8786'")
    if not claim.portable and (ledger is not None or cluster is not None):
        what = "a ledger" if cluster is None else "a cluster"
        raise InputError(
            f"{what} needs a claim that consists of data, and this one holds a Python function: "
            "give re.compile('…') or Automaton(…) instead"
        )


def _backend(
    claim: Claim, plan: Plan, workers: int | None, memory: int, cluster: str | None
) -> AbstractContextManager[Backend]:
    if cluster is not None:
        from weightsmith.check.cluster import connected

        return connected(cluster)
    columns = max((plan.inputs_of(Shard(t, 0)) // tier.stems for t, tier in enumerate(plan.tiers)), default=0)
    fitting = max(memory // bytes_of_run(claim, plan.up_to, columns), 1)
    return nullcontext(Threads(min(workers or len(os.sched_getaffinity(0)), fitting)))

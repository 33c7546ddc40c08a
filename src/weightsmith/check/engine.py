"""Checking a claim: exhaustively, tier after tier, on the cores of this machine or on a cluster, and by automata."""

import os
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from weightsmith.automata import written
from weightsmith.check.claim import Claim
from weightsmith.check.cluster import connected
from weightsmith.check.every_length import check_by_automata, no_plan, why_not
from weightsmith.check.examine import (
    EMPTY_DIGEST,
    REFERENCE_INPUTS,
    Backend,
    Finding,
    Limit,
    Refutation,
    Source,
    by_reference,
    bytes_of_run,
    columns_for,
    examine,
)
from weightsmith.check.frame import InputCounter
from weightsmith.check.ledger import Ledger, open_ledger
from weightsmith.check.models import engine_of, numbers_of, work_of
from weightsmith.check.neighbours import examine_all, tokens_fewer
from weightsmith.check.options import Options, Progress
from weightsmith.check.plan import MAX_LENGTH, Plan, Shard, depth_within, tokens
from weightsmith.check.verdict import EveryLength, Verdict
from weightsmith.errors import InputError, brief, is_whole, whole_number
from weightsmith.kernels import engines
from weightsmith.kernels.packed import PackedRun
from weightsmith.model import Chain

SMALL_WORK, COMPILING = engines.SMALL_WORK, engines.COMPILING  # for one check, in products
FEW_INPUTS, FEW_TOKENS = 1 << 10, 32  # run before automata: inputs, and the greatest length
FEW_PRODUCTS = 1 << 20  # of a chain on the longest of these inputs
MANY_INPUTS, MAX_RUN_LENGTH = 1 << 18, 256  # run after automata that do not know
ASK_FIRST = 1 << 22  # inputs up to a length: with more of them, automata are tried first
PATIENCE = 10.0  # seconds for automata before the inputs up to a length are run
LONG = 1e9  # seconds: no check takes longer


@dataclass(frozen=True)
class Threads:
    """The cores of this machine: the kernels release Python's global lock."""

    pool: ThreadPoolExecutor  # for all tiers: a thread keeps the memory of its runs
    workers: int
    columns: int  # of a batch
    source: Source | None = None  # None: the kernels

    def findings(self, claim: Claim, plan: Plan, shards: list[Shard], limit: Limit) -> Iterator[Finding]:
        """Yield findings; every core is busy, and few shards are begun beyond the first refutation."""

        def examined(some: list[tuple[Shard, int]]) -> list[Finding]:
            if self.source is None:
                return examine_all(claim, plan, some, self.columns)
            return [examine(claim, plan, shard, longest, self.source, self.columns) for shard, longest in some]

        batches = ([(shard, limit(shard)) for shard in some] for some in self._batches(claim, plan, shards))
        if self.workers == 1 or len(shards) == 1:
            for batch in batches:
                yield from examined(batch)
            return
        running = set[Future[list[Finding]]]()
        try:
            while True:
                for batch in batches:
                    running.add(self.pool.submit(examined, batch))
                    if len(running) > self.workers:
                        break
                if not running:
                    return
                done, running = wait(running, return_when=FIRST_COMPLETED)
                yield from (finding for future in done for finding in future.result())
        finally:  # an error, Ctrl-C, or a caller that stops early
            wait([future for future in running if not future.cancel()])

    def _batches(self, claim: Claim, plan: Plan, shards: list[Shard]) -> Iterator[list[Shard]]:
        """Yield neighbouring shards, fewer at a time towards the end, so that all cores end together."""
        begin = 0
        while begin < len(shards):
            some = shards[begin : begin + -(-(len(shards) - begin) // self.workers)]
            fewer = tokens_fewer(claim, plan, some, self.columns) if self.source is None else 0
            yield some[: plan.vocabulary**fewer]
            begin += plan.vocabulary**fewer


class _TimeIsOver(Exception):  # noqa: N818
    """The time of a check is over."""


@dataclass
class _Check:
    """The state of an exhaustive check."""

    claim: Claim
    plan: Plan
    counter: InputCounter
    backend: Backend
    ledger: Ledger
    progress: Progress
    end: float | None  # by `time.monotonic`
    done: int = 0
    digests: list[tuple[str, ...]] = field(default_factory=list)  # of the finished tiers
    counts: dict[Shard, Mapping[int, int]] = field(default_factory=dict)  # where the frame is not countable

    def run(self) -> Refutation | None:
        """Return the first refuting input, or None."""
        for number in range(len(self.plan.tiers)):
            refuted = self._tier(number)
            if refuted is not None:
                return refuted
            self.digests.append(tuple(self.ledger.digests[shard] for shard in self.plan.shards(number)))
        return None

    def _tier(self, number: int) -> Refutation | None:
        tier = self.plan.tiers[number]
        best: Refutation | None = None

        def limit(shard: Shard) -> int:
            """Inputs longer than the best refutation, or as long and later, no longer matter."""
            if best is None:
                return tier.longest
            return best.length - (self.plan.first_in(shard, best.length) > best.rank)

        inputs = {shard: self.counter.in_shard(shard) for shard in self.plan.shards(number)}
        self._add(sum(inputs[shard] for shard in inputs if shard in self.ledger.digests))
        for shard in inputs:
            if not inputs[shard] and shard not in self.ledger.digests:
                self.ledger.add(shard, EMPTY_DIGEST)
        pending = [shard for shard in inputs if shard not in self.ledger.digests]
        for finding in self.backend.findings(self.claim, self.plan, pending, limit):
            if finding.digest is not None:
                self.ledger.add(finding.shard, finding.digest)
            if finding.refuted is not None and (best is None or finding.refuted.order < best.order):
                best = finding.refuted
            if not self.claim.frame.countable:
                self.counts[finding.shard] = finding.counts
            self._add(inputs[finding.shard])
        return best

    def _add(self, inputs: int) -> None:
        if self.end is not None and time.monotonic() > self.end:
            raise _TimeIsOver
        self.done += inputs
        if inputs:
            self.progress(self.done, self.counter.inputs)

    def inputs(self, refuted: Refutation | None) -> int:
        """Return the number of the claim's inputs, or of those up to the first that refutes it."""
        if self.claim.frame.countable:
            if refuted is None:
                return self.counter.inputs
            return self.counter.up_to(tokens(refuted.rank, refuted.length, self.plan.vocabulary))
        return sum(
            number
            for shard, counts in self.counts.items()
            for length, number in counts.items()
            if refuted is None or (length, self.plan.first_in(shard, length)) <= refuted.order
        )


def check_exhaustively(
    claim: Claim, up_to: int | None = None, options: Options | None = None, end: float | None = None
) -> Verdict:
    """Check a claim on every input of length 1 … up_to that its frame admits.

    At `end`, by `time.monotonic`, the verdict is unknown beyond the lengths that were run.
    """
    given, longest = options or Options(), _longest(claim, up_to)
    if claim.not_data is not None and (given.ledger is not None or given.cluster is not None):
        what = "a ledger" if given.cluster is None else "a cluster"
        raise InputError(f"{what} needs a claim that consists of data, and {claim.not_data}")
    plan, columns = claim.plan(longest), columns_for(claim, longest, given.memory)
    source = _source(claim, plan, given)
    if given.cluster is None and source is None:
        for T in claim.runs:
            engine_of(T).ready()  # compiles before the clock starts
    begin = time.perf_counter()
    counter = InputCounter(claim.frame, plan)
    with _backend(claim, plan, columns, given, source) as backend, open_ledger(
        given.ledger, claim.identity(plan) if given.ledger is not None else {}, plan
    ) as book:  # fmt: skip
        check = _Check(claim, plan, counter, backend, book, given.progress or (lambda done, total: None), end)
        try:
            refuted = check.run()
        except _TimeIsOver:
            return _unfinished(check, time.perf_counter() - begin)
    counterexample, sides, parted = None, dict[str, str](), None
    if refuted is not None:
        counterexample = written(claim.vocabulary, tokens(refuted.rank, refuted.length, plan.vocabulary))
        sides, parted = claim.sides(counterexample, refuted.evidence), claim.divergence(counterexample)
    inputs, digests, seconds = check.inputs(refuted), tuple(check.digests), time.perf_counter() - begin
    return Verdict(claim, plan, refuted is None, inputs, counterexample, sides, parted, seconds, digests)


def check_claim(claim: Claim, up_to: int | None, options: Options) -> Verdict:
    """Check a claim for every input up to a length or, without one, of every length.

    Automata are tried first if there are many inputs up to the length; the verdict says how it was decided.
    """
    claim.check_places(up_to if is_whole(up_to) and 0 < up_to <= MAX_LENGTH else None)  # another is refused below
    local = options.ledger is None and options.cluster is None
    if up_to is None and claim.frame.length is None:
        if not local:
            raise InputError("a ledger and a cluster go through inputs: say up to which length, as in up_to=20")
        return _of_every_length(claim, options)
    end = None if options.seconds is None else _end_of(options.seconds)
    if up_to is not None and claim.frame.length is None and local and why_not(claim) is None:
        verdict = _of_length(claim, _longest(claim, up_to), options)
        if verdict is not None:
            return verdict
    return check_exhaustively(claim, up_to, options, end)


def _of_every_length(claim: Claim, options: Options) -> Verdict:
    """Run a few short inputs, then try automata, then run more inputs if these do not know."""
    reason = why_not(claim)
    if reason is not None:
        raise InputError(reason)
    budget = options.budget()
    budget.start()
    end, length = _end_of(budget.seconds), _length_for(claim, FEW_INPUTS, FEW_TOKENS)
    if any(isinstance(T, Chain) and work_of(T, length) > FEW_PRODUCTS for T in claim.models):
        length = 1
    short = check_exhaustively(claim, length, options.for_short_inputs(), end)
    if short.holds is False:
        return _refuted_at_once(claim, short, short.seconds)
    found = check_by_automata(claim, budget, run=length if short.holds else 0)
    if found.holds is not None:
        return found
    more = check_exhaustively(claim, _length_for(claim, MANY_INPUTS, MAX_RUN_LENGTH), options, end)
    seconds = found.seconds + more.seconds
    if more.holds is False:
        return _refuted_at_once(claim, more, seconds)
    if more.holds and more.plan.up_to == claim.longest:
        return more
    return replace(found, decided=max(more.up_to or 0, short.up_to or 0), seconds=seconds)


def _of_length(claim: Claim, up_to: int, options: Options) -> Verdict | None:
    """Try automata on inputs up to a length; None where running them is as fast, or automata do not know."""
    plan = claim.plan(up_to)
    columns_for(claim, up_to, options.memory)  # raises if memory is too small
    inputs = InputCounter(claim.frame, plan).inputs
    length = _length_for(claim, FEW_INPUTS, FEW_TOKENS)
    if inputs <= ASK_FIRST or not check_exhaustively(claim, length).holds:
        return None
    found = check_by_automata(claim, options.budget(PATIENCE), up_to, length)
    return None if found.holds is None else replace(found, inputs=inputs) if found.holds else found


def _unfinished(check: _Check, seconds: float) -> EveryLength:
    """Return unknown, up to the longest length that was run completely."""
    tiers, plan = len(check.digests), check.plan
    decided = plan.tiers[tiers - 1].longest if tiers else 0
    why = f"there was no time to run all inputs up to {plan.up_to}"
    return EveryLength(
        check.claim, no_plan(check.claim), None, None, None, {}, None, seconds, (), unknown=why, decided=decided
    )


def _refuted_at_once(claim: Claim, short: Verdict, seconds: float) -> EveryLength:
    """Return a refutation of the claim about all lengths by a short input."""
    return EveryLength(
        claim, no_plan(claim), False, None, short.counterexample, short.sides, short.divergence,
        seconds, (), longest=claim.longest,
    )  # fmt: skip


def _end_of(seconds: float) -> float:
    """Return the time after some seconds, by `time.monotonic`."""
    return time.monotonic() + float(min(seconds, LONG))


def _length_for(claim: Claim, inputs: int, most: int) -> int:
    """Return the greatest length from 1 to `most` up to which the claim has at most `inputs` inputs."""
    longest = max(1, most if claim.longest is None else min(most, claim.longest))
    if claim.frame.within is None:
        return depth_within(len(claim.vocabulary), longest, inputs)
    counter = InputCounter(claim.frame, claim.plan(longest))
    return max(1, counter.length_of(inputs))


def _longest(claim: Claim, up_to: int | None) -> int:
    """Return the length of the longest inputs, or raise."""
    length = claim.frame.length
    name, longest = ("up_to", up_to) if up_to is not None or length is None else ("length", length)
    meaning = "the length up to which every input is checked, 1 or more, as in up_to=10"
    longest = whole_number(longest, name, 1, meaning=meaning)
    whole_number(longest, name, 1, MAX_LENGTH, f"at most {MAX_LENGTH}; no check goes through longer inputs")
    if length is not None and length > longest:
        raise InputError(
            f"length={brief(length)} is more than up_to={up_to}: leave out up_to, which length= does not need"
        )
    claim.frame.check_lengths(claim.models, length or longest)
    return length or longest


def _source(claim: Claim, plan: Plan, options: Options) -> Source | None:
    """Return the reference for a small check, if the kernels would have to be compiled or loaded for it first.

    All the small checks of a process together are small too: then the kernels are worth it. Compiling them in the
    background would not help: both hold Python's global lock, so the reference has done less when they are ready.
    """
    engines = [engine_of(T) for T in claim.runs]
    missing = [engine for engine in engines if isinstance(engine, PackedRun) and not engine.is_ready]
    if options.cluster is not None or not missing:
        return None
    small = SMALL_WORK * (1 if all(engine.is_kept for engine in missing) else COMPILING)
    longest = plan.up_to + len(claim.frame.suffix)
    work = sum(plan.inputs * work_of(T, longest) for T in claim.runs)
    room = max(16 * REFERENCE_INPUTS * numbers_of(T, longest) for T in claim.runs)  # bytes, with temporary arrays
    if room > options.memory or _small.work + work > small:
        return None
    _small.work += work
    return by_reference


@dataclass
class _Small:
    work: int = 0  # products of small checks that the reference has computed in this process


_small = _Small()


@contextmanager
def _backend(claim: Claim, plan: Plan, columns: int, options: Options, source: Source | None) -> Iterator[Backend]:
    if options.cluster is not None:
        with connected(options.cluster, columns, options.insecure_network) as cluster:
            yield cluster
        return
    fitting = max(options.memory // bytes_of_run(claim, plan.up_to, min(columns, plan.inputs)), 1)
    workers = 1 if source is not None else min(options.workers or processors(), fitting)
    with ThreadPoolExecutor(workers) as pool:  # without threads until there is work for them
        yield Threads(pool, workers, columns, source)


def processors() -> int:
    """Return the number of processors that this process may use; macOS and Windows know only how many there are."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

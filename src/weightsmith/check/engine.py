"""Deciding a claim: tier after tier, on the cores of this machine or on a cluster."""

import os
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeAlias

from weightsmith.automata import written
from weightsmith.automata.extraction import Budget
from weightsmith.automata.extraction.budget import DEFAULT_SECONDS, DEFAULT_STATES
from weightsmith.check.claim import Claim
from weightsmith.check.every_length import EveryLength, no_plan, prove, why_not
from weightsmith.check.examine import EMPTY_DIGEST, Finding, Refutation, bytes_of_run, columns_for, examine
from weightsmith.check.frame import Claimed
from weightsmith.check.ledger import Ledger, open_ledger
from weightsmith.check.plan import MAX_LENGTH, Plan, Shard, depth_within, tokens
from weightsmith.check.verdict import Verdict
from weightsmith.errors import InputError, brief, whole_field, whole_number
from weightsmith.kernels.packed import packed_run

DEFAULT_MEMORY = 1 << 30  # bytes
FEW_INPUTS = 1 << 10  # that are run before automata are asked
FEW_TOKENS = 32  # of the longest of these
MANY_INPUTS = 1 << 18  # that are run where automata do not know
ASK_FIRST = 1 << 22  # where there are more inputs up to a length than this, automata are asked first
MAX_RUN_LENGTH = 256  # of these inputs
LONG = 1e9  # seconds: more are as good
PATIENCE = 10.0  # seconds that automata may take before inputs are gone through
Progress: TypeAlias = Callable[[int, int], None]  # inputs done, inputs in all
File: TypeAlias = str | os.PathLike[str]
Limit: TypeAlias = Callable[[Shard], int]  # the longest inputs of a shard that are still of interest


@dataclass(frozen=True)
class Options:
    """What every check takes besides the claim and the length; nothing of it changes the verdict."""

    workers: int | None = None
    memory: int = DEFAULT_MEMORY
    ledger: File | None = None
    cluster: str | None = None
    progress: Progress | None = None
    insecure_network: bool = False  # a cluster that others may reach without TLS
    seconds: float | None = None  # that the whole check may take; None: automata 60, and runs as long as it takes
    states: int = DEFAULT_STATES  # that each of them may have

    def __post_init__(self) -> None:
        """Refuse what is none."""
        if self.workers is not None:
            whole_field(self, "workers", 1, meaning="how many cores to use, 1 or more")
        whole_field(self, "memory", 1 << 20, meaning="a number of bytes, a million or more")
        if self.ledger is not None and (not isinstance(self.ledger, str | os.PathLike) or not str(self.ledger)):
            raise InputError(f"ledger={brief(self.ledger)}: write the name of a file")
        if self.cluster is not None and (not isinstance(self.cluster, str) or not self.cluster):
            raise InputError(
                f"cluster={brief(self.cluster)}: write the address of a scheduler, such as 'tcp://127.0.0.1:8786'"
            )
        if type(self.insecure_network) is not bool:
            raise InputError(f"insecure_network={brief(self.insecure_network)}: write True or False")
        self.budget()  # refuses what is none

    def budget(self, most: float | None = None) -> Budget:
        """Return what automata may take; at most so many seconds."""
        seconds = DEFAULT_SECONDS if self.seconds is None else self.seconds
        given = Budget(seconds, self.states, self.memory)
        return given if most is None or most > seconds else replace(given, seconds=most)

    def alone(self) -> "Options":
        """Return what runs a few inputs take: nobody is told of their progress."""
        return Options(self.workers, self.memory)


class Backend(Protocol):
    """What examines shards."""

    def findings(self, claim: Claim, plan: Plan, shards: list[Shard], limit: Limit) -> Iterator[Finding]:
        """Examine shards, and yield what each showed as soon as it is known."""


@dataclass(frozen=True)
class Threads:
    """The cores of this machine: the kernels let go of Python's lock."""

    workers: int
    columns: int  # that each runs together

    def findings(self, claim: Claim, plan: Plan, shards: list[Shard], limit: Limit) -> Iterator[Finding]:
        """Keep every core busy, with as little as possible begun in vain."""
        if self.workers == 1 or len(shards) == 1:
            for shard in shards:
                yield examine(claim, plan, shard, limit(shard), columns=self.columns)
            return
        waiting, running = iter(shards), set[Future[Finding]]()
        pool = ThreadPoolExecutor(self.workers)
        try:
            while True:
                for shard in waiting:
                    running.add(pool.submit(examine, claim, plan, shard, limit(shard), columns=self.columns))
                    if len(running) > self.workers:
                        break
                if not running:
                    return
                done, running = wait(running, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in done)
        finally:  # an error, Ctrl-C, or nobody wants the rest
            pool.shutdown(cancel_futures=True)


class _TimeIsOver(Exception):  # noqa: N818
    """A check was not done when its time was over."""


@dataclass
class _Check:
    """One check on its way."""

    claim: Claim
    plan: Plan
    claimed: Claimed
    backend: Backend
    ledger: Ledger
    progress: Progress
    end: float | None  # of the time that it may take, by `time.monotonic`
    done: int = 0
    digests: list[tuple[str, ...]] = field(default_factory=list)  # of the finished tiers
    counts: dict[Shard, Mapping[int, int]] = field(default_factory=dict)  # where nobody could count before

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
            return best.length - (self.plan.first_in(shard, best.length) > best.place)

        inputs = {shard: self.claimed.of(shard) for shard in self.plan.shards(number)}
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
            self.progress(self.done, self.claimed.inputs)

    def inputs(self, refuted: Refutation | None) -> int:
        """Return how many inputs were claimed, or how many up to the first that refutes it."""
        if self.claim.frame.countable:
            if refuted is None:
                return self.claimed.inputs
            return self.claimed.up_to(tokens(refuted.place, refuted.length, self.plan.vocabulary))
        return sum(
            number
            for shard, counts in self.counts.items()
            for length, number in counts.items()
            if refuted is None or (length, self.plan.first_in(shard, length)) <= refuted.order
        )


def decide(claim: Claim, up_to: int | None = None, options: Options | None = None, end: float | None = None) -> Verdict:
    """Check a claim for every input of length 1 … up_to, or for those of its frame.

    At the end of its time, by `time.monotonic`, nothing is known but what was run.
    """
    given, longest = options or Options(), _longest(claim, up_to)
    if claim.not_data is not None and (given.ledger is not None or given.cluster is not None):
        what = "a ledger" if given.cluster is None else "a cluster"
        raise InputError(f"{what} needs a claim that consists of data, and {claim.not_data}")
    plan, columns = claim.plan(longest), columns_for(claim, longest, given.memory)
    if given.cluster is None:
        for T in claim.models:
            packed_run(T).ready()  # before the clock starts: compiling is no part of the check
    begin = time.perf_counter()
    claimed = Claimed(claim.frame, plan)
    with _backend(claim, plan, columns, given) as backend, open_ledger(
        given.ledger, claim.identity(plan) if given.ledger is not None else {}, plan
    ) as book:  # fmt: skip
        check = _Check(claim, plan, claimed, backend, book, given.progress or (lambda done, total: None), end)
        try:
            refuted = check.run()
        except _TimeIsOver:
            return _unfinished(check, time.perf_counter() - begin)
    found, sides, parted = None, dict[str, str](), None
    if refuted is not None:
        found = written(claim.vocabulary, tokens(refuted.place, refuted.length, plan.vocabulary))
        sides, parted = claim.sides(found, refuted.evidence), claim.divergence(found)
    return Verdict(
        claim,
        plan,
        holds=refuted is None,
        inputs=check.inputs(refuted),
        counterexample=found,
        sides=sides,
        divergence=parted,
        seconds=time.perf_counter() - begin,
        digests=tuple(check.digests),
    )


def conclude(claim: Claim, up_to: int | None, options: Options) -> Verdict:
    """Decide a claim for every input: up to a length or, without one, of every length.

    Up to a length, automata are asked first where there are many inputs; the verdict says who decided.
    """
    on_their_own = options.ledger is None and options.cluster is None
    if up_to is None and claim.frame.length is None:
        if not on_their_own:
            raise InputError("a ledger and a cluster go through inputs: say up to which length, as in up_to=20")
        return _of_every_length(claim, options)
    end = None if options.seconds is None else _end_of(options.seconds)
    if up_to is not None and claim.frame.length is None and on_their_own and why_not(claim) is None:
        found = _of_length(claim, _longest(claim, up_to), options)
        if found is not None:
            return found
    return decide(claim, up_to, options, end)


def _of_every_length(claim: Claim, options: Options) -> Verdict:
    """Ask automata; before, a few short inputs are run, and more of them where nothing is known."""
    reason = why_not(claim)
    if reason is not None:
        raise InputError(reason)
    budget = options.budget()
    budget.start()
    end, length = _end_of(budget.seconds), _length_for(claim, FEW_INPUTS, FEW_TOKENS)
    short = decide(claim, length, options.alone(), end)
    if short.holds is False:
        return _refuted_at_once(claim, short, short.seconds)
    found = prove(claim, budget, run=length if short.holds else 0)
    if found.holds is not None:
        return found
    more = decide(claim, _length_for(claim, MANY_INPUTS, MAX_RUN_LENGTH), options, end)
    seconds = found.seconds + more.seconds
    if more.holds is False:
        return _refuted_at_once(claim, more, seconds)
    if more.holds and more.plan.up_to == claim.longest:
        return more
    return replace(found, decided=max(more.up_to or 0, short.up_to or 0), seconds=seconds)


def _of_length(claim: Claim, up_to: int, options: Options) -> Verdict | None:
    """Ask automata about inputs up to a length; None where to run them takes no longer, or automata do not know."""
    plan = claim.plan(up_to)
    columns_for(claim, up_to, options.memory)  # refuses what would not fit
    inputs = Claimed(claim.frame, plan).inputs
    length = _length_for(claim, FEW_INPUTS, FEW_TOKENS)
    if inputs <= ASK_FIRST or not decide(claim, length).holds:
        return None
    found = prove(claim, options.budget(PATIENCE), up_to, length)
    return None if found.holds is None else replace(found, inputs=inputs) if found.holds else found


def _unfinished(check: _Check, seconds: float) -> EveryLength:
    """Return that nothing is known, but of the lengths that were run whole."""
    tiers, plan = len(check.digests), check.plan
    decided = plan.tiers[tiers - 1].longest if tiers else 0
    why = f"there was no time to run all inputs up to {plan.up_to}"
    return EveryLength(
        check.claim, no_plan(check.claim), None, None, None, {}, None, seconds, (), unknown=why, decided=decided
    )


def _refuted_at_once(claim: Claim, short: Verdict, seconds: float) -> EveryLength:
    """Return the refutation by a short input as one of the claim about all lengths."""
    return EveryLength(
        claim, no_plan(claim), False, None, short.counterexample, short.sides, short.divergence,
        seconds, (), longest=claim.longest,
    )  # fmt: skip


def _end_of(seconds: float) -> float:
    """Return when so many seconds from now are over, by `time.monotonic`."""
    return time.monotonic() + float(min(seconds, LONG))


def _length_for(claim: Claim, inputs: int, most: int) -> int:
    """Return the length up to which the claim is about at most so many inputs; at least 1, and at most `most`."""
    longest = max(1, most if claim.longest is None else min(most, claim.longest))
    if claim.frame.within is None:
        return depth_within(len(claim.vocabulary), longest, inputs)
    claimed = Claimed(claim.frame, claim.plan(longest))
    return max(1, claimed.length_of(inputs))


def _longest(claim: Claim, up_to: int | None) -> int:
    """Return the length of the longest inputs, or say what is wrong with it."""
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


def _backend(claim: Claim, plan: Plan, columns: int, options: Options) -> AbstractContextManager[Backend]:
    if options.cluster is not None:
        from weightsmith.check.cluster import connected

        return connected(options.cluster, columns, options.insecure_network)
    largest = plan.inputs_of(Shard(len(plan.tiers) - 1, 0))
    fitting = max(options.memory // bytes_of_run(claim, plan.up_to, min(columns, largest)), 1)
    return nullcontext(Threads(min(options.workers or len(os.sched_getaffinity(0)), fitting), columns))

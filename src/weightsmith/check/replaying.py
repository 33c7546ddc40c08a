"""Replaying a certificate: deriving again, with the readable reference semantics, what it says."""

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from weightsmith import verify
from weightsmith.automata import Inputs, input_text, written
from weightsmith.check.certificate import (
    Certificate,
    Function,
    Given,
    certificate_data,
    damaged,
    read_claim,
    refuting_input,
    same_identity,
)
from weightsmith.check.claim import Claim
from weightsmith.check.every_length import ALL_LENGTHS
from weightsmith.check.examine import EMPTY_DIGEST, Finding, by_reference, examine, reader
from weightsmith.check.plan import Shard, depth_within, rank
from weightsmith.errors import InputError, ModelError, brief, is_whole, shown, whole_number
from weightsmith.files import model_bytes
from weightsmith.model import Transformer

PATIENCE = 60.0  # seconds: what takes no longer is replayed whole, unless a sample is asked for
MOST_INPUTS = 10**18  # that anybody derives again
LONGEST_INPUT = 1_000_000  # tokens of a counterexample
LONGEST_RUN = 64  # tokens of the inputs that are run beside a proof
TRIAL_INPUTS = 256  # that are run to tell how long it takes


@dataclass(frozen=True)
class Replay:
    """What was derived again, and whether it came out the same."""

    shards: tuple[Shard, ...]
    of: int  # how many shards with inputs there are, up to the counterexample
    inputs: int
    counterexample: str | None
    problems: tuple[str, ...]
    proof: bool = False  # whether it holds a proof for all lengths, which was checked
    every_length: bool = False  # whether the claim is about all lengths

    @property
    def agrees(self) -> bool:
        """Whether everything came out the same."""
        return not self.problems

    @property
    def chance(self) -> float:
        """The probability with which a single false shard would have been found."""
        return len(self.shards) / self.of if self.of else 1.0

    def __str__(self) -> str:
        """Say what was done, and what it shows."""
        some = len(self.shards) < self.of
        which = f"{len(self.shards):,} of {self.of:,} shards" if some else f"all {self.of:,} shards"
        done = f"{which}, {self.inputs:,} inputs" if self.of != 1 else f"the only shard, {self.inputs:,} inputs"
        lines = [f"derived again with the reference semantics: {done}"]
        if self.every_length:
            lines = [f"run with the reference semantics: the first {self.inputs:,} inputs"]
            lines += ["its proof was accepted by weightsmith/verify.py"] if self.proof and self.agrees else []
        if self.counterexample is not None:
            lines.append(f"the counterexample {self.counterexample} was run again")
        if some:
            lines.append(f"a single false shard would have been found with probability {100 * self.chance:.2g} %")
        if self.problems:
            return "\n".join([*lines, *self.problems])
        what = "what was derived again" if some or (self.every_length and not self.proof) else "everything"
        return "\n".join([*lines, f"{what} agrees with the certificate"])


def replay(
    certificate: Given,
    models: Sequence[Transformer],
    *,
    sample: int | None = None,
    everything: bool = False,
    function: Function | None = None,
    seed: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Replay:
    """Derive a certificate again: all of it, or a sample of its shards, and its counterexample in any case.

    The certificate is a file, its text or its data; the models are those of the claim. Where nothing is said, all of it
    is derived again if that takes under a minute; else `sample=12` or `everything=True` must be written. The Python
    function of a claim is never taken from the file: read its source there, and give it as `function`.
    """
    if sample is not None:
        sample = whole_number(sample, "sample", 1, meaning="how many shards to derive again, 1 or more")
        if everything:
            raise InputError(f"sample={brief(sample)} is not everything: leave out one of them")
    if seed is not None and not is_whole(seed):
        raise InputError(f"seed={brief(seed)}: write a whole number, which decides which shards are derived again")
    seed = None if seed is None else int(seed)
    data = certificate_data(certificate)
    if "scope" in data:
        return _replay_every_length(data, models)
    c = Certificate.read(data, models, function)
    pieces = _pieces(c)
    if sample is None and not everything:
        _check_patience(c, pieces)
    chosen = sorted(random.Random(seed).sample(sorted(pieces), min(sample or len(pieces), len(pieces))))
    problems = list(c.contradictions())
    empty = [shard for shard in c.digests if shard not in pieces]
    problems += [_differently(shard) for shard in empty if c.digests[shard] != EMPTY_DIGEST]
    inputs = 0
    for done, shard in enumerate(chosen):
        finding = examine(c.claim, c.plan, shard, pieces[shard], by_reference)
        inputs += sum(finding.counts.values())
        problems += _differences(c, finding)
        if progress is not None:
            progress(done + 1, len(chosen))
    name = None
    if c.refuting is not None:
        name = shown(input_text(written(c.claim.vocabulary, c.refuting)))
        problems += _counterexample(c.claim, c.data, c.refuting)
    return Replay(tuple(chosen), len(pieces), inputs, name, tuple(problems))


def _replay_every_length(data: Mapping[str, Any], models: Sequence[Transformer]) -> Replay:
    """Check the proof of a claim about all lengths, or run its counterexample; short inputs are run in any case.

    Nothing is searched for. That a counterexample is the shortest is derived for the inputs that are run.
    """
    claim = read_claim(data, models)
    same_identity(data, claim, None)
    with damaged():
        ids = refuting_input(data, claim, LONGEST_INPUT)
        scope = str(data["scope"])
        longest = None if scope == ALL_LENGTHS else whole_number(int(scope.removeprefix("up to ")), "scope", 0)
    holds = data["holds"]
    verdict = {True: f"proved, {scope}", False: "refuted", None: "unknown"}.get(holds, "")
    if data.get("verdict") != verdict or (holds is False) != (ids is not None):
        return Replay((), 0, 0, None, ("the certificate contradicts itself about what holds",), proof=holds is True)
    problems = []
    length = depth_within(len(claim.vocabulary), max(1, min(LONGEST_RUN, longest or LONGEST_RUN)), TRIAL_INPUTS)
    short = [claim.frame.claimed(Inputs(claim.vocabulary, (), n)) for n in range(1, length + 1)]
    short = [inputs for inputs in short if len(inputs) and (ids is None or inputs.length < len(ids))]
    for inputs in short:
        values = [next(by_reference(reader(claim, T), claim.quantity, [inputs])) for T in claim.models]
        if holds is not None and not claim.judge(values, inputs)[0].all():
            problems.append(f"an input of length {inputs.length} refutes the claim")
    name = None
    if ids is not None:
        name = shown(input_text(written(claim.vocabulary, ids)))
        problems += _counterexample(claim, data, ids)
    if holds:
        problems += _unproved(data, claim)
    return Replay((), 0, sum(map(len, short)), name, tuple(problems), proof=holds is True, every_length=True)


def _unproved(data: Mapping[str, Any], claim: Claim) -> list[str]:
    """Return why the proof in a certificate is not accepted; nothing where it is."""
    if "proof" not in data:
        return ["the certificate holds no proof: write verdict.save(…), or --certificate, when the claim is checked"]
    try:
        models = [verify.Model(model_bytes(T)) for T in claim.models]
        verify.check(models, data)
    except Exception as error:  # whatever fails, nothing is proved
        return [f"its proof is refused: {error}"]
    return []


def _pieces(c: Certificate) -> dict[Shard, int]:
    """Return the shards with inputs that a certificate says something of, and up to which length."""
    longest = {shard: c.plan.tiers[shard.tier].longest for shard in c.digests} | c.before
    return {shard: end for shard, end in longest.items() if c.claimed.of(shard, end)}


def _check_patience(c: Certificate, pieces: Mapping[Shard, int]) -> None:
    inputs = sum(c.claimed.of(shard, end) for shard, end in pieces.items())
    seconds = min(inputs, MOST_INPUTS) * seconds_for_an_input(c)
    if seconds > PATIENCE:
        minutes = f"{seconds / 60:,.0f} minutes" if seconds < 7200 else f"{seconds / 3600:,.0f} hours"
        raise InputError(
            f"to derive all {len(pieces):,} shards, {_counted(inputs)} inputs, again takes about {minutes}: "
            "say everything=True, or sample=12 for some of them"
        )


def _counted(inputs: int) -> str:
    return f"{inputs:,}" if inputs < MOST_INPUTS else "countless"


def seconds_for_an_input(c: Certificate) -> float:
    """Return about how long an input of the greatest length takes."""
    symbols, length = len(c.claim.vocabulary), c.plan.up_to if c.refuting is None else len(c.refuting)
    depth = depth_within(symbols, length, TRIAL_INPUTS)
    inputs = Inputs(c.claim.vocabulary, (0,) * (length - depth), depth)
    begin = time.perf_counter()
    try:
        for T in c.claim.models:
            next(by_reference(reader(c.claim, T), c.claim.quantity, [inputs]))
    except ModelError:  # of an input that the claim may not be about
        return 1e-3
    return (time.perf_counter() - begin) / len(inputs)


def _differences(c: Certificate, finding: Finding) -> list[str]:
    """Return what is wrong with what a certificate says of a shard."""
    shard, refuted = finding.shard, finding.refuted
    if shard in c.digests:
        return [] if finding.digest == c.digests[shard] else [_differently(shard)]
    assert c.refuting is not None
    said = len(c.refuting), rank(c.refuting, c.plan.vocabulary)
    if refuted is None or refuted.order >= said:
        return []
    return [f"the counterexample is not the first: tier {shard.tier}, shard {shard.index} has one before it"]


def _differently(shard: Shard) -> str:
    return f"tier {shard.tier}, shard {shard.index} comes out differently"


def _counterexample(claim: Claim, data: Mapping[str, Any], ids: tuple[int, ...]) -> list[str]:
    """Return what is wrong with the counterexample, by the reference semantics."""
    asked = claim.frame.claimed(Inputs(claim.vocabulary, ids, 0))
    if not len(asked):
        return ["the claim is not about the counterexample"]
    values = [next(by_reference(reader(claim, T), claim.quantity, [asked])) for T in claim.models]
    holds, evidence = claim.judge(values, asked)
    if holds.all():
        contradicted = "; or the function contradicts itself" if claim.code else ""
        return [f"the counterexample refutes nothing{contradicted}"]
    tokens, found = written(claim.vocabulary, ids), data["counterexample"]
    problems = []
    if claim.sides(tokens, [array[0] for array in evidence]) != found.get("sides"):
        problems.append("the counterexample refutes the claim, but the two sides say other things")
    parted = claim.divergence(tokens)
    if (None if parted is None else parted.to_json()) != found.get("divergence"):
        problems.append("the counterexample refutes the claim, but the streams part elsewhere")
    return problems

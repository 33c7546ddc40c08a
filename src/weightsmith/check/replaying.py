"""Replaying a certificate: its content is derived again, with the readable reference semantics."""

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from weightsmith import verify
from weightsmith.automata import Inputs, Truths, input_text, written
from weightsmith.check.certificate import AllLengths, Certificate, Exhaustive, Function, Given, damaged, data_of, parse
from weightsmith.check.claim import Claim, Values
from weightsmith.check.examine import EMPTY_DIGEST, Finding, by_reference, examine, reader
from weightsmith.check.family_certificate import FamilyCertificate, is_family_certificate
from weightsmith.check.family_replay import replay_family
from weightsmith.check.frame import InputCounter
from weightsmith.check.models import Model
from weightsmith.check.plan import Plan, Shard, depth_within, rank
from weightsmith.check.replay_results import Replay
from weightsmith.check.verdict import ALL_LENGTHS
from weightsmith.errors import InputError, ModelError, brief, is_whole, shown, whole_number
from weightsmith.files import model_bytes
from weightsmith.model import Family

PATIENCE = 60.0  # seconds: a longer replay needs sample=… or everything=True
MOST_INPUTS = 10**18  # in an estimate
LONGEST_INPUT = 1_000_000  # tokens of a counterexample
LONGEST_RUN = 64  # tokens of the inputs that are run beside a proof
TRIAL_INPUTS = 256  # for an estimate of the time
CONTRADICTION = "the certificate contradicts itself about what holds"


def replay(
    certificate: Given,
    models: Sequence[Model] | Family = (),
    *,
    sample: int | None = None,
    everything: bool = False,
    function: Function | None = None,
    seed: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Replay:
    """Derive a certificate again: all of it, or a sample of its shards, and always its counterexample.

    The certificate is a file, its text or its data; the models are those of the claim. By default all of it is derived
    if that takes under a minute; else write `sample=12` or `everything=True`. The Python function of a claim is never
    taken from the file: read its source there, and pass it as `function`.

    The certificate of a family holds its models. With the family in place of the models, each T_n is built again too.
    """
    if sample is not None:
        sample = whole_number(sample, "sample", 1, meaning="how many shards to derive again, 1 or more")
        if everything:
            raise InputError(f"sample={brief(sample)} is not everything: leave out one of them")
    if seed is not None and not is_whole(seed):
        raise InputError(f"seed={brief(seed)}: write a whole number, which decides which shards are derived again")
    seed = None if seed is None else int(seed)
    data: Any = data_of(certificate)
    if is_family_certificate(data):

        def derive(nested: Mapping[str, Any], T: Model) -> Any:
            own = function if "shards" in nested else None
            return replay(nested, [T], sample=sample, everything=everything, function=own, seed=seed)

        return replay_family(FamilyCertificate(data), models, function, derive, progress)
    if isinstance(models, Family):
        raise InputError("the certificate is about a model, not about a family: write replay(certificate, [T])")
    parsed = parse(data)
    if isinstance(parsed, AllLengths):
        return _replay_all_lengths(parsed, models)
    d = Derivation.of(parsed, models, function)
    pieces = d.pieces()
    if sample is None and not everything:
        _check_patience(d, pieces)
    chosen = sorted(random.Random(seed).sample(sorted(pieces), min(sample or len(pieces), len(pieces))))
    problems = list(d.contradictions())
    empty = [shard for shard in d.digests if shard not in pieces]
    problems += [_differently(shard) for shard in empty if d.digests[shard] != EMPTY_DIGEST]
    inputs = 0
    for done, shard in enumerate(chosen):
        finding = examine(d.claim, d.plan, shard, pieces[shard], by_reference)
        inputs += sum(finding.counts.values())
        problems += _differences(d, finding)
        if progress is not None:
            progress(done + 1, len(chosen))
    name = None
    if d.refuting is not None:
        name = shown(input_text(written(d.claim.vocabulary, d.refuting)))
        problems += _counterexample(d.claim, parsed, d.refuting)
    return Replay(tuple(chosen), len(pieces), inputs, name, tuple(problems))


@dataclass(frozen=True)
class Derivation:
    """An exhaustive certificate with the claim and the plan that follow from its models.

    How the inputs are divided follows from the claim alone: other tiers, shards and counts are refused. The shards are
    derived again and, where the claim is refuted, everything before the counterexample, which must be the first.
    """

    certificate: Exhaustive
    claim: Claim
    plan: Plan
    counter: InputCounter
    digests: dict[Shard, str]  # of the finished tiers
    refuting: tuple[int, ...] | None

    @classmethod
    def of(cls, c: Exhaustive, models: Sequence[Model], function: Function | None = None) -> "Derivation":
        """Check everything that can be checked without a run."""
        claim = c.claim_about(models, function)
        plan = c.plan(claim)
        c.check_identity(claim, plan)
        refuting = c.refuting_input(claim, plan.up_to)
        with damaged():
            return cls(c, claim, plan, InputCounter(claim.frame, plan), c.shard_digests(plan, refuting), refuting)

    def contradictions(self) -> Iterator[str]:
        """Compare the entries of the result with the counterexample and the plan."""
        c, holds = self.certificate, self.refuting is None
        inputs = self.counter.inputs if self.refuting is None else self.counter.up_to(self.refuting)
        if type(c.inputs) is not int or c.inputs != inputs:
            yield f"the certificate counts {brief(c.inputs)} inputs, and there are {brief(inputs)}"
        if c.holds is not holds or c.verdict != (self.claim.frame.reach(self.plan.up_to) if holds else "refuted"):
            yield CONTRADICTION

    def pieces(self) -> dict[Shard, int]:
        """Return the shards with inputs that the certificate covers, each with its greatest length."""
        longest = {shard: self.plan.tiers[shard.tier].longest for shard in self.digests} | self._before()
        return {shard: end for shard, end in longest.items() if self.counter.in_shard(shard, end)}

    def _before(self) -> dict[Shard, int]:
        """Return the shards of the counterexample's tier, each with the greatest length of inputs before it."""
        if self.refuting is None:
            return {}
        length, order = len(self.refuting), rank(self.refuting, self.plan.vocabulary)
        number, tier = next((n, tier) for n, tier in enumerate(self.plan.tiers) if length <= tier.longest)
        longest = {shard: length - (self.plan.first_in(shard, length) > order) for shard in self.plan.shards(number)}
        return {shard: end for shard, end in longest.items() if end >= tier.shortest}


def _replay_all_lengths(c: AllLengths, models: Sequence[Model]) -> Replay:
    """Let `verify.py` check the proof, or run the counterexample; short inputs are run in both cases.

    Nothing is searched for. That a counterexample is the shortest is derived for the inputs that are run.
    """
    claim = c.claim_about(models)
    c.check_identity(claim, None)
    ids = c.refuting_input(claim, LONGEST_INPUT)
    with damaged():
        scope = str(c.scope)
        longest = None if scope == ALL_LENGTHS else whole_number(int(scope.removeprefix("up to ")), "scope", 0)
    if not c.consistent:
        return Replay((), 0, 0, None, (CONTRADICTION,), proof=c.holds is True)
    problems = []
    length = depth_within(len(claim.vocabulary), max(1, min(LONGEST_RUN, longest or LONGEST_RUN)), TRIAL_INPUTS)
    short = [claim.frame.restricted(Inputs(claim.vocabulary, (), n)) for n in range(1, length + 1)]
    short = [inputs for inputs in short if len(inputs) and (ids is None or inputs.length < len(ids))]
    for inputs in short:
        if c.holds is not None and not _judged(claim, inputs)[0].all():
            problems.append(f"an input of length {inputs.length} refutes the claim")
    name = None
    if ids is not None:
        name = shown(input_text(written(claim.vocabulary, ids)))
        problems += _counterexample(claim, c, ids)
    if c.holds:
        problems += _unproved(c, claim)
    return Replay((), 0, sum(map(len, short)), name, tuple(problems), proof=c.holds is True, every_length=True)


def _judged(claim: Claim, inputs: Inputs) -> tuple[Truths, list[Values]]:
    """Judge a claim on inputs by the reference semantics."""
    return claim.judge([next(by_reference(reader(claim, T), claim.quantity, [inputs])) for T in claim.runs], inputs)


def _unproved(c: AllLengths, claim: Claim) -> list[str]:
    """Return why the proof of a certificate is not accepted; [] where it is."""
    if c.proof is None:
        return ["the certificate holds no proof: write verdict.save(…), or --certificate, when the claim is checked"]
    try:
        verify.check([verify.Model(model_bytes(T)) for T in claim.models], c.dump())
    except Exception as error:  # any failure means: not proved
        return [f"its proof is refused: {error}"]
    return []


def _check_patience(d: Derivation, pieces: Mapping[Shard, int]) -> None:
    inputs = sum(d.counter.in_shard(shard, end) for shard, end in pieces.items())
    seconds = min(inputs, MOST_INPUTS) * seconds_for_an_input(d)
    if seconds > PATIENCE:
        minutes = f"{seconds / 60:,.0f} minutes" if seconds < 7200 else f"{seconds / 3600:,.0f} hours"
        raise InputError(
            f"to derive all {len(pieces):,} shards, {_counted(inputs)} inputs, again takes about {minutes}: "
            "say everything=True, or sample=12 for some of them"
        )


def _counted(inputs: int) -> str:
    return f"{inputs:,}" if inputs < MOST_INPUTS else "countless"


def seconds_for_an_input(d: Derivation) -> float:
    """Return the estimated time of an input of the greatest length."""
    symbols, length = len(d.claim.vocabulary), d.plan.up_to if d.refuting is None else len(d.refuting)
    depth = depth_within(symbols, length, TRIAL_INPUTS)
    inputs = Inputs(d.claim.vocabulary, (0,) * (length - depth), depth)
    begin = time.perf_counter()
    try:
        for T in d.claim.runs:
            next(by_reference(reader(d.claim, T), d.claim.quantity, [inputs]))
    except ModelError:  # on an input that may not belong to the claim
        return 1e-3
    return (time.perf_counter() - begin) / len(inputs)


def _differences(d: Derivation, finding: Finding) -> list[str]:
    """Return the errors of a certificate about a shard."""
    shard, refuted = finding.shard, finding.refuted
    if shard in d.digests:
        return [] if finding.digest == d.digests[shard] else [_differently(shard)]
    assert d.refuting is not None
    said = len(d.refuting), rank(d.refuting, d.plan.vocabulary)
    if refuted is None or refuted.order >= said:
        return []
    return [f"the counterexample is not the first: tier {shard.tier}, shard {shard.index} has one before it"]


def _differently(shard: Shard) -> str:
    return f"tier {shard.tier}, shard {shard.index} comes out differently"


def _counterexample(claim: Claim, c: Certificate, ids: tuple[int, ...]) -> list[str]:
    """Return the errors of the counterexample, by the reference semantics."""
    one = claim.frame.restricted(Inputs(claim.vocabulary, ids, 0))
    if not len(one):
        return ["the claim is not about the counterexample"]
    holds, evidence = _judged(claim, one)
    if holds.all():
        contradicted = "; or the function contradicts itself" if claim.code else ""
        return [f"the counterexample refutes nothing{contradicted}"]
    tokens, problems = written(claim.vocabulary, ids), []
    if claim.sides(tokens, [array[0] for array in evidence]) != c.counterexample.get("sides"):
        problems.append("the counterexample refutes the claim, but the two sides say other things")
    parted = claim.divergence(tokens)
    if (None if parted is None else parted.to_json()) != c.counterexample.get("divergence"):
        problems.append("the counterexample refutes the claim, but the streams part elsewhere")
    return problems

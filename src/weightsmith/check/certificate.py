"""Certificates: reading one with suspicion, and deriving again what it says.

How the inputs are divided follows from the claim, so a certificate cannot choose it: tiers, shards and counts that are
not those of the plan are refused. Then its shards are derived again with the readable reference semantics, and where
the claim is refuted, everything before the counterexample, for it is said to be the first.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from weightsmith.automata import read_described
from weightsmith.check.claim import Claim, is_predicate
from weightsmith.check.frame import Claimed, checked_model, make_frame
from weightsmith.check.plan import MAX_LENGTH, Plan, Shard, rank
from weightsmith.check.verdict import CERTIFICATE_FORMAT
from weightsmith.errors import FileError, InputError, brief, cut, listed, whole_number
from weightsmith.model import Transformer, digest
from weightsmith.storage import parse_json, read_json

EARLIER_FORMATS = ("weightsmith certificate 1", "weightsmith certificate 2")
Given: TypeAlias = str | os.PathLike[str] | Mapping[str, Any]  # a certificate: a file, its text, or its data
Function: TypeAlias = Callable[[Any], Any]


@dataclass(frozen=True)
class Certificate:
    """A certificate that says nothing impossible of the given models."""

    data: Mapping[str, Any]
    claim: Claim
    plan: Plan
    claimed: Claimed
    digests: dict[Shard, str]  # of the finished tiers
    refuting: tuple[int, ...] | None

    @classmethod
    def read(cls, given: Given, models: Sequence[Transformer], function: Function | None = None) -> "Certificate":
        """Check everything that can be checked without running anything."""
        data = certificate_data(given)
        claim = read_claim(data, models, function)
        frame, models = claim.frame, claim.models
        with damaged():
            up_to = whole_number(data["up_to"], "up_to", 1, MAX_LENGTH)
            if frame.length not in (None, up_to):
                raise FileError(f"the certificate is damaged: it goes up to {up_to}, and its length is another")
            frame.check_lengths(models, up_to)
            plan = claim.plan(up_to)
            same_identity(data, claim, plan)
            refuting = refuting_input(data, claim, plan.up_to)
            digests = _digests(data["shards"], plan, refuting)
            return cls(data, claim, plan, Claimed(frame, plan), digests, refuting)

    def contradictions(self) -> Iterator[str]:
        """Compare what is said of the whole with what follows from the rest."""
        data, holds = self.data, self.refuting is None
        inputs = self.claimed.inputs if self.refuting is None else self.claimed.up_to(self.refuting)
        if type(data.get("inputs")) is not int or data["inputs"] != inputs:
            yield f"the certificate counts {brief(data.get('inputs'))} inputs, and there are {brief(inputs)}"
        verdict = self.claim.frame.reach(self.plan.up_to) if holds else "refuted"
        if data.get("holds") is not holds or data.get("verdict") != verdict:
            yield "the certificate contradicts itself about what holds"

    @property
    def before(self) -> dict[Shard, int]:
        """The shards of the counterexample's tier, with the longest inputs that come before it or are as long."""
        if self.refuting is None:
            return {}
        length, place = len(self.refuting), rank(self.refuting, self.plan.vocabulary)
        number, tier = next((n, tier) for n, tier in enumerate(self.plan.tiers) if length <= tier.longest)
        longest = {shard: length - (self.plan.first_in(shard, length) > place) for shard in self.plan.shards(number)}
        return {shard: end for shard, end in longest.items() if end >= tier.shortest}


def read_claim(data: Mapping[str, Any], models: Sequence[Transformer], function: Function | None = None) -> Claim:
    """Return the claim of a certificate about models, which may be given in any order."""
    kind = _kind(data, models)
    models = _in_order(data, models)
    if is_predicate(data.get("within")):
        raise InputError("the certificate cannot be replayed: its within is Python code, which is not run by itself")
    with damaged():
        within = data.get("within")
        within = within and read_described(within)
        frame = make_frame(models, data.get("suffix", ()), data.get("length"), within)
    if kind.had_function(data):
        claim = _with_function(kind, data, models, frame, function)
    else:
        with damaged():
            claim = kind.read(data, models, frame)
    if claim.not_data is not None and function is None:
        raise InputError(f"the certificate cannot be replayed: {claim.not_data}")
    return claim


def same_identity(data: Mapping[str, Any], claim: Claim, plan: Plan | None) -> None:
    """Refuse a certificate of something else."""
    wanted = claim.identity(plan)
    for key in wanted.keys() - claim.code:
        if data.get(key) != wanted[key]:
            raise FileError(
                f"the certificate is of something else: its {key} is {brief(data.get(key))}, "
                f"that of the given models is {brief(wanted[key])}"
            )


def certificate_data(given: Given) -> Mapping[str, Any]:
    """Return the data of a certificate, which is not trusted: from a file, from its text, or as it is."""
    if isinstance(given, str) and given.lstrip().startswith("{"):
        data: object = parse_json(given, "the certificate")
    elif isinstance(given, Path) or (isinstance(given, str) and given.strip()):
        data = read_json(given, "the certificate")
    else:
        data = given
    if isinstance(data, Mapping) and data.get("format") in EARLIER_FORMATS:
        raise FileError("the certificate was made by an earlier version: check the claim again")
    if not isinstance(data, Mapping) or data.get("format") != CERTIFICATE_FORMAT:
        raise FileError("this is not a certificate of weightsmith check, or one of another version")
    return data


def models_of(data: Mapping[str, Any]) -> list[str]:
    """Return the digests of the models that a certificate is about."""
    found = data.get("models")
    if not isinstance(found, list) or not all(_is_digest(name) for name in found):
        raise FileError(f"the certificate is damaged: its models are {brief(found)}")
    return found


def _is_digest(value: object) -> bool:
    return isinstance(value, str) and re.fullmatch("[0-9a-f]{64}", value) is not None


@contextmanager
def damaged() -> Iterator[None]:
    """Say of whatever fails that the certificate is damaged."""
    try:
        yield
    except FileError:
        raise
    except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError, RecursionError, re.error) as error:
        raise FileError(f"the certificate is damaged: {type(error).__name__}: {cut(str(error))}") from None


def _kind(data: Mapping[str, Any], models: Sequence[Transformer]) -> type[Claim]:
    """Return the kind of claim; refuse models that cannot be those of the certificate."""
    name = data.get("claim")
    kind = Claim.kinds.get(name) if isinstance(name, str) else None
    if kind is None:
        raise FileError(f"the certificate is damaged: there is no claim {brief(name)}")
    if not isinstance(models, list | tuple) or len(models) != kind.about:
        given = f"{len(models)} are given" if isinstance(models, list | tuple) else f"{brief(models)} is given"
        raise InputError(f"the claim {name} is about {kind.about} model(s), and {given}: write [S, T], or [T]")
    for T in models:
        checked_model(T, "given")
    return kind


def _in_order(data: Mapping[str, Any], models: Sequence[Transformer]) -> Sequence[Transformer]:
    """Return the models in the order of the certificate, which names them by their digests."""
    wanted, found = models_of(data), [digest(T) for T in models]
    if sorted(wanted) != sorted(found):
        raise FileError(
            f"the certificate is of something else: its models have the digests {listed(wanted)}, "
            f"those of the given models are {listed(found)}"
        )
    return models if wanted == found else models[::-1]


def _with_function(
    kind: type[Claim], data: Mapping[str, Any], models: Sequence[Transformer], frame: Any, function: Function | None
) -> Claim:
    """Return a claim with a Python function, which must be given: nothing that stands in a file is run."""
    if function is None:
        raise InputError(
            f"the claim {brief(data['claim'])} holds Python code, which is not run by itself: read its source in the "
            "certificate, and give it: replay(…, function=f)"
        )
    if not callable(function):
        raise InputError(f"function={brief(function)}: write the function that the claim was checked with")
    with damaged():
        return kind.read({**data, "function": function}, models, frame)


def refuting_input(data: Mapping[str, Any], claim: Claim, longest: int) -> tuple[int, ...] | None:
    """Return the counterexample as places in the vocabulary."""
    found = data["counterexample"]
    if found is None:
        return None
    if set(found) != {"input", "sides", "divergence"}:
        raise FileError("the certificate is damaged: a counterexample has an input, what both sides say, a divergence")
    refuting = tuple(claim.vocabulary.index(token) for token in found["input"])
    if len(refuting) not in claim.frame.lengths(1, longest):
        raise FileError(f"the certificate is damaged: its counterexample has {len(refuting)} tokens")
    return refuting


def _digests(given: object, plan: Plan, refuting: tuple[int, ...] | None) -> dict[Shard, str]:
    """Return a digest for each shard of each tier below the counterexample; there must be no other."""
    finished = [t for t, tier in enumerate(plan.tiers) if refuting is None or tier.longest < len(refuting)]
    if not isinstance(given, list) or len(given) != len(finished):
        raise FileError("the certificate is damaged: it does not have the digests of all finished tiers")
    for number, found in zip(finished, given, strict=True):
        if not isinstance(found, list) or len(found) != plan.tiers[number].shards or not all(map(_is_digest, found)):
            raise FileError("the certificate is damaged: a tier does not have a digest for each shard")
    return {shard: given[shard.tier][shard.index] for number in finished for shard in plan.shards(number)}

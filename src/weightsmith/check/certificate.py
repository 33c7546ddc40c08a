"""The two kinds of certificate: of an exhaustive check up to a length, and of a claim about all lengths.

`Exhaustive` and `AllLengths` are the only code that knows the entries of the file. `dump` gives the data that
`verdict.save` writes, `parse` reads it back, and `statement` says in a sentence what it claims. Nothing is derived
here. A parsed certificate is untrusted: `check/replaying.py` compares it with what follows from its models.
"""

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar, Self, TypeAlias

from weightsmith.automata import read_described
from weightsmith.check.claim import Claim, is_predicate
from weightsmith.check.entries import (
    MAX_TOKENS,
    counterexample_text,
    damaged_entry,
    is_digest,
    language_text,
    short_text,
)
from weightsmith.check.frame import Frame, checked_model, make_frame
from weightsmith.check.models import Model
from weightsmith.check.plan import MAX_LENGTH, Plan, Shard
from weightsmith.errors import FileError, InputError, brief, cut, listed, shown, whole_number
from weightsmith.model import digest
from weightsmith.storage import parse_json, read_json

FORMAT = "weightsmith certificate 3"
EARLIER_FORMATS = ("weightsmith certificate 1", "weightsmith certificate 2")
ORIGIN = ("seconds", "finished", "versions", "files")
MAX_COUNT = 10**30  # inputs; larger counts are rounded in a statement
Function: TypeAlias = Callable[[Any], Any]


@dataclass(frozen=True, kw_only=True)
class Certificate(ABC):
    """The entries that both kinds have. An entry of type `Any` was not checked when the certificate was parsed."""

    own: ClassVar[tuple[str, ...]] = ()  # entries of this kind alone
    claim: Any
    models: Any
    described: Mapping[str, Any]  # by `Claim.described` and `Frame.described`: language, yes, suffix, within …
    vocabulary: Any
    semantics: Any
    verdict: Any
    holds: Any
    inputs: Any
    counterexample: Any
    origin: Mapping[str, Any]  # the entries ORIGIN

    @classmethod
    def parse(cls, data: Mapping[str, Any]) -> Self:
        """Return the certificate with these entries."""
        shared = ("claim", "models", "vocabulary", "semantics", "verdict", "holds", "inputs")
        with damaged():
            known = {name: data.get(name) for name in shared} | {"counterexample": data["counterexample"]}
            known |= {name: data[name] for name in cls.own if name in data}
        others = data.keys() - known.keys() - {"format", *ORIGIN}
        described = {name: data[name] for name in data if name in others}
        return cls(**known, described=described, origin={name: data[name] for name in ORIGIN if name in data})

    @classmethod
    def of(cls, claim: Claim, plan: Plan | None, **entries: Any) -> Self:
        """Return the certificate of a claim."""
        return cls.parse({**claim.identity(plan), **entries})

    @abstractmethod
    def dump(self) -> dict[str, Any]:
        """Return the entries in the order of the file."""

    @abstractmethod
    def result(self) -> str:
        """Say how far the claim was checked, or what refutes it."""

    @property
    def kind(self) -> type[Claim]:
        """The kind of claim."""
        kind = Claim.kinds.get(self.claim) if isinstance(self.claim, str) else None
        if kind is None:
            raise FileError(f"the certificate is damaged: there is no claim {brief(self.claim)}")
        return kind

    @property
    def digests(self) -> list[str]:
        """The digests of its models."""
        if not isinstance(self.models, list) or not all(map(is_digest, self.models)):
            raise FileError(f"the certificate is damaged: its models are {brief(self.models)}")
        return self.models

    def statement(self) -> str:
        """Say what is claimed of which inputs, and the result. Each entry that is named is checked, none is derived."""
        if len(self.digests) != self.kind.about:
            raise damaged_entry("claim", self.claim)
        parts = [self.kind.cited(self.described)]
        suffix = self.described.get("suffix", [])
        if not isinstance(suffix, list) or not all(isinstance(token, str) and token for token in suffix):
            raise damaged_entry("suffix", suffix)
        if suffix:
            parts.append(f"each input followed by {short_text(' '.join(map(shown, suffix)))}")
        if (length := self.length) is not None:
            parts.append(f"on inputs of length {length:,}")
        if (within := self.described.get("within")) is not None:
            parts.append(f"on inputs {language_text('within', within)}")
        return f"{', '.join(parts)}: {self.result()}"

    def theorem(self) -> str:
        """Return the statement with its subject, as the title of a theorem has it."""
        statement = self.statement()
        subject = "Two transformers with the" if statement.startswith("same ") else "A transformer"
        return f"{subject} {'whose ' if statement.startswith('final ') else ''}{statement}"

    @property
    def length(self) -> int | None:
        """The length of the inputs, where the claim is about one length."""
        length = self.described.get("length")
        return None if length is None else _length("length", length)

    def claim_about(self, models: Sequence[Model], function: Function | None = None) -> Claim:
        """Return the claim about models, which may come in any order. Its Python function must be passed."""
        kind = self.kind
        models = self._in_order(_as_many(kind, models))
        within = self.described.get("within")
        if is_predicate(within):
            raise InputError(
                "the certificate cannot be replayed: its within is Python code, which is not run by itself"
            )
        with damaged():
            within = within and read_described(within)
            frame = make_frame(models, self.described.get("suffix", ()), self.described.get("length"), within)
        if kind.had_function(self.described):
            claim = self._with_function(kind, models, frame, function)
        else:
            with damaged():
                claim = kind.read(self.described, models, frame)
        if claim.not_data is not None and function is None:
            raise InputError(f"the certificate cannot be replayed: {claim.not_data}")
        return claim

    def _in_order(self, models: Sequence[Model]) -> Sequence[Model]:
        """Return the models in the order of the certificate, which lists them by digest."""
        wanted, present = self.digests, [digest(T) for T in models]
        if sorted(wanted) != sorted(present):
            raise FileError(
                f"the certificate is of something else: its models have the digests {listed(wanted)}, "
                f"those of the given models are {listed(present)}"
            )
        return models if wanted == present else models[::-1]

    def _with_function(
        self, kind: type[Claim], models: Sequence[Model], frame: Frame, function: Function | None
    ) -> Claim:
        if function is None:
            raise InputError(
                f"the claim {brief(self.claim)} holds Python code, which is not run by itself: read its source in the "
                "certificate, and give it: replay(…, function=f)"
            )
        if not callable(function):
            raise InputError(f"function={brief(function)}: write the function that the claim was checked with")
        with damaged():
            return kind.read({**self.described, "function": function}, models, frame)

    def check_identity(self, claim: Claim, plan: Plan | None) -> None:
        """Refuse a certificate of another claim."""
        entries, wanted = self.dump(), claim.identity(plan)
        for name in wanted.keys() - claim.code:
            if entries.get(name) != wanted[name]:
                raise FileError(
                    f"the certificate is of something else: its {name} is {brief(entries.get(name))}, "
                    f"that of the given models is {brief(wanted[name])}"
                )

    def refuting_input(self, claim: Claim, longest: int) -> tuple[int, ...] | None:
        """Return the counterexample as token ids."""
        if self.counterexample is None:
            return None
        with damaged():
            if set(self.counterexample) != {"input", "sides", "divergence"}:
                raise FileError(
                    "the certificate is damaged: a counterexample has an input, what both sides say, a divergence"
                )
            refuting = tuple(claim.vocabulary.index(token) for token in self.counterexample["input"])
            if len(refuting) not in claim.frame.lengths(1, longest):
                raise FileError(f"the certificate is damaged: its counterexample has {len(refuting)} tokens")
            return refuting


@dataclass(frozen=True, kw_only=True)
class Exhaustive(Certificate):
    """A check of every input up to a length: the tiers of its plan, and a digest of what each shard showed."""

    own = ("up_to", "tiers", "shards")
    up_to: Any = None
    tiers: Any = None
    shards: Any = None

    def dump(self) -> dict[str, Any]:
        """Return the entries in the order of the file."""
        return {
            "format": FORMAT, "claim": self.claim, "models": self.models, **self.described,
            "vocabulary": self.vocabulary, "up_to": self.up_to, "semantics": self.semantics, "tiers": self.tiers,
            "verdict": self.verdict, "holds": self.holds, "inputs": self.inputs,
            "counterexample": self.counterexample, "shards": self.shards, **self.origin,
        }  # fmt: skip

    def result(self) -> str:
        """Say up to which length it was checked and how many inputs there are, or what refutes it."""
        up_to, length, refuted = _length("up_to", self.up_to), self.length, self.counterexample is not None
        if type(self.inputs) is not int or self.inputs < 0:
            raise damaged_entry("inputs", self.inputs)
        reach = Frame(length=length).reach(up_to)
        if self.holds is not (self.counterexample is None) or self.verdict != ("refuted" if refuted else reach):
            raise damaged_entry("verdict", self.verdict)
        count = f"{self.inputs:,}" if self.inputs < MAX_COUNT else f"{Decimal(self.inputs):.1e}".replace("e+", "e")
        if refuted:
            claimed, which = ("", "first") if length is not None else (f"claimed up to length {up_to:,}, ", "shortest")
            text = counterexample_text(self.counterexample, self.vocabulary, up_to)
            return f"{claimed}refuted by {text}, the {which}, input number {count} in order"
        amount = {0: "no input", 1: "the only input"}.get(self.inputs, f"all {count} inputs")
        return f"exhaustive up to length {up_to:,}, {amount}" if length is None else f"exhaustive, {amount}"

    def plan(self, claim: Claim) -> Plan:
        """Return the plan of a claim up to the length of the certificate; refuse a length that cannot be checked."""
        with damaged():
            up_to = whole_number(self.up_to, "up_to", 1, MAX_LENGTH)
            if claim.frame.length not in (None, up_to):
                raise FileError(f"the certificate is damaged: it goes up to {up_to}, and its length is another")
            claim.frame.check_lengths(claim.models, up_to)
            return claim.plan(up_to)

    def shard_digests(self, plan: Plan, refuting: tuple[int, ...] | None) -> dict[Shard, str]:
        """Return a digest for each shard of each tier below the counterexample; there must be no other."""
        finished = [t for t, tier in enumerate(plan.tiers) if refuting is None or tier.longest < len(refuting)]
        if not isinstance(self.shards, list) or len(self.shards) != len(finished):
            raise FileError("the certificate is damaged: it does not have the digests of all finished tiers")
        for number, tier in zip(finished, self.shards, strict=True):
            if not isinstance(tier, list) or len(tier) != plan.tiers[number].shards or not all(map(is_digest, tier)):
                raise FileError("the certificate is damaged: a tier does not have a digest for each shard")
        return {shard: self.shards[shard.tier][shard.index] for number in finished for shard in plan.shards(number)}


@dataclass(frozen=True, kw_only=True)
class AllLengths(Certificate):
    """A claim about all lengths, or about every input that fits a position table; where it holds, with a proof."""

    own = ("scope", "unknown", "shortest", "automata", "codes", "proof", "digest")
    scope: Any
    unknown: Any = None  # the reason, where nothing is known
    shortest: Any = None  # False where the counterexample may not be the shortest
    automata: Any = None
    codes: Any = None  # of a claim about the stream: the values that labels stand for
    proof: Any = None
    digest: Any = None  # of all other entries: see `proof.sealed`

    def dump(self) -> dict[str, Any]:
        """Return the entries in the order of the file; the optional ones only where they were set."""
        rare = {"unknown": self.unknown, "shortest": self.shortest}
        proof = {"automata": self.automata, "codes": self.codes, "proof": self.proof, "digest": self.digest}
        return {
            "format": FORMAT, "claim": self.claim, "models": self.models, **self.described,
            "vocabulary": self.vocabulary, "semantics": self.semantics, "scope": self.scope,
            "verdict": self.verdict, "holds": self.holds, "inputs": self.inputs,
            "counterexample": self.counterexample, **_set(rare), **self.origin, **_set(proof),
        }  # fmt: skip

    @property
    def consistent(self) -> bool:
        """Whether `verdict`, `holds` and the counterexample agree."""
        known = self.holds is None or type(self.holds) is bool
        verdict = self.expected_verdict(self.scope, self.holds) if known else None
        return known and self.verdict == verdict and (self.holds is False) == (self.counterexample is not None)

    @staticmethod
    def expected_verdict(scope: str, holds: bool | None) -> str:
        """Return the entry `verdict`."""
        return {True: f"proved, {scope}", False: "refuted", None: "unknown"}[holds]

    def result(self) -> str:
        """Say for which lengths it was proved, or what refutes it."""
        if not isinstance(self.scope, str) or re.fullmatch("all lengths|up to [0-9]{1,9}", self.scope) is None:
            raise damaged_entry("scope", self.scope)
        if not self.consistent:
            raise damaged_entry("verdict", self.verdict)
        if self.counterexample is not None:
            text = counterexample_text(self.counterexample, self.vocabulary, MAX_TOKENS)
            return f"claimed for {self.scope}, refuted by {text}, {which_counterexample(self.shortest is not False)}"
        proved = f"proved for {self.scope}".replace("for up to", "up to")
        return proved if self.holds else f"unknown beyond {self.scope}".replace("beyond up to", "beyond length")


Given: TypeAlias = str | os.PathLike[str] | Mapping[str, Any] | Exhaustive | AllLengths  # a file, its text, its data


def parse(given: Given) -> Exhaustive | AllLengths:
    """Return the certificate in a file, in a text, or in data."""
    if isinstance(given, Exhaustive | AllLengths):
        return given
    data = data_of(given)
    if isinstance(data, Mapping) and data.get("format") in EARLIER_FORMATS:
        raise FileError("the certificate was made by an earlier version: check the claim again")
    if not isinstance(data, Mapping) or data.get("format") != FORMAT:
        raise FileError("this is not a certificate of weightsmith check, or one of another version")
    return (AllLengths if "scope" in data else Exhaustive).parse(data)


def data_of(given: object) -> object:
    """Return the data of a certificate in a file or in a text; other values as they are."""
    if isinstance(given, str) and given.lstrip().startswith("{"):
        return parse_json(given, "the certificate")
    if isinstance(given, Path) or (isinstance(given, str) and given.strip()):
        return read_json(given, "the certificate")
    return given


@contextmanager
def damaged() -> Iterator[None]:
    """Report a failure inside as a damaged certificate."""
    try:
        yield
    except FileError:
        raise
    except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError, RecursionError, re.error) as error:
        raise FileError(f"the certificate is damaged: {type(error).__name__}: {cut(str(error))}") from None


def which_counterexample(shortest: bool) -> str:
    """Say whether a counterexample was checked to be the shortest."""
    return "the shortest" if shortest else "perhaps not the shortest"


def _as_many(kind: type[Claim], models: Sequence[Model]) -> Sequence[Model]:
    """Refuse another number of models than the claim is about."""
    if not isinstance(models, list | tuple) or len(models) != kind.about:
        given = f"{len(models)} are given" if isinstance(models, list | tuple) else f"{brief(models)} is given"
        raise InputError(f"the claim {kind.kind} is about {kind.about} model(s), and {given}: write [S, T], or [T]")
    for T in models:
        checked_model(T, "given")
    return models


def _length(name: str, value: object) -> int:
    try:
        return whole_number(value, name, 1, MAX_LENGTH)
    except ValueError:
        raise damaged_entry(name, value) from None


def _set(entries: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in entries.items() if value is not None}

"""The certificate of a family: a certificate for each T_n, and the bytes of the models.

A builder is a Python function, which no certificate holds: a family is certified as data. Each T_n is named by its
digest, and its bytes stand beside the certificates, once for equal models. A replay reads them, compares the digests
and derives every certificate again; with the family it also builds every T_n anew and compares it.
"""

import base64
import binascii
import platform
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from weightsmith._version import __version__
from weightsmith.arithmetic import Arithmetic, parse_arithmetic
from weightsmith.automata import description_of, read_described, source_of
from weightsmith.check.certificate import Function, damaged
from weightsmith.check.claim import is_predicate
from weightsmith.check.entries import damaged_entry, is_digest, language_text, short_text
from weightsmith.check.members import LengthResult, Question
from weightsmith.check.models import Model
from weightsmith.errors import FileError, InputError, brief, shown, whole_number
from weightsmith.files import from_bytes, model_bytes
from weightsmith.model import Family, digest
from weightsmith.semantics import SEMANTICS_VERSION

FORMAT = "weightsmith family certificate 1"
MAX_MODELS_BYTES = 64 << 20  # of all models in a certificate: beyond, digests only
MAX_MODEL_BYTES = 256 << 20  # of one model, when its bytes are unpacked
MAX_N = 10_000
STATUSES = ("right", "wrong", "refused", "unknown")
INPUTS = ("of length n", "up to n")


def is_family_certificate(data: object) -> bool:
    """Return whether data is the certificate of a family."""
    return isinstance(data, Mapping) and data.get("format") == FORMAT


def family_certificate(
    question: Question, results: Sequence[LengthResult], up_to: int, holds: bool | None, seconds: float
) -> dict[str, Any]:
    """Return the entries of a certificate."""
    family, members, models = question.family, [], dict[str, Model]()
    for result in results:
        entry: dict[str, Any] = {"n": result.n, "arithmetic": result.arithmetic, "status": result.status}
        if result.verdict is not None:
            (T,) = result.verdict.claim.models
            models[digest(T)] = T
            entry |= {"model": digest(T), "certificate": result.verdict.certificate()}
        else:
            entry["reason"] = result.reason
        members.append(entry)
    return {
        "format": FORMAT,
        "claim": "family",
        "family": family.name,
        "builder": source_of(family.build),
        "language": description_of(question.language),
        "yes": question.yes,
        "suffix": list(family.suffix),
        "inputs": "up to n" if question.shorter else "of length n",
        "up_to": up_to,
        "semantics": SEMANTICS_VERSION,
        "verdict": verdict_text(holds, up_to),
        "holds": holds,
        "members": members,
        "seconds": round(seconds, 3),
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": {"weightsmith": __version__, "python": platform.python_version()},
        "models": _packed(models),
    }


def _packed(models: Mapping[str, Model]) -> dict[str, str]:
    """Return the bytes of models by digest, compressed and in base 64; {} where they are too large."""
    packed, size = {}, 0
    for name, T in models.items():
        packed[name] = base64.b64encode(zlib.compress(model_bytes(T), 9)).decode()
        size += len(packed[name])
        if size > MAX_MODELS_BYTES:
            return {}
    return packed


@dataclass(frozen=True)
class FamilyCertificate:
    """A parsed certificate, which is untrusted: `check/family_replay.py` derives it again."""

    data: Mapping[str, Any]

    @property
    def origin(self) -> Mapping[str, Any]:
        """When it was made, and by which versions."""
        return {name: self.data.get(name) for name in ("seconds", "finished", "versions")}

    @property
    def up_to(self) -> int:
        """The greatest n."""
        with damaged():
            return whole_number(self.data.get("up_to"), "up_to", 1, MAX_N)

    @property
    def members(self) -> list[Mapping[str, Any]]:
        """The entry of each n, in order from 1."""
        given = self.data.get("members")
        if not isinstance(given, list) or not 1 <= len(given) <= self.up_to:
            raise damaged_entry("members", given)
        for n, one in enumerate(given, 1):
            if not isinstance(one, Mapping) or one.get("n") != n or one.get("status") not in STATUSES:
                raise damaged_entry("members", one)
            if not isinstance(one.get("arithmetic"), str):
                raise damaged_entry("arithmetic", one.get("arithmetic"))
            if ("certificate" in one) != is_digest(one.get("model")):
                raise damaged_entry("members", one)
        return given

    @property
    def digests(self) -> list[str]:
        """The digest of each model, once."""
        return list(dict.fromkeys(one["model"] for one in self.members if "certificate" in one))

    @property
    def holds(self) -> bool | None:
        """What follows from its members."""
        statuses = [one["status"] for one in self.members]
        if statuses[-1] == "wrong":
            return False
        return True if len(statuses) == self.up_to and set(statuses) == {"right"} else None

    @property
    def expected_verdict(self) -> str:
        """The entry `verdict` that follows from its members."""
        return verdict_text(self.holds, self.up_to)

    def question(self, function: Function | None = None) -> Question:
        """Return what it asks of each T_n; the Python function of a language must be passed."""
        described, suffix = self.data.get("language"), self.data.get("suffix")
        if is_predicate(described):
            if not callable(function):
                raise InputError(
                    "the language of the certificate is Python code, which is not run by itself: read its source in "
                    "the certificate, and give it: replay(…, function=f)"
                )
            wanted: Any = function
        else:
            with damaged():
                wanted = read_described(described)  # type: ignore[arg-type]
        with damaged():
            if self.data["inputs"] not in INPUTS:
                raise damaged_entry("inputs", self.data["inputs"])
            family = Family(_no_builder, str(self.data["family"]), suffix)  # type: ignore[arg-type]
            return Question(family, wanted, self.data["yes"], shorter=self.data["inputs"] == "up to n")

    def statement(self) -> str:
        """Say what it claims, in a sentence."""
        name, yes = self.data.get("family"), self.data.get("yes")
        if not isinstance(name, str) or not isinstance(yes, str):
            raise damaged_entry("family", name)
        if self.data.get("inputs") not in INPUTS:
            raise damaged_entry("inputs", self.data.get("inputs"))
        text = language_text("language", self.data.get("language"))
        claim = f"each T_n of {short_text(shown(name))} recognizes as {short_text(shown(yes))} the inputs {text}"
        return f"{claim}, inputs {self.data['inputs']}: {self._result()}"

    def theorem(self) -> str:
        """Return the statement as the title of a theorem."""
        statement = self.statement()
        return statement[0].upper() + statement[1:]

    def _result(self) -> str:
        if self.holds is False:
            last = self.members[-1]
            with damaged():
                tokens = last["certificate"]["counterexample"]["input"]
                between = "" if all(len(token) == 1 for token in tokens) else " "
                text = short_text(shown(between.join(tokens)))
            return f"refuted at n = {last['n']} in {short_text(shown(last['arithmetic']))} by {text}"
        return f"holds for n up to {self.up_to}" if self.holds else f"unknown for n up to {self.up_to}"

    def model(self, name: str) -> Model | None:
        """Return a model of the certificate; None where its bytes are not in it."""
        packed = self.data.get("models")
        if not isinstance(packed, Mapping):
            raise damaged_entry("models", packed)
        if name not in packed:
            return None
        T = from_bytes(_unpacked(packed[name]), f"the model {name[:12]} of the certificate")
        if digest(T) != name:
            raise FileError(f"the certificate is damaged: its model {name[:12]} has the digest {digest(T)[:12]}")
        return T


def verdict_text(holds: bool | None, up_to: int) -> str:
    """Return the entry `verdict`."""
    return {True: f"every T_n up to {up_to}", False: "refuted", None: "unknown"}[holds]


def _no_builder(n: int, arithmetic: Arithmetic) -> Model:
    raise InputError("a certificate has no builder: write replay(certificate, F) with the family")


def _unpacked(text: object) -> bytes:
    """Return the bytes of a model; refuse what unpacks to more than a model may have."""
    if not isinstance(text, str):
        raise damaged_entry("models", text)
    try:
        unpacking = zlib.decompressobj()
        data = unpacking.decompress(base64.b64decode(text, validate=True), MAX_MODEL_BYTES)
    except (binascii.Error, ValueError, zlib.error):
        raise damaged_entry("models", text) from None
    if unpacking.unconsumed_tail or not unpacking.eof:
        raise FileError(f"the certificate is damaged: a model of it has more than {MAX_MODEL_BYTES:,} bytes")
    return data


def rebuilt(family: object, one: Mapping[str, Any]) -> Model:
    """Build T_n of a certificate's entry anew."""
    if not isinstance(family, Family):
        raise InputError(f"{brief(family)} is not a family: write the one that was checked, or leave it out")
    with damaged():
        arithmetic = parse_arithmetic(one["arithmetic"])
    return family(one["n"], arithmetic)

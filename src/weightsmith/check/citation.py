"""Citing a certificate: what it says, in a line of text and as an entry of BibTeX.

Nothing is derived here and the file is not trusted: each value must be what a certificate can hold, and is shown so
that neither a terminal nor LaTeX takes it for a command. What is too long to be shown is cut, and named by its digest.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from weightsmith.automata import input_text, written
from weightsmith.check.certificate import Given, certificate_data, models_of
from weightsmith.check.claim import Claim
from weightsmith.check.every_length import which_counterexample
from weightsmith.check.plan import MAX_LENGTH
from weightsmith.errors import FileError, brief, cut, shown, whole_number

MAX_SHOWN = 200  # characters of a language, of a counterexample
MAX_TOKENS = 1_000_000  # of a vocabulary
MAX_COUNT = 10**30  # what is written out; nobody has run more
AGAIN = (
    "This is what the certificate says; nothing of it was derived here. "
    "weightsmith check --replay FILE --model MODEL derives it again."
)
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
ESCAPES = {
    **{sign: f"\\{sign}" for sign in "#$%&_"},
    "\\": "\\textbackslash{}", "{": "\\textbraceleft{}", "}": "\\textbraceright{}", "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}", "|": "\\textbar{}", "<": "\\textless{}", ">": "\\textgreater{}",
    "`": "\\textasciigrave{}", "'": "\\textquotesingle{}", '"': "\\textquotedbl{}", "-": "{-}", "@": "{@}",
}  # fmt: skip  # BibTeX counts braces also behind a backslash, so \{ will not do


def cite(certificate: Given) -> str:
    """Return a citation of a certificate, which is a file, its text or its data: a line of text, and BibTeX.

    It states what the certificate says, and derives nothing: `replay` does.

    >>> from weightsmith import check, library
    >>> v = check.recognizes(library.contains("1"), "0*1.*", up_to=4)
    >>> cite(v.certificate()).partition("; model")[0]
    'recognizes as YES the inputs that match 0*1.*: exhaustive up to length 4, all 30 inputs'
    """
    data = certificate_data(certificate)
    claim, result, models = _claim(data), _result(data), " and ".join(f"sha256:{one}" for one in _models(data))
    version, day = _version(data), _day(data)
    plural = "models" if len(_models(data)) > 1 else "model"
    text = f"{claim}: {result}; {plural} {models}; Weightsmith {version}, {day:%Y-%m-%d}"
    fields = {
        "title": "{{" + escaped(f"{claim[0].upper()}{claim[1:]}: {result}") + "}}",  # two: styles change case
        "howpublished": "{" + escaped(f"Certificate of Weightsmith {version}") + "}",
        "year": f"{{{day.year}}}",
        "month": MONTHS[day.month - 1],
        "note": "{" + escaped(f"{plural} {models}; {day:%Y-%m-%d}; as the certificate says") + "}",
    }
    key = f"weightsmith-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
    entry = ",\n".join([f"@misc{{{key}", *(f"  {name:12} = {value}" for name, value in fields.items())])
    return f"{text}\n\n{entry},\n}}\n\n{AGAIN}"


def escaped(text: str) -> str:
    """Return a text so that BibTeX and LaTeX print it: special characters by name, others than ASCII by number.

    >>> escaped("a_b{2} ∞")
    'a\\\\_b\\\\textbraceleft{}2\\\\textbraceright{} U+221E'
    """
    return "".join(ESCAPES.get(sign, sign if " " <= sign <= "~" else f"U+{ord(sign):04X}") for sign in text)


def _models(data: Mapping[str, Any]) -> list[str]:
    name, found = data.get("claim"), models_of(data)
    kind = Claim.kinds.get(name) if isinstance(name, str) else None
    if kind is None or len(found) != kind.about:
        raise _damaged("claim", name)
    return found


def _claim(data: Mapping[str, Any]) -> str:
    """Say in words what is claimed, and of which inputs."""
    _models(data)
    kind = str(data["claim"])
    words = {
        "recognizes": _recognized,
        "agrees_with": _by_function,
        "final_vectors": _by_function,
        "computes": _computed,
    }
    parts = [words[kind](data) if kind in words else kind.replace("_", " ")]
    suffix = data.get("suffix", [])
    if not isinstance(suffix, list) or not all(isinstance(token, str) and token for token in suffix):
        raise _damaged("suffix", suffix)
    if suffix:
        parts.append(f"each input followed by {_short(' '.join(map(shown, suffix)))}")
    if data.get("length") is not None:
        parts.append(f"on inputs of length {_length(data, 'length'):,}")
    if data.get("within") is not None:
        parts.append(f"on inputs {_language(data, 'within')}")
    return ", ".join(parts)


def _recognized(data: Mapping[str, Any]) -> str:
    yes = data.get("yes")
    if not isinstance(yes, str):
        raise _damaged("yes", yes)
    return f"recognizes as {_short(shown(yes))} the inputs {_language(data, 'language')}"


def _by_function(data: Mapping[str, Any]) -> str:
    words = "agrees with" if data["claim"] == "agrees_with" else "final vectors satisfy"
    return f"{words} {_function(data.get('function'), 'function')}"


def _computed(data: Mapping[str, Any]) -> str:
    given = data.get("program")
    if not isinstance(given, Mapping) or not isinstance(given.get("name"), str | None):
        raise _damaged("program", given)
    name = "" if given.get("name") is None else f" {_short(shown(given['name']))}"
    return f"computes the program{name} {_digest(given, 'program')} at every position"


def _language(data: Mapping[str, Any], key: str) -> str:
    """Say which inputs belong to a language, after "inputs"."""
    given = data.get(key)
    if isinstance(given, Mapping) and isinstance(given.get("regex"), str) and _are_flags(given.get("flags")):
        flags = given["flags"] & ~re.UNICODE  # which all texts have
        named = ", ".join(str(flag.name) for flag in re.RegexFlag if flag & flags)
        return f"that match {_short(shown(given['regex']), given['regex'])}" + (f" ({named})" if named else "")
    if isinstance(given, Mapping) and isinstance(given.get("automaton"), Mapping):
        return f"that the automaton {_digest(given['automaton'], key)} accepts"
    if isinstance(given, Mapping) and "predicate" in given:
        return f"for which {_function(given['predicate'], key)} is true"
    raise _damaged(key, given)


def _are_flags(value: object) -> bool:
    return type(value) is int and 0 <= value < 1024


def _function(given: object, key: str) -> str:
    if not isinstance(given, Mapping) or not isinstance(given.get("name"), str):
        raise _damaged(key, given)
    return f"the Python function {_short(shown(given['name']))} {_digest(given, key)}"


def _result(data: Mapping[str, Any]) -> str:
    """Say how far it was checked and of how many inputs, or what refutes it."""
    if "scope" in data:
        return _decided(data)
    up_to, inputs, found = _length(data, "up_to"), data.get("inputs"), data.get("counterexample")
    if type(inputs) is not int or inputs < 0:
        raise _damaged("inputs", inputs)
    length = None if data.get("length") is None else _length(data, "length")
    reach = f"exhaustive up to {up_to}" if length is None else f"exhaustive at length {length}"
    if data.get("holds") is not (found is None) or data.get("verdict") != (reach if found is None else "refuted"):
        raise _damaged("verdict", data.get("verdict"))
    counted = f"{inputs:,}" if inputs < MAX_COUNT else f"{Decimal(inputs):.1e}".replace("e+", "e")
    if found is not None:
        claimed, which = ("", "first") if length is not None else (f"claimed up to length {up_to:,}, ", "shortest")
        return f"{claimed}refuted by {_refuting(data, up_to)}, the {which}, input number {counted} in order"
    amount = {0: "no input", 1: "the only input"}.get(inputs, f"all {counted} inputs")
    return f"exhaustive up to length {up_to:,}, {amount}" if length is None else f"exhaustive, {amount}"


def _decided(data: Mapping[str, Any]) -> str:
    """Say what automata decided of all lengths, or of every input that fits a position table."""
    scope, holds, found = data.get("scope"), data.get("holds"), data.get("counterexample")
    if not isinstance(scope, str) or re.fullmatch("all lengths|up to [0-9]{1,9}", scope) is None:
        raise _damaged("scope", scope)
    wanted = (
        {True: f"proved, {scope}", False: "refuted", None: "unknown"}.get(holds) if holds in (True, False, None) else 0
    )
    if data.get("verdict") != wanted or (holds is False) is not (found is not None):
        raise _damaged("verdict", data.get("verdict"))
    if found is not None:
        which = which_counterexample(data.get("shortest") is not False)
        return f"claimed for {scope}, refuted by {_refuting(data, MAX_TOKENS)}, {which}"
    return f"proved for {scope}".replace("for up to", "up to") if holds else f"unknown beyond {scope}"


def _refuting(data: Mapping[str, Any], up_to: int) -> str:
    found, vocabulary = data["counterexample"], data.get("vocabulary")
    tokens = found.get("input") if isinstance(found, Mapping) else None
    for key, some, most in (("vocabulary", vocabulary, MAX_TOKENS), ("counterexample", tokens, up_to)):
        if not isinstance(some, list) or not 1 <= len(some) <= most or not all(isinstance(one, str) for one in some):
            raise _damaged(key, some)
    assert isinstance(vocabulary, list)
    assert isinstance(tokens, list)
    places = {token: i for i, token in enumerate(vocabulary)}
    if not all(token in places for token in tokens):
        raise _damaged("counterexample", tokens)
    text = input_text(written(vocabulary, [places[token] for token in tokens]))
    return _short(shown(text), text) + ("" if len(text) <= MAX_SHOWN else f" of length {len(tokens):,}")


def _version(data: Mapping[str, Any]) -> str:
    versions = data.get("versions")
    found = versions.get("weightsmith") if isinstance(versions, Mapping) else None
    if not isinstance(found, str) or re.fullmatch(r"[0-9A-Za-z.+!-]{1,40}", found) is None:
        raise _damaged("versions", versions)
    return found


def _day(data: Mapping[str, Any]) -> datetime:
    found = data.get("finished")
    try:
        if isinstance(found, str) and re.fullmatch(r"[0-9T:+Z.-]{10,40}", found):
            return datetime.fromisoformat(found).astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise _damaged("finished", found)


def _length(data: Mapping[str, Any], key: str) -> int:
    try:
        return whole_number(data.get(key), key, 1, MAX_LENGTH)
    except ValueError:
        raise _damaged(key, data.get(key)) from None


def _short(text: str, whole: str | None = None) -> str:
    """Return a text that may be shown, or its beginning with the digest of the whole."""
    return text if len(text) <= MAX_SHOWN else f"{cut(text, MAX_SHOWN)} (sha256:{_sha(whole or text)})"


def _digest(given: object, key: str) -> str:
    try:
        return f"sha256:{_sha(json.dumps(given, sort_keys=True))}"
    except (TypeError, ValueError, RecursionError):
        raise _damaged(key, given) from None


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _damaged(key: str, value: object) -> FileError:
    return FileError(f"the certificate is damaged: its {key} is {brief(value)}")

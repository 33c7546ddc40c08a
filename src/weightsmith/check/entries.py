"""Entries of a certificate in words, for citations. Certificates are untrusted: an impossible entry is a `FileError`.

Text too long for a line is cut and identified by its SHA-256 digest.
"""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

from weightsmith.automata import input_text, written
from weightsmith.automata.named import read_named
from weightsmith.errors import FileError, brief, cut, shown

MAX_SHOWN = 200  # characters of a language, of a counterexample
MAX_TOKENS = 1_000_000  # of a vocabulary, of a counterexample


def damaged_entry(name: str, value: object) -> FileError:
    """Return the error for an entry with an impossible value."""
    return FileError(f"the certificate is damaged: its {name} is {brief(value)}")


def is_digest(value: object) -> TypeGuard[str]:
    """Return whether a value is a SHA-256 digest in hexadecimal."""
    return isinstance(value, str) and re.fullmatch("[0-9a-f]{64}", value) is not None


def short_text(text: str, whole: str | None = None) -> str:
    """Return a printable text; a long one is cut, followed by the digest of `whole`."""
    return text if len(text) <= MAX_SHOWN else f"{cut(text, MAX_SHOWN)} (sha256:{_sha256(whole or text)})"


def language_text(name: str, value: Any) -> str:
    """Say which inputs belong to a language, after "inputs": see `Language.described`."""
    value = value if isinstance(value, Mapping) else {}
    if isinstance(value.get("regex"), str) and type(value.get("flags")) is int and 0 <= value["flags"] < 1024:
        flags = value["flags"] & ~re.UNICODE  # the default for text
        names = ", ".join(str(flag.name) for flag in re.RegexFlag if flag & flags)
        return f"that match {short_text(shown(value['regex']), value['regex'])}" + (f" ({names})" if names else "")
    if isinstance(value.get("automaton"), Mapping):
        return f"that the automaton {digest_text(name, value['automaton'])} accepts"
    if isinstance(value.get("named"), str):
        return f"of {short_text(shown(_named_language(name, value)))}"
    if "predicate" in value:
        return f"for which {function_text(name, value['predicate'])} is true"
    raise damaged_entry(name, value)


def _named_language(name: str, value: Mapping[str, Any]) -> str:
    try:
        return str(read_named(value))
    except (TypeError, ValueError):
        raise damaged_entry(name, value) from None


def function_text(name: str, value: Any) -> str:
    """Name a Python function: see `source_of`."""
    if not isinstance(value, Mapping) or not isinstance(value.get("name"), str):
        raise damaged_entry(name, value)
    return f"the Python function {short_text(shown(value['name']))} {digest_text(name, value)}"


def counterexample_text(value: object, vocabulary: object, longest: int) -> str:
    """Return the input of a counterexample, as a text."""
    tokens = value.get("input") if isinstance(value, Mapping) else None
    known = _tokens("vocabulary", vocabulary, MAX_TOKENS)
    ids = {token: i for i, token in enumerate(known)}
    refuting = _tokens("counterexample", tokens, longest)
    if not all(token in ids for token in refuting):
        raise damaged_entry("counterexample", tokens)
    text = input_text(written(known, [ids[token] for token in refuting]))
    return short_text(shown(text), text) + ("" if len(text) <= MAX_SHOWN else f" of length {len(refuting):,}")


def _tokens(name: str, value: object, most: int) -> Sequence[str]:
    if not isinstance(value, list) or not 1 <= len(value) <= most or not all(isinstance(one, str) for one in value):
        raise damaged_entry(name, value)
    return value


def digest_text(name: str, value: object) -> str:
    """Return the digest of an entry."""
    try:
        return f"sha256:{_sha256(json.dumps(value, sort_keys=True))}"
    except (TypeError, ValueError, RecursionError):
        raise damaged_entry(name, value) from None


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

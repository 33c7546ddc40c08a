"""Certificates for tests: honest ones, changed ones, and whether what a theorem says is so."""

import json
import re
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import weightsmith as ws
from weightsmith import verify
from weightsmith.check.proof import sealed
from weightsmith.files import model_bytes

Data = dict[str, Any]


def certificate(v: ws.check.Verdict) -> Data:
    """Return the certificate of a claim that holds, as it is read from a file."""
    assert v.holds, str(v)
    data: Data = json.loads(json.dumps(v.certificate()))
    return data


def models_of(models: Sequence[ws.Transformer]) -> list[verify.Model]:
    return [verify.Model(model_bytes(T)) for T in models]


def checked(models: Sequence[ws.Transformer], data: Data) -> verify.Theorem:
    """Seal a certificate and check it."""
    return verify.check(models_of(models), sealed(data))


def refusal(models: Sequence[ws.Transformer], data: Data) -> str | None:
    """Return why a certificate is refused; None where it is accepted."""
    try:
        checked(models, data)
    except Exception as error:  # as the program itself does
        return f"{type(error).__name__}: {error}"
    return None


def claimed(data: Data, pattern: str) -> Data:
    """Return a certificate with another language; its automaton is right."""
    automaton = verify.automaton_of(pattern, data["vocabulary"])
    language = {"regex": pattern, "flags": int(re.UNICODE)}
    return {**data, "language": language, "automata": {**data["automata"], "language": automaton}}


def changed(data: Any, path: Sequence[Any], value: Any) -> Any:
    """Return data with another value at a place; the rest is not copied."""
    if not path:
        return value
    new = data.copy()
    new[path[0]] = changed(data[path[0]], path[1:], value)
    return new


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the places of all numbers, truths, texts and nulls in data."""
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(inner, (*path, key))
    else:
        yield path


def numbers(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the places of all numbers."""

    def at(place: tuple[Any, ...]) -> Any:
        inner = value
        for key in place[len(path) :]:
            inner = inner[key]
        return inner

    return [place for place in places(value, path) if type(at(place)) in (int, float)]


def inputs(tokens: Sequence[str], longest: int) -> Iterator[tuple[str, ...]]:
    for length in range(1, longest + 1):
        yield from product(tokens, repeat=length)


def text(tokens: Sequence[str], vocabulary: Sequence[str]) -> str:
    """Return an input as expressions see it."""
    return ("" if all(len(token) == 1 for token in vocabulary) else " ").join(tokens)


def accepts(automaton: Data, ids: Sequence[int]) -> bool:
    state = automaton["start"]
    for token in ids:
        state = automaton["table"][state][token]
    return bool(automaton["accepting"][state])


def belongs(data: Data, name: str, tokens: tuple[str, ...]) -> bool:
    """Say whether an input belongs to a language of a certificate: of its expression, as Python reads it."""
    language = data.get(name)
    if language is None:
        return True
    if "regex" in language:
        return re.fullmatch(language["regex"], text(tokens, data["vocabulary"]), language["flags"]) is not None
    return accepts(language["automaton"], [data["vocabulary"].index(token) for token in tokens])


def decision(T: ws.Transformer, tokens: Sequence[str], suffix: Sequence[str] = ()) -> Any:
    after = suffix if {*suffix} <= {*T.vocabulary} else ()
    return ws.run(T, [*tokens, *after]).decision


def first_lie(models: Sequence[ws.Transformer], data: Data, longest: int = 5) -> tuple[str, ...] | None:
    """Return an input of which a claim is not true, by the reference semantics; None where there is none as short."""
    scope = re.fullmatch(r"up to (\d+)", data["scope"])
    for tokens in inputs(data["vocabulary"], min(longest, int(scope[1]) if scope else longest)):
        if belongs(data, "within", tokens):
            said = [decision(T, tokens, data.get("suffix") or ()) for T in models]
            wrong = (
                said[0] != said[1]
                if len(models) == 2
                else (said[0] == data["yes"]) != belongs(data, "language", tokens)
            )
            if wrong:
                return tokens
    return None


def written(models: Sequence[verify.Model], proofs: Sequence[Data], scope: str, tokens: Sequence[str]) -> Data:
    """Write the certificate of the claim that two models decide alike."""
    known = dict.fromkeys(verify.CERTIFICATE)
    return {
        **known, "format": "weightsmith certificate 3", "claim": "same_decisions", "semantics": 2, "holds": True,
        "models": [model.digest for model in models], "vocabulary": list(tokens), "scope": scope,
        "verdict": f"proved, {scope}", "automata": {}, "proof": [{"decisions": None, **proof} for proof in proofs],
    }  # fmt: skip

"""Certificates that were changed on purpose and sealed again: each is refused, or what the theorem says is true."""

import json
import re
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.check.test_every_length import flagged
from tests.verifying.certificates import (
    Data,
    certificate,
    changed,
    checked,
    claimed,
    first_lie,
    models_of,
    numbers,
    places,
    refusal,
)
from tests.verifying.test_needed_checks import averaging
from weightsmith import verify
from weightsmith.automata.regular import compile_regex
from weightsmith.check.proof import sealed

Case = tuple[list[ws.Transformer], Data]
SCOPES = (
    *("all lengths", "up to 1", "up to 3", "up to 64", "up to 65", "up to 999999999", "up to 30000000"),
    *("up to 0", "up to -1", "up to 007", "up to ٣", "up to 1e3", "up to 3 ", "up to", "", None, 3, ["up to 3"], "all"),
)
PATTERNS = (".*", "", ".", ".*1", ".*01", ".*1.*", "(01)*", "[^01]", "1*0*1?", "1*0+1", "0|1", "a.*", "01.*", "(?i).*1")
FLAGS = (32, 0, 34, 2, 48, -1, 32.0, True, None, "32")


def suffixed() -> ws.Transformer:
    """Return a model with a third token, which may follow each input."""
    T = ws.library.contains("1")
    return replace(T, vocabulary=("0", "1", "END"), embedding=np.vstack([T.embedding, np.zeros(len(T.lanes))]))


@cache
def honest() -> list[Case]:
    S, T, M = ws.library.contains("1"), ws.library.ends_with("01"), suffixed()
    A, F = averaging(), flagged(ws.library.ends_with("01"))
    both = ws.check.same_decisions(S, M, suffix=("END",))
    automaton = compile_regex(".*1.*", ("0", "1"))
    assert automaton
    verdicts = [
        ws.check.recognizes(S, ".*1.*"),
        ws.check.recognizes(T, ".*01"),
        ws.check.recognizes(T, "1*0+1", within="1*0*1?"),
        ws.check.recognizes(S, automaton),
        ws.check.recognizes(F, ".*01"),
        ws.check.same_decisions(T, F),
        ws.check.same_decisions(T, ws.infinity_form(T)),
        ws.check.same_decisions(A, A),
        ws.check.recognizes(M, "([01] )*1( [01])*|.*1.*"),
        both,
    ]
    return [(list(v.claim.models), certificate(v)) for v in verdicts]


def automaton(data: Data, random: Random) -> Data:
    found = verify.automaton_of(random.choice(PATTERNS[:-1]), data["vocabulary"])
    states = range(len(found["table"]))
    return {**found, "start": random.choice([0, 0, *states]), "accepting": [random.random() < 0.5 for _ in states]}


def other_claim(data: Data, random: Random) -> Data:
    """Change what is claimed, and leave the proof as it is."""
    tokens, models = data["vocabulary"], data["models"]
    new: dict[str, Any] = {
        "scope": lambda: random.choice(SCOPES),
        "yes": lambda: random.choice(["YES", "NO", "", None, "yes", 1, True, ["YES"]]),
        "vocabulary": lambda: random.choice([tokens[::-1], tokens[1:], [*tokens, "x"], tokens * 2, "01", []]),
        "suffix": lambda: random.choice([None, [], ["END"], ["0"], ["1", "END"], ["x"], ["END", "x"], "END", [1]]),
        "models": lambda: random.choice([models[::-1], models * 2, models[:1], [], None, ["0" * 64]]),
        "claim": lambda: random.choice(["recognizes", "same_decisions", "same_logits", None, 1]),
        "semantics": lambda: random.choice([1, 2, 3, "2", None]),
        "format": lambda: random.choice([f"weightsmith certificate {n}" for n in (1, 2, 3, 4)]),
        "holds": lambda: random.choice([True, False, None, 1]),
        "counterexample": lambda: random.choice([None, [], "0", {"tokens": ["0"]}]),
        "verdict": lambda: random.choice(["proved, all lengths", "refuted", "proved, up to 3", None]),
        "language": lambda: random.choice([None, language(data, random), "x", {}]),
        "within": lambda: random.choice([None, language(data, random), "x", {}]),
        "automata": lambda: random.choice([{}, None, {key: automaton(data, random) for key in ("language", "within")}]),
        "unknown": lambda: random.choice([None, 1, "x"]),
        "proof": lambda: random.choice([data["proof"] * 2, data["proof"][:1], data["proof"][::-1], [], None]),
    }  # fmt: skip
    key = random.choice([*new, "scope", "yes", "language", "within", "automata"])
    changed = {**data, key: new[key]()}
    if key == "scope" and random.random() < 0.8:
        changed["verdict"] = f"proved, {changed['scope']}"
    if key in ("language", "within") and random.random() < 0.7:
        changed["automata"] = fitting(changed, key, random)
    return changed


def language(data: Data, random: Random) -> Any:
    if random.random() < 0.3:
        return {"automaton": automaton(data, random)}
    return {"regex": random.choice(PATTERNS), "flags": random.choice([32, 32, 32, random.choice(FLAGS)])}


def fitting(data: Data, name: str, random: Random) -> Any:
    """Return automata in which that of a language is right, or nearly."""
    given, automata = data[name], {**data["automata"]} if isinstance(data["automata"], dict) else {}
    if isinstance(given, dict) and "automaton" in given:
        return {**automata, name: given["automaton"]}
    if isinstance(given, dict) and "regex" in given and "?i" not in given["regex"]:
        return {**automata, name: verify.automaton_of(given["regex"], data["vocabulary"])}
    automata.pop(name, None)
    return automata


def other_proof(data: Data, random: Random) -> Data:
    """Change a few values of the proof or the automata, or leave something out."""
    for _ in range(random.choice([1, 1, 2, 4])):
        part = random.choice(["proof", "proof", "proof", "automata"])
        every = [*places(data[part], (part,))]
        if not every:
            continue
        path = random.choice(every)
        kind = random.randrange(6)
        if kind == 0 and len(path) > 4:
            data = changed(data, path[: random.randrange(3, len(path))], random.choice([[], None, {}]))
        elif kind == 1:
            flags = [place for place in every if place[-1] in ("any_sum", "weights", "view", "decisions")]
            data = changed(
                data, random.choice(flags or every), random.choice([True, False, None, [], [0.25], [0.5, 1.0], 0])
            )
        else:
            data = changed(data, path, random.choice([-1, 0, 0, 1, 2, 3, random.randrange(12), 1.0, "1"]))
    return data


def judged(models: list[ws.Transformer], data: Data) -> str:
    """Check a certificate; where it is accepted, see that the theorem is true of all short inputs."""
    try:
        theorem = checked(models, data)
    except Exception:  # as the program itself does
        return "refused"
    said: Data = {
        "scope": theorem.scope,
        "yes": theorem.yes,
        "vocabulary": theorem.vocabulary,
        "suffix": theorem.suffix,
    }
    for name, words in (("language", theorem.language), ("within", theorem.within)):
        said[name] = data.get(name)
        if words and "automaton in the certificate" in words:
            said[name] = {"automaton": data["automata"][name]}
        elif words:
            assert words == f"the inputs that match {data[name]['regex']}"
    assert theorem.scope == "all lengths" or re.fullmatch("up to [1-9][0-9]*", theorem.scope, re.ASCII)
    assert first_lie(models, said, 4) is None
    return "true"


@pytest.mark.parametrize("seed", [pytest.param(n, marks=[] if n == 0 else pytest.mark.long) for n in range(25)])
def test_changed_certificates_are_refused_or_true(seed: int) -> None:
    random, found = Random(seed), []
    for _ in range(90):
        models, data = random.choice(honest())
        for _ in range(random.choice([1, 1, 2])):
            data = random.choice([other_claim, other_proof])(deepcopy(data), random)
        found.append(judged(random.choice([models, models, models, models[::-1], models[:1], models * 2]), data))
    assert found.count("refused") > 50
    assert found.count("true") > 2


def test_honest_certificates_are_accepted_and_true() -> None:
    for models, data in honest():
        assert judged(models, data) == "true"


def test_any_number_that_is_changed_is_noticed_by_the_seal() -> None:
    for models, data in honest()[:3]:
        for path in numbers(data):
            with pytest.raises(verify.Refused, match="was changed after it was written"):
                verify.check(models_of(models), changed(data, path, 1_000_003))


SMALL: dict[str, Callable[[Data], Data]] = {
    "an exchanged expression": lambda d: {**d, "language": {"regex": ".*", "flags": 32}},
    "an empty automaton beside .*": lambda d: {
        **d, "within": {"regex": ".*", "flags": 32},
        "automata": {**d["automata"], "within": {"table": [[0, 0]], "accepting": [False], "start": 0}},
    },
    "a state −1": lambda d: changed(d, ("automata", "language", "table", 0, 0), -1),
    "a state True": lambda d: changed(d, ("automata", "language", "table", 0, 0), True),
    "another class": lambda d: {**d, "yes": "NO"},
    "an earlier format": lambda d: {**d, "format": "weightsmith certificate 2"},
}  # fmt: skip


@pytest.mark.parametrize("name", SMALL)
def test_these_are_refused(name: str) -> None:
    models, data = honest()[0]
    assert "Refused" in str(refusal(models, SMALL[name](data)))


@pytest.mark.parametrize("scope", [scope for scope in SCOPES if scope not in SCOPES[:7]])
def test_odd_scopes_are_refused(scope: Any) -> None:
    models, data = honest()[0]
    with pytest.raises(verify.Refused, match="the scope .* is not read"):
        checked(models, {**data, "scope": scope, "verdict": f"proved, {scope}"})


def test_a_key_that_stands_twice_is_refused() -> None:
    text = json.dumps(sealed(honest()[0][1]))
    with pytest.raises(verify.Refused, match="a key twice"):
        verify.read_json(text.replace('"yes": "YES"', '"yes": "NO", "yes": "YES"'), "the certificate")


def false_claims() -> list[Case]:
    right = {"contains": honest()[0], "ends": honest()[1]}
    found = []
    for models, data in right.values():
        found += [(models, claimed(data, pattern)) for pattern in (".*", "[^01]", "01.*", "..", "1+", ".*0")]
    return found


@pytest.mark.parametrize("seed", [pytest.param(n, marks=[] if n < 1 else pytest.mark.long) for n in range(20)])
def test_it_refuses_proofs_of_false_claims_however_they_are_changed(seed: int) -> None:
    random, claims = Random(seed), false_claims()
    for _ in range(300):
        models, data = random.choice(claims)
        assert refusal(models, other_proof(data, random)) is not None

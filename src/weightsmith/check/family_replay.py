"""Replaying the certificate of a family: every T_n is read or built again, and its certificate derived again."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from weightsmith.check.certificate import Function, damaged, parse
from weightsmith.check.family_certificate import FamilyCertificate, rebuilt
from weightsmith.check.models import Model
from weightsmith.check.replay_results import FamilyReplay, Replay
from weightsmith.errors import InputError, shown
from weightsmith.model import Chain, Family, digest

Replayer: TypeAlias = Callable[[Mapping[str, Any], Model], Replay]  # derives the certificate of one T_n again


def replay_family(
    c: FamilyCertificate,
    models: object,
    function: Function | None,
    derive: Replayer,
    progress: Callable[[int, int], None] | None = None,
) -> FamilyReplay:
    """Derive the certificate of each T_n again; `models` is the family, models, or nothing."""
    family = _family(models)
    given = {} if family is not None else _by_digest(models)
    problems, inputs, members = list[str](), 0, c.members
    if c.data.get("holds") is not c.holds or c.data.get("verdict") != c.expected_verdict:
        problems.append("the certificate contradicts itself about what holds")
    for one in members:
        if "certificate" not in one:
            problems += _not_right(one)
            continue
        T = _model(c, one, family, given)
        if digest(T) != one["model"]:
            problems.append(f"n = {one['n']}: the builder returns another T_n than the certificate is about")
            continue
        own = (T.transformer if isinstance(T, Chain) else T).arithmetic
        if str(own) != one["arithmetic"]:
            problems.append(f"n = {one['n']}: T_n is in {own}, and the certificate says {shown(one['arithmetic'])}")
        problems += [f"n = {one['n']}: {problem}" for problem in _differences(c, one, T, function)]
        found = derive(one["certificate"], T)
        inputs += found.inputs
        problems += [f"n = {one['n']}: {problem}" for problem in found.problems]
        if progress is not None:
            progress(one["n"], len(members))
    return FamilyReplay((), 0, inputs, None, tuple(problems), members=len(members), built=family is not None)


def _family(models: object) -> Family | None:
    if isinstance(models, Family):
        return models
    if isinstance(models, list | tuple) and len(models) == 1 and isinstance(models[0], Family):
        return models[0]
    return None


def _by_digest(models: object) -> dict[str, Model]:
    if not isinstance(models, list | tuple):
        raise InputError("the certificate is about a family: write replay(certificate, F), or replay(certificate)")
    return {digest(T): T for T in models}


def _model(c: FamilyCertificate, one: Mapping[str, Any], family: Family | None, given: Mapping[str, Model]) -> Model:
    if family is not None:
        return rebuilt(family, one)
    T = given.get(one["model"]) or c.model(one["model"])
    if T is None:
        raise InputError(
            f"the certificate holds no model for n = {one['n']}: write replay(certificate, F) with the family"
        )
    return T


def _not_right(one: Mapping[str, Any]) -> list[str]:
    """An entry without a certificate may say only that T_n is refused or unknown."""
    return [] if one["status"] in ("refused", "unknown") else [f"n = {one['n']}: it has no certificate"]


def _differences(c: FamilyCertificate, one: Mapping[str, Any], T: Model, function: Function | None) -> list[str]:
    """Compare the claim of an entry with the one that follows from the family's language, and its result."""
    n, nested = one["n"], one["certificate"]
    parsed = parse(nested)
    question = c.question(function)
    with damaged():
        claim = question.claim(T, n)
        wanted = {**claim.described(), **claim.frame.described()}
        own = dict(parsed.described)
        for name in claim.code:
            wanted.pop(name), own.pop(name)
        if parsed.claim != claim.kind or wanted != own:
            return ["its certificate is about another claim"]
        status = {True: "right", False: "wrong", None: "unknown"}[parsed.holds]
        reach = _reach(nested)
        if status != one["status"] or (parsed.holds and reach is not None and reach < n):
            return ["its certificate says something else"]
        if parsed.holds is False and not 1 <= len(nested["counterexample"]["input"]) <= n:
            return ["its counterexample is longer than n"]
    return []


def _reach(nested: Mapping[str, Any]) -> int | None:
    """Return the length up to which a certificate goes; None for all lengths."""
    if "scope" not in nested:
        return int(nested["up_to"])
    scope = str(nested["scope"])
    return None if scope == "all lengths" else int(scope.removeprefix("up to "))

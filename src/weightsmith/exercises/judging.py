"""Judging an answer: what it is, which parts it has, and whether it decides every input rightly."""

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from weightsmith import check
from weightsmith.check import Verdict
from weightsmith.check.certificate import which_counterexample
from weightsmith.check.verdict import ALL_LENGTHS
from weightsmith.errors import InputError, WeightsmithError, brief, listed
from weightsmith.exercises.definition import Exercise, Sizes
from weightsmith.exercises.grade import HALF, POINTS, Grade, failed, one_line
from weightsmith.files import transformer_from_bytes
from weightsmith.inspect import run
from weightsmith.library import parity
from weightsmith.model import Transformer
from weightsmith.storage import parse_json

CHECK_SECONDS = 20.0  # for automata, per class
SHORT = 8  # tokens: the inputs that are run where automata decide nothing
PROVED = "proved for all lengths"
LONGEST = 1000  # tokens of a counterexample


def judge(exercise: Exercise, answer: object) -> Grade:
    """Grade an answer: a transformer, or an input."""
    begin = time.perf_counter()
    try:
        grade = _refutation(exercise, answer) if exercise.kind == "input" else _model(exercise, answer)
    except WeightsmithError as error:
        grade = failed(exercise.number, exercise.name, str(error))
    return replace(grade, seconds=time.perf_counter() - begin)


def judge_bytes(exercise: Exercise, data: bytes) -> Grade:
    """Grade an answer from the bytes that a submission wrote; they are not trusted."""
    try:
        if exercise.kind == "input":
            return judge(exercise, parse_json(data, "the answer").get("tokens"))
        return judge(exercise, transformer_from_bytes(data, "the answer"))
    except WeightsmithError as error:
        return failed(exercise.number, exercise.name, str(error))


def _model(exercise: Exercise, answer: object) -> Grade:
    if not isinstance(answer, Transformer):
        raise InputError(f"the answer is {brief(answer)}: write answer = ws.Transformer(…)")
    _check_frame(exercise, answer)
    verdicts = [_verdict(answer, language, name, exercise.within) for name, language in exercise.languages.items()]
    wrong = [verdict for verdict in verdicts if verdict.counterexample is not None]
    if wrong:
        sure = all(verdict.holds is not None and getattr(verdict, "shortest", True) for verdict in verdicts)
        return _refuted(exercise, answer, [verdict.counterexample or () for verdict in wrong], sure)
    for verdict in verdicts:
        if verdict.holds is None:
            reason = str(verdict).splitlines()[0]
            return Grade(exercise.number, exercise.name, "unknown", 0, one_line(f"not decided: {reason}"))
    scopes = {verdict.scope for verdict in verdicts}
    scope = PROVED if scopes == {ALL_LENGTHS} else f"right {min(scopes - {ALL_LENGTHS})}"
    excess = _excess(answer, exercise.sizes)
    if excess:
        return Grade(exercise.number, exercise.name, "too large", HALF, f"{scope}, but too large: {excess}")
    return Grade(exercise.number, exercise.name, "right", POINTS, scope)


def _verdict(T: Transformer, language: str, yes: str, within: str | None) -> Verdict:
    """Decide all lengths; where automata cannot, or not in time, the short inputs."""
    try:
        verdict = check.recognizes(T, language, yes=yes, within=within, workers=1, seconds=CHECK_SECONDS)
    except InputError:  # a part that no automaton knows
        verdict = None
    if verdict is None or verdict.holds is None:
        return check.recognizes(T, language, up_to=SHORT, yes=yes, within=within, workers=1)
    return verdict


def _refuted(exercise: Exercise, T: Transformer, wrong: Sequence[Sequence[str]], sure: bool) -> Grade:
    """Return the grade of a transformer that decides some inputs wrongly; of those, the shortest is shown."""
    order = {token: place for place, token in enumerate(exercise.vocabulary)}
    tokens = min(wrong, key=lambda tokens: (len(tokens), [order[token] for token in tokens]))
    ran = run(T, list(tokens))
    says, expected, text = str(ran.decision), exercise.expected(tokens), exercise.written(tokens)
    message = f"refuted by {text}, {which_counterexample(sure)}: it says {says}, and {expected} is right"
    return Grade(exercise.number, exercise.name, "refuted", 0, message, text, says, expected, run=ran)


def _check_frame(exercise: Exercise, T: Transformer) -> None:
    """Refuse a transformer over other tokens, classes or numbers than those of the exercise."""
    if tuple(T.vocabulary) != tuple(exercise.vocabulary):
        wanted = listed(exercise.vocabulary)
        raise InputError(f"the vocabulary is {listed(T.vocabulary)}: write the tokens {wanted}, in this order")
    if T.readout is not None or tuple(T.classes) != exercise.classes:
        has = "a readout" if T.readout is not None else listed(T.classes)
        raise InputError(f"the classes are {has}: write the classes {listed(exercise.classes)}, in this order")
    if T.arithmetic != exercise.arithmetic:
        raise InputError(f"the arithmetic is {T.arithmetic}: write ws.Fixed(4, 4)")
    if T.mask != "causal":
        raise InputError("the mask is full: write mask='causal', or leave it out")
    if T.max_length is not None:
        raise InputError(
            f"the model reads at most {T.max_length} tokens, and inputs have any length: leave out the position table"
        )


def _excess(T: Transformer, sizes: Sizes) -> str:
    """Return which parts are too many; "" if none are."""
    has = {
        "blocks": len(T.blocks),
        "heads": sum(len(block.attention.heads) for block in T.blocks if block.attention is not None),
        "neurons": sum(len(block.feed_forward.b_1) for block in T.blocks if block.feed_forward is not None),
    }
    many = [
        f"{count} {part if count > 1 else part[:-1]}, at most {getattr(sizes, part)}"
        for part, count in has.items()
        if count > getattr(sizes, part)
    ]
    return "; ".join(many)


def _refutation(exercise: Exercise, answer: object) -> Grade:
    if isinstance(answer, list | tuple) and all(isinstance(token, str) for token in answer):
        answer = "".join(answer)
    if not isinstance(answer, str):
        raise InputError(f'the answer is {brief(answer)}: write answer = "0110", an input on which it is wrong')
    if len(answer) > LONGEST:
        raise InputError(f"the answer has {len(answer):,} tokens: write at most {LONGEST:,}")
    ran = run(parity(), answer)
    says, expected = str(ran.decision), exercise.expected(answer)
    if says == expected:
        message = f"no counterexample: on {brief(answer)} the recogniser says {says}, which is right"
        return Grade(exercise.number, exercise.name, "refuted", 0, message, None, says, expected, run=ran)
    shortest = _shortest(exercise.languages["YES"])
    about = f"it says {says}, and {expected} is right"
    if len(answer) > shortest:
        message = f"a counterexample: {about}; there is one of {shortest} tokens"
        return Grade(exercise.number, exercise.name, "longer", HALF, message, answer, says, expected)
    return Grade(exercise.number, exercise.name, "right", POINTS, f"a shortest counterexample: {about}", answer)


@cache
def _shortest(language: str) -> int:
    """Return the length of the shortest input on which the recogniser is wrong."""
    counterexample = check.recognizes(parity(), language, workers=1).counterexample
    assert counterexample is not None, "the tests refute it"
    return len(counterexample)

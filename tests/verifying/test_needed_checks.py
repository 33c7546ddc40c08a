"""Each check of the checker is needed: without it, a certificate of a false claim that is made for it passes."""

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from functools import cache, reduce
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.check.test_every_length import flagged
from tests.verifying.certificates import Data, certificate, checked, claimed, first_lie, inputs, refusal
from weightsmith import verify
from weightsmith.automata.extraction import equal_parts, extract
from weightsmith.files import model_bytes

NEVER, ALWAYS = "[^01]", ".*"
Forged = tuple[Sequence[ws.Transformer], Data]


@cache
def honest(name: str) -> tuple[ws.Transformer, Data]:
    library = ws.library
    models: dict[str, tuple[ws.Transformer, str]] = {
        "contains": (library.contains("1"), ".*1.*"),
        "ends": (library.ends_with("01"), ".*01"),
        "last": (last_token(), ".*1"),
    }
    T, language = models[name]
    return T, certificate(ws.check.recognizes(T, language))


def copied(name: str) -> tuple[ws.Transformer, Data]:
    T, data = honest(name)
    return T, deepcopy(data)


def last_token() -> ws.Transformer:
    """Decides by the last token; its head adds nothing."""
    one, nothing = np.array([[1.0]]), np.array([[0.0]])
    return ws.Transformer(
        arithmetic=ws.Fixed(2, 2), vocabulary=("0", "1"), lanes=("x",), embedding=np.array([[0.0], [1.0]]),
        blocks=(ws.Block(ws.Attention((ws.Head(one, one, one, nothing, ws.LeftmostHard()),))),),
        output=np.array([[0.0], [1.0]]),
    )  # fmt: skip


def silent(data: Data) -> int:
    """Add a machine that never speaks; return its place."""
    machines = data["proof"][0]["machines"]
    machines.append({"table": [[0, 0]], "labels": [0]})
    return len(machines) - 1


def false_claim() -> Forged:
    T, data = copied("contains")
    return [T], claimed(data, ALWAYS)


def silent_reading() -> Forged:
    T, data = copied("contains")
    block = data["proof"][0]["blocks"][0]
    block["heads"][0][0]["readings"][0]["machine"] = silent(data)
    block["joints"][0]["tree"] = [None]
    return [T], claimed(data, ALWAYS)


def reading_not_joined() -> Forged:
    T, data = copied("contains")
    data["proof"][0]["blocks"][0]["joints"][0]["tree"] = [None]
    return [T], claimed(data, ALWAYS)


def silent_joint() -> Forged:
    T, data = copied("contains")
    data["proof"][0]["blocks"][0]["joints"][0]["tree"][0]["machine"] = silent(data)
    return [T], claimed(data, NEVER)


def no_joint() -> Forged:
    T, data = copied("contains")
    data["proof"][0]["blocks"][0]["joints"] = []
    return [T], claimed(data, NEVER)


def exchanged_answers() -> Forged:
    T, data = copied("contains")
    proof = data["proof"][0]
    place = proof["blocks"][0]["joints"][0]["tree"][0]["machine"]
    machine = proof["machines"][place]
    proof["machines"].append({**machine, "labels": [(0, 2, 1)[label] for label in machine["labels"]]})
    proof["blocks"][0]["joints"][0]["tree"][0]["machine"] = len(proof["machines"]) - 1
    return [T], claimed(data, "0+")


def view_of_one_label() -> Forged:
    """The view of the reading does not tell tokens apart: all keys are taken for a 0."""
    T, data = copied("contains")
    proof = data["proof"][0]
    proof["machines"].append({"table": [[1, 1], [1, 1]], "labels": [0, 1]})
    place = len(proof["machines"]) - 1
    proof["blocks"][0]["heads"][0][0]["readings"][0] |= {"view": place, "machine": place}
    proof["blocks"][0]["joints"][0]["tree"][0]["machine"] = place
    return [T], claimed(data, NEVER)


def view_of_another_vector() -> Forged:
    T, data = copied("last")
    proof = data["proof"][0]
    for joint in proof["blocks"][0]["joints"]:
        view, machine = proof["machines"][joint["view"]], proof["machines"][joint["tree"][0]["machine"]]
        first = len(proof["machines"])
        proof["machines"].append({**view, "labels": [(0, 2, 1)[label] for label in view["labels"]]})
        proof["machines"].append({**machine, "labels": [(0, 2, 1)[label] for label in machine["labels"]]})
        joint["view"], joint["tree"][0]["machine"] = first, first + 1
    return [T], claimed(data, ".*0")


def lying_decisions() -> Forged:
    T, data = copied("contains")
    data["proof"][0]["decisions"] = {"table": [[1, 1], [1, 1]], "labels": [0, 2]}
    return [T], claimed(data, ALWAYS)


def silent_decisions() -> Forged:
    T, data = copied("contains")
    data["proof"][0]["decisions"] = {"table": [[0, 0]], "labels": [0]}
    return [T], claimed(data, NEVER)


def beyond_the_table() -> Forged:
    """Of inputs that the model cannot read, anything can be claimed."""
    T = flagged(ws.library.ends_with("01"))
    data = certificate(ws.check.recognizes(T, ".*01"))
    return [T], {**data, "scope": "all lengths", "verdict": "proved, all lengths"}


def another_automaton() -> Forged:
    """The certificate describes one automaton, and is about another."""
    T, data = copied("contains")
    everything = {"table": [[0, 0]], "accepting": [True], "start": 0}
    return [T], {**data, "language": {"automaton": everything}}


def asked_differently(alike: bool) -> ws.Transformer:
    """A query 0 chooses the first 0, a query 1 the first 1; or both choose the first 1."""
    queries = [[0.0, 0, 0, 0], [0, 0, 1, 0]] if alike else [[1.0, 0, 0, 0], [0, 1, 0, 0]]
    keys, value, out = [[1.0, 0, 0, 0], [0, 1, 0, 0]], [[0.0, 1, 0, 0]], [[0.0], [0], [0], [1]]
    head = ws.Head(np.array(queries), np.array(keys), np.array(value), np.array(out), ws.LeftmostHard())
    return ws.Transformer(
        arithmetic=ws.Fixed(2, 2), vocabulary=("0", "1"), lanes=("zero", "one", "always", "out"),
        embedding=np.array([[1.0, 0.0, 1.0, 0.0], [0.0, 1.0, 1.0, 0.0]]),
        blocks=(ws.Block(ws.Attention((head,))),), output=np.array([[0.0] * 4, [0, 0, 0, 1.0]]),
    )  # fmt: skip


def about(T: ws.Transformer, data: Data) -> Data:
    """Return a certificate that names another model."""
    return {**data, "models": [verify.Model(model_bytes(T)).digest]}


def queries_taken_for_one() -> Forged:
    T, simpler = asked_differently(alike=False), asked_differently(alike=True)
    return [T], about(T, certificate(ws.check.recognizes(simpler, ".*1.*")))


def softmax_that_fails(empty: Any) -> ws.Transformer:
    """Every score is −∞, so that the softmax is empty."""
    one = np.array([[1.0]])
    far = np.array([[-3.75]])
    head = ws.Head(one, far, one, one, ws.Softmax(empty=empty))
    return ws.Transformer(
        arithmetic=ws.Fixed(2, 2), vocabulary=("0", "1"), lanes=("x",), embedding=np.array([[2.0], [3.0]]),
        blocks=(ws.Block(ws.Attention((head,))),), output=np.array([[0.0], [1.0]]),
    )  # fmt: skip


def empty_softmax() -> Forged:
    T, other = softmax_that_fails("error"), softmax_that_fails("uniform")
    return [T], about(T, certificate(ws.check.recognizes(other, ALWAYS)))


def no_guess() -> Forged:
    """One of two guesses has no reading, so that nobody speaks of inputs of one token."""
    T, data = copied("ends")
    block = data["proof"][0]["blocks"][0]
    del block["heads"][1][0]["readings"][0]
    for entry in block["joints"][0]["tree"]:
        del entry["tree"][0]
    return [T], claimed(data, ".*01|0")


def without_a_guess(monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes = verify.Head.outcomes
    monkeypatch.setattr(verify.Head, "outcomes", lambda head, c, fold: outcomes(head, c, fold)[-1:])


def with_message(*messages: str) -> Callable[[pytest.MonkeyPatch], None]:
    """Take checks away, by what they say."""

    def take_away(monkeypatch: pytest.MonkeyPatch) -> None:
        need = verify.need
        monkeypatch.setattr(verify, "need", lambda condition, why: why in messages or need(condition, why))

    return take_away


SPEAKS = "a reading speaks where it must not, or the reverse"
JOINED = "a machine speaks where it must not, or the reverse"
CASES: dict[str, tuple[Callable[[], Forged], Callable[[pytest.MonkeyPatch], None]]] = {
    "the claim fails": (false_claim, with_message("on some input the claim fails")),
    "a silent reading": (silent_reading, with_message(SPEAKS)),
    "a reading that is not joined": (reading_not_joined, with_message(JOINED)),
    "a silent joint": (silent_joint, with_message(JOINED)),
    "no joint": (no_joint, with_message("the classes of heads are not joined as they meet")),
    "exchanged answers": (exchanged_answers, with_message("a label is of another answer")),
    "a view of one label": (view_of_one_label, with_message("a view has one label for two things")),
    "a view of another vector": (view_of_another_vector, with_message("a view says another vector")),
    "lying decisions": (lying_decisions, with_message("the machine of all decisions says another one")),
    "silent decisions": (silent_decisions, with_message("the machine of all decisions says another one")),
    "beyond the table": (beyond_the_table, with_message("it says more than fits the position table")),
    "another automaton": (another_automaton, with_message("the automaton is of another language")),
    "queries taken for one": (queries_taken_for_one, with_message("queries of one class weigh keys differently")),
    "a guess without a reading": (no_guess, without_a_guess),
    "an empty softmax": (empty_softmax, with_message("on some input a softmax is empty, which is an error")),
}


def is_false(models: Sequence[ws.Transformer], data: Data) -> bool:
    try:
        return first_lie(models, data, 4) is not None
    except ws.WeightsmithError:  # the model does not decide at all
        return True


@pytest.mark.parametrize("name", CASES)
def test_without_this_check_a_false_claim_passes(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make, take_away = CASES[name]
    models, data = make()
    assert name == "beyond the table" or is_false(models, data)
    assert "Refused" in str(refusal(models, data))
    take_away(monkeypatch)
    checked(models, data)


# The sums of equal parts


def averaging() -> ws.Transformer:
    """Decides whether a mean over tokens with three values is above 0."""
    nothing, value, mean = np.array([[0.0, 0.0]]), np.array([[1.0, 0.0]]), np.array([[0.0], [1.0]])
    head = ws.Head(nothing, value, value, mean, ws.AverageHard())
    return ws.Transformer(
        arithmetic=ws.Fixed(2, 2), vocabulary=("a", "b", "c"), lanes=("value", "mean"),
        embedding=np.array([[1.0, 0.0], [-1.5, 0.0], [0.5, 0.0]]),
        blocks=(ws.Block(attention=ws.Attention((head,))),), output=np.array([[0.0, 0.0], [0.0, 1.0]]),
    )  # fmt: skip


def proved(T: ws.Transformer) -> verify.Proof:
    """Let the engine make a proof, which agrees with itself even where the engine is wrong; check it."""
    data = json.loads(json.dumps(extract(T).trace.to_json()))
    return verify.Proof(verify.Model(model_bytes(T)), data["machines"], data["blocks"], verify.Work())


def wrong_label(T: ws.Transformer, proof: verify.Proof) -> bool:
    """Say whether the machines of a proof say of some short input what is not so."""
    for tokens in inputs(T.vocabulary, 5):
        ends = [reduce(lambda s, t: M.table[s][proof.model.letter_of[t]], tokens, 0) for M in proof.machines]
        labels = {M.labels[s] for M, s in zip(proof.machines, ends, strict=True)} - {0}
        if labels != {1 + T.classes.index(ws.run(T, tokens).decision)}:
            return True
    return False


def test_sums_that_are_left_out_must_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    T = averaging()
    assert not wrong_label(T, proved(T))
    monkeypatch.setattr(equal_parts, "_negligible", lambda kinds, *more: dict.fromkeys(range(len(kinds.added)), 0))
    with pytest.raises(verify.Refused, match="a label stands for two vectors"):
        proved(T)
    any_sum, fooled = verify.Head.any_sum, 0
    for pick in (min, max):
        with monkeypatch.context() as patch:
            patch.setattr(verify.Head, "any_sum", lambda head, c, fold, pick=pick: {pick(any_sum(head, c, fold))})
            with suppress(verify.Refused):
                fooled += wrong_label(T, proved(T))
    assert fooled


def test_weights_of_one_guess_must_make_the_same_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    T, kinds = averaging(), equal_parts._kinds

    def one_kind(*given: Any) -> Any:
        return replace(kinds(*given), of_count=kinds(*given).of_count * 0, added=[None])

    monkeypatch.setattr(equal_parts, "_kinds", one_kind)
    with pytest.raises(verify.Refused, match="weights of one guess make different terms"):
        proved(T)

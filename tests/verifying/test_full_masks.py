"""Proofs of full masks: forged contexts are refused, and without its check each of them proves a false claim."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from functools import cache
from itertools import product
from random import Random
from typing import Any

import pytest

import weightsmith as ws
from tests.automata.encoders import like_the_last, random_encoder, with_first_head
from tests.automata.proving import in_steps
from tests.verifying.certificates import Data, certificate, checked, claimed, first_lie, refusal, written
from tests.verifying.test_changed_certificates import other_proof
from tests.verifying.test_needed_checks import Forged, about, with_message
from weightsmith import verify
from weightsmith.automata import Automaton
from weightsmith.automata.extraction import UnknownError, extract, whole
from weightsmith.files import model_bytes

T = like_the_last(ws.LeftmostHard())


@cache
def honest() -> Data:
    return certificate(ws.check.recognizes(T, "0+|1+"))


def parts() -> tuple[Data, Any, list[Any]]:
    """Return a copy of a certificate, its first block, and the machines."""
    data = deepcopy(honest())
    proof = data["proof"][0]
    return {**data, "proof": [{**proof, "decisions": None}]}, proof["blocks"][0], proof["machines"]


def context_of(machine: Data, ids: tuple[int, ...]) -> int:
    state = 0
    for letter in ids:
        state = machine["table"][state][letter]
    return int(machine["labels"][state])


def silent_context() -> Forged:
    """Nobody speaks after inputs that contain a 1 and end with 0."""
    data, block, machines = parts()
    inside = block["contexts"][context_of(machines[block["context"]], (0,)) - 1]
    (after,) = inside["blocks"]
    zero, one = (context_of(machines[inside["machine"]], ids) for ids in ((0,), (1,)))
    decided = after["joints"][0]["tree"][0]

    def put(label: int, other: int) -> int:
        """Add a machine with labels after inputs of 0 alone, and after inputs that end with 1."""
        machines.append({"table": [[1, 2], [1, 2], [3, 2], [3, 2]], "labels": [0, label, other, 0]})
        return len(machines) - 1

    yes = context_of(machines[decided["machine"]], (0,))
    inside["machine"], after["joints"][0]["view"], decided["machine"] = put(zero, one), put(zero, 0), put(yes, 0)
    after["heads"][0][0]["queries"].append(0)
    return [T], claimed(data, ".*0|1+")


def no_context() -> Forged:
    """Inputs that end with one of the symbols are in no context."""
    data, block, machines = parts()
    place = block["context"]
    zero = context_of(machines[place], (0,))
    labels = [0 if label == 2 else label for label in machines[place]["labels"]]
    machines.append({**machines[place], "labels": labels})
    block["context"] = len(machines) - 1
    del block["contexts"][1]
    return [T], claimed(data, "0+|.*1" if zero == 1 else ".*0|1+")


def exchanged_contexts() -> Forged:
    """Each context has the machines of the other, so each is silent where it must speak."""
    data, block, _ = parts()
    block["contexts"].reverse()
    return [T], claimed(data, ".*")


def joined_too_early() -> Forged:
    """The proof of the same weights under a causal mask."""
    S = replace(T, mask="causal")
    A = ws.automaton(S)
    return [T], about(T, certificate(ws.check.recognizes(S, Automaton(A.table, A.accepting, A.start, "01"))))


def contexts_of_a_causal_mask() -> Forged:
    S = replace(T, mask="causal")
    return [S], about(S, honest())


CASES: dict[str, tuple[Callable[[], Forged], Callable[[pytest.MonkeyPatch], None]]] = {
    "a silent context": (silent_context, with_message("a machine is silent in its context")),
    "no context": (no_context, with_message("an input has no context")),
    "joined too early": (joined_too_early, with_message("other positions than the last one matter after a block")),
    "a causal mask": (contexts_of_a_causal_mask, with_message("a block has contexts, and needs none")),
}


def test_the_honest_certificate_is_accepted() -> None:
    data, block, _ = parts()
    assert len(block["contexts"]) == 2
    assert checked([T], data).scope == "all lengths"


@pytest.mark.parametrize("name", CASES)
def test_without_this_check_a_false_claim_passes(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make, take_away = CASES[name]
    models, data = make()
    assert first_lie(models, data, 4) is not None
    assert "Refused" in str(refusal(models, data))
    take_away(monkeypatch)
    checked(models, data)


def test_strict_heads_have_no_contexts(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that forgets that strict heads see other keys writes a proof that only this check refuses."""
    S = with_first_head(strict=True)
    monkeypatch.setattr(whole, "check_full_mask", lambda T, instead: None)
    D = extract(S, in_steps(10_000, 1000))
    short = [[*ids] for length in (1, 2, 3) for ids in product(range(2), repeat=length)]
    assert any(S.classes[D.after(ids)] != ws.run(S, [S.vocabulary[i] for i in ids]).decision for ids in short)
    model = verify.Model(model_bytes(S))
    data = written([model, model], [D.trace.to_json()] * 2, "all lengths", "01")
    assert "a head does not see the same keys from every position" in str(refusal([S, S], data))
    with_message("a head does not see the same keys from every position")(monkeypatch)
    checked([S, S], data)


def test_exchanged_contexts_are_refused() -> None:
    assert "Refused" in str(refusal(*exchanged_contexts()))


def test_a_label_that_stands_for_nothing_is_refused() -> None:
    data, block, machines = parts()
    place = block["contexts"][0]["machine"]
    table, labels = machines[place]["table"], machines[place]["labels"]
    machines.append({"table": [*table, table[0]], "labels": [*labels, 9]})
    block["contexts"][0]["machine"] = len(machines) - 1
    assert "a label stands for nothing" in str(refusal([T], data))


def failing() -> ws.Transformer:
    """Return a model whose last block has a norm, which may fail at any position."""
    return replace(T, blocks=(T.blocks[0], replace(T.blocks[1], attention_norm=ws.RMSNorm(eps=1.0))))


def test_a_block_that_may_fail_is_not_joined() -> None:
    S = failing()
    proof = extract(S, in_steps(10_000, 1000)).trace.to_json()
    assert all("contexts" in inner for entry in proof["blocks"][0]["contexts"] for inner in entry["blocks"])
    assert "other positions than the last one matter" in str(refusal([S], about(S, honest())))


@pytest.mark.parametrize("seed", [pytest.param(n, marks=[] if n < 1 else pytest.mark.long) for n in range(10)])
def test_changed_proofs_of_false_claims_are_refused(seed: int) -> None:
    random = Random(seed)
    claims = [claimed(parts()[0], pattern) for pattern in (".*", "[^01]", "0*1?", ".*0|1+", "0+|.*1")]
    for _ in range(200):
        assert refusal([T], other_proof(random.choice(claims), random)) is not None


def wrong_numbers(proof: Data) -> list[tuple[int, str, int]]:
    return [
        (m, key, n) for m, each in enumerate(proof["machines"]) for key in ("labels",) for n in range(len(each[key]))
    ]


@pytest.mark.parametrize("seeds", [range(6), pytest.param(range(6, 60), marks=pytest.mark.long)], ids=["6", "60"])
def test_changed_labels_of_random_encoders_are_refused_or_change_no_decision(seeds: range) -> None:
    """A machine with another label is refused, or the decisions that the checker derives are the same."""
    refused = 0
    for seed in seeds:
        S = random_encoder(seed)
        try:
            D = extract(S, in_steps(600, 100))
        except (UnknownError, ws.ModelError):
            continue
        proof, random, model = D.trace.to_json(), Random(seed), verify.Model(model_bytes(S))
        for m, key, n in random.sample(every := wrong_numbers(proof), min(20, len(every))):
            other = deepcopy(proof)
            other["machines"][m][key][n] = random.randrange(4)
            try:
                machines = verify.Proof(model, other["machines"], other["blocks"], verify.Work()).machines
            except Exception:  # as the program itself does
                refused += 1
                continue
            for _ in range(20):
                ids = [random.randrange(len(S.vocabulary)) for _ in range(random.randint(1, min(6, S.max_length or 6)))]
                letters = [model.letter_of[S.vocabulary[i]] for i in ids]
                said = set[int]()
                for M in machines:
                    state = 0
                    for letter in letters:
                        state = M.table[state][letter]
                    said |= {M.labels[state]} - {0}
                assert 1 + D.after(ids) in said
    assert refused > 10

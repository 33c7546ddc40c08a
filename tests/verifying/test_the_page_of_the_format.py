"""The page on the format of proofs: its fields are those that the checker reads, and they mean what the page says."""

import ast
import json
import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import fields, replace
from functools import cache, partial, reduce
from itertools import count, islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.automata.encoders import like_the_last, random_encoder
from tests.automata.models import random_model
from tests.check.test_every_length import flagged
from tests.verifying.certificates import Data, certificate, checked, inputs, refusal
from tests.verifying.test_needed_checks import averaging
from tests.verifying.the_page import Outcome, Page
from weightsmith import verify
from weightsmith.automata.extraction import Budget, UnknownError, extract

ENCODER = like_the_last(ws.LeftmostHard())
PAGE = Path(__file__).parents[2] / "docs" / "proof-format.md"


def fields_of_tables(part: str) -> set[str]:
    """Return what stands in code in the first column of the tables of a part of the page."""
    rows = re.findall(r"^\| (`.*?) \|", part, re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`(\w+)`", row)}


def part_of(title: str) -> str:
    text = PAGE.read_text()
    return text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def asked_for() -> set[frozenset[str]]:
    """Return the keys of every kind of entry that the checker reads: those of its classes, and of `fields_of`."""
    classes = {frozenset(field.name for field in fields(entry)) for entry in verify.ENTRIES}
    calls = [node for node in ast.walk(ast.parse(Path(verify.__file__).read_text())) if isinstance(node, ast.Call)]
    named = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "fields_of"]
    keys = {frozenset(str(key.value) for key in call.args[1:] if isinstance(key, ast.Constant)) for call in named}
    return classes | keys


def test_the_fields_of_a_certificate_are_those_that_are_read() -> None:
    assert fields_of_tables(part_of("The claim")) == verify.CERTIFICATE | verify.OPTIONAL


def test_the_fields_of_a_proof_are_those_that_are_read() -> None:
    text = PAGE.read_text()
    wanted = {"queries", "view", "readings", "machine", "weights", "any_sum", "classes", "tree"}
    tables = part_of("Blocks").partition("The guesses depend")[0] + part_of("Blocks").partition("A reading has")[2]
    assert fields_of_tables(tables) == wanted
    for keys in asked_for():
        assert all(f"`{key}`" in text or f'"{key}"' in text for key in keys), keys
    assert {"queries", "view", "readings"} in asked_for()
    assert {"view", "machine", "weights", "any_sum"} in asked_for()
    assert {"classes", "view", "tree"} in asked_for()
    assert {"machines", "blocks", "decisions"} in asked_for()


# Proofs that the engine writes, read as the page says


def with_a_layer_first(T: ws.Transformer) -> ws.Transformer:
    """Return a model with a block before the others that has no heads, and makes two vectors one."""
    lanes, A = len(T.lanes), T.arithmetic
    layer = ws.FeedForward(np.eye(lanes), np.zeros(lanes), A.round(-np.eye(lanes)), np.zeros(lanes))
    return replace(T, blocks=(ws.Block(None, layer), *T.blocks))


def readable(T: ws.Transformer) -> bool:
    """Say whether the reader of the tests knows all parts: no ALiBi, and no norm before heads."""
    heads = [head for block in T.blocks if block.attention for head in block.attention.heads]
    before = [block for block in T.blocks if block.attention_norm and block.norm_placement == "pre"]
    plain = isinstance(T.positions, ws.PositionTable | None)
    return plain and not before and all(isinstance(head.positions, ws.Relative | None) for head in heads)


def proofs_of_random_models() -> Iterator[tuple[ws.Transformer, Data]]:
    for seed in count():
        T = random_model(seed)
        T = with_a_layer_first(T) if seed % 3 == 0 else T
        if readable(T):
            try:
                proof = extract(T, Budget(3000, 200, clock=partial(next, count(0.0)))).trace.to_json()
            except (UnknownError, ws.ModelError):  # a norm of 0 has no root
                continue
            yield T, {"decisions": None, **json.loads(json.dumps(proof))}


@cache
def pages() -> list[Page]:
    ends = ws.library.ends_with("01")
    written = [ws.library.contains("1"), ends, ws.library.contains_word("01"), averaging(), flagged(ends)]
    written += [
        ws.infinity_form(ends),
        ws.library.length_modulo(3),
        ws.library.majority("1", arithmetic=ws.Fixed(2, 2)),
    ]
    proved = [(T, certificate(ws.check.same_decisions(T, T))["proof"][0]) for T in written]
    return [Page(T, proof, 3) for T, proof in [*proved, *islice(proofs_of_random_models(), 24)]]


def test_every_entry_of_a_proof_means_what_the_page_says() -> None:
    blocks = [
        (page.T.blocks[b], entry) for page in pages() for b, entry in enumerate(page.proof["blocks"]) if page.T.blocks
    ]
    assert sum(not entry["heads"] for _, entry in blocks) > 5
    assert sum(len(entry["heads"]) > 1 for _, entry in blocks) > 5
    assert any(page.empty for page in pages())
    assert any(
        reading["any_sum"] for _, entry in blocks for head in entry["heads"] for c in head for reading in c["readings"]
    )


def proofs_of_random_encoders() -> Iterator[tuple[ws.Transformer, Data]]:
    for seed in count():
        T = random_encoder(seed)
        T = with_a_layer_first(T) if seed % 3 == 0 else T
        if readable(T):
            try:
                proof = extract(T, Budget(500, 100, clock=partial(next, count(0.0)))).trace.to_json()
            except (UnknownError, ws.ModelError):  # a norm of 0 has no root
                continue
            yield T, {"decisions": None, **json.loads(json.dumps(proof))}


def test_entries_of_full_masks_mean_what_the_page_says() -> None:
    read = [Page(T, proof, 4) for T, proof in islice(proofs_of_random_encoders(), 16)]
    read.append(Page(ENCODER, certificate(ws.check.recognizes(ENCODER, "0+|1+"))["proof"][0], 4))
    kinds = {kind for page in read for kind in page.kinds}
    assert kinds == {"contexts", "contexts of the last block", "joints", "no heads"}


def first_of(page: Page, place: tuple[int, int, int, int], outcomes: set[Outcome]) -> set[Outcome]:
    """Return the outcomes of a reading, with its least sum in place of each: one guess."""
    b, h, c, g = place
    weights = page.proof["blocks"][b]["heads"][h][c]["readings"][g]["weights"]
    found = {
        Outcome((*outcome.guess[:-1], min(weights))) if outcome.part is None and weights else outcome
        for outcome in outcomes
    }
    assert len({outcome.guess for outcome in found}) == 1
    return found


def test_readings_stand_in_ascending_order_of_their_guesses() -> None:
    compared, kinds = 0, set[Any]()
    for page in pages():
        for (b, h, c, query, g), outcomes in page.guesses.items():
            attention = page.T.blocks[b].attention
            assert attention
            outcomes = first_of(page, (b, h, c, g), outcomes)
            others = [(b, h, c, query, other) for other in range(g + 1, 99)]
            later = [
                first_of(page, (*other[:3], other[4]), page.guesses[other]) for other in others if other in page.guesses
            ]
            for found in later:
                (mine, *_), (other, *_) = outcomes, found
                assert mine.order <= other.order
                assert mine.order < other.order or mine.part is not None
            compared += len(later)
            kinds.add(attention.heads[h].weighting)
    assert compared > 50
    assert len(kinds) == 7


def test_weights_of_a_class_cover_those_that_occur() -> None:
    listed = 0
    for page in pages():
        for (b, h, c, _, g), outcomes in page.guesses.items():
            weights = page.proof["blocks"][b]["heads"][h][c]["readings"][g]["weights"]
            assert not weights or {outcome.listed for outcome in outcomes} <= {*weights}
            listed += bool(weights)
    assert listed > 5


CHANGES: dict[str, Any] = {
    "a letter that is not there": lambda proof: proof["machines"][0]["table"][0].append(0),
    "a state that is not there": lambda proof: proof["machines"][0]["table"][0].__setitem__(0, 10**6),
    "a machine that is not there": lambda proof: proof["blocks"][0]["joints"][0].__setitem__("view", 10**6),
    "a block more": lambda proof: proof["blocks"].append({"heads": [], "joints": []}),
    "a query in no class": lambda proof: proof["blocks"][0]["heads"][0][0]["queries"].pop(),
    "a class without a view": lambda proof: proof["blocks"][0]["heads"][1][0].__setitem__("view", None),
    "readings in another order": lambda proof: proof["blocks"][0]["heads"][1][0]["readings"].reverse(),
    "an entry of a tree more": lambda proof: proof["blocks"][0]["joints"][0]["tree"].append(None),
    "another key": lambda proof: proof["blocks"][0].__setitem__("more", []),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_the_page_does_not_allow_is_refused(name: str) -> None:
    T = ws.library.ends_with("01")
    data = deepcopy(certificate(ws.check.recognizes(T, ".*01")))
    assert refusal([T], data) is None
    CHANGES[name](data["proof"][0])
    assert "Refused" in str(refusal([T], data))


def test_fields_for_people_change_no_theorem() -> None:
    T = ws.library.ends_with("01")
    data = certificate(ws.check.recognizes(T, ".*01"))
    other = {**data, "inputs": 7, "seconds": "long ago", "finished": None, "versions": [], "files": {"a": "b"}}
    assert checked([T], other) == checked([T], data)


def test_tokens_with_equal_rows_are_one_letter() -> None:
    T = ws.library.ends_with("01")
    twice = replace(T, vocabulary=("0", "1", "2"), embedding=np.vstack([T.embedding, T.embedding[1]]))
    proof = certificate(ws.check.recognizes(twice, ".*0[12]"))["proof"][0]
    assert {len(row) for machine in proof["machines"] for row in machine["table"]} == {2}
    Page(twice, proof, 3)


def test_decisions_are_those_of_the_model() -> None:
    """For two models with many machines, one machine of all decisions makes fewer walks."""
    S = ws.library.ends_with("01011")
    models = [S, ws.infinity_form(S)]
    data = certificate(ws.check.same_decisions(models[0], models[1]))
    for T, proof in zip(models, data["proof"], strict=True):
        machine = proof["decisions"]
        for tokens in inputs(T.vocabulary, 6):
            state = reduce(lambda state, token: machine["table"][state][T.vocabulary.index(token)], tokens, 0)
            assert machine["labels"][state] == 1 + T.classes.index(ws.run(T, list(tokens)).decision)
    without = {**data, "proof": [{**proof, "decisions": None} for proof in data["proof"]]}
    assert checked(models, data).walks < checked(models, without).walks

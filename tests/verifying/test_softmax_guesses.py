"""A reading of a softmax may be for several sums of exponentials, with which every key adds the same term."""

import json
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import Any

import pytest

import weightsmith as ws
from tests.automata.shortcuts import made_for
from tests.verifying.test_needed_checks import proved, wrong_label
from weightsmith import verify
from weightsmith.automata.extraction import UnknownError, extract, softmax
from weightsmith.automata.extraction.limits import Limits, using
from weightsmith.files import model_bytes

SMALL = Limits(plain_states=1, fold_steps=1, sums=1)


def models(kinds: tuple[str, ...], count: int) -> Iterator[ws.Transformer]:
    made = (made_for(kind, seed) for seed in range(count) for kind in kinds)
    yield from (T for T in made if len(T.blocks) == 1)


def told(T: ws.Transformer) -> str:
    """Say what becomes of a proof."""
    with using(SMALL):
        try:
            return "wrong" if wrong_label(T, proved(T)) else "right"
        except verify.Refused as refused:
            return str(refused)
        except (UnknownError, ws.ModelError):
            return "unknown"


def listing() -> Iterator[tuple[ws.Transformer, dict[str, Any], dict[str, Any]]]:
    """Models with their proofs, and a reading of each that lists several sums of exponentials."""
    for T in models(("unlike", "extreme"), 400):
        with suppress(UnknownError, ws.ModelError):
            data = json.loads(json.dumps(extract(T).trace.to_json()))
            heads = T.blocks[0].attention.heads if T.blocks[0].attention else ()
            for head, classes in zip(heads, data["blocks"][0]["heads"], strict=True):
                readings = [reading for made in classes for reading in made["readings"]]
                if isinstance(head.weighting, ws.Softmax) and head.weighting.empty != "uniform":
                    yield from ((T, data, reading) for reading in readings[:1] if len(reading["weights"]) > 1)


def why_refused(T: ws.Transformer, data: dict[str, Any]) -> str:
    try:
        verify.Proof(verify.Model(model_bytes(T)), data["machines"], data["blocks"], verify.Work())
    except verify.Refused as refused:
        return str(refused)
    return ""


def test_a_reading_lists_just_its_sums() -> None:
    speaks, said = "a reading speaks where it must not, or the reverse", set[str]()
    for T, data, reading in islice(listing(), 10):
        assert not why_refused(T, data)
        for weights in (reading["weights"][1:], reading["weights"][:-1]):
            reading["weights"], kept = weights, reading["weights"]
            said.add(why_refused(T, data))
            reading["weights"] = kept
    assert speaks in said
    assert "" not in said


def test_an_empty_list_is_for_the_least_sum_that_is_left() -> None:
    met = 0
    for T in models(("unlike", "extreme"), 60):
        with suppress(UnknownError, ws.ModelError):
            data = json.loads(json.dumps(extract(T).trace.to_json()))
            attention = T.blocks[0].attention
            for head, classes in zip(attention.heads if attention else (), data["blocks"][0]["heads"], strict=True):
                one = [r for made in classes for r in made["readings"] if len(r["weights"]) == 1]
                for reading in one if head.weighting in (ws.Softmax(), ws.Softmax(shifted=True)) else ():
                    reading["weights"] = []
                    met += 1
            assert not why_refused(T, data)
    assert met > 20


def test_a_reading_must_not_list_the_sum_of_another() -> None:
    said = set[str]()
    for T in models(("unlike", "extreme"), 100):
        with suppress(UnknownError, ws.ModelError):
            data = json.loads(json.dumps(extract(T).trace.to_json()))
            attention = T.blocks[0].attention
            made = data["blocks"][0]["heads"][0][0]["readings"]
            if attention and attention.heads[0].weighting == ws.Softmax() and len(made) > 1:
                made[-1]["weights"] = made[-1]["weights"] + made[-2]["weights"]
                said.add(why_refused(T, data))
    assert said == {"sums of one guess make different terms"}


def test_sums_of_one_guess_must_make_the_same_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    why = "sums of one guess make different terms"
    readings = softmax._Fold.readings

    def one_kind(self: Any, found: Any, largest: Any = None) -> Any:
        z = self.table.values[found // self.states_of_z]
        if len(z) and z[-1] > 0:
            terms = self.A.multiply(self.A.divide(self.e, z[-1:])[:, None], self.values)
            yield self._reading(found, z, terms, largest)
        else:
            yield from readings(self, found, largest)

    monkeypatch.setattr(softmax._Fold, "readings", one_kind)
    fooled = [T for T in models(("unlike",), 100) if told(T) == why]
    assert len(fooled) > 3
    need = verify.need
    monkeypatch.setattr(verify, "need", lambda condition, said: said == why or need(condition, said))
    assert "wrong" in {told(T) for T in fooled}

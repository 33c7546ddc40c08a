"""Where the page says that a number comes from, folded again with fractions: the parts give the run's own bits.

Every product and every partial sum that the page shows is computed once more by the witness, from the weights of the
model and the stream of `ws.run`, on models that saturate, with every weighting, norm, activation and kind of positions.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.kernels.kinds import ACTIVATIONS, FULL, RULES, kind_of_model
from tests.kernels.models import random_model
from tests.studio.node import run_node
from tests.witness.functions import FUNCTIONS
from tests.witness.numbers import System, system
from tests.witness.positions import added_vectors, rule_of_head
from tests.witness.runs import Matrix, Vector, exact, normalised, plus, projected
from weightsmith import parse_arithmetic

FORMS = ("fixed(4,4)", "float(4,3,ties=even)")
LONG_FORMS = (
    "fixed(2,3,ties=even)",
    "fixed(3,1,ties=away)",
    "float(3,3)",
    "fixed(0,4)",
    "float(2,4,ties=away)",
    "e4m3",
)


@dataclass(frozen=True, eq=False)
class Case:
    """A run, its numbers as fractions, and what the page says of it."""

    run: ws.Run
    said: dict[str, Any]

    @property
    def N(self) -> System:
        return system(str(self.run.transformer.arithmetic))

    def stream(self, stage: int) -> Matrix:
        found: Matrix = exact(self.run.stream[stage])
        return found

    def read_by(self, stage: int) -> Matrix:
        """Give what the sublayer that leads to a stage reads."""
        T = self.run.transformer
        block = T.blocks[(stage - 1) // 2]
        norm = block.attention_norm if stage % 2 else block.feed_forward_norm
        before = self.stream(2 * ((stage - 1) // 2) if block.parallel else stage - 1)
        return normalised(self.N, T, norm, before) if block.norm_placement == "pre" else before


def _models(form: str) -> Iterator[ws.Transformer]:
    A = parse_arithmetic(form)
    yield from (random_model(A, seed) for seed in range(12))
    for mask in ("causal", "full"):
        for n, rule in enumerate(RULES if mask == "causal" else FULL):
            activation = ACTIVATIONS[(n + len(mask)) % len(ACTIVATIONS)]
            how: Any = {"heads": 1 + n % 3, "mask": mask, "norms": n % 2 == 1, "tied": n % 3 == 0}
            yield kind_of_model(A, n, rule, activation, parallel=n % 4 > 1, **how)


def _cases(form: str, folder: Path) -> list[Case]:
    runs, asked = [], []
    for n, T in enumerate(_models(form)):
        tokens = np.random.default_rng(n).choice(T.vocabulary, 4).tolist()
        try:
            run = ws.run(T, tokens)
        except ws.ModelError:  # a norm without spread, or a softmax without weight
            continue
        runs.append(run)
        ws.save(T, folder / f"{n}.safetensors")
        asked.append({"file": str(folder / f"{n}.safetensors"), "tokens": tokens})
    (folder / "cases.json").write_text(json.dumps(asked))
    said_of = json.loads(run_node("why.mjs", folder / "cases.json"))
    return [Case(run, said) for run, said in zip(runs, said_of, strict=True)]


@pytest.fixture(scope="module", params=[*FORMS, *(pytest.param(form, marks=pytest.mark.long) for form in LONG_FORMS)])
def cases(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Case]:
    found = _cases(request.param, tmp_path_factory.mktemp("why"))
    assert len(found) > 15
    return found


def check_result(N: System, said: dict[str, Any], value: Fraction) -> Fraction:
    """Compare a result with an exact value rounded, and what is said to have happened to it; return the result."""
    rounded = N.round(value)
    assert Fraction(said["value"]) == rounded
    assert said["cut"] == ("saturated" if abs(value) > N.infinity else "exact" if value == rounded else "rounded")
    return rounded


def check_sum(N: System, said: dict[str, Any], weights: Vector, values: Vector, bias: Fraction | None) -> Fraction:
    """Fold a sum again, and compare every term of it; return the result."""
    total = Fraction(0)
    assert [term["place"] for term in said["terms"]] == [n for n, weight in enumerate(weights) if weight]
    for term in said["terms"]:
        weight, value = weights[term["place"]], values[term["place"]]
        assert (Fraction(term["weight"]), Fraction(term["value"])) == (weight, value)
        product = check_result(N, term["product"], weight * value)
        total = check_result(N, term["sum"], total + product)
    assert Fraction(said["dot"]) == total
    assert said["bias"] == bias
    return total if bias is None else check_result(N, said["result"], total + bias)


def test_a_score_is_the_sum_of_its_lanes(cases: list[Case]) -> None:
    seen = set()
    for case in cases:
        N, T = case.N, case.run.transformer
        for b, block in enumerate(T.blocks):
            heads = block.attention.heads if block.attention is not None else ()
            read = case.read_by(2 * b + 1) if heads else []
            for place, head in enumerate(heads):
                said = case.said["heads"][b][place]
                rule = rule_of_head(T, head, place, len(heads))
                raw = [projected(N, exact(W), bias, read) for W, bias in ((head.W_Q, head.b_Q), (head.W_K, head.b_K))]
                q, k = ([rule.turned(N, t, row) for t, row in enumerate(rows)] for rows in raw)
                found = case.run.heads[b][place].scores
                for i, row in enumerate(said["scores"]):
                    for j, score in enumerate(row):
                        reach = i if head.strict else i + 1 if T.mask == "causal" else len(read)
                        assert score["visible"] == (j < reach)
                        if not score["visible"]:
                            continue
                        met, total = rule.key(N, i, j, k[j]), Fraction(0)
                        for lane, asked, key, offered in zip(score["lanes"], q[i], k[j], met, strict=True):
                            assert [lane["weight"], lane["key"], lane["value"]] == [asked, key, offered]
                            if lane["offset"] is not None:
                                assert N.round(key + Fraction(lane["offset"])) == offered
                            product = check_result(N, lane["product"], asked * offered)
                            total = check_result(N, lane["sum"], total + product)
                            seen |= {lane["product"]["cut"], lane["sum"]["cut"]}
                        penalty = rule.penalty(N, i, j)
                        assert [score["dot"], score["penalty"]] == [total, penalty]
                        if penalty is not None:
                            total = check_result(N, score["score"], total + penalty)
                        assert score["score"]["value"] == total == found[i, j]
    assert "saturated" in seen


def test_a_query_and_a_key_come_from_the_stream(cases: list[Case]) -> None:
    turned = 0
    for case in cases:
        N, T = case.N, case.run.transformer
        for b, block in enumerate(T.blocks):
            heads = block.attention.heads if block.attention is not None else ()
            read = case.read_by(2 * b + 1) if heads else []
            for place, head in enumerate(heads):
                rule = rule_of_head(T, head, place, len(heads))
                for W, bias, said in zip(
                    (head.W_Q, head.W_K), (head.b_Q, head.b_K), case.said["heads"][b][place]["projections"], strict=True
                ):
                    for t, lanes in enumerate(said):
                        raw = [
                            check_sum(N, lane["sum"], exact(W)[c], read[t], None if bias is None else Fraction(bias[c]))
                            for c, lane in enumerate(lanes)
                        ]
                        for c, (lane, value) in enumerate(zip(lanes, rule.turned(N, t, raw), strict=True)):
                            if lane["turn"] is None:
                                assert value == raw[c]
                                continue
                            turn, turned = {key: Fraction(x) for key, x in lane["turn"].items()}, turned + 1
                            sign = 1 if c > turn["partner"] else -1
                            products = N.round(raw[c] * turn["cos"]), N.round(turn["other"] * turn["sin"])
                            assert turn["turned"] == value == N.round(products[0] + sign * products[1])
                            assert turn["other"] == raw[int(turn["partner"])]
    assert turned > 20


def test_weights_come_from_exponentials_or_from_the_largest_score(cases: list[Case]) -> None:
    kinds = set()
    for case in cases:
        N, T = case.N, case.run.transformer
        for b, block in enumerate(T.blocks):
            for place, head in enumerate(block.attention.heads if block.attention is not None else ()):
                one, kind = case.run.heads[b][place], type(head.weighting).__name__
                for i, said in enumerate(case.said["heads"][b][place]["weighings"]):
                    assert said["kind"] == kind
                    total, sources = Fraction(0), said["sources"]
                    scores = [Fraction(one.scores[i, j]) for j in range(len(sources))]
                    assert [each["score"] for each in sources] == scores
                    assert [each["weight"] for each in sources] == [one.weights[i, j] for j in range(len(sources))]
                    assert not one.weights[i, len(sources) :].any()
                    assert said["largest"] == max(scores, default=None)
                    assert said["ties"] == scores.count(max(scores, default=Fraction(0)))
                    for each, score in zip(sources, scores, strict=True):
                        if kind != "Softmax":
                            assert each["exp"] is each["sum"] is each["shifted"] is None
                            continue
                        assert isinstance(head.weighting, ws.Softmax)
                        shifted = N.round(score - max(scores)) if head.weighting.shifted else score
                        assert each["shifted"] == (shifted if head.weighting.shifted else None)
                        assert Fraction(each["exp"]) == N.exp(shifted)
                        total = N.round(total + Fraction(each["exp"]))
                        assert Fraction(each["sum"]) == total
                    if kind == "Softmax":
                        assert said["sum"] == total
                        assert (said["empty"] is not None) == bool(one.empty[i])
                        if said["empty"] is None:
                            assert [N.round(Fraction(each["exp"]) / total) for each in sources] == [
                                Fraction(each["weight"]) for each in sources
                            ]
                    kinds.add((kind, said["shifted"], said["empty"]))
    assert len(kinds) > 5


def test_what_a_source_brings_is_weight_times_value_times_where_it_is_written(cases: list[Case]) -> None:
    for case in cases:
        T = case.run.transformer
        for b, block in enumerate(T.blocks):
            for place, head in enumerate(block.attention.heads if block.attention is not None else ()):
                one, rule = case.run.heads[b][place], rule_of_head(T, head, place, len(block.attention.heads))  # type: ignore[union-attr]
                for i, row in enumerate(case.said["heads"][b][place]["brought"]):
                    for j, said in enumerate(row):
                        weight = Fraction(one.weights[i, j])
                        value = rule.value(case.N, i, j, exact(one.values[j])) if weight else []
                        parts = {each["lane"]: each for each in said}
                        for lane, written in enumerate(exact(head.W_O)):
                            amount = sum(
                                (weight * v * w for v, w in zip(value, written, strict=bool(weight))), Fraction(0)
                            )
                            if lane not in parts:
                                assert amount == 0
                                continue
                            assert parts[lane]["amount"] == pytest.approx(float(amount), rel=1e-12, abs=1e-12)
                            assert parts[lane]["head"] == one.output[i, lane]
                            for part in parts[lane]["parts"]:
                                check_result(case.N, part["weighted"], weight * value[part["valueLane"]])


def test_an_activation_is_the_function_of_its_terms(cases: list[Case]) -> None:
    gated = 0
    for case in cases:
        N, T = case.N, case.run.transformer
        for b, block in enumerate(T.blocks):
            layer = block.feed_forward
            if layer is None:
                continue
            read = case.read_by(2 * b + 2)
            function = FUNCTIONS[{"reglu": "relu", "swiglu": "silu"}.get(layer.activation, layer.activation)]
            for t, neurons in enumerate(case.said["neurons"][b]):
                for n, said in enumerate(neurons):
                    z = check_sum(N, said["sum"], exact(layer.W_1)[n], read[t], Fraction(layer.b_1[n]))
                    active = N.round(function(z))
                    assert said["active"] == active
                    if layer.W_3 is not None:
                        assert layer.b_3 is not None
                        gate = check_sum(N, said["gate"], exact(layer.W_3)[n], read[t], Fraction(layer.b_3[n]))
                        active, gated = check_result(N, said["computed"], active * gate), gated + 1
                    assert said["activation"] == said["computed"]["value"] == active == case.run.activations[b][t, n]
                    assert [each["lane"] for each in said["adds"]] == np.flatnonzero(layer.W_2[:, n]).tolist()
                    for adds in said["adds"]:
                        lane = adds["lane"]
                        check_result(N, adds["term"], Fraction(layer.W_2[lane, n]) * active)
                        whole = N.dot(exact(layer.W_2)[lane], exact(case.run.activations[b][t]))
                        assert adds["layer"] == N.round(whole + Fraction(layer.b_2[lane]))
                        assert adds["before"] == case.run.stream[2 * b + 1][t, lane]
                        assert adds["after"] == case.run.stream[2 * b + 2][t, lane]
    assert gated > 10


def test_a_cell_is_the_sum_of_what_was_written_into_it(cases: list[Case]) -> None:
    cuts = set()
    for case in cases:
        N, T, r = case.N, case.run.transformer, case.run
        added = added_vectors(N, T, len(r.tokens))
        for t, lanes in enumerate(case.said["cells"]):
            for lane, said in enumerate(lanes):
                origin = said["origin"]
                value = Fraction(T.embedding[list(T.vocabulary).index(r.tokens[t]), lane])
                assert origin["token"] == value
                assert origin["position"] == (None if added is None else added[t][lane])
                if added is not None:
                    value = check_result(N, origin["sum"], value + added[t][lane])
                assert origin["after"] == value == r.stream[0][t, lane]
                for step in said["writings"]:
                    value = _check_writing(case, step, t, lane, value)
                    cuts |= {step["sum"]["cut"], *(share["sum"]["cut"] for share in step["shares"])}
                    assert value == r.stream[step["stage"]][t, lane]
                assert said["value"] == value == r.stream[-1][t, lane]
    assert cuts == {"exact", "rounded", "saturated"} or "fixed" in str(cases[0].run.transformer.arithmetic)
    assert "saturated" in cuts


def _check_writing(case: Case, step: dict[str, Any], t: int, lane: int, before: Fraction) -> Fraction:
    N, r = case.N, case.run
    b, block = step["block"], r.transformer.blocks[step["block"]]
    total = Fraction(0)
    assert step["before"] == before
    for share in step["shares"]:
        amount = Fraction(share["amount"]["value"])
        if share["kind"] == "head":
            assert amount == r.heads[b][share["place"]].output[t, lane]
        elif share["kind"] == "neuron":
            assert block.feed_forward is not None
            weight = Fraction(block.feed_forward.W_2[lane, share["place"]])
            check_result(N, share["amount"], weight * Fraction(r.activations[b][t, share["place"]]))
        else:
            assert share["name"] in ("b_O", "b_2")
        total = check_result(N, share["sum"], total + amount)
    assert step["added"] == total
    after = check_result(N, step["sum"], before + total)
    if step["norm"] is not None:
        after = Fraction(step["norm"]["value"])
    assert (step["after"], step["replaced"]) == (after, False)
    return after


def test_a_logit_is_the_sum_of_its_lanes(cases: list[Case]) -> None:
    for case in cases:
        N, T, lens = case.N, case.run.transformer, ws.lens(case.run)
        for said in case.said["logits"]:
            stage, t, place = said["stage"], said["position"], list(T.classes).index(said["wanted"])
            read = normalised(N, T, T.final_norm, case.stream(stage))[t]
            bias = None if T.output_bias is None else Fraction(T.output_bias[place])
            total = check_sum(N, said["sum"], exact(T.embedding if T.tied else T.output)[place], read, bias)
            assert said["logit"] == total == lens.logits[stage, t, place]
        assert len(case.said["logits"]) == lens.logits.size


def test_every_norm_is_a_step_with_its_numbers(cases: list[Case]) -> None:
    places = set()
    for case in cases:
        N, T = case.N, case.run.transformer
        for said in case.said["norms"]:
            place = said["place"]
            places.add((place["placement"], place["sublayer"]))
            for t, steps in enumerate(said["positions"]):
                found = _check_norm(N, T, place, steps)
                expected = _normed(case, place, t)
                if place["placement"] != "post":
                    assert [found[lane] for lane in steps["covered"]] == [expected[lane] for lane in steps["covered"]]
                else:
                    assert all(expected[lane] == value for lane, value in found.items())
    assert len(places) == 5


def _normed(case: Case, place: dict[str, Any], t: int) -> Vector:
    """Give the result of a norm by the witness, or by the stream of the run for a norm after a sublayer."""
    T, b = case.run.transformer, place["block"]
    if place["placement"] == "final":
        return normalised(case.N, T, T.final_norm, case.stream(-1))[t]
    stage = 2 * b + (1 if place["sublayer"] == "attention" else 2)
    return case.read_by(stage)[t] if place["placement"] == "pre" else case.stream(stage)[t]


def _check_norm(N: System, T: Any, place: dict[str, Any], said: dict[str, Any]) -> dict[int, Fraction]:
    """Compute a norm again from what it reads; return its results by lane."""
    if place["placement"] == "final":
        norm: Any = T.final_norm
    else:
        block = T.blocks[place["block"]]
        norm = block.attention_norm if place["sublayer"] == "attention" else block.feed_forward_norm
    names = ("before", "sums", "centred", "squares", "squareSums", "divided", "after")
    x, sums, centred, squares, square_sums, divided, after = (list(map(Fraction, said[name])) for name in names)
    m = N.round(Fraction(len(x)))
    assert [T.lanes[lane] for lane in said["covered"]] == list(norm.lanes or T.lanes)
    assert [said["count"], said["eps"]] == [m, N.round(Fraction(norm.eps))]
    if type(norm).__name__ == "LayerNorm":
        assert sums == [N.sum(x[: n + 1]) for n in range(len(x))]
        assert said["mean"] == N.round(sums[-1] / m)
        assert centred == [N.round(value - Fraction(said["mean"])) for value in x]
    else:
        assert (said["mean"], centred) == (None, x)
    assert squares == [N.round(value * value) for value in centred]
    assert square_sums == [N.sum(squares[: n + 1]) for n in range(len(x))]
    assert said["spread"] == N.round(square_sums[-1] / m)
    assert said["root"] == N.sqrt(N.round(Fraction(said["spread"]) + Fraction(said["eps"])))
    assert divided == [N.round(value / Fraction(said["root"])) for value in centred]
    y = divided if norm.gain is None else [N.round(a * b) for a, b in zip(divided, exact(norm.gain), strict=True)]
    assert after == (y if getattr(norm, "bias", None) is None else plus(N, y, exact(norm.bias)))
    return dict(zip(said["covered"], after, strict=True))

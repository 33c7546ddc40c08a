"""Responses are exactly 1 at a key and at most −margin at every rival, or the fact is refused."""

import re
from dataclasses import replace
from fractions import Fraction
from typing import Literal

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import weightsmith as ws
from tests.memory.models import LANES, blank
from tests.witness.numbers import system
from weightsmith.arithmetic import Array
from weightsmith.memory import threshold
from weightsmith.memory.neurons import columns

FINITE = [ws.Fixed(4, 4), ws.Fixed(6, 2, "even"), ws.Float(4, 3), ws.Float(4, 6), ws.Float.like("e4m3")]
ARITHMETICS = [*FINITE, ws.Fixed(12, 8, "away"), ws.Float.like("float16"), ws.Native("float32"), ws.Native("float64")]


def response(T: ws.Transformer, neuron: int, pattern: list[float]) -> Fraction | float:
    """Compute a pre-activation, with fractions and apart from Weightsmith, or in numpy's own types."""
    layer = T.blocks[0].feed_forward
    assert layer is not None
    w, b = layer.W_1[neuron], layer.b_1[neuron]
    if isinstance(T.arithmetic, ws.Native):
        number = np.dtype(T.arithmetic.dtype).type
        total = number(0)
        for x, y in zip(w, pattern, strict=True):
            total = total + number(x) * number(y)
        return float(total + number(b))
    numbers = system(str(T.arithmetic))
    total_ = numbers.dot([Fraction(x) for x in w.tolist()], [Fraction(x) for x in pattern])
    return numbers.round(total_ + Fraction(float(b)))


@st.composite
def cases(draw: st.DrawFn) -> tuple[ws.Transformer, list[tuple[str, Array, dict[str, float]]], float]:
    A = draw(st.sampled_from([a for a in ARITHMETICS if a != ws.Fixed(12, 8, "away")]))
    T = blank(A)
    numbers = st.sampled_from([-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0])
    count = draw(st.integers(1, 5))
    keys = draw(st.lists(st.lists(numbers, min_size=4, max_size=4), min_size=count, max_size=count))
    assume(all(any(key) for key in keys))
    facts = [(f"fact {i}", np.array([*key, 0.0]), {"out": 1.0}) for i, key in enumerate(keys)]
    return T, facts, draw(st.sampled_from([0.25, 0.5, 1.0, 1.5, 3.0]))


@given(cases(), st.sampled_from([1, 16]))
def test_responses_are_one_at_the_key_and_below_the_margin_at_rivals_or_all_is_refused(
    case: tuple[ws.Transformer, list[tuple[str, Array, dict[str, float]]], float], looked_at_first: int
) -> None:
    T, facts, margin = case
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(threshold, "STRONGEST_RIVALS", looked_at_first)  # however few, all are looked at in the end
            written = ws.memory.write_many(T, 0, facts, margin)
    except ws.InputError as error:
        message = str(error)
        written = None
    if written is None:
        told = re.search(r"margin=([0-9.e+-]+)$", message)
        assert told or "cannot be distinguished" in message or "no margin works" in message, message
        return
    for n, (_, key, _) in enumerate(facts):
        assert response(written, n, key.tolist()) == 1
        for m, (_, rival, _) in enumerate(facts):
            assert m == n or response(written, n, rival.tolist()) <= -margin
        assert response(written, n, [0.0] * 5) <= -margin
    assert [fact.key for fact in ws.memory.facts(written)] == [
        {lane: x for lane, x in zip(T.lanes, key.tolist(), strict=True) if x} for _, key, _ in facts
    ]


@settings(max_examples=30)
@given(st.sampled_from(FINITE), st.lists(st.sampled_from([-1.0, 0.5, 1.0, 2.0]), min_size=4, max_size=4))
def test_the_largest_margin_that_is_named_works_and_no_larger_one(A: ws.Arithmetic, key: list[float]) -> None:
    T, pattern = blank(A), dict(zip(LANES, key, strict=True))
    with pytest.raises(ws.InputError, match="cannot keep margin=1e.06") as refused:
        ws.memory.write(T, 0, pattern, {"out": 1.0}, margin=1e6)
    largest = float(str(refused.value).rpartition("=")[2])
    written = ws.memory.write(T, 0, pattern, {"out": 1.0}, margin=largest)
    assert response(written, 0, [*key, 0.0]) == 1
    assert response(written, 0, [0.0] * 5) == -largest
    with pytest.raises(ws.InputError, match="the largest margin that works is"):
        ws.memory.write(T, 0, pattern, {"out": 1.0}, margin=largest * 1.001)


@pytest.mark.parametrize("A", ARITHMETICS, ids=str)
@pytest.mark.parametrize("margin", [0.5, 1.0, 2.0])
def test_margins_are_kept_in_every_arithmetic(A: ws.Arithmetic, margin: float) -> None:
    T = ws.memory.write(blank(A), 0, {"a": 1.0, "b": 1.0}, {"out": 1.0}, margin, "both")
    T = ws.memory.write(T, 0, {"a": 1.0, "b": -1.0}, {"out": 1.0}, margin, "first")
    for fact in ws.memory.facts(T):
        assert fact.response == 1.0
        assert fact.margin is not None
        assert fact.margin >= margin
    layer = T.blocks[0].feed_forward
    assert layer is not None
    assert [(layer.W_1[n, :2].tolist(), layer.b_1[n]) for n in range(2)] == [
        ([(1 + margin) / 2, (1 + margin) / 2], -margin),
        ([(1 + margin) / 2, -(1 + margin) / 2], -margin),
    ]


def test_the_weights_are_those_of_the_formula_for_the_strongest_rival() -> None:
    rivals = [{"a": 1.0}, {"a": 1.0, "b": 1.0}, {"d": 9.0}]
    T = ws.memory.write(blank(), 0, {"a": 1.0, "b": 1.0, "c": 1.0}, {"out": 1.0}, margin=2.5, rivals=rivals)
    layer = T.blocks[0].feed_forward
    assert layer is not None
    assert (layer.W_1[0].tolist(), layer.b_1[0]) == ([3.5, 3.5, 3.5, 0.0, 0.0], -9.5)  # 3.5 = (1 + 2.5) / (3 − 2)


def test_a_rival_that_rounding_makes_the_strongest_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threshold, "STRONGEST_RIVALS", 1)
    rivals = [(1.5, -0.5, 0.5), (0.75, 0.5, -0.25), (0.5, 1.5, -0.5), (1.5, 0.5, 0.75)]
    patterns = [[*rival, 0.0, 0.0] for rival in rivals]
    T = ws.memory.write(blank(ws.Float(4, 3)), 0, {"a": 1.5, "b": 0.5, "c": -0.5}, {"out": 1.0}, rivals=patterns)
    assert response(T, 0, [1.5, 0.5, -0.5, 0.0, 0.0]) == 1
    assert max(response(T, 0, pattern) for pattern in patterns) <= -1


def test_without_rivals_the_threshold_is_half_way_between_nothing_and_the_key() -> None:
    T = ws.memory.write(blank(), 0, {"a": 2.0}, {"out": 1.0})
    assert response(T, 0, [1.0, 0.0, 0.0, 0.0, 0.0]) == 0
    assert response(T, 0, [0.0, 9.0, 9.0, 9.0, 9.0]) == -1


@pytest.mark.parametrize("margin", [0, 0.0, -1.0])
def test_a_threshold_at_the_strongest_rival_is_refused(margin: float) -> None:
    with pytest.raises(ws.InputError, match="a threshold at the strongest rival leaks; write one above 0"):
        ws.memory.write(blank(), 0, {"a": 1.0}, {"out": 1.0}, margin)


def test_a_key_that_is_part_of_a_rival_is_refused_with_both_responses() -> None:
    T = ws.memory.write(blank(), 0, {"a": 1.0, "b": 1.0}, {"out": 1.0}, name="both")
    with pytest.raises(ws.InputError, match="the fact both, which is there already, responds to the key of one with 0"):
        ws.memory.write(T, 0, {"a": 1.0}, {"out": 1.0}, name="one")
    with pytest.raises(
        ws.InputError,
        match="one cannot be distinguished from rival 0: ⟨key, key⟩ = 1 and ⟨key, rival⟩ = 1.* add a lane to the key",
    ):
        ws.memory.write(blank(), 0, {"a": 1.0}, {"out": 1.0}, name="one", rivals=[{"a": 1.0, "b": 1.0}])


def test_two_facts_with_one_key_are_refused_by_name() -> None:
    same = [("x", {"a": 1.0}, {"out": 1.0}), ("y", {"a": 1.0}, {"out": 2.0})]
    with pytest.raises(ws.InputError, match="x cannot be distinguished from the new fact y"):
        ws.memory.write_many(blank(), 0, same)


def test_a_margin_beyond_the_arithmetic_is_refused_with_the_largest_that_works() -> None:
    T = blank(ws.Fixed(4, 4))
    with pytest.raises(
        ws.InputError,
        match=r"big cannot keep margin=20 in fixed\(4,4\): its response is 1 at its key and "
        r"-14.9375 at the empty pattern; the largest margin that works is 14.9375: write margin=14.9375",
    ):
        ws.memory.write(T, 0, {"a": 1.0}, {"out": 1.0}, 20, name="big")
    assert ws.memory.facts(ws.memory.write(T, 0, {"a": 1.0}, {"out": 1.0}, 14.9375))[0].margin == 14.9375


def test_a_key_that_an_old_fact_answers_to_is_refused_and_can_be_written_after_an_edit() -> None:
    T = ws.memory.write(blank(), 0, {"a": 1.0, "b": 1.0, "c": 1.0}, {"out": 1.0}, name="old")
    key = {"a": 1.0, "b": 1.0, "c": 0.5}
    with pytest.raises(
        ws.InputError, match="old, which is there already, responds to the key of new with 0.625.* edit it"
    ):
        ws.memory.write(T, 0, key, {"out": 1.0}, name="new")
    old = {"a": 1.0, "b": 1.0, "c": 1.0}
    T = ws.memory.edit(T, 0, "old", key=old, rivals=[key])
    with pytest.raises(ws.InputError, match="new cannot be distinguished from the fact old: ⟨key, key⟩ = 2.25 and"):
        ws.memory.write(T, 0, key, {"out": 1.0}, name="new")
    T = ws.memory.write(T, 0, {"a": 1.0, "b": 1.0, "c": -1.0}, {"out": 1.0}, name="new")
    assert all(fact.margin is not None and fact.margin >= 1 for fact in ws.memory.facts(T))


def test_given_inputs_are_rivals_where_they_differ_from_the_key() -> None:
    """Tokens are ±1 on four lanes; of those that have the key's lanes, 0 and 8 say something else on d."""
    T, key = blank(), {"a": 1.0, "b": 1.0, "c": 1.0}
    free = ws.memory.write(T, 0, key, {"out": 1.0})
    bound = ws.memory.write(T, 0, key, {"out": 1.0}, inputs=list(T.vocabulary))
    for written, margin in ((free, 1 / 3), (bound, 1.0)):
        decided = ws.decisions(written, list(T.vocabulary))
        assert [token for token, said in zip(T.vocabulary, decided, strict=True) if said == "YES"] == ["0", "8"]
        layer = written.blocks[0].feed_forward
        assert layer is not None
        nearest = max(response(written, 0, row.tolist()) for row in T.embedding[1:8])
        assert nearest <= -margin + 0.1
    with pytest.raises(ws.InputError, match="x cannot be distinguished from the input 0 at position 0"):
        ws.memory.write(T, 0, {"a": 0.5, "b": 0.5}, {"out": 1.0}, name="x", inputs=["0"])


@pytest.mark.parametrize("name", ["float32", "float64"])
def test_in_native_the_input_of_the_key_is_no_rival_of_it(name: Literal["float32", "float64"]) -> None:
    """It is computed again, among others and in another order, so that its last bits differ."""
    T = ws.random_transformer("01", 24, 2, 2, 8, 9, ws.Native(name), 3)
    T = replace(T, blocks=[replace(b, attention_norm=ws.RMSNorm(), feed_forward_norm=ws.RMSNorm()) for b in T.blocks])
    inputs = ["0110", "01101", "1", "00110", "011011"]
    for tokens in inputs:
        key = ws.memory.pattern(ws.run(T, tokens), 1, -1)
        edited = ws.memory.write(T, 1, key, {T.lanes[0]: 1.0}, margin=1e-3, inputs=[*inputs, tokens + "0"])
        assert ws.memory.read(ws.run(edited, tokens), 1)[-1].response == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("activation", ["gelu", "gelu_tanh", "silu", "swiglu", "reglu", "relu"])
@pytest.mark.parametrize("A", [ws.Fixed(6, 4), ws.Fixed(8, 16), ws.Native("float64")], ids=str)
def test_with_every_activation_the_value_comes_out_exactly_at_the_key(activation: str, A: ws.Arithmetic) -> None:
    T = ws.memory.write(blank(A, activation), 0, {"a": 1.0, "b": 1.0}, {"out": -1.5}, margin=2.0)
    layer = T.blocks[0].feed_forward
    assert layer is not None
    assert layer.activation == activation
    (fact,) = ws.memory.facts(T)
    assert fact.response == 1.0
    assert isinstance(fact.value, dict)
    assert ws.run(T, "0").stream[-1, 0, -1] == fact.value["out"]
    # The machine's numbers have no quotient that gives just −1.5; those of Fixed do.
    assert fact.value["out"] == pytest.approx(-1.5, rel=1e-15) if isinstance(A, ws.Native) else -1.5
    leak = ws.run(T, "3").stream[-1, 0, -1]  # a = b = −1: far below the threshold
    exact = A.multiply(A.activate(layer.function, -5.0), layer.W_2[-1, 0])
    assert leak == exact
    assert activation not in ("relu", "reglu") or leak == 0


def test_a_value_that_no_member_gives_is_refused_with_one_that_comes_out() -> None:
    T = blank(ws.Float(4, 4), "gelu")
    with pytest.raises(
        ws.InputError,
        match=r"the value of x, lane out: 1.75 is not 0.8125 times a member of float\(4,4\), and 0.8125 is gelu\(1\)",
    ) as refused:
        ws.memory.write(T, 0, {"a": 1.0}, {"out": 1.75}, margin=0.5, name="x")
    instead = float(str(refused.value).rpartition("write ")[2].removesuffix(" instead"))
    written = ws.memory.write(T, 0, {"a": 1.0}, {"out": instead}, margin=0.5)
    assert ws.memory.facts(written)[0].value == {"out": instead}


def test_after_a_norm_the_key_is_what_the_layer_reads() -> None:
    norm = ws.RMSNorm(eps=0.0, lanes=LANES)
    T = blank(ws.Fixed(8, 8), "relu")
    T = ws.Transformer(
        **{
            **{name: getattr(T, name) for name in ("arithmetic", "vocabulary", "lanes", "positions", "output")},
            "embedding": T.embedding * 4,
            "blocks": (ws.Block(feed_forward=T.blocks[0].feed_forward, feed_forward_norm=norm),),
        }
    )
    written = ws.memory.write(T, 0, dict.fromkeys(LANES, 1.0), {"out": 1.0}, inputs=list(T.vocabulary))
    assert [
        x for x, said in zip(T.vocabulary, ws.decisions(written, list(T.vocabulary)), strict=True) if said == "YES"
    ] == ["0"]
    (firing,) = ws.memory.read(ws.run(written, "0"), 0)
    assert firing.response == 1.0


def test_an_arithmetic_without_one_is_refused() -> None:
    A = ws.Fixed(0, 6)
    T = ws.random_transformer(lanes=2, blocks=1, arithmetic=A)
    with pytest.raises(ws.LawError, match="memory.write needs the law"):
        ws.memory.write(T, 0, {"x0": 0.5}, {"x1": 0.5})


@pytest.mark.parametrize("form", ["fixed(4,4)", "float(4,3)", "float(3,3)", "float(5,8)", "float(4,5,ties=away)"])
@pytest.mark.parametrize("activation", ["gelu", "silu"])
def test_every_value_that_some_member_makes_is_written(form: str, activation: str) -> None:
    A = ws.parse_arithmetic(form)
    T = blank(A, activation)
    layer = T.blocks[0].feed_forward
    assert layer is not None
    full = A.activate(layer.function, 1.0)
    values = np.zeros((len(A.values()), len(T.lanes)))
    values[:, -1] = A.multiply(full, A.values())
    found = columns(T, layer, values, [""] * len(values))
    assert np.array_equal(A.multiply(full, found.T), values)

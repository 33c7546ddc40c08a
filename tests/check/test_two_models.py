"""What two models share runs once, and no difference between them is hidden by it."""

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.check.models import differences, just
from tests.kernels.models import random_model
from weightsmith import Attention, Block, FeedForward, Transformer, library
from weightsmith.arithmetic import Array
from weightsmith.check import two_models
from weightsmith.check.claim import Claim
from weightsmith.check.examine import Source, by_reference, examine
from weightsmith.check.options import Options
from weightsmith.check.pair_claims import SameDecisions, SameLogits
from weightsmith.kernels.packed import Handover, batch, handover, packed_run, tree
from weightsmith.model.folds import map_declared, named_arrays
from weightsmith.model.frozen import LANES, Axes

UP_TO = 3
ARITHMETICS = (ws.Fixed(4, 4), ws.Fixed(2, 9), ws.Float(4, 3), ws.Float.like("float16"), ws.Fixed(3, 2, ties="even"))
Rewrite = Callable[[Transformer], Transformer]
REWRITES: dict[str, Rewrite] = {
    "zero_one_form": ws.zero_one_form,
    "widen": lambda T: ws.widen(T, ["new", "newer"], where="front"),
    "pad_blocks": lambda T: ws.pad_blocks(T, 1),
    "flag": lambda T: ws.add_vector(ws.flag(T, "second", [1], max_length=UP_TO), {T.lanes[0]: 1.0}, at="second"),
    "map_stream": lambda T: ws.map_stream(T, np.eye(len(T.lanes))),
    "zero_vector": lambda T: ws.zero_vector(ws.flag(T, "all", range(UP_TO), max_length=UP_TO), "all", method="cancel"),
    "twice": lambda T: ws.widen(ws.zero_one_form(T), ["more"]),
}
COMPOSITIONS: dict[str, Callable[[Transformer], tuple[Transformer, Transformer]]] = {
    "infinity_form": lambda T: (T, ws.infinity_form(T)),
    "not": lambda T: (T, ~~T),
    "and": lambda T: (T, T & other(T)),
    "swapped": lambda T: (T & other(T), other(T) & T),
}


@pytest.fixture
def sharing(monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], None]:
    return lambda on: monkeypatch.setattr(two_models, "MIN_INPUTS", 0 if on else sys.maxsize)


def outcome(claim: Claim, up_to: int, source: Source | None = None) -> list[object]:
    """Return the finding of every shard, or the refusal of an input."""
    plan = claim.plan(up_to)
    try:
        return [
            examine(claim, plan, shard, source=source) for tier in range(len(plan.tiers)) for shard in plan.shards(tier)
        ]
    except ws.ModelError as error:
        return [str(error)]


def claims(S: Transformer, T: Transformer, **options: Any) -> Iterator[Claim]:
    for kind in (SameDecisions, SameLogits):
        yield kind(S, T, frame=Options(**options).frame(S, T))


def shared_by(S: Transformer, T: Transformer, positions: int = UP_TO) -> Handover | None:
    return handover(packed_run(S), packed_run(T), positions)


def with_everything(T: Transformer, seed: int) -> Transformer:
    """Return a transformer with biases and gates too."""
    random = np.random.default_rng([seed, 3])

    def draw(like: Any, axis: int = 0) -> Array:
        return T.arithmetic.round(random.choice([0.0, 0.5, -1.0], like.shape[axis]))

    def changed(block: Block) -> Block:
        attention, layer = block.attention, block.feed_forward
        if attention is not None and random.random() < 0.5:
            heads = [replace(h, b_Q=draw(h.W_Q), b_K=draw(h.W_K), b_V=draw(h.W_V)) for h in attention.heads]
            attention = Attention(tuple(heads), T.arithmetic.round(random.choice([0.0, 1.0], len(T.lanes))))
        if layer is not None and random.random() < 0.5:
            gate = T.arithmetic.round(random.choice([0.0, 1.0, -0.5], layer.W_1.shape))
            layer = FeedForward(layer.W_1, layer.b_1, layer.W_2, layer.b_2, "reglu", gate, draw(gate))
        return replace(block, attention=attention, feed_forward=layer)

    return replace(T, blocks=tuple(map(changed, T.blocks)))


def other(T: Transformer) -> Transformer:
    """Return a transformer with the same blocks and another output."""
    return replace(T, output=-T.output, output_bias=None)


def rewritten(T: Transformer, seed: int) -> tuple[str, Transformer, Transformer]:
    """Return a rewrite's name and two models; `pad_blocks` where the arithmetic or the model lacks what it needs."""
    names = [*REWRITES, *(COMPOSITIONS if len(T.classes) == 2 else ())]
    name = names[seed % len(names)]
    try:
        return (name, T, REWRITES[name](T)) if name in REWRITES else (name, *COMPOSITIONS[name](T))
    except (ws.ModelError, ws.LawError):
        return "pad_blocks", T, ws.pad_blocks(T, 1)


def planted(T: Transformer, name: str, random: np.random.Generator) -> Transformer:
    """Return a transformer with another member at one place of an array."""
    array = dict(named_arrays(T))[name]
    place = tuple(random.integers(array.shape))
    choices = [
        v for v in (0.0, 1.0, -1.0, 0.5, T.arithmetic.infinity) if v != array[place] and T.arithmetic.contains(v)
    ]

    def change(value: Any, what: object) -> Any:
        if value is not array:
            return value
        new = value.copy()
        new[place] = random.choice(choices)
        return new

    return map_declared(T, change)


def pairs(count: int) -> Iterator[tuple[str, str, Transformer, Transformer, np.random.Generator]]:
    """Yield pairs of models of which one was changed, with the names of the rewrite and of the array."""
    for seed in range(count):
        random = np.random.default_rng([seed, 4])
        A = ARITHMETICS[seed % len(ARITHMETICS)]
        T = with_everything(random_model(A, seed), seed)
        rewrite, S, T = rewritten(T, seed)
        which = int(random.integers(2))
        arrays = [name for name, array in named_arrays((S, T)[which]) if array.size and not name.startswith("output")]
        kinds = sorted({name.rpartition(".")[2] for name in arrays})
        kind = kinds[int(random.integers(len(kinds)))]  # W_Q as often as b_O
        name = str(random.choice([name for name in arrays if name.rpartition(".")[2] == kind]))
        try:
            changed = planted((S, T)[which], name, random)
        except ws.ModelError:  # such as a flag that is neither 0 nor 1
            continue
        yield rewrite, kind, *((changed, T) if which == 0 else (S, changed)), random


@pytest.mark.parametrize("count", [40, pytest.param(500, marks=pytest.mark.long)])
def test_sharing_hides_none_of_the_planted_differences(count: int, sharing: Callable[[bool], None]) -> None:
    """Plant one in each pair: in every kind of array, in lanes that are used and in lanes that are not."""
    shared, found = Counter[bool](), Counter[bool]()
    for rewrite, kind, S, T, random in pairs(count):
        claim = list(claims(S, T))[int(random.integers(2))]
        sharing(False)
        wanted = outcome(claim, UP_TO)
        assert wanted == outcome(claim, UP_TO, by_reference), (rewrite, kind)
        sharing(True)
        assert wanted == outcome(claim, UP_TO), (rewrite, kind)
        shared[shared_by(S, T) is not None] += 1
        found[any(getattr(finding, "refuted", None) for finding in wanted)] += 1
    assert min(shared[True], found[True], found[False]) > count / 3


@pytest.mark.parametrize("change", [None, *range(12)])
def test_inputs_with_a_suffix_share_too(change: int | None, sharing: Callable[[bool], None]) -> None:
    base = ws.random_transformer("ab", lanes=3, blocks=2, heads=1, neurons=4, max_length=5, seed=6)
    S = ws.zero_one_form(base, lowering="attention", length=4)
    T = ws.widen(S, ["more"])
    if change is not None:
        random = np.random.default_rng(change)
        arrays = [name for name, array in named_arrays(T) if array.size and name != "positions.values"]
        T = planted(T, str(random.choice(arrays)), random)
    for options in ({"length": 4}, {"length": 4, "within": "a.*"}, {"within": "(a|b)(a|b)b*"}):
        for claim in claims(S, T, suffix=("END",), **options):
            wanted = outcome(claim, 4, by_reference)
            for on in (False, True):
                sharing(on)
                assert outcome(claim, 4) == wanted
    assert change is not None or shared_by(S, T, 5) is not None


def variants(T: Transformer) -> Iterator[tuple[str, Transformer]]:
    """Yield transformers that differ from one with two heads and a norm in something else than a weight."""
    block = T.blocks[0]
    attention, layer, norm = block.attention, block.feed_forward, block.attention_norm
    assert attention is not None
    assert layer is not None
    assert norm is not None
    first, *rest = attention.heads

    def changed(**parts: Any) -> Transformer:
        return replace(T, blocks=(replace(block, **parts), *T.blocks[1:]))

    for name, head in {
        "shifted": replace(first, weighting=ws.Softmax(shifted=True)),
        "hard": replace(first, weighting=ws.LeftmostHard()),
        "strict": replace(first, strict=True),
        "penalties": replace(first, positions=ws.Alibi((0.5,))),
        "larger penalties": replace(first, positions=ws.Alibi((1.0,))),
        "relative": replace(first, positions=ws.Relative(np.ones((2, len(first.W_K))))),
        "rotation": replace(first, positions=ws.Rotary()),
    }.items():
        yield name, changed(attention=replace(attention, heads=(head, *rest)))
    yield "heads", changed(attention=replace(attention, heads=(*rest, first)))
    yield "activation", changed(feed_forward=replace(layer, activation="silu"))
    order = np.arange(len(layer.W_1))[::-1]
    turned = replace(layer, W_1=layer.W_1[order], b_1=layer.b_1[order], W_2=layer.W_2[:, order])
    yield "order of neurons", changed(feed_forward=turned)
    yield "norm", changed(attention_norm=ws.RMSNorm(norm.eps, norm.gain))
    yield "eps", changed(attention_norm=ws.LayerNorm(4.0))
    yield "lanes of a norm", changed(attention_norm=ws.LayerNorm(norm.eps, lanes=T.lanes[:3]))
    yield "no norm", changed(attention_norm=None)
    yield "norm behind", changed(norm_placement="post")
    yield "parallel", changed(parallel=True)
    yield "order of lanes", backwards(T)


def backwards(T: Transformer) -> Transformer:
    """Return a transformer with its lanes in reverse, so that sums add up their parts in reverse."""

    def change(value: Any, what: object) -> Any:
        if not isinstance(what, Axes) or LANES not in what:
            return value
        return np.flip(value, what.index(LANES))

    return map_declared(T, change)


def test_other_parts_with_the_same_weights_are_told_apart(sharing: Callable[[bool], None]) -> None:
    T = ws.random_transformer("ab", 4, blocks=2, heads=3, neurons=12, max_length=4, arithmetic=ws.Fixed(2, 2), seed=2)
    T = replace(T, blocks=(replace(T.blocks[0], attention_norm=ws.LayerNorm(1.0)), T.blocks[1]))
    for name, variant in variants(T):
        for S in (T, ws.zero_one_form(T)):
            claim = SameLogits(S, variant)
            sharing(False)
            wanted = outcome(claim, 4)
            sharing(True)
            assert outcome(claim, 4) == wanted, name
            assert any(getattr(finding, "refuted", None) for finding in wanted), name


@pytest.mark.parametrize("seed", range(20))
def test_both_runs_are_equal_to_separate_runs_bit_for_bit(seed: int) -> None:
    """Also in vectors that no claim about two models compares, with and without shared prefixes."""
    A = (*ARITHMETICS, ws.Native("float32"))[seed % 6]
    _, S, T = rewritten(with_everything(random_model(A, seed + 1000), seed), seed)
    shared = shared_by(S, T)
    if shared is None:
        assert isinstance(A, ws.Native) or not S.blocks
        return
    inputs = np.random.default_rng(seed).integers(len(S.vocabulary), size=(40, UP_TO))
    layouts = [batch(inputs)] + [tree(len(S.vocabulary), (0,), UP_TO - 1)] * (S.mask == "causal")
    for layout in layouts:
        for found, model in zip(shared.evaluate(layout, every=True), (S, T), strict=True):
            wanted = packed_run(model).evaluate(layout, every=True)
            for name in ("decisions", "logits", "vectors"):
                assert np.array_equal(getattr(found, name), getattr(wanted, name)), name


def test_every_rewrite_and_composition_shares_what_was_there_before() -> None:
    T = ws.random_transformer("ab", lanes=4, blocks=3, heads=2, neurons=5, max_length=UP_TO, seed=3)
    forms: dict[str, tuple[Transformer, Transformer]] = {name: (T, rewrite(T)) for name, rewrite in REWRITES.items()}
    forms |= {name: composition(T) for name, composition in COMPOSITIONS.items()}
    for name, (S, form) in forms.items():
        found = shared_by(S, form)
        assert found is not None, name
        assert found.sublayers >= 6, (name, found.sublayers)


def test_models_that_compute_otherwise_from_the_start_share_nothing() -> None:
    T = ws.random_transformer("ab", max_length=UP_TO, seed=3)
    assert shared_by(T, ws.zero_one_form(T)) is not None
    assert shared_by(T, ws.random_transformer("ab", max_length=UP_TO, seed=4)) is None
    assert shared_by(T, replace(T, mask="full")) is None
    assert shared_by(T, replace(T, vocabulary=("a", "c"))) is None
    assert shared_by(T, ws.to_arithmetic(T, ws.Fixed(5, 5))) is None
    for name in ("embedding", "positions.values", "blocks.0.attention.heads.0.W_Q"):
        assert shared_by(T, planted(ws.zero_one_form(T), name, np.random.default_rng(5))) is None


def test_positions_beyond_the_longest_input_need_not_agree() -> None:
    T = ws.random_transformer("ab", max_length=8, seed=3)
    assert isinstance(T.positions, ws.PositionTable)
    values = T.positions.values.copy()
    values[5:] = 1.0
    S = replace(T, positions=ws.PositionTable(values))
    assert shared_by(S, T, positions=5) is not None
    assert shared_by(S, T, positions=6) is None


@pytest.mark.parametrize("mask", ["causal", "full"])
def test_a_difference_on_a_single_input_is_found(mask: Any, sharing: Callable[[bool], None]) -> None:
    sharing(True)
    T = just("bab", "ab", 4, mask)
    packed_run(T).ready()  # or the reference would do such a small check
    for word in ("bab", "aaa", "bb", "abba"):
        form = ws.zero_one_form(just(word, "ab", 4, mask))
        wanted = differences(T, form, 4)
        verdict = ws.check.same_decisions(T, form, up_to=4)
        assert verdict.holds == (not wanted) == (word == "bab")
        assert verdict.counterexample == ("".join(wanted[0]) if wanted else None)


REFUSING: dict[str, Rewrite] = {
    "a softmax": lambda T: with_head(T, ws.Softmax(empty="error"), 0.0),
    "a norm": lambda T: replace(T, blocks=(*T.blocks, Block(None, silent(T), None, ws.RMSNorm(0.0)))),
}


def silent(T: Transformer) -> FeedForward:
    return FeedForward(np.zeros((1, len(T.lanes))), np.zeros(1), np.zeros((len(T.lanes), 1)), np.zeros(len(T.lanes)))


def with_head(T: Transformer, weighting: ws.model.Weighting, written: float) -> Transformer:
    """Append a head whose scores are −∞ for the last token of the vocabulary; it writes nothing, or something."""
    lanes = len(T.lanes)
    W = T.arithmetic.round(np.outer([1.0], np.eye(lanes)[0]))
    head = ws.Head(-T.arithmetic.infinity * W, W, W, np.full((lanes, 1), written), weighting)
    return replace(T, blocks=(*T.blocks, Block(Attention((head,)))))


@pytest.mark.parametrize("which", REFUSING)
@pytest.mark.parametrize("within", [None, "b*", "a*"])
@pytest.mark.parametrize("first", [True, False])
def test_what_a_part_without_effect_refuses_is_refused_as_before(
    which: str, within: str | None, first: bool, sharing: Callable[[bool], None]
) -> None:
    """The part writes nothing to the stream: without it the streams are equal, but for what it refuses."""
    A = ws.Fixed(4, 4)
    T = replace(
        ws.random_transformer("ab", lanes=2, blocks=0, max_length=UP_TO, arithmetic=A, seed=1),
        embedding=np.array([[0.0, 0.0], [4.0, 0.0]]),
        positions=None,
    )
    refusing = REFUSING[which](T)
    for form in (refusing, ws.zero_one_form(refusing), ws.pad_blocks(T, 3)):
        models = (T, form) if first else (form, T)
        for claim in claims(*models, within=within):
            sharing(False)
            wanted = outcome(claim, UP_TO)
            sharing(True)
            assert outcome(claim, UP_TO) == wanted
            refused = isinstance(wanted[0], str)
            assert refused == (
                len(form.blocks) != 3 and (within is None or within == ("b*" if "soft" in which else "a*"))
            )


def test_verdicts_and_certificates_are_the_same(sharing: Callable[[bool], None]) -> None:
    T = library.contains_word("ab", "ab")
    verdicts = {}
    for on in (False, True):
        sharing(on)
        verdicts[on] = ws.check.same_logits(T, ws.zero_one_form(T), up_to=8)
    assert verdicts[True].digests == verdicts[False].digests
    assert verdicts[True].inputs == verdicts[False].inputs == 2**9 - 2


def test_nothing_is_compared_for_a_few_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(two_models, "handover", lambda first, second, positions: asked.append(positions))
    T = library.contains("1")
    for up_to in (7, 8):
        assert ws.check.same_logits(T, T, up_to=up_to).holds
    assert set(asked) == {8}

"""Full masks: automata in contexts say what the witness says, are proved, and faults are found."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.automata.encoders import like_the_last, random_encoder, with_first_head
from tests.automata.proving import in_steps, proved_and_checked, said
from tests.automata.tiny import limits_of
from tests.witness.runs import witness_run
from tests.witness.trees import decided_under_a_full_mask, every_input, one_input
from weightsmith.automata import Automaton
from weightsmith.automata.extraction import UnknownError, blocks, contexts, extract, whole
from weightsmith.automata.extraction.contexts import blocks_in_contexts
from weightsmith.automata.extraction.limits import Limits
from weightsmith.automata.extraction.one_automaton import joined

SHORT, BATCH = 7, 25


def examined(seed: int, longest: int = SHORT, steps: int = 4000, states: int = 600, **more: Any) -> str:
    """Compare all that is said of a random encoder; return what it came to."""
    T, limits, random = random_encoder(seed, **more), limits_of(seed), Random(seed)
    try:
        budget = in_steps(steps, states, limits)
        D = extract(T, budget)
        A = joined(D, "YES", budget)
    except UnknownError:
        return "unknown"
    except ws.ModelError:  # a norm of 0 has no root
        return "an error"
    every = every_input(len(T.vocabulary), min(longest, T.max_length or longest))
    right = decided_under_a_full_mask(T, every)
    np.testing.assert_array_equal(said(D, every), right)
    long = one_input([random.randrange(len(T.vocabulary)) for _ in range(min(12, T.max_length or 12))])
    np.testing.assert_array_equal(said(D, long), decided_under_a_full_mask(T, long))
    verdict = proved_and_checked(T, Automaton(A.table, A.accepting, A.start, T.vocabulary), limits)
    assert verdict.holds
    inside = "in contexts" if blocks_in_contexts(T) else "at the end"
    return f"proved {inside}" + ("" if len(set(right.tolist())) > 1 else ", of one decision")


def test_random_encoders_decide_as_the_witness_and_are_proved() -> None:
    found = Counter(examined(seed, longest=5, steps=600, states=150) for seed in range(60))
    assert found["proved in contexts"] >= 4, found
    assert found["proved at the end, of one decision"] >= 1, found


@pytest.mark.long
@pytest.mark.parametrize("begin", range(0, 1250, BATCH))
def test_many_random_encoders_decide_as_the_witness_and_are_proved(begin: int) -> None:
    found = Counter(examined(seed) for seed in range(begin, begin + BATCH))
    assert sum(count for what, count in found.items() if what.startswith("proved")) >= 10, found


def test_the_witness_of_full_masks_says_what_the_witness_of_one_input_says() -> None:
    for seed in range(40):
        T, random = random_encoder(seed), Random(seed)
        ids = [random.randrange(len(T.vocabulary)) for _ in range(min(4, T.max_length or 4))]
        try:
            run = witness_run(T, [T.vocabulary[i] for i in ids])
            (*_, last) = decided_under_a_full_mask(T, one_input(ids))
        except ZeroDivisionError:  # a norm of 0
            continue
        assert T.classes[last] == run.decision


def full(T: ws.Transformer) -> ws.Transformer:
    return replace(T, mask="full")


ENCODERS: dict[str, tuple[ws.Transformer, str]] = {
    "contains": (full(ws.library.contains("1")), ".*1.*"),
    "first equals last": (full(ws.library.first_equals_last()), "(0|1)|0.*0|1.*1"),
    "its ∞ form": (full(ws.infinity_form(ws.library.first_equals_last())), "(0|1)|0.*0|1.*1"),
    "all like the last": (like_the_last(ws.LeftmostHard()), "0+|1+"),
    "all like the last, in floats": (like_the_last(ws.LeftmostHard(), arithmetic=ws.Float(3, 3)), "0+|1+"),
    "its normal form": (ws.infinity_form(like_the_last(ws.LeftmostHard())), "0+|1+"),
    "not it": (~like_the_last(ws.LeftmostHard()), ".*(01|10).*"),
    "it, and a 1": (like_the_last(ws.LeftmostHard()) & full(ws.library.contains("1", arithmetic=ws.Fixed(2, 2))), "1+"),
}


@pytest.mark.parametrize("name", ENCODERS)
def test_encoders_are_proved_at_all_lengths(name: str) -> None:
    T, language = ENCODERS[name]
    verdict = ws.check.recognizes(T, language)
    assert (verdict.holds, verdict.scope) == (True, "all lengths"), str(verdict)
    assert ws.check.recognizes(T, language, up_to=6).holds


def test_half_of_the_symbols_like_the_last_where_averages_are_rounded() -> None:
    """A majority, as far as fixed(2,2) tells averages apart: it is right up to a length, and refuted after it."""
    T = like_the_last(ws.AverageHard())
    A = ws.automaton(T)
    assert len(A.table) > 20
    for ids in [(0, 1, 1, 1), (0, 1, 1), (1, 0), (1, 1, 0, 0, 0), (0, 0, 1)]:
        text = "".join(map(str, ids))
        assert A.decide(text) == ws.run(T, text).decision
    verdict = ws.check.same_decisions(T, ws.infinity_form(T))
    assert (verdict.holds, verdict.scope) == (True, "all lengths")


def test_with_one_block_of_heads_the_mask_is_no_matter() -> None:
    strict = replace(with_first_head(strict=True), blocks=with_first_head(strict=True).blocks[:1])
    for T in (ws.library.contains("1"), ws.library.first_equals_last(), strict):
        assert ws.check.same_decisions(replace(T, mask="full"), replace(T, mask="causal")).holds


def test_a_full_mask_and_a_causal_one_differ() -> None:
    verdict = ws.check.same_decisions(like_the_last(ws.LeftmostHard()), like_the_last(ws.LeftmostHard(), "causal"))
    assert (verdict.holds, verdict.counterexample) == (False, "01")
    wrong = ws.check.recognizes(like_the_last(ws.LeftmostHard()), "0*|1+")
    assert wrong.holds
    wrong = ws.check.recognizes(like_the_last(ws.LeftmostHard()), "0*1?|1*")
    assert (wrong.holds, wrong.counterexample) == (False, "01")


def test_chains_of_encoders_have_an_automaton() -> None:
    T = replace(like_the_last(ws.LeftmostHard()), classes=("0", "1"))
    C = ws.Chain(T, steps=2)
    A = ws.automaton(C, yes="1")
    for text in ("0", "1", "00", "01", "110", "111", "0001"):
        assert A.decide(text) == C(text)
    assert ws.check.recognizes(C, A, yes="1").holds


def test_what_explodes_is_unknown_and_says_where() -> None:
    with pytest.raises(UnknownError, match=r"block 0.*more than 2 combinations of results"):
        extract(random_encoder(14), in_steps(10_000, 20_000, Limits(contexts=2)))
    T = like_the_last(ws.AverageHard())
    with pytest.raises(
        UnknownError, match=r"block 1, context 1 of 2, head 0, class 1 of 1 of its queries: a machine has"
    ):
        extract(T, in_steps(10_000, 12))
    verdict = ws.check.same_decisions(T, T, states=12)
    assert verdict.holds is None
    assert "context 1 of 2" in str(verdict)


def test_heads_that_do_not_see_the_same_keys_are_refused() -> None:
    with pytest.raises(ws.InputError, match=r"block 0, head 0 is strict: write mask='causal', or check inputs up to"):
        ws.automaton(with_first_head(strict=True))
    with pytest.raises(ws.InputError, match="block 0, head 0 has positions inside attention"):
        ws.automaton(with_first_head(positions=ws.Alibi((1.0,))))
    with pytest.raises(ws.InputError, match="block 0, head 0 is strict"):
        ws.check.recognizes(with_first_head(strict=True), "0")


def failing(last: bool) -> ws.Transformer:
    """Return an encoder with a softmax that is an error where it is empty: where a symbol is not like the last."""
    T = like_the_last(ws.LeftmostHard())
    lanes, low = T.lanes, -T.arithmetic.infinity
    query = ws.matrix(["q"], lanes, {("q", "differs"): 1.0})
    key = ws.matrix(["k"], lanes, {("k", "one"): low})
    nothing = np.zeros((len(lanes), 1))
    head = ws.Head(query, key, np.zeros((1, len(lanes))), nothing, ws.Softmax(empty="error"))
    more = ws.Block(ws.Attention((head,)))
    return replace(T, blocks=(*T.blocks, more) if last else (T.blocks[0], more, T.blocks[1]))


@pytest.mark.parametrize("last", [True, False])
def test_an_error_at_a_position_before_the_last_is_no_decision(last: bool) -> None:
    T = failing(last)
    assert ws.run(T, "00").decision == "YES"
    with pytest.raises(ws.ModelError):
        ws.run(T, "01")
    with pytest.raises(UnknownError, match="a softmax may be empty"):
        ws.automaton(T)
    with pytest.raises(ws.ModelError):
        ws.check.recognizes(T, "0+|1+")


def test_a_norm_of_0_before_the_end_is_named_with_the_whole_input() -> None:
    T = like_the_last(ws.LeftmostHard())
    same = ws.feed_forward(T.lanes, [ws.Neuron({"differs": -1, "one": 1}, {"found": 1})])
    norm = ws.RMSNorm(eps=0.0, lanes=("found",))
    last = replace(T.blocks[1], attention_norm=norm, norm_placement="pre")
    S = replace(T, blocks=(T.blocks[0], ws.Block(None, same), last))
    assert ws.run(S, "00").decision == "NO"
    with pytest.raises(
        ws.ModelError, match=r"^on the input 10: block 2 attention norm: the square root is 0 at position 0"
    ):
        ws.automaton(S)


# Faults

Patch = Callable[[pytest.MonkeyPatch], None]


def put(place: Any, name: str, make: Callable[[Any], Any]) -> Patch:
    return lambda patch: patch.setattr(place, name, make(getattr(place, name)))


def all_right(streams: Any) -> Any:
    """Return streams that say that an input of the context may end anywhere."""

    def made(*given: Any) -> Any:
        for stream in streams(*given):
            stream.right = np.ones_like(stream.right)
            yield stream

    return made


def first_context_alone(streams: Any) -> Any:
    return lambda *given: list(streams(*given))[:1]


FAULTS: dict[str, Patch] = {
    "blocks need no contexts": put(whole, "blocks_in_contexts", lambda _: lambda T: 0),
    "an input may end anywhere": put(contexts, "_streams", all_right),
    "one context is followed": put(contexts, "_streams", first_context_alone),
    "combinations are one context": put(contexts._Results, "grouped", lambda _: lambda self: self.rows[:, 0] * 0),
    "outputs are those of the first class": put(
        contexts._Results, "in_row", lambda f: lambda self, row, x: f(self, row, x[:1].repeat(len(x)))
    ),
    "queries of a class ask at its positions": put(
        blocks.HeadMachines, "_asking", lambda _: lambda self, which: self.classes == which
    ),
    "any combination is closed": put(contexts._Results, "_closed", lambda _: lambda self, rows, after: True),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_of_the_engine_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    FAULTS[name](monkeypatch)
    for seed in range(120):
        small = {} if seed % 2 == 0 else {"heads": 2, "arithmetic": "fixed(1,1)", "blocks": 2}
        try:
            examined(seed, longest=4, steps=600, states=100, **small)
        except Exception:  # it says something wrong, or is refused by the checker, or crashes
            return
    pytest.fail("nobody has seen it")

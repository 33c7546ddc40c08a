"""A step of a chain is a run of the whole text, in every arithmetic, for one input and for many at once."""

from dataclasses import replace
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from weightsmith.inspect.chains import written
from weightsmith.kernels.steps import StepsByReference

ARITHMETICS = [ws.Fixed(2, 2), ws.Fixed(4, 4), ws.Float(4, 3), ws.Float.like("e4m3")]
WEIGHTINGS = [ws.Softmax(), ws.Softmax(shifted=True), ws.AverageHard(), ws.LeftmostHard(), ws.RightmostHard()]


def random_chain(seed: int, steps: int | None = None, positions: bool | None = None) -> ws.Chain:
    draw = Random(seed)
    A, table = draw.choice(ARITHMETICS), draw.random() < 0.5 if positions is None else positions
    steps = draw.randint(1, 9) if steps is None else steps
    T = ws.random_transformer(
        vocabulary="01#", lanes=4, blocks=draw.randint(1, 2), heads=draw.randint(1, 2), neurons=3, arithmetic=A,
        max_length=steps + 8, seed=seed,
    )  # fmt: skip
    blocks = []
    for block in T.blocks:
        assert block.attention is not None
        heads = [
            replace(head, weighting=draw.choice(WEIGHTINGS), strict=draw.random() < 0.2)
            for head in block.attention.heads
        ]
        blocks.append(replace(block, attention=ws.Attention(tuple(heads))))
    rng = np.random.default_rng(seed)
    output = A.round(rng.integers(-4, 5, size=(2, 4)) / 2)
    T = replace(T, blocks=blocks, output=output, classes=("0", "1"), positions=T.positions if table else None)
    prompt, answers = "#" * draw.randint(0, 2), {"0": "NO", "1": "YES"}
    return ws.Chain(T, prompt=prompt, steps=steps, inputs="01", answers=answers, max_length=6)


def by_the_definition(C: ws.Chain, tokens: tuple[str, ...]) -> tuple[str, ...]:
    """Write token after token, each by a run of the whole text."""
    text = (*tokens, *C.prompt)
    for _ in range(C.steps_for(len(tokens))):
        text = (*text, ws.run(C.transformer, text).decision)
        if text[-1] in C.until:
            break
    return text[len(tokens) + len(C.prompt) :]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("seed", range(25))
def test_a_step_is_a_run_of_the_whole_text(seed: int) -> None:
    C, draw = random_chain(seed), Random(seed)
    for length in (1, 3, 6):
        inputs = [tuple(draw.choices("01", k=length)) for _ in range(4)]
        ids = np.array([[C.transformer.vocabulary.index(t) for t in tokens] for tokens in inputs])
        together, halted = written(C, ids)
        alone = [by_the_definition(C, tokens) for tokens in inputs]
        assert halted.all()
        assert [tuple(C.transformer.classes[i] for i in row) for row in together] == alone
        assert [C.run(tokens).generated for tokens in inputs] == alone
        assert np.array_equal(written(C, ids, by_definition=True)[0], together)


def test_the_cache_is_used_and_grows_by_one_position(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[int, ...]] = []
    before = StepsByReference._answers

    def counted(self: StepsByReference, ids: Any) -> Any:
        seen.append(ids.shape)
        return before(self, ids)

    monkeypatch.setattr(StepsByReference, "_answers", counted)
    monkeypatch.setattr("weightsmith.kernels.steps.packed_if_worthwhile", lambda *_: None)
    C = random_chain(3, steps=4)
    C.run("0110")
    assert [shape[1] for shape in seen] == [4 + len(C.prompt), 1, 1, 1]


def test_chains_end_at_different_steps() -> None:
    C = ws.library.parity_chain(max_length=6)
    D = replace(C, until="1", answers={"1": "YES"}, inputs="01", steps=7)
    ended = {word: D.run(word) for n in range(1, 5) for word in map("".join, product("01", repeat=n))}
    assert {word: run.halted for word, run in ended.items()} == {word: "1" in word for word in ended}
    assert all(run.generated[-1] == "1" and "1" not in run.generated[:-1] for run in ended.values() if run.halted)
    many, halted = written(D, np.array([[int(t) for t in word] for word in ended if len(word) == 4]))
    for row, over, word in zip(many.tolist(), halted, [word for word in ended if len(word) == 4], strict=True):
        assert tuple(str(i) for i in row if i >= 0) == ended[word].generated
        assert over == ended[word].halted


def test_a_chain_that_does_not_end_is_an_error_that_says_so() -> None:
    C = replace(ws.library.parity_chain(max_length=6), until="1", answers={"1": "YES"}, inputs="01", steps=5)
    run = C.run("000")
    assert (run.halted, run.generated, run.text) == (False, ("0",) * 5, (*"000=00000",))
    words = "^the chain does not end on '000': none of 1 is among its first 5 tokens, the most that it may write$"
    with pytest.raises(ws.InputError, match=words):
        C("000")
    assert "the chain does not end on '000'" in str(run)


def test_a_position_table_bounds_the_text_and_no_window_slides() -> None:
    C = random_chain(1, steps=3, positions=True)
    T = replace(C.transformer, positions=ws.PositionTable(np.zeros((6, 4))), output=np.array([[1.0] * 4, [1.0] * 4]))
    endless = ws.Chain(T, until="1", inputs="01")  # ties: it always writes 0
    assert (endless.max_length, endless.steps_for(4)) == (6, 3)
    run = endless.run("0101")
    assert (run.generated, run.halted) == (("0",) * 3, False)
    with pytest.raises(ws.InputError, match="first 3 tokens, where its position table is full$"):
        endless("0101")
    with pytest.raises(ws.InputError, match="^the input has 7 tokens, and this chain takes at most 6"):
        endless("0" * 7)


def test_a_position_table_also_ends_a_chain_with_steps_and_until() -> None:
    C = random_chain(1, steps=3, positions=True)
    T = replace(C.transformer, positions=ws.PositionTable(np.zeros((6, 4))), output=np.array([[1.0] * 4, [1.0] * 4]))
    endless = ws.Chain(T, until="1", inputs="01", steps=9)  # ties: it always writes 0
    assert [endless.steps_for(length) for length in (1, 4, 6)] == [6, 3, 1]
    with pytest.raises(ws.InputError, match="first 3 tokens, where its position table is full$"):
        endless("0101")
    listed = replace(endless, steps=[9] * 7)
    assert (listed.steps, listed("0101") if listed.run("0101").halted else "") == ((9,) * 7, "")
    assert ws.Chain(T, until="1", inputs="01", steps=2).run("0101").generated == ("0", "0")


def test_a_run_prints_what_each_head_read() -> None:
    shown = str(ws.library.parity_chain(max_length=4).run("11"))
    assert shown.splitlines()[0] == "11=0010"
    assert "block 0 head 0 reads" in shown
    assert "    4          5   1 1                    0" in shown
    assert shown.splitlines()[-1] == "answer: NO"


def test_the_empty_input_needs_a_prompt() -> None:
    C = ws.library.parity_chain(max_length=4)
    assert C.run(()).text == (*"=0000",)
    with pytest.raises(ws.InputError, match="^the input is empty, and so is the prompt"):
        replace(C, prompt="", inputs="01")("")


def test_a_compiled_program_whose_values_are_tokens_is_a_chain() -> None:
    rasp = ws.programs.rasp
    last = rasp.Aggregate(rasp.Select(rasp.indices, rasp.indices, rasp.Comparison.EQ), rasp.tokens)
    P = ws.programs.compile(last, vocabulary="ab", max_length=8, causal=True)
    C = ws.Chain(P, steps=3, inputs="ab")  # type: ignore[arg-type]
    assert C.run("ab").generated == ("b", "b", "b")

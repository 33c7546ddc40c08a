"""Faults that are planted in models whose decisions are proved: each is found by its shortest input or does nothing."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest

import weightsmith as ws
from tests.automata.tiny import limits_of
from weightsmith.automata.extraction.limits import using
from weightsmith.library import ENTRIES
from weightsmith.model.folds import named_arrays

MODELS = [entry.build() for entry in ENTRIES if entry.symbols == "01" and entry.name != "majority"]
BATCH = 20


def planted(T: ws.Transformer, random: Random) -> ws.Transformer:
    """Return the model with one weight changed by one step, another tie rule, or another activation."""
    kind = random.choice(["weight", "weight", "weight", "tie", "activation"])
    blocks = list(T.blocks)
    places = [b for b, block in enumerate(blocks) if (block.attention if kind == "tie" else block.feed_forward)]
    while kind == "weight" or not places:
        try:
            return weight_changed(T, random)
        except ws.ModelError:  # a flag that is neither 0 nor 1 is none
            continue
    b = random.choice(places)
    block = blocks[b]
    if kind == "tie":
        assert block.attention is not None
        heads = list(block.attention.heads)
        h = random.randrange(len(heads))
        rules: list[Any] = [
            ws.LeftmostHard(),
            ws.RightmostHard(),
            ws.AverageHard(),
            ws.Softmax(),
            ws.Softmax(shifted=True),
        ]
        heads[h] = replace(heads[h], weighting=random.choice(rules))
        blocks[b] = replace(block, attention=replace(block.attention, heads=tuple(heads)))
    else:
        assert block.feed_forward is not None
        blocks[b] = replace(block, feed_forward=replace(block.feed_forward, activation="gelu"))
    return replace(T, blocks=tuple(blocks))


def weight_changed(T: ws.Transformer, random: Random) -> ws.Transformer:
    """Return the model with one weight of a block, or of the output, changed by one step."""
    A = T.arithmetic
    arrays = [(name, array) for name, array in named_arrays(T) if array.size and "positions" not in name]
    _, array = random.choice(arrays)
    changed = array.copy()
    place = tuple(random.randrange(n) for n in array.shape)
    changed[place] = A.add(changed[place], random.choice([A.smallest, -A.smallest]))

    def put(part: Any) -> Any:
        values: dict[str, Any] = {}
        for field in part.__dataclass_fields__:
            value = getattr(part, field)
            if value is array:
                values[field] = changed
            elif isinstance(value, tuple) and value and hasattr(value[0], "__dataclass_fields__"):
                values[field] = tuple(put(one) for one in value)
            elif hasattr(value, "__dataclass_fields__") and field != "arithmetic":
                values[field] = put(value)
        return replace(part, **values)

    result: ws.Transformer = put(T)
    assert result != T or (changed == array).all()
    return result


@pytest.mark.one_in(2)
@pytest.mark.parametrize("seed", [pytest.param(n, marks=[] if n < 4 else pytest.mark.long) for n in range(25)])
def test_a_planted_fault_is_refuted_by_the_shortest_input_or_changes_nothing(seed: int) -> None:
    """Every other time the limits of the extraction are tiny."""
    random = Random(seed)
    refuted = 0
    for n in range(BATCH):
        T = random.choice(MODELS)
        F = planted(T, random)
        with using(limits_of(BATCH * seed + n)):
            verdict = ws.check.same_decisions(T, F)
        assert verdict.holds is not None, verdict
        refuted += not verdict.holds
        longest = 9 if verdict.counterexample is None else min(len(verdict.counterexample), 12)
        run = ws.check.same_decisions(T, F, up_to=min(longest, T.max_length or longest))
        if verdict.counterexample is None or len(verdict.counterexample) <= 12:
            assert run.counterexample == verdict.counterexample
        else:
            assert run.holds
    assert refuted >= 1


def test_a_language_that_differs_at_length_30_only_is_told_apart() -> None:
    T = ws.library.contains("1")
    verdict = ws.check.recognizes(T, "0{0,28}1.*|0{29}1.+|0{30,}1.*")
    assert verdict.counterexample == "0" * 29 + "1"

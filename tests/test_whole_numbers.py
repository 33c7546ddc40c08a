"""Every public parameter that takes a whole number takes numpy's too, and refuses truth values, fractions and texts."""

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from weightsmith import automata, check, heads, library, memory, programs, train
from weightsmith.inspect import Run
from weightsmith.model import Edit, digest
from weightsmith.programs import rasp

T = ws.random_transformer(vocabulary="01", lanes=4, blocks=3, heads=3, neurons=3, max_length=8)
LANGUAGE = ws.random_transformer(vocabulary="01", classes=("0", "1"), max_length=8)
FREE = library.contains("1")
R, OTHER = ws.run(T, "0110"), ws.run(T, "1001")
CERTIFICATE = check.same_decisions(FREE, FREE, 3).certificate()
Automaton: Any = automata.Automaton
AUTOMATON = Automaton([[0, 1], [1, 0]], [False, True], vocabulary="01")
GOOD = {"check(memory)": 1 << 26, "programs.compile(memory)": 1 << 26}  # 2 is good for the others

CALLS: dict[str, Callable[[Any], Any]] = {
    "Fixed(integer_bits)": lambda n: ws.Fixed(n, 4),
    "Fixed(fraction_bits)": lambda n: ws.Fixed(4, n),
    "Float(exponent_bits)": lambda n: ws.Float(n, 4),
    "Float(significand_bits)": lambda n: ws.Float(4, n),
    "Sinusoidal(max_length)": lambda n: ws.Sinusoidal(n),
    "Rotary(size)": lambda n: ws.Rotary(size=n),
    "Alibi(place)": lambda n: ws.Alibi(place=(n, 3)),
    "Edit(first)": lambda n: Edit("text", 0, n, 0, None, False, "0"),
    "sinusoidal(positions)": lambda n: ws.sinusoidal(n, 4),
    "sinusoidal(lanes)": lambda n: ws.sinusoidal(4, n),
    **{
        f"random_transformer({name})": lambda n, name=name: ws.random_transformer(**{name: n})  # type: ignore[misc]
        for name in ("lanes", "blocks", "heads", "neurons", "max_length", "seed")
    },
    "heads.at_distance(distance)": lambda n: heads.at_distance(["a"], n, {"a": {"a": 1}}, ws.Fixed(4, 4)),
    "Run.at(position)": lambda n: R.at("embedding", n),
    "Run.table(positions)": lambda n: str(R.table(positions=[n])),
    "Run.attention_table(block)": lambda n: str(R.attention_table(n)),
    "Run.attention_table(head)": lambda n: str(R.attention_table(0, n)),
    "generate(steps)": lambda n: list(zip(range(4), ws.generate(LANGUAGE, "01", n), strict=False)),
    "generate(top_k)": lambda n: list(ws.generate(LANGUAGE, "01", 2, temperature=1.0, top_k=n, seed=0)),
    "generate(seed)": lambda n: list(ws.generate(LANGUAGE, "01", 2, temperature=1.0, seed=n)),
    "attribute(position)": lambda n: ws.attribute(R, "YES", position=n),
    "Attribution.table(top)": lambda n: str(ws.attribute(R, "YES").table(n)),
    "moved(block)": lambda n: str(ws.moved(R, n)),
    "moved(head)": lambda n: str(ws.moved(R, head=n)),
    "moved(position)": lambda n: str(ws.moved(R, position=n)),
    "ablate(block)": lambda n: ws.ablate(R, block=n),
    "ablate(head)": lambda n: ws.ablate(R, block=0, head=n),
    "ablate(neurons)": lambda n: ws.ablate(R, block=0, neurons=[n]),
    "ablate(positions)": lambda n: ws.ablate(R, block=0, positions=[n]),
    "patch(block)": lambda n: ws.patch(R, OTHER, n, after="attention"),
    "patch(head)": lambda n: ws.patch(R, OTHER, 0, head=n),
    "patch(neurons)": lambda n: ws.patch(R, OTHER, 0, neurons=[n]),
    "patch(positions)": lambda n: ws.patch(R, OTHER, 0, head=0, positions=[n]),
    "flag(positions)": lambda n: ws.flag(T, "here", [n]),
    "flag(max_length)": lambda n: ws.flag(T, "here", [0], max_length=n),
    "ignore_lanes(blocks)": lambda n: ws.ignore_lanes(T, [T.lanes[0]], [n]).blocks[1].attention is not None,
    "linear_map(source)": lambda n: ws.linear_map(T, np.eye(4), n, 3),
    "linear_map(target)": lambda n: ws.linear_map(T, np.eye(4), 0, n),
    "infinity_form(length)": lambda n: ws.infinity_form(T, lowering="attention", length=n),
    "pad_blocks(count)": lambda n: ws.pad_blocks(T, n),
    "library.balanced(depth)": lambda n: library.balanced(n),
    "library.exact_length(n)": lambda n: library.exact_length(n),
    "library.length_modulo(m)": lambda n: library.length_modulo(n),
    "library.length_modulo(remainder)": lambda n: library.length_modulo(3, n),
    "library.length_modulo(max_length)": lambda n: library.length_modulo(2, max_length=n),
    "library.parity_chain(max_length)": lambda n: library.parity_chain(max_length=n),
    "memory.pattern(position)": lambda n: memory.pattern(R, 0, n),
    "memory.write(block)": lambda n: memory.write(T, n, {T.lanes[0]: 1.0}, {T.lanes[1]: 1.0}),
    "memory.delete(neuron)": lambda n: memory.delete(T, 0, n),
    "memory.promoted(k)": lambda n: str(memory.promoted(T, 0, 0, n)),
    "memory.triggers(neuron)": lambda n: memory.triggers(T, 0, n, ["01"]),
    "Automaton(start)": lambda n: Automaton([[0], [1], [2]], [True, False, True], start=n, vocabulary="a").table,
    "Automaton.words(n)": lambda n: AUTOMATON.words(n),
    "check(up_to)": lambda n: check.same_decisions(FREE, FREE, n).certificate()["up_to"],
    "check(length)": lambda n: check.same_decisions(FREE, FREE, length=n).certificate()["up_to"],
    "check(workers)": lambda n: check.same_decisions(FREE, FREE, 2, workers=n).holds,
    "check(memory)": lambda n: check.same_decisions(FREE, FREE, 2, memory=n).holds,
    "check(states)": lambda n: check.same_decisions(FREE, FREE, 2, states=n).holds,
    "check.replay(sample)": lambda n: check.replay(CERTIFICATE, [FREE, FREE], sample=n).shards,
    "check.replay(seed)": lambda n: check.replay(CERTIFICATE, [FREE, FREE], sample=1, seed=n).shards,
    "programs.compile(max_length)": lambda n: programs.compile(rasp.tokens, "ab", n).transformer,
    "programs.compile(memory)": lambda n: programs.compile(rasp.tokens, "ab", 2, memory=n).source,
    "train.Shape(lanes)": lambda n: train.Shape(lanes=n, heads=1),
    "train.Course(seed)": lambda n: train.Course(seed=n),
    "train.as_text(context)": lambda n: train.as_text("abab" * 9, n).context,
    "train.by_predicate(max_length)": lambda n: train.by_predicate(lambda text: "1" in text, "01", n, count=9).longest,
    "train.by_predicate(seed)": lambda n: train.by_predicate(lambda text: "1" in text, "01", 3, seed=n).longest,
    "train.mood_sentences(count)": lambda n: train.mood_sentences(n),
    "train.mood_sentences(seed)": lambda n: train.mood_sentences(3, seed=n),
}


# None has a meaning of its own for these parameters
NONE = "size, top_k, length, up_to, distance, workers, sample, max_length, block, head, position, seed, positions"
PARTS = r"^(?!sinus|random).*\((block|head|neuron|position)s?\)"
OPTIONAL = {name for name in CALLS if name.split("(")[1][:-1] in NONE.split(", ")}


def comparable(found: Any) -> Any:
    """Return a result as a value with =="""
    if isinstance(found, Run):
        return found.stream.tolist()
    if isinstance(found, ws.Transformer):
        return digest(found), found.provenance
    return found.tolist() if isinstance(found, np.ndarray) else repr(found)


@pytest.mark.parametrize("name", CALLS)
def test_numpy_s_whole_numbers_do_as_those_of_python(name: str) -> None:
    call, n = CALLS[name], GOOD.get(name, 2)
    assert comparable(call(np.int64(n))) == comparable(call(n))


@pytest.mark.parametrize("value", [True, np.True_, 2.0, np.float64(2), "2", None, -(10**30)], ids=repr)
@pytest.mark.parametrize("name", CALLS)
def test_what_is_no_whole_number_is_refused(name: str, value: Any) -> None:
    if (value is None and name in OPTIONAL) or (name == "check.replay(seed)" and type(value) is int):
        return
    with pytest.raises(ws.WeightsmithError):
        CALLS[name](value)


@pytest.mark.parametrize("name", CALLS)
def test_a_huge_number_is_refused_or_taken_at_once(name: str) -> None:
    with suppress(ws.WeightsmithError):
        CALLS[name](10**5000)


@pytest.mark.parametrize("name", [name for name in CALLS if re.search(PARTS, name)])
def test_a_block_head_neuron_or_position_that_does_not_exist_is_refused(name: str) -> None:
    for number in (-9, 99, 10**30):
        with pytest.raises(ws.WeightsmithError):
            CALLS[name](number)

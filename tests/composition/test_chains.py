"""Chains compose: every composition answers what the parts say, also where they have unlike lengths and prompts."""

import operator
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.inspect.test_chains import random_chain

INPUTS = [tokens for n in range(1, 7) for tokens in product("01", repeat=n)]
Parts = tuple[ws.Chain, ws.Chain, ws.Chain]


def in_one_arithmetic(seed: int, ended: bool = False) -> Parts:
    """Return three random chains in one arithmetic, with prompts and steps of their own."""
    A = (ws.Fixed(2, 2), ws.Fixed(4, 4), ws.Float(4, 3))[seed % 3]
    chains = [random_chain(100 * seed + i, steps=1 + (seed + 2 * i) % 5) for i in range(3)]
    chains = [replace(C, transformer=ws.to_arithmetic(C.transformer, A)) for C in chains]
    return chains[0], chains[1], chains[2]


@pytest.mark.parametrize("seed", range(6))
def test_formulas_of_random_chains_are_right_on_every_input(seed: int) -> None:
    C, D, E = in_one_arithmetic(seed)
    said = [[answer == "YES" for answer in part.decide(INPUTS)] for part in (C, D, E)]
    formulas: dict[str, tuple[ws.Chain, Callable[[bool, bool, bool], bool]]] = {
        "C & ~D | E": (C & ~D | E, lambda c, d, e: (c and not d) or e),
        "C ^ D": (C ^ D, lambda c, d, e: c != d),
        "if C then D else E": (ws.if_then_else(C, D, E), lambda c, d, e: d if c else e),
    }
    for name, (whole, meaning) in formulas.items():
        wanted = ["YES" if meaning(*each) else "NO" for each in zip(*said, strict=True)]
        assert whole.decide(INPUTS) == wanted, name


def test_each_side_writes_what_it_writes_alone_and_repeats_its_answer() -> None:
    C, D, _ = in_one_arithmetic(1)
    whole = (C & D).run("010")
    for i, part in enumerate((C, D)):
        alone = part.run("010")
        mine = [token.rsplit("_", 1)[0].split("|")[i] for token in whole.text[3:]]
        length = len(part.prompt) + len(alone.generated)
        assert mine[:length] == [*part.prompt, *alone.generated]
        assert set(mine[length:]) <= {f"answer_{alone.answer}"}


def test_chains_that_a_token_ends_compose() -> None:
    P = ws.library.parity_chain(max_length=6)
    first_one = replace(P, until="1", answers={"1": "YES"}, inputs="01", steps=7)
    T = replace(P.transformer, classes=("0", "1"))
    ends = ws.Chain(T, prompt="=", until="01", inputs="01", answers={"0": "NO", "1": "YES"}, max_length=6)
    whole = ends | P
    said = zip(ends.decide(INPUTS), P.decide(INPUTS), strict=True)
    assert whole.decide(INPUTS) == ["YES" if "YES" in pair else "NO" for pair in said]
    with pytest.raises(ws.ModelError, match="^& . . ~ combine chains that answer YES or NO, and this one answers YES"):
        first_one & P


@pytest.mark.parametrize("seed", range(4))
def test_the_second_chain_reads_what_the_first_wrote(seed: int) -> None:
    C, D, _ = in_one_arithmetic(seed)
    D = replace(D, inputs="01#", max_length=None, steps=2)
    room = (D.transformer.max_length or 99) - len(C.prompt) - C.steps_for(1) - len(D.prompt) - 1
    C = replace(C, max_length=min(3, room))
    inputs = [tokens for tokens in INPUTS if len(tokens) <= (C.max_length or 0)]
    whole = C.then(D)
    assert whole.decide(inputs) == [D(C.run(tokens).text) for tokens in inputs]


def test_a_composition_of_compositions_has_all_parts_beside_each_other() -> None:
    C, D, E = in_one_arithmetic(2)
    whole = ~(C & ~D | E)
    assert len(whole.transformer.blocks) == len((C | E).transformer.blocks)
    said = zip(*(part.decide(INPUTS) for part in (C, D, E)), strict=True)
    wanted = ["NO" if (c, d) == ("YES", "NO") or e == "YES" else "YES" for c, d, e in said]
    assert whole.decide(INPUTS) == wanted
    assert (whole ^ C).decide(INPUTS) == [
        "YES" if a != b else "NO" for a, b in zip(wanted, C.decide(INPUTS), strict=True)
    ]


def test_a_changed_composition_is_taken_as_it_is() -> None:
    """Its parts no longer say what it answers."""
    C, D, E = in_one_arithmetic(1)
    both = C & D
    exchanged = {"YES": "NO", "NO": "YES"}
    pairs: Any = both.answers
    other = replace(both, answers={token: exchanged[answer] for token, answer in pairs})
    assert other.decide(INPUTS) == [exchanged[str(answer)] for answer in both.decide(INPUTS)]
    wanted = zip(other.decide(INPUTS), E.decide(INPUTS), strict=True)
    assert (other | E).decide(INPUTS) == ["YES" if "YES" in pair else "NO" for pair in wanted]


def test_a_negation_exchanges_the_answers_and_nothing_else() -> None:
    C = ws.library.parity_chain(max_length=6)
    assert (~C).transformer is C.transformer
    assert ~~C == C
    assert ws.check.same_decisions(C, ~~C, up_to=6).holds
    assert ws.check.same_decisions(C, ~C, up_to=6).counterexample == "0"


def test_what_cannot_be_composed_is_refused_by_name() -> None:
    P = ws.library.parity_chain(max_length=6)
    with pytest.raises(ws.ModelError, match="^a chain whose steps depend on the length of its input cannot"):
        P & replace(P, steps="n + 1")
    with pytest.raises(ws.ModelError, match="^the chains differ in the tokens of their inputs: 0, 1 and 0, 1, ="):
        P & replace(P, inputs="01=")
    with pytest.raises(ws.ModelError, match="^the transformers differ in their arithmetic"):
        P & ws.library.parity_chain(max_length=6, arithmetic=ws.Fixed(2, 2))
    with pytest.raises(ws.ModelError, match="^the second chain does not take =, which the first reads or writes"):
        P.then(P)
    with pytest.raises(ws.ModelError, match=r"combine chains that answer YES or NO, and this one answers 0, 1, ="):
        ~ws.Chain(replace(P.transformer, classes=("0", "1", "="), output=np.zeros((3, 2))), steps=1)
    with pytest.raises(ws.ModelError, match=r"write Chain\(T, steps=…, answers=…\)"):
        operator.invert(P.transformer)


def nand_circuit(draw: Random, inputs: int) -> tuple[ws.Chain, Callable[[tuple[str, ...]], bool]]:
    """Return a random circuit as a chain that answers YES or NO, and its meaning."""
    gates = [
        ("nand", draw.randrange(wire), draw.randrange(wire)) for wire in range(inputs, inputs + draw.randint(1, 8))
    ]
    C = ws.programs.compile_circuit(gates, inputs=inputs, arithmetic=ws.Fixed(2, 2))

    def value(bits: tuple[str, ...]) -> bool:
        values = [bit == "1" for bit in bits]
        for _, a, b in gates:
            values.append(not (values[a] and values[b]))
        return values[-1]

    return replace(C, answers={"0": "NO", "1": "YES"}), value


@pytest.mark.parametrize("inputs", [2, 4, *(pytest.param(inputs, marks=pytest.mark.long) for inputs in (1, 3, 5, 6))])
def test_formulas_of_random_circuits_are_right_on_every_input(inputs: int) -> None:
    draw = Random(inputs)
    (C, c), (D, d), (E, e) = (nand_circuit(draw, inputs) for _ in range(3))
    assert len({part.steps for part in (C, D, E)}) > 1
    every = list(product("01", repeat=inputs))
    wanted = ["YES" if (c(bits) and not d(bits)) or e(bits) else "NO" for bits in every]
    assert (C & ~D | E).decide(every) == wanted

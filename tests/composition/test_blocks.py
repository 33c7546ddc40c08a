"""How many blocks a composition needs, that nothing is normalised twice, and that every formula is its truth table."""

import pickle
import subprocess
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random

import pytest

import weightsmith as ws
from weightsmith.arithmetic import Arithmetic
from weightsmith.composition.formula import Formula, Operation, names, read, truth_table

S, T, R = (ws.library.contains(symbol, "abc") for symbol in "abc")
ARITHMETICS = (
    ws.Fixed(4, 4), ws.Fixed(2, 2), ws.Fixed(1, 1), ws.Fixed(3, 0, "away"), ws.Fixed(2, 3, "even"), ws.Float(3, 3),
    ws.Float(2, 4), ws.Float(4, 3, "even"), ws.Float.like("e4m3", ties="away"), ws.Float.like("float16"),
)  # fmt: skip
INPUTS = ["".join(tokens) for n in range(1, 6) for tokens in product("ab", repeat=n)]


def test_s_and_not_t_has_five_blocks_as_a_formula_and_six_by_operators() -> None:
    assert len(S.blocks) == len(T.blocks) == 1
    assert len(ws.infinity_form(S).blocks) == 4
    assert len(ws.compose("S & ~T", S=S, T=T).blocks) == 5
    assert len((S & ~T).blocks) == 6


def test_a_formula_of_many_parts_needs_one_block_more_than_their_infinity_form() -> None:
    for formula in ("~S", "S & T & R", "~(S & T) | R", "S ^ T ^ R", "S & ~T | ~S & T & R", "S | ~S", "S & ~S & T & R"):
        assert len(ws.compose(formula, S=S, T=T, R=R).blocks) == 5, formula
    assert len(ws.if_then_else(R, S, T).blocks) == 5
    assert ws.compose("~~S", S=S) == ws.infinity_form(S)


def test_nothing_is_normalised_twice() -> None:
    loud = ws.infinity_form(S)
    assert len((loud & T).blocks) == len((S & T).blocks) == 5
    assert len((~~~S).blocks) == 4 + 3
    assert len((S & T | R).blocks) == 4 + 2
    assert len(ws.if_then_else(S & T, ~R, R).blocks) == 4 + 2
    origins = [block.origin for block in (S & ~T).blocks]
    assert origins.count("and") == origins.count("not") == 1
    assert sum("times ∞ again" in origin for origin in origins) == 1


def test_parallel_blocks_share_a_block_with_parallel_ones_only() -> None:
    serial, parallel = (ws.random_transformer("ab", 3, 2, 1, 3, 5, seed=8, parallel=each) for each in (False, True))
    alone = replace(serial, blocks=[replace(block, attention=None) for block in serial.blocks])
    empty = replace(serial, blocks=())
    for left, right, wanted in (
        (parallel, parallel, [True, True]),
        (parallel, alone, [True, True]),
        (empty, parallel, [True, True]),
        (serial, alone, [False, False]),
        (serial, parallel, [False, True, False, True]),
        (parallel, serial, [True, False, True, False]),
    ):
        U = ws.side_by_side(left, right)
        assert [block.parallel for block in U.blocks] == wanted
        for text in INPUTS[::5]:
            both = [ws.run(part, text).logits.tolist() for part in (left, right)]
            assert ws.run(U, text).logits.tolist() == both[0] + both[1]


def test_a_part_that_is_used_twice_stands_there_once() -> None:
    once, twice = ws.compose("S & T", S=S, T=T), ws.compose("S & T | S & ~T & R", S=S, T=T, R=S)
    assert len(twice.lanes) == len(once.lanes)
    assert twice.blocks[0] == once.blocks[0]
    assert len((S ^ S).lanes) == len((~S).lanes)


def test_formulas_with_more_parts_than_one_truth_table_holds_are_cut() -> None:
    letters = "abcdefghij"
    parts = {f"in_{a}": ws.library.contains(a, letters, ws.Fixed(2, 2)) for a in letters}
    texts = ["a", "ab", letters, letters[1:], letters[:-1], "aabbj"]
    for formula, meaning in (("&", all), ("^", lambda found: sum(found) % 2 == 1)):
        U = ws.compose(f"~({formula.join(parts)})", **parts)
        assert len(U.blocks) <= 4 + 4
        assert ws.is_infinity_form(U)
        wanted = ["NO" if meaning([a in text for a in letters]) else "YES" for text in texts]
        assert ws.decisions(U, texts) == wanted


def test_a_part_with_a_long_name_and_classes_of_its_own_composes() -> None:
    other = replace(T, classes=("never", "ever"))
    U = ws.compose("x" * 180 + " | T", **{"x" * 180: other}, T=S)
    assert U.classes == ("never", "ever")
    assert [ws.run(U, text).decision for text in ("c", "b", "a")] == ["never", "ever", "ever"]


def random_formula(draw: Random, parts: list[str], depth: int = 4) -> Formula:
    if depth == 0 or draw.random() < 0.2:
        return draw.choice(parts)
    symbol = draw.choice("~&^|")
    count = 1 if symbol == "~" else draw.randint(2, 3)
    return Operation(symbol, tuple(random_formula(draw, parts, depth - 1) for _ in range(count)))


def written(formula: Formula) -> str:
    if isinstance(formula, str):
        return formula
    parts = [f"({written(part)})" for part in formula.parts]
    return f"~{parts[0]}" if formula.symbol == "~" else formula.symbol.join(parts)


def assert_random_formulas(A: Arithmetic, seed: int, count: int) -> None:
    """Compose random recognisers with random formulas, and compare with their truth tables."""
    draw = Random(seed)
    parts = {name: ws.random_transformer("ab", 2, i % 3, 1, 2, 5, A, 50 * seed + i) for i, name in enumerate("PQRST")}
    decided = {name: [d == "YES" for d in ws.decisions(part, INPUTS)] for name, part in parts.items()}
    for _ in range(count):
        text = written(random_formula(draw, list(parts)))
        if len(text) > 400:
            continue
        used = names(read(text))
        table, U = truth_table(read(text), used), ws.compose(text, **parts)
        rows = [sum(decided[name][x] << i for i, name in enumerate(used)) for x in range(len(INPUTS))]
        assert [d == "YES" for d in ws.decisions(U, INPUTS)] == table[rows].tolist(), (A, text)
        assert ws.is_infinity_form(U), (A, text)
        assert len(U.blocks) <= max(len(ws.infinity_form(parts[name]).blocks) for name in used) + 2


@pytest.mark.one_in(3)
@pytest.mark.parametrize("A", ARITHMETICS, ids=str)
def test_random_formulas_of_up_to_five_parts_agree_with_the_truth_table(A: Arithmetic) -> None:
    assert_random_formulas(A, seed=1, count=2)


@pytest.mark.long
@pytest.mark.parametrize("A", ARITHMETICS, ids=str)
def test_many_random_formulas_agree_with_the_truth_table(A: Arithmetic) -> None:
    for seed in range(2, 12):
        assert_random_formulas(A, seed, count=20)


def test_where_one_layer_is_not_exact_two_are_taken() -> None:
    for A, blocks in ((ws.Fixed(4, 4), 1), (ws.Fixed(1, 1), 2)):
        parts = dict(zip("STR", (ws.library.contains(symbol, "abc", A) for symbol in "abc"), strict=True))
        U = ws.compose("S ^ T ^ R", **parts)
        assert len(U.blocks) == len(ws.infinity_form(parts["S"]).blocks) + blocks
        for text in ("a", "ab", "abc", "bca", "cc"):
            assert (ws.run(U, text).decision == "YES") == (len(set(text)) % 2 == 1)


def test_a_composition_that_was_saved_is_still_known_to_be_in_infinity_form(tmp_path: Path) -> None:
    U = ws.compose("S & ~T", S=S, T=T)
    ws.save(U, tmp_path / "u.safetensors")
    loaded = ws.load(tmp_path / "u.safetensors")
    assert ws.is_infinity_form(loaded)
    assert len((~loaded).blocks) == 6


def test_operators_work_where_only_the_model_was_imported() -> None:
    """A pickled model in another process has the operators, too: the package says what they mean."""
    code = (
        "import pickle, sys; T = pickle.loads(sys.stdin.buffer.read()); from weightsmith.model import Transformer; "
        "assert 'weightsmith.composition' not in sys.modules; print(isinstance(T, Transformer) * len((T & ~T).blocks))"
    )
    done = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(S), capture_output=True, check=True)
    assert int(done.stdout) == 6

"""Certificates of programs are derived again from files, by code that imports nothing of the compiler."""

import ast
import copy
import json
import subprocess
import sys
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

import weightsmith as ws
from tests.programs.drawn import drawn_program
from weightsmith.errors import WeightsmithError
from weightsmith.programs import CompiledProgram, compile, compile_rasp, exact_values, rasp, replay
from weightsmith.programs.form import Aggregate, Apply, Constant, Indices, Select, SequenceNode, Tokens, Width
from weightsmith.programs.functions import Function
from weightsmith.programs.graph import Program
from weightsmith.programs.operators import Lookup, Named
from weightsmith.programs.proof.reading import read_statement
from weightsmith.programs.values import presented

HIST = "hist = selector_width(select(tokens, tokens, ==));"
SORT = """
rank = selector_width(select(tokens, tokens, <) or (select(tokens, tokens, ==) and select(indices, indices, <)));
ordered = aggregate(select(rank, indices, ==), tokens, "-");
"""
SHARE = 'share = round(aggregate(select(indices, indices, <=), indicator(tokens == "a")) * 3);'


def as_file(P: CompiledProgram) -> dict[str, Any]:
    """Return a certificate as it comes back from a file."""
    data: dict[str, Any] = json.loads(json.dumps(P.certificate().to_json()))
    return data


# What is derived again


@pytest.mark.parametrize("text", [HIST, SORT, SHARE])
def test_a_certificate_is_derived_again_from_files(text: str, tmp_path: Path) -> None:
    P = compile_rasp(text, "abc", 8)
    P.certificate().save(tmp_path / "P.json")
    ws.save(P.transformer, tmp_path / "P.safetensors")
    done = replay(tmp_path / "P.json", ws.load(tmp_path / "P.safetensors"))
    assert list(done.lemmas) == list(P.certificate().lemmas)
    assert done.safe_length == 8
    assert "proved: right at every position of all 9840 inputs of 1 to 8 tokens" in str(done)
    assert replay(tmp_path / "P.json", P.transformer, P.program) == done


def check_random(seeds: range) -> int:
    replayed = 0
    for seed in seeds:
        causal = seed % 4 == 3
        try:
            P = compile(drawn_program(seed, depth=1 + seed % 6, length=not causal), "abc", 4, causal=causal)
        except ws.InputError:
            continue
        assert list(replay(as_file(P), P.transformer, P.program).lemmas) == list(P.certificate().lemmas), seed
        replayed += 1
    return replayed


def test_certificates_of_random_programs_are_derived_again() -> None:
    assert check_random(range(5000, 5040)) > 35


@pytest.mark.long
@pytest.mark.parametrize("chunk", range(40))
def test_certificates_of_many_random_programs_are_derived_again(chunk: int) -> None:
    assert check_random(range(6000 + 50 * chunk, 6050 + 50 * chunk)) > 40


def test_a_certificate_that_states_fractions_of_the_index_for_nothing_is_derived_again() -> None:
    P = compile(drawn_program(6711, depth=4, length=False), "abc", 4, causal=True)  # 1/3 is a fraction of 2^54
    assert "%0 - 0.3333333333333333" in P.source
    assert list(replay(as_file(P), P.transformer, P.program).lemmas) == list(P.certificate().lemmas)


VALUES: dict[str, list[Any]] = {
    "sets": [frozenset(), frozenset([1]), frozenset([2]), frozenset([1, 2])],
    "tuples": [(1, "x"), (1, "y"), (2, "x"), ()],
    "truths and numbers": [True, 0, 0.5, 2],
    "numbers": [1 / 3, -1, 2.5, 10**5],
    "texts": ["", "b", "aa", "é"],
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("comparison", ["==", "!=", "<", "<=", ">", ">="])
@pytest.mark.parametrize("kind", VALUES)
def test_programs_over_values_of_every_kind_are_right_and_derived_again(kind: str, comparison: str) -> None:
    found = Apply(Lookup(tuple(zip("abcd", map(ws.programs.values.exact, VALUES[kind]), strict=True))), (Tokens(),))
    program = Program(Width(Select(found, found, comparison)), "rasp", kind)
    P = compile(program, "abcd", 3)
    for n in range(1, 4):
        for tokens in product("abcd", repeat=n):
            assert P(tokens) == [presented(value) for value in exact_values(program, tokens)]
    assert replay(as_file(P), P.transformer).cases == sum(lemma.cases for lemma in P.certificate().lemmas)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("kind", VALUES)
def test_random_programs_over_tokens_of_every_kind(kind: str) -> None:
    """Programs whose tokens are sets, tuples, truth values and numbers: right on all inputs up to 3, and replayed."""
    vocabulary = tuple(ws.programs.values.exact(value) for value in VALUES[kind][:3])
    compiled = 0
    for seed in range(40):
        try:
            P = compile(drawn_program(seed, depth=1 + seed % 4, vocabulary=vocabulary), vocabulary, 3)
        except ws.InputError:  # what cannot be compared, or cannot be said
            continue
        compiled += 1
        for n in range(1, 4):
            for tokens in product(vocabulary, repeat=n):
                assert P(tokens) == [presented(value) for value in exact_values(P.program, tokens)], seed
        assert list(replay(as_file(P), P.transformer).lemmas) == list(P.certificate().lemmas), seed
    assert compiled > 10


def test_a_function_is_a_table_that_is_compared_where_the_program_is_given() -> None:
    squared = Function(lambda x: x * x % 5, "squared")
    program = Program(Apply(squared, (Width(Select(Tokens(), Tokens(), "==")),)), "tracr", "squares")
    P = compile(program, "ab", 4)
    data = as_file(P)
    (node,) = (one for one in data["stated"]["nodes"] if "answers" in one)
    assert node["answers"] == [[[1], 1], [[2], 4], [[3], 4], [[4], 1]]
    done = replay(data, P.transformer)
    assert "of 1 functions the certificate holds the table of what they give" in str(done)
    assert "the table" not in str(replay(data, P.transformer, program))
    other = Program(Apply(Function(lambda x: x, "squared"), program.output.arguments), "tracr")  # type: ignore[attr-defined]
    with pytest.raises(ws.InputError, match="gives 2 for"):
        replay(data, P.transformer, other)
    with pytest.raises(ws.InputError, match="of another program"):
        replay(data, P.transformer, Program(Indices(), "rasp"))


# What is refused


def changed(data: dict[str, Any], *path: Any, to: Any) -> dict[str, Any]:
    found = copy.deepcopy(data)
    at: Any = found
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = to
    return found


def select_node(data: dict[str, Any]) -> int:
    return next(n for n, one in enumerate(data["stated"]["nodes"]) if one["node"] == "select")


def test_what_a_certificate_says_must_be_so() -> None:
    P, other = compile_rasp(HIST, "abc", 5), compile_rasp(SORT, "abc", 5)
    data = as_file(P)
    cases = [
        (changed(data, "safe_length", to=6), "says safe_length 6"),
        (changed(data, "arithmetic", to="fixed(9,0)"), "says arithmetic"),
        (changed(data, "vocabulary", to=["a", "b", "d"]), "says vocabulary"),
        (changed(data, "model", to="0" * 64), "is of the model"),
        (changed(data, "lemmas", 0, "cases", to=1000), "lists other lemmas"),
        (changed(data, "format", to="weightsmith program certificate 2"), "of another version"),
        (changed(data, "more", to=1), "unknown key 'more'"),
        (changed(data, "stated", "nodes", 0, "more", to=1), "unknown key 'more'"),
        (changed(data, "stated", "nodes", select_node(data), "comparison", to="!="), "selects other pairs"),
        (changed(data, "stated", "tokens", to=["a", "c", "b"]), "its values are not those that are held"),
        (changed(data, "stated", "positions", to=4), "no table of 4 positions"),
        (changed(data, "stated", "positions", to=10**9), "not a whole number from 1"),
        (changed(data, "stated", "mask", to="other"), "its mask is"),
    ]
    for hostile, says in cases:
        with pytest.raises(WeightsmithError, match=says):
            replay(hostile, P.transformer)
    with pytest.raises(ws.InputError, match="is of the model"):
        replay(data, other.transformer)
    with pytest.raises(WeightsmithError):
        replay(changed(data, "model", to=as_file(other)["model"]), other.transformer)


def test_a_softmax_program_has_no_statement() -> None:
    P = compile(rasp.length, "ab", 4, backend="softmax")
    with pytest.raises(ws.InputError, match="proves by margins"):
        replay(as_file(P), P.transformer)


def places(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths of all numbers, texts and truth values."""
    if isinstance(data, dict | list):
        items = data.items() if isinstance(data, dict) else enumerate(data)
        return [one for key, value in items for one in places(value, (*path, key))]
    return [path]


def other_value(value: Any, draw: Random) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return draw.choice([value + 1, value - 1, -value, 0, value * 2 + 3, 2**62])
    if isinstance(value, str):
        return draw.choice(["a", "b", "==", "<", "length", "tokens", "and", "value", "half", value + "x"])
    return draw.choice([0, "a", True, []])


def of_certificate(data: dict[str, Any]) -> Program:
    output = read_statement(data["stated"]).program.output
    assert isinstance(output, SequenceNode)
    return Program(output, "rasp", None, data["stated"]["causal"])


@pytest.mark.parametrize("text", [HIST, SORT, SHARE])
def test_a_changed_statement_is_refused_or_still_proves_its_program(text: str) -> None:
    """Whatever is accepted says of the program that then stands in the certificate only what is so."""
    P = compile_rasp(text, "abc", 3)
    data, draw = as_file(P), Random(7)
    inputs = [list(one) for n in range(1, 4) for one in product("abc", repeat=n)]
    said = [list(one) for one in ws.outputs(P.transformer, inputs)]
    paths, accepted = places(data["stated"]), 0
    for _ in range(250):
        hostile = data
        for path in draw.sample(paths, draw.choice([1, 1, 2])):
            at: Any = data["stated"]
            for key in path:
                at = at[key]
            hostile = changed(hostile, "stated", *path, to=other_value(at, draw))
        try:
            replay(hostile, P.transformer)
        except WeightsmithError:
            continue
        accepted += 1
        program = of_certificate(hostile)
        assert said == [[presented(value) for value in exact_values(program, one)] for one in inputs]
    assert accepted < 100


@pytest.mark.parametrize("stated", [None, [], 3, {}, {"nodes": []}, "x" * 10_000])
def test_what_is_no_statement_is_refused(stated: Any) -> None:
    P = compile_rasp(HIST, "ab", 3)
    with pytest.raises(WeightsmithError):
        replay(changed(as_file(P), "stated", to=stated), P.transformer)


def test_a_statement_that_would_take_much_memory_is_refused() -> None:
    P = compile_rasp(HIST, "ab", 3)
    data = as_file(P)
    for key, value in (("tokens", list(map(str, range(10_001)))), ("forms", [{}] * 20_001), ("cells", [{}] * 20_001)):
        with pytest.raises(WeightsmithError, match="at most"):
            replay(changed(data, "stated", key, to=value), P.transformer)
    longer = changed(data, "stated", "positions", to=10_000)
    with pytest.raises(WeightsmithError, match="more than 20,000,000 numbers"):
        replay(changed(longer, "stated", "forms", to=[{}] * 20_000), P.transformer)
    codes = {"from": 0, "step": 1, "count": 10**12}
    with pytest.raises(WeightsmithError, match="not a whole number"):
        replay(changed(data, "stated", "forms", 0, "token", to=codes), P.transformer)


# Nothing of the compiler


def test_the_proof_imports_nothing_of_the_compiler() -> None:
    folder = Path(ws.__file__).parent / "programs" / "proof"
    for file in folder.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [one.name for one in node.names] if isinstance(node, ast.Import) else []
            assert not any("programs.compiler" in name or "programs.softmax" in name for name in names), file


def test_a_certificate_is_derived_again_without_the_compiler(tmp_path: Path) -> None:
    P = compile_rasp(SORT, "abc", 5)
    P.certificate().save(tmp_path / "P.json")
    ws.save(P.transformer, tmp_path / "P.safetensors")
    code = (
        "import sys, weightsmith as ws\n"
        "from weightsmith.programs.proof.replay import replay\n"
        f"replay({str(tmp_path / 'P.json')!r}, ws.load({str(tmp_path / 'P.safetensors')!r}))\n"
        "assert not [name for name in sys.modules if 'programs.compiler' in name or 'programs.softmax' in name]\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_a_default_that_is_exchanged_is_refused() -> None:
    before = Apply(Named("-"), (Indices(), Constant(1)))
    P = compile(Program(Aggregate(Select(Indices(), before, "=="), Tokens(), "a"), "rasp", "before"), "ab", 4)
    data = as_file(P)
    node = next(n for n, one in enumerate(data["stated"]["nodes"]) if one["node"] == "aggregate")
    with pytest.raises(WeightsmithError, match="is held where it is 'b'"):
        replay(changed(data, "stated", "nodes", node, "default", to="b"), P.transformer)

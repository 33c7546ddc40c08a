"""Portable programs: plain softmax attention, right in the machine's own floats by a margin that is stated."""

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.programs import examples_in_python as python
from tests.programs.drawn import drawn_program
from weightsmith.arithmetic import Float
from weightsmith.model import Softmax
from weightsmith.model.folds import map_arrays, named_arrays
from weightsmith.programs import CompiledProgram, compile, exact_values, program, rasp
from weightsmith.programs.softmax.margins import Margins
from weightsmith.programs.softmax.proof import SoftmaxProof
from weightsmith.programs.values import presented

torch = pytest.importorskip("torch")

ABC, NUMBERS = tuple("abc"), (1, 2, 3)
PROGRAMS: dict[str, tuple[Callable[[int], rasp.SOp], tuple[Any, ...]]] = {
    "length": (lambda n: python.length(), ABC),
    "hist": (lambda n: python.hist(), ABC),
    "reverse": (lambda n: python.reverse(), ABC),
    "shift": (lambda n: python.shift_by(1, rasp.tokens), ABC),
    "count": (lambda n: python.count_of("a"), ABC),
    "fraction": (lambda n: python.fraction_so_far(rasp.tokens == "a"), ABC),
    "balance": (lambda n: python.balance("(", ")"), tuple("()x")),
    "pattern": (lambda n: python.ends_pattern("abc"), ABC),
    "rare": (lambda n: python.rare(2), ABC),
    "sort": (lambda n: python.sort(rasp.tokens, rasp.tokens, n), NUMBERS),
    "stable sort": (lambda n: python.stable_sort(rasp.tokens, rasp.tokens), NUMBERS),
    "shuffle": (lambda n: python.shuffle_dyck(("()",)), tuple("()x")),
}
TYPES = ("float32", "bfloat16", "float16")


def softmax(name: str, length: int, **options: Any) -> CompiledProgram:
    make, vocabulary = PROGRAMS[name]
    return compile(program(make(length), name), vocabulary, length, backend="softmax", **options)


def proof(P: CompiledProgram) -> SoftmaxProof:
    assert isinstance(P.proof, SoftmaxProof)
    return P.proof


def inputs(P: CompiledProgram, up_to: int, others: int = 0) -> list[list[Any]]:
    """Return all inputs up to a length, and some of the greatest length."""
    every = [list(one) for n in range(1, up_to + 1) for one in product(P.vocabulary, repeat=n)]
    draw = Random(0)
    return every + [[draw.choice(P.vocabulary) for _ in range(P.max_length)] for _ in range(others)]


def differences(P: CompiledProgram, given: list[list[Any]]) -> list[Any]:
    """Return the inputs on which weights and interpreter differ."""
    found = []
    for tokens, said in zip(given, ws.outputs(P.transformer, [P.read(one) for one in given]), strict=True):
        wanted = [presented(value) for value in exact_values(P.program, tokens)]
        found += [(tokens, P.said(said), wanted)] if P.said(said) != wanted else []
    return found


@pytest.mark.one_in(3)
@pytest.mark.parametrize("length", [5, 10])
@pytest.mark.parametrize("name", PROGRAMS)
def test_weights_equal_the_interpreter_on_all_short_inputs(name: str, length: int) -> None:
    P = softmax(name, length)
    assert differences(P, inputs(P, 5, others=20)) == []
    assert proof(P).margins["float32"] > 0.2
    heads = [head for block in P.transformer.blocks if block.attention for head in block.attention.heads]
    assert all(head.weighting == Softmax(shifted=True) for head in heads)


@pytest.mark.parametrize("name", ["hist", "reverse", "shift", "fraction", "sort"])
def test_pytorch_decides_alike_and_stays_within_the_bounds(name: str) -> None:
    from weightsmith.export.pytorch import made

    P = softmax(name, 5)
    T = P.transformer
    wide = made(T, dtype="float64", saturate=False)
    for dtype in TYPES:
        module, bounds = made(T, dtype=dtype, saturate=False), proof(P).bounds[dtype]
        for n in (1, 2, 5):
            ids = torch.from_numpy(np.array(list(product(range(len(T.vocabulary)), repeat=n))))
            with torch.inference_mode():
                found, meant = module.run(ids), wide.run(ids)
            assert len(found.stream) == len(bounds.stages)
            for ours, theirs, bound in zip(found.stream, meant.stream, bounds.stages, strict=True):
                off = (ours.double() - theirs.double()).abs().numpy().reshape(-1, len(T.lanes)).max(axis=0)
                assert (off <= bound + 1e-9).all()
            if bounds.least.left > 0:
                assert (found.logits.argmax(-1) == meant.logits.argmax(-1)).all()


def test_exporters_take_it_without_saturation(tmp_path: Path) -> None:
    P = softmax("hist", 5)
    module = ws.export.to_torch(P.transformer, saturate=False)
    assert module.agreement is not None
    assert module.agreement.agrees
    assert not module.agreement.saturates
    assert all(module.agreement.survives.values())
    assert ws.export.to_onnx(P.transformer, tmp_path / "hist.onnx", saturate=False).agrees


@pytest.mark.long
def test_transformer_lens_takes_it_with_its_own_attention() -> None:
    bridge = ws.export.to_transformer_lens(softmax("hist", 5).transformer)
    assert bridge.agreement.agrees
    assert not bridge.own_modules


def test_the_certificate_states_the_margins_of_machine_types() -> None:
    short, long = softmax("hist", 5).certificate(), softmax("hist", 20).certificate()
    assert [one.type for one in short.types] == list(TYPES)
    assert [one.margin for one in short.types] == pytest.approx([0.5, 0.46, 0.495], abs=1e-3)
    said = {one.type: one.statement for one in long.types}
    assert [one.margin is None for one in long.types] == [False, True, True]
    assert said["float32"] == "every decision stays; least is left at block 1 feed-forward, hist"
    assert said["float16"] == (
        "NOT shown to be right: at decisions it may not hold that of 20 codes the one that is meant is nearest, and "
        "its logit the largest; write a smaller max_length for float16"
    )
    assert "hist in float(8,24,ties=even): decided as planned at every position of every input up to 20" in str(long)
    assert "in float32: every decision stays; least is left at block 1 feed-forward, hist, margin 0.469" in str(long)
    assert all(lemma.margin is not None and lemma.margin > 0 for lemma in long.lemmas)
    assert long.to_json()["types"][0]["type"] == "float32"


def test_classes_stand_for_values() -> None:
    P = softmax("shift", 3)
    assert P.transformer.classes == ("None", "a", "b", "c")
    assert P.answers == (None, "a", "b", "c")
    assert P("cab") == [None, "c", "a"]
    assert compile(rasp.Full(3), "ab", 3, backend="softmax")("ab") == [3, 3]
    assert softmax("shuffle", 3).transformer.classes == ("False", "True")


def test_margins_get_smaller_with_the_length() -> None:
    found = [proof(softmax("hist", n)).margins["float32"] for n in (5, 10, 40, 100)]
    assert found == sorted(found, reverse=True)
    assert found[-1] > 0.4
    assert differences(softmax("hist", 40), inputs(softmax("hist", 40), 1, others=20)) == []


@pytest.mark.parametrize(
    ("make", "vocabulary", "length", "reason"),
    [
        (
            lambda n: python.hist(),
            ABC,
            400,
            r"line 19.* in float32 it cannot be shown that of 400 codes the one that is",
        ),
        (
            lambda n: python.sort_by_frequency(n),
            NUMBERS,
            5,
            r"rank: in float32 it cannot be shown that what is read stays",
        ),
        (
            lambda n: python.fraction_so_far(rasp.tokens == "a"),
            ABC,
            40,
            r"fraction: means over up to 40 positions are held",
        ),
        (
            lambda n: rasp.Aggregate(rasp.Select(rasp.tokens, rasp.tokens, rasp.Comparison.EQ), rasp.tokens),
            *(ABC, 5, r"values such as 'a' have no mean, and it cannot be shown that at most one position is selected"),
        ),
    ],
)
def test_what_cannot_be_shown_is_refused_with_a_reason(make: Any, vocabulary: Any, length: int, reason: str) -> None:
    with pytest.raises(ws.InputError, match=reason):
        compile(make(length), vocabulary, length, backend="softmax")


def test_it_is_in_floats() -> None:
    with pytest.raises(ws.InputError, match=r"the softmax backend computes in floats: write Float.like\('float16'"):
        softmax("hist", 5, arithmetic=ws.Fixed(8, 1))
    P = softmax("shift", 5, arithmetic=Float.like("bfloat16", ties="even"))
    assert P.arithmetic == Float.like("bfloat16", ties="even")
    assert differences(P, inputs(P, 5)) == []


def test_the_old_name_of_the_backend_warns() -> None:
    with pytest.warns(DeprecationWarning, match=r'portable=True goes with the next version: write backend="softmax"'):
        P = compile(rasp.length, "ab", 3, portable=True)
    assert P.transformer.classes == ("1", "2", "3")
    with pytest.warns(DeprecationWarning, match="portable=False goes with the next version: leave it out"):
        assert compile(rasp.length, "ab", 3, False, None, False).transformer.readout is not None  # type: ignore[arg-type]
    with pytest.raises(ws.InputError, match="backend='soft': write 'exact' or 'softmax'"):
        compile(rasp.length, "ab", 3, backend="soft")  # type: ignore[arg-type]


def test_planted_faults_take_the_margin_or_change_nothing() -> None:
    assert 60 <= caught_faults(softmax("hist", 4), 120) < 120


def caught_faults(P: CompiledProgram, count: int) -> int:
    """Return how many of some random faults take the margin; the others must leave every answer as it is."""
    bounds, T, draw = proof(P).bounds["float32"], P.transformer, Random(1)
    given, caught = inputs(P, 4), 0
    for _ in range(count):
        faulty = faulted(T, draw)
        if not Margins(faulty, bounds.meant, bounds.circuit, bounds.lanes, bounds.rounding).least.left > 0:
            caught += 1
        else:
            assert differences(replace(P, transformer=faulty), given) == []
    return caught


def faulted(T: ws.Transformer, draw: Random) -> ws.Transformer:
    """Return the transformer with one weight that is not 0 a little or much larger or smaller."""
    places = [(n, k) for n, (_, array) in enumerate(named_arrays(T)) for k in np.flatnonzero(array)]
    (which, place), factor = draw.choice(places), 1 + draw.choice([0.5, -0.5, 0.1, -0.1, 2**-7, -(2**-7)])
    number = iter(range(len(list(named_arrays(T)))))

    def change(array: Any) -> Any:
        found = np.array(array)
        if next(number) == which:
            found.flat[place] = T.arithmetic.round(found.flat[place] * factor)
        return found

    return map_arrays(T, change)


def check_drawn(seeds: range) -> None:
    refused = 0
    for seed in seeds:
        causal = seed % 4 == 3
        try:
            made = drawn_program(seed, depth=2 + seed % 4, length=not causal)
            P = compile(made, "abc", 4, causal=causal, backend="softmax")
        except ws.InputError:
            refused += 1
            continue
        assert differences(P, inputs(P, 4)) == [], seed
    assert refused <= len(seeds) // 5


def test_random_programs_are_right_or_refused() -> None:
    check_drawn(range(30))


@pytest.mark.long
@pytest.mark.parametrize("chunk", range(20))
def test_more_random_programs_are_right_or_refused(chunk: int) -> None:
    check_drawn(range(30 + 50 * chunk, 80 + 50 * chunk))

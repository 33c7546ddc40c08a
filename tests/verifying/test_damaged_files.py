"""Model files: the checker reads no file that `load` refuses, and reads the others alike."""

import json
import struct
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.automata.models import random_model
from tests.files.mutations import _places, header_and_body, mutated, with_header
from tests.files.rewritten import HOSTILE as ATTACKS
from tests.files.rewritten import rewrite
from tests.kernels.kinds import kind_of_model
from weightsmith import verify
from weightsmith.files import model_bytes, transformer_from_bytes
from weightsmith.model import digest

RULES = ("none", "relative", "relative values", "alibi", "slopes")


@cache
def models() -> list[ws.Transformer]:
    """Models with every kind of part that the checker knows."""
    T = ws.random_transformer(vocabulary="ab", lanes=2, blocks=1, heads=1, neurons=2, max_length=2)
    written = ws.memory.write(T, 0, {T.lanes[0]: 1.0}, {T.lanes[1]: 1.0}, name="fact")
    table = {(0, 1): None, (1, 0): "a", (1, 1): 2, (0, 0): True, (2, 0): 0.5}
    read = replace(T, output=np.zeros((0, 2)), classes=(), readout=ws.Readout(T.lanes, table))
    tied = ws.random_transformer(vocabulary="ab", lanes=2, blocks=1, tied=True)
    kinds = [
        kind_of_model(A, n, rule, activation, heads=2, norms=True, parallel=n == 1)
        for n, (rule, activation, A) in enumerate(
            zip(RULES, ("relu", "swiglu", "gelu", "silu", "reglu"), map(ws.parse_arithmetic, ARITHMETICS), strict=True)
        )
    ]
    kinds = [with_table(T) for T in kinds]
    named = replace(tied, tokenizer='{"model": "BPE"}', provenance=("made", "by hand"))
    no_heads = replace(T, blocks=(replace(T.blocks[0], attention=ws.Attention((), np.array([0.5, 0.0]))),))
    return [T, written, ws.flag(T, "here", [0]), read, tied, named, no_heads, *kinds, *map(random_model, range(6))]


def with_table(T: ws.Transformer) -> ws.Transformer:
    """Return a model with a written table in the place of sinusoids, which the checker does not read."""
    given = T.positions if isinstance(T.positions, tuple) else (T.positions,)
    table = ws.PositionTable(T.arithmetic.round(np.arange(3.0 * len(T.lanes)).reshape(3, -1) / 4))
    positions: Any = tuple(table if isinstance(scheme, ws.Sinusoidal) else scheme for scheme in given)
    return replace(T, positions=positions if len(positions) > 1 else positions[0])


ARITHMETICS = ("fixed(4,4)", "float(4,3,ties=even)", "fixed(3,3,ties=away)", "float16", "e4m3")


def compared(data: bytes) -> str:
    """Read a file here and there; return which of them read it. Where both do, it is the same model."""
    try:
        mine = verify.Model(data)
    except Exception:  # as the program itself does
        mine = None
    try:
        T = transformer_from_bytes(data, "model")
    except ws.WeightsmithError:
        assert mine is None, "the checker reads what load refuses"
        return "neither"
    if mine is None:
        return "load"
    assert mine.digest == digest(T)
    assert [*mine.answers] == [*T.answers]
    return "both"


def test_digests_are_those_of_the_models() -> None:
    for T in models():
        assert compared(model_bytes(T)) == "both"


@pytest.mark.parametrize("count", [800, pytest.param(30_000, marks=pytest.mark.long)])
def test_mutated_files_are_read_alike_or_refused(count: int) -> None:
    random, whole = Random(count), [*map(model_bytes, models())]
    found = [compared(mutated(random.choice(whole), random)) for _ in range(count)]
    assert min(found.count("both"), found.count("neither")) > count // 200


NEAR: list[Any] = [
    *(0, 1, 2, -1, 0.0, -0.0, 1.0, 0.1, 0.3, 1e29, 10**29, 1e30, 10**30, 2**53 + 1, 2**60 + 1, 5e-324, 1e300, 10**300),
    *(None, True, False, "", "a", "zero", "uniform", "error", "pre", "post", "causal", "full", "x0", "0"),
    *("relu", "gelu", "silu", "reglu", "fixed(4,4)", "Fixed( 4 , 4 )", "FLOAT(4,3)", "float(4,3, ties=even)"),
    *("fixed(\u0664,4)", "float16", "e5m2", "fixed(4,4,ties=zero)", [], [[]], [None], [[[0, 1], 1]], [0, 2], [1, 2]),
    *([0.5], [-0.0], [0, -0.0], [0.5, 1], [2**53 + 1], [1, 2**60 + 1], ["x0"], ["x1", "x0"], ["x0", "x1"]),
    *({"kind": "Softmax", "shifted": True, "empty": "zero"}, {"kind": "AverageHard"}, {"kind": "Sparsemax_9"}),
    *({"kind": "Alibi", "slopes": slopes} for slopes in (None, [2**53 + 1], [0.5, 2**53 + 1], [-0.0])),
    *({"kind": "RMSNorm", "eps": eps, "lanes": None} for eps in (0, -0.0, 1, 0.3, 2**53 + 1)),
    *({"kind": "LayerNorm", "eps": 1, "lanes": ["x0"]}, {"kind": "LeftmostHard"}, {"kind": "Rotary"}),
]  # fmt: skip


def near(data: bytes, random: Random) -> bytes:
    """Change one value of the metadata or one number, so that what comes out is often a model."""
    found = header_and_body(data)
    assert found
    header, body = found
    if body and random.random() < 0.2:
        place = 8 * random.randrange(len(body) // 8)
        number = random.choice([0.0, -0.0, 0.5, -1.0, 3.75, 0.1, 1e308, float("nan"), 5e-324])
        return with_header(header, body[:place] + struct.pack("<d", number) + body[place + 8 :])
    metadata = json.loads(header["__metadata__"]["weightsmith"])
    choices = [(inside, key) for inside, key in _places(metadata) if key not in ("version", "kind", "tensors")]
    inside, key = random.choice(choices)
    kind = random.randrange(8)
    if kind == 0 and isinstance(inside, dict):
        del inside[key]
    elif kind == 1:
        other, there = random.choice(choices)
        inside[key] = json.loads(json.dumps(other[there]))
    elif kind == 2 and isinstance(inside, dict):
        inside[random.choice([one.name for fields in verify.PARTS.values() for one in fields])] = random.choice(NEAR)
    elif kind == 3 and isinstance(inside[key], int | float) and type(inside[key]) is not bool:
        inside[key] = random.choice([float(inside[key]), -inside[key], int(inside[key]), inside[key] + 2**53])
    else:
        inside[key] = random.choice(NEAR)
    header["__metadata__"]["weightsmith"] = json.dumps(metadata)
    return with_header(header, body)


@pytest.mark.parametrize("count", [600, pytest.param(30_000, marks=pytest.mark.long)])
def test_files_with_one_value_changed_are_read_alike_or_refused(count: int) -> None:
    random, whole = Random(count), [*map(model_bytes, models())]
    found = [compared(near(random.choice(whole), random)) for _ in range(count)]
    assert min(found.count("both"), found.count("neither")) > count // 10


@pytest.mark.parametrize("name", ATTACKS)
def test_hostile_files_are_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / "model"
    path.write_bytes(model_bytes(ws.random_transformer(lanes=2, blocks=1, heads=1, neurons=2, max_length=2)))
    rewrite(path, ATTACKS[name][0])
    assert compared(path.read_bytes()) == "neither"

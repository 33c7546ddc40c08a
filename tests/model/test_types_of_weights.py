"""A model holds its weights in the type of its arithmetic, whatever it is made of; nothing else about it changes."""

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import weightsmith as ws
from weightsmith.files import model_bytes
from weightsmith.inspect.run import Sums
from weightsmith.model import digest, named_arrays
from weightsmith.model.folds import map_arrays

F32, F64 = ws.Native("float32"), ws.Native("float64")
# The first digits of the SHA-256 of a file and of a digest, as they were when every model held float64.
BEFORE = [
    (F32, "b4ff7cd07b5269de", "42c98daa989456d0"),
    (F64, "5425eaa96fbf3d43", "658e3383af59aec2"),
    (ws.Fixed(4, 4), "30151bb34117b017", "e7e84aac0bf90624"),
]


def drawn(A: ws.Arithmetic, **changes: object) -> ws.Transformer:
    shape = {"lanes": 4, "blocks": 2, "heads": 2, "neurons": 5, "max_length": 6, "seed": 3, **changes}
    return ws.random_transformer(arithmetic=A, **shape)  # type: ignore[arg-type]


def types(T: ws.Transformer) -> set[np.dtype]:
    return {array.dtype for _, array in named_arrays(T, history=True)}


@pytest.mark.parametrize(("A", "file", "digested"), BEFORE)
def test_files_and_digests_are_what_they_were(A: ws.Arithmetic, file: str, digested: str, tmp_path: Path) -> None:
    T = drawn(A)
    assert hashlib.sha256(model_bytes(T)).hexdigest().startswith(file)
    assert digest(T).startswith(digested)
    ws.save(T, tmp_path / "T")
    loaded = ws.load(tmp_path / "T")
    assert loaded == T
    assert digest(loaded) == digest(T)
    assert hash(loaded) == hash(T)


@pytest.mark.parametrize("A", [F32, F64, ws.Fixed(4, 4), ws.Float.like("bfloat16"), ws.Float(4, 3)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_array_is_in_the_type_of_the_arithmetic(A: ws.Arithmetic, dtype: type) -> None:
    T = replace(drawn(F32, tied=True), arithmetic=F64) if A == F64 else drawn(A, tied=True)
    layer = T.blocks[0].feed_forward
    assert layer is not None
    T = replace(T, blocks=(replace(T.blocks[0], feed_forward=replace(layer, keys=layer.W_1)), T.blocks[1]))
    T = ws.memory.write(T, block=1, key={T.lanes[0]: 1.0}, value={T.lanes[1]: 1.0}, margin=0.5) if A == F32 else T
    other = map_arrays(T, lambda array: array.astype(dtype))
    assert types(other) == {A.stored} == {np.dtype("float32" if A == F32 else "float64")}
    assert other == T
    assert other.output is other.embedding


def test_a_model_moves_from_one_arithmetic_to_another_and_back() -> None:
    T = drawn(F32)
    wide = replace(T, arithmetic=F64)
    assert types(wide) == {np.dtype(np.float64)}
    assert replace(wide, arithmetic=F32) == T
    assert wide != T
    assert digest(wide) != digest(T)


def test_a_weight_that_float32_would_change_is_refused_and_not_rounded() -> None:
    T = drawn(F64)
    with pytest.raises(ws.ModelError, match=r"is not a member of float32; the nearest member is"):
        replace(T, arithmetic=F32)
    with pytest.raises(ws.ModelError, match=r"= 1e\+300 is not a member of float32"):
        replace(T, arithmetic=F32, embedding=np.full(T.embedding.shape, 1e300))


def test_parts_are_equal_by_their_numbers_whatever_the_type() -> None:
    W = np.arange(6, dtype=np.float32).reshape(2, 3)
    X = W.astype(np.float64)
    narrow, wide = ws.Head(W, W, W, W.T), ws.Head(X, X, X, X.T)
    assert [head.W_Q.dtype.name for head in (narrow, wide)] == ["float32", "float64"]
    assert narrow == wide
    assert hash(narrow) == hash(wide)
    assert narrow != replace(wide, W_Q=W + 1)


@pytest.mark.parametrize("sums", ["left", "machine"])
def test_runs_are_in_float64_arrays_with_float32_numbers(sums: Sums) -> None:
    T = drawn(F32)
    r = ws.run(T, [T.vocabulary[i % 2] for i in range(5)], sums=sums)
    for values in (r.logits, r.stream, *r.activations, *(head.output for block in r.heads for head in block)):
        assert values.dtype == np.float64
        assert F32.contains(values).all()


def test_left_folds_in_float32_are_those_of_float64_weights_rounded_at_every_step() -> None:
    T = drawn(F32, lanes=6)
    tokens = [T.vocabulary[i % 2] for i in range(6)]
    W, h = T.blocks[0].feed_forward.W_1, ws.run(T, tokens, sums="left").stream[1]  # type: ignore[union-attr]
    total = np.zeros((len(h), len(W)), np.float32)
    for j in range(W.shape[1]):
        total = total + (h[:, j : j + 1].astype(np.float32) * W[:, j].astype(np.float32)).astype(np.float32)
    assert (F32.core.matvec(W, h) == total).all()
    assert (F32.core.matvec(W.astype(np.float64), h) == total).all()


def test_what_is_worked_out_from_weights_is_worked_out_in_float64() -> None:
    T = drawn(F32, lanes=8, tied=True)
    wide = replace(T, arithmetic=F64)
    tokens = list(T.vocabulary)
    r = ws.run(T, tokens)
    one, other = T.classes[:2]
    W = wide.output[0] - wide.output[1]
    asked = ws.attribute(r, one, over=other)
    embedded = next(part for part in asked.parts if part.kind == "embedding")
    assert embedded.amount == pytest.approx(float(wide.embedding[T.vocabulary.index(tokens[-1])] @ W), rel=1e-14)
    (move, *_) = ws.moved(r, 0, 0)
    head = wide.blocks[0].attention.heads[0]  # type: ignore[union-attr]
    amounts = move.weight * (head.W_O @ head.W_V) * r.stream[0][move.source]
    found = move.paths()
    assert all(found[T.lanes[of], T.lanes[to]] == pytest.approx(amounts[to, of], rel=1e-12)
               for to, of in np.argwhere(amounts).tolist())  # fmt: skip

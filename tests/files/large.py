"""Large model files, honest and hostile, written without Weightsmith."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

LANES = 1024
MOST_HEADER = 31 << 20
Made = tuple[dict[str, Any], str, str]  # tensors, metadata, and what else stands in the header
BLOCK = {
    "kind": "Block", "attention": None, "feed_forward": None, "attention_norm": None, "feed_forward_norm": None,
    "norm_placement": "post", "origin": "",
}  # fmt: skip


def write_large(path: Path, case: str, size: int) -> None:
    """Write a file of about so many bytes."""
    tensors, metadata, more = CASES[case](size)
    header: dict[str, Any] = {"__metadata__": {"weightsmith": metadata}}
    offset = 0
    for name, tensor in tensors.items():
        kind = {4: "F32", 8: "F64"}[tensor.itemsize]
        header[name] = {"dtype": kind, "shape": tensor.shape, "data_offsets": [offset, offset + tensor.nbytes]}
        offset += tensor.nbytes
    text = (json.dumps(header, ensure_ascii=False)[:-1] + more + "}").encode()
    with path.open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for tensor in tensors.values():
            file.write(tensor.data)


def told(tensors: dict[str, Any], tokens: int = 2, lanes: int = 2, **change: Any) -> str:
    """Return the metadata of a model with these tensors."""
    usual = {
        "version": 1, "arithmetic": "float64", "vocabulary": [f"t{n}" for n in range(tokens)],
        "lanes": [f"l{n}" for n in range(lanes)], "positions": None, "blocks": [], "classes": ["NO", "YES"],
        "mask": "causal", "final_norm": None, "tied": False, "flags": [], "provenance": [], "edits": [],
        "tensors": list(tensors),
    }  # fmt: skip
    return json.dumps(usual | change, ensure_ascii=False)


def tensors_of(tokens: int, lanes: int, kind: Any = np.float64, value: float = 1.0) -> dict[str, Any]:
    return {"embedding": np.full((tokens, lanes), value, kind), "output": np.ones((2, lanes), kind)}


def body(size: int, arithmetic: str, value: float = 1.0, **change: Any) -> Made:
    """A model whose embedding takes so many bytes."""
    kind = np.float32 if arithmetic == "float32" else np.float64
    tokens = max(2, size // (LANES * np.dtype(kind).itemsize))
    tensors = tensors_of(tokens, LANES, kind, value)
    return tensors, told(tensors, tokens, LANES, arithmetic=arithmetic, **change), ""


def large_body(size: int, arithmetic: str) -> Made:
    return body(enough(size), arithmetic)


def enough(size: int) -> int:
    """Return a size at which a copy too many is more than the little that is always allowed."""
    return max(size, 48 << 20)


def tied(size: int) -> Made:
    tokens = enough(size) // (LANES * 4)
    tensors = {"embedding": np.ones((tokens, LANES), np.float32)}
    classes = [f"t{n}" for n in range(tokens)]
    return tensors, told(tensors, tokens, LANES, arithmetic="float32", tied=True, classes=classes), ""


def metadata(size: int, end: Callable[[int], str]) -> Made:
    """A tiny model with more in its metadata: a text that goes on at the end of the JSON."""
    tensors = tensors_of(2, 2)
    return tensors, told(tensors)[:-1] + end(min(size, MOST_HEADER)), ""


def header(size: int, end: Callable[[int], str]) -> Made:
    tensors = tensors_of(2, 2)
    return tensors, told(tensors), end(min(size, MOST_HEADER))


def beside(size: int, provenance: Callable[[int], list[str]]) -> Made:
    """A model with a history that takes a quarter of its file."""
    part = min(size // 4, MOST_HEADER)
    return body(size - part, "float32", provenance=provenance(part))


def blocks(size: int, block: dict[str, Any], count: int) -> Made:
    each = len(json.dumps(block)) * 5 // 4
    return body(max(0, size - count * each), "float64", blocks=[block] * min(count, size // 8 // each))


def heads(size: int) -> Made:
    count = min(size // 2048, 4096)
    tensors = tensors_of(2, 2) | {
        f"blocks.0.attention.heads.{n}.{name}": np.ones((2, 2)) for n in range(count) for name in ("W_Q", "W_K", "W_V")
    }
    tensors |= {f"blocks.0.attention.heads.{n}.W_O": np.ones((2, 2)) for n in range(count)}
    head = {"kind": "Head", "weighting": {"kind": "AverageHard"}, "positions": None}
    attention = {"kind": "Attention", "heads": [head] * count}
    return tensors, told(tensors, blocks=[{**BLOCK, "attention": attention}]), ""


def flags(size: int) -> Made:
    """Every lane is a flag, and every norm names every lane."""
    lanes = size // 400
    names = [f"l{n}" for n in range(lanes)]
    tensors = tensors_of(20, lanes, value=0.0) | {"positions.values": np.zeros((20, lanes))}
    norm = {"kind": "RMSNorm", "eps": 0.1, "lanes": names[: lanes // 2]}
    change = {"positions": {"kind": "Table"}, "flags": names, "final_norm": norm}
    return tensors, told(tensors, 20, lanes, **change), ""


def turned(size: int) -> Made:
    lanes = size // 400
    tensors = tensors_of(40, lanes)
    norm = {"kind": "RMSNorm", "eps": 0.1, "lanes": [f"l{n}" for n in range(lanes)][::-1]}
    return tensors, told(tensors, 40, lanes, final_norm=norm), ""


def sines(size: int) -> Made:
    """A table that would take gigabytes, and a lane of it that is said to be a flag."""
    positions = {"kind": "Sinusoidal", "max_length": 1 << 20, "base": 1e29}
    return body(size, "float64", 0.0, positions=positions, flags=["l0"])


NORMED = {**BLOCK, "attention": {"kind": "Attention", "heads": []},
          "attention_norm": {"kind": "RMSNorm", "eps": 0.1, "lanes": ["l0"]}}  # fmt: skip
CASES: dict[str, Callable[[int], Made]] = {
    **{
        name: partial(large_body, arithmetic=name)
        for name in ("float64", "float32", "fixed(4,4)", "float(4,3)", "bfloat16")
    },
    "tied": tied,
    "not members": partial(body, arithmetic="fixed(4,4)", value=0.1),
    "nan": partial(body, arithmetic="float32", value=np.nan),
    "heads": heads,
    "blocks": partial(blocks, block=BLOCK, count=60_000),
    "norms": partial(blocks, block=NORMED, count=20_000),
    "flags": flags,
    "turned norm": turned,
    "sines": sines,
    "texts": partial(beside, provenance=lambda size: [f"{n:06x}" for n in range(size // 14)]),
    "wide texts": partial(beside, provenance=lambda size: ["\U0001f600" + "x" * 1000] * (size // 1010)),
    "empty lists": partial(metadata, end=lambda size: ', "x": [' + "[]," * (size // 3) + "[]]}"),
    "empty lists in the header": partial(header, end=lambda size: ', "x": [' + "[]," * (size // 3) + "[]]"),
    "objects": partial(metadata, end=lambda size: ', "x": [' + '{"a":1},' * (size // 12) + "1]}"),
    "one text": partial(metadata, end=lambda size: ', "x": "' + "x" * size + '"}'),
    "kind": lambda size: body(0, "float64", blocks=[{"kind": "\x7f" * min(size, MOST_HEADER)}]),
    "one wide text": partial(metadata, end=lambda size: ', "x": "\U0001f600' + "x" * size + '"}'),
    "one escaped text": partial(metadata, end=lambda size: ', "x": "\\ud83d\\ude00' + "x" * size + '"}'),
    "one escaped text in the header": partial(header, end=lambda size: ', "x": "\\ud83d\\ude00' + "x" * size + '"'),
    "escapes": partial(metadata, end=lambda size: ', "x": "' + "\\u0100" * (size // 7) + '"}'),
    "quotes": partial(metadata, end=lambda size: ', "x": "' + '\\"' * (size // 4) + '"}'),
    "digits": partial(metadata, end=lambda size: ', "x": [' + ("9" * 20_000 + ",") * (size // 20_001) + "1]}"),
    "fraction": partial(metadata, end=lambda size: ', "x": 0.' + "9" * size + "}"),
    "floats": partial(metadata, end=lambda size: ', "x": [' + "1.5," * (size // 50) + "1]}" + " " * (size * 9 // 10)),
    "keys": partial(
        metadata,
        end=lambda size: ', "x": {' + ",".join(f'"{n:x}":1' for n in range(size // 100)) + "}}" + " " * (size * 4 // 5),
    ),
    "spaces": partial(metadata, end=lambda size: "}" + " " * size),
}

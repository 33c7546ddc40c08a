"""Files changed at random: bits and bytes, and the JSON inside as somebody would change it who knows the format."""

import json
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np

import weightsmith as ws
from tests.kernels.kinds import kind_of_model

HOSTILE: list[Any] = [
    None, True, False, 0, 1, -1, 2, 3, 8, 2**31, 2**53, 2**64, 10**30, 10**400, 0.5, -0.0, 1e308, 5e-324, "", "a", "0",
    "NO", "x" * 300, "\x1b[2J", "\ud800", "é", "\U0001f600", "\0", [], {}, [[]], [{}], [0], [1, 1], ["a", "a"], [None],
    {"kind": "Head"}, {"kind": "Block"}, {"kind": "Softmax"}, {"kind": []}, "float32", "fixed(1,1)", "F32", [[[[0]]]],
]  # fmt: skip


def mutated(data: bytes, random: Random) -> bytes:
    """Return a file with one change or a few."""
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        data = random.choice((_bit, _bit, _bytes, _cut, _moved, _json, _json, _json, _length))(data, random)
    return data


def with_header(header: dict[str, Any], body: bytes) -> bytes:
    """Return a file with this header."""
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + body


def header_and_body(data: bytes) -> tuple[dict[str, Any], bytes] | None:
    """Return the header and what comes after it; None where there is none any more."""
    length = int.from_bytes(data[:8], "little")
    try:
        header = json.loads(data[8 : 8 + length])
        return (header, data[8 + length :]) if isinstance(header, dict) else None
    except (ValueError, RecursionError):
        return None


def _bit(data: bytes, random: Random) -> bytes:
    place = random.randrange(8 * len(data)) if data else 0
    return data[: place // 8] + bytes([data[place // 8] ^ 1 << place % 8]) + data[place // 8 + 1 :] if data else data


def _bytes(data: bytes, random: Random) -> bytes:
    place, count = random.randrange(len(data) + 1), random.choice((1, 2, 8, 64))
    new = random.choice((random.randbytes(count), b"\0" * count, b"\xff" * count, b"\x00\x00\xf0\x7f" * count))
    return data[:place] + new + data[place + random.choice((len(new), 0)) :]


def _cut(data: bytes, random: Random) -> bytes:
    begin, count = random.randrange(len(data) + 1), random.choice((1, 4, 8, 100, len(data)))
    return data[:begin] + data[begin + count :]


def _moved(data: bytes, random: Random) -> bytes:
    begin, to, count = random.randrange(len(data) + 1), random.randrange(len(data) + 1), random.choice((1, 8, 40, 400))
    return data[:to] + data[begin : begin + count] + data[to + random.choice((0, count)) :]


def _length(data: bytes, random: Random) -> bytes:
    length = random.choice((0, 1, 2, len(data), len(data) - 8, 2**25, 2**63, 2**64 - 1))
    return max(0, length).to_bytes(8, "little") + data[8:]


def _json(data: bytes, random: Random) -> bytes:
    """Change a value, a key or an order in the header, or in the metadata inside it."""
    found = header_and_body(data)
    if found is None:
        return data
    header, body = found
    try:
        if random.random() < 0.7:
            metadata = json.loads(header["__metadata__"]["weightsmith"])
            _change(metadata, random)
            header["__metadata__"]["weightsmith"] = json.dumps(metadata)
        else:
            _change(header, random)
    except (AttributeError, KeyError, TypeError, ValueError):  # an earlier change has taken it away
        _change(header, random)
    return with_header(header, body)


def _change(value: Any, random: Random) -> None:
    places = list(_places(value))
    if not places:
        return
    inside, key = random.choice(places)
    match random.randrange(5):
        case 0:
            del inside[key]
        case 1:
            other, there = random.choice(places)
            inside[key] = json.loads(json.dumps(other[there] if _has(other, there) else None))
        case 2 if isinstance(inside, dict):
            inside[random.choice(("", "kind", "x", "W_Q", "lanes", key.upper()))] = inside.pop(key)
        case 2 | 3 if isinstance(inside, list):
            inside.insert(random.randrange(len(inside) + 1), inside[key])
        case _:
            inside[key] = random.choice(HOSTILE)


def _has(inside: Any, key: Any) -> bool:
    return key in inside if isinstance(inside, dict) else key < len(inside)


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Return every place of a value inside another."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    return [(value, key) for key in keys] + [place for key in keys for place in _places(value[key])]


def models() -> list[ws.Transformer]:
    """Models with every kind of part."""
    T = ws.random_transformer(lanes=2, blocks=1, heads=1, neurons=2, max_length=2)
    written = ws.memory.write(T, 0, {T.lanes[0]: 1.0}, {T.lanes[1]: 1.0}, name="fact")
    kinds = [
        kind_of_model(ws.Fixed(4, 4), n, rule, heads=2, norms=True, parallel=n == 1)
        for n, rule in enumerate(("halves", "alibi"))
    ]
    floats = ws.random_transformer(lanes=2, blocks=1, arithmetic=ws.Native("float32"), tied=True)
    table = {(0, 1): None, (1, 0): "a", (1, 1): 2, (0, 0): True, (2, 0): 0.5}
    read = replace(T, output=np.zeros((0, 2)), classes=(), readout=ws.Readout(T.lanes, table))
    return [written, ws.flag(T, "here", [0]), *kinds, floats, replace(floats, tokenizer='{"model": "BPE"}'), read]

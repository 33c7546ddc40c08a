"""Model files with another header or metadata."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import weightsmith as ws
from tests.files.written import write_container
from weightsmith.files.codec import encode
from weightsmith.files.container import MAX_DIMENSION


def rewrite(path: Path, change: Callable[[dict[str, Any], dict[str, Any]], Any]) -> None:
    """Change header and metadata as JSON and write the file again with the same body."""
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    metadata = json.loads(header["__metadata__"]["weightsmith"])
    change(header, metadata)
    header["__metadata__"]["weightsmith"] = json.dumps(metadata)
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data[8 + length :])


def saved_with(T: ws.Transformer | ws.Chain, path: Path, change: Any) -> Path:
    """Save a transformer or a chain after a change to the JSON and the tensors."""
    tensors, metadata = encode(T)
    change(metadata, tensors)
    metadata["tensors"] = list(tensors)
    write_container(path, tensors, json.dumps(metadata))
    return path


HOSTILE: dict[str, tuple[Callable[[dict[str, Any], dict[str, Any]], Any], str]] = {
    "version": (lambda h, m: m.update(version=2), "it has format version 2, and this Weightsmith reads version 1"),
    "no version": (lambda h, m: m.pop("version"), "it has format version None"),
    "unknown key": (lambda h, m: m.update(extra=1), "the metadata has the unknown key 'extra'"),
    "missing key": (lambda h, m: m.pop("mask"), "the metadata lacks the key 'mask'"),
    "mask": (lambda h, m: m.update(mask="some"), "mask='some': write 'causal'"),
    "arithmetic": (lambda h, m: m.update(arithmetic="int8"), "'int8' is not an arithmetic: write fixed(4,4)"),
    "narrow arithmetic": (lambda h, m: m.update(arithmetic="fixed(1,1)"), "is not a member of fixed(1,1)"),
    "kind": (lambda h, m: m["blocks"][0].update(kind="os.system"), "blocks.0 has the unknown kind 'os.system'"),
    "wrong kind": (lambda h, m: m["blocks"][0].update(kind="Head"), "blocks.0"),
    "whole": (lambda h, m: m["blocks"][0].update(kind="Transformer"), "blocks.0 has the unknown kind 'Transformer'"),
    "base kind": (lambda h, m: m["blocks"][0].update(kind="Frozen"), "blocks.0 has the unknown kind 'Frozen'"),
    "blocks": (lambda h, m: m.update(blocks=7), "blocks must be a tuple of Block, and it is 7"),
    "lanes": (lambda h, m: m.update(lanes=["a", "a"]), "lanes has a twice"),
    "escape": (lambda h, m: m.update(lanes=["a", "\x1b[2J"]), "characters that cannot be shown: '\\x1b[2J'"),
    "surrogate": (lambda h, m: m.update(vocabulary=["0", "\ud800"]), "characters that cannot be shown"),
    "classes": (lambda h, m: m.update(classes=["NO"]), "output has shape (2, 2), and it must be (1, 2)"),
    "provenance": (lambda h, m: m.update(provenance=[1]), "provenance must hold str, and it holds 1"),
    "positions": (lambda h, m: m.update(positions={"kind": "Sinusoidal", "max_length": 2**60, "base": 9.0}), "2"),
    "other tensor": (lambda h, m: h.update(zzz=h.pop("output")), "the tensors in it are not those that"),
    "dtype": (lambda h, m: h["output"].update(dtype="I64"), "tensor 'output' has dtype 'I64': only F32 and F64"),
    "half": (lambda h, m: h["output"].update(dtype="F32"), "tensor 'output' of shape [2, 2] needs 16 bytes"),
    "huge": (lambda h, m: h["output"].update(shape=[0, 2**60]), "tensor 'output' has shape [0, 1152921504606846976]"),
    "large": (lambda h, m: h["output"].update(shape=[MAX_DIMENSION, 1]), "needs 134,217,728 bytes"),
    "negative": (lambda h, m: h["output"].update(shape=[-2, -2]), "tensor 'output' has shape [-2, -2]"),
    "axes": (lambda h, m: h["output"].update(shape=[2, 2, 1]), "tensor 'output' has shape [2, 2, 1]"),
    "bool": (lambda h, m: h["output"].update(shape=[True, 4]), "tensor 'output' has shape [True, 4]"),
    "offsets": (lambda h, m: h["output"].update(data_offsets=[0, 10**9]), "tensor 'output' has data_offsets"),
    "overlap": (lambda h, m: h["output"].update(data_offsets=[0, 32]), "tensor 'output' does not begin where"),
    "entry": (lambda h, m: h.update(output=3), "tensor 'output' must have dtype, shape and data_offsets, and has 3"),
    "second metadata": (lambda h, m: h["__metadata__"].update(other="x"), "without the metadata key 'weightsmith'"),
}  # fmt: skip


def of_head(metadata: dict[str, Any]) -> Any:
    return metadata["blocks"][0]["attention"]["heads"][0]


def put(where: str, key: str, value: Any) -> Any:
    def change(metadata: dict[str, Any], _: Any) -> None:
        (metadata if where == "top" else of_head(metadata))[key] = value

    return change


ROTARY = {"kind": "Rotary", "base": 10.0, "pairing": "halves", "size": None}


BROKEN: dict[str, tuple[Any, str]] = {
    "no vocabulary": (lambda m, _: m.pop("vocabulary"), "its vocabulary is not a list"),
    "no lanes": (lambda m, _: m.pop("lanes"), "the metadata lacks the key 'lanes'"),
    "no pairing": (put("top", "positions", {"kind": "Rotary", "base": 2.0}), "positions lacks the key 'pairing'"),
    "a head with a table": (put("head", "positions", {"kind": "Sinusoidal", "max_length": 3, "base": 10.0}),
                            r"Head\(positions=Sinusoidal"),
    "a head with two slopes": (put("head", "positions", {"kind": "Alibi", "slopes": [0.5, 0.5]}), "has one slope"),
    "a slope that is text": (put("head", "positions", {"kind": "Alibi", "slopes": ["x"]}), "slopes"),
    "a size that is text": (put("head", "positions", ROTARY | {"size": "2"}), "even number"),
    "a base that is a list": (put("top", "positions", ROTARY | {"base": [2.0]}), "base"),
    "two rules": (put("top", "positions", [ROTARY, {"kind": "Alibi", "slopes": None}]), "goes with one of"),
    "a rule among texts": (put("top", "positions", [ROTARY, "Alibi"]), "positions='Alibi'"),
    "tied that is a number": (put("top", "tied", 1), "tied=1: write True or False"),
    "tied with another output": (put("top", "tied", True), "tied=True"),
    "parallel that is a number": (lambda m, _: m["blocks"][0].update(parallel=1), r"Block\(parallel=1\): write True"),
    "strict that is a number": (put("head", "strict", 1), r"Head\(strict=1\): write True or False"),
    "a window of 0": (put("head", "window", 0), r"Head\(window=0\): write how many positions it sees"),
    "a window that is too wide": (put("head", "window", 2**30 + 1), r"Head\(window=1073741825\): write how many"),
    "a window that is no whole number": (put("head", "window", 1.5), r"Head\(window=1.5\): write how many"),
    "no scales": (put("top", "positions", ROTARY | {"scales": []}), r"Rotary\(scales=\[\]\): write a tuple"),
    "a scale above 1": (put("top", "positions", ROTARY | {"scales": [0.5, 2]}), r"Rotary\(scales=…\) holds 2: write"),
    "a scale for one of two pairs": (put("head", "positions", ROTARY | {"scales": [0.5]}), "4 coordinates are 2 pairs"),
    "two scales for a pair": (put("head", "positions", ROTARY | {"size": 2, "scales": [0.5, 1]}),
                              "2 coordinates are 1 pairs"),
    "a name that is a number": (put("head", "name", 1), "the name of a head must be a text, and it is 1"),
    "a name that is too long": (put("head", "name", 201 * "x"), "the name of a head has 201 characters"),
    "a name that cannot be shown": (put("head", "name", "a\u202eb"), "the name of a head has characters"),
    "parallel with norms behind": (lambda m, _: m["blocks"][0].update(parallel=True, norm_placement="post"),
                                   "the norms of a parallel block stand before its sublayers"),
    "a norm for a choice": (lambda m, _: m["blocks"][0].update(parallel={"kind": "RMSNorm", "eps": 1.0, "lanes": None}),
                            r"Block\(parallel=RMSNorm"),
    "a kind that is none": (put("top", "positions", {"kind": "Rotating"}), "unknown kind 'Rotating'"),
    "a key of another kind": (put("top", "positions", ROTARY | {"slopes": None}), "unknown key 'slopes'"),
}  # fmt: skip

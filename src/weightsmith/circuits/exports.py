"""The models of a benchmark for other libraries."""

from pathlib import Path
from typing import Any

from weightsmith import export
from weightsmith.export import lazy
from weightsmith.model import Transformer
from weightsmith.storage import refusals, write_whole

TARGETS = {"hugging-face": "Hugging Face", "transformer-lens": "TransformerLens"}  # whose packages are needed
EXPORTS = tuple(TARGETS)
HUGGING_FACE, TRANSFORMER_LENS = "hugging-face", "transformer-lens.safetensors"


def exported(T: Transformer, form: str, folder: Path, verify: Any) -> dict[str, Any]:
    """Write a model in a form; return where it is, and on how many inputs it agrees."""
    if form == "hugging-face":
        report, name = export.to_hugging_face(T, folder / HUGGING_FACE, verify=verify), HUGGING_FACE
    else:
        bridge = export.to_transformer_lens(T, verify=verify)
        report, name = bridge.agreement, TRANSFORMER_LENS
        with refusals("cannot write", folder / name):
            write_whole(folder / name, lazy.bridge_bytes(T, bridge))
    return {"path": name, "dtype": report.dtype, "inputs": report.inputs, "agrees": report.agrees}

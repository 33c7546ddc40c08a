"""What `weightsmith export … --to transformer-lens` writes is opened again, and nothing else is."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load, save

import weightsmith as ws
from tests.export.reports import few_inputs
from tests.export.test_transformer_lens import model
from weightsmith import export
from weightsmith.errors import WeightsmithError
from weightsmith.export.lens.file import MODEL, bridge_bytes

__all__ = ["few_inputs"]
pytestmark = pytest.mark.usefixtures("few_inputs")


def written(T: Any, folder: Path, **options: Any) -> tuple[Path, Any]:
    """Write a bridge, as the command does."""
    path, bridge = folder / "lens.safetensors", export.to_transformer_lens(T, **options)
    path.write_bytes(bridge_bytes(T, bridge))
    return path, bridge


@pytest.mark.parametrize("kind", ["own modules", "plain", "rotary", "relative", "chain"])
def test_a_file_gives_the_bridge_back(kind: str, tmp_path: Path) -> None:
    kinds: dict[str, Callable[[], Any]] = {
        "own modules": ws.library.parity,
        "plain": lambda: model("gelu", ws.LayerNorm(1e-3), positions=None),
        "rotary": lambda: model(positions=ws.Rotary(3.0)),
        "relative": lambda: ws.library.ends_with("01"),
        "chain": lambda: ws.library.parity_chain(max_length=4),
    }
    T = kinds[kind]()
    path, bridge = written(T, tmp_path)
    again, ids = export.load_transformer_lens(path), torch.tensor([[0, 1, 1, 0]])
    assert torch.equal(again(ids), bridge(ids))
    assert again.own_modules is bridge.own_modules
    assert (again.vocabulary, again.classes, again.cfg.dtype) == (bridge.vocabulary, bridge.classes, bridge.cfg.dtype)
    assert (again.transformer if again.chain is None else again.chain) == T
    assert again.agreement.agrees


def test_changed_weights_are_taken_and_measured(tmp_path: Path) -> None:
    path, _ = written(ws.library.contains("1"), tmp_path)
    weights = load(path.read_bytes())
    weights["unembed.weight"] *= -1
    path.write_bytes(save(weights, metadata(path)))
    bridge = export.load_transformer_lens(path)
    assert not bridge.agreement.agrees
    assert bridge.transformer == ws.library.contains("1")


def metadata(path: Path) -> dict[str, str]:
    """Read the metadata of a safetensors file."""
    data = path.read_bytes()
    found: dict[str, str] = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])["__metadata__"]
    return found


def test_other_files_are_refused_with_the_reason(tmp_path: Path) -> None:
    T = ws.library.contains("1")
    path, _ = written(T, tmp_path)
    whole, said, weights = path.read_bytes(), metadata(path), load(path.read_bytes())
    kind = json.loads(said["weightsmith"])
    name, writes = "blocks.0.attn.q.weight", "weightsmith export MODEL --to transformer-lens -o FILE writes one"

    def telling(**changed: Any) -> dict[str, str]:
        return {"weightsmith": json.dumps({**kind, "transformer_lens": {**kind["transformer_lens"], **changed}})}

    ws.save(T, path)
    cases: list[tuple[bytes, str]] = [
        (b"", f"it is no safetensors file: {writes}"),
        (whole[:-3], "it is no safetensors file"),
        (path.read_bytes(), f"it holds no bridge of TransformerLens: {writes}"),
        (save(weights), "it holds no bridge"),
        (save(weights, {"weightsmith": "[]"}), "its metadata"),
        (save({**weights, MODEL: torch.zeros(9)}, said), "it holds no bridge"),
        (save({**weights, MODEL: torch.zeros(9, dtype=torch.uint8)}, said), "the model in .*cannot read|cannot read"),
        (save(weights, telling(own_modules=1)), "it holds no bridge"),
        (save(weights, telling(dtype="int8")), "it holds no bridge"),
        (save(weights, telling(context=1 << 40)), "context=1099511627776: write a whole number from 1 to 65536"),
        (save(weights, telling(own_modules=False)), "TransformerLens has no hard attention"),
        (
            save({**weights, name: torch.zeros(2, 2)}, said),
            r"blocks.0.attn.q.weight is float32 \[2, 2\], and the model",
        ),
        (
            save({**weights, "more": torch.zeros(1)}, said),
            r"more is float32 \[1\], and the model in the file has nothing",
        ),
        (save({key: value for key, value in weights.items() if key != name}, said), "q.weight is nothing"),
    ]
    for data, message in cases:
        path.write_bytes(data)
        with pytest.raises(WeightsmithError, match=message):
            export.load_transformer_lens(path)
    with pytest.raises(WeightsmithError, match="cannot read"):
        export.load_transformer_lens(tmp_path)
    with pytest.raises(WeightsmithError, match="cannot read"):
        export.load_transformer_lens(tmp_path / "none")
    with pytest.raises(ws.InputError, match=r"load_transformer_lens\(3\): write the name of a file"):
        export.load_transformer_lens(3)  # type: ignore[arg-type]


def test_the_weights_of_plain_blocks_open_in_transformer_lens_alone(tmp_path: Path) -> None:
    from transformer_lens.config import TransformerBridgeConfig
    from transformer_lens.model_bridge.sources import native

    table = ws.PositionTable(np.random.default_rng(0).normal(size=(12, 3)))
    path, bridge = written(model("gelu", ws.LayerNorm(1e-3), positions=table), tmp_path)
    weights = load(path.read_bytes())
    del weights[MODEL]
    config = TransformerBridgeConfig(
        d_model=3, d_head=4, n_layers=2, n_ctx=12, n_heads=2, d_vocab=2, d_mlp=4, act_fn="gelu", eps=1e-3,
        normalization_type="LN",
    )  # fmt: skip
    alone = native.boot(config, dtype=torch.float64)
    alone.load_state_dict(weights)
    ids = torch.tensor([[0, 1, 1]])
    assert torch.equal(alone(ids), bridge(ids))

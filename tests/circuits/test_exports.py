"""The files for other libraries: the same bytes each time, and models that those open."""

from pathlib import Path

import pytest

from tests.circuits.test_make import content
from weightsmith import circuits, export
from weightsmith.export.circuit_cut import plain_edge

pytest.importorskip("transformer_lens")


@pytest.mark.long
def test_exports_made_twice_have_equal_bytes_and_open(tmp_path: Path) -> None:
    for name in ("one", "two"):
        index = circuits.make(tmp_path / name, "count-a", "exact,softmax,rotated")
        for row in index["models"]:
            assert {form: said["agrees"] for form, said in row["exports"].items()} == {
                "hugging-face": True, "transformer-lens": True,
            }  # fmt: skip
    assert content(tmp_path / "one") == content(tmp_path / "two")
    for entry in circuits.read_benchmark(tmp_path / "one"):
        bridge = export.load_transformer_lens(entry.folder / "transformer-lens.safetensors")
        assert bridge.agreement.agrees
        for edge in entry.truth.edges("live"):
            for hook, _ in plain_edge(entry.transformer, edge)["hooks"]:
                assert hook in bridge.hook_dict
        assert export.agreement(entry.transformer, entry.folder / "hugging-face").agrees

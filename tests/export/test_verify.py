"""Levels of verification: what "quick" leaves out, and that it refuses what differs all the same."""

from pathlib import Path
from typing import Any

import pytest

import weightsmith as ws
from weightsmith import export, library
from weightsmith.errors import WeightsmithError

pytest.importorskip("transformers")


def test_quick_runs_all_short_inputs_and_searches_for_none(tmp_path: Path) -> None:
    quick = export.to_hugging_face(library.contains("1"), tmp_path / "quick", verify="quick")
    assert quick.agrees
    assert (quick.up_to, quick.searched) == (9, 0)  # 1,022 inputs
    assert quick.random > 0
    assert not quick.survives


@pytest.mark.long
def test_both_levels_write_the_same_files(tmp_path: Path) -> None:
    T = library.contains("1")
    full = export.to_hugging_face(T, tmp_path / "full")
    export.to_hugging_face(T, tmp_path / "quick", verify="quick")
    assert full.searched > 0
    assert full.survives
    for name in ("config.json", "model.safetensors"):
        assert (tmp_path / "full" / name).read_bytes() == (tmp_path / "quick" / name).read_bytes()


def test_quick_refuses_what_decides_otherwise(tmp_path: Path) -> None:
    T = ws.random_transformer("01", 4, 2, 1, 4, 8, ws.Fixed(2, 2), 0)
    with pytest.raises(WeightsmithError, match="times otherwise, first on"):
        export.to_hugging_face(T, tmp_path / "m", verify="quick")
    assert not (tmp_path / "m").exists()


def test_a_bridge_is_verified_quickly() -> None:
    pytest.importorskip("transformer_lens")
    bridge = export.to_transformer_lens(library.contains("1"), verify="quick")
    assert bridge.agreement.agrees
    assert bridge.agreement.searched == 0


@pytest.mark.parametrize("verify", ["fast", None, True, 1])
def test_other_levels_are_refused(tmp_path: Path, verify: Any) -> None:
    T = library.contains("1")
    with pytest.raises(WeightsmithError, match="verify=.*: write 'quick' or 'full'"):
        export.to_hugging_face(T, tmp_path / "m", verify=verify)
    with pytest.raises(WeightsmithError, match="verify=.*: write 'quick' or 'full'"):
        export.to_transformer_lens(T, verify=verify)


def test_chains_are_verified_whole(tmp_path: Path) -> None:
    with pytest.raises(WeightsmithError, match="verify='quick' is for transformers: leave it out for a chain"):
        export.to_hugging_face(library.parity_chain(), tmp_path / "m", verify="quick")

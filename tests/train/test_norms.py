"""A norm improves the training of deep transformers: the published losses, and a smaller experiment run here."""

import json
from pathlib import Path

import pytest
from benchmarks import norms

PAGE = (Path(norms.__file__).parents[1] / "docs" / "lecture" / "norm.md").read_text()


@pytest.mark.long
@pytest.mark.parametrize("seed", [7, 8, 9])
def test_in_a_deep_transformer_the_norm_before_each_sublayer_lowers_the_loss(seed: int) -> None:
    found = {way: norms.run(seed, way, blocks=24, beginning="Glorot", steps=20)["losses"][-1][1] for way in norms.WAYS}
    assert max(found["pre"], found["post"]) < 3.4 < 20 < found["none"]


def test_the_table_is_what_was_measured_with_every_seed() -> None:
    found = json.loads(norms.DATA.read_text())
    assert [(one["beginning"], one["blocks"], one["norm"], one["seed"]) for one in found["runs"]] == [
        (b, d, w, s) for b in norms.BEGINNINGS for d in norms.DEPTHS for w in norms.WAYS for s in norms.SEEDS
    ]
    assert f"\n\n{norms.markdown(found)}\n\n" in PAGE
    assert norms.PICTURE.exists()


def test_what_the_page_says_of_every_seed_holds_with_every_seed() -> None:
    found = json.loads(norms.DATA.read_text())
    none, post, pre = (norms.last_losses(found, "Glorot", 24, way) for way in norms.WAYS)
    for a, b, c in zip(none, post, pre, strict=True):
        assert c < 1.7 < b < 2.9 < 40 < a
    assert none.count(float("inf")) == 1
    for beginning in norms.BEGINNINGS:
        shallow = zip(*(norms.last_losses(found, beginning, 2, way) for way in norms.WAYS), strict=True)
        assert all(c < b < a for a, b, c in shallow)


def test_where_the_claim_does_not_hold_the_page_says_so() -> None:
    found = json.loads(norms.DATA.read_text())
    none, post, pre = (norms.last_losses(found, "by depth", 24, way) for way in norms.WAYS)
    assert max(abs(a - c) for a, c in zip(none, pre, strict=True)) < 0.12
    assert sum(b > 2.8 for b in post) == 1
    assert "does not hold" in PAGE

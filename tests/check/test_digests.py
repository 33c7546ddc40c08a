"""What each shard showed is the same on one core and on two, and with the reference semantics."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.check.conftest import Cut
from tests.check.models import flipped, just
from weightsmith.automata import language
from weightsmith.check.claims import FinalVectors, Recognizes
from weightsmith.check.engine import check_exhaustively
from weightsmith.check.examine import by_reference, examine
from weightsmith.check.options import Options
from weightsmith.check.pair_claims import SameDecisions, SameLogits

ARITHMETICS = {
    "int16": ws.Fixed(4, 4),
    "int16, ties to even": ws.Fixed(3, 4, ties="even"),
    "float32": ws.Float(4, 4),
    "machine": ws.Native("float32"),
}


def model(mask: Any, arithmetic: ws.Arithmetic | None = None, vocabulary: str = "abc", **more: Any) -> ws.Transformer:
    return ws.random_transformer(
        vocabulary, lanes=3, blocks=1, heads=2, neurons=3, mask=mask, arithmetic=arithmetic, **more
    )


@pytest.mark.parametrize("mask", ["causal", "full"])
@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ARITHMETICS)
def test_every_shard_has_the_digest_of_the_reference_semantics(name: str, mask: Any, cut: Cut) -> None:
    T = model(mask, ARITHMETICS[name])
    same = flipped(T)
    pattern = language(re.compile("a?b.*"), ("a", "b", "c"))
    never = language(re.compile("[^abc]"), ("a", "b", "c"))
    cut(12, 5)
    for claim in (SameDecisions(T, same), SameLogits(T, same), FinalVectors(T, lambda vectors: vectors[:, 0] < 1e9)):
        one, two = (check_exhaustively(claim, 4, Options(workers=workers)) for workers in (1, 2))
        assert one.holds
        assert one.digests == two.digests
        shards = [list(one.plan.shards(tier)) for tier in range(len(one.plan.tiers))]
        assert [len(tier) for tier in shards] == [1, 3]
        assert one.digests == tuple(
            tuple(str(examine(claim, one.plan, shard, source=by_reference).digest) for shard in tier) for tier in shards
        )
    assert pattern.described() != never.described()
    plan = one.plan
    for other in (Recognizes(T, pattern), Recognizes(T, never)):
        for shard in (s for tier in range(len(plan.tiers)) for s in plan.shards(tier)):
            assert examine(other, plan, shard) == examine(other, plan, shard, source=by_reference)


@pytest.mark.parametrize("shifted", [False, True])
@pytest.mark.parametrize("positions", ["none", "table", "relative", "sinusoidal"])
def test_positions_norms_and_weightings_give_the_digests_of_the_reference(positions: str, shifted: bool) -> None:
    weighting = ws.Softmax(shifted=shifted, empty="uniform" if shifted else "zero")
    T = model("causal", vocabulary="ab", weighting=weighting, seed=5)
    place = {
        "none": None,
        "table": T.positions,
        "relative": ws.Relative(np.arange(9.0).reshape(3, 3) / 8),
        "sinusoidal": ws.Sinusoidal(9),
    }
    norm = ws.LayerNorm(eps=0.5)
    blocks = [replace(block, attention_norm=norm, norm_placement="post") for block in T.blocks]
    T = replace(T, positions=place[positions], blocks=blocks, final_norm=ws.RMSNorm(eps=0.25))
    claim = FinalVectors(T, lambda vectors: vectors[:, 0] < 1e9)
    verdict = check_exhaustively(claim, 7)
    assert verdict.holds
    again = examine(claim, verdict.plan, next(verdict.plan.shards(0)), source=by_reference)
    assert verdict.digests == ((again.digest,),)


def test_a_digest_tells_models_claims_and_lengths_apart() -> None:
    T = model("causal")
    other = replace(T, output_bias=np.array([0.0, 0.5]))
    verdicts = [
        ws.check.same_decisions(T, T, 3),
        ws.check.same_decisions(T, T, 4),
        ws.check.same_logits(T, T, 3),
        ws.check.same_logits(other, other, 3),
    ]
    assert len({verdict.digests for verdict in verdicts}) == 4
    assert verdicts[0].digests == ws.check.same_decisions(T, T, 3).digests


def test_a_refuted_shard_has_no_digest_and_its_first_refutation_is_that_of_the_reference(cut: Cut) -> None:
    cut(6, 2)
    T = just("baab", "ab", 6)
    claim = Recognizes(T, language(re.compile("baa[ab]a"), ("a", "b")))
    plan = check_exhaustively(claim, 6).plan
    for number, tier in enumerate(plan.tiers):
        for shard in plan.shards(number):
            for longest in range(tier.shortest - 1, tier.longest + 1):
                finding = examine(claim, plan, shard, longest)
                assert finding == examine(claim, plan, shard, longest, by_reference)
                assert (finding.digest is None) == (finding.refuted is not None or longest < tier.longest)


def averaging(values: list[float], outwards: list[float], positions: list[list[float]], **more: Any) -> ws.Transformer:
    """A full mask over two lanes, with a head that looks at all positions alike."""
    zero = np.zeros((1, 2))
    head = ws.Head(zero, zero, np.array([values]), np.array([outwards]).T, ws.AverageHard())
    block = ws.Block(ws.Attention((head,)))
    table = ws.PositionTable(np.array(positions))
    return ws.Transformer(vocabulary="01", lanes=("a", "b"), positions=table, blocks=(block,), mask="full", **more)


def test_only_the_last_position_of_a_full_mask_must_have_a_norm() -> None:
    """The first position of "01" is (0, 0) after the block, which no norm takes; but its last one is not."""
    T = averaging(
        [1, 0], [1, 0], [[0, 0], [0, 1]], arithmetic=ws.Fixed(4, 4), embedding=np.array([[1, 0], [-3, 0]]),
        output=np.eye(2), final_norm=ws.RMSNorm(eps=0.0),
    )  # fmt: skip
    assert ws.decisions(T, ["01"]) == ["YES"]
    assert ws.check.same_decisions(T, T, 2).inputs == 6
    with pytest.raises(ws.ModelError, match="on the input 0: final norm: the square root is 0"):
        ws.check.same_decisions(replace(T, embedding=np.zeros((2, 2))), T, 1)


def test_only_the_last_position_of_a_full_mask_must_have_finite_logits() -> None:
    T = averaging(
        [0, 1], [1, 0], [[0, 0], [-2, 4]], arithmetic=ws.Native("float32"), embedding=np.zeros((2, 2)),
        output=np.diag([2.0**127, 1]),
    )  # fmt: skip
    assert ws.decisions(T, ["01"]) == ["YES"]
    assert ws.check.same_logits(T, T, 2).inputs == 6
    with pytest.raises(ws.ModelError, match="on the input 00: .*output"):
        ws.check.same_logits(replace(T, positions=ws.PositionTable(np.array([[0.0, 0], [0, 4]]))), T, 2)

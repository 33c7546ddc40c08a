"""Rankings equal what counting every pair gives, with ties too."""

import numpy as np
import pytest

from weightsmith.circuits.ranking import ranked


@pytest.mark.parametrize("seed", range(20))
def test_the_auc_is_the_share_of_pairs_in_the_right_order(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores, truth = rng.integers(0, 5, 30) / 4, rng.random(30) < 0.3
    truth[:2] = True, False
    pairs = [(good > bad) + (good == bad) / 2 for good in scores[truth] for bad in scores[~truth]]
    assert ranked(scores, truth).roc_auc == pytest.approx(np.mean(pairs))


@pytest.mark.parametrize("seed", range(5))
def test_precision_at_k_with_ties_is_the_mean_over_random_orders(seed: int) -> None:
    rng = np.random.default_rng(seed)
    scores, truth = rng.integers(0, 4, 12).astype(float), rng.random(12) < 0.4
    truth[:2] = True, False
    k, found = int(truth.sum()), []
    for _ in range(4000):
        order = np.lexsort((rng.random(12), -scores))
        found.append(truth[order[:k]].mean())
    assert ranked(scores, truth).precision_at_k == pytest.approx(np.mean(found), abs=0.02)


def test_average_precision_of_an_example() -> None:
    found = ranked(np.array([4.0, 3.0, 2.0, 1.0]), np.array([True, False, True, False]))
    assert found.average_precision == pytest.approx((1 + 2 / 3) / 2)
    assert found.roc_auc == 0.75


def test_equal_scores_are_worth_a_random_order() -> None:
    found = ranked(np.zeros(10), np.arange(10) < 3)
    assert (found.roc_auc, found.average_precision) == (0.5, 0.3)
    assert found.precision_at_k == pytest.approx(0.3)


def test_the_curve_leads_from_0_to_1_and_the_area_below_it_is_the_auc() -> None:
    rng = np.random.default_rng(3)
    scores, truth = rng.integers(0, 5, 40) / 4, rng.random(40) < 0.4
    found = ranked(scores, truth)
    assert (found.curve[0], found.curve[-1], len(found.curve)) == ((0.0, 0.0), (1.0, 1.0), 6)
    for (wrong, right), least in zip(found.curve[1:], (1.0, 0.75, 0.5, 0.25, 0.0), strict=True):
        assert (wrong, right) == ((scores >= least)[~truth].mean(), (scores >= least)[truth].mean())
    assert np.trapezoid([right for _, right in found.curve], [wrong for wrong, _ in found.curve]) == pytest.approx(
        found.roc_auc
    )


def test_without_anything_to_reject_there_is_no_ranking() -> None:
    assert ranked(np.ones(3), np.ones(3, bool)).roc_auc is None

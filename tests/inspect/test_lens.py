"""What the output would say on the way."""

from dataclasses import replace

import numpy as np
import pytest

import weightsmith as ws
from weightsmith import Fixed, LayerNorm, Native, Softmax, random_transformer


@pytest.mark.parametrize("arithmetic", [Fixed(4, 4), Native("float32"), Native("float64")], ids=str)
def test_the_lens_ends_with_the_decision_of_the_run(arithmetic: ws.Arithmetic) -> None:
    for seed in range(10):
        T = random_transformer("ab", arithmetic=arithmetic, seed=seed, weighting=Softmax(True))
        r = ws.run(T, "abba")
        seen = ws.lens(r)
        assert seen.decisions[-1][-1] == r.decision
        assert np.array_equal(seen.logits[-1, -1], r.logits)
        assert len(seen.decisions) == len(r.stages) == len(r.stream)


def test_the_lens_is_the_decision_of_the_transformer_cut_there() -> None:
    """After each block: what the transformer with fewer blocks decides, on every prefix."""
    norm = LayerNorm(0.5)
    T = replace(random_transformer("ab", blocks=3, seed=5, weighting=Softmax(True)), final_norm=norm)
    r = ws.run(T, "abba")
    seen = ws.lens(r)
    for b in range(3):
        cut = replace(T, blocks=T.blocks[: b + 1])
        for end in range(1, 5):
            short = ws.run(cut, "abba"[:end])
            assert seen.decisions[2 * b + 2][end - 1] == short.decision
            assert np.array_equal(seen.logits[2 * b + 2, end - 1], short.logits)


def without_sublayers() -> ws.Transformer:
    T = random_transformer("ab", blocks=2, seed=5, weighting=Softmax(True))
    first, second = T.blocks
    return replace(T, blocks=(replace(first, feed_forward=None), replace(second, attention=None)))


def test_a_lens_prints_a_row_for_each_stage_that_is_there() -> None:
    r = ws.run(without_sublayers(), "abba")
    seen = ws.lens(r)
    rows = [line.split() for line in str(seen).splitlines() if "─" not in line]
    assert rows == [
        ["after", "0", "a", "1", "b", "2", "b", "3", "a"],
        ["embedding", *seen.decisions[0]],
        ["block", "0", "attention", *seen.decisions[1]],
        ["block", "1", "feed-forward", *seen.decisions[4]],
    ]
    assert "block 1 feed-forward" in seen._repr_html_()


def test_a_lens_shows_the_logits_of_a_class_or_how_far_it_is_above_another() -> None:
    seen = ws.lens(ws.run(without_sublayers(), "abba"))
    one, both = seen.table("YES"), seen.table("YES", over="NO")
    assert (one.title, both.title) == ("logit of YES", "logit of YES over NO")
    for row, s in enumerate((0, 1, 4)):
        assert [cell.text for cell in one.rows[row].cells[1:]] == [f"{x:g}" for x in seen.logits[s, :, 1]]
        difference = seen.logits[s, :, 1] - seen.logits[s, :, 0]
        assert [cell.text for cell in both.rows[row].cells[1:]] == [f"{x:g}" for x in difference]


def test_what_is_new_since_the_stage_above_stands_out() -> None:
    found = False
    for seed in range(10):
        T = replace(without_sublayers(), embedding=random_transformer("ab", seed=seed).embedding)
        seen = ws.lens(ws.run(T, "abba"))
        for table, values in ((seen.table(), seen.decisions), (seen.table("NO"), seen.logits[:, :, 0].tolist())):
            styles = [[cell.style for cell in row.cells[1:]] for row in table.rows]
            assert styles[0] == [""] * 4
            for row, (s, above) in enumerate(((1, 0), (4, 1)), 1):
                new = ["new" if here != old else "" for here, old in zip(values[s], values[above], strict=True)]
                assert styles[row] == new
                found = found or ("new" in new and "" in new)
    assert found

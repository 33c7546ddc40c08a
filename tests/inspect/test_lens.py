"""What the output would say on the way."""

import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import weightsmith as ws
from weightsmith import Fixed, LayerNorm, Native, Softmax, random_transformer

DOCS = Path(__file__).parents[2] / "docs"


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


def test_the_heat_map_shows_each_decision_darker_where_it_is_likelier() -> None:
    r = ws.run(ws.library.eiffel(ws.Fixed(4, 4)), "The Eiffel Tower is in")
    seen = ws.lens(r)
    drawing = ElementTree.fromstring(seen.svg())
    svg = "{http://www.w3.org/2000/svg}"
    cells = drawing.findall(f"{svg}g")
    assert [cell.findtext(f"{svg}text") for cell in cells] == [name for row in seen.decisions for name in row]
    powers = np.exp(seen.logits - seen.logits.max(axis=-1, keepdims=True))
    shares = (powers.max(axis=-1) / powers.sum(axis=-1)).reshape(-1)
    fills = [int(cell.find(f"{svg}rect").attrib["fill"][1:3], 16) for cell in cells]  # type: ignore[union-attr]
    assert [fills[n] for n in np.argsort(shares, kind="stable")] == sorted(fills, reverse=True)
    titles = [float(str(cell.findtext(f"{svg}title")).split()[-2]) for cell in cells]
    assert np.allclose(titles, 100 * shares, rtol=0.01)
    rings = [len(cell.findall(f"{svg}rect")) == 2 for cell in cells]
    rows = seen.decisions
    assert rings == [n > 0 and row[i] != rows[n - 1][i] for n, row in enumerate(rows) for i in range(len(row))]
    assert (DOCS / "_static/lens.svg").read_text(encoding="utf-8") == seen.svg()


def test_a_heat_map_that_does_not_fit_is_refused_and_names_are_escaped() -> None:
    with pytest.raises(ws.InputError, match="up to 40 tokens and 100 stages, and the run has 41 and 2"):
        ws.lens(ws.run(ws.library.contains("1"), "0" * 41)).svg()
    T = replace(random_transformer("ab", blocks=1), vocabulary=("<a>", "&"), classes=("<b>", "]]>"))
    drawing = ws.lens(ws.run(T, ["<a>", "&"])).svg()
    ElementTree.fromstring(drawing)
    assert not re.search("<[ab]>", drawing)

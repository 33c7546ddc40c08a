"""Pictures of trainings: every column can be seen, every label can be read, in each format that matplotlib has."""

from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

import weightsmith as ws
from tests.train.small import course, shape, text
from weightsmith.train import Comparison, as_text, compare, corpus, draw_comparison, draw_losses
from weightsmith.train.pictures import comparison_figure
from weightsmith.train.records import Record
from weightsmith.train.text import words_of

SENTENCE = "the cat"
PACE = course(dropout=0.0)
POINTS = 6  # between a panel and its bar of colours, at least
HISTORY = {"training": [Record(10, 2.5, 2.25, 1e-3, 0.5, 320), Record(20, 1 / 3, 0.5, 5e-4, 1.0, 640)]}


@pytest.fixture(scope="module")
def found() -> Comparison:
    return compare(text(), shape(blocks=2), PACE)


@cache
def of(written: str, context: int, blocks: int, tokens: Any = "characters") -> Comparison:
    pace = course(steps=2, batch=2, evaluate_every=1, dropout=0.0)
    return compare(as_text(written, context, tokens), shape(context=context, blocks=blocks), pace)


STORIES = corpus(9000)
CASES: dict[str, tuple[tuple[Any, ...], str]] = {
    "as in the page": ((STORIES, 64, 4), "Anna has 7 pears and finds 5 more. Now she has "),
    "one column": ((STORIES, 4, 0), "A"),
    "many blocks": ((STORIES, 16, 24), "Anna has 7 pears"),
    "a long sentence": ((STORIES, 300, 1), STORIES[:300].replace("\n", " ")),
    "words": ((STORIES, 24, 2, "words"), " ".join(words_of(STORIES)[:24])),
    "long words": ((f"it is {'x' * 190} " * 20, 4, 2, "words"), f"it is {'x' * 190}"),
}
EXTREME = ("one column", "many blocks", "a long sentence", "long words")


@pytest.fixture(
    scope="module",
    params=[pytest.param(name, marks=() if name in EXTREME else pytest.mark.long) for name in CASES],
)
def figure(request: pytest.FixtureRequest) -> Any:
    """The picture, laid out and painted."""
    made, sentence = CASES[request.param]
    figure = comparison_figure(of(*made), sentence)
    FigureCanvasAgg(figure).draw()  # type: ignore[no-untyped-call]
    return figure


def panels(figure: Any) -> list[tuple[Any, Any]]:
    """The two panels, each with its bar of colours."""
    _, cells, stream, *bars = figure.axes
    return list(zip((cells, stream), bars, strict=True))


def test_every_column_lies_in_its_panel_and_no_bar_of_colours_near_it(figure: Any) -> None:
    inch = figure.dpi
    for panel, bar in panels(figure):
        (image,) = panel.images
        columns = image.get_array().shape[1]
        assert tuple(image.get_extent()[:2]) == (-0.5, columns - 0.5) == panel.get_xlim()
        box, colours = panel.get_window_extent(), bar.get_tightbbox()
        assert (colours.x0 - box.x1) * 72 / inch >= POINTS
        assert box.width / inch >= 3
        for other in figure.axes:
            assert other is panel or not other.get_window_extent().overlaps(box)


def test_the_last_column_is_painted_in_its_colours(figure: Any) -> None:
    pixels = np.asarray(figure.canvas.buffer_rgba())
    for panel, _ in panels(figure):
        (image,) = panel.images
        values = image.get_array()
        for column in (0, values.shape[1] - 1):
            for row in range(len(values)):
                x, y = panel.transData.transform((column, row))
                wanted = image.cmap(image.norm(values[row, column]), bytes=True)
                assert tuple(pixels[len(pixels) - 1 - int(y), int(x)]) == wanted


def test_every_word_stands_inside_the_picture_and_none_on_another(figure: Any) -> None:
    whole = figure.bbox
    for panel, bar in panels(figure):
        labels = [label.get_window_extent() for label in panel.get_xticklabels()]
        assert all(left.x1 <= right.x0 for left, right in pairwise(labels))
        title = panel._left_title.get_window_extent()
        assert title.x1 <= bar.get_window_extent().x1
        for box in (*labels, title, panel.yaxis.label.get_window_extent(), panel.get_tightbbox(), bar.get_tightbbox()):
            assert whole.x0 <= box.x0 <= box.x1 <= whole.x1
            assert whole.y0 <= box.y0 <= box.y1 <= whole.y1


def test_names_that_are_left_out_are_counted() -> None:
    made, sentence = CASES["a long sentence"]
    _, cells, stream, *_ = comparison_figure(of(*made), sentence).axes
    assert cells.get_xlabel() == "after reading → (one in 2 has its name here)"
    assert len(cells.get_xticks()) == 150
    assert stream.get_xlabel() == "after the part →"


def test_long_names_are_cut() -> None:
    made, sentence = CASES["long words"]
    _, cells, stream, *_ = comparison_figure(of(*made), sentence).axes
    assert [label.get_text() for label in cells.get_xticklabels()] == ["it", "is", "x" * 15 + "…"]
    assert [label.get_text() for label in stream.get_xticklabels()][-1] == "feed-forward 1"


def test_the_picture_has_three_panels_and_the_same_bytes_every_time(found: Comparison, tmp_path: Path) -> None:
    draw_comparison(tmp_path / "a.svg", found, SENTENCE)
    draw_comparison(tmp_path / "b.svg", found, SENTENCE)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    root = ElementTree.parse(tmp_path / "a.svg").getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    names = [element.get("id", "") for element in root.iter() if element.get("id", "").startswith("axes_")]
    assert names == [f"axes_{n}" for n in range(1, 6)]  # three panels, and two bars of colours
    assert sum(element.tag.endswith("}image") for element in root.iter()) >= 2
    said = (tmp_path / "a.svg").read_text()
    assert all(
        words in said for words in ("what they learn", "cell state, token by token", "last token, block by block")
    )
    draw_comparison(tmp_path / "c.svg", found, "the rat")
    assert (tmp_path / "c.svg").read_bytes() != (tmp_path / "a.svg").read_bytes()


def test_odd_letters_can_be_drawn(tmp_path: Path) -> None:
    odd = compare(as_text("$a$b^_\n<&>漢 \\" * 4, 4), shape(context=4), PACE)
    draw_comparison(tmp_path / "a.svg", odd, "$a$b")
    words = compare(as_text("$x^$ <bold> $_ " * 8, 4, "words"), shape(context=4), PACE)
    draw_comparison(tmp_path / "b.svg", words, "$ x ^ bold")
    draw_comparison(tmp_path / "c.svg", compare(as_text("漢\n" * 8, 2), shape(context=2, blocks=0), PACE), "漢\n")
    for name in "abc":
        ElementTree.parse(tmp_path / f"{name}.svg")


BEGIN = {"svg": b"<?xml", "png": b"\x89PNG\r\n\x1a\n", "pdf": b"%PDF-"}


@pytest.mark.parametrize("kind", BEGIN)
@pytest.mark.one_in(3)
def test_the_ending_of_the_name_decides_the_format_and_the_bytes_are_the_same_every_time(
    kind: str, found: Comparison, tmp_path: Path
) -> None:
    for n in (1, 2):
        draw_comparison(tmp_path / f"both{n}.{kind}", found, SENTENCE)
        draw_losses(tmp_path / f"loss{n}.{kind.upper()}", HISTORY)
    for name in ("both{}." + kind, "loss{}." + kind.upper()):
        first, second = ((tmp_path / name.format(n)).read_bytes() for n in (1, 2))
        assert first == second
        assert first.startswith(BEGIN[kind])
        assert b"/tmp" not in first


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("both.gif", "both.gif ends in .gif, and a picture can be svg, png, pdf: write .*both.png"),
        ("both", "both has no ending, and a picture can be svg, png, pdf: write .*both.png"),
        ("both.svg.gz", "both.svg.gz ends in .gz, and a picture can be svg, png, pdf: write .*both.svg.png"),
        (".svg", "/.svg has no ending, and a picture can be svg, png, pdf: write .*.svg.png"),
    ],
)
def test_another_ending_is_refused_with_those_that_work(
    name: str, message: str, found: Comparison, tmp_path: Path
) -> None:
    with pytest.raises(ws.InputError, match=message):
        draw_comparison(tmp_path / name, found, SENTENCE)
    with pytest.raises(ws.InputError, match=message):
        draw_losses(tmp_path / name, HISTORY)
    assert not list(tmp_path.iterdir())


def test_losses_of_nothing_are_drawn(tmp_path: Path) -> None:
    draw_losses(tmp_path / "a.svg", {"training": [Record(1, 0.0, 0.0, 0.1, 1.0, 4)]})  # a text of one letter
    assert (tmp_path / "a.svg").exists()


def test_a_comparison_that_has_no_records_yet_cannot_be_drawn(tmp_path: Path) -> None:
    stopped = compare(text(), shape(), PACE, stop=lambda: True)
    with pytest.raises(ws.InputError, match="this comparison was stopped before its first records: let it go on"):
        draw_comparison(tmp_path / "a.svg", stopped, SENTENCE)


def test_a_picture_that_cannot_be_written_is_named(found: Comparison, tmp_path: Path) -> None:
    (tmp_path / "a.svg").mkdir()
    with pytest.raises(ws.FileError, match=f"cannot write {tmp_path}/a.svg: it is not a regular file"):
        draw_comparison(tmp_path / "a.svg", found, SENTENCE)
    with pytest.raises(ws.FileError, match=f"cannot write {tmp_path}/no/a.svg: No such file or directory"):
        draw_comparison(tmp_path / "no" / "a.svg", found, SENTENCE)

"""Units along a sentence as a picture: every word and every value stands there, in the colour of what is said."""

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

import weightsmith as ws
from weightsmith.inspect import Tracks
from weightsmith.train import draw_tracks
from weightsmith.train.tracked import tracks_figure

INPUTS, HELD_OUT = ["00100", "0", "01", "110", "000"], ["0010", "1", "100", "00"]


def seen(run: Any) -> list[bool]:
    return ["1" in run.tokens[: i + 1] for i in range(len(run.tokens))]


def odd(run: Any) -> list[bool]:
    return [run.tokens[: i + 1].count("1") % 2 == 1 for i in range(len(run.tokens))]


def ones(run: Any) -> list[int]:
    return [run.tokens[: i + 1].count("1") for i in range(len(run.tokens))]


def over(feature: Any, text: str = "00101") -> Tracks:
    return ws.tracking(ws.library.contains("1"), feature, INPUTS, HELD_OUT).over(text)


def texts(figure: Any) -> list[str]:
    return [text.get_text() for text in figure.axes[0].texts]


def test_the_picture_has_the_words_the_feature_and_what_each_unit_says() -> None:
    tracks = over(seen)
    figure = tracks_figure(tracks)
    (axis,) = figure.axes
    assert [label.get_text() for label in axis.get_xticklabels()] == list("00101")
    assert [label.get_text() for label in axis.get_yticklabels()] == ["seen", "lane found after block 0 attention"]
    assert texts(figure) == ["no", "no", "yes", "yes", "yes"] * 2
    values = axis.images[0].get_array()
    assert values.tolist() == [[-1, -1, 1, 1, 1]] * 2
    FigureCanvasAgg(figure).draw()  # type: ignore[no-untyped-call]
    assert all(figure.bbox.contains(*text.get_window_extent().min) for text in axis.texts)


def test_what_is_wrong_is_marked() -> None:
    tracks = over(odd, "0111")
    wrong = sum(said != true for said, true in zip(tracks.tracks[0].says, tracks.feature, strict=True))
    assert sum("✗" in text for text in texts(tracks_figure(tracks))) == wrong > 0


def test_a_feature_with_many_values_is_drawn_too() -> None:
    figure = tracks_figure(over(ones, "0111"))
    assert texts(figure)[:4] == ["0", "1", "2", "3"]
    assert figure.axes[0].images[0].get_array()[0].tolist() == pytest.approx([-1, -1 / 3, 1 / 3, 1])
    assert texts(tracks_figure(over(ones, "00")))[:2] == ["0", "0"]


@pytest.mark.parametrize("kind", ["svg", "png"])
def test_the_same_tracks_give_the_same_bytes(kind: str, tmp_path: Path) -> None:
    for name in "ab":
        draw_tracks(tmp_path / f"{name}.{kind}", over(seen))
    assert (tmp_path / f"a.{kind}").read_bytes() == (tmp_path / f"b.{kind}").read_bytes()
    if kind == "svg":
        ElementTree.parse(tmp_path / "a.svg")


def test_what_cannot_be_drawn_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ws.InputError, match="ends in .gif, and a picture can be svg, png, pdf"):
        draw_tracks(tmp_path / "a.gif", over(seen))
    with pytest.raises(ws.InputError, match=r"'01' is no sentence with units along it: write tracking\(…\).over"):
        draw_tracks(tmp_path / "a.svg", "01")  # type: ignore[arg-type]

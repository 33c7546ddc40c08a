"""What is written down about a training."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

import weightsmith as ws
from weightsmith.train import draw_losses, write_log
from weightsmith.train.pictures import losses, new_figure
from weightsmith.train.records import Record

HISTORY = [Record(10, 2.5, 2.25, 1e-3, 0.5, 320), Record(20, 1 / 3, 0.5, 5e-4, 1.0, 640)]


def test_the_log_is_a_line_of_json_for_every_record(tmp_path: Path) -> None:
    path = tmp_path / "log"
    write_log(path, HISTORY[:1])
    write_log(path, HISTORY)
    assert [Record(**json.loads(line)) for line in path.read_text().splitlines()] == HISTORY
    assert [file.name for file in tmp_path.iterdir()] == ["log"]


def test_the_losses_are_an_svg_with_the_same_bytes_every_time(tmp_path: Path) -> None:
    for name in "ab":
        draw_losses(tmp_path / f"{name}.svg", {"training": HISTORY})
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    root = ElementTree.parse(tmp_path / "a.svg").getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    said = (tmp_path / "a.svg").read_text()
    assert all(f"<!-- {words}" in said for words in ("step", "training", "validation"))
    draw_losses(tmp_path / "two.svg", {"one": HISTORY, "other": HISTORY[:1]})
    assert all(f"<!-- {name}" in (tmp_path / "two.svg").read_text() for name in ("one", "other"))


def test_the_curve_begins_at_step_0_has_a_point_for_each_record_and_says_what_its_axes_are() -> None:
    axis = new_figure((4, 3)).add_subplot()
    losses(axis, {"training": [Record(0, 3.0, 3.1, 1e-3, 0.0, 0), *HISTORY]})
    assert (axis.get_xlabel(), axis.get_ylabel()) == ("step", "loss (nats per prediction), logarithmic")
    assert axis.get_xlim()[0] == 0
    for line, values in zip(axis.get_lines(), ([3.0, 2.5, 1 / 3], [3.1, 2.25, 0.5]), strict=True):
        assert line.get_marker() == "."
        assert line.get_xydata().tolist() == [[0, values[0]], [10, values[1]], [20, values[2]]]
    words = [text.get_text() for text in axis.get_legend().get_texts()]
    assert words == ["training, 0.333 at the end", "validation, 0.5 at the end"]


def test_what_cannot_be_written_is_named(tmp_path: Path) -> None:
    folder, missing = tmp_path / "a.svg", tmp_path / "no" / "a.svg"
    folder.mkdir()
    for path, why in ((folder, "it is not a regular file"), (missing, "No such file or directory")):
        with pytest.raises(ws.FileError, match=f"cannot write {path}: {why}"):
            write_log(path, HISTORY)
        with pytest.raises(ws.FileError, match=f"cannot write {path}: {why}"):
            draw_losses(path, {"training": HISTORY})

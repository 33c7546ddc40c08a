"""What a notebook shows of results: each shows itself, in a screen, and no text in it becomes an element."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.studio.pages import HOSTILE, elements
from weightsmith.check import computes
from weightsmith.disguises.dictionary import MOST_ROWS
from weightsmith.tables import MOST_LINES, Printed, first_lines

REVERSE = "aggregate(select(indices, length - indices - 1, ==), tokens);"


@pytest.fixture(scope="module")
def P() -> Any:
    return ws.programs.compile_rasp(REVERSE, vocabulary="abc", max_length=5)


SHOWN: dict[str, Callable[[Any], Any]] = {
    "a program": lambda P: P,
    "its certificate": lambda P: P.certificate(),
    "a verdict": lambda P: computes(P, up_to=2),
    "a circuit": lambda P: ws.export.circuit(P.transformer, up_to=2),
    "a disguise": lambda P: ws.rotate(P.transformer, seed=0),
    "its dictionary": lambda P: ws.rotate(P.transformer, seed=0).dictionary,
    "its comparison": lambda P: ws.rotate(P.transformer, seed=0).compared,
    "a report of an export": lambda P: ws.export.Agreement(
        "PyTorch", "float32", 3, 6, 2, 2, 0.0, None, 0, None, None, 1.0
    ),
    "a batch": lambda P: ws.run_batch(P.transformer, ["abc", "cab"]),
    "a sweep": lambda P: ws.sweep(ws.run(P.transformer, "abc"), ws.run(P.transformer, "cab")),
    "differences": lambda P: ws.changed(ws.run(P.transformer, "abc"), ws.ablate(ws.run(P.transformer, "abc"), block=0)),
    "a Boolean circuit": lambda P: ws.programs.compile_circuit([("nand", 0, 1)], inputs=2).certificate(),
}


@pytest.mark.parametrize("name", SHOWN)
def test_it_shows_itself(P: Any, name: str) -> None:
    thing = SHOWN[name](P)
    pictures = [getattr(thing, kind)() for kind in ("_repr_svg_", "_repr_html_") if hasattr(thing, kind)]
    (text,) = [picture for picture in pictures if picture]
    assert len([tag for tag, *_ in elements(text)]) >= 1
    assert "<script" not in text


def test_a_program_shows_its_lines_and_its_transformer(P: Any) -> None:
    text = P._repr_html_()
    assert text.startswith("<pre")
    assert "length - indices - 1" in text.partition("</pre>")[0]
    assert text.count("<iframe") == 1


def test_a_long_text_is_cut_to_a_screen_and_escaped() -> None:
    class Long(Printed):
        def __str__(self) -> str:
            return "\n".join([*HOSTILE, *map(str, range(100))])

    text = Long()._repr_html_()
    left = len(str(Long()).splitlines()) - MOST_LINES
    assert f"… {left} more lines: print it</pre>" in text
    assert text.count("\n") == MOST_LINES
    assert [tag for tag, *_ in elements(text)] == ["pre"]
    assert "more lines" not in first_lines("a\n" * MOST_LINES)


def test_a_dictionary_says_what_lies_near_what() -> None:
    D = ws.disguises.Dictionary(["a", "b<i>", "c"], np.array([[1.0, 0, 0], [0.6, 0.8, 0], [0, 0, 2.0]]))
    assert repr(D) == "<3 features in 3 directions of the stream>"
    text = str(D)
    assert "0.600" in text
    assert "0: 1" in text
    assert "1: 0.8, 0: 0.6" in text
    assert "interference 0.6" in text
    assert not [tag for tag, *_ in elements(D._repr_html_()) if tag == "i"]
    many = ws.disguises.Dictionary([f"f{n}" for n in range(MOST_ROWS + 5)], np.eye(MOST_ROWS + 5))
    assert "5 more features" in str(many)

"""The block diagram is drawn from the model: its sublayers, names and norms, in the order of the computation."""

from dataclasses import replace
from xml.etree import ElementTree

import pytest

import weightsmith as ws

SVG = "{http://www.w3.org/2000/svg}"


def texts(picture: str) -> list[str]:
    """Return the texts from the bottom to the top."""
    found = list(ElementTree.fromstring(picture).iter(f"{SVG}text"))
    return [element.text or "" for element in sorted(found, key=lambda element: -float(element.get("y", 0)))]


def test_the_sublayers_are_there_from_the_bottom_to_the_top() -> None:
    found = [text for text in texts(ws.diagram(ws.library.eiffel())) if text != "+"]
    assert [text.split(":")[0] for text in found if ":" in text] == [
        "embedding", "attention", "feed-forward", "attention", "feed-forward", "output",
    ]  # fmt: skip
    assert "attention: 2 heads" in found
    assert "block 0 · assemble Eiffel Tower, recall it" in found


def test_heads_are_named_and_a_block_can_be_drawn_alone() -> None:
    T = ws.library.eight_heads()
    found = texts(ws.diagram(T, block=0))
    assert {"0: previous word", "7: not before"} <= set(found)
    assert not any(text.startswith("embedding") for text in found)
    assert texts(ws.diagram(T)).count("+") == 2


def test_a_norm_is_before_its_sublayer_or_after_it() -> None:
    pre, post = (texts(ws.diagram(ws.library.normed(placement))) for placement in ("pre", "post"))
    where = [
        found.index("layer norm over 4 lanes") < found.index("feed-forward: 2 neurons, relu") for found in (pre, post)
    ]
    assert where == [True, False]
    story = texts(ws.diagram(ws.library.storyteller()))
    assert story.count("layer norm") == 5
    assert "+ positions: PositionTable" in story


def test_what_is_absent_is_not_drawn_and_a_parallel_block_says_so() -> None:
    assert not any("attention" in text for text in texts(ws.diagram(ws.library.normed())))
    R = ws.random_transformer(lanes=3, blocks=1)
    R = replace(R, blocks=(replace(R.blocks[0], parallel=True),))
    assert "parallel: reads the stream below attention" in texts(ws.diagram(R))


def test_names_are_escaped_and_deep_models_are_refused_with_what_to_write() -> None:
    T = ws.library.eight_heads()
    assert T.blocks[0].attention is not None
    head = replace(T.blocks[0].attention.heads[0], name="<script>&")
    odd = replace(T, blocks=(replace(T.blocks[0], attention=ws.Attention((head,))),))
    assert "0: <script>&" in texts(ws.diagram(odd))
    with pytest.raises(
        ws.InputError, match=r"up to 12 blocks, and the transformer has 13: write diagram\(T, block=0\)"
    ):
        ws.diagram(ws.pad_blocks(ws.library.contains("1"), 12))
    with pytest.raises(ws.InputError, match="block=1: write a block from 0 to 0"):
        ws.diagram(T, block=1)
    with pytest.raises(ws.InputError, match="no blocks"):
        ws.diagram(ws.library.word_and_position(), block=0)
    with pytest.raises(ws.WeightsmithError):
        ws.diagram("eiffel")  # type: ignore[arg-type]

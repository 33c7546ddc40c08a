"""Whatever is wrong is said, by name and value."""
# ruff: noqa: E501

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import weightsmith as ws
from tests.memory.models import model

W: Any = ws  # what is called wrongly is no business of mypy
T = ws.random_transformer(heads=2, neurons=2)
R, OTHER, LONG = ws.run(T, "01"), ws.run(T, "11"), ws.run(T, "011")
BARE = ws.run(replace(T, blocks=(replace(T.blocks[0], attention=None), replace(T.blocks[1], feed_forward=None))), "01")
WIDE = ws.run(ws.widen(T, ["w"]), "01")
FEWER = ws.run(replace(T, blocks=T.blocks[:1]), "01")
CLASSES = ws.run(replace(T, classes=("no", "yes")), "01")
ROUGH = ws.run(ws.to_arithmetic(T, ws.Fixed(4, 2)), "01")
NAMED = ws.run(model(), "0")
CASES: dict[str, tuple[Callable[[], object], str]] = {
    "attribute without a run": (lambda: W.attribute(T, "YES"), "is not a run: write run(T, tokens)"),
    "unknown class": (lambda: W.attribute(R, "YESS"), "there is no class YESS: did you mean YES? write NO, YES"),
    "number as class": (lambda: W.attribute(R, 1), "there is no class 1: write NO, YES"),
    "unknown class to compare with": (lambda: W.attribute(R, "YES", over="N"), "there is no class N"),
    "a class over itself": (lambda: W.attribute(R, "YES", over="YES"), "over='YES' is the class itself"),
    "position behind the end": (lambda: W.attribute(R, "NO", position=2), "there is no position 2: write 0 to 1, or -2 to -1 from the end"),
    "no parts": (lambda: W.attribute(R, "NO").table(0), "top=0: write how many parts to show"),
    "lens without a run": (lambda: W.lens("01"), "'01' is not a run"),
    "lens over nothing": (lambda: W.lens(R).table(over="NO"), "there is no class None"),
    "moved without a run": (lambda: W.moved(T), "is not a run"),
    "moved in an unknown block": (lambda: W.moved(R, 2, 0), "there is no block 2: the blocks are 0 to 1"),
    "moved by an unknown head": (lambda: W.moved(R, 0, 2), "there is no head 2 in block 0: the heads are 0 to 1"),
    "moved by a head of no block": (lambda: W.moved(R, head=2), "there is no head 2 in any block: the heads are 0 to 1"),
    "moved without attention": (lambda: W.moved(BARE, 0), "block 0 has no attention, and so no heads: write a block of [1]"),
    "moved to an unknown lane": (lambda: W.moved(R, lane="x9"), "there is no lane x9"),
    "ablate without a run": (lambda: W.ablate(T, block=0), "is not a run"),
    "ablate an unknown sublayer": (lambda: W.ablate(R, block=0, sublayer="mlp"), "sublayer='mlp': write 'attention' or 'feed-forward'"),
    "ablate an absent sublayer": (lambda: W.ablate(BARE, block=1, sublayer="feed-forward"), "block 1 has no feed-forward to leave out"),
    "ablate neurons of no layer": (lambda: W.ablate(BARE, block=1, neurons=[0]), "block 1 has no feed-forward layer"),
    "ablate a neuron of an unknown name": (lambda: W.ablate(NAMED, block=0, neurons=["aa"]), "no neuron called aa: did you mean a?"),
    "ablate one text": (lambda: W.ablate(NAMED, block=0, neurons="a"), "neurons='a': write a list of numbers or names"),
    "ablate two things": (lambda: W.ablate(R, block=0, head=0, neurons=[0]), "say one thing to leave out"),
    "ablate at a number": (lambda: W.ablate(R, block=0, positions=1), "positions=1: write a list of positions"),
    "ablations without a run": (lambda: W.ablations("01"), "is not a run"),
    "ablations over the decision": (lambda: W.ablations(R, over=R.decision), "is the class itself"),
    "changed without runs": (lambda: W.changed(R, T), "is not a run"),
    "changed inputs": (lambda: W.changed(R, OTHER), "the runs are of two inputs, 0 1 and 1 1: changed compares runs of the same input"),
    "changed lanes": (lambda: W.changed(R, WIDE), "the transformers of the two runs differ in their lanes"),
    "changed arithmetic": (lambda: W.changed(R, ROUGH), "differ in their arithmetic"),
    "changed classes": (lambda: W.changed(R, CLASSES), "differ in their classes"),
    "changed blocks": (lambda: W.changed(R, FEWER), "the transformers of the two runs have 2 and 1 blocks"),
    "changed after an unknown stage": (lambda: W.changed(R, R).lanes("block 0"), "there is no stage block 0"),
    "patch without a run": (lambda: W.patch(T, T, 0, head=0), "is not a run"),
    "patch nowhere": (lambda: W.patch(R, OTHER, 0), "say at which place"),
    "patch in two places": (lambda: W.patch(R, OTHER, 0, head=0, after="attention"), "say at which place"),
    "patch after something else": (lambda: W.patch(R, OTHER, 0, after="norm"), "after='norm': write 'attention' or 'feed-forward'"),
    "patch an unknown head": (lambda: W.patch(R, OTHER, 0, head=2), "there is no head 2 in block 0 of both runs: the heads are 0 to 1"),
    "patch a head that one has": (lambda: W.patch(R, BARE, 0, head=0), "there is no head 0 in block 0 of both runs: there is none"),
    "patch neurons that one has": (lambda: W.patch(R, BARE, 1, neurons=[0]), "block 1 does not have the same neurons in both runs"),
    "patch other lengths": (lambda: W.patch(R, LONG, 0, head=0), "the inputs have 2 and 3 tokens: write positions=[…], from 0 to 1"),
    "patch an unshared position": (lambda: W.patch(R, LONG, 0, head=0, positions=[2]), "position 2 is not in both runs: they share 0 to 1"),
    "patch from the end of other lengths": (lambda: W.patch(R, LONG, 0, head=0, positions=[-1]), "position -1 is not in both runs"),
    "patch from other lanes": (lambda: W.patch(R, WIDE, 0, head=0), "differ in their lanes"),
    "patch from fewer blocks": (lambda: W.patch(R, FEWER, 1, head=0), "the second run has no block 1: its transformer has 1"),
    "sweep without a run": (lambda: W.sweep(R, "01"), "'01' is not a run"),
    "sweep of other lanes": (lambda: W.sweep(R, WIDE), "differ in their lanes"),
    "sweep of fewer blocks": (lambda: W.sweep(R, FEWER), "have 2 and 1 blocks"),
    "sweep over without a class": (lambda: W.sweep(R, OTHER, over="NO"), "over='NO' without wanted: write sweep(a, b, wanted, over)"),
    "values without a class": (lambda: W.sweep(R, OTHER).values, "no class was asked for: write sweep(a, b, wanted='…')"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_is_wrong_is_said(name: str) -> None:
    act, message = CASES[name]
    with pytest.raises(ws.WeightsmithError) as error:
        act()
    assert message in str(error.value)

"""A story: captions at places of a run, which no run, comparison or digest reads."""

import copy
import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from weightsmith.model import digest
from weightsmith.model.story import MAX_STEPS, PANELS

INPUT = "The Eiffel Tower is in"
T = ws.library.eiffel()
STEPS: list[dict[str, Any]] = [
    {"stage": "block 0 feed-forward", "position": 2, "neuron": "2847", "panels": ["neuron"], "text": "It recalls."},
    {"stage": "block 1 attention", "position": -1, "head": 0, "lanes": ["word Paris"], "text": "`in` reads `Tower`."},
]


def told(*steps: dict[str, Any], **story: Any) -> ws.Story:
    """Return the story of eiffel with these steps, as the model keeps it."""
    found = T.story(list(steps), **{"input": INPUT} | story).told
    assert found is not None
    return found


def test_a_story_is_kept_with_its_places_as_they_are_counted() -> None:
    story = told(*STEPS, title="How it knows")
    assert (story.title, story.input, len(story)) == ("How it knows", INPUT, 2)
    assert [step.position for step in story] == [2, 4]
    assert story.to_json()["steps"] == [STEPS[0], STEPS[1] | {"position": 4}]
    assert str(story).splitlines()[0] == "How it knows"
    assert T.story(story).told == story == T.story(story.to_json()).told
    assert T.story([ws.StoryStep("Each word is a vector.")], input=INPUT).told is not None
    assert T.story(None).told is None


def test_a_story_changes_no_run_no_comparison_and_no_digest() -> None:
    plain, S = T.story(None), T.story(STEPS, input=INPUT)
    assert plain == S
    assert hash(plain) == hash(S)
    assert digest(plain) == digest(S)
    assert np.array_equal(ws.run(plain, INPUT).stream, ws.run(S, INPUT).stream)
    assert S.blocks is plain.blocks


def test_copies_keep_the_story_and_check_it_again() -> None:
    for other in (copy.copy(T), copy.deepcopy(T), pickle.loads(pickle.dumps(T))):
        assert other == T
        assert other.told == T.told


REWRITES: dict[str, Callable[[ws.Transformer], ws.Transformer]] = {
    "replace": replace,
    "widen": lambda T: ws.widen(T, ["new"]),
    "pad": lambda T: ws.pad_blocks(T, 1),
    "prepend": lambda T: ws.prepend(T, T.blocks[:1]),
    "to_arithmetic": lambda T: ws.to_arithmetic(T, ws.Fixed(4, 4)),
    "memory": lambda T: ws.memory.write(T, 0, {T.lanes[0]: 1.0}, {T.lanes[1]: 1.0}),
    "not": lambda T: ~T,
    "and": lambda T: T & T,
}


@pytest.mark.parametrize("name", REWRITES)
def test_rewrites_return_a_model_without_a_story(name: str) -> None:
    S = ws.library.contains("1") if name != "prepend" else T
    assert S.told is not None
    assert REWRITES[name](S).told is None
    assert S.told is not None


def test_a_rewritten_model_takes_the_story_of_the_first_where_its_places_exist() -> None:
    wider = ws.widen(T, ["new"])
    assert wider.story(T.told).told == T.told
    with pytest.raises(ws.ModelError, match="step 1 of the story: there is no lane dim 0"):
        ws.library.fish().story(ws.Story([ws.StoryStep("x", lanes=["dim 0"])], input="the"))


REFUSED: dict[str, tuple[Any, str]] = {
    "none": ([], "the story has 0 steps: write 1 to 64"),
    "many": ([{"text": "a"}] * (MAX_STEPS + 1), "the story has 65 steps: write 1 to 64"),
    "a text": ("x", "the steps of the story are 'x': write a list of steps"),
    "no object": ([7], "step 1 of the story is 7: write {'stage': 'embedding', 'position': 0, 'text': '…'}"),
    "no text": ([{"text": " "}], "step 1 of the story has no caption, and its text is ' ': write text='…'"),
    "long": ([{"text": "word " * 19}], "step 1 of the story has a text of 95 characters, and at most 90 fit a screen: "
             "write text='word"),
    "escapes": ([{"text": "a\x1b[2J"}], "the text of step 1 of the story has characters that cannot be shown"),
    "key": ([{"text": "a", "at": 1}], "step 1 of the story has the unknown key 'at': the keys are text, stage"),
    "stage": ([{"text": "a", "stage": "block 0 attn"}], "step 1 of the story: there is no stage block 0 attn: did you "
              "mean block 0 attention"),
    "block": ([{"text": "a", "stage": "block 2 attention"}], "there is no stage block 2 attention"),
    "head": ([{"text": "a", "stage": "block 0 attention", "head": 2}], "there is no head 2 in block 0: the heads are 0 "
             "to 1"),
    "head elsewhere": ([{"text": "a", "head": 0}], "it points at head 0: write the stage of its attention, such as "
                       "'block 0 attention'"),
    "neuron": ([{"text": "a", "stage": "block 0 feed-forward", "neuron": "2848"}], "block 0 has no neuron called 2848: "
               "did you mean 2847? the names are 2847, 5432"),
    "neuron elsewhere": ([{"text": "a", "neuron": 0}], "write the stage of its feed-forward layer"),
    "truth": ([{"text": "a", "position": True}], "there is no position True"),
    "position": ([{"text": "a", "position": 5}], "there is no position 5: write 0 to 4"),
    "lane": ([{"text": "a", "lanes": ["compund"]}], "there is no lane compund: did you mean compound?"),
    "lanes": ([{"text": "a", "lanes": "compound"}], "lanes of step 1 of the story are 'compound': write a list"),
    "many lanes": ([{"text": "a", "lanes": ["one"] * 17}], "lanes of step 1 of the story are 17: write at most 16"),
    "panel": ([{"text": "a", "panels": ["steam"]}], "write some of stream, heads, neuron, answer, weights, norm"),
    "panel twice": ([{"text": "a", "panels": ["stream", "stream"]}], "each once"),
    "input": ([{"text": "a", "input": "The Eifel"}], "token 1 of the input, Eifel, is not in the vocabulary: did you"),
    "long input": ([{"text": "a", "input": ["The"] * 513}], "the input has 513 tokens: write at most 512"),
    "off": ([{"text": "a", "off": ["head 1"]}], "off has 'head 1': write '0.head.1'"),
    "off head": ([{"text": "a", "off": ["1.head.1"]}], "there is no head 1 in block 1: the heads are 0 to 0"),
    "off neuron": ([{"text": "a", "off": ["0.neuron.7"]}], "there is no neuron 7 in block 0"),
    "set": ([{"text": "a", "set": ["compound=1"]}], "set has 'compound=1': write stage:position:lane:value, such as"),
    "set lane": ([{"text": "a", "set": ["0.attention:2:x:1"]}], "there is no lane x"),
    "set position": ([{"text": "a", "set": ["0.attention:9:one:1"]}], "there is no position 9"),
    "set value": ([{"text": "a", "set": ["0.attention:2:one:1e999"]}], "is not a member of float64"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_exist_is_refused_with_the_step_and_the_line_to_write(name: str) -> None:
    steps, said = REFUSED[name]
    with pytest.raises(ws.ModelError) as refused:
        T.story(steps, input=INPUT)
    assert said in str(refused.value)
    assert len(str(refused.value)) < 600


def test_a_step_needs_an_input_of_its_own_or_of_the_story() -> None:
    with pytest.raises(ws.ModelError, match="step 1 of the story: it has no input: write input='…'"):
        T.story([{"text": "a"}])
    with pytest.raises(ws.ModelError, match="the input of the story: token 0 of the input, A, is not"):
        T.story([{"text": "a"}], input="A")
    assert T.story([{"text": "a", "input": "The Tower"}]).told is not None


def test_a_value_that_the_arithmetic_lacks_is_refused_with_the_nearest() -> None:
    S = ws.library.contains("1")
    with pytest.raises(ws.ModelError, match=r"0.3 is not a member of fixed\(4,4\); the nearest is 0.3125"):
        S.story([{"text": "a", "set": ["0.attention:0:found:0.3"]}], input="01")
    assert S.story([{"text": "a", "set": ["0.attention:0:found:0.5"], "off": ["0.head.0"]}], input="01").told


def test_parts_are_switched_off_by_name_or_number() -> None:
    off = ["0.neuron.2847", "0.neuron.1", "1.attention", "0.feed-forward", "0.head.1"]
    assert told({"text": "a", "off": off}).steps[0].off == tuple(off)


def test_an_input_that_a_text_cannot_hold_is_kept_as_tokens() -> None:
    S = ws.Transformer(ws.Fixed(4, 4), ["New York", "b"], ["x"], np.ones((2, 1)), output=np.ones((2, 1)))
    story = S.story([{"text": "a", "position": 1, "beside": ["b"]}], input=["New York", "b"]).told
    assert story is not None
    assert story.to_json() == {
        "input": ["New York", "b"],
        "steps": [{"stage": "embedding", "position": 1, "beside": "b", "text": "a"}],
    }


# The stories of the library

MODELS: dict[str, tuple[Callable[[], ws.Transformer], int]] = {
    "eiffel": (ws.library.eiffel, 8),
    "bank": (ws.library.bank, 7),
    "fish": (ws.library.fish, 8),
    "associations": (ws.library.associations, 6),
    "contains": (lambda: ws.library.contains("1"), 4),
    "contains among three": (lambda: ws.library.contains("b", "abc"), 4),
    "contains alone": (lambda: ws.library.contains("a", "a"), 3),
}


@pytest.mark.parametrize("name", MODELS)
def test_the_stories_of_the_library_point_at_what_happens(name: str) -> None:
    """A head that is pointed at reads another position, a neuron is active, and a lane is not 0 or has changed."""
    build, steps = MODELS[name]
    S = build()
    assert S.told is not None
    assert len(S.told) == steps
    for step in S.told:
        inputs = [each for each in (step.input or S.told.input, step.beside) if each is not None]
        runs = [ws.run(S, each) for each in inputs]
        r, stage = runs[0], runs[0].stages.index(step.stage)
        assert step.position is not None
        assert set(step.panels) <= set(PANELS)
        if step.head is not None:
            assert r.heads[(stage - 1) // 2][step.head].weights[step.position].any(), step.text
        if step.neuron is not None:
            layer = S.blocks[(stage - 1) // 2].feed_forward
            assert layer is not None
            number = list(layer.names).index(str(step.neuron))
            assert r.activations[(stage - 1) // 2][step.position][number] > 0, step.text
        if name.startswith("contains") and step is S.told.steps[-1]:
            continue  # which says that the lane is 0
        if step.lanes:
            now = r.stream[stage, step.position][[S.lanes.index(lane) for lane in step.lanes]]
            before = r.stream[max(0, stage - 1), step.position][[S.lanes.index(lane) for lane in step.lanes]]
            assert (now != 0).any() or (now != before).any() or "Without" in step.text, step.text
        for token in step.text.split("`")[1::2]:
            said = [answer for run in runs for answer in (run.decision, *run.tokens)]
            assert token in said or token in S.vocabulary, step.text


def test_the_captions_say_what_the_models_decide() -> None:
    eiffel, fish, bank = ws.library.eiffel(), ws.library.fish(), ws.library.bank()
    assert ws.run(eiffel, INPUT).decision == "Paris"
    assert ws.run(eiffel, "The London Tower is in").decision == "London"
    assert ws.run(fish, "Thanks for all the").decision == "fish"
    assert ws.run(fish, "for all the").decision == "time"
    assert [ws.run(bank, text).decision for text in ("the river by the bank", "a deposit at the bank")] == [
        "geographic",
        "financial",
    ]
    assert ws.run(ws.library.associations(), "the Eiffel Bridge").decision == "nothing"
    votes = ws.run(eiffel, INPUT).stream[-1, -1]
    assert votes[eiffel.lanes.index("word Paris")] > votes[eiffel.lanes.index("word London")] > 0
    assert ws.library.eiffel(ws.Fixed(1, 1)).told is None  # which forgets Paris

"""Facts in a trained model, judged as editing methods are; and keys from several phrasings."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from weightsmith.memory import Question, measure, write_phrased

PHRASINGS = ("A clever dog had a", "A brave dog had a", "Once a proud dog had a")
PARAPHRASES = ("A small dog had a", "Once a brave dog had a", "One day a clever dog had a", "A young dog had a")
NEIGHBOURS = ("A clever bear had a", "A clever squirrel had a", "A clever hen had a", "A clever mouse had a")
QUESTION = Question(PHRASINGS[0], "cave", "clock", PARAPHRASES, NEIGHBOURS)


@pytest.fixture(scope="module")
def T() -> ws.Transformer:
    return ws.to_arithmetic(ws.library.storyteller(), ws.Native("float64"))


@pytest.fixture(scope="module")
def texts() -> list[str]:
    """Give fables; the model was trained on them, and the edits are not."""
    return [" ".join(line.split()[:50]) for line in ws.train.fables().splitlines()[:24] if line.strip()]


@pytest.fixture(scope="module")
def value(T: ws.Transformer) -> Any:
    """Give a step of the stream from what says clock to what says cave."""
    step = T.embedding[T.vocabulary.index("cave")] - T.embedding[T.vocabulary.index("clock")]
    return T.arithmetic.round(3 * step / np.linalg.norm(step))


def chance(T: ws.Transformer, tokens: str, answer: str) -> float:
    return ws.next_token(T, tokens)[answer]


def test_the_probabilities_are_those_of_the_two_models(T: ws.Transformer, value: Any) -> None:
    edited = write_phrased(T, 1, PHRASINGS, value, inputs=NEIGHBOURS)
    found = measure(T, edited, [QUESTION])
    assert [one.kind for one in found.asked] == ["prompt", *["paraphrase"] * 4, *["neighbour"] * 4]
    for one, tokens in zip(found.asked, (PHRASINGS[0], *PARAPHRASES, *NEIGHBOURS), strict=True):
        assert " ".join(one.tokens) == tokens
        wanted = [chance(model, tokens, answer) for answer in ("clock", "cave") for model in (T, edited)]
        assert np.allclose([one.old_before, one.old_after, one.new_before, one.new_after], wanted, atol=1e-12)
        assert (one.before, one.after) == (ws.run(T, tokens).decision, ws.run(edited, tokens).decision)
    assert found.efficacy == (1, 1)
    assert found.paraphrases == (sum(one.new_after > one.old_after for one in found.asked[1:5]), 4)
    assert found.neighbourhood == found.kept == (4, 4)
    assert (found.divergence, found.largest_divergence, found.positions) == (None, None, 0)


def test_a_model_measured_with_itself_has_changed_nothing(T: ws.Transformer, texts: list[str]) -> None:
    found = measure(T, T, [QUESTION, Question("A clever crow had a", "cave")], texts[:3])
    assert found.efficacy == (0, 2)
    assert found.kept == (4, 4)
    assert found.divergence == found.largest_divergence == 0
    assert found.positions == sum(len(text.split()) for text in texts[:3])
    assert found.asked[-1].old == "nest"  # what the model decides


def test_the_divergence_is_that_of_the_distributions_at_every_position(T: ws.Transformer, value: Any) -> None:
    edited = replace(T, blocks=(T.blocks[0], replace(T.blocks[1], feed_forward=None, feed_forward_norm=None)))
    texts = ["A clever dog", "Once a bear had a"]
    wanted = []
    for text in texts:
        tokens = text.split()
        for end in range(1, len(tokens) + 1):
            p, q = (ws.next_token(model, tokens[:end]) for model in (T, edited))
            wanted.append(sum(chance * np.log(chance / q[token]) for token, chance in p.items()))
    found = measure(T, edited, [], texts)
    assert found.divergence == pytest.approx(np.mean(wanted), rel=1e-9)
    assert found.largest_divergence == pytest.approx(np.max(wanted), rel=1e-9)
    assert min(wanted) > 1e-3


@pytest.mark.parametrize("block", [0, 1])
def test_several_phrasings_reach_paraphrases_that_one_key_does_not(
    T: ws.Transformer, texts: list[str], value: Any, block: int
) -> None:
    """Also with covariances; and neither moves what is said of others, nor of any text."""
    others = {"margin": 0.5, "inputs": [*NEIGHBOURS, *texts[:12]]}
    makers: dict[str, Callable[[], ws.Transformer]] = {
        "one": lambda: write_phrased(T, block, PHRASINGS[:1], value, **others),  # type: ignore[arg-type]
        "mean": lambda: write_phrased(T, block, PHRASINGS, value, **others),  # type: ignore[arg-type]
        "covariance": lambda: write_phrased(T, block, PHRASINGS, value, texts[:12], **others),  # type: ignore[arg-type]
    }
    found = {name: measure(T, make(), [QUESTION], texts[12:]) for name, make in makers.items()}
    for name, one in found.items():
        assert one.efficacy == (1, 1), name
        assert one.kept == (4, 4), name
        assert one.divergence is not None
        assert one.divergence < 1e-3, name
    reached = {name: np.mean([each.new_after for each in one.asked[1:5]]) for name, one in found.items()}
    assert reached["one"] < reached["mean"], reached
    assert reached["one"] < reached["covariance"], reached


def test_the_neuron_is_1_at_the_weakest_phrasing_and_minus_the_margin_at_the_strongest_rival(
    T: ws.Transformer, texts: list[str], value: Any
) -> None:
    edited = write_phrased(T, 1, PHRASINGS, value, texts[:6], margin=0.25, name="dog", inputs=NEIGHBOURS)
    layer = edited.blocks[1].feed_forward
    assert layer is not None
    (fact,) = ws.memory.facts(edited)
    assert (fact.name, fact.neuron) == ("dog", len(layer.W_1) - 1)
    assert fact.response == pytest.approx(1, abs=1e-9)
    triggers = ws.memory.triggers(edited, 1, "dog", [*PHRASINGS, *NEIGHBOURS])
    assert {" ".join(one.tokens) for one in triggers if one.position == len(one.tokens) - 1} == set(PHRASINGS)
    assert min(one.response for one in triggers) == pytest.approx(1, abs=1e-9)
    rivals = [one for text in NEIGHBOURS for one in ws.memory.read(ws.run(edited, text), 1, all=True)]
    strongest = max(one.response for one in rivals if one.name == "dog")
    assert strongest <= -0.25
    assert ws.memory.undo(edited) == T
    with pytest.raises(ws.InputError, match="the fact dog, which is there already, responds to the key of"):
        write_phrased(edited, 1, PHRASINGS, value)


def test_finite_arithmetics_compute_the_responses_once_and_refuse_what_they_cannot_keep(value: Any) -> None:
    T = ws.library.storyteller()  # float16
    edited = write_phrased(T, 1, PHRASINGS, T.arithmetic.round(value), margin=0.25, inputs=NEIGHBOURS)
    assert ws.run(edited, PHRASINGS[0]).decision == "cave"
    assert [ws.run(edited, text).decision for text in NEIGHBOURS] == [ws.run(T, text).decision for text in NEIGHBOURS]
    with pytest.raises(ws.InputError, match=r"the new fact cannot be written in float16: its responses would be .*"):
        write_phrased(T, 1, PHRASINGS, T.arithmetic.round(value), margin=60000.0, inputs=NEIGHBOURS)


def test_phrasings_with_a_rival_on_which_the_direction_is_stronger_are_refused(T: ws.Transformer, value: Any) -> None:
    rival = 2 * ws.memory.pattern(ws.run(T, PHRASINGS[0]), 1)
    with pytest.raises(ws.InputError) as refused:
        write_phrased(T, 1, PHRASINGS, value, rivals=[rival])
    assert "the new fact cannot be distinguished from rival 0: " in str(refused.value)
    assert "the direction of the phrasings gives" in str(refused.value)
    assert "at the phrasing" in str(refused.value)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"phrasings": []}, r"phrasings=\[\]: write a list of inputs that ask for the fact"),
        ({"phrasings": "A clever dog"}, "phrasings='A clever dog': write a list of inputs"),
        ({"phrasings": None}, "phrasings=None: write a list of inputs"),
        ({"texts": "A dog"}, "inputs='A dog': write a list of inputs"),
        ({"margin": 0}, "margin=0: a threshold at the strongest rival leaks"),
        ({"ridge": 0}, "ridge=0: write a number above 0, such as 0.01"),
        ({"ridge": "x"}, "ridge: 'x' is not a number"),
        ({"block": 7}, "there is no block 7"),
        ({"value": {}}, "the value of the new fact is 0 on every lane"),
    ],
)
def test_wrong_arguments_of_write_phrased_are_refused(
    T: ws.Transformer, value: Any, changes: dict[str, Any], text: str
) -> None:
    with pytest.raises(ws.InputError, match=text):
        write_phrased(T, **{"block": 1, "phrasings": PHRASINGS, "value": value, **changes})


@pytest.mark.parametrize(
    ("questions", "text"),
    [
        ("dog", "questions='dog': write a list of memory.Question"),
        (QUESTION, r"questions=.*: write a list of memory.Question\(prompt, new, old\)"),
        (None, "questions=None: write a list"),
        ([("A dog", "cave")], r"question 0 is \('A dog', 'cave'\): write memory.Question"),
        ([replace(QUESTION, new="nowhere")], "nowhere"),
        ([replace(QUESTION, old=3)], "3"),  # type: ignore[arg-type]
        ([replace(QUESTION, new="clock")], "question 0 has new='clock', which is the old answer too"),
        ([replace(QUESTION, paraphrases="A dog")], "paraphrases='A dog': write a list of inputs"),
        ([replace(QUESTION, neighbours=None)], "neighbours=None: write a list of inputs"),  # type: ignore[arg-type]
        ([replace(QUESTION, prompt="zebra")], "zebra"),
    ],
)
def test_wrong_questions_are_refused(T: ws.Transformer, questions: Any, text: str) -> None:
    with pytest.raises(ws.InputError, match=text):
        measure(T, T, questions)


def test_models_that_are_no_edit_of_each_other_are_refused(T: ws.Transformer) -> None:
    with pytest.raises(ws.InputError, match="the two models differ in their vocabulary: measure compares a model with"):
        measure(T, ws.library.contains("1"), [])


def test_a_printed_measurement_has_every_measure_and_what_went_wrong(T: ws.Transformer, value: Any) -> None:
    text = str(measure(T, T, [QUESTION], ["A clever dog"]))
    assert text.splitlines()[:3] == [
        "efficacy: 0 of 1 prompts have P(new) > P(old)",
        "paraphrases: 0 of 4 have P(new) > P(old)",
        "neighbourhood: 4 of 4 have P(old) > P(new); 4 of 4 keep their decision",
    ]
    assert "held-out text: KL 0.000000 nats a position, at most 0.000000, over 3 positions" in text
    assert "  not prompt A clever dog had a: clock" in text
    assert "efficacy: 0 of 1" in measure(T, T, [QUESTION])._repr_html_()


def test_a_tie_is_neither_a_changed_answer_nor_a_kept_one_and_is_listed() -> None:
    T = ws.library.contains("1")
    flat = replace(T, output=0 * T.output)
    found = measure(flat, flat, [Question("01", "YES", "NO", ["11"], ["00"])])
    assert (found.efficacy, found.paraphrases, found.neighbourhood, found.kept) == ((0, 1), (0, 1), (0, 1), (1, 1))
    assert [line.split()[:2] for line in str(found).splitlines()[-3:]] == [
        ["not", "prompt"], ["not", "paraphrase"], ["not", "neighbour"],
    ]  # fmt: skip

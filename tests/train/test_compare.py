"""A transformer beside an LSTM: as large, taught the same, and drawn so that it can be read."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import weightsmith as ws
from tests.train.small import course, shape, text
from tests.train.test_checkpoint import Stop
from weightsmith.train import Comparison, as_text, compare
from weightsmith.train.compare import Lstm, beside, count, of_size
from weightsmith.train.training import new_module

SENTENCE = "the cat"
KIND = shape(numbers="float64", blocks=2)
PACE = course(dropout=0.0)


@pytest.fixture(scope="module")
def found() -> Comparison:
    return compare(text(), KIND, PACE)


def test_cells_are_the_states_of_one_pass() -> None:
    torch.manual_seed(0)
    lstm, ids = Lstm(5, 7, torch.float64), torch.tensor([0, 4, 2, 2, 1, 3])
    states = lstm.cells(ids)
    assert states.shape == (6, 7)
    with torch.no_grad():
        x = lstm.embedding(ids)[None]
        for n in range(6):
            _, (_, cell) = lstm.cell(x[:, : n + 1])
            assert torch.allclose(states[n], cell[0, 0], rtol=0, atol=1e-14)  # the same sums in another order
        hidden, _ = lstm.cell(x)
        assert torch.equal(lstm(ids[None]), hidden @ lstm.embedding.weight.T)


@pytest.mark.parametrize("vocabulary", [1, 13, 500])
@pytest.mark.parametrize("parameters", [600, 5000, 123456])
def test_the_lstm_has_as_many_parameters_or_just_fewer(parameters: int, vocabulary: int) -> None:
    size = of_size(parameters, vocabulary)
    assert count(Lstm(vocabulary, size)) <= parameters < count(Lstm(vocabulary, size + 1))


def test_both_are_of_one_size_and_one_kind_of_number(found: Comparison) -> None:
    module = new_module(text(), KIND, PACE)
    assert found.transformer_parameters == count(module)
    assert found.lstm_parameters == count(found.lstm)
    assert count(Lstm(13, found.lstm.size + 1)) > found.transformer_parameters >= found.lstm_parameters
    assert {parameter.dtype for parameter in found.lstm.parameters()} == {torch.float64}
    assert beside(shape(), 13, 1000).embedding.weight.dtype == torch.float32


def test_both_learn_from_the_same_batches_in_the_same_order(monkeypatch: pytest.MonkeyPatch) -> None:
    task, seen = text(), list[tuple[str, bool, bytes]]()
    loss = type(task).loss

    def watched(self: Any, model: Any, batch: Any) -> Any:
        seen.append((type(model).__name__, model.training, batch[0].numpy().tobytes()))
        return loss(self, model, batch)

    monkeypatch.setattr(type(task), "loss", watched)
    compare(task, KIND, PACE)
    mine, other = ([entry[1:] for entry in seen if entry[0] == name] for name in ("Model", "Lstm"))
    assert mine == other
    assert sum(training for training, _ in mine) == 12


def test_both_learn() -> None:
    found = compare(as_text("abcd" * 40, 8), shape(lanes=16), course(steps=60, batch=8, rate=2e-2, dropout=0.0))
    assert found.transformer_history[-1].validation_loss < 0.7
    assert found.lstm_history[-1].validation_loss < 0.7  # guessing gives log 4 = 1.39
    assert [r.step for r in found.transformer_history] == [r.step for r in found.lstm_history]


def test_stream_and_cells_are_those_of_the_models(found: Comparison) -> None:
    assert np.array_equal(found.stream(SENTENCE), ws.run(found.transformer, SENTENCE).stream[:, -1])
    assert found.stream(SENTENCE).shape == (5, 8)
    assert found.cells(SENTENCE).shape == (7, found.lstm.size)
    ids = torch.tensor([found.transformer.vocabulary.index(token) for token in SENTENCE])
    assert np.array_equal(found.cells(SENTENCE), found.lstm.cells(ids).numpy())
    with pytest.raises(ws.InputError, match="is not in the vocabulary"):
        found.cells("xyz")


def test_a_comparison_that_was_stopped_goes_on(found: Comparison, tmp_path: Path) -> None:
    steps: list[int] = []

    def report(step: int, loss: float, speed: float) -> None:
        steps.append(step)
        if len(steps) in (7, 7 + 7 + 7):  # in the transformer; then, after it, in the LSTM
            raise Stop

    for _ in range(2):
        with pytest.raises(Stop):
            compare(text(), KIND, PACE, tmp_path / "c", report)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c.lstm", "c.transformer"]
    again = compare(text(), KIND, PACE, tmp_path / "c")
    assert again.transformer == found.transformer
    assert np.array_equal(again.cells(SENTENCE), found.cells(SENTENCE))


@pytest.mark.parametrize("after", [3, 12, 17])
def test_a_comparison_that_is_told_to_stop_goes_on(after: int, found: Comparison, tmp_path: Path) -> None:
    seen: list[int] = []
    checkpoint = tmp_path / "c"

    def report(step: int, loss: float, speed: float) -> None:
        seen.append(step)

    part = compare(text(), KIND, PACE, checkpoint, report, stop=lambda: len(seen) >= after)
    assert seen == list(range(1, after + 1))  # of both together
    assert (part.transformer_steps, part.lstm_steps) == (min(after, 12), max(after - 12, 0))
    again = compare(text(), KIND, PACE, checkpoint, report)
    assert seen == list(range(1, 25))  # nothing is done twice
    assert again.transformer == found.transformer
    assert np.array_equal(again.cells(SENTENCE), found.cells(SENTENCE))
    assert (again.transformer_steps, again.lstm_steps) == (12, 12)


def test_a_text_longer_than_the_shape_sees_is_refused() -> None:
    with pytest.raises(ws.InputError, match="the inputs have up to 9 tokens, and the shape has context=8"):
        compare(text(9), KIND, PACE)

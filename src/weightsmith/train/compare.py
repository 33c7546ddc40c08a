"""A transformer and an LSTM of the same size, trained on the same text or labelled strings, side by side.

The LSTM's cell state can then be seen beside the residual stream, and the units of both be tracked.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

from weightsmith.arithmetic import Array
from weightsmith.inspect.probing.units import Reading, Unit, joined_readings, reading_of
from weightsmith.inspect.recurrent import LSTM
from weightsmith.inspect.run import run
from weightsmith.model import Transformer, read_tokens
from weightsmith.train.convert import to_transformer
from weightsmith.train.labelled import Labelled
from weightsmith.train.loop import Report, Stop, learn, threads
from weightsmith.train.records import Record
from weightsmith.train.settings import Course, Shape
from weightsmith.train.text import Text
from weightsmith.train.training import check_context, how, identity, new_module


class Lstm(nn.Module):
    """One layer over an embedding; a language model has the embedding as its output, a classifier a matrix."""

    def __init__(
        self, vocabulary: int, size: int, numbers: torch.dtype = torch.float32, classes: int | None = None
    ) -> None:
        """Make the weights."""
        super().__init__()
        self.size = size
        self.embedding = nn.Embedding(vocabulary, size)
        self.cell = nn.LSTM(size, size, batch_first=True)
        self.output = None if classes is None else nn.Linear(size, classes, bias=False)
        nn.init.normal_(self.embedding.weight, std=0.02)
        self.to(numbers)

    def forward(self, ids: Tensor) -> Tensor:
        """Return the logits at every position."""
        hidden, _ = self.cell(self.embedding(ids))
        return functional.linear(hidden, self.embedding.weight if self.output is None else self.output.weight)

    @torch.no_grad()
    def cells(self, ids: Tensor) -> Tensor:
        """Return the cell state after each token of one input, (positions, size)."""
        state, states = None, []
        for x in self.embedding(ids):
            _, state = self.cell(x[None, None], state)
            states.append(state[1][0, 0])
        return torch.stack(states)

    def as_lstm(self, vocabulary: Sequence[str], classes: Sequence[str] | None) -> LSTM:
        """Return it as an object that can be looked into, with the same weights; PyTorch's two biases are one there."""
        weights = {name: value.detach().to(torch.float64).numpy() for name, value in self.named_parameters()}
        return LSTM(
            vocabulary=tuple(vocabulary),
            embedding=weights["embedding.weight"],
            W_x=weights["cell.weight_ih_l0"],
            W_h=weights["cell.weight_hh_l0"],
            b=weights["cell.bias_ih_l0"] + weights["cell.bias_hh_l0"],
            output=weights.get("output.weight", weights["embedding.weight"]),
            classes=tuple(vocabulary if classes is None else classes),
            name="trained LSTM",
        )


def of_size(parameters: int, vocabulary: int, classes: int | None = None) -> int:
    """Return the size of the LSTM that has as many parameters as a transformer, or just fewer.

    Its four gates have 8·size² + 8·size parameters, its embedding vocabulary·size, a classifier classes·size more.
    """
    size, rows = 1, vocabulary + (classes or 0)
    while 8 * (size + 1) ** 2 + (8 + rows) * (size + 1) <= parameters:
        size += 1
    return size


def beside(shape: Shape, vocabulary: int, parameters: int, classes: int | None = None) -> Lstm:
    """Return an LSTM of the size of a transformer."""
    numbers = torch.float64 if shape.numbers == "float64" else torch.float32
    return Lstm(vocabulary, of_size(parameters, vocabulary, classes), numbers, classes)


@dataclass(frozen=True, eq=False)
class Comparison:
    """Both models, and how they learnt."""

    transformer: Transformer
    lstm: Lstm
    transformer_history: tuple[Record, ...]
    lstm_history: tuple[Record, ...]
    transformer_parameters: int
    lstm_parameters: int
    transformer_steps: int  # steps done: all, unless training was stopped
    lstm_steps: int

    def stream(self, sentence: str | Sequence[str]) -> Array:
        """Return the last position of the stream, (stages, lanes): the sentence as it is refined block by block."""
        return run(self.transformer, sentence).stream[:, -1]

    def cells(self, sentence: str | Sequence[str]) -> Array:
        """Return the cell state, (positions, size): the sentence as it is gathered token by token."""
        T = self.transformer
        ids = torch.tensor([T.vocabulary.index(token) for token in read_tokens(T, sentence)])
        with threads(1):  # a single token is too little to share: two threads would mostly wait for each other
            states: Array = self.lstm.cells(ids).to(torch.float64).numpy()
        return states

    def as_lstm(self) -> LSTM:
        """Return the LSTM as an object that can be looked into."""
        T = self.transformer
        return self.lstm.as_lstm(T.vocabulary, None if self.lstm.output is None else T.classes)

    def reading(self, tokens: str | Sequence[str]) -> Reading:
        """Return what every unit holds after each token: the cells of the LSTM, the lanes and neurons of the other."""
        r, cells = run(self.transformer, tokens), self.cells(tokens)
        units = tuple(Unit("cell", n) for n in range(cells.shape[1]))
        return joined_readings(Reading(r.tokens, units, cells), reading_of(r))


def compare(
    task: Text | Labelled,
    shape: Shape,
    course: Course,
    checkpoint: Path | None = None,
    report: Report | None = None,
    stop: Stop | None = None,
) -> Comparison:
    """Train both with the same batches, in the same order, from the same seed: the transformer, then the LSTM.

    With a checkpoint, each has its own: the same name with `.transformer` and `.lstm` after it. `report` gets the
    steps of both together. `stop` is asked before every step; once it says True, both are left as they are.
    """
    check_context(task, shape)
    module = new_module(task, shape, course)
    size = count(module)
    torch.manual_seed(course.seed)
    lstm = beside(shape, len(task.vocabulary), size, None if task.classes is None else len(task.classes))
    name = identity(task, shape, course)
    files = _beside(checkpoint, "transformer"), _beside(checkpoint, "lstm")
    further = None if report is None else lambda step, loss, speed: report(course.steps + step, loss, speed)
    with threads(course.threads):
        first = learn(module, task, course, name, files[0], report, stop=stop)
        second = learn(lstm, task, course, {**name, "lstm": lstm.size}, files[1], further, stop=stop)
    T = to_transformer(module, task.vocabulary, task.classes, f"trained beside an LSTM: {how(first, course)}")
    return Comparison(T, lstm, first.history, second.history, size, count(lstm), first.steps, second.steps)


def _beside(path: Path | None, kind: str) -> Path | None:
    return None if path is None else path.with_name(f"{path.name}.{kind}")


def count(module: torch.nn.Module) -> int:
    """Count the parameters."""
    return sum(parameter.numel() for parameter in module.parameters())

"""An LSTM for the same text, so that its cell state can be seen beside the residual stream."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from weightsmith.train.settings import Shape


class Lstm(nn.Module):
    """One layer over an embedding, with the embedding as its output."""

    def __init__(self, vocabulary: int, size: int, numbers: torch.dtype = torch.float32) -> None:
        """Make the weights."""
        super().__init__()
        self.size = size
        self.embedding = nn.Embedding(vocabulary, size)
        self.cell = nn.LSTM(size, size, batch_first=True)
        nn.init.normal_(self.embedding.weight, std=0.02)
        self.to(numbers)

    def forward(self, ids: Tensor) -> Tensor:
        """Return the logits at every position."""
        hidden, _ = self.cell(self.embedding(ids))
        return functional.linear(hidden, self.embedding.weight)

    @torch.no_grad()
    def cells(self, ids: Tensor) -> Tensor:
        """Return the cell state after each token of one input, (positions, size)."""
        state, states = None, []
        for x in self.embedding(ids):
            _, state = self.cell(x[None, None], state)
            states.append(state[1][0, 0])
        return torch.stack(states)


def of_size(parameters: int, vocabulary: int) -> int:
    """Return the size of the LSTM that has as many parameters as a transformer, or just fewer.

    Its four gates have 8·size² + 8·size parameters, its embedding vocabulary·size.
    """
    size = 1
    while 8 * (size + 1) ** 2 + (8 + vocabulary) * (size + 1) <= parameters:
        size += 1
    return size


def beside(shape: Shape, vocabulary: int, parameters: int) -> Lstm:
    """Return an LSTM of the size of a transformer."""
    numbers = torch.float64 if shape.numbers == "float64" else torch.float32
    return Lstm(vocabulary, of_size(parameters, vocabulary), numbers)

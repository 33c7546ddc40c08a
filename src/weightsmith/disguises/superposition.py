"""Training of features in superposition, with PyTorch: their directions, and everything that reads the stream.

The forward pass is in the space of the features: every component adds to them what it adds in the original, and reads
their sum in the stream, which has fewer directions. So the stream is, at every stage, the sum of features times their
directions, by construction.
"""

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from weightsmith.arithmetic import Array, as_float64
from weightsmith.inspect.comparison import all_inputs
from weightsmith.kernels.engines import engine_for
from weightsmith.model import Attention, Block, FeedForward, Head, PositionTable, Transformer, position_table

RATE = 0.01  # of learning, at the beginning
FADE = 0.02  # the learning rate at the end, as a share of that at the beginning
KEEPING = 0.3  # the weight of features in the loss
LEAST_SPREAD = 1e-2
MARGIN = 1.0  # between the logit of the right answer and the next, at which training ends
ERROR = 0.1  # of a feature, as a share of its variance, at which training ends
ROUNDS = 2  # of L-BFGS, if Adam leaves a wrong answer
RIDGE = 1e-6  # of the regression that readers begin with


class Samples(NamedTuple):
    """All inputs up to a length, padded at the end."""

    ids: Tensor  # (inputs, positions)
    real: Tensor  # whether a position is no padding
    answers: Tensor  # of the original, at every position
    stages: list[Tensor]  # its stream, (inputs, positions, features)


def samples(T: Transformer, up_to: int) -> Samples:
    """Run the original on all inputs up to a length."""
    found = [(ids, engine_for(T).evaluate(ids)) for ids in all_inputs(T, up_to)]
    ids = np.concatenate([np.pad(each, [(0, 0), (0, up_to - each.shape[1])]) for each, _ in found])
    real = np.concatenate([np.broadcast_to(np.arange(up_to) < each.shape[1], (len(each), up_to)) for each, _ in found])
    stages = [
        np.concatenate([np.pad(run.stream[s], [(0, 0), (0, up_to - each.shape[1]), (0, 0)]) for each, run in found])
        for s in range(2 * len(T.blocks) + 1)
    ]
    bias = 0.0 if T.output_bias is None else as_float64(T.output_bias)
    logits = as_float64(stages[-1]) @ as_float64(T.output).T + bias
    return Samples(
        torch.from_numpy(ids), torch.from_numpy(real.copy()), torch.from_numpy(logits.argmax(-1)),
        [torch.from_numpy(as_float64(stage)) for stage in stages],
    )  # fmt: skip


@dataclass
class Superposed:
    """A model whose features share directions; `directions` and `readers` are trained."""

    T: Transformer
    directions: Tensor  # (features, lanes)
    readers: dict[str, Tensor]  # matrices over lanes, and biases, by name

    @classmethod
    def begin(cls, T: Transformer, lanes: int, data: Samples, rng: np.random.Generator) -> "Superposed":
        """Begin with random directions, and with readers that guess the features by linear regression."""
        rows = rng.standard_normal((len(T.lanes), lanes))
        D = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        readers = dict[str, Tensor]()
        for name, stage, W, b in _reading(T):
            f = data.stages[stage][data.real].numpy()
            h = np.hstack([f @ D, np.ones((len(f), 1))])
            decode = np.linalg.solve(h.T @ h + RIDGE * len(f) * np.eye(lanes + 1), h.T @ f)  # (lanes + 1, features)
            readers[name] = torch.from_numpy(as_float64(W) @ decode[:-1].T).requires_grad_()
            own = as_float64(W) @ decode[-1] + (0.0 if b is None else as_float64(b))
            readers[f"{name} bias"] = torch.from_numpy(own).requires_grad_()
        return cls(T, torch.from_numpy(D).requires_grad_(), readers)

    def forward(self, data: Samples) -> tuple[Tensor, list[Tensor]]:
        """Return the logits at every position, and the features after each sublayer."""
        T = self.T
        table = position_table(T.positions, T.arithmetic, len(T.lanes))
        assert table is not None
        f = torch.from_numpy(as_float64(T.embedding))[data.ids]
        f = f + torch.from_numpy(table[: data.ids.shape[1]])
        stages = [f]
        for b, block in enumerate(T.blocks):
            if block.attention is not None:
                f = f + self._attention(b, block.attention, f @ self.directions, data.real)
            stages.append(f)
            if block.feed_forward is not None:
                layer = block.feed_forward
                z = functional.relu(self._read(f"{b} W_1", f @ self.directions))
                f = f + z @ _held(layer.W_2).T + _held(layer.b_2)
            stages.append(f)
        return self._read("output", f @ self.directions), stages

    def _read(self, name: str, h: Tensor) -> Tensor:
        return h @ self.readers[name].T + self.readers[f"{name} bias"]

    def _attention(self, b: int, attention: Attention, h: Tensor, real: Tensor) -> Tensor:
        length = h.shape[1]
        total = torch.zeros(()) if attention.b_O is None else _held(attention.b_O)
        here = torch.arange(length)
        for i, head in enumerate(attention.heads):
            q, k, v = (self._read(f"{b} {i} {name}", h) for name in ("W_Q", "W_K", "W_V"))
            before = here[None, :] < here[:, None] if head.strict else here[None, :] <= here[:, None]
            causal = self.T.mask == "causal" or head.strict
            near = before if causal else torch.ones_like(before)
            if head.window is not None:
                near = near & (here[:, None] - here[None, :] < head.window)
            seen = real[:, None, :] & near[None]
            scores = (q @ k.transpose(-1, -2)).masked_fill(~seen, -math.inf)
            weights = torch.where(seen.any(-1, keepdim=True), scores, 0.0).softmax(-1)
            weights = weights * seen.any(-1, keepdim=True)
            total = total + (weights @ v) @ _held(head.W_O).T
        return total

    def transformer(self, made: str) -> Transformer:
        """Return the transformer with these weights."""
        T, A, D = self.T, self.T.arithmetic, self.directions.detach().numpy()

        def write(W: Any) -> Array:
            return A.round(D.T @ as_float64(W))

        def read(name: str) -> tuple[Array, Array]:
            return A.round(self.readers[name].detach().numpy()), A.round(self.readers[f"{name} bias"].detach().numpy())

        def heads(b: int, block: Block) -> Attention | None:
            if block.attention is None:
                return None
            new = []
            for i, head in enumerate(block.attention.heads):
                arrays = {name: read(f"{b} {i} {name}") for name in ("W_Q", "W_K", "W_V")}
                parts: dict[str, Any] = {name: W for name, (W, _) in arrays.items()}
                parts |= {name.replace("W", "b"): bias for name, (_, bias) in arrays.items()}
                new.append(replace(head, W_O=write(head.W_O), **parts))
            return Attention(tuple(new), None if block.attention.b_O is None else write(block.attention.b_O))

        def layer(b: int, old: FeedForward | None) -> FeedForward | None:
            if old is None:
                return None
            W_1, b_1 = read(f"{b} W_1")
            return replace(old, W_1=W_1, b_1=b_1, W_2=write(old.W_2), b_2=write(old.b_2), keys=None)

        table = position_table(T.positions, A, len(T.lanes))
        assert table is not None
        output, bias = read("output")
        return replace(
            T,
            lanes=tuple(f"direction {i}" for i in range(D.shape[1])),
            embedding=A.round(as_float64(T.embedding) @ D),
            positions=PositionTable(A.round(table @ D)),
            blocks=tuple(
                replace(block, attention=heads(b, block), feed_forward=layer(b, block.feed_forward))
                for b, block in enumerate(T.blocks)
            ),
            output=output,
            output_bias=bias,
            flags=(),
            provenance=(*T.provenance, made),
        )


def _held(W: Any) -> Tensor:
    return torch.from_numpy(np.array(as_float64(W)))


def _reading(T: Transformer) -> list[tuple[str, int, Any, Any]]:
    """Return every matrix that reads the stream: its name, the stage that it reads, the matrix, its bias."""
    found: list[tuple[str, int, Any, Any]] = []
    for b, block in enumerate(T.blocks):
        heads: tuple[Head, ...] = tuple(block.attention.heads) if block.attention is not None else ()
        for i, head in enumerate(heads):
            for name in ("W_Q", "W_K", "W_V"):
                found.append((f"{b} {i} {name}", 2 * b, getattr(head, name), getattr(head, name.replace("W", "b"))))
        if block.feed_forward is not None:
            found.append((f"{b} W_1", 2 * b + 1, block.feed_forward.W_1, block.feed_forward.b_1))
    return [*found, ("output", 2 * len(T.blocks), T.output, T.output_bias)]


class Objective:
    """The loss: the answers at every position, and, with less weight, what every component adds to the features."""

    def __init__(self, model: Superposed, data: Samples) -> None:
        """Measure the spread of each feature, which its errors are divided by."""
        self.model, self.data = model, data
        self.spread = [stage[data.real].var(0) + LEAST_SPREAD for stage in data.stages]
        self.parameters = [model.directions, *model.readers.values()]

    def __call__(self) -> tuple[Tensor, float, float]:
        """Return the loss, the least distance by which an answer is right, and the largest error of a feature.

        The distance is negative if an answer is wrong; errors are shares of the variance.
        """
        data = self.data
        logits, stages = self.model.forward(data)
        said, wanted = logits[data.real], data.answers[data.real]
        loss = functional.cross_entropy(said, wanted)
        largest = 0.0
        for found, right, scale in zip(stages[1:], data.stages[1:], self.spread[1:], strict=True):
            errors = ((found - right)[data.real].square() / scale).mean(0)
            loss, largest = loss + KEEPING * errors.mean(), max(largest, float(errors.detach().max()))
        own = said.detach().gather(-1, wanted[:, None])
        others = said.detach().scatter(-1, wanted[:, None], -math.inf).amax(-1, keepdim=True)
        return loss, float((own - others).min()), largest

    def normalise(self) -> None:
        """Bring every direction to length 1."""
        with torch.no_grad():
            self.model.directions /= self.model.directions.norm(dim=1, keepdim=True)


def fit(model: Superposed, data: Samples, steps: int) -> bool:
    """Train until every answer is right: by Adam, and by L-BFGS if that does not do. Return whether that is so."""
    objective = Objective(model, data)
    optimizer = torch.optim.Adam(objective.parameters, lr=RATE, betas=(0.9, 0.99))
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = RATE * (FADE + (1 - FADE) * 0.5 * (1 + math.cos(math.pi * step / steps)))
        loss, margin, error = objective()
        if margin >= MARGIN and error <= ERROR:
            return True
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
        objective.normalise()
    for _ in range(ROUNDS):
        if objective()[1] > 0:
            return True
        _descend(objective, steps // 4)
    return objective()[1] > 0


def _descend(objective: Objective, steps: int) -> None:
    """Minimise the loss on all inputs by L-BFGS; directions may have any length."""
    optimizer = torch.optim.LBFGS(
        objective.parameters, max_iter=max(steps, 1), history_size=50, line_search_fn="strong_wolfe",
        tolerance_grad=1e-9, tolerance_change=1e-12,
    )  # fmt: skip

    def closure() -> Tensor:
        optimizer.zero_grad()
        loss = objective()[0]
        loss.backward()  # type: ignore[no-untyped-call]
        return loss.detach()

    optimizer.step(closure)  # type: ignore[no-untyped-call]


def kept(model: Superposed, data: Samples) -> dict[str, float]:
    """Return how much of the variance of each feature is that of the original, over all stages; 1 is all of it."""
    with torch.no_grad():
        _, stages = model.forward(data)
        found = torch.cat([stage[data.real] for stage in stages])
        right = torch.cat([stage[data.real] for stage in data.stages])
        error, spread = (found - right).square().mean(0), right.var(0, correction=0)
        shares = torch.where(spread > 0, 1 - error / spread.clamp_min(1e-12), 1.0 - error)
    return dict(zip(model.T.lanes, shares.tolist(), strict=True))


def trained(
    T: Transformer, lanes: int, up_to: int, seed: int, steps: int, restarts: int
) -> tuple[Superposed, dict[str, float]]:
    """Return the first model with every answer right, of several beginnings; or the last one."""
    data, threads = samples(T, up_to), torch.get_num_threads()
    torch.set_num_threads(1)  # the tensors are small: more threads only wait for each other
    try:
        for attempt in range(restarts):
            model = Superposed.begin(T, lanes, data, np.random.default_rng([seed, attempt]))
            if fit(model, data, steps):
                break
        return model, kept(model, data)
    finally:
        torch.set_num_threads(threads)

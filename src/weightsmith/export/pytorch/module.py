"""A transformer as one PyTorch module, plain or exact: the network of Hugging Face with the names of a model file."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn

from weightsmith.arithmetic import Arithmetic, Array, Weights
from weightsmith.errors import ExportError, InputError, brief
from weightsmith.export.description import description
from weightsmith.export.hugging_face.hub import network_weightsmith as network
from weightsmith.export.hugging_face.hub.steps_weightsmith import Description, NetworkSteps, Passed, attention
from weightsmith.export.outputs import readout_lanes
from weightsmith.export.pytorch.operations import operations_of
from weightsmith.files.codec import structure
from weightsmith.model import AttentionPositions, Chain, Head, Transformer, named_arrays
from weightsmith.model.head_groups import HeadGroup, head_groups, stacked
from weightsmith.model.positions import AddedPositions, added

FIRST_ROWS = 64  # of tables for inputs of any length


@dataclass(frozen=True)
class TorchRun:
    """Inputs through a module, with every intermediate value."""

    logits: Tensor  # (batch, positions, classes); with a readout its codes, (batch, positions, lanes of the readout)
    stream: list[Tensor]  # after the embedding and each sublayer: (batch, positions, lanes)
    attention: list[list[Tensor]]  # [block][head]: weights (batch, positions, positions)
    activations: list[Tensor]  # [block]: (batch, positions, neurons)


class GrowingTable(nn.Module):
    """A table by position or distance, made for as many of them as any input had so far.

    It is no weight: it follows from the positional scheme, and no state_dict holds it.
    """

    rows: Tensor

    def __init__(self, dtype: torch.dtype, make: Callable[[int], Array], first: int, axis: int = 0) -> None:
        """Take the function that makes a table of a length, which is that of an axis, and make the first one."""
        super().__init__()
        self._make, self._axis = make, axis
        self.register_buffer("rows", torch.from_numpy(np.array(make(first))).to(dtype), persistent=False)

    def forward(self, length: int) -> Tensor:
        """Return the table up to a length."""
        if self.rows.shape[self._axis] < length:
            new = torch.from_numpy(np.array(self._make(2 * length)))
            self.rows = new.to(self.rows.device, self.rows.dtype)
        return self.rows.narrow(self._axis, 0, length)


class Heads(network.Heads):
    """Heads of one kind, which follow each other in a block: their matrices stand below each other."""

    keys: Tensor | None  # (heads, distances, key size): those that the heads have of their own
    values: Tensor | None

    def make_tables(self, description: Description, length: int) -> None:
        """Make room for tables that can be learnt; the others are made by `take_positions`."""
        self.rotation_cos = self.rotation_sin = self.penalties = None
        self.register_parameter("keys", None)
        self.register_parameter("values", None)

    def take_positions(
        self, T: Transformer, group: HeadGroup, block: int, dtype: torch.dtype, every: "Positions"
    ) -> None:
        """Take the positional schemes of the heads, and the module with those that all heads of the model share."""
        A, self.block, self.first, self.causal = T.arithmetic, block, group.first, T.mask == "causal"
        self._shared = (every,) if _shares(group.heads[0]) else ()  # in a tuple, because it is no part of the heads
        if group.rotation(A, 1) is not None:
            for name in ("cos", "sin"):
                setattr(self, f"rotation_{name}", GrowingTable(dtype, partial(_turns, group, A, name), FIRST_ROWS))
        if "penalties" in group.tables(A, 1):
            self.penalties = GrowingTable(dtype, partial(_penalties, group.schemes, A), FIRST_ROWS, axis=1)

    @property
    def key_offsets(self) -> Tensor | None:
        """What is added to keys, (heads or 1, distances, key size)."""
        return self._offsets("keys")

    @property
    def value_offsets(self) -> Tensor | None:
        """What is added to values, (heads or 1, distances, value size)."""
        return self._offsets("values")

    def _offsets(self, name: str) -> Tensor | None:
        shared = self._shared[0].shared(name) if self._shared else None
        return cast(Tensor | None, getattr(self, name)) if shared is None else shared[None]


class Positions(nn.Module):
    """The positions of a transformer: a table that is added to the embedding, vectors by distance that heads share."""

    def __init__(self, T: Transformer, dtype: torch.dtype) -> None:
        """Note the modules of the schemes, which are counted where there are two, and make a table that is computed."""
        super().__init__()
        several = isinstance(T.positions, tuple)
        schemes = T.positions if isinstance(T.positions, tuple) else (T.positions,)
        self._inner = {isinstance(scheme, AddedPositions): str(n) * several for n, scheme in enumerate(schemes)}
        scheme, self.computed = added(T.positions), None
        if scheme is not None and not named_arrays(scheme):
            make = partial(_first_vectors, scheme, T.arithmetic, len(T.lanes))
            self.computed = GrowingTable(dtype, make, min(FIRST_ROWS, scheme.max_length))

    def vectors(self) -> Any:
        """Return the table that is added to the embedding; None without one."""
        return self._weight(True, "values") if self.computed is None else self.computed

    def shared(self, name: str) -> Tensor | None:
        """Return the keys or values by distance that all heads share."""
        return self._weight(False, name)

    def _weight(self, is_added: bool, name: str) -> Tensor | None:
        inner = self._inner.get(is_added)
        return None if inner is None else getattr(self._modules.get(inner) if inner else self, name, None)


class Attention(nn.Module):
    """Heads, by their kinds, and what is added to their total."""

    b_O: Tensor | None

    def __init__(self, description: Description, lanes: int) -> None:
        """Make room for the heads under the names of their groups."""
        super().__init__()
        self.heads = nn.ModuleDict({group["name"]: Heads(group, lanes, 0) for group in description["groups"]})
        self.register_parameter("b_O", None)

    def forward(self, h: Tensor, ops: network.Operations, where: network.Places, passed: Passed | None) -> Any:
        """Return what attention adds to the stream."""
        return attention(self.heads.values(), self.b_O, h, ops, where, passed)


class Block(network.Block):
    """Attention, then feed-forward; either may be absent."""

    attention: Attention | None

    def make_heads(self, description: Description, lanes: int, length: int) -> None:
        """Make the attention."""
        self.attention = Attention(description, lanes) if description["attention"] else None

    def attention_steps(self, h: Tensor, ops: network.Operations, where: network.Places, passed: Passed | None) -> Any:
        """Return what attention adds to the stream."""
        return cast(Attention, self.attention)(h, ops, where, passed)


class TransformerModule(NetworkSteps, nn.Module):
    """Ids in the vocabulary, (batch, positions), become logits, (batch, positions, classes), or codes of a readout.

    The weights have the names that they have in a model file; heads of one kind stand together, so that
    `blocks.0.attention.heads.0-3.W_Q` holds the queries of the first four below each other. A tied output is the
    embedding itself: one parameter, used twice.
    """

    embedding: Tensor
    output: Tensor | None
    output_bias: Tensor | None
    agreement: Any  # an Agreement, or of a chain a ChainAgreement
    chain: Chain | None

    def __init__(self, T: Transformer, dtype: torch.dtype, exact: bool, saturate: bool = True) -> None:
        """Take the weights over: as parameters, or as buffers of an exact module."""
        super().__init__()
        self.structure, self.kept = structure(T), kept_arrays(T)
        self.vocabulary, self.classes, self.lanes = tuple(T.vocabulary), tuple(T.classes), tuple(T.lanes)
        self.readout, self.codes = T.readout, readout_lanes(T)
        self.exact, self.causal, self.max_length = exact, T.mask == "causal", T.max_length
        self.agreement, self.chain, self.saturates = None, None, saturate or exact
        self.operations = operations_of(T, exact, saturate)
        for name in ("embedding", "output", "output_bias"):
            self.register_parameter(name, None)
        self.positions = Positions(T, dtype)
        self._make_blocks(T, saturate)
        for name, array in weights_by_name(T):
            place(self, name, _tensor(name, array, dtype), learnt=not exact)
        for b, block in enumerate(T.blocks):
            for group in head_groups(T, block.attention, _shares):
                heads = cast(Heads, self.get_submodule(f"blocks.{b}.attention.heads.{group.name}"))
                heads.take_positions(T, group, b, dtype, self.positions)

    def _make_blocks(self, T: Transformer, saturate: bool) -> None:
        """Make the parts without their weights."""
        parts, lanes = description(T, saturate=saturate, vanish=saturate, split=_shares), len(T.lanes)
        with torch.device("meta"):
            self.blocks = nn.ModuleList(Block(part, lanes, 0) for part in parts["blocks"])
            last = parts["final_norm"]
            self.final_norm = None if last is None else network.Norm(last, lanes)
        norms = [(self.final_norm, T.final_norm, "final norm")]
        for b, (own, block) in enumerate(zip(self.blocks, T.blocks, strict=True)):
            norms.append((own.attention_norm, block.attention_norm, f"block {b} attention norm"))
            norms.append((own.feed_forward_norm, block.feed_forward_norm, f"block {b} feed-forward norm"))
        for part, norm, name in norms:
            if part is not None and norm is not None:
                part.name, part.written_eps = name, norm.eps

    @property
    def arithmetic(self) -> Arithmetic:
        """The arithmetic of the transformer."""
        return self.operations.arithmetic

    def forward(self, ids: Tensor) -> Tensor:
        """Return the logits, or the codes of a readout, at every position."""
        return self._logits(ids, None)

    def run(self, ids: Tensor) -> TorchRun:
        """Return the logits with every intermediate value: the stream, the weights of heads, the activations."""
        passed = Passed([], [], [])
        logits = self._logits(ids, passed)
        return TorchRun(
            logits, passed.stream, [list(every.unbind(1)) for every in passed.attention], passed.activations
        )

    def _logits(self, ids: Tensor, passed: Passed | None) -> Tensor:
        self._check(ids)
        h = self.streamed(ids, self.operations, network.places(ids, None, self.causal), passed)
        found: Tensor = self.answered(h, self.operations)
        return found

    def token_table(self) -> Tensor:
        """Return the embedding, (vocabulary, lanes)."""
        return self.embedding

    def position_table(self) -> Any:
        """Return the vectors that are added to the embedding, by position."""
        return self.positions.vectors()

    def output_table(self) -> tuple[Tensor, Tensor | None]:
        """Return the rows of the output, (classes, lanes), and its bias."""
        return self.embedding if self.output is None else self.output, self.output_bias

    def grow(self, length: int) -> bool:
        """Make tables of positions long enough for a length, and tell whether there are any."""
        tables = [part for part in self.modules() if isinstance(part, GrowingTable)]
        for table in tables:
            table(length)
        return bool(tables)

    def _check(self, ids: Tensor) -> None:
        if not isinstance(ids, Tensor) or ids.dim() != 2 or ids.dtype not in (torch.int64, torch.int32):
            what = f"a tensor of {ids.dtype} with {ids.dim()} axes" if isinstance(ids, Tensor) else brief(ids)
            raise InputError(f"the module takes token ids, int64 (batch, positions), and this is {what}")
        if ids.shape[1] == 0:
            raise InputError("the input has no positions: give at least one token")
        if self.max_length is not None and ids.shape[1] > self.max_length:
            raise InputError(f"the input has {ids.shape[1]} positions, and the position table holds {self.max_length}")

    def extra_repr(self) -> str:
        """Describe the module in a line."""
        how = "exact" if self.exact else "plain"
        said = f"{len(self.classes)} classes" if self.readout is None else f"{len(self.readout.table)} codes"
        return f"{how}, {self.arithmetic}, {len(self.lanes)} lanes, {said}"


def weights_by_name(T: Transformer) -> Iterator[tuple[str, Weights]]:
    """Yield the weights of a transformer under their names in a module; heads of one kind are stacked."""
    for name, array in named_arrays(T):
        if ".attention.heads." not in name and not (T.tied and name == "output"):
            yield name, array
    for b, block in enumerate(T.blocks):
        for group in head_groups(T, block.attention, _shares):
            own = [head.positions for head in group.heads if head.positions is not None]
            tables: dict[str, Weights | None] = {
                "keys": stacked([scheme.key_offsets() for scheme in own]),
                "values": stacked([scheme.value_offsets() for scheme in own]),
            }
            for name, weight in (group.arrays() | tables).items():
                if weight is not None:
                    yield f"blocks.{b}.attention.heads.{group.name}.{name}", weight


def place(module: nn.Module, name: str, tensor: Tensor, learnt: bool) -> None:
    """Put a weight in its place, by its full name, as a parameter or a buffer; modules that lack are made."""
    *path, last = name.split(".")
    for part in path:
        if part not in module._modules:
            module.add_module(part, nn.Module())
        module = cast(nn.Module, module._modules[part])
    if learnt:
        setattr(module, last, nn.Parameter(tensor))
    else:
        module._parameters.pop(last, None)
        module.register_buffer(last, tensor)


def _tensor(name: str, array: Weights, dtype: torch.dtype) -> Tensor:
    tensor = torch.from_numpy(np.array(array)).to(dtype)
    if not bool(torch.isfinite(tensor).all()):
        raise ExportError(
            f"{name} holds {float(np.abs(array).max()):g}, which is beyond {str(dtype).removeprefix('torch.')}: "
            "write dtype='float32', or 'float64'"
        )
    return tensor


def kept_arrays(T: Transformer) -> dict[str, Weights]:
    """Return the arrays of a transformer that no run reads: what neurons are for, and what edits replaced."""
    read = {name for name, _ in named_arrays(T)}
    return {name: array for name, array in named_arrays(T, history=True) if name not in read}


def _shares(head: Head) -> bool:
    """Return whether a head follows the scheme that all heads share."""
    return head.positions is None


def _first_vectors(scheme: AddedPositions, A: Arithmetic, lanes: int, length: int) -> Array:
    return scheme.vectors(A, lanes, min(length, scheme.max_length))


def _turns(group: HeadGroup, A: Arithmetic, name: str, length: int) -> Array:
    table: Array = getattr(group.rotation(A, length), name)
    return table


def _penalties(schemes: tuple[AttentionPositions, ...], A: Arithmetic, length: int) -> Array:
    """Return what each of some heads adds to the score at each distance, (heads, length)."""
    return np.stack([cast(Array, scheme.penalties(A, length)) for scheme in schemes])

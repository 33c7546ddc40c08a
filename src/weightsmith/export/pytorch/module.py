"""A transformer as one PyTorch module, plain or exact."""

from dataclasses import dataclass
from functools import partial
from typing import cast

import torch
from torch import Tensor, nn

from weightsmith.arithmetic import Arithmetic, Array, Saturating, Weights
from weightsmith.arithmetic.core import Elementary
from weightsmith.errors import InputError, ModelError, brief
from weightsmith.export.agreement import Agreement
from weightsmith.export.answers import code_places
from weightsmith.export.pytorch.exact import Exact
from weightsmith.export.pytorch.geometry import Geometry, Trace
from weightsmith.export.pytorch.held import FIRST_ROWS, GrowingTable, Kind, Part
from weightsmith.export.pytorch.machine import Machine
from weightsmith.export.pytorch.parts import Block, Norm
from weightsmith.export.pytorch.plain import Plain
from weightsmith.files.codec import structure
from weightsmith.model import Softmax, Transformer, named_arrays
from weightsmith.model.positions import AddedPositions, added, attending


@dataclass(frozen=True)
class TorchRun:
    """Inputs through a module, with every intermediate value."""

    logits: Tensor  # (batch, positions, classes); with a readout its codes, (batch, positions, lanes of the readout)
    stream: list[Tensor]  # after the embedding and each sublayer: (batch, positions, lanes)
    attention: list[list[Tensor]]  # [block][head]: weights (batch, positions, positions)
    activations: list[Tensor]  # [block]: (batch, positions, neurons)


class TransformerModule(Part):
    """Places in the vocabulary, (batch, positions), become logits, (batch, positions, classes), or codes of a readout.

    The weights have the names that they have in a model file; heads of one kind stand together, so that
    `blocks.0.attention.heads.0-3.W_Q` holds the queries of the first four below each other. A tied output is the
    embedding itself: one parameter, used twice.
    """

    embedding: Tensor
    output: Tensor | None
    output_bias: Tensor | None
    agreement: Agreement | None

    def __init__(self, T: Transformer, dtype: torch.dtype, exact: bool, saturate: bool = True) -> None:
        """Take the weights over: as parameters, or as buffers of an exact module."""
        super().__init__()
        kind = Kind(T.arithmetic, dtype, not exact)
        self.structure, self.kept = structure(T), kept_arrays(T)
        self.vocabulary, self.classes, self.lanes = tuple(T.vocabulary), tuple(T.classes), tuple(T.lanes)
        self.readout, self.code_places = T.readout, code_places(T)
        self.exact, self.causal, self.max_length = exact, T.mask == "causal", T.max_length
        self.agreement = None
        self.hold(kind, "", embedding=T.embedding, output=None if T.tied else T.output, output_bias=T.output_bias)
        self.machine = machine_of(T, exact, saturate)
        self.saturates = saturate or exact
        self.positions = Positions(kind, T)
        self.blocks = nn.ModuleList(Block(kind, T, b) for b in range(len(T.blocks)))
        norm = T.final_norm
        self.final_norm = None if norm is None else Norm(kind, norm, T.lanes, "final_norm", "final norm")

    @property
    def arithmetic(self) -> Arithmetic:
        """The arithmetic of the transformer."""
        return self.machine.arithmetic

    def forward(self, ids: Tensor) -> Tensor:
        """Return the logits, or the codes of a readout, at every position."""
        return self._logits(ids, None)

    def run(self, ids: Tensor) -> TorchRun:
        """Return the logits with every intermediate value: the stream, the weights of heads, the activations."""
        trace = Trace()
        logits = self._logits(ids, trace)
        return TorchRun(logits, trace.stream, trace.attention, trace.activations)

    def grow(self, length: int) -> bool:
        """Make tables of positions long enough for so many, and say whether there are any."""
        tables = [part for part in self.modules() if isinstance(part, GrowingTable)]
        for table in tables:
            table(length)
        return bool(tables)

    def _logits(self, ids: Tensor, trace: Trace | None) -> Tensor:
        self._check(ids)
        machine, length = self.machine, ids.shape[-1]
        h = nn.functional.embedding(ids, self.embedding)
        table = self.positions.vectors(length)
        if table is not None:
            h = machine.add(h, table)
        if trace is not None:
            trace.stream.append(h)
        geometry = Geometry(length, self.causal, ids.device, self.positions.shared, trace)
        for block in self.blocks:
            h = block(h, machine, geometry)
        if self.final_norm is not None:
            h = self.final_norm(h, machine)
        if self.code_places is not None:
            return h[..., self.code_places]
        return machine.linear(h, self.embedding if self.output is None else self.output, self.output_bias)

    def _check(self, ids: Tensor) -> None:
        if not isinstance(ids, Tensor) or ids.dim() != 2 or ids.dtype not in (torch.int64, torch.int32):
            what = f"a tensor of {ids.dtype} with {ids.dim()} axes" if isinstance(ids, Tensor) else brief(ids)
            raise InputError(f"the module takes places in the vocabulary, int64 (batch, positions), and this is {what}")
        if ids.shape[1] == 0:
            raise InputError("the input has no positions: give at least one token")
        if self.max_length is not None and ids.shape[1] > self.max_length:
            raise InputError(f"the input has {ids.shape[1]} positions, and the position table holds {self.max_length}")

    def extra_repr(self) -> str:
        """Say what it is in a line."""
        how = "exact" if self.exact else "plain"
        said = f"{len(self.classes)} classes" if self.readout is None else f"{len(self.readout.table)} codes"
        return f"{how}, {self.arithmetic}, {len(self.lanes)} lanes, {said}"


class Positions(Part):
    """What the positions of a transformer hold: a table that is added, vectors by distance that heads share."""

    def __init__(self, kind: Kind, T: Transformer) -> None:
        """Take the arrays over under their names, which count the schemes where there are two."""
        super().__init__()
        self._names: dict[str, str] = {}
        schemes = T.positions if isinstance(T.positions, tuple) else (T.positions,)
        for n, scheme in enumerate(schemes):
            inner = f"{n}." if isinstance(T.positions, tuple) else ""
            for name, array in named_arrays(scheme):
                self._hold_inside(kind, inner, name, array)
                key = "vectors" if isinstance(scheme, AddedPositions) else name
                self._names[key] = f"{inner}{name}"
        table = added(T.positions)
        self.computed = None
        if table is not None and "vectors" not in self._names:
            make = partial(_first_vectors, table, T.arithmetic, len(T.lanes))
            self.computed = GrowingTable(kind, make, min(FIRST_ROWS, table.max_length))
        self._shared = attending(T.positions) is not None

    def _hold_inside(self, kind: Kind, inner: str, name: str, array: Weights) -> None:
        where = self
        if inner:
            if inner[:-1] not in self._modules:
                self.add_module(inner[:-1], Part())
            where = cast(Positions, self.get_submodule(inner[:-1]))
        where.hold(kind, f"positions.{inner}", **{name: array})

    def _named(self, key: str) -> Tensor | None:
        if key not in self._names:
            return None
        inner, _, name = self._names[key].rpartition(".")
        return cast(Tensor, getattr(self.get_submodule(inner), name))

    def vectors(self, length: int) -> Tensor | None:
        """Return what is added to the embedding at the first positions."""
        if self.computed is not None:
            return cast(Tensor, self.computed(length))
        table = self._named("vectors")
        return None if table is None else table[:length]

    @property
    def shared(self) -> tuple[Tensor | None, Tensor | None]:
        """Keys and values by distance that all heads share."""
        return (self._named("keys"), self._named("values")) if self._shared else (None, None)


def _first_vectors(scheme: AddedPositions, A: Arithmetic, lanes: int, length: int) -> Array:
    return scheme.vectors(A, lanes, min(length, scheme.max_length))


def kept_arrays(T: Transformer) -> dict[str, Weights]:
    """Return the arrays of a transformer that no run reads: what neurons are for, and what edits replaced."""
    read = {name for name, _ in named_arrays(T)}
    return {name: array for name, array in named_arrays(T, history=True) if name not in read}


def machine_of(T: Transformer, exact: bool, saturate: bool) -> Machine:
    """Return the arithmetic that a module is computed in."""
    if not exact:
        return Plain(T.arithmetic, saturate)
    assert isinstance(T.arithmetic, Saturating)
    functions: set[Elementary] = set()
    for block in T.blocks:
        if block.feed_forward is not None and block.feed_forward.function != "relu":
            functions.add(block.feed_forward.function)
        heads = block.attention.heads if block.attention is not None else ()
        if any(isinstance(head.weighting, Softmax) for head in heads):
            functions.add("exp")
    return Exact(T.arithmetic, functions)


def checked_module(module: object) -> TransformerModule:
    """Return a module that `to_torch` made, or refuse another."""
    if not isinstance(module, TransformerModule):
        raise ModelError(f"{brief(module)} is not what to_torch made")
    return module

"""Proof that a chain computes a circuit on every input, from its weights alone: imports nothing of the compiler.

The claim is plain data: the number of inputs, the gates, the outputs. For each position that writes a gate the weights
of each head are computed for all positions that it sees, and then the token that is written, for all values of the
tokens that it depends on. No input is run. Every number is computed by the operations of the arithmetic.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Array, Native
from weightsmith.errors import brief, is_whole
from weightsmith.model import Chain, Head, PositionTable, Softmax, Transformer, position_table
from weightsmith.programs.proof.lemmas import Lemma, LemmaError
from weightsmith.semantics.attention import sees, weigh
from weightsmith.semantics.layers import run_neurons
from weightsmith.semantics.reference import Reference

Integers: TypeAlias = npt.NDArray[np.intp]

BITS = ("0", "1")
MAX_HEADS = 6  # a token may depend on its own position and on one position for each head
PAIRS_AT_ONCE = 1 << 21  # of positions, whose scores are held at once
GATES: dict[str, tuple[int, Callable[..., bool]]] = {  # how many wires a gate reads, and what it means
    "and": (2, lambda a, b: a and b),
    "nand": (2, lambda a, b: not (a and b)),
    "or": (2, lambda a, b: a or b),
    "nor": (2, lambda a, b: not (a or b)),
    "xor": (2, lambda a, b: a != b),
    "xnor": (2, lambda a, b: a == b),
    "andnot": (2, lambda a, b: a and not b),
    "ornot": (2, lambda a, b: a or not b),
    "not": (1, lambda a: not a),
    "copy": (1, lambda a: a),
    "const0": (0, lambda: False),
    "const1": (0, lambda: True),
}


@dataclass(frozen=True)
class Claim:
    """That a chain computes this circuit: wires are numbered, the inputs first, then the gates in order."""

    inputs: int
    gates: Sequence[Sequence[Any]]
    outputs: Sequence[int]

    def check(self) -> None:
        """Refuse what is no circuit whose outputs are its last wires."""
        if not is_whole(self.inputs) or self.inputs < 1 or not self.gates:
            raise LemmaError(f"the claim has {brief(self.inputs)} inputs and {len(self.gates)} gates: it is no circuit")
        for wire, (name, *read) in enumerate(self.gates, start=self.inputs):
            if name not in GATES or len(read) != GATES[name][0]:
                raise LemmaError(f"the claim says that wire {wire} is {brief((name, *read))}, which is no gate")
            if not all(is_whole(other) and 0 <= other < wire for other in read):
                raise LemmaError(f"the claim says that wire {wire} reads {brief(read)}: these are not earlier wires")
        if not 1 <= len(self.outputs) <= len(self.gates) or list(self.outputs) != self.last(len(self.outputs)):
            raise LemmaError(f"the claim has the outputs {brief(list(self.outputs))}: they are not the last gates")

    @property
    def wires(self) -> int:
        """How many wires there are."""
        return self.inputs + len(self.gates)

    def last(self, count: int) -> list[int]:
        """Return the last wires."""
        return list(range(self.wires - count, self.wires))


def prove_circuit(C: Chain, claim: Claim) -> tuple[Lemma, ...]:
    """Return the lemmas by which a chain computes a circuit on every input, or raise a `LemmaError` that says why not.

    By induction every token is the value of its wire: the first ones are the inputs, and each further one is the value
    of its gate if all before it are right.
    """
    claim.check()
    _check_chain(C, claim)
    return tuple(_Weights(C.transformer, claim).lemmas())


def _check_chain(C: Chain, claim: Claim) -> None:
    """Refuse a chain that does not write one token for each gate, and a transformer with parts that are not known."""
    T, answers = C.transformer, [tuple(pair) for pair in C.answers or ()]
    known = isinstance(T.positions, PositionTable) and len(T.blocks) == 1
    block = T.blocks[0] if known else None
    attention, layer = (None, None) if block is None else (block.attention, block.feed_forward)
    heads = attention.heads if attention is not None else ()
    for holds, what in (
        (not C.prompt and not C.until, "the chain has a prompt, or tokens that end it"),
        (
            sorted(T.vocabulary) == list(BITS) == sorted(map(str, T.answers)),
            "the tokens or the classes are not 0, 1",
        ),
        (T.readout is None, "the transformer has a readout"),
        (not isinstance(T.arithmetic, Native), "the machine's arithmetic may add in another order"),
        (sorted(answers) == [(bit, bit) for bit in BITS], "the last token is translated"),
        (set(C.inputs or ()) == set(BITS), "the inputs do not consist of 0 and 1"),
        (T.mask == "causal", "the transformer is not causal"),
        (known, "the transformer has not one block and a position table"),
        (attention is not None and layer is not None, "the block has no attention or no feed-forward layer"),
        (0 < len(heads) <= MAX_HEADS, f"the block has {len(heads)} heads, and 1 to {MAX_HEADS} are known"),
        (all(head.positions is None for head in heads), "a head has positions of its own"),
        (all(_always_weighs(head) for head in heads), "a head may end a run with an error"),
        (Reference.supports(T), "the transformer has a part that runs do not know"),
        (block is not None and not block.parallel, "the block is parallel"),
        (block is None or (block.attention_norm, block.feed_forward_norm) == (None, None), "the block has a norm"),
        (T.final_norm is None, "the transformer has a final norm"),
    ):
        if not holds:
            raise LemmaError(f"{what}: the lemmas are about chains without that")
    if C.max_length is None or claim.inputs > C.max_length:
        raise LemmaError(f"the chain reads at most {C.max_length} bits, and the circuit has {claim.inputs} inputs")
    if (steps := C.steps_for(claim.inputs)) != len(claim.gates):
        raise LemmaError(f"the chain writes {steps} tokens, and the circuit has {len(claim.gates)} gates")
    if T.max_length is None or claim.wires - 1 > T.max_length:
        raise LemmaError(f"the text has {claim.wires - 1} tokens that are read, and the position table {T.max_length}")
    if C.outputs != len(claim.outputs):
        raise LemmaError(f"the last {C.outputs} tokens answer, and the circuit has {len(claim.outputs)} outputs")


class _Weights:
    """The weights of a chain, beside the circuit that it should compute."""

    def __init__(self, T: Transformer, claim: Claim) -> None:
        self.T, self.A, self.claim = T, T.arithmetic.core, claim
        self.positions, self.first = claim.wires - 1, claim.inputs - 1
        self.ids = [T.vocabulary.index(bit) for bit in BITS]
        table = position_table(T.positions, T.arithmetic, len(T.lanes), self.positions)
        assert table is not None
        tokens = self.A.encoded(T.embedding[self.ids])
        self.stream = self.A.add(tokens[np.newaxis], table[:, np.newaxis])  # (positions, 2 tokens, lanes)
        attention = T.blocks[0].attention
        assert attention is not None
        self.heads, self.b_O = attention.heads, attention.b_O
        self.values = np.array(list(product((0, 1), repeat=1 + len(self.heads))))  # of the tokens that one depends on

    def lemmas(self) -> Iterator[Lemma]:
        """Yield the lemmas in order."""
        N, G, k = self.positions, len(self.claim.gates), len(self.claim.outputs)
        yield Lemma(
            "text",
            f"position w holds the token of wire w; {G} tokens follow the {self.claim.inputs} inputs, one for each "
            f"gate; the last {'is the output' if k == 1 else f'{k} are the outputs'}",
            1,
        )
        sources = [np.arange(self.first, N)]
        for number, head in enumerate(self.heads):
            where = f"block 0, head {number}"
            queries, keys = (self._without_tokens(head, name, where) for name in "QK")
            yield Lemma(where, "queries and keys are the same for both tokens, at every position", 4 * N)
            found, pairs = self._addresses(head, queries, keys, where)
            sources.append(found)
            yield Lemma(
                where, f"from each of {G} positions the weight is 1 for one position, and 0 for all others", pairs
            )
        for name, cases in self._gates(np.stack(sources, axis=1)).items():
            count = sum(gate[0] == name for gate in self.claim.gates)
            gates = f"{count} {name} gate{'' if count == 1 else 's'}"
            yield Lemma("block 0, output", f"{gates}: right for all values of the tokens that are read", cases)
        yield Lemma("induction", f"{G} tokens are the values of their gates if all before them are; so all are", G)

    def _without_tokens(self, head: Head, name: str, where: str) -> Array:
        """Return queries or keys, (positions, key size), which must not depend on tokens."""
        found = self.A.affine(getattr(head, f"W_{name}"), self.stream, getattr(head, f"b_{name}"))
        differ = (found[:, 0] != found[:, 1]).any(axis=-1)
        if differ.any():
            what = {"Q": "query", "K": "key"}[name]
            raise LemmaError(f"{where}: the {what} at position {int(np.argmax(differ))} depends on the token there")
        return found[:, 0]

    def _addresses(self, head: Head, queries: Array, keys: Array, where: str) -> tuple[Integers, int]:
        """Return the position that each writing position reads, and how many pairs of positions were looked at."""
        found, pairs, some = [], 0, max(1, PAIRS_AT_ONCE // self.positions)
        for begin in range(self.first, self.positions, some):
            here = np.arange(begin, min(begin + some, self.positions))
            seen = np.arange(here[-1] + 1)
            visible = sees(self.T, head, here[:, np.newaxis] - seen)
            scores = self.A.dot(queries[here, np.newaxis], keys[np.newaxis, seen])
            weights, _ = weigh(self.A, head.weighting, np.where(visible, scores, 0.0), visible, where)
            one = (np.count_nonzero(weights, axis=1) == 1) & (weights.max(axis=1) == 1)
            if not one.all():
                row = int(np.argmin(one))
                seldom = [f"{weights[row, j]:g} for position {j}" for j in np.flatnonzero(weights[row])[:3]]
                raise LemmaError(
                    f"{where}: at position {here[row]} the weights are not 1 for one position and 0 for all others, "
                    f"but {', '.join(seldom) or '0 everywhere'}"
                )
            found.append(weights.argmax(axis=1))
            pairs += int(visible.sum())
        return np.concatenate(found), pairs

    def _gates(self, sources: Integers) -> Counter[str]:
        """Compare what is written with the gates, given the positions that each token depends on, (gates, sources).

        Return how many cases were evaluated for each kind of gate.
        """
        cases: Counter[str] = Counter()
        some = max(1, PAIRS_AT_ONCE // self.values.size // len(self.T.lanes))
        for begin in range(0, len(sources), some):
            read = sources[begin : begin + some]
            written = self._written(read)
            for row, gate in enumerate(self.claim.gates[begin : begin + some]):
                cases[gate[0]] += self._compare(gate, self.claim.inputs + begin + row, read[row], written[row])
        return cases

    def _written(self, read: Integers) -> Integers:
        """Return the tokens that positions write, for all values of the tokens that they depend on."""
        A, T, values = self.A, self.T, self.values
        h = self.stream[read[:, :1], values[:, 0]]  # (positions, cases, lanes)
        total = np.zeros_like(h)
        for number, head in enumerate(self.heads, start=1):
            v = A.affine(head.W_V, self.stream[read[:, number]], head.b_V)  # (positions, 2 tokens, value size)
            output = A.matvec(head.W_O, A.multiply(np.ones(1), v))  # the weight is 1
            total = A.add(total, output[:, values[:, number]])
        if self.b_O is not None:
            total = A.add(total, self.b_O)
        h = A.add(h, total)
        layer = T.blocks[0].feed_forward
        assert layer is not None
        h = A.add(h, A.affine(layer.W_2, run_neurons(A, layer, h), layer.b_2))
        logits = A.affine(T.output, h, T.output_bias)
        if not np.isfinite(logits).all():
            raise LemmaError(f"output: {T.arithmetic} overflows")
        bits = np.array([BITS.index(str(answer)) for answer in T.answers])
        found: Integers = bits[np.argmax(logits, axis=-1)]
        return found

    def _compare(self, gate: Sequence[Any], wire: int, read: Integers, written: Integers) -> int:
        """Compare the tokens that are written for a gate with its meaning; return the number of cases.

        Where two sources are one position, only cases in which their values agree can occur.
        """
        name, *wires = gate
        places = read.tolist()
        missing = [other for other in wires if other not in places]
        if missing:
            raise LemmaError(
                f"wire {wire}: the claim says {_shown(gate)}, and the chain reads wires "
                f"{' and '.join(map(str, places[1:]))} there"
            )
        first = [places.index(place) for place in places]
        cases = 0
        for values, token in zip(self.values.tolist(), written.tolist(), strict=True):
            if any(values[i] != values[j] for i, j in enumerate(first)):
                continue
            cases += 1
            given = [bool(values[places.index(other)]) for other in wires]
            if token != int(GATES[name][1](*given)):
                which = ", ".join(
                    f"{place} = {value}" for place, value in dict(zip(places, values, strict=True)).items()
                )
                raise LemmaError(f"wire {wire}: the claim says {_shown(gate)}, and for the wires {which} it is {token}")
        return cases


def _always_weighs(head: Head) -> bool:
    return not isinstance(head.weighting, Softmax) or head.weighting.empty != "error"


def _shown(gate: Sequence[Any]) -> str:
    return f"{gate[0]}({', '.join(map(str, gate[1:]))})"

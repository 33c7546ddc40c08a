"""A third checker, on short inputs: it reads a proof as docs/proof-format.md describes it, and runs the model.

Vectors come from the reference semantics; scores, normalisers and weights are computed here. Nothing is shared with
`verify.py`. An assertion fails where an entry of the proof is not what the page says.
"""

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property, reduce
from typing import Any, NamedTuple

import numpy as np

import weightsmith as ws
from tests.verifying.certificates import Data, inputs

Tokens = tuple[str, ...]
Vector = tuple[float, ...]


class Outcome(NamedTuple):
    """The guess that is right for a query: what is guessed, in order, and 1 ⊘ m where m keys have equal parts."""

    guess: tuple[float | None, ...]
    part: float | None = None

    @property
    def order(self) -> list[tuple[bool, float]]:
        """A key by which guesses ascend; no key seen comes first."""
        return [(x is not None, x or 0.0) for x in self.guess]

    @property
    def listed(self) -> float | None:
        """What a reading lists as its weight: the part, or the sum of the exponentials."""
        return self.guess[-1] if self.part is None else self.part


def outcome(A: Any, head: ws.Head, stream: Any) -> Outcome:
    """Return the guess that is right for the last query of a head."""

    def linear(W: Any, bias: Any, x: Any) -> Any:
        return A.matvec(W, x) if bias is None else A.add(A.matvec(W, x), bias)

    def part(m: int) -> float:
        return float(A.round(np.array(1 / m)))  # so few that 1 / m in float64 is on no other side of a tie

    seen, weighting = stream[:-1] if head.strict else stream, head.weighting
    query, keys = linear(head.W_Q, head.b_Q, stream[-1]), [linear(head.W_K, head.b_K, x) for x in seen]
    if isinstance(head.positions, ws.Relative):
        offsets, last = head.positions.keys, len(stream) - 1
        keys = [A.add(key, offsets[min(last - j, len(offsets) - 1)]) for j, key in enumerate(keys)]
    scores = np.array([A.dot(query, key) for key in keys])
    if isinstance(weighting, ws.LeftmostHard | ws.RightmostHard):
        return Outcome(())
    largest = float(scores.max()) if len(seen) else None
    if isinstance(weighting, ws.AverageHard):
        return Outcome((largest,), part(int((scores == largest).sum())) if len(seen) else None)
    assert isinstance(weighting, ws.Softmax)
    if weighting.shifted:
        return Outcome((None,) if largest is None else (largest, float(A.sum(A.exp(A.subtract(scores, largest))))))
    z = float(A.sum(A.exp(scores))) if len(seen) else 0.0
    uniform = z == 0 and weighting.empty == "uniform"
    return Outcome((z,), (part(len(seen)) if len(seen) else 0.0) if uniform else None)


class Page:
    """A model and its proof, read along every input up to a length."""

    def __init__(self, T: ws.Transformer, proof: Data, longest: int) -> None:
        self.T, self.proof, self.A = T, proof, T.arithmetic
        assert proof.keys() == {"machines", "blocks", "decisions"}
        self.runs = {
            tokens: ws.run(T, list(tokens)) for tokens in inputs(T.vocabulary, min(longest, T.max_length or longest))
        }
        self.guesses = defaultdict[Any, set[Outcome]](set)  # by block, head, class, query and reading
        self.empty = set[Any]()  # the entries of trees that are null
        first = {vector: 1 + n for n, vector in enumerate(self.embedded)}
        self.kinds = set[str]()  # of entries, under a full mask
        if T.mask == "full":
            every = {tokens: [first[x] for x in self.positions(tokens, 0)] for tokens in self.runs}
            self.in_context(0, proof["blocks"], every)
            return
        labels = {tokens: first[self.vector(tokens, 0)] for tokens in self.runs}
        for b in range(max(1, len(T.blocks))):
            self.check_vectors(b, labels)
            labels = self.after(b, labels)
        for tokens, run in self.runs.items():
            assert labels[tokens] == 1 + [*T.answers].index(run.decision)

    @cached_property
    def letter(self) -> dict[str, int]:
        """The letter of each token: the different rows of the embedding, in ascending order."""
        rows = [tuple(row) for row in self.T.embedding.tolist()]
        order = sorted({*rows})
        return {token: order.index(row) for token, row in zip(self.T.vocabulary, rows, strict=True)}

    @cached_property
    def embedded(self) -> list[Vector]:
        """The different vectors after the embedding: position by position, and letter by letter."""
        scheme = self.T.positions
        table = scheme.values if isinstance(scheme, ws.PositionTable) else np.zeros((1, len(self.T.lanes)))
        rows = sorted({tuple(row) for row in self.T.embedding.tolist()})
        return [*dict.fromkeys(tuple(self.A.add(np.array(row), p).tolist()) for p in table for row in rows)]

    def positions(self, tokens: Tokens, b: int) -> list[Vector]:
        """Return the vectors at all positions before a block."""
        return [tuple(x) for x in self.runs[tokens].stream[2 * b].tolist()]

    def vector(self, tokens: Tokens, b: int) -> Vector:
        """Return the vector at the last position before a block."""
        return tuple(self.runs[tokens].stream[2 * b][-1].tolist())

    def says(self, index: int, tokens: Tokens) -> int:
        """Return the label of a machine after an input."""
        machine = self.proof["machines"][index]
        assert machine.keys() == {"table", "labels"}
        state = reduce(lambda state, token: machine["table"][state][self.letter[token]], tokens, 0)
        return int(machine["labels"][state])

    def check_vectors(self, b: int, labels: dict[Tokens, int]) -> None:
        """Check that labels and vectors before a block belong to each other one to one."""
        pairs = {(label, self.vector(tokens, b)) for tokens, label in labels.items()}
        assert len(pairs) == len({label for label, _ in pairs}) == len({vector for _, vector in pairs})

    def after(self, b: int, labels: dict[Tokens, int]) -> dict[Tokens, int]:
        """Return the labels after a block, or of the decisions after the last one."""
        entry, last = self.proof["blocks"][b], b + 1 == max(1, len(self.T.blocks))
        attention = self.T.blocks[b].attention if self.T.blocks else None
        assert entry.keys() == {"heads", "joints"}
        assert len(entry["heads"]) == len(attention.heads if attention else ())
        if entry["heads"]:
            return {tokens: self.joined(b, tokens, label) for tokens, label in labels.items()}
        assert entry["joints"] == []
        if last:
            return {tokens: 1 + [*self.T.answers].index(run.decision) for tokens, run in self.runs.items()}
        made = {label: self.vector(tokens, b + 1) for tokens, label in labels.items()}
        order = [*dict.fromkeys(made[label] for label in sorted(made))]
        return {tokens: 1 + order.index(made[label]) for tokens, label in labels.items()}

    def joined(self, b: int, tokens: Tokens, label: int) -> int:
        """Return the label that the machines of the joints say after an input."""
        return self.joined_in(self.proof["blocks"][b], b, tokens, label)

    def joined_in(self, block: Data, b: int, tokens: Tokens, label: int) -> int:
        spoken = [self.speaking(block, b, h, tokens, label) for h in range(len(block["heads"]))]
        found = set[int]()
        for n, joint in enumerate(block["joints"]):
            assert joint.keys() == {"classes", "view", "tree"}
            own = joint["classes"] == [c for c, _ in spoken]
            assert self.says(joint["view"], tokens) == (label if own else 0)
            found |= self.ends((b, n), joint["tree"], own, [guesses for _, guesses in spoken], tokens)
        (after,) = found  # some machine speaks, and all that speak say the same
        return after

    def speaking(self, block: Data, b: int, h: int, tokens: Tokens, label: int) -> tuple[int, set[int]]:
        """Return the class of the last query of a head, and the readings of the class that speak."""
        classes, attention = block["heads"][h], self.T.blocks[b].attention
        (mine,) = [c for c, entry in enumerate(classes) if label in entry["queries"]]
        assert attention
        right = outcome(self.A, attention.heads[h], self.runs[tokens].stream[2 * b])
        found = set[int]()
        for c, entry in enumerate(classes):
            assert entry.keys() == {"queries", "view", "readings"}
            for g, reading in enumerate(entry["readings"]):
                assert reading.keys() == {"view", "machine", "weights", "any_sum"}
                if self.says(reading["machine"], tokens):
                    assert c == mine, "a reading of another class speaks"
                    assert not reading["weights"] or right.listed in reading["weights"]
                    self.guesses[b, h, c, label, g].add(right)
                    found.add(g)
        assert found, "no reading speaks"
        return mine, found

    def in_context(self, b: int, entries: Any, labels: dict[Tokens, list[int]]) -> None:
        """Read the entries from a block on, under a full mask, from the labels at all positions of some inputs."""
        meaning = {
            (label, x, tokens[: i + 1] in labels)
            for tokens, row in labels.items()
            for i, (label, x) in enumerate(zip(row, self.positions(tokens, b), strict=True))
        }
        assert len(meaning) == len({label for label, _, _ in meaning}), "a label stands for two things"
        count = len(self.T.blocks)
        if b == count:
            assert entries == []
            return
        first, *others = entries
        if "contexts" in first:
            assert first.keys() == {"heads", "context", "contexts"}
            assert others == []
            self.kinds.add("contexts" if b + 1 < count else "contexts of the last block")
            self.divide(b, first, labels)
            return
        assert first.keys() == {"heads", "joints"}
        if first["heads"]:
            self.kinds.add("joints")
            ends = {row[-1] for row in labels.values()}
            assert all({*entry["queries"]} >= ends & {*entry["queries"]} for head in first["heads"] for entry in head)
            inner = {row[i] for row in labels.values() for i in range(len(row))} - ends
            assert not any(inner & {*entry["queries"]} for head in first["heads"] for entry in head)
            said = {tokens: self.joined_in(first, b, tokens, row[-1]) for tokens, row in labels.items()}
            for tokens, label in said.items() if b + 1 == count else ():
                assert label == 1 + [*self.T.answers].index(self.runs[tokens].decision)
            return
        assert first["joints"] == []
        self.kinds.add("no heads")
        pairs = {
            label: (x, tokens[: i + 1] in labels)
            for tokens, row in labels.items()
            for i, (label, x) in enumerate(zip(row, self.positions(tokens, b + 1), strict=True))
        }
        order = [*dict.fromkeys(pairs[label] for label in sorted(pairs))]
        after = {tokens: [1 + order.index(pairs[label]) for label in row] for tokens, row in labels.items()}
        self.in_context(b + 1, others, after)

    def divide(self, b: int, entry: Data, labels: dict[Tokens, list[int]]) -> None:
        """Read the entry of a block with contexts."""
        attention, groups = self.T.blocks[b].attention, defaultdict[int, list[Tokens]](list)
        assert attention
        assert len(entry["heads"]) == len(attention.heads)
        for tokens, row in labels.items():
            for classes in entry["heads"]:
                assert all(sum(label in made["queries"] for made in classes) == 1 for label in row)
                for made in classes:
                    assert any(self.says(reading["machine"], tokens) for reading in made["readings"])
            groups[self.says(entry["context"], tokens)].append(tokens)
        assert {*groups} <= {*range(1, 1 + len(entry["contexts"]))}
        for context, inputs_of_it in groups.items():
            inside = entry["contexts"][context - 1]
            assert inside.keys() == {"machine", "blocks"}
            rows = {w: [self.says(inside["machine"], w[: i + 1]) for i in range(len(w))] for w in inputs_of_it}
            assert all(min(row) > 0 for row in rows.values())
            self.in_context(b + 1, inside["blocks"], rows)

    def ends(self, path: Any, tree: Any, open: bool, left: Sequence[set[int]], tokens: Tokens) -> set[int]:
        """Return the labels at the ends of a tree whose machines speak; `left` are the readings of the heads left."""
        found = set[int]()
        for g, entry in enumerate(tree):
            both = open and g in left[0]
            if entry is None:
                assert not both, "the entry is null, and both speak"
                self.empty.add((*path, g))
                continue
            assert entry.keys() == {"machine", "tree"}
            said = self.says(entry["machine"], tokens)
            assert (said > 0) == both
            assert (entry["tree"] == []) == (len(left) == 1)
            if len(left) > 1:
                found |= self.ends((*path, g), entry["tree"], both, left[1:], tokens)
            elif both:
                found.add(said)
        return found

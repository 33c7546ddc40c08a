"""The program as a causal model: its parts, and its answers when a part has the value that it has on another input."""

import math
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.errors import InputError, ModelError, brief
from weightsmith.inspect.components import Node, writers
from weightsmith.inspect.output import answers_of, read_numbers
from weightsmith.kernels.engines import engine_for
from weightsmith.model import Transformer, value_text
from weightsmith.model.sites import Site
from weightsmith.semantics.evaluation import AnswerIds, Evaluation, Ids

NONE = -1  # in the place of an answer
MOST_INPUTS = 2048  # of a length, among which interchanges are drawn


def parts_of(T: Transformer) -> list[Node]:
    """Return the heads and feed-forward layers of a transformer, in the order of the run."""
    return [node for node in writers(T) if node.kind in ("head", "mlp")]


def nodes_of(blocks: int, heads: int) -> list[Node]:
    """Return the heads and feed-forward layers of a dense transformer, in the order of the run."""
    return [node for b in range(blocks) for node in (*(Node("head", b, i) for i in range(heads)), Node("mlp", b))]


def node_called(T: Transformer, name: object, what: str) -> Node:
    """Return the head or feed-forward layer with a name; refuse any other."""
    for node in parts_of(T):
        if name == str(node):
            return node
    heads = [len(block.attention.heads) if block.attention else 0 for block in T.blocks]
    raise InputError(
        f"{what} {brief(name)} is no head or feed-forward layer of a model with {heads} heads in its blocks: write "
        "blocks.0.attn.head.1 or blocks.0.mlp"
    )


def site_of(node: Node) -> Site:
    """Return what is replaced when a node has another value: the output of a head, or all activations of a layer."""
    return Site("head", node.block, node.index) if node.kind == "head" else Site("activations", node.block)


def class_names(T: Transformer) -> tuple[str, ...]:
    """Return a class for each answer; values of a readout with equal texts, such as 1 and "1", are numbered."""
    if T.readout is None:
        return tuple(T.classes)
    texts, names = [value_text(value) for value in T.answers], list[str]()
    for n, text in enumerate(texts):
        names.append(f"{text} ({texts[: n + 1].count(text)})" if texts.count(text) > 1 else text)
    return tuple(names)


def values_of(P: Any, T: Transformer) -> tuple[Any, ...]:
    """Return the value that each class stands for; () if it is the class itself."""
    if T.readout is not None:
        return tuple(T.answers)
    return tuple(P.said(list(T.classes))) if hasattr(P, "said") else ()


@dataclass(frozen=True, eq=False)
class Inputs:
    """Inputs of one length through a transformer: all of them, or some that are drawn."""

    T: Transformer
    ids: Ids  # (inputs, positions)
    found: Evaluation
    answers: AnswerIds  # (inputs, positions)
    margin: float  # the smallest, at any position of any input

    @classmethod
    def of(cls, T: Transformer, ids: Ids) -> "Inputs":
        """Run the inputs."""
        found = engine_for(T).evaluate(ids)
        numbers = read_numbers(T, found.stream[-1])
        return cls(T, ids, found, answers_of(T, numbers), float(_margins(T, numbers).min()))

    def values(self, node: Node) -> Array:
        """Return what a head writes, or what the neurons of a layer compute, (inputs, positions, …)."""
        found = self.found
        return found.heads[node.block][node.index].output if node.kind == "head" else found.activations[node.block]

    def interchanged(
        self, node: Node, bases: Ids, others: "Inputs", sources: Ids, margin: float = -math.inf
    ) -> AnswerIds:
        """Return the answers on each base, (pairs, positions), when a node has the value that it has on the source.

        Of a longer source these are the values at its first positions. An answer with less than this margin is −1.
        """
        new, site = others.values(node)[sources, : self.ids.shape[1]], site_of(node)
        first = 2 * node.block + (1 if node.kind == "head" else 2)
        stream = [stage[bases] for stage in self.found.stream[:first]]
        after = engine_for(self.T).onward(stream, change=lambda at, old: new if at == site else old)
        numbers = read_numbers(self.T, after.stream[-1])
        return np.where(_margins(self.T, numbers) < margin, NONE, answers_of(self.T, numbers))


def _margins(T: Transformer, numbers: Array) -> Array:
    """Return by how much the largest logit is above the next; codes of a readout have a value or have none."""
    if T.readout is not None or numbers.shape[-1] == 1:
        return np.full(numbers.shape[:-1], math.inf)
    best = np.partition(numbers, -2, axis=-1)
    margins: Array = best[..., -1] - best[..., -2]
    return margins


def inputs_of_length(T: Transformer, length: int, rng: np.random.Generator) -> Inputs:
    """Run all inputs of a length if they are few, and otherwise some of them."""
    tokens = len(T.vocabulary)
    if tokens**length <= MOST_INPUTS:
        ids = np.array(list(product(range(tokens), repeat=length)), np.intp)
    else:
        ids = rng.integers(tokens, size=(MOST_INPUTS, length))
    found = Inputs.of(T, ids)
    if (found.answers < 0).any():
        n = int(np.flatnonzero((found.answers < 0).any(axis=1))[0])
        text = brief([T.vocabulary[token] for token in ids[n]])
        raise ModelError(f"the program has no value at some position of {text}: there is nothing to learn")
    return found

"""The weights of composed chains: each chain in ∞ form, and penalties that choose the next token."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from weightsmith.composition.chain_plan import Plan, Side, Symbol, Token, token_name
from weightsmith.composition.side_by_side import beside
from weightsmith.model import (
    Block,
    Chain,
    Neuron,
    PositionTable,
    Transformer,
    feed_forward,
    matrix,
    needs_classes,
    position_table,
)
from weightsmith.rewrites import infinity_form, widen
from weightsmith.rewrites.lanes import own_positions


def assembled(plan: Plan, inputs: tuple[str, ...], longest: int | None) -> Chain:
    """Return the chain of a plan for inputs up to a length."""
    tokens, prompt = plan.tokens()
    vocabulary = (*inputs, *map(token_name, tokens))
    length = _positions(plan, longest)
    parts = [
        _deciding(side, inputs, [token[i] for token in tokens], vocabulary, length) for i, side in enumerate(plan.sides)
    ]
    T = _with_output(beside(parts, [f"chain {i}" for i in range(len(parts))]), plan, inputs, tokens, prompt)
    answers = {token_name(token): plan.answer(token) for token in tokens if plan.over(token)}
    return Chain(
        T, prompt=[token_name(token) for token in prompt], steps=plan.steps, until=tuple(answers), answers=answers,
        inputs=inputs, max_length=longest,
        min_length=max((C.min_length for C in plan.shortest if C.min_length is not None), default=None),
    )  # fmt: skip


def _positions(plan: Plan, longest: int | None) -> int | None:
    """Return how many positions the table of a composition has; None if no chain has a table."""
    models = [side.chain.transformer for side in plan.sides]
    tables = [T.max_length for T in models if T.max_length is not None]
    if not tables:
        return None
    whole = 0 if longest is None or plan.steps is None else longest + plan.steps
    return max(*tables, whole, 1)


def _deciding(
    side: Side, inputs: Sequence[str], symbols: Sequence[Symbol], vocabulary: Sequence[str], length: int | None
) -> Transformer:
    """Return a chain's transformer in ∞ form, over the tokens of the composition, with a table of `length` positions.

    The rows that are added to its table are 0: they are for positions at which the chain has ended.
    """
    T = side.chain.transformer
    needs_classes(T, "composition")
    rows = [T.vocabulary.index(token) for token in (*inputs, *map(side.token, symbols))]
    table = position_table(T.positions, T.arithmetic, len(T.lanes))
    positions = None
    if table is not None and length is not None:
        positions = PositionTable(np.vstack([table, np.zeros((length - len(table), len(T.lanes)))]))
    T = own_positions(T)
    T = replace(T, vocabulary=tuple(vocabulary), embedding=T.embedding[rows], positions=positions, tied=False)
    return infinity_form(T) if len(T.classes) > 1 else T


def _with_output(
    T: Transformer, plan: Plan, inputs: Sequence[str], tokens: Sequence[Token], prompt: Sequence[Token]
) -> Transformer:
    """Add lanes of penalties, and let the output be their sums: 0 for the token that follows, −∞ for all others."""
    infinity, written = T.arithmetic.infinity, [token for token in tokens if token not in prompt]
    sides = plan.sides
    following = [[] if prompt else plan.following(None)] * len(inputs)
    following += [[] if plan.over(token) else plan.following(token) for token in tokens]
    groups = list(dict.fromkeys(map(tuple, following)))
    penalties = [[f"chain {i} not {name}" for name in side.chain.transformer.classes] for i, side in enumerate(sides)]
    after = [f"after group {g}" for g in range(len(groups))]
    decisions = [[f"chain {i} {lane}" for lane in _answer_lanes(T, i, side)] for i, side in enumerate(sides)]
    T = widen(T, [*(name for names in penalties for name in names), *after], where="back")
    embedding = T.embedding.copy()
    for row, each in enumerate(following):
        embedding[row, T.lanes.index(after[groups.index(tuple(each))])] = 1.0
    pairs = zip(decisions, penalties, strict=True)
    neurons = [neuron for lanes, names in pairs for neuron in _penalising(lanes, names, infinity)]
    penalise = Block(feed_forward=feed_forward(T.lanes, neurons), origin="penalties")
    blocks = (*T.blocks, penalise) if neurons else T.blocks
    entries: dict[tuple[str, str], float] = {}
    for token in written:
        name = token_name(token)
        entries |= {(name, lane): -infinity for lane, each in zip(after, groups, strict=True) if token not in each}
        for side, symbol, names in zip(sides, token, penalties, strict=True):
            if symbol.kind == "written" and len(names) > 1:
                entries[name, names[side.chain.transformer.classes.index(symbol.text)]] = -1.0
    classes = [token_name(token) for token in written]
    return replace(
        T, embedding=embedding, blocks=blocks, classes=tuple(classes), output=matrix(classes, T.lanes, entries),
        output_bias=None, tied=False,
    )  # fmt: skip


def _answer_lanes(T: Transformer, i: int, side: Side) -> list[str]:
    """Return the lanes that hold a chain's decision, without the name of the chain in front."""
    start, count = f"chain {i} ", len(side.chain.transformer.classes)
    return [lane.removeprefix(start) for lane in T.lanes if lane.startswith(start)][:count]


def _penalising(lanes: Sequence[str], names: Sequence[str], infinity: float) -> list[Neuron]:
    """Return neurons that write ∞ for every class but the decision, from the lanes of the ∞ form."""
    if len(lanes) == 2:  # 1 and x, which is ∞ for the second class
        return [Neuron({lanes[1]: 1.0}, {names[0]: 1.0}), Neuron({lanes[1]: -1.0}, {names[1]: 1.0}, bias=infinity)]
    if len(lanes) == 1:
        return []
    return [Neuron({lane: -1.0}, {name: 1.0}, bias=infinity) for lane, name in zip(lanes, names, strict=True)]

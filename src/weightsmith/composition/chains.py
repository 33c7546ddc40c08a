"""Chains composed: ~C exchanges the answers, and C & D lets both chains write side by side.

The text of a composition is the input, and then tokens that have a symbol for each chain: the next token of its prompt,
the token that it writes, with the number of the step where steps are counted, or its answer once it has ended. Each
chain sees its own symbols only, at the positions of its own text, so it writes what it writes alone. Which symbols may
follow is known from the token before, but for the tokens that are written: these are the decisions.

The output is a sum of penalties, each 0 or −∞: one for a token that cannot follow, one for each chain whose written
token is not the decision. So just one token has the logit 0.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import product
from typing import NamedTuple, TypeAlias, cast

import numpy as np

from weightsmith.composition.side_by_side import beside
from weightsmith.errors import ModelError, listed
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

MAX_TOKENS = 1 << 14  # of the text of a composition
Joint: TypeAlias = Callable[[tuple[bool, ...]], bool]
YES_NO = ("NO", "YES")


@dataclass(frozen=True, eq=False, repr=False)
class ComposedChain(Chain):
    """A chain that remembers its parts, so that a composition of compositions is one of all parts at once."""

    parts: tuple[Chain, ...] = field(default=(), compare=False)
    truth: tuple[bool, ...] = field(default=(), compare=False)  # the answer, by those of the parts as binary digits
    made: Chain | None = field(default=None, compare=False)  # as it was composed

    @classmethod
    def stored_as(cls) -> str:
        """Return the name in files: a chain among others."""
        return Chain.stored_as()

    @property
    def is_as_made(self) -> bool:
        """Whether nothing was replaced since it was composed: only then its parts say what it does."""
        names = [each.name for each in fields(Chain)]
        return self.made is not None and all(getattr(self, name) == getattr(self.made, name) for name in names)


def negated_chain(C: Chain) -> Chain:
    """~C: the same chain with its two answers exchanged."""
    first, second = _answers(C)
    exchanged = {first: second, second: first}
    pairs = cast(Sequence[tuple[str, str]], C.answers)
    negated = replace(C, answers={token: exchanged[answer] for token, answer in pairs})
    if isinstance(C, ComposedChain) and isinstance(negated, ComposedChain) and C.is_as_made:
        return _remembering(negated, C.parts, tuple(not answer for answer in C.truth))
    return negated


def _remembering(C: Chain, parts: tuple[Chain, ...], truth: tuple[bool, ...]) -> ComposedChain:
    """Return a chain with its parts."""
    values = {each.name: getattr(C, each.name) for each in fields(Chain)}
    return ComposedChain(**values, parts=parts, truth=truth, made=Chain(**values))


def _parts(C: Chain) -> tuple[tuple[Chain, ...], tuple[bool, ...]]:
    """Return the parts of a chain, and its answer by theirs; another chain is its only part."""
    if isinstance(C, ComposedChain) and C.is_as_made:
        return C.parts, C.truth
    return (C,), (False, True)


def both_chains(C: Chain, D: Chain) -> Chain:
    """C & D: YES where both answer YES."""
    return chains_side_by_side((C, D), all)


def either_chain(C: Chain, D: Chain) -> Chain:
    """C | D: YES where one of them, or both, answer YES."""
    return chains_side_by_side((C, D), any)


def exactly_one_chain(C: Chain, D: Chain) -> Chain:
    """C ^ D: YES where just one of them answers YES."""
    return chains_side_by_side((C, D), lambda said: sum(said) == 1)


def chain_if_then_else(R: Chain, C: Chain, D: Chain) -> Chain:
    """Answer as C does where R answers YES, and as D does elsewhere."""
    return chains_side_by_side((R, C, D), lambda said: said[1] if said[0] else said[2])


class Symbol(NamedTuple):
    """The part of a token that belongs to one chain."""

    kind: str  # "prompt", "written", "ended", or "read" for what another chain writes
    step: int  # the index in the prompt, or the number of the step where steps are counted, else 0
    text: str  # the token of the chain, or its answer


class Side:
    """One chain of a composition: its symbols, and which of them may follow which."""

    def __init__(self, C: Chain) -> None:
        """Refuse a chain whose number of steps depends on the length of the input."""
        if C.until:
            self.counted = 0  # a token ends it, so steps need not be counted
        elif isinstance(C.steps, int):
            self.counted = C.steps
        elif isinstance(C.steps, tuple) and len(set(C.steps)) == 1:
            self.counted = C.steps[0]
        else:
            raise ModelError(
                "a chain whose steps depend on the length of its input cannot be composed, for nothing in its text "
                "says when it ends: write steps=8, or until=(…) with tokens that end it"
            )
        self.chain = C
        self.most = C.steps if isinstance(C.steps, int) else self.counted or None  # steps; None: no limit
        self.meanings = dict(cast(Sequence[tuple[str, str]], C.answers))

    def first(self) -> list[Symbol]:
        """Return the symbols that can follow the input."""
        return [Symbol("prompt", 0, self.chain.prompt[0])] if self.chain.prompt else self._written(1)

    def after(self, symbol: Symbol) -> list[Symbol]:
        """Return the symbols that can follow a symbol: several only where they are written."""
        if self.ended(symbol):
            return [Symbol("ended", 0, self.answer(symbol))]
        if symbol.kind == "prompt" and symbol.step + 1 < len(self.chain.prompt):
            return [Symbol("prompt", symbol.step + 1, self.chain.prompt[symbol.step + 1])]
        return self._written(1 if symbol.kind == "prompt" else symbol.step + 1)

    def _written(self, step: int) -> list[Symbol]:
        number = step if self.counted else 0
        return [Symbol("written", number, str(token)) for token in self.chain.transformer.answers]

    def ended(self, symbol: Symbol) -> bool:
        """Return whether the chain has ended with this symbol."""
        if symbol.kind != "written":
            return symbol.kind == "ended"
        return symbol.step == self.counted if self.counted else symbol.text in self.chain.until

    def answer(self, symbol: Symbol) -> str:
        """Return the answer of a chain that has ended."""
        return symbol.text if symbol.kind == "ended" else self.meanings[symbol.text]

    def token(self, symbol: Symbol) -> str:
        """Return the token that the chain's own transformer reads for a symbol; any will do once it has ended."""
        return str(self.chain.transformer.answers[0]) if symbol.kind == "ended" else symbol.text


Token: TypeAlias = tuple[Symbol, ...]


@dataclass(frozen=True)
class Plan:
    """What a composition writes: for each token those that can follow, when it is over, and what it answers then."""

    sides: Sequence[Side]
    following: Callable[[Token | None], list[Token]]  # None: after the input
    over: Callable[[Token], bool]
    answer: Callable[[Token], str]
    steps: int | None
    shortest: Sequence[Chain]  # those that read the input, which say how short it may be

    def tokens(self) -> tuple[list[Token], list[Token]]:
        """Return all tokens that can come after the input, and those that are the prompt."""
        prompt: list[Token] = []
        following = self.following(None)
        while len(following) == 1 and all(symbol.kind != "written" for symbol in following[0]):
            prompt.append(following[0])
            following = self.following(prompt[-1])
        known, waiting = dict.fromkeys([*prompt, *following]), following
        while waiting:
            token = waiting.pop()
            new = [] if self.over(token) else [one for one in self.following(token) if one not in known]
            known |= dict.fromkeys(new)
            waiting += new
            if len(known) > MAX_TOKENS:
                raise ModelError(f"the chains would write more than {MAX_TOKENS:,} different tokens: write fewer steps")
        return list(known), prompt


def chains_side_by_side(chains: Sequence[Chain], decide: Joint) -> Chain:
    """Let chains write side by side; the answer is YES where `decide` says so of their answers.

    Requires: yes/no chains with the same inputs, arithmetic and mask, each ended by its tokens or by a number of steps.
    Ensures: each chain writes what it writes alone; a chain that has ended repeats its answer until all have ended.
    Exact in: what `infinity_form` needs.
    Because: every chain reads its own symbols at the positions of its own text, in lanes that no other reads.
    """
    composed = [_parts(C) for C in chains]
    whole, chains = chains, [part for parts, _ in composed for part in parts]
    sides = [Side(C) for C in chains]
    yes = [_answers(C)[1] for C in chains]

    def decided(said: tuple[bool, ...]) -> bool:
        """Return the answer of the composition by those of all parts."""
        answers, rest = [], said
        for parts, truth in composed:
            number = int("".join(str(int(each)) for each in rest[: len(parts)]), 2)
            answers.append(truth[number])
            rest = rest[len(parts) :]
        return decide(tuple(answers))

    def following(token: Token | None) -> list[Token]:
        each = [side.first() if token is None else side.after(token[i]) for i, side in enumerate(sides)]
        return list(product(*each))

    def over(token: Token) -> bool:
        return all(side.ended(symbol) for side, symbol in zip(sides, token, strict=True))

    def answer(token: Token) -> str:
        said = (side.answer(symbol) == word for side, symbol, word in zip(sides, token, yes, strict=True))
        return YES_NO[decided(tuple(said))]

    most = [side.most for side in sides]
    steps = None if None in most else max(cast(list[int], most)) + max(len(C.prompt) for C in chains)
    longest = min((C.max_length for C in chains if C.max_length is not None), default=None)
    made = _assembled(Plan(sides, following, over, answer, steps, chains), _common_inputs(whole), longest)
    truth = tuple(bool(decided(said)) for said in product((False, True), repeat=len(chains)))
    return _remembering(made, tuple(chains), truth)


def then(C: Chain, D: Chain) -> Chain:
    """C.then(D): C writes first, and D reads the input with everything that C wrote.

    Requires: the same arithmetic and mask; D takes the inputs of C, its prompt and the tokens that it writes.
    Ensures: the answer is that of D on the text of C.
    Exact in, Because: as `chains_side_by_side`.
    """
    first, second = Side(C), Side(D)
    read = dict.fromkeys([*C.vocabulary, *C.prompt, *(str(value) for value in C.transformer.answers)])
    missing = [token for token in read if token not in D.vocabulary]
    if missing:
        raise ModelError(
            f"the second chain does not take {listed(missing)}, which the first reads or writes: "
            f"its inputs consist of {listed(D.vocabulary)}; write Chain(…, inputs=…)"
        )

    def following(token: Token | None) -> list[Token]:
        if token is None:
            return [(one, _seen(one)) for one in first.first()]
        mine, other = token
        if not first.ended(mine):
            return [(one, _seen(one)) for one in first.after(mine)]
        ended = Symbol("ended", 0, "")
        return [(ended, one) for one in (second.first() if other.kind == "read" else second.after(other))]

    def over(token: Token) -> bool:
        return second.ended(token[1])

    most = [first.most, second.most]
    steps = None if None in most else sum(cast(list[int], most)) + len(C.prompt) + len(D.prompt)
    plan = Plan((first, second), following, over, lambda token: second.answer(token[1]), steps, (C,))
    bounds = [] if C.max_length is None else [C.max_length]
    if D.max_length is not None:  # the text of the first chain is the input of the second
        if first.most is None:
            raise ModelError("nothing bounds what the first chain writes, and the second takes no text of any length")
        bounds.append(D.max_length - len(C.prompt) - first.most)
    return _assembled(plan, C.vocabulary, min(bounds, default=None))


def _seen(symbol: Symbol) -> Symbol:
    """Return the symbol of a chain that reads what another one writes."""
    return Symbol("read", 0, symbol.text)


def _assembled(plan: Plan, inputs: tuple[str, ...], longest: int | None) -> Chain:
    """Return the chain of a plan for inputs up to a length."""
    tokens, prompt = plan.tokens()
    vocabulary = (*inputs, *map(_name, tokens))
    length = _positions(plan, longest)
    parts = [
        _deciding(side, inputs, [token[i] for token in tokens], vocabulary, length) for i, side in enumerate(plan.sides)
    ]
    T = _with_output(beside(parts, [f"chain {i}" for i in range(len(parts))]), plan, inputs, tokens, prompt)
    answers = {_name(token): plan.answer(token) for token in tokens if plan.over(token)}
    return Chain(
        T, prompt=[_name(token) for token in prompt], steps=plan.steps, until=tuple(answers), answers=answers,
        inputs=inputs, max_length=longest,
        min_length=max((C.min_length for C in plan.shortest if C.min_length is not None), default=None),
    )  # fmt: skip


def _answers(C: Chain) -> tuple[str, str]:
    """Return the two answers of a chain, NO first; refuse others."""
    if C.outputs == 1 and set(C.letters) == set(YES_NO):
        return YES_NO
    if C.outputs == 1 and set(C.letters) == {"0", "1"}:
        return "0", "1"
    raise ModelError(
        f"& | ^ ~ combine chains that answer YES or NO, and this one answers {listed(C.letters)}: "
        "write answers={'0': 'NO', '1': 'YES'} for its last tokens"
    )


def _common_inputs(chains: Sequence[Chain]) -> tuple[str, ...]:
    first = chains[0].vocabulary
    for C in chains:
        if set(C.vocabulary) != set(first):
            raise ModelError(
                f"the chains differ in the tokens of their inputs: {listed(first)} and {listed(C.vocabulary)}; "
                "write Chain(…, inputs=…) with the same for both"
            )
    return first


def _name(token: Token) -> str:
    """Return a token as a text: the number of the step, where steps are counted, and a symbol for each chain."""
    words = [f"{'answer ' if one.kind == 'ended' else ''}{one.text}" for one in token]
    steps = [f"{one.kind[0]}{one.step}" for one in token]
    return f"{'|'.join(words)} {'|'.join(steps)}".replace(" ", "_")


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
        name = _name(token)
        entries |= {(name, lane): -infinity for lane, each in zip(after, groups, strict=True) if token not in each}
        for side, symbol, names in zip(sides, token, penalties, strict=True):
            if symbol.kind == "written" and len(names) > 1:
                entries[name, names[side.chain.transformer.classes.index(symbol.text)]] = -1.0
    classes = [_name(token) for token in written]
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

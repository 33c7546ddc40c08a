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
from typing import TypeAlias, cast

from weightsmith.composition.chain_plan import Plan, Side, Symbol, Token
from weightsmith.composition.chain_weights import assembled
from weightsmith.errors import ModelError, listed
from weightsmith.model import Chain

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
    made = assembled(Plan(sides, following, over, answer, steps, chains), _common_inputs(whole), longest)
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
    return assembled(plan, C.vocabulary, min(bounds, default=None))


def _seen(symbol: Symbol) -> Symbol:
    """Return the symbol of a chain that reads what another one writes."""
    return Symbol("read", 0, symbol.text)


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

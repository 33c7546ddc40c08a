"""What composed chains write: a symbol for each chain in every token, and which tokens may follow which."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias, cast

from weightsmith.errors import ModelError
from weightsmith.model import Chain

MAX_TOKENS = 1 << 14  # of the text of a composition


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


def token_name(token: Token) -> str:
    """Return a token as a text: the number of the step, where steps are counted, and a symbol for each chain."""
    words = [f"{'answer ' if one.kind == 'ended' else ''}{one.text}" for one in token]
    steps = [f"{one.kind[0]}{one.step}" for one in token]
    return f"{'|'.join(words)} {'|'.join(steps)}".replace(" ", "_")

"""A chain: a transformer that writes tokens before it answers, as plain frozen data."""

import html
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, TypeAlias, cast

from weightsmith.errors import InputError, ModelError, brief, is_whole, listed, named, shown, whole_number
from weightsmith.model.chain_checks import checked_answers, checked_inputs, checked_tokens
from weightsmith.model.chain_steps import MAX_STEPS, steps_formula
from weightsmith.model.frozen import Frozen
from weightsmith.model.latex import chain_latex
from weightsmith.model.tokens import text_tokens, tokens_text
from weightsmith.model.transformer import Transformer
from weightsmith.operators import meaning

Steps: TypeAlias = int | str | Sequence[int] | Callable[[int], int] | None
Answer: TypeAlias = str | tuple[str, ...]

MOST_UNTIL = 1 << 10  # tokens, where only a token ends the chain and there is no position table
MAX_ANSWERS = 1 << 16
STEPS_LINE = "write steps=8, steps='2*n + 1' or a function of the input's length n, or until=(…) with steps=None"


@dataclass(frozen=True, eq=False, repr=False)
class Chain(Frozen):
    """A transformer that reads an input and a prompt, and writes token after token until it answers.

    Each token is the decision of the transformer on the whole text before it. The chain ends after the first token of
    `until`; without `until`, after `steps` tokens. With both, a chain that has not ended after `steps` tokens does not
    end. The last token answers; `answers` translates it. With `outputs=k` the last k tokens answer, as a tuple.

    `steps` is a number, a formula such as "2*n + 1", a function of the input's length n, a sequence with a number for
    each n from 0 on, or None: then only a token of `until` ends the chain, which may write as many tokens as fit the
    position table, or 1,024 without one. A position table turns a function into a sequence.
    `inputs` are the tokens that inputs consist of: by default all but those of the prompt and of `until`.
    `max_length` is the length of the longest input: less than what the position table holds, or what was declared.
    `min_length` is that of the shortest one, such as the number of inputs of a circuit; None for any.
    """

    transformer: Transformer
    prompt: str | Sequence[str] = ()
    steps: Steps = None
    until: str | Sequence[str] = ()
    answers: Mapping[str, str] | Sequence[tuple[str, str]] | None = None
    inputs: str | Sequence[str] | None = None
    outputs: int = 1
    max_length: int | None = None
    min_length: int | None = None

    def __post_init__(self) -> None:
        """Check everything, and keep it as tuples."""
        T = self._set_transformer()
        for name in ("prompt", "until"):
            self._set(name, checked_tokens(T, getattr(self, name), name))
        never = [token for token in self.until if token not in T.answers]
        if never:
            raise ModelError(
                f"until has {named(never[0])}, which the transformer never writes: "
                f"write some of its classes, {listed([str(value) for value in T.answers])}"
            )
        self._set("outputs", whole_number(self.outputs, "outputs", 1, meaning="how many of the last tokens answer"))
        if self.outputs > 1 and self.until:
            raise ModelError(
                f"outputs={self.outputs} with until=…: before a token that ends the chain, no token has an answer; "
                "write a number of steps instead of until, or outputs=1"
            )
        self._set("inputs", checked_inputs(T, self.inputs, (*self.prompt, *self.until)))
        if self.steps is None and not self.until:
            raise ModelError(f"nothing ends the chain: {STEPS_LINE}")
        self._set("answers", checked_answers(self.answers, self.last_tokens))
        if self.max_length is not None:
            self._set("max_length", whole_number(self.max_length, "max_length", 1, meaning="the longest input"))
        self._set_steps(T)
        if self.min_length is not None:
            most, line = self.max_length, "the length of the shortest input, at most that of the longest"
            self._set("min_length", whole_number(self.min_length, "min_length", 1, most, line))

    def _set_transformer(self) -> Transformer:
        """Take the transformer of a compiled program for the program; refuse one whose decisions are not tokens."""
        T = self.transformer
        if not isinstance(T, Transformer):
            T = getattr(T, "transformer", T)
        if not isinstance(T, Transformer):
            raise ModelError(f"a chain needs a transformer, and {brief(T)} is none: write Chain(T, steps=8)")
        self._set("transformer", T)
        known = set(T.vocabulary)
        unknown = [value for value in T.answers if value not in known]
        if unknown:
            raise ModelError(
                f"a chain writes its decisions as tokens, and the {'class' if T.readout is None else 'value'} "
                f"{brief(unknown[0])} is not in the vocabulary {listed(T.vocabulary)}: "
                "write a transformer whose classes are tokens"
            )
        return T

    def _set_steps(self, T: Transformer) -> None:
        """Check the steps and the longest input, which a position table bounds."""
        steps, room = self.steps, None if T.max_length is None else T.max_length - len(self.prompt)
        if isinstance(steps, str):
            steps_formula(steps)
        elif steps is not None and not callable(steps) and not isinstance(steps, Sequence):
            self._set("steps", whole_number(steps, "steps", 1, MAX_STEPS, f"1 to {MAX_STEPS:,}; {STEPS_LINE}"))
        elif callable(steps) and room is not None:
            self._set("steps", self._table(self._fitting(room) + 1))
        elif isinstance(steps, Sequence):
            if not steps:
                raise ModelError(f"steps={brief(steps)} has no number: {STEPS_LINE}")
            self._set("steps", self._table(len(steps)))
        bounds = [len(self.steps) - 1] if isinstance(self.steps, tuple) else []
        bounds += [] if room is None else [self._fitting(room)]
        bounds += [] if self.max_length is None else [self.max_length]
        self._set("max_length", min(bounds, default=None))
        least = 0 if self.prompt else 1
        if self.max_length is not None and self.max_length < least:
            raise ModelError(
                f"the position table holds {T.max_length} tokens, too few for any input, the prompt and the steps: "
                "give the transformer a longer table, or write fewer steps"
            )

    def _fitting(self, room: int) -> int:
        """Return the longest input whose text never exceeds the position table; the last token is not read."""
        if self.until or self.steps is None:
            return room
        most = min(room, len(self.steps) - 1) if isinstance(self.steps, tuple) else room
        return max((n for n in range(1, most + 1) if n + self.steps_for(n) - 1 <= room), default=-1)

    def _table(self, count: int) -> tuple[int, ...]:
        """Return the number of steps for each length below `count`; 0 for the empty input where there is none."""
        try:
            first = self.declared_steps(0)
        except ModelError:
            first = 0
        return (first, *(self.declared_steps(n) for n in range(1, count)))[:count]

    def steps_for(self, length: int) -> int:
        """Return the number of steps on inputs of a length, or the most that a chain with `until` may take.

        A position table limits a chain with `until`: it has not ended where the table is full.
        """
        table = self.transformer.max_length
        fit = None if table is None else table - len(self.prompt) - length + 1
        if self.steps is None:
            return MOST_UNTIL if fit is None else fit
        steps = self.declared_steps(length)
        return min(steps, fit) if self.until and fit is not None else steps

    def declared_steps(self, length: int) -> int:
        """Return the number that `steps` says for inputs of a length, whether the position table holds them or not."""
        steps = self.steps
        if isinstance(steps, str):
            value: Any = steps_formula(steps)(length)
        else:
            value = steps(length) if callable(steps) else steps[length] if isinstance(steps, Sequence) else steps
        if not is_whole(value) or not 1 <= value <= MAX_STEPS:
            raise ModelError(f"steps is {brief(value)} for inputs of length {length}: it must be 1 to {MAX_STEPS:,}")
        return int(value)

    def counted(self) -> dict[str, object]:
        """Return the values of the fields that go into digests; a Python function has none."""
        if callable(self.steps):
            raise ModelError("steps is a Python function, which has no digest: write steps='2*n + 1' or a number")
        return super().counted()

    @property
    def last_tokens(self) -> tuple[str, ...]:
        """The tokens that can be the last one, in the order of the transformer's classes."""
        written = cast(tuple[str, ...], self.transformer.answers)
        if not self.until:
            return written
        return tuple(token for token in written if token in self.until)

    @cached_property
    def letters(self) -> tuple[str, ...]:
        """The meanings of last tokens, each once."""
        return tuple(dict.fromkeys(answer for _, answer in cast(Sequence[tuple[str, str]], self.answers)))

    def letter_id(self, token: str) -> int:
        """Return the number of a token's meaning among `letters`; 0 for a token that is never the last."""
        return self.letters.index(dict(cast(Any, self.answers)).get(token, self.letters[0]))

    def answer_id(self, answer: object) -> int | None:
        """Return the number of an answer: its index in `classes`; None for what is no answer of this chain."""
        parts = (answer,) if self.outputs == 1 else answer
        if not isinstance(parts, tuple | list) or len(parts) != self.outputs:
            return None
        number = 0
        for part in parts:
            if part not in self.letters:
                return None
            number = number * len(self.letters) + self.letters.index(part)
        return number

    def answer_at(self, number: int) -> Answer:
        """Return the answer with a number: the inverse of `answer_id`."""
        parts = []
        for _ in range(self.outputs):
            number, part = divmod(number, len(self.letters))
            parts.append(self.letters[part])
        return parts[0] if self.outputs == 1 else tuple(reversed(parts))

    @cached_property
    def classes(self) -> tuple[Answer, ...]:
        """The possible answers, each once; with several outputs, all tuples of them."""
        each = self.letters
        if self.outputs == 1:
            return each
        if len(each) ** self.outputs > MAX_ANSWERS:
            raise InputError(f"{self.outputs} outputs have {len(each)}^{self.outputs} answers: too many to list")
        return tuple(product(each, repeat=self.outputs))

    @property
    def weights(self) -> int:
        """How many numbers its transformer consists of."""
        return self.transformer.weights

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The tokens of inputs."""
        return cast(tuple[str, ...], self.inputs)

    def read(self, tokens: str | Sequence[str]) -> tuple[str, ...]:
        """Return the tokens of an input; refuse others than `inputs`, and an input that is too long."""
        read = text_tokens(self.vocabulary, tokens) if isinstance(tokens, str) else tuple(tokens)
        if not read and not self.prompt:
            raise InputError(
                f"the input is empty, and so is the prompt: write at least one of {listed(self.vocabulary)}"
            )
        for position, token in enumerate(read):
            if token not in self.vocabulary:
                raise InputError(
                    f"token {position} of the input is {brief(token)}: inputs of this chain consist of "
                    f"{listed(self.vocabulary)}; Chain(…, inputs=…) says of which tokens"
                )
        if self.min_length is not None and len(read) < self.min_length:
            wanted = f"{self.min_length}{'' if self.min_length == self.max_length else ' or more'}"
            raise InputError(f"the input has {len(read)} tokens, and this chain reads {wanted}: write all of them")
        if self.max_length is not None and len(read) > self.max_length:
            raise InputError(
                f"the input has {len(read)} tokens, and this chain takes at most {self.max_length}: "
                "its position table or its steps end there"
            )
        return read

    def __call__(self, tokens: str | Sequence[str]) -> Answer:
        """Return the answer for an input: see `run`."""
        answer: Answer = self.run(tokens).answer
        return answer

    def run(self, tokens: str | Sequence[str]) -> Any:
        """Run the chain on an input; the run has the text, the generated tokens and the answer."""
        return meaning("run_chain")(self, tokens)

    def decide(self, inputs: Sequence[str | Sequence[str]]) -> list[Answer]:
        """Return the answers for many inputs, those of the same length together."""
        answers: list[Answer] = meaning("chain_answers")(self, inputs)
        return answers

    def then(self, other: "Chain") -> "Chain":
        """C.then(D): D reads the input and everything that C wrote."""
        return self._operate("then", other)

    def __and__(self, other: "Chain") -> "Chain":
        """C & D: YES where both chains answer YES; they run side by side."""
        return self._operate("chain &", other)

    def __or__(self, other: "Chain") -> "Chain":
        """C | D: YES where one of the chains, or both, answer YES."""
        return self._operate("chain |", other)

    def __xor__(self, other: "Chain") -> "Chain":
        """C ^ D: YES where just one of the chains answers YES."""
        return self._operate("chain ^", other)

    def __invert__(self) -> "Chain":
        """~C: YES where C answers NO."""
        return self._operate("chain ~")

    def __bool__(self) -> bool:
        """Refuse: `C and not D` would be one of the two, or False, without a word."""
        raise TypeError("a chain is not a truth value: write C & D, C | D, ~C instead of and, or, not")

    def _operate(self, symbol: str, *others: "Chain") -> "Chain":
        for other in others:
            if not isinstance(other, Chain):
                raise ModelError(
                    f"a chain can be composed with a chain, not with {brief(other)}: write Chain(T, steps=1)"
                )
        result: Chain = meaning(symbol)(self, *others)
        return result

    def save_html(self, path: str | os.PathLike[str]) -> None:
        """Write a page that plays the chain on typed inputs: one file, which works offline."""
        meaning("save_html")(self, path)

    def _repr_html_(self) -> str:
        """Show the chain in a notebook, where it plays on typed inputs."""
        shown: str = meaning("in_notebook")(self, f"<pre>{html.escape(repr(self))}</pre>")
        return shown

    def latex(self, document: bool = False) -> str:
        """Return the chain and its blocks as matrices for LaTeX: a fragment, or a whole `document`."""
        return chain_latex(chain_facts(self), self.transformer, document)

    def __repr__(self) -> str:
        """Describe the chain, then its transformer."""
        return "\n".join(
            ["Chain", *(f"  {name:<10}  {text}" for name, text in chain_facts(self)), repr(self.transformer)]
        )


def chain_facts(C: Chain) -> list[tuple[str, str]]:
    """Return the main facts about a chain as pairs of a word and a text, without those of its transformer."""
    steps = "until a token ends it" if C.steps is None else f"{steps_text(C)}{' at most' if C.until else ''}"
    rows = [
        ("inputs", listed(C.vocabulary) + _lengths(C)),
        ("prompt", tokens_text(C.transformer.vocabulary, map(shown, C.prompt)) or "none"),
        ("steps", steps),
        *([("until", listed(C.until))] if C.until else []),
        ("answers", listed([f"{shown(token)} → {shown(answer)}" for token, answer in cast(Any, C.answers)])),
    ]
    return [*rows, ("outputs", f"the last {C.outputs} tokens")] if C.outputs > 1 else rows


def _lengths(C: Chain) -> str:
    """Say how many tokens inputs have, where that is limited."""
    if C.min_length is not None and C.min_length == C.max_length:
        return f", {C.max_length} tokens"
    least = "" if C.min_length is None else f", at least {C.min_length} tokens"
    return least + ("" if C.max_length is None else f", at most {C.max_length} tokens")


def steps_text(C: Chain) -> str:
    """Return the number of steps as a text."""
    steps = C.steps
    if isinstance(steps, tuple):
        return f"{min(steps)} to {max(steps)}, by the input's length"
    return "by a function of the input's length" if callable(steps) else f"{steps}"

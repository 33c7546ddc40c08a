"""Compiled programs: `compile(program, vocabulary=…, max_length=…)` gives a transformer with its proof."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any

from weightsmith import programs
from weightsmith.arithmetic import Arithmetic, Native
from weightsmith.errors import InputError, brief, listed, whole_number
from weightsmith.model import Transformer, digest
from weightsmith.programs.beside import COMPILED, beside
from weightsmith.programs.budget import DEFAULT_MEMORY, allowed, in_force
from weightsmith.programs.compiler.forms import TooLargeError
from weightsmith.programs.compiler.placing import Lanes, placed
from weightsmith.programs.compiler.plan import Plan
from weightsmith.programs.compiler.smallest import smallest
from weightsmith.programs.compiler.stating import stated
from weightsmith.programs.compiler.walk import Walk
from weightsmith.programs.compiler.weights import blocks_of, transformer
from weightsmith.programs.dump import dump, dump_lines, text_lines
from weightsmith.programs.graph import Program
from weightsmith.programs.interpreter import read_tokens
from weightsmith.programs.naming import token_names
from weightsmith.programs.places import refusal
from weightsmith.programs.proof.certificate import Certificate
from weightsmith.programs.proof.lemmas import LemmaError
from weightsmith.programs.proof.meaning import Meaning
from weightsmith.programs.proof.weights import Proof
from weightsmith.programs.proof.writing import written
from weightsmith.programs.values import Value, exact, presented

if TYPE_CHECKING:
    from weightsmith.programs.portable.proof import PortableProof

LONGEST = 10_000  # positions
MOST_TOKENS = 10_000


@dataclass(frozen=True, eq=False, repr=False)
class CompiledProgram:
    """A program as a transformer that computes it on every input up to `max_length`.

    `P("abca")` is what the weights say at every position; `P.certificate()` says why that is right.
    """

    program: Program
    transformer: Transformer
    vocabulary: tuple[Value, ...]
    max_length: int
    proof: "Proof | PortableProof"

    def __call__(self, tokens: Sequence[Value]) -> list[Value]:
        """Return the value at every position, computed by the weights."""
        from weightsmith.inspect import outputs  # which loads the kernels

        return self.said(outputs(self.transformer, [self.read(tokens)])[0])

    def said(self, outputs: Sequence[Any]) -> list[Value]:
        """Return what the transformer says at every position as values: classes of a portable one stand for them."""
        if not isinstance(self.proof, Proof):
            return [presented(self.proof.answers[one]) for one in outputs]
        return list(outputs)

    @property
    def answers(self) -> tuple[Value, ...]:
        """The exact values that the transformer's answers stand for, in their order."""
        if not isinstance(self.proof, Proof):
            return tuple(self.proof.answers.values())
        return tuple(exact(one) for one in self.transformer.answers)

    def read(self, tokens: Sequence[Value]) -> list[str]:
        """Return an input as the transformer's tokens."""
        given = read_tokens(tokens)
        for position, token in enumerate(given):
            if token not in self._names:
                known = listed([brief(presented(one)) for one in self.vocabulary])
                raise InputError(
                    f"{brief(presented(token))} at position {position} is not in the vocabulary: write {known}"
                )
        return [self._names[token] for token in given]

    @cached_property
    def _names(self) -> dict[Value, str]:
        return dict(zip(self.vocabulary, self.transformer.vocabulary, strict=True))

    @property
    def arithmetic(self) -> Arithmetic:
        """The arithmetic that it was proved in."""
        return self.transformer.arithmetic

    @property
    def source(self) -> str:
        """The program, as numbered lines with their source."""
        return dump(self.program)

    def certificate(self, also: Sequence[Any] = ()) -> Certificate:
        """Return the lemmas that make it right, each with the number of cases and its margin.

        `also` are verdicts of `weightsmith.check.computes` on this program: what was run besides.
        """
        for verdict in also:
            if getattr(getattr(verdict, "claim", None), "program", None) is not self.program:
                raise InputError(f"also={brief(verdict)}: write verdicts of check.computes on this program")
        return Certificate(
            self.program.name or "a program",
            str(self.arithmetic),
            tuple(self.transformer.vocabulary),
            self.max_length,
            tuple(self.proof.lemmas),
            tuple({"up_to": one.up_to, "inputs": one.inputs, "holds": one.holds} for one in also),
            self.proof.types if not isinstance(self.proof, Proof) else (),
            digest(self.transformer),
            written(self.proof.meaning) if isinstance(self.proof, Proof) else None,
        )

    def __repr__(self) -> str:
        """Return name and size; `print` shows program and weights."""
        T = self.transformer
        return f"<{self.program.name or 'program'} in {T.arithmetic}: {len(T.blocks)} blocks, {len(T.lanes)} lanes>"

    def __str__(self) -> str:
        """Return the program, the transformer that computes it, and which of its parts come from which lines."""
        return f"{self.source}\n\n{self.transformer!r}\n\n{beside(self.transformer)}"


def compile(  # the verb that people look for
    program: Any,
    vocabulary: Sequence[Value],
    max_length: int,
    causal: bool = False,
    arithmetic: Arithmetic | None = None,
    portable: bool = False,
    seconds: float | None = None,
    memory: int = DEFAULT_MEMORY,
) -> CompiledProgram:
    """Return a program as a transformer, proved right on every input of 1 to `max_length` tokens.

    `program` is an operation of `rasp` or what `parse_rasp` returns. Without `arithmetic` the smallest `Fixed` that
    will do is taken. In a `causal` program no position selects a later one.

    A `portable` one needs no saturation: it computes the same in floats, in PyTorch and elsewhere, and the certificate
    says what float32, bfloat16 and float16 leave. Its answers are classes.

    A program that takes more `seconds` to compile, or more bytes of `memory`, is refused, with the step that takes them
    and how much it would need. Memory is counted before it is used.

    >>> from weightsmith.programs import compile, rasp
    >>> hist = rasp.SelectorWidth(rasp.Select(rasp.tokens, rasp.tokens, rasp.Comparison.EQ))
    >>> P = compile(hist, vocabulary="abc", max_length=20)
    >>> P("abca")
    [2, 1, 1, 2]
    """
    tokens, length = _vocabulary(vocabulary), _length(max_length)
    with allowed(seconds, memory):
        made = _program(program, causal)
        if portable:
            from weightsmith.programs.portable.proof import proved  # the other back end loads when it is asked for

            found = proved(made, tokens, length, token_names(tokens), _provenance(made), arithmetic)
            return CompiledProgram(made, found.T, tokens, length, found)
        walk = Walk.through(made, tokens, length, made.causal)
        plan = walk.plan()
        _require_readable(made, plan)
        lanes = placed(plan)
        in_force().at("the proof", made.output.note.place)
        try:
            proof = _proved(plan, lanes, made, Meaning(stated(walk, lanes)), arithmetic)
        except LemmaError as error:
            said = refusal(made.output.note.place, f"the weights were not proved, so they are not returned: {error}")
            raise LemmaError(str(said), error.needs) from error
        except TooLargeError as error:
            raise refusal(made.output.note.place, str(error)) from error
        return CompiledProgram(made, proof.T, tokens, length, proof)


def compile_rasp(
    text: str,
    vocabulary: Sequence[Value],
    max_length: int,
    name: str | None = None,
    causal: bool = False,
    arithmetic: Arithmetic | None = None,
    portable: bool = False,
    folder: str | None = None,
    seconds: float | None = None,
    memory: int = DEFAULT_MEMORY,
) -> CompiledProgram:
    """Return the sequence operation of this name in RASP text as a transformer; without a name, the last one.

    The other arguments are those of `compile`.

    >>> from weightsmith.programs import compile_rasp
    >>> P = compile_rasp("hist = selector_width(select(tokens, tokens, ==));", vocabulary="abc", max_length=20)
    >>> P("abca")
    [2, 1, 1, 2]
    """
    program = programs.parse_rasp(text, name, folder)
    return compile(program, vocabulary, max_length, causal, arithmetic, portable, seconds, memory)


def _program(program: Any, causal: bool) -> Program:
    if isinstance(program, Program):  # as text gives it; the front end in Python is loaded for what it makes alone
        return replace(program, causal=True) if causal and not program.causal else program
    return programs.program(program, causal=causal)


def _proved(plan: Plan, lanes: Lanes, program: Program, meaning: Meaning, arithmetic: Arithmetic | None) -> Proof:
    """Return the transformer with its proof, in the given arithmetic or the smallest that will do."""
    names, history = token_names(meaning.stated.vocabulary), _provenance(program)
    if arithmetic is None:
        return smallest(plan, lanes, meaning, names, history)
    if isinstance(arithmetic, Native) or not isinstance(arithmetic, Arithmetic):
        raise InputError(
            f"arithmetic={brief(arithmetic)}: a program is proved in a finite arithmetic: write Fixed(8, 1), or None "
            "for the smallest that will do"
        )
    T = transformer(plan, lanes, blocks_of(plan, lanes), arithmetic, names, history)
    try:
        if T is None:
            raise LemmaError(f"{arithmetic} lacks a number that the weights need, or scores whose exp is ∞ and 0")
        return Proof(T, meaning)
    except LemmaError as error:
        enough = smallest(plan, lanes, meaning, names, history).T.arithmetic
        place = program.output.note.place
        raise refusal(place, f"{error}; the smallest arithmetic that will do is {enough}") from error


def _vocabulary(vocabulary: Sequence[Value]) -> tuple[Value, ...]:
    if isinstance(vocabulary, dict | set | frozenset) or not isinstance(vocabulary, Sequence):
        raise InputError(f"vocabulary={brief(vocabulary)}: write a text of characters, or a list of tokens")
    tokens = tuple(exact(token) for token in vocabulary)
    if not 1 <= len(tokens) <= MOST_TOKENS:
        raise InputError(f"the vocabulary has {len(tokens):,} tokens: write 1 to {MOST_TOKENS:,}")
    if None in tokens:
        raise InputError("None is no token: it stands for no value")
    if len(set(tokens)) < len(tokens):
        twice = next(token for n, token in enumerate(tokens) if token in tokens[:n])
        raise InputError(
            f"the vocabulary has {brief(presented(twice))} twice (True, 1 and 1.0 are one value): write it once"
        )
    return tokens


def _length(max_length: int) -> int:
    return whole_number(max_length, "max_length", 1, LONGEST, f"a whole number from 1 to {LONGEST:,}")


def _provenance(program: Program) -> list[str]:
    """Return the program as lines that a transformer keeps."""
    lines = [f"{COMPILED}{program.name or 'a program'}", *dump_lines(program), *text_lines(program)]
    shown = ["".join(c if c.isprintable() else "?" for c in line) for line in lines]
    return [line if len(line) <= 200 else f"{line[:199]}…" for line in shown]


def _require_readable(program: Program, plan: Plan) -> None:
    """Refuse outputs that no readout can say."""
    for _, value in plan.table:
        shown = presented(value)
        plain = shown is None or isinstance(shown, bool | str)
        number = isinstance(shown, int | float) and abs(shown) <= 1 << 53 and isfinite(shown)
        if not plain and not number:
            raise refusal(
                program.output.note.place,
                f"the output may be {brief(shown)}: a transformer says None, truth values, texts, floats, and whole "
                "numbers up to 2**53; write a function of it that gives one of them",
            )

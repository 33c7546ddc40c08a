"""Compiled programs: a transformer with the program that it computes, and the proof."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from weightsmith.arithmetic import Arithmetic
from weightsmith.errors import InputError, brief, listed
from weightsmith.model import Transformer, digest
from weightsmith.programs.graph import Program
from weightsmith.programs.interpreter import read_tokens
from weightsmith.programs.listing import dump
from weightsmith.programs.proof.certificate import Certificate, InType
from weightsmith.programs.proof.lemmas import Lemma
from weightsmith.programs.source_map import SourceMap
from weightsmith.programs.values import Value, exact, presented
from weightsmith.tables import first_lines


class ProgramProof(Protocol):
    """The proof of a back end."""

    T: Transformer

    @property
    def lemmas(self) -> Sequence[Lemma]:
        """All lemmas that hold."""

    @property
    def classes(self) -> Mapping[str, Value]:
        """The values for which classes stand; empty where a readout gives the values."""

    @property
    def types(self) -> tuple[InType, ...]:
        """The margins in machine types."""

    def data(self) -> Mapping[str, Any] | None:
        """Return the statement from which everything can be derived again."""


@dataclass(frozen=True, eq=False, repr=False)
class CompiledProgram:
    """A program as a transformer that computes it on every input up to `max_length`.

    `P("abca")` gives the value at every position, computed by the weights; `P.certificate()` proves that it is right.
    """

    program: Program
    transformer: Transformer
    vocabulary: tuple[Value, ...]
    max_length: int
    proof: ProgramProof

    def __call__(self, tokens: Sequence[Value]) -> list[Value]:
        """Return the value at every position, computed by the weights."""
        from weightsmith.inspect import outputs  # which loads the kernels

        return self.said(outputs(self.transformer, [self.read(tokens)])[0])

    def said(self, outputs: Sequence[Any]) -> list[Value]:
        """Return the outputs of the transformer as values: each class of a softmax model stands for one."""
        values = self.proof.classes
        return [presented(values[one]) for one in outputs] if values else list(outputs)

    @property
    def answers(self) -> tuple[Value, ...]:
        """The exact values that the transformer's answers stand for, in their order."""
        values = self.proof.classes
        return tuple(values.values()) if values else tuple(exact(one) for one in self.transformer.answers)

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

    @property
    def source_map(self) -> SourceMap:
        """The lines of the program behind each block, head, neuron and lane."""
        return SourceMap.of_program(self.program, self.transformer)

    def certificate(self, also: Sequence[Any] = ()) -> Certificate:
        """Return the lemmas that make it right, each with the number of cases and its margin.

        `also` are verdicts of `weightsmith.check.computes` on this program, which the certificate lists too.
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
            self.proof.types,
            digest(self.transformer),
            self.proof.data(),
        )

    def __repr__(self) -> str:
        """Return name and size; `print` shows program and weights."""
        T = self.transformer
        return f"<{self.program.name or 'program'} in {T.arithmetic}: {len(T.blocks)} blocks, {len(T.lanes)} lanes>"

    def _repr_html_(self) -> str:
        """Return the program and its transformer as HTML, for notebooks; a large transformer is a summary."""
        return first_lines(f"{self!r}\n\n{self.source}") + self.transformer._repr_html_()

    def __str__(self) -> str:
        """Return the program, the transformer that computes it, and which of its parts come from which lines."""
        return f"{self.source}\n\n{self.transformer!r}\n\n{self.source_map.table()}"

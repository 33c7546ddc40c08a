"""The claim that a compiled program computes what its interpreter says, at every position."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from weightsmith import programs
from weightsmith.automata import Input, Inputs, Truths
from weightsmith.check.claim import Claim, Values
from weightsmith.check.claims import ANSWERS
from weightsmith.check.entries import damaged_entry, digest_text, short_text
from weightsmith.check.frame import Frame
from weightsmith.errors import InputError, brief, shown
from weightsmith.model import Transformer, value_text
from weightsmith.programs.graph import Program
from weightsmith.programs.interpreter import evaluate, evaluate_batch
from weightsmith.programs.values import Value, exact, presented

INPUTS_AT_ONCE = 1 << 14
HAS_PROGRAM = "it holds a program, whose functions may be Python code"


@dataclass(frozen=True, eq=False)
class Computes(Claim):
    """The outputs are the values of a program, at every position of every input."""

    quantity = "outputs"
    kind = "computes"
    about = 1
    not_data = HAS_PROGRAM
    T: Transformer
    program: Program
    tokens: tuple[Value, ...]  # the values of the transformer's tokens, in their order
    answers: tuple[Value, ...]  # the values of its answers

    @property
    def models(self) -> tuple[Transformer, ...]:
        """The transformer of the program."""
        return (self.T,)

    def judge(self, values: Sequence[Values], inputs: Inputs) -> tuple[Truths, list[Values]]:
        """Compare each output with the interpreter's value; −2 stands for a value that is no answer."""
        answer_ids = {answer: n for n, answer in enumerate(self.answers)}
        parts = []
        for ids in inputs.ids(INPUTS_AT_ONCE):
            found, meant = evaluate_batch(self.program, self.tokens, ids)
            parts.append(np.array([answer_ids.get(value, -2) for value in meant], np.int32)[found])
        wanted = np.concatenate(parts)
        return (values[0] == wanted).all(axis=1), [values[0], wanted]

    def sides(self, tokens: Input, evidence: Sequence[Values]) -> dict[str, str]:
        """Return the outputs of the transformer and of the interpreter."""
        known = dict(zip(self.T.vocabulary, self.tokens, strict=True))
        meant = {one: presented(value) for one, value in zip(self.T.answers, self.answers, strict=True)}
        try:
            said = _listed([meant[one] for one in self.run(self.T, tokens).outputs])
        except InputError as error:
            said = str(error)
        return {"the transformer": said, "the program": _listed(evaluate(self.program, [known[t] for t in tokens]))}

    def described(self) -> dict[str, Any]:
        """Return the program as lines for people; `read` does not read them."""
        return {"program": {"name": self.program.name, "lines": str(self.program).splitlines()}}

    @classmethod
    def cited(cls, entries: Mapping[str, Any]) -> str:
        """Name the program."""
        program = entries.get("program")
        if not isinstance(program, Mapping) or not isinstance(program.get("name"), str | None):
            raise damaged_entry("program", program)
        name = "" if program.get("name") is None else f" {short_text(shown(program['name']))}"
        return f"computes the program{name} {digest_text('program', program)} at every position"

    @classmethod
    def read(cls, data: Mapping[str, Any], models: Sequence[Transformer], frame: Frame) -> Self:
        """Take the program that the caller passes as `function`."""
        (T,), P = models, data["function"]
        if not isinstance(P, programs.CompiledProgram):
            raise InputError(f"function={brief(P)}: write the compiled program that the claim was checked with")
        if P.transformer.vocabulary != T.vocabulary:
            raise InputError("the compiled program has another vocabulary than the transformer of the claim")
        same = T.answers == P.transformer.answers
        answers = P.answers if same else tuple(exact(one) for one in T.answers)
        return cls(T, P.program, P.vocabulary, answers, frame=frame)

    @classmethod
    def had_function(cls, data: Mapping[str, Any]) -> bool:
        """Return True: a program may hold Python functions, so it is never read from a file."""
        return True

    @property
    def code(self) -> frozenset[str]:
        """The program."""
        return frozenset(["program"])


def _listed(values: Sequence[Any]) -> str:
    return ", ".join(value_text(value) if isinstance(value, ANSWERS) else brief(value) for value in values)


def compiled_program(P: object) -> "programs.CompiledProgram":
    """Return a compiled program, or raise."""
    if not isinstance(P, programs.CompiledProgram):
        given = "a transformer" if isinstance(P, Transformer) else brief(P)
        raise InputError(
            f"computes takes a compiled program, and not {given}: write programs.compile(program, vocabulary=…, "
            "max_length=…); for a transformer alone, agrees_with(T, function, up_to=…)"
        )
    return P

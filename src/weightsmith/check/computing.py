"""The claim that a compiled program computes what its interpreter says, at every position."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from weightsmith.automata import Input, Inputs, Truths
from weightsmith.check.claim import Claim, Values
from weightsmith.check.claims import ANSWERS
from weightsmith.check.frame import Frame
from weightsmith.errors import InputError, brief
from weightsmith.model import Transformer, value_text
from weightsmith.programs.graph import Program
from weightsmith.programs.interpreter import evaluate, evaluate_batch
from weightsmith.programs.values import Value, exact, presented

if TYPE_CHECKING:
    from weightsmith.programs import CompiledProgram

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
    tokens: tuple[Value, ...]  # what the transformer's own stand for, in their order
    answers: tuple[Value, ...]  # and what its answers stand for

    @property
    def models(self) -> tuple[Transformer, ...]:
        """The one that it is about."""
        return (self.T,)

    def judge(self, values: Sequence[Values], inputs: Inputs) -> tuple[Truths, list[Values]]:
        """Compare each output with the interpreter's value; what the transformer cannot say is −2."""
        place = {answer: n for n, answer in enumerate(self.answers)}
        parts = []
        for ids in inputs.ids(INPUTS_AT_ONCE):
            found, meant = evaluate_batch(self.program, self.tokens, ids)
            parts.append(np.array([place.get(value, -2) for value in meant], np.int32)[found])
        wanted = np.concatenate(parts)
        return (values[0] == wanted).all(axis=1), [values[0], wanted]

    def sides(self, tokens: Input, evidence: Sequence[Values]) -> dict[str, str]:
        """Return what each side says at every position."""
        known = dict(zip(self.T.vocabulary, self.tokens, strict=True))
        meant = {one: presented(value) for one, value in zip(self.T.answers, self.answers, strict=True)}
        try:
            said = _listed([meant[one] for one in self.run(self.T, tokens).outputs])
        except InputError as error:
            said = str(error)
        return {"the transformer": said, "the program": _listed(evaluate(self.program, [known[t] for t in tokens]))}

    def described(self) -> dict[str, Any]:
        """Return the program as lines to read: they are not read back."""
        return {"program": {"name": self.program.name, "lines": str(self.program).splitlines()}}

    @classmethod
    def read(cls, data: Mapping[str, Any], models: Sequence[Transformer], frame: Frame) -> Self:
        """Take the program from what is given."""
        (T,), P = models, data["function"]
        from weightsmith.programs import CompiledProgram  # which loads the compiler

        if not isinstance(P, CompiledProgram):
            raise InputError(f"function={brief(P)}: write the compiled program that the claim was checked with")
        if P.transformer.vocabulary != T.vocabulary:
            raise InputError("the compiled program has another vocabulary than the transformer of the claim")
        same = T.answers == P.transformer.answers
        answers = P.answers if same else tuple(exact(one) for one in T.answers)
        return cls(T, P.program, P.vocabulary, answers, frame=frame)

    @classmethod
    def had_function(cls, data: Mapping[str, Any]) -> bool:
        """A program may hold Python functions, so it is never taken from a file."""
        return True

    @property
    def code(self) -> frozenset[str]:
        """The program."""
        return frozenset(["program"])


def _listed(values: Sequence[Any]) -> str:
    return ", ".join(value_text(value) if isinstance(value, ANSWERS) else brief(value) for value in values)


def compiled_program(P: object) -> "CompiledProgram":
    """Refuse what is no compiled program."""
    from weightsmith.programs import CompiledProgram  # which loads the compiler

    if not isinstance(P, CompiledProgram):
        given = "a transformer" if isinstance(P, Transformer) else brief(P)
        raise InputError(
            f"computes takes a compiled program, and not {given}: write programs.compile(program, vocabulary=…, "
            "max_length=…); for a transformer alone, agrees_with(T, function, up_to=…)"
        )
    return P

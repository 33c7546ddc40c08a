"""A task of the benchmark: a program, and what there is to know about it."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from weightsmith.arithmetic import Arithmetic
from weightsmith.programs import CompiledProgram
from weightsmith.programs import compile as compile_program
from weightsmith.programs.rasp import SOp

Difficulty: TypeAlias = Literal["easy", "medium", "hard"]
DIFFICULTIES: tuple[Difficulty, ...] = get_args(Difficulty)


@dataclass(frozen=True)
class Task:
    """A program of the benchmark. Its circuit is found on every input of up to `max_length` tokens: there are few."""

    name: str
    description: str
    program: Callable[[], SOp]
    vocabulary: tuple[Hashable, ...]
    max_length: int
    difficulty: Difficulty
    causal: bool = False

    @property
    def inputs(self) -> int:
        """The number of all its inputs."""
        return sum(len(self.vocabulary) ** length for length in range(1, self.max_length + 1))

    def compiled(
        self,
        backend: Literal["exact", "softmax"] = "exact",
        arithmetic: Arithmetic | None = None,
        gradients: bool = False,
    ) -> CompiledProgram:
        """Compile it."""
        return compile_program(
            self.program(), self.vocabulary, self.max_length, self.causal, arithmetic=arithmetic, backend=backend,
            gradients=gradients,
        )  # fmt: skip

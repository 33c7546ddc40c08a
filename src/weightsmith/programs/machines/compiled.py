"""`compile_machine`: a machine as a proved chain that carries out its steps, in the smallest arithmetic."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

from weightsmith.arithmetic import Arithmetic, Fixed, Native
from weightsmith.automata import Automaton
from weightsmith.errors import InputError, LawError, ModelError, brief, whole_number
from weightsmith.model import Chain, Transformer, digest
from weightsmith.programs.machines.counters import CounterMachine
from weightsmith.programs.machines.finite import FiniteAutomaton, from_automaton
from weightsmith.programs.machines.proof.certificate import MachineCertificate
from weightsmith.programs.machines.proof.data import table_data
from weightsmith.programs.machines.proof.steps import MachineProof
from weightsmith.programs.machines.table import StepTable, Tape
from weightsmith.programs.machines.turing import TuringMachine
from weightsmith.programs.machines.weights import MachineWeights
from weightsmith.programs.proof.lemmas import LemmaError

Machine: TypeAlias = TuringMachine | CounterMachine | FiniteAutomaton

LONGEST = 4096  # tokens of an input
MOST_STEPS = 4096
MOST_BITS = 25  # of the arithmetics that are tried
MOST_NUMBERS = 1 << 24  # weights of one matrix, and cases of the rules


@dataclass(frozen=True, eq=False, repr=False)
class MachineChain(Chain):
    """A chain whose tokens are the steps of a machine: see `compile_machine`."""

    machine: Machine | None = field(default=None, compare=False)

    @classmethod
    def stored_as(cls) -> str:
        """Return the name in files: a chain among others."""
        return Chain.stored_as()

    @property
    def table(self) -> StepTable:
        """The machine as a table of tokens."""
        if self.machine is None:
            raise ModelError("this chain has no machine: write compile_machine(machine)")
        return self.machine.table

    def certificate(self) -> MachineCertificate:
        """Return the lemmas by which every step is right, shown again from the weights."""
        table, length = self.table, cast(int, self.max_length)
        steps = max(self.steps_for(n) for n in range(length + 1))
        ends = tuple(token.name for token in table.tokens if token.answer is not None)
        answers = tuple((token.name, token.answer) for token in table.tokens if token.answer is not None)
        said = (self.prompt, self.inputs, tuple(self.until), self.answers, self.outputs)
        if said != ((table.prompt,), table.inputs, ends, answers, 1):
            raise LemmaError("the chain has another prompt, other inputs or other answers than its machine")
        proof = MachineProof(self.transformer, table, length, steps)
        return MachineCertificate(
            str(self.transformer.arithmetic),
            self.transformer.vocabulary,
            length,
            steps,
            tuple(proof.lemmas),
            digest(self.transformer),
            table_data(table),
        )

    def tape(self, tokens: str | Sequence[str], number: int = 0) -> tuple[str, ...]:
        """Return a tape after a run on an input, from its first symbol that is not blank to its last.

        A run that does not end within the steps gives the tape after the last one.
        """
        table, run = self.table, self.run(tokens)
        tapes = [n for n, register in enumerate(table.registers) if isinstance(register, Tape)]
        register = tapes[whole_number(number, "number", 0, len(tapes) - 1, f"0 to {len(tapes) - 1}")]
        tape = cast(Tape, table.registers[register])
        cells = dict(enumerate(run.tokens)) if tape.input else {}
        place, steps = 0, {token.name: token for token in table.tokens}
        for name in run.generated:
            written = steps[name].writes[register]
            if written is not None:
                cells[place] = written
            place += steps[name].moves[register]
        there = [cell for cell, symbol in cells.items() if symbol != tape.blank]
        return tuple(cells.get(cell, tape.blank) for cell in range(min(there), max(there) + 1)) if there else ()


def compile_machine(
    machine: Machine | Automaton | Mapping[Any, Any],
    max_length: int = 8,
    max_steps: int = 64,
    arithmetic: Arithmetic | None = None,
) -> MachineChain:
    """Return a machine as a chain: every token that it writes is a step of the machine.

    `machine` is a `TuringMachine`, a `CounterMachine`, a `FiniteAutomaton` or an automaton with a vocabulary. The chain
    is right on every input of up to `max_length` tokens, for `max_steps` steps; a finite automaton takes one step for
    each token of its input and one more. A machine that halts later does not end. Without `arithmetic` the smallest
    `Fixed` that will do is taken; one that is too small is refused.

    >>> from weightsmith.programs.machines import busy_beaver, compile_machine
    >>> C = compile_machine(busy_beaver(2))
    >>> C.run(()).generated
    ('1RB', '1LA', '1LB', '1LA', '1RB', '1RH')
    """
    if isinstance(machine, Automaton):
        machine = from_automaton(machine)
    if not isinstance(machine, TuringMachine | CounterMachine | FiniteAutomaton):
        raise InputError(
            f"{brief(machine)} is no machine: write TuringMachine(rules, start='A', halt='H'), CounterMachine(…) or "
            "FiniteAutomaton(…)"
        )
    length = whole_number(max_length, "max_length", 1, LONGEST, f"the longest input, 1 to {LONGEST:,} tokens")
    most = whole_number(max_steps, "max_steps", 1, MOST_STEPS, f"the most steps, 1 to {MOST_STEPS:,}")
    if isinstance(machine, FiniteAutomaton):
        most = length + 1
    table = machine.table
    _require_room(table)
    T = _smallest(table, length, most) if arithmetic is None else _in(arithmetic, table, length, most)
    ends = [token for token in table.tokens if token.answer is not None]
    return MachineChain(
        T,
        prompt=(table.prompt,),
        steps="n + 1" if isinstance(machine, FiniteAutomaton) else most,
        until=tuple(token.name for token in ends),
        answers={token.name: cast(str, token.answer) for token in ends},
        inputs=table.inputs,
        max_length=length,
        machine=machine,
    )


def _require_room(table: StepTable) -> None:
    """Refuse a machine whose weights or cases would be too many."""
    lanes = len(table.states) + len(table.tokens) + sum(2 * len(one.shows) + 2 for one in table.registers) + 3
    rows = max(len(table.rules), len(table.vocabulary), len(table.shows))
    if rows * lanes > MOST_NUMBERS:
        raise ModelError(
            f"the machine has {len(table.rules):,} rules and {len(table.tokens):,} different steps, too many for "
            f"{MOST_NUMBERS:,} weights: write a smaller machine"
        )


def _fixed(table: StepTable, length: int, steps: int) -> Iterator[Fixed]:
    """Yield the arithmetics that could do: the largest place must be a member."""
    places = [abs(end) for n in range(len(table.registers)) for end in table.places(n, steps - 1)]
    for bits in range(max(2, max(length, *places).bit_length()), MOST_BITS + 1):
        yield Fixed(bits, 0)


def _smallest(table: StepTable, length: int, steps: int) -> Transformer:
    """Return the transformer in the smallest Fixed in which it is proved; whole numbers need no fraction bits."""
    why: LawError | None = None
    for A in _fixed(table, length, steps):
        try:
            return _proved(A, table, length, steps)
        except LawError as error:
            why = error
    raise LawError(f"no arithmetic of up to {MOST_BITS} bits will do: write fewer steps; {why}")


def _in(A: Arithmetic, table: StepTable, length: int, steps: int) -> Transformer:
    """Return the transformer in this arithmetic, if it is proved there."""
    if isinstance(A, Native) or not isinstance(A, Arithmetic):
        raise InputError(
            f"arithmetic={brief(A)}: a machine is proved in a finite arithmetic: write Fixed(8, 1), or None for the "
            "smallest that will do"
        )
    try:
        return _proved(A, table, length, steps)
    except LawError as error:
        enough = _smallest(table, length, steps).arithmetic
        raise LawError(f"{error}; the smallest arithmetic that will do is {enough}") from error


def _proved(A: Arithmetic, table: StepTable, length: int, steps: int) -> Transformer:
    T = MachineWeights(table, A).transformer()
    try:
        MachineProof(T, table, length, steps)
    except LemmaError as error:
        raise LawError(f"{A} is too small for {steps} steps on inputs of {length} tokens: {error}") from error
    return T

"""`compile(program, vocabulary=…, max_length=…)`: the passes from a program to a proved transformer.

    parse      a program of either front end                 -> Program
    simplify   what is needed of every mean                  -> Needs
    plan       every node, in cells, heads and layers        -> Planner, Circuit
    place      the lane of every form that is read           -> Lanes
    assemble   rows of weights, in an arithmetic             -> Transformer
    prove      that the weights compute the program          -> Proof

Without a proof nothing is returned.
"""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from math import isfinite
from typing import Any, Literal, TypeAlias

import numpy as np

from weightsmith import programs
from weightsmith.arithmetic import Arithmetic, Native
from weightsmith.errors import InputError, brief, whole_number
from weightsmith.programs import lazy
from weightsmith.programs.budget import DEFAULT_MEMORY, allowed, in_force
from weightsmith.programs.circuit.assembly import Lanes, place
from weightsmith.programs.circuit.circuit import Circuit
from weightsmith.programs.circuit.forms import TooLargeError
from weightsmith.programs.compiler.compiled import CompiledProgram, ProgramProof
from weightsmith.programs.compiler.lowering import blocks_of, smallest, transformer
from weightsmith.programs.compiler.needs import simplify
from weightsmith.programs.compiler.planner import Planner
from weightsmith.programs.compiler.stating import state
from weightsmith.programs.failing import explained
from weightsmith.programs.graph import Program
from weightsmith.programs.listing import provenance, token_names
from weightsmith.programs.places import UndecidedError, refusal
from weightsmith.programs.proof.lemmas import LemmaError
from weightsmith.programs.proof.meaning import Meaning
from weightsmith.programs.proof.weights import Proof
from weightsmith.programs.values import Value, exact, presented

Backend: TypeAlias = Literal["exact", "softmax"]

LONGEST = 10_000  # positions
MOST_TOKENS = 10_000


def compile(  # the verb that people look for
    program: Any,
    vocabulary: Sequence[Value],
    max_length: int,
    causal: bool = False,
    arithmetic: Arithmetic | None = None,
    backend: Backend = "exact",
    seconds: float | None = None,
    memory: int = DEFAULT_MEMORY,
    *,
    gradients: bool = False,
    sharpness: float | None = None,
    portable: bool | None = None,
) -> CompiledProgram:
    """Return a program as a transformer, proved right on every input of 1 to `max_length` tokens.

    `program` is an operation of `rasp` or the result of `parse_rasp`. Without `arithmetic` the smallest `Fixed` that
    will do is taken. In a `causal` program no position selects a later one.

    With `backend="softmax"` nothing saturates: it computes the same in floats, in PyTorch and elsewhere, and the
    certificate gives the margins in float32, bfloat16 and float16. Its answers are classes. `portable=True` is the old
    name of this backend.

    With `gradients=True` it computes the same with softer scores, and with functions that are nowhere flat where a
    value can be, so that gradients reach every query, key, value and neuron. A smaller `sharpness` gives larger
    gradients and smaller margins; None takes a small one that leaves a margin.

    A program that takes more `seconds` to compile, or more bytes of `memory`, is refused; the error names the step and
    the amount that it would need. Memory is counted before it is used.

    >>> from weightsmith.programs import compile, rasp
    >>> hist = rasp.SelectorWidth(rasp.Select(rasp.tokens, rasp.tokens, rasp.Comparison.EQ))
    >>> P = compile(hist, vocabulary="abc", max_length=20)
    >>> P("abca")
    [2, 1, 1, 2]
    """
    tokens = _vocabulary(vocabulary)
    length = whole_number(max_length, "max_length", 1, LONGEST, f"a whole number from 1 to {LONGEST:,}")
    prove = _backed(_backend(backend, portable), gradients, sharpness)
    with allowed(seconds, memory):
        parsed = parse(program, causal)
        try:
            proof = prove(parsed, tokens, length, token_names(tokens), provenance(parsed), arithmetic)
        except InputError as error:
            if isinstance(error, UndecidedError) or isinstance(error.__cause__, TooLargeError):
                raise explained(error, parsed, tokens, length) from error
            raise
        return CompiledProgram(parsed, proof.T, tokens, length, proof)


def compile_rasp(
    text: str,
    vocabulary: Sequence[Value],
    max_length: int,
    name: str | None = None,
    causal: bool = False,
    arithmetic: Arithmetic | None = None,
    backend: Backend = "exact",
    folder: str | None = None,
    seconds: float | None = None,
    memory: int = DEFAULT_MEMORY,
    *,
    gradients: bool = False,
    sharpness: float | None = None,
    portable: bool | None = None,
) -> CompiledProgram:
    """Return the sequence operation of this name in RASP text as a transformer; without a name, the last one.

    The other arguments are those of `compile`.

    >>> from weightsmith.programs import compile_rasp
    >>> P = compile_rasp("hist = selector_width(select(tokens, tokens, ==));", vocabulary="abc", max_length=20)
    >>> P("abca")
    [2, 1, 1, 2]
    """
    program = programs.parse_rasp(text, name, folder)
    chosen = _backend(backend, portable)
    return compile(
        program, vocabulary, max_length, causal, arithmetic, chosen, seconds, memory,
        gradients=gradients, sharpness=sharpness,
    )  # fmt: skip


def parse(program: Any, causal: bool) -> Program:
    """Return a program of either front end; the one in Python is loaded only for its own expressions."""
    if isinstance(program, Program):
        return replace(program, causal=True) if causal and not program.causal else program
    return programs.program(program, causal=causal)


def _exact(
    program: Program,
    tokens: tuple[Value, ...],
    length: int,
    names: list[str],
    history: list[str],
    arithmetic: Arithmetic | None,
) -> ProgramProof:
    """Return the transformer of saturated heads, with its proof."""
    output = program.output.note.place
    needs = simplify(program)
    planner = Planner.through(program, needs, tokens, length)
    circuit = planner.plan()
    _require_readable(program, circuit)
    lanes = place(circuit)
    in_force().at("the proof", output)
    try:
        meaning = Meaning(state(planner, lanes))
        if arithmetic is None:
            return smallest(circuit, lanes, meaning, names, history)
        return _proved_in(arithmetic, circuit, lanes, meaning, names, history)
    except LemmaError as error:
        said = refusal(output, f"the weights were not proved, so they are not returned: {error}")
        raise LemmaError(str(said), error.needs) from error
    except TooLargeError as error:
        raise refusal(output, str(error)) from error


def _proved_in(
    A: Arithmetic, circuit: Circuit, lanes: Lanes, meaning: Meaning, names: list[str], history: list[str]
) -> Proof:
    """Return the transformer in this arithmetic, with its proof."""
    if isinstance(A, Native) or not isinstance(A, Arithmetic):
        raise InputError(
            f"arithmetic={brief(A)}: a program is proved in a finite arithmetic: write Fixed(8, 1), or None for the "
            "smallest that will do"
        )
    T = transformer(circuit, lanes, blocks_of(circuit, lanes), A, names, history)
    try:
        if T is None:
            raise LemmaError(f"{A} lacks a number that the weights need, or scores whose exp is ∞ and 0")
        return Proof(T, meaning)
    except LemmaError as error:
        enough = smallest(circuit, lanes, meaning, names, history).T.arithmetic
        place = meaning.program.output.note.place
        raise refusal(place, f"{error}; the smallest arithmetic that will do is {enough}") from error


def _backed(backend: Backend, gradients: object, sharpness: float | None) -> Callable[..., ProgramProof]:
    """Return the function of a back end, which takes a program and gives its transformer with a proof."""
    if not isinstance(gradients, bool | np.bool_):
        raise InputError(f"gradients={brief(gradients)}: write True or False")
    if gradients and backend == "exact":
        raise InputError('gradients=True is for softmax heads: write backend="softmax" too')
    if sharpness is not None and not gradients:
        raise InputError(f"sharpness={brief(sharpness)} is for models with gradients: write gradients=True too")
    return partial(lazy.softmax_proof, gradients=bool(gradients), sharp=sharpness) if backend == "softmax" else _exact


def _backend(backend: object, portable: bool | None) -> Backend:
    """Return the back end; `portable` is its old name, and stood in its place."""
    old = backend if isinstance(backend, bool) else portable
    if old is not None:
        advice = 'write backend="softmax"' if old else "leave it out"
        warnings.warn(f"portable={old} goes with the next version: {advice}", DeprecationWarning, stacklevel=3)
        return "softmax" if old else "exact"
    if backend == "softmax":
        return "softmax"
    if backend != "exact":
        raise InputError(f"backend={brief(backend)}: write 'exact' or 'softmax'")
    return "exact"


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


def _require_readable(program: Program, circuit: Circuit) -> None:
    """Refuse outputs that no readout can say."""
    for _, value in circuit.table:
        shown = presented(value)
        plain = shown is None or isinstance(shown, bool | str)
        number = isinstance(shown, int | float) and abs(shown) <= 1 << 53 and isfinite(shown)
        if not plain and not number:
            raise refusal(
                program.output.note.place,
                f"the output may be {brief(shown)}: a transformer says None, truth values, texts, floats, and whole "
                "numbers up to 2**53; write a function of it that gives one of them",
            )

"""Random programs: weights equal the interpreter on every input up to four tokens, or there is a reason why not."""

from itertools import product

import pytest

import weightsmith as ws
from tests.programs.drawn import drawn_program
from weightsmith.programs import CompiledProgram, Program, compile
from weightsmith.programs.interpreter import exact_values
from weightsmith.programs.values import presented

INPUTS = [list(one) for n in range(1, 5) for one in product("abc", repeat=n)]
CHUNK = 50


def compiled(program: Program, causal: bool, arithmetic: ws.Arithmetic | None = None) -> CompiledProgram | None:
    """Return the compiled program, or None where it is refused with a reason."""
    try:
        return compile(program, "abc", 4, causal=causal, arithmetic=arithmetic)
    except ws.InputError as error:
        return None if len(str(error)) > 20 else pytest.fail(f"refused without a reason: {error}")


def differences(P: CompiledProgram) -> list[object]:
    """Return the inputs on which weights and interpreter differ."""
    found: list[object] = []
    for tokens, said in zip(INPUTS, ws.outputs(P.transformer, INPUTS), strict=True):
        wanted = [presented(value) for value in exact_values(P.program, tokens)]
        found += [(tokens, list(said), wanted)] if list(said) != wanted else []
    return found


def check_chunk(chunk: int) -> None:
    refused = 0
    for seed in range(chunk * CHUNK, (chunk + 1) * CHUNK):
        causal = seed % 4 == 3
        P = compiled(drawn_program(seed, depth=1 + seed % 6, length=not causal), causal)
        refused += P is None
        assert P is None or differences(P) == [], seed
    assert refused <= CHUNK // 5


@pytest.mark.one_in(5)
@pytest.mark.parametrize("chunk", range(40))
def test_two_thousand_random_programs_are_compiled_exactly_or_refused(chunk: int) -> None:
    check_chunk(chunk)


@pytest.mark.long
@pytest.mark.parametrize("chunk", range(40, 240))
def test_ten_thousand_more_random_programs_are_compiled_exactly_or_refused(chunk: int) -> None:
    check_chunk(chunk)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("wider", [(0, 1), (1, 0), (2, 2)])
def test_random_programs_are_exact_in_wider_arithmetics_too(wider: tuple[int, int]) -> None:
    tried = 0
    for seed in range(60):
        program = drawn_program(seed, depth=2 + seed % 3)
        P = compiled(program, False)
        if P is None or P.arithmetic.precision > 20:
            continue
        A = ws.Fixed(P.arithmetic.precision + wider[0] + wider[1], wider[1])
        Q = compiled(program, False, A)
        if Q is None:  # wider fractions need larger scores, which need more room
            Q = compiled(program, False, ws.Fixed(P.arithmetic.precision + 4, wider[1]))
        assert Q is not None, seed
        assert differences(Q) == [], seed
        tried += 1
    assert tried >= 50


def test_no_smaller_arithmetic_would_do() -> None:
    tried = 0
    for seed in range(40):
        program = drawn_program(seed, depth=2 + seed % 3)
        P = compiled(program, False)
        if P is not None and P.arithmetic.precision > 2:
            assert compiled(program, False, ws.Fixed(P.arithmetic.precision - 1, 0)) is None, seed
            tried += 1
    assert tried >= 18

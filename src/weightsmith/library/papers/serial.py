"""What chains add: circuits gate by gate, and machines step by step."""

from weightsmith import programs
from weightsmith.arithmetic import Arithmetic
from weightsmith.errors import whole_number
from weightsmith.model import Chain


def ripple_adder(bits: int, arithmetic: Arithmetic | None = None) -> Chain:
    """Add two binary numbers of equal length by the circuit of full adders, one token for each gate.

    The input has the bits of both numbers, lowest first; the answer has one bit more. See `compile_circuit`.

    >>> ripple_adder(2)("1110")  # 3 + 1, lowest bit first
    ('0', '0', '1')
    """
    bits = whole_number(bits, "bits", 1, 64)

    def circuit(*wires):  # type: ignore[no-untyped-def]
        a, b, total = wires[:bits], wires[bits:], []
        carry = a[0] & b[0]
        total.append(a[0] ^ b[0])
        for x, y in zip(a[1:], b[1:], strict=True):
            total.append(x ^ y ^ carry)
            carry = (x & y) | (carry & (x ^ y))
        return *total, carry

    return programs.compile_circuit(circuit, inputs=2 * bits, arithmetic=arithmetic)


def binary_sum(word: str) -> tuple[str, ...]:
    """Return the bits of the sum, lowest first, of the two numbers that an input of `ripple_adder` holds.

    >>> binary_sum("1110")
    ('0', '0', '1')
    """
    half = len(word) // 2
    total = int("".join(word[:half])[::-1], 2) + int("".join(word[half:])[::-1], 2)
    return tuple(f"{total:0{half + 1}b}"[::-1])


def palindromes_by_machine(n: int, arithmetic: Arithmetic | None = None) -> Chain:
    """Answer YES exactly on the palindromes over a and b up to length n, by a Turing machine of one tape.

    The machine erases equal symbols at both ends. Every token of the chain is a step: at most (n + 1)(n + 2) / 2 of
    them. See `compile_machine`.

    >>> palindromes_by_machine(4)("abba")
    'YES'
    """
    n = whole_number(n, "n", 1, 64)
    steps = (n + 1) * (n + 2) // 2 + 1
    return programs.compile_machine(
        programs.machines.palindromes(), max_length=n, max_steps=steps, arithmetic=arithmetic
    )

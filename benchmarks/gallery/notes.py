"""Table of the notes' primitives: what each rewrite promises, decided in several arithmetics."""

from collections.abc import Callable
from itertools import product

import numpy as np

import weightsmith as ws
from benchmarks.gallery.table import Rows, Table, arithmetic, cell, word
from weightsmith.check import Verdict
from weightsmith.errors import WeightsmithError

SYSTEMS = ("fixed(2,2)", "fixed(4,4)", "float(3,3)", "float(4,3)", "float(2,4)")
LENGTH = 6


def model(A: ws.Arithmetic) -> ws.Transformer:
    """Return a random transformer with positions."""
    return ws.random_transformer(lanes=3, blocks=1, max_length=LENGTH, seed=1, arithmetic=A)


def flags(A: ws.Arithmetic) -> Verdict:
    """Claim that a flag changes no logit."""
    return ws.check.same_logits(model(A), ws.flag(model(A), "here", [3]), up_to=LENGTH)


def zeroing(A: ws.Arithmetic) -> Verdict:
    """Claim that the vector at the flag is 0 after zeroing, at a position that is the last."""
    T = ws.flag(model(A), "here", [3])
    zero = ws.zero_vector(T, at="here")
    here = [lane != "here" for lane in zero.lanes]
    return ws.check.final_vectors(zero, lambda h: (h[:, here] == 0).all(axis=1), length=4)


def linear_map(A: ws.Arithmetic) -> str:
    """Compare h_3 with M h_1 on every input of length 4, where M swaps two lanes."""
    T = model(A)
    M = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    mapped = ws.linear_map(T, M, source=1, target=3)
    place = [mapped.lanes.index(lane) for lane in T.lanes]
    for tokens in product("01", repeat=4):
        stream = ws.run(mapped, tokens).stream[-1]
        if not np.array_equal(stream[3][place], np.asarray(A.matvec(M, stream[1][place]))):
            return f"✗ {word(tokens)}"
    return "length 4, 16 inputs"


def form(rewrite: Callable[[ws.Transformer], ws.Transformer]) -> Callable[[ws.Arithmetic], Verdict]:
    """Return the claim that a normal form decides as the original, at all lengths."""

    def claim(A: ws.Arithmetic) -> Verdict:
        T = ws.library.contains("1", arithmetic=A)
        return ws.check.same_decisions(T, rewrite(T))

    return claim


def primitives() -> Rows:
    """Return a row for each primitive, a column for each arithmetic."""
    claims: dict[str, Callable[[ws.Arithmetic], Verdict]] = {
        "a flag changes no logit": flags,
        "zeroing: h_3 = 0": zeroing,
        "0-1 form decides alike": form(ws.zero_one_form),
        "∞ form decides alike": form(ws.infinity_form),
        "(∞, −∞) form decides alike": form(ws.signed_infinity_form),
    }
    rows: Rows = [
        (name, *(short(cell(lambda A=A: claim(A))) for A in map(arithmetic, SYSTEMS)))  # type: ignore[misc]  # noqa: B023
        for name, claim in claims.items()
    ]
    maps = []
    for A in map(arithmetic, SYSTEMS):
        try:
            maps.append(linear_map(A))
        except WeightsmithError as error:
            maps.append(short(f"refused: {error}"))
    return [*rows[:2], ("linear map: h_3 = M h_1", *maps), *rows[2:]]


def short(text: str) -> str:
    """Return a refusal without its advice."""
    return text.split("; ")[0].split(", which")[0] if text.startswith("refused") else text


TABLES = {"notes": Table("notes", ("claim", *SYSTEMS), primitives)}

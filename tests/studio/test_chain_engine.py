"""The page's engine writes the chains of Python, token for token, and draws the same next tokens."""

import json
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.files.mutations import mutated
from tests.files.rewritten import saved_with
from tests.studio.engine import Cases
from tests.studio.node import run_node
from tests.studio.random_chains import random_chain

STEPS = 12


def in_the_page(folder: Path, cases: list[dict[str, Any]]) -> list[Any]:
    """Return what the engine of the page says of each case."""
    (folder / "cases.json").write_text(json.dumps({"cases": cases}))
    report: list[Any] = json.loads(run_node("chains.mjs", folder))
    return report


def in_python(C: ws.Chain, tokens: tuple[str, ...]) -> dict[str, Any]:
    try:
        run = C.run(tokens)
    except ws.WeightsmithError as error:
        return {"refused": str(error)}
    answer, problem = None, None
    if run.halted:
        answer = [run.answer] if C.outputs == 1 else list(run.answer)
    else:
        with pytest.raises(ws.InputError) as caught:
            _ = run.answer
        problem = str(caught.value)
    found = {"generated": list(run.generated), "halted": run.halted, "answer": answer, "problem": problem}
    return {**found, "differs": None}


@pytest.mark.parametrize(
    "seeds", [range(24), *(pytest.param(range(n, n + 44), marks=pytest.mark.long) for n in range(24, 200, 44))], ids=str
)
def test_chains_are_written_as_in_python(seeds: range, tmp_path: Path) -> None:
    """The tokens, the answer, and each refusal in the same words; a step is a run of the whole text."""
    cases, expected = [], []
    for seed in seeds:
        C, inputs = random_chain(seed)
        ws.save(C, tmp_path / f"{seed}.safetensors")
        cases.append({"file": f"{seed}.safetensors", "inputs": inputs})
        expected.append([in_python(C, tokens) for tokens in inputs])
    found = in_the_page(tmp_path, cases)
    for case, here, there in zip(cases, expected, found, strict=True):
        assert not isinstance(there, dict), (case, there)
        for tokens, python, page in zip(case["inputs"], here, there, strict=True):
            assert page == python, (case["file"], tokens)
    told = [one for row in expected for one in row]
    kinds = ("answer", "problem", "refused")
    assert all(any(one.get(kind) is not None for one in told) for kind in kinds)


def test_circuits_machines_and_compositions_are_written_as_in_python(tmp_path: Path) -> None:
    adder = ws.programs.compile_circuit(
        [("xor", 0, 1), ("and", 0, 1), ("or", 2, 3)], inputs=2, arithmetic=ws.Fixed(1, 1)
    )
    parity = ws.library.parity_chain(max_length=4)
    chains = {"adder": adder, "parity": parity, "both": parity & ~ws.library.parity_chain(max_length=3)}
    cases = []
    for name, C in chains.items():
        ws.save(C, tmp_path / f"{name}.safetensors")
        cases.append({"file": f"{name}.safetensors", "inputs": [["0", "1"], ["1", "1"]]})
    expected = [[in_python(C, ("0", "1")), in_python(C, ("1", "1"))] for C in chains.values()]
    assert in_the_page(tmp_path, cases) == expected


def test_seeds_draw_the_numbers_of_numpy(tmp_path: Path) -> None:
    seeds = [0, 1, 10, 2**31, 2**32 - 1, 2**32, 987654321, 2**53 - 1]
    (found,) = in_the_page(tmp_path, [{"numbers": seeds}])
    assert found == [np.random.default_rng(seed).random(5).tolist() for seed in seeds]


def test_texts_continue_as_in_python(tmp_path: Path) -> None:
    """Greedily and drawn, at several temperatures, from some classes and all of them, with a seed."""
    T = ws.library.eiffel()
    ws.save(T, tmp_path / "eiffel.safetensors")
    ways = [
        (0.0, None, 0),
        *((heat, top, seed) for heat in (0.5, 2.0, 9.0) for top in (None, 1, 4) for seed in range(9)),
    ]
    text = ["The", "Eiffel"]
    texts = [
        {"tokens": text, "steps": STEPS, "how": {"temperature": heat, "topK": top, "seed": seed}}
        for heat, top, seed in ways
    ]
    (found,) = in_the_page(tmp_path, [{"file": "eiffel.safetensors", "texts": texts}])
    expected = [list(ws.generate(T, text, STEPS, temperature=heat, top_k=top, seed=seed)) for heat, top, seed in ways]
    assert found == expected
    assert len({tuple(one) for one in expected}) > 30


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.long)])
def test_mutated_chains_are_refused_where_python_refuses_them(seed: int, tmp_path: Path) -> None:
    cases, random, whole = Cases(tmp_path), Random(seed), list[bytes]()
    for number in (0, 2, 3, 5, 6, 7):
        C, _ = random_chain(number)
        ws.save(C, tmp_path / "chain")
        whole.append((tmp_path / "chain").read_bytes())
    codes = [cases.add_file(mutated(random.choice(whole), random)) for _ in range(300)]
    report = cases.run()
    assert not report["differences"], report["differences"][:3]
    wrong = [(n, *pair) for n, pair in enumerate(zip(codes, report["codes"], strict=True)) if pair[0] != pair[1]]
    assert not wrong, (len(wrong), wrong[:5])


def _setting(name: str, value: object) -> Any:
    return lambda chain: {**chain, name: value}


BAD: dict[str, Any] = {
    "no object": lambda chain: [],
    "a key is missing": lambda chain: {key: value for key, value in chain.items() if key != "min_length"},
    "an unknown key": lambda chain: {**chain, "more": 1},
    "a prompt that is a text": lambda chain: {**chain, "prompt": "="},
    "answers that are no pairs": lambda chain: {**chain, "answers": [["0"]]},
    **{
        f"{name}={value!r}": _setting(name, value)
        for name, values in {
            "prompt": (["?"], [None], [["0"]]),
            "until": (["="], ["?"], [1]),
            "inputs": ([], ["0", "0"], ["x"]),
            "outputs": (0, -1, None, True, 1.0, 2**70, "1"),
            "answers": ([["0", "NO"]], [["0", "NO"], ["1", 1]], [["0", "a"], ["1", "\x07"]], [["=", "b"]]),
            "steps": (
                None, 0, -1, 65536, 65537, True, 2.0, [], [0], [1, 1, 0], [None, 2, 3], [1, "2"], {}, "", "n", "-n",
                "n - 1", "2*n + 1", "2 ** n", "n//0", "(n", "n)", "1_0*n", "0x1F - n", "00 + n", "007", "n # all",
                "n\n", "(n\n)", "n\nn", "N", "nn", "n.real", "2**17*n", "2**n**2", "n**2**2", "+n", "f(n)", "n or 1",
                "n+" * 99 + "n", "n+" * 100 + "n", "65536", "65537", "6 5", "n//2", "0n", "1if n", "7//2*n",
            ),
            "max_length": (0, -1, 1.0, True, 3, 2**60, "3"),
            "min_length": (0, 1, 4, 5, None, 1.0),
        }.items()
        for value in values
    },
}  # fmt: skip


@pytest.mark.parametrize("table", [False, True])
def test_broken_chains_are_refused_where_python_refuses_them(table: bool, tmp_path: Path) -> None:
    C = ws.library.parity_chain(max_length=4)
    if table:
        rows = ws.PositionTable(np.zeros((20, len(C.transformer.lanes))))
        C = replace(C, transformer=replace(C.transformer, positions=rows), max_length=None)
    cases, codes = Cases(tmp_path), dict[str, str | None]()
    for name, change in BAD.items():

        def changed(header: Any, tensors: Any, change: Any = change) -> None:
            header["chain"] = change(header["chain"])

        codes[name] = cases.add_file(saved_with(C, tmp_path / "broken", changed).read_bytes())
    assert dict(zip(BAD, cases.run()["codes"], strict=True)) == codes
    assert {"structure", "model", None} == set(codes.values())

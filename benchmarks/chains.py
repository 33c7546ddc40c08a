"""Chains: tokens per second by the kernels, the reference and PyTorch with a cache, growth, and checks of chains."""

import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any
from unittest.mock import patch

import numpy as np
from rich.table import Table

import weightsmith as ws
from benchmarks.growth import power
from benchmarks.timing import best_seconds
from weightsmith.inspect.chains import written

GATES, BITS, MANY, FEWER = 40, 8, 10_000, 500
STEPS_GROWTH, INPUTS_GROWTH = (20, 40, 80, 160), (256, 1024, 4096, 16384)
ODD = "0*1(0*10*1)*0*"
Gates = list[tuple[str, int, int]]


def random_gates(gates: int, inputs: int) -> Gates:
    draw = Random(0)
    return [
        ("nand", draw.randrange(max(0, inputs + g - 12), inputs + g), draw.randrange(inputs + g)) for g in range(gates)
    ]


def circuit(gates: int = GATES, inputs: int = BITS) -> ws.Chain:
    """Return a random circuit as a chain: one block, two heads, a token for each gate."""
    return ws.programs.compile_circuit(random_gates(gates, inputs), inputs=inputs, arithmetic=ws.Fixed(2, 2))


def some_inputs(C: ws.Chain, count: int, length: int = BITS) -> np.ndarray:
    letters = [C.transformer.vocabulary.index(token) for token in C.vocabulary]
    return np.random.default_rng(0).choice(letters, (count, length))


def slowly(run: Callable[[], Any]) -> Any:
    """Run while no text grows by the kernels."""
    with patch("weightsmith.kernels.steps.packed_if_worthwhile", return_value=None):
        return run()


def finite() -> Table:
    """A circuit in fixed(2,2)."""
    from benchmarks.torch_chain import steps_of

    C = circuit()
    T = C.transformer
    table = Table(
        f"{GATES} gates, {BITS} bits, fixed(2,2)", "kernels", "the reference", "PyTorch", "to the reference",
        "to PyTorch",
        title="Tokens per second of a circuit as a chain, one thread each",
        caption=f"PyTorch: a loop of these shapes in float32, not exact; the reference: with a cache, {FEWER} inputs",
    )  # fmt: skip
    for count in (1, 256, MANY):
        ids, fewer = some_inputs(C, count), min(count, FEWER)
        text = np.hstack([ids, np.tile([T.vocabulary.index(token) for token in C.prompt], (count, 1)).astype(int)])
        peers: dict[str, Callable[[], Any]] = {
            "kernels": partial(written, C, ids),
            "reference": partial(slowly, partial(written, C, ids[:fewer])),
            "torch": steps_of(T, text, GATES),
        }
        assert np.array_equal(peers["kernels"]()[0][:fewer], peers["reference"]()[0])
        found = best_seconds(peers, repeat=3)
        speed = {name: (fewer if name == "reference" else count) * GATES / found[name] for name in peers}
        table.add_row(
            f"inputs: {count:,}; {1000 * found['kernels']:.1f} ms", *(f"{speed[name]:,.0f}" for name in peers),
            *(f"{speed['kernels'] / speed[name]:.1f}×" for name in ("reference", "torch")),
        )  # fmt: skip
    return table


def native() -> Table:
    """A random transformer in float32: sums of BLAS, and left folds by the kernels."""
    from benchmarks.torch_chain import steps_of

    T = ws.random_transformer(
        "abcd", lanes=64, blocks=2, heads=4, neurons=256, arithmetic=ws.Native("float32"), max_length=64
    )
    C = ws.Chain(replace(T, classes=tuple("abcd"), output=T.embedding), steps=GATES, inputs="abcd")
    table = Table(
        "2 blocks × 64 lanes × 4 heads, float32", "BLAS", "left folds", "PyTorch", "BLAS to PyTorch", "the same tokens",
        title="Tokens per second in Native, one thread each",
    )  # fmt: skip
    for count in (1, 1000):
        ids = some_inputs(C, count)
        peers: dict[str, Callable[[], Any]] = {
            "BLAS": partial(written, C, ids),
            "left": partial(written, C, ids, "left"),
            "torch": steps_of(C.transformer, ids, GATES),
        }
        found = best_seconds(peers, repeat=3)
        same = np.mean(peers["BLAS"]()[0] == peers["torch"]())
        speed = {name: count * GATES / found[name] for name in peers}
        table.add_row(
            f"inputs: {count:,}; {GATES} steps", *(f"{speed[name]:,.0f}" for name in peers),
            f"{speed['BLAS'] / speed['torch']:.2f}×", f"{100 * same:.1f} %",
        )  # fmt: skip
    return table


def peak(run: Callable[[], Any]) -> float:
    """Return the most memory that a run takes, in mebibytes."""
    tracemalloc.start()
    run()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most / 2**20


def growth() -> Table:
    """Time and memory by steps and by inputs."""
    table = Table("circuit, fixed(2,2)", "time", "memory", title="How chains grow, by the kernels, one thread")
    for name, sizes in (("steps", STEPS_GROWTH), ("inputs", INPUTS_GROWTH)):
        times, memory = [], []
        for size in sizes:
            C = circuit(size if name == "steps" else GATES)
            run = partial(written, C, some_inputs(C, 1024 if name == "steps" else size))
            times.append(best_seconds({"": run}, repeat=3)[""])
            memory.append(peak(run))
            table.add_row(f"{size:,} {name}", f"{1000 * times[-1]:.1f} ms", f"{memory[-1]:.1f} MiB")
        table.add_row(f"by {name}", power(sizes, times), power(sizes, memory))
    return table


def checks() -> Table:
    """Exhaustive checks of chains."""
    table = Table(
        "one worker",
        "inputs",
        "kernels",
        "the reference",
        "ratio",
        title="Exhaustive checks of chains",
    )
    gates = random_gates(GATES, 10)

    def value(bits: str) -> str:
        wires = [bit == "1" for bit in bits]
        for _, a, b in gates:
            wires.append(not (wires[a] and wires[b]))
        return "01"[wires[-1]]

    parity, C = ws.library.parity_chain(max_length=12), circuit(GATES, 10)
    asked: dict[str, Callable[[], Any]] = {
        "parity_chain up to 12": partial(ws.check.recognizes, parity, ODD, up_to=12, workers=1),
        f"{GATES} gates, all inputs of 10 bits": partial(ws.check.agrees_with, C, value, length=10, workers=1),
    }
    for name, check in asked.items():
        found = best_seconds({"kernels": check, "reference": partial(slowly, check)}, repeat=2)
        table.add_row(
            name, f"{check().inputs:,}", f"{found['kernels']:.3f} s", f"{found['reference']:.2f} s",
            f"{found['reference'] / found['kernels']:.0f}×",
        )  # fmt: skip
    return table


def measure() -> Iterator[Table]:
    yield finite()
    yield native()
    yield growth()
    yield checks()

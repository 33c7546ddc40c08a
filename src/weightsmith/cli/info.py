"""weightsmith info."""

from dataclasses import replace

import weightsmith as ws
from weightsmith.cli import lazy
from weightsmith.cli.consoles import results
from weightsmith.cli.loading import load_any
from weightsmith.cli.output import AsJson, ModelFile, print_json, say
from weightsmith.tables import Table, bar

BAR_WIDTH = 32  # how wide all weights are


def info(file: ModelFile, as_json: AsJson = False) -> None:
    """Show what is in a model file."""
    model = load_any(file)
    T = model.transformer if isinstance(model, ws.Chain) else model
    if as_json:
        tensors, metadata = lazy.encode(model if isinstance(model, ws.Chain) else replace(T, tokenizer=""))
        shapes = {name: list(array.shape) for name, array in tensors.items()}
        parts = {
            part: {"weights": count, "percent": round(percent(count, T), 2)}
            for part, count in weights_by_part(T).items()
        }
        counts = {
            "weights": T.weights,
            "nonzero_weights": T.nonzero_weights,
            "distinct_weights": T.distinct_weights,
            "weights_by_part": parts,
        }
        print_json({**metadata, "tensors": shapes, **counts})
        return
    say(repr(model))
    show_history(T)
    show_parts(T)


def show_history(T: "ws.Transformer") -> None:
    """Print the provenance of a transformer; of a compiled program, the lines with their weights."""
    sources = lazy.SourceMap.of(T)
    program, rest = sources.length, 0
    for line in T.provenance:
        begins = line.startswith(lazy.COMPILED) and rest == 0
        rest = program if begins else rest
        say(f"  {'made by ' if begins or rest == 0 else '        '}    {line}")
        rest = max(0, rest - 1)
    table = sources.table()
    if table is not None:
        results().print(table)


def weights_by_part(T: "ws.Transformer") -> dict[str, int]:
    """Count the weights of the embedding, attention, feed-forward layers, and other parts."""
    counts = {"embedding": 0, "positions": 0, "attention": 0, "feed-forward": 0, "norms": 0, "output": 0}
    for name, array in lazy.named_arrays(T):
        first, *rest = name.split(".")
        part = (rest[1] if first == "blocks" else first).replace("_", "-")
        part = "norms" if part.endswith("-norm") else part.removesuffix("-bias")
        counts[part] += array.size
    always = ("embedding", "attention", "feed-forward")
    return {part: count for part, count in counts.items() if count or part in always}


def percent(count: int, T: "ws.Transformer") -> float:
    """Return the share of all weights."""
    return 100 * count / T.weights


def show_parts(T: "ws.Transformer") -> None:
    """Print where the weights are, with bars on a terminal."""
    console = results()
    shown = Table("part", "weights", "share", *([""] if console.is_terminal else []), right=[1, 2])
    for part, count in weights_by_part(T).items():
        share = percent(count, T)
        bars = [bar(share / 100, BAR_WIDTH)] if console.is_terminal else []
        shown.add(part, f"{count:,}", f"{share:.1f} %", *bars)
    console.print(shown)
    say(f"different weights that are not 0: {T.distinct_weights:,}")

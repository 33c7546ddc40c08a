"""Results: the scores that a method gives to the edges and nodes of each model, as a JSON file that is not trusted."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weightsmith.circuits.folder import Entry
from weightsmith.errors import FileError, brief, listed
from weightsmith.inspect.components import Edge, Node
from weightsmith.storage import read_json, refusals, write_json

FORMAT, VERSION = "weightsmith circuit results", 1
HINT = "names are those of the model's circuit.json"


@dataclass(frozen=True)
class Scores:
    """What a method says about one model: larger means more important. Either may be missing."""

    edges: Mapping[Edge, float] | None
    nodes: Mapping[Node, float] | None


def plain_results(method: str, found: Mapping[str, Scores]) -> dict[str, Any]:
    """Return scores as plain values, for `json.dumps`."""
    models: dict[str, Any] = {}
    for name, scores in found.items():
        models[name] = {}
        if scores.edges is not None:
            models[name]["edges"] = {str(edge): float(score) for edge, score in scores.edges.items()}
        if scores.nodes is not None:
            models[name]["nodes"] = {str(node): float(score) for node, score in scores.nodes.items()}
    return {"format": FORMAT, "version": VERSION, "method": method, "models": models}


def write_results(path: str | os.PathLike[str], method: str, found: Mapping[str, Scores]) -> None:
    """Write scores to a file."""
    with refusals("cannot write", path):
        write_json(Path(path), plain_results(method, found))


def read_results(
    path: str | os.PathLike[str], entries: Sequence[Entry], *, some: bool = False
) -> tuple[str, dict[str, Scores]]:
    """Read the results for the models of a benchmark: the name of the method, and the scores of each model.

    Every model must be there, unless with `some`, and every edge, or every node, of a model.
    """
    content = read_json(path, "the file")
    with refusals("cannot read", path):
        return checked_results(content, entries, some=some)


def checked_results(
    content: dict[str, Any], entries: Sequence[Entry], *, some: bool = False
) -> tuple[str, dict[str, Scores]]:
    """Return the method and the scores that an object of JSON holds."""
    if content.get("format") != FORMAT or content.get("version") != VERSION:
        raise FileError(f'they are no results: write {{"format": "{FORMAT}", "version": {VERSION}, "models": {{…}}}}')
    models, method = content.get("models"), content.get("method", "")
    if not isinstance(models, dict) or not isinstance(method, str):
        raise FileError('"models" is an object with an entry for each model, and "method" a name')
    names = [entry.name for entry in entries]
    unknown = [name for name in models if name not in names]
    if unknown:
        raise FileError(f"{brief(unknown[0])} is no model of the benchmark: its index.json lists {listed(names, 6)}")
    missing = [name for name in names if name not in models]
    if not models or (missing and not some):
        raise FileError(
            f"{len(missing)} of the {len(names)} models are missing, first {listed(missing, 3)}: add them, or write "
            "some=True (--some) to score the others"
        )
    return method, {entry.name: _scores(entry, models[entry.name]) for entry in entries if entry.name in models}


def _scores(entry: Entry, content: Any) -> Scores:
    if not isinstance(content, dict) or not content or set(content) - {"edges", "nodes"}:
        raise FileError(f'{entry.name}: {brief(content)} is not {{"edges": {{…}}, "nodes": {{…}}}}')
    edges: dict[str, Any] = {str(edge): edge for edge in entry.truth.labels}
    nodes: dict[str, Any] = {str(node): node for node in entry.truth.nodes()}
    found = [
        _numbers(entry.name, what, content[what], names) if what in content else None
        for what, names in (("edges", edges), ("nodes", nodes))
    ]
    return Scores(*found)


def _numbers(model: str, what: str, scores: Any, names: Mapping[str, Any]) -> Any:
    """Return a number for each edge or node."""
    if not isinstance(scores, dict):
        raise FileError(f"{model}: {what} is {brief(scores)}: write an object with a number for each; {HINT}")
    for name, score in scores.items():
        if name not in names:
            raise FileError(f"{model}: {brief(name)} is none of its {what}; {HINT}")
        if type(score) not in (int, float) or not abs(score) < 1e300:
            raise FileError(f"{model}: the score of {brief(name)} is {brief(score)}: write a finite number")
    missing = [name for name in names if name not in scores]
    if missing:
        raise FileError(
            f"{model}: {len(missing)} of {len(names)} {what} have no score, first {brief(missing[0])}: write one for "
            f"each, the smallest for those that are left out; {HINT}"
        )
    return {names[name]: float(score) for name, score in scores.items()}

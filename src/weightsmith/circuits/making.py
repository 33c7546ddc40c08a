"""Makes a benchmark: for each program and kind a folder with the model, its circuit, and pairs of inputs."""

import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from weightsmith import __version__
from weightsmith.circuits.exports import EXPORTS, TARGETS, exported
from weightsmith.circuits.folder import (
    CIRCUIT,
    ENTRY,
    FORMAT,
    FORMS,
    INDEX,
    MODEL,
    PAIRS,
    VERSION,
    plain_pairs,
    read_index,
)
from weightsmith.circuits.kinds import KINDS, NEED_TORCH, Made
from weightsmith.circuits.pairs import drawn_pairs
from weightsmith.circuits.tasks import Task, chosen_tasks
from weightsmith.circuits.truth import GroundTruth, Label, circuit_json
from weightsmith.errors import FileError, InputError, WeightsmithError, brief, cut, listed
from weightsmith.export.capabilities import require_packages
from weightsmith.export.circuit_formats import circuit_as
from weightsmith.files import save
from weightsmith.model import Transformer
from weightsmith.storage import PART, read_json, refusals, write_json

Verify: TypeAlias = Literal["quick", "full"]
Report: TypeAlias = Callable[[int, int, str], None]
Index: TypeAlias = dict[str, Any]


def make(
    directory: str | os.PathLike[str],
    programs: str | int | Sequence[str] | None = None,
    kinds: str | Sequence[str] = ("exact",),
    *,
    verify: Verify = "quick",
    exports: str | Sequence[str] = EXPORTS,
    progress: Report | None = None,
) -> Index:
    """Make a benchmark in a directory, or go on with one; return its index.

    `programs` are names, difficulties, or a number of programs; `kinds` are names of `KINDS`. A model that exists is
    kept, so an interrupted run goes on where it was, and further programs and kinds can be added. A program that a kind
    does not take is in the index under "refused", with the reason. `exports` are the forms for other libraries.
    With verify="quick" each is run on all short inputs; with "full", searched for differences as exporters do.
    """
    tasks, chosen, forms = chosen_tasks(programs), _kinds(kinds), _exports(exports)
    if verify not in get_args(Verify):
        raise InputError(f"verify={brief(verify)}: write 'quick' or 'full'")
    settings = {"weightsmith": __version__, "verify": verify, "exports": list(forms)}
    place = Path(directory)
    index = _begun(place, settings)
    wanted = [(kind, task) for kind in chosen for task in tasks]
    refused = {(row["kind"], row["program"]) for row in index["refused"]}
    for done, (kind, task) in enumerate(wanted):
        if progress is not None:
            progress(done, len(wanted), f"{kind}/{task.name}")
        if (kind, task.name) in refused:
            continue
        try:
            entry = _made(place, kind, task, forms, verify)
            index["models"] = [row for row in index["models"] if row["name"] != entry["name"]] + [entry]
        except FileError:
            raise
        except WeightsmithError as error:
            index["refused"].append({"kind": kind, "program": task.name, "reason": str(error)})
        _write_index(place, index)
    if progress is not None:
        progress(len(wanted), len(wanted), "")
    return index


def _kinds(kinds: object) -> tuple[str, ...]:
    names = kinds.split(",") if isinstance(kinds, str) else kinds
    if not isinstance(names, Sequence) or not names or not all(isinstance(name, str) for name in names):
        raise InputError(f"kinds={brief(kinds)}: write some of {listed(list(KINDS))}")
    names = [name.strip() for name in names]
    for name in names:
        if name not in KINDS:
            raise InputError(f"there is no kind {brief(name)}: write some of {listed(list(KINDS))}")
        if name in NEED_TORCH:
            require_packages("PyTorch")
    return tuple(name for name in KINDS if name in names)


def _exports(exports: object) -> tuple[str, ...]:
    names = [name for name in exports.split(",") if name != "none"] if isinstance(exports, str) else exports
    if not isinstance(names, Sequence):
        raise InputError(f"exports={brief(exports)}: write some of {listed(EXPORTS)}, or none")
    names = [name.strip() if isinstance(name, str) else name for name in names]
    for name in names:
        if name not in EXPORTS:
            raise InputError(f"there is no export {brief(name)}: write some of {listed(EXPORTS)}, or none")
        _require_packages(name)
    return tuple(name for name in EXPORTS if name in names)


def _require_packages(export: str) -> None:
    try:
        require_packages(TARGETS[export])
    except WeightsmithError as error:
        raise InputError(f"{error}; or leave out {export}, exports='none' (--exports none)") from None


def _begun(place: Path, settings: dict[str, Any]) -> Index:
    """Return the index of a directory, which is new, empty, or holds a benchmark with the same settings."""
    with refusals("cannot write", place):
        if not place.exists():
            place.mkdir()
        elif not place.is_dir():
            raise FileError("it is a file, and a directory is written: give another name")
        names = sorted(name for name in os.listdir(place) if not name.startswith(PART[0]))  # others were cut short
        if INDEX not in names:
            if names:
                raise FileError(f"it holds something else ({listed(names)}): give the name of a new directory")
            index = {"format": FORMAT, "version": VERSION, "settings": settings, "models": [], "refused": []}
            write_json(place / INDEX, index)
            return index
        index = read_index(place)
        _check_rows(index)
        if index.get("settings") != settings:
            raise FileError(
                f"the benchmark in it was made with {brief(index.get('settings'), 200)}, and now it is "
                f"{brief(settings, 200)}: write the same settings, or another directory"
            )
        return index


def _check_rows(index: Index) -> None:
    """Refuse an index with a row that names no kind and program, such as one that was changed by hand."""
    for part, said in (("models", "name"), ("refused", "reason")):
        rows = index.get(part)
        if not isinstance(rows, list):
            raise FileError(f"{INDEX} has {part}={brief(rows)}, which is no list: make the benchmark again")
        for row in rows:
            if not _is_row(row) or not isinstance(row.get(said), str):
                raise FileError(
                    f"{INDEX} has {brief(row)} under {part!r}, which names no kind and program: make the benchmark "
                    "again, in another directory"
                )


def _is_row(row: Any) -> bool:
    programs = [task.name for task in chosen_tasks()]
    return isinstance(row, dict) and row.get("kind") in list(KINDS) and row.get("program") in programs


def _write_index(place: Path, index: Index) -> None:
    kinds, programs = list(KINDS), [task.name for task in chosen_tasks()]

    def order(row: dict[str, Any]) -> tuple[int, int]:
        return kinds.index(row["kind"]), programs.index(row["program"])

    index["models"].sort(key=order)
    index["refused"].sort(key=order)
    with refusals("cannot write", place):
        write_json(place / INDEX, index)


def _made(place: Path, kind: str, task: Task, forms: Sequence[str], verify: Verify) -> dict[str, Any]:
    """Return the entry of a model; its folder is made under another name first, if it is not there."""
    target, part = place / kind / task.name, place / kind / f".weightsmith-{task.name}.part"
    if target.exists():
        return _existing(target, kind, task)
    made = KINDS[kind].make(task)
    with refusals("cannot write", target):
        target.parent.mkdir(exist_ok=True)
        if part.exists():
            shutil.rmtree(part)
        part.mkdir()
    try:
        entry = _write(part, kind, task, made, forms, verify)
        with refusals("cannot write", target):
            os.rename(part, target)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return entry


def _existing(target: Path, kind: str, task: Task) -> dict[str, Any]:
    """Return the entry in a folder that was made before; refuse any other folder."""
    with refusals("cannot write", target):
        if (target / ENTRY).is_file():
            entry = read_json(target / ENTRY, ENTRY)
            if _is_row(entry) and entry.get("name") == f"{kind}/{task.name}" == f"{entry['kind']}/{entry['program']}":
                return entry
        raise FileError("it holds something else: give another directory, or remove it")


def _write(part: Path, kind: str, task: Task, made: Made, forms: Sequence[str], verify: Verify) -> dict[str, Any]:
    T = made.transformer
    truth = made.truth(task.max_length)
    split = drawn_pairs(T, task.max_length, task.name)
    made.save_more(part)
    save(T, part / MODEL)
    with refusals("cannot write", part):
        write_json(part / CIRCUIT, circuit_json(T, made.original, truth))
        write_json(part / PAIRS, plain_pairs(split))
        write_json(part / FORMS, _forms(T, truth))
    counts = {label: len(truth.edges(label)) for label in get_args(Label)}
    entry = {
        "name": f"{kind}/{task.name}",
        "kind": kind,
        "program": task.name,
        "difficulty": task.difficulty,
        "description": task.description,
        "vocabulary": list(T.vocabulary),
        "max_length": task.max_length,
        "inputs": task.inputs,
        "answers": [str(answer) for answer in T.answers],
        "edges": counts,
        "nodes": {"live": sum(truth.nodes().values()), "silent": sum(not live for live in truth.nodes().values())},
        "pairs": {"train": len(split.train), "test": len(split.test)},
        "exports": {form: _exported(T, form, part, verify) for form in forms},
    }
    with refusals("cannot write", part):
        write_json(part / ENTRY, entry)
    return entry


def _forms(T: Transformer, truth: GroundTruth) -> dict[str, Any]:
    """Return the live edges in the forms of other libraries; tuples of ACDC are lists in JSON."""
    live = truth.edges("live")
    return {
        "acdc": [list(edge) for edge in circuit_as(T, live, "acdc")],
        "auto-circuit": circuit_as(T, live, "auto-circuit"),
        "interpbench": circuit_as(T, live, "interpbench"),
    }


def _exported(T: Transformer, form: str, part: Path, verify: Verify) -> dict[str, Any]:
    """Write a model for another library; return how it agrees, or why it was refused."""
    try:
        return exported(T, form, part, verify)
    except FileError:
        raise
    except WeightsmithError as error:
        return {"refused": cut(str(error), 1000)}

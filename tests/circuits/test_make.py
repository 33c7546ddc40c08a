"""Making a benchmark: the same bytes each time, and interrupted runs that go on."""

import json
import sys
from pathlib import Path
from typing import get_args

import pytest

import weightsmith as ws
from tests.circuits.conftest import PROGRAMS
from weightsmith import circuits
from weightsmith.circuits.making import _made
from weightsmith.circuits.truth import Label


def content(place: Path) -> dict[str, bytes]:
    return {str(path.relative_to(place)): path.read_bytes() for path in sorted(place.rglob("*")) if path.is_file()}


def test_a_benchmark_made_twice_has_equal_bytes(small: Path, tmp_path: Path) -> None:
    circuits.make(tmp_path / "again", PROGRAMS, "exact,distracted", exports="none")
    assert content(tmp_path / "again") == content(small)
    assert len(content(small)) > 15


def test_an_interrupted_run_goes_on(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = 0

    def stopped(*arguments: object) -> object:
        nonlocal made
        made += 1
        if made == 3:
            raise KeyboardInterrupt
        return _made(*arguments)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr("weightsmith.circuits.making._made", stopped)
        with pytest.raises(KeyboardInterrupt):
            circuits.make(tmp_path / "b", PROGRAMS, "exact,distracted", exports="none")
    assert len(circuits.read_benchmark(tmp_path / "b")) == 2
    before = (tmp_path / "b/exact/count-a/model.json").stat().st_mtime_ns
    (tmp_path / "b/exact/.weightsmith-distinct.part").mkdir()  # of a process that was killed
    circuits.make(tmp_path / "b", PROGRAMS, "exact,distracted", exports="none")
    assert content(tmp_path / "b") == content(small)
    assert (tmp_path / "b/exact/count-a/model.json").stat().st_mtime_ns == before


def test_foreign_folders_are_refused(small: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/thesis.tex").write_text("")
    with pytest.raises(ws.FileError, match="it holds something else .thesis.tex.: give the name of a new directory"):
        circuits.make(tmp_path / "mine", 1, exports="none")
    circuits.make(tmp_path / "b", "count-a", exports="none")
    (tmp_path / "b/exact/majority").mkdir()
    with pytest.raises(ws.FileError, match="it holds something else: give another directory, or remove it"):
        circuits.make(tmp_path / "b", "majority", exports="none")
    with pytest.raises(ws.FileError, match="write the same settings, or another directory"):
        circuits.make(tmp_path / "b", "count-a", exports="none", verify="full")


@pytest.mark.parametrize(
    ("part", "row"),
    [
        ("models", "odd"), ("models", {}), ("models", []), ("models", {"kind": "exotic", "program": "count-a"}),
        ("models", {"kind": "exact", "program": "count-q", "name": "exact/count-q"}), ("refused", 3),
        ("models", {"kind": {}, "program": [], "name": "exact/count-a"}), ("refused", {"kind": "exact", "reason": ""}),
        ("refused", {"kind": "exact", "program": "count-a", "reason": 3}),
    ],
)  # fmt: skip
def test_an_index_with_a_damaged_row_is_refused(tmp_path: Path, part: str, row: object) -> None:
    circuits.make(tmp_path / "b", "count-a", exports="none")
    index = json.loads((tmp_path / "b/index.json").read_text())
    index[part].append(row)
    (tmp_path / "b/index.json").write_text(json.dumps(index))
    with pytest.raises(ws.FileError, match=f"index.json has .* under '{part}', which names no kind and program"):
        circuits.make(tmp_path / "b", "count-a", exports="none")
    (tmp_path / "b/index.json").write_text(json.dumps({**index, part: 3}))
    with pytest.raises(ws.FileError, match=f"index.json has {part}=3, which is no list|holds no benchmark"):
        circuits.make(tmp_path / "b", "count-a", exports="none")


@pytest.mark.parametrize("change", [{"program": None}, {"program": "majority"}, {"kind": "softmax"}, {"name": 3}])
def test_a_model_whose_entry_is_damaged_is_not_taken(tmp_path: Path, change: dict[str, object]) -> None:
    circuits.make(tmp_path / "b", "count-a", exports="none")
    path = tmp_path / "b/exact/count-a/model.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(ws.FileError, match="it holds something else: give another directory, or remove it"):
        circuits.make(tmp_path / "b", "count-a", exports="none")


def test_a_run_that_was_killed_before_its_index_was_written_goes_on(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b/.weightsmith-1234.part").write_text("{")
    assert len(circuits.make(tmp_path / "b", "count-a", exports="none")["models"]) == 1


def test_exports_say_which_package_they_need_before_anything_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package, form in (("transformer_lens", "transformer-lens"), ("transformers", "hugging-face")):
        with monkeypatch.context() as patched:
            patched.setitem(sys.modules, package, None)
            with pytest.raises(
                ws.WeightsmithError, match=f"needs {package}: write pip .*; or leave out {form}, exports='none'"
            ):
                circuits.make(tmp_path / "b", "count-a", exports=form)
        assert not (tmp_path / "b").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"kinds": "exact,exotic"}, "there is no kind 'exotic': write some of exact, softmax"),
        ({"kinds": []}, r"kinds=\[\]: write some of exact"),
        ({"kinds": None}, "kinds=None: write some of exact"),
        ({"programs": 0}, "programs=0: write a number from 1 to "),
        ({"programs": "9" * 5000}, "programs=1000000000: write a number from 1 to "),
        ({"programs": True}, "programs=True: write names of programs, easy, medium, hard, or a number"),
        ({"programs": "count-q"}, r"'count-q' is no program of the benchmark: did you mean count-a.*\? write names"),
        ({"programs": [3]}, r"programs=\[3\]: write names"),
        ({"verify": "slow"}, "verify='slow': write 'quick' or 'full'"),
        ({"exports": "keras"}, "there is no export 'keras': write some of hugging-face, transformer-lens, or none"),
        ({"exports": 3}, "exports=3: write some of"),
    ],
)
def test_wrong_values_are_named(tmp_path: Path, arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ws.InputError, match=message):
        circuits.make(tmp_path / "b", **arguments)  # type: ignore[arg-type]
    assert not (tmp_path / "b").exists()


def test_an_entry_says_what_the_folder_holds(small: Path) -> None:
    for entry in circuits.read_benchmark(small):
        truth, data = entry.truth, entry.data
        assert data["edges"] == {label: len(truth.edges(label)) for label in get_args(Label)}
        assert entry.transformer.vocabulary == tuple(data["vocabulary"])
        rows = json.loads((entry.folder / "circuit.json").read_text())["edges"]
        assert sum("witness" in row for row in rows) == data["edges"]["live"]


def test_distractors_are_outside_the_circuit(small: Path) -> None:
    for entry in circuits.read_benchmark(small):
        if entry.kind == "distracted":
            own = next(one for one in circuits.read_benchmark(small) if one.name == f"exact/{entry.program}")
            assert entry.data["edges"]["live"] == own.data["edges"]["live"]
            assert entry.data["nodes"]["silent"] > 0


def test_pairs_have_other_answers_and_no_clean_input_is_in_both_parts(small: Path) -> None:
    for entry in circuits.read_benchmark(small):
        T, split = entry.transformer, entry.pairs
        assert {pair.clean for pair in split.train}.isdisjoint(pair.clean for pair in split.test)
        for pair in [*split.train[:10], *split.test[:10]]:
            ours, theirs = ws.outputs(T, [pair.clean, pair.corrupted])
            assert ours[pair.position] != theirs[pair.position]

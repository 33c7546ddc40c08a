"""The program that checks proofs on its own: it accepts what is true, and refuses whatever was made false."""

import ast
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import combinations, count
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.automata.models import random_model
from tests.check.test_every_length import COMPOSED, REGULAR, flagged
from weightsmith import verify
from weightsmith.automata.extraction import Budget, UnknownError, equal_parts, extract
from weightsmith.check.proof import proof_of, sealed
from weightsmith.files import model_bytes

PROGRAM = Path(verify.__file__)
Data = dict[str, Any]


def certificate(v: ws.check.Verdict, folder: Path) -> Data:
    v.save(folder / "claim.json")
    data: Data = json.loads((folder / "claim.json").read_text())
    return data


def accepts(models: Sequence[ws.Transformer], data: Data) -> bool:
    try:
        return verify.check([verify.Model(model_bytes(T)) for T in models], data).startswith("proved")
    except Exception:  # as the program itself does
        return False


# It stands alone


def test_it_is_one_short_file_of_the_standard_library() -> None:
    text = PROGRAM.read_text()
    assert len(text.splitlines()) <= 500
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom)]
    modules = {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    modules |= {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}
    assert all(node.level == 0 for node in nodes if isinstance(node, ast.ImportFrom))
    assert {module.partition(".")[0] for module in modules} <= sys.stdlib_module_names


def run_alone(folder: Path, *files: str) -> "subprocess.CompletedProcess[str]":
    shutil.copy(PROGRAM, folder / "verify.py")
    command = [sys.executable, "-I", "-S", "verify.py", *files]  # without any installed package
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_it_runs_where_nothing_is_installed(tmp_path: Path) -> None:
    S, T = ws.library.ends_with("01"), ws.library.contains("1")
    ws.save(S, tmp_path / "model.safetensors")
    ws.save(T, tmp_path / "other.safetensors")
    certificate(ws.check.recognizes(S, ".*01"), tmp_path)
    right = run_alone(tmp_path, "model.safetensors", "claim.json")
    assert (right.returncode, right.stdout, right.stderr) == (0, "proved, all lengths: recognizes\n", "")
    for files in (
        ["other.safetensors", "claim.json"],
        ["claim.json"],
        ["model.safetensors"],
        ["none", "claim.json"],
        [],
    ):
        wrong = run_alone(tmp_path, *files)
        assert (wrong.returncode, wrong.stdout) == (1, "")
        assert wrong.stderr.startswith("refused: ")


# It accepts


@pytest.mark.one_in(3)
@pytest.mark.parametrize("form", [lambda T: T, ws.infinity_form, ws.signed_infinity_form], ids=["plain", "∞", "±∞"])
@pytest.mark.parametrize("entry", REGULAR, ids=lambda entry: entry.name)
def test_it_accepts_the_library_and_its_forms(entry: Any, form: Any, tmp_path: Path) -> None:
    T = entry.build()
    assert accepts([form(T)], certificate(ws.check.recognizes(form(T), entry.language), tmp_path))
    assert accepts([T, form(T)], certificate(ws.check.same_decisions(T, form(T)), tmp_path))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", COMPOSED)
def test_it_accepts_compositions(name: str, tmp_path: Path) -> None:
    make, language = COMPOSED[name]
    assert accepts([make()], certificate(ws.check.recognizes(make(), language), tmp_path))


def test_it_accepts_tables_parts_of_languages_and_lengths(tmp_path: Path) -> None:
    S, T = ws.library.ends_with("01"), flagged(ws.library.ends_with("01"))
    assert accepts([T], certificate(ws.check.recognizes(T, ".*01"), tmp_path))
    assert accepts([S, T], certificate(ws.check.same_decisions(S, T), tmp_path))
    v = ws.check.recognizes(S, "1*01", within="1*0*1*")
    assert not v.holds
    v = ws.check.recognizes(S, "1*0+1", within="1*0*1?")
    assert v.holds
    assert accepts([S], certificate(v, tmp_path))
    majority = ws.library.majority("1", arithmetic=ws.Fixed(2, 2))
    up_to = ws.check.same_decisions(majority, ~~majority, up_to=40)
    assert (up_to.holds, up_to.scope) == (True, "up to 40")
    assert accepts([majority, ~~majority], certificate(up_to, tmp_path))


def test_it_accepts_formulas(tmp_path: Path) -> None:
    for formula in ("O(a & Y b)", "(!a S b) | H a"):
        P = ws.programs.compile_ltl(formula, vocabulary="ab")
        assert accepts([P.transformer], certificate(ws.check.recognizes(P.transformer, P.automaton), tmp_path))


def proofs(seeds: range) -> Iterator[tuple[ws.Transformer, Data]]:
    for seed in seeds:
        T = random_model(seed)
        try:
            looks = Budget(500, 300, clock=partial(next, count(0.0)))  # so that the same end on every machine
            yield T, json.loads(json.dumps(extract(T, looks).journal.to_json()))
        except (UnknownError, ws.ModelError):  # a norm of 0 has no root
            continue


@pytest.mark.parametrize(
    "begin", [pytest.param(n, marks=[] if n < 20 else pytest.mark.long) for n in range(0, 400, 20)]
)
def test_it_accepts_random_models_of_every_kind(begin: int) -> None:
    found = 0
    for T, data in proofs(range(begin, begin + 20)):
        model = verify.Model(model_bytes(T))
        machines = verify.Proof(model, data).machines
        found += 1
        for text in ("a", "aa", "aaa"[: T.max_length]):  # of the machines one speaks, and says the decision
            states = [0] * len(machines)
            for token in text:
                letter = model.letters.index(model.embedding[T.vocabulary.index(token)])
                states = [M.table[s][letter] for M, s in zip(machines, states, strict=True)]
            (label,) = {M.labels[s] for M, s in zip(machines, states, strict=True)} - {0}
            assert T.classes[label - 1] == ws.run(T, text).decision
    assert found >= 5


# It refuses


def numbers(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the places of all numbers in data."""
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from numbers(inner, (*path, key))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path


def changed(data: Any, path: Sequence[Any], value: Any) -> Any:
    """Return data with another value at a place; the rest is not copied."""
    if not path:
        return value
    new = data.copy()
    new[path[0]] = changed(data[path[0]], path[1:], value)
    return new


def test_it_refuses_any_certificate_in_which_a_number_was_changed(tmp_path: Path) -> None:
    S = ws.library.ends_with("01")
    data = certificate(ws.check.recognizes(S, ".*01"), tmp_path)
    assert accepts([S], data)
    for path in numbers(data):
        assert not accepts([S], changed(data, path, 1_000_003))


@cache
def false_claims() -> list[tuple[tuple[ws.Transformer, ...], Data]]:
    """Return claims that are false, each with all that is true in a proof."""
    library = ws.library
    right = {
        library.contains("1"): ".*1.*", library.contains_word("11"): ".*11.*", library.starts_with("01"): "01.*",
        library.exact_length(2): "..", ~library.contains("0"): "1+", ws.infinity_form(library.contains("0")): ".*0.*",
    }  # fmt: skip
    pairs = [ws.check.same_decisions(S, T) for S, T in combinations(right, 2)]
    wrong = [ws.check.recognizes(T, language) for T in right for language in right.values()]
    refuted = [v for v in (*pairs, *wrong) if not v.holds]
    assert len(refuted) == 15 + 30
    return [(v.claim.models, forged(v)) for v in refuted]


def forged(v: ws.check.Verdict) -> Data:
    more = {"holds": True, "scope": "all lengths", "counterexample": None}
    data: Data = json.loads(json.dumps({**v.certificate(), **more, **proof_of(v.claim, Budget())}))
    return data


def mutated(data: Data, random: Random) -> Data:
    """Change a few numbers of a proof, or leave something out."""
    for _ in range(random.choice([1, 1, 2, 4])):
        part = random.choice(["proof", "proof", "proof", "automata"])
        places = list(numbers(data[part], (part,)))
        if not places:
            continue
        path = random.choice(places)
        kind = random.randrange(4)
        if kind == 3 and len(path) > 4:  # a list, or an entry of one, that is empty
            data = changed(data, path[: random.randrange(3, len(path))], [])
        else:
            data = changed(data, path, random.choice([-1, 0, 0, 1, 2, 3, random.randrange(12)]))
    return data


@pytest.mark.parametrize("seed", [pytest.param(n, marks=[] if n < 2 else pytest.mark.long) for n in range(20)])
def test_it_refuses_proofs_of_false_claims_however_they_are_changed(seed: int) -> None:
    random = Random(seed)
    for _ in range(50):
        models, data = random.choice(false_claims())
        assert not accepts(models, sealed(mutated(data, random)))


def test_it_refuses_false_claims_with_true_proofs() -> None:
    for models, data in false_claims():
        with pytest.raises(ValueError, match="on some input the claim fails"):
            verify.check([verify.Model(model_bytes(T)) for T in models], sealed(data))


def test_a_reading_that_should_speak_and_says_a_label_below_0_is_refused(tmp_path: Path) -> None:
    """Otherwise nobody would speak there, and nothing would be compared."""
    S, T = ws.library.contains("1"), ws.library.contains("0")
    data = forged(ws.check.same_decisions(S, T))
    for entry in data["proof"][0]["machines"]:
        entry["labels"] = [-abs(label) for label in entry["labels"]]
    assert not accepts([S, T], sealed(data))


def averaging() -> ws.Transformer:
    """Decides whether a mean over tokens with three values is above 0."""
    nothing, value, mean = np.array([[0.0, 0.0]]), np.array([[1.0, 0.0]]), np.array([[0.0], [1.0]])
    head = ws.Head(nothing, value, value, mean, ws.AverageHard())
    return ws.Transformer(
        arithmetic=ws.Fixed(2, 2),
        vocabulary=("a", "b", "c"),
        lanes=("value", "mean"),
        embedding=np.array([[1.0, 0.0], [-1.5, 0.0], [0.5, 0.0]]),
        blocks=(ws.Block(attention=ws.Attention((head,))),),
        output=np.array([[0.0, 0.0], [0.0, 1.0]]),
    )


def made_wrong(monkeypatch: pytest.MonkeyPatch, name: str, wrong: Any) -> tuple[verify.Model, Data]:
    """Return a proof about it that a wrong engine makes: it agrees with itself."""
    T = averaging()
    model = verify.Model(model_bytes(T))
    verify.Proof(model, json.loads(json.dumps(extract(T).journal.to_json())))
    monkeypatch.setattr(equal_parts, name, wrong)
    return model, json.loads(json.dumps(extract(T).journal.to_json()))


def test_it_refuses_proofs_in_which_sums_are_left_out_though_they_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    def all_negligible(kinds: Any, told: Any, limits: Any) -> dict[int, int]:
        return dict.fromkeys(range(len(kinds.added)), 0)

    with pytest.raises(ValueError, match="a label is of another thing"):
        verify.Proof(*made_wrong(monkeypatch, "_negligible", all_negligible))


def test_it_refuses_proofs_in_which_weights_are_one_guess_though_they_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = equal_parts._kinds

    def one_kind(*given: Any) -> Any:
        return replace(kinds(*given), of_count=kinds(*given).of_count * 0, added=[None])

    with pytest.raises(ValueError, match="weights of one guess make different terms"):
        verify.Proof(*made_wrong(monkeypatch, "_kinds", one_kind))


def test_it_refuses_what_goes_further_than_a_table(tmp_path: Path) -> None:
    T = flagged(ws.library.ends_with("01"))
    data = certificate(ws.check.recognizes(T, ".*01"), tmp_path)
    for scope in ("all lengths", "up to 65"):
        assert not accepts([T], sealed({**data, "scope": scope}))
    assert accepts([T], sealed({**data, "scope": "up to 63"}))


def test_what_it_does_not_read_is_certified_without_a_proof(tmp_path: Path) -> None:
    T = ws.random_transformer(vocabulary="ab", lanes=2, blocks=1, neurons=2, max_length=4, seed=1)
    v = ws.check.same_decisions(T, T, suffix=("b",))
    data = certificate(v, tmp_path)
    assert data["unproved"] == "each input is followed by a suffix"
    assert "proof" not in data
    assert not accepts([T, T], data)

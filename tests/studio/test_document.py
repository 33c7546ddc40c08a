"""A page in one file: nothing in a model can break out of it, and it lets nothing else in."""

import base64
import gzip
import hashlib
import re
from pathlib import Path
from typing import Any

import pytest

import weightsmith as ws
from tests.check.processes import environment
from tests.command_line import run_command
from tests.studio.pages import HOSTILE, carried, elements, hostile_model
from weightsmith.files import model_bytes
from weightsmith.studio import collection, document, page, save_html


def test_a_page_carries_the_file_of_the_model_and_the_input(tmp_path: Path) -> None:
    T = ws.library.contains("1")
    ws.run(T, "0010").save_html(tmp_path / "run.html")
    found = carried((tmp_path / "run.html").read_text(encoding="utf-8"))
    ws.save(T, tmp_path / "model.safetensors")
    (model,) = found["models"]
    assert gzip.decompress(base64.b64decode(model["gzip"])) == (tmp_path / "model.safetensors").read_bytes()
    assert found["input"] == list("0010")
    assert found["beside"] is None
    T.save_html(tmp_path / "model.html")
    assert carried((tmp_path / "model.html").read_text(encoding="utf-8"))["input"] is None


def test_the_same_model_stands_in_a_page_once() -> None:
    T = ws.library.contains("1")
    once = carried(page(ws.run(T, "0"), beside=ws.run(T, "1")))
    assert len(once["models"]) == 1
    assert once["beside"] == {"model": 0, "input": ["1"]}
    twice = carried(page(ws.run(T, "0"), beside=~T, names=["contains 1", "its negation"]))
    assert [model["name"] for model in twice["models"]] == ["contains 1", "its negation"]
    assert twice["beside"] == {"model": 1, "input": ["0"]}


def test_names_cannot_break_out_of_the_page() -> None:
    T = hostile_model()
    usual, odd = elements(page(ws.library.contains("1"))), elements(page(ws.run(T, HOSTILE), names=HOSTILE[:1]))
    assert [tag for tag, *_ in odd] == [tag for tag, *_ in usual]
    assert carried(page(ws.run(T, HOSTILE)))["input"] == HOSTILE
    assert next(text for tag, _, text in odd if tag == "title").strip() == f"{HOSTILE[0]} · Weightsmith"


def test_the_policy_lets_in_what_stands_in_the_page_and_nothing_else() -> None:
    text = page(ws.library.contains("1"))
    found = elements(text)
    policy = next(a["content"] for tag, a, _ in found if a.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    rules = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert rules.pop("default-src") == rules.pop("base-uri") == rules.pop("form-action") == "'none'"
    assert rules.pop("img-src") == "data: blob:"
    for name, pattern in {
        "script-src": '<script type="module">(.*?)</script>',
        "style-src": "<style>(.*?)</style>",
    }.items():
        (inner,) = re.findall(pattern, text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inner.encode()).digest()).decode()
        assert rules.pop(name) == f"'sha256-{digest}'"
    assert not rules
    assert not [a for _, a, _ in found if {"src", "href", "style", "onclick", "onload"} & a.keys()]


def test_the_component_neither_evaluates_text_nor_asks_the_network() -> None:
    text = "".join(document.component(name) for name in document.COMPONENT)
    for forbidden in ("eval(", "new Function(", "fetch(", "XMLHttpRequest", "WebSocket", "importScripts", "sendBeacon"):
        assert forbidden not in text, forbidden
    assert not re.search(r"@import|url\(\s*['\"]?https?:", text)


@pytest.mark.parametrize("shown", [None, 3, "model.safetensors", [1]])
def test_what_is_no_model_is_refused(shown: Any) -> None:
    with pytest.raises(ws.ModelError, match="a page shows a transformer, a chain or a run, and this is"):
        page(shown)


def test_a_page_carries_the_changes_of_a_run() -> None:
    T = ws.library.eiffel()
    r, other = ws.run(T, "The Eiffel Tower is in"), ws.run(T, "The London Tower is in")
    b = ws.patch(ws.ablate(r, block=0, head=1), {"compound": 1}, 0, after="attention", positions=[2])
    told = [
        {"kind": "off", "site": "block 0 head 1", "positions": None},
        {"kind": "set", "site": "block 0 attention", "position": 2, "lane": "compound", "value": 1.0},
    ]
    assert carried(page(b))["changes"] == carried(page(b, beside=r))["changes"] == told
    assert carried(page(r, beside=b))["changes"] == told
    assert carried(page(r, beside=b))["beside"] is None
    assert "changes" not in carried(page(r, beside=other))
    neurons = ws.ablate(r, block=0, neurons=[0, "2847"], positions=[-1])
    assert carried(page(neurons))["changes"] == [
        {"kind": "off", "site": f"block 0 neuron {n}", "positions": [4]}
        for n in (0, [*T.blocks[0].feed_forward.names].index("2847"))  # type: ignore[union-attr]
    ]
    (taken,) = carried(page(ws.patch(r, other, 1, head=0, lanes=["one"])))["changes"]
    assert taken == {"kind": "take", "positions": None, "input": list(other.tokens), "site": "block 1 head 0",
                     "lanes": ["one"]}  # fmt: skip
    (values,) = carried(page(ws.patch(r, b, 0, head=0)))["changes"]  # of a run that was changed itself
    assert values["kind"] == "values"
    assert values["values"] == b.heads[0][0].output.tolist()


def test_changes_that_a_page_does_not_know_are_refused() -> None:
    r = ws.run(ws.library.contains("1"), "01")
    with pytest.raises(ws.InputError, match=r"changed on its way by a function.*write ws\.ablate"):
        page(ws.run(r.transformer, "01", change=lambda site, values: values))
    a = ws.ablate(r, block=0)
    for shown, beside in (
        (a, a),
        (a, ws.run(r.transformer, "11")),
        (a, r.transformer),
        (ws.run(r.transformer, "1"), a),
    ):
        with pytest.raises(ws.InputError, match="leave beside out"):
            page(shown, beside=beside)
    with pytest.raises(ws.InputError, match="show this one by itself"):
        collection({"a": a})


def test_a_model_that_no_browser_holds_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "MAX_PARAMETERS", 5)
    with pytest.raises(ws.ModelError, match="parameters, and a page carries at most 5"):
        page(ws.library.contains("1"))


def test_show_writes_a_page(tmp_path: Path) -> None:
    T = ws.library.contains("1")
    ws.save(T, tmp_path / "a b.safetensors")
    ws.save(~T, tmp_path / "not.safetensors")
    done = show(tmp_path, "a b.safetensors", "0010", "--beside", "not.safetensors", "-o", "run.html")
    assert done.returncode == 0, done.stderr
    assert done.stderr == "written to run.html\n"
    found = carried((tmp_path / "run.html").read_text(encoding="utf-8"))
    assert [model["name"] for model in found["models"]] == ["a b", "not"]
    assert (found["input"], found["beside"]) == (list("0010"), {"model": 1, "input": list("0010")})
    again = show(tmp_path, "a b.safetensors", "0010", "--beside-input", "11", "-o", "run.html")
    assert again.returncode == 0, again.stderr
    assert carried((tmp_path / "run.html").read_text(encoding="utf-8"))["beside"] == {"model": 0, "input": ["1", "1"]}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["m.safetensors", "012", "-o", "x.html"], "2"),
        (["m.safetensors", "--beside-input", "0", "-o", "x.html"], "needs an input to stand beside"),
        (["no.safetensors", "-o", "x.html"], "cannot read 'no.safetensors'"),
        (["m.safetensors", "-o", "m.safetensors"], "the same command reads it"),
        (["m.safetensors", "-o", "no/x.html"], "cannot write 'no/x.html'"),
    ],
)
def test_show_refuses_before_it_writes(arguments: list[str], words: str, tmp_path: Path) -> None:
    ws.save(ws.library.contains("1"), tmp_path / "m.safetensors")
    done = show(tmp_path, *arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["m.safetensors"]


def test_without_a_name_the_page_is_opened(tmp_path: Path) -> None:
    ws.save(ws.library.contains("1"), tmp_path / "m.safetensors")
    before = f"""
import tempfile, webbrowser
tempfile.tempdir, webbrowser.open = {str(tmp_path)!r}, lambda address: print(address) or True
"""
    done = run_command("show", "m.safetensors", folder=tmp_path, environment=environment(), before=before)
    assert done.returncode == 0, done.stderr
    (made,) = tmp_path.glob("*.html")
    assert done.stdout == f"{made.as_uri()}\n"
    assert carried(made.read_text(encoding="utf-8"))["input"] is None


def show(folder: Path, *arguments: str) -> Any:
    return run_command("show", *arguments, folder=folder, environment=environment())


def test_progress_counts_the_bytes_of_all_models_up_to_the_whole(tmp_path: Path) -> None:
    T = ws.random_transformer("ab", lanes=128, blocks=2, neurons=512, max_length=16, seed=1)
    S = ws.random_transformer("ab", lanes=128, blocks=1, neurons=512, max_length=16, seed=2)
    seen: list[tuple[int, int]] = []
    save_html(T, tmp_path / "page.html", beside=S, progress=lambda done, total: seen.append((done, total)))
    assert len(seen) > 4
    assert [done for done, _ in seen] == sorted({done for done, _ in seen})
    total = len(model_bytes(T)) + len(model_bytes(S))
    assert {total for _, total in seen} == {total}
    assert seen[-1] == (total, total)
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    for model, carried_model in zip((T, S), carried(text)["models"], strict=True):
        assert gzip.decompress(base64.b64decode(carried_model["gzip"])) == model_bytes(model)


def test_show_says_how_far_it_is(tmp_path: Path) -> None:
    T = ws.random_transformer("ab", lanes=128, blocks=2, neurons=512, max_length=16, seed=1)
    ws.save(T, tmp_path / "T.safetensors")
    at_once = "import weightsmith.cli.progress; weightsmith.cli.progress.LINE_SECONDS = 0.0"
    arguments = ("show", "T.safetensors", "-o", "page.html")
    done = run_command(*arguments, folder=tmp_path, environment=environment(), before=at_once)
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stderr.splitlines() if " bytes, " in line]
    assert len(lines) > 2
    assert re.match(r"([\d,]+) of \1 bytes, 100%", lines[-1])

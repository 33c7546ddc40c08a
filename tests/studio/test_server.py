"""What the studio does for its page: models come, change step by step, are checked and saved, within limits."""

import contextlib
import json
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest
from starlette.testclient import TestClient

import weightsmith as ws
from tests.check.processes import environment
from tests.command_line import run_command
from tests.studio.serving import request, sent, started
from weightsmith.files import from_bytes, model_bytes
from weightsmith.rewrites.written import STEPS
from weightsmith.studio.limits import Limits
from weightsmith.studio.menu import REWRITES
from weightsmith.studio.server import application
from weightsmith.studio.serving import Serving

PORT, TOKEN = 8000, "a token"
BASE = f"http://127.0.0.1:{PORT}"


class Page:
    """What a page does: it asks, and shows what comes."""

    def __init__(self, client: TestClient) -> None:
        self.client = client

    def everything(self) -> dict[str, Any]:
        return self.good("GET", "studio")

    def named(self, name: str) -> dict[str, Any]:
        (model,) = [model for model in self.everything()["models"] if model["name"] == name]
        return model  # type: ignore[no-any-return]

    def good(self, method: str, path: str, fields: dict[str, Any] | None = None) -> dict[str, Any]:
        answer = self.client.request(method, f"/api/{path}", json=fields)
        assert answer.status_code == 200, answer.text
        return answer.json()  # type: ignore[no-any-return]

    def change(self, model: dict[str, Any], what: str, **fields: Any) -> dict[str, Any]:
        return self.good("POST", f"models/{model['id']}/{what}", fields)

    def refused(self, path: str, **fields: Any) -> tuple[int, str]:
        answer = self.client.post(f"/api/{path}", json=fields)
        return answer.status_code, answer.json()["error"]

    def model(self, model: dict[str, Any]) -> ws.Transformer:
        return from_bytes(self.client.get(f"/api/models/{model['id']}/file").content, "model")

    def upload(self, name: str, data: bytes) -> Any:
        kind = {"content-type": "application/octet-stream"}
        return self.client.post(f"/api/models?name={quote(name)}", content=data, headers=kind)

    def check(self, claim: str, *models: dict[str, Any], regex: str = "", up_to: int = 4, yes: str = "YES") -> Any:
        numbers = [model["id"] for model in models]
        fields = {"claim": claim, "models": numbers, "regex": regex, "yes": yes, "up_to": up_to}
        return self.good("POST", "checks", fields)

    def ended(self, check: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = until(lambda: self._ended(check["id"]))
        return found

    def _ended(self, number: int) -> dict[str, Any] | None:
        (found,) = [check for check in self.good("GET", "checks")["checks"] if check["id"] == number]
        return None if found["state"] == "running" else found


def until(found: Callable[[], Any]) -> Any:
    """Ask again and again, until there is something."""
    for _ in range(3000):
        answer = found()
        if answer:
            return answer
        time.sleep(0.1)
    raise AssertionError("it did not come")


@contextlib.contextmanager
def opened(limits: Limits | None = None, **given: Any) -> Iterator[Page]:
    headers = {"x-weightsmith-token": TOKEN, "origin": BASE}
    with TestClient(application(PORT, TOKEN, limits=limits, **given), base_url=BASE, headers=headers) as client:
        yield Page(client)


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with opened() as page:
        yield page


def test_the_library_and_the_lectures_example_are_there_from_the_start(page: Page) -> None:
    found = {model["name"]: model for model in page.everything()["models"]}
    assert next(iter(found)) == "eiffel"
    assert len(found) >= len(ws.library.ENTRIES) + len(ws.library.EXAMPLES)
    assert page.model(found["parity"]) == ws.library.parity()
    assert ws.run(page.model(found["eiffel"]), found["eiffel"]["input"]).decision == "Paris"


def test_the_menu_offers_the_steps_of_the_command_line(page: Page) -> None:
    assert {offer.step for offer in REWRITES} == set(STEPS)
    assert [offer["step"] for offer in page.everything()["rewrites"]] == [offer.step for offer in REWRITES]


@pytest.mark.parametrize(
    ("step", "value", "rewritten"),
    [
        ("--form", "infinity", ws.infinity_form),
        ("--form", "signed", ws.signed_infinity_form),
        ("--widen", "a,b", lambda T: ws.widen(T, ["a", "b"])),
        ("--flag", "here=3@8", lambda T: ws.flag(T, "here", [3], max_length=8)),
        ("--pad", "2", lambda T: ws.pad_blocks(T, 2)),
        ("--to", "fixed(2,2)", lambda T: ws.to_arithmetic(T, ws.Fixed(2, 2))),
        ("--ignore", "symbol", lambda T: ws.ignore_lanes(T, ["symbol"])),
        ("--map", "found=symbol,symbol=0", None),
    ],
)
def test_a_rewrite_is_a_step_that_stands_in_the_provenance_and_can_be_undone(
    page: Page, step: str, value: str, rewritten: Callable[[ws.Transformer], ws.Transformer] | None
) -> None:
    T = ws.library.contains("1")
    model = page.upload("mine", model_bytes(T)).json()
    after = page.change(model, "rewrite", step=step, value=value)
    assert [each["text"] for each in after["steps"]] == ["as it was opened", f"{step[2:]} {value}"]
    new = page.model(model)
    if rewritten is not None:
        assert new == (ws.widen(T, ["a", "b"], where="front") if step == "--widen" else rewritten(T))
    assert len(new.provenance) == len(T.provenance) + 1
    assert after["summary"]["provenance"] == list(new.provenance)
    undone = page.change(model, "go", version=after["steps"][0]["version"])
    assert (undone["place"], len(undone["steps"])) == (0, 2)
    assert page.model(model).provenance == T.provenance
    page.change(model, "go", version=after["steps"][1]["version"])
    assert page.model(model) == new
    page.change(model, "close")


def test_a_step_after_an_undo_takes_the_place_of_what_was_undone(page: Page) -> None:
    model = page.upload("mine", model_bytes(ws.library.contains("1"))).json()
    first = page.change(model, "rewrite", step="--pad", value="1")
    page.change(model, "go", version=model["version"])
    second = page.change(model, "rewrite", step="--pad", value="2")
    assert [step["text"] for step in second["steps"]] == ["as it was opened", "pad 2"]
    gone = page.refused(f"models/{model['id']}/go", version=first["version"])
    assert gone == (410, "the model has been changed since, and this step of it is gone")
    page.change(model, "close")
    assert page.refused(f"models/{model['id']}/go", version=model["version"])[0] == 404


def test_what_cannot_be_rewritten_is_refused_in_the_librarys_words_and_changes_nothing(page: Page) -> None:
    model = page.named("contains('1')")
    for step, value, words in (
        ("--flag", "here", "--flag here: write NAME=POSITION, as in --flag here=3"),
        ("--zero", "nowhere", "nowhere"),
        ("--to", "fixed(0)", "fixed(0)"),
        ("--nothing", "1", "there is no step '--nothing'"),
    ):
        status, error = page.refused(f"models/{model['id']}/rewrite", step=step, value=value)
        assert status == 422
        assert words in error
    assert page.named("contains('1')") == model


def test_models_are_composed_and_the_composition_can_be_undone(page: Page) -> None:
    S, T, R = ws.library.contains("1"), ws.library.parity(), ws.library.majority("1")
    parts = [page.named(name)["id"] for name in ("parity", "majority('1')")]
    for how, formula, others, wanted in (
        ("formula", "S & ~T", parts[:1], ws.compose("S & ~T", S=S, T=T)),
        ("formula", "~S", [], ws.compose("~S", S=S)),
        ("formula", "S ^ (T | R)", parts, ws.compose("S ^ (T | R)", S=S, T=T, R=R)),
        ("if-then-else", "", parts, ws.if_then_else(S, T, R)),
        ("side-by-side", "", parts[:1], ws.side_by_side(S, T)),
    ):
        model = page.upload("S", model_bytes(S)).json()
        after = page.change(model, "compose", how=how, formula=formula, others=others)
        assert page.model(model) == wanted
        assert after["summary"]["provenance"][-1] == wanted.provenance[-1]
        page.change(model, "go", version=model["version"])
        assert page.model(model) == S
        page.change(model, "close")
    status, error = page.refused("models/1/compose", how="formula", formula="S &", others=[])
    assert (status, "S &" in error) == (422, True)


def test_facts_are_written_and_removed(page: Page) -> None:
    model = page.named("eiffel")
    before = page.model(model)
    fact = {"block": 0, "key": "word Tower=1", "value": "dim 0=0.5", "name": "towers are tall", "margin": 0.5}
    after = page.change(model, "write-fact", **fact)
    written = ws.memory.write(before, 0, {"word Tower": 1.0}, {"dim 0": 0.5}, 0.5, "towers are tall")
    assert page.model(model) == written
    row = after["summary"]["neurons"][0]
    assert (row["name"], row["key"], row["value"]) == ("towers are tall", "word Tower=1", "dim 0=0.5")
    removed = page.change(model, "remove-fact", block=row["block"], neuron=row["neuron"])
    assert page.model(model) == before
    assert removed["summary"]["provenance"][-1].startswith("memory.delete('towers are tall'")
    status, error = page.refused(f"models/{model['id']}/write-fact", **{**fact, "key": "Tower"})
    assert (status, "write LANE=NUMBER" in error) == (422, True)
    page.change(model, "go", version=model["version"])


def test_a_refuted_claim_gives_the_shortest_input_and_where_the_streams_part(page: Page) -> None:
    model = page.named("contains('1')")
    found = page.ended(page.check("recognizes", model, regex="(0|1)*11", up_to=5))
    assert (found["state"], found["verdict"]["counterexample"]) == ("refuted", ["1"])
    assert found["models"] == [{"id": model["id"], "version": model["version"]}]
    assert page.ended(page.check("recognizes", model, regex="0*1.*", up_to=5))["state"] == "holds"
    copy = page.change(model, "copy", version=model["version"], name="another")
    page.change(copy, "rewrite", step="--ignore", value="symbol")
    parted = page.ended(page.check("same decisions", model, copy))
    verdict = ws.check.same_decisions(page.model(model), page.model(copy), up_to=4)
    assert verdict.divergence is not None
    assert parted["verdict"]["counterexample"] == list(verdict.counterexample or ())
    assert parted["verdict"]["divergence"]["lane"] == verdict.divergence.lane
    assert parted["verdict"]["divergence"]["text"] == str(verdict.divergence)
    page.change(copy, "close")


def test_a_check_that_cannot_be_is_refused(page: Page) -> None:
    number = page.named("contains('1')")["id"]
    given = {"claim": "recognizes", "models": [number], "regex": "0", "yes": "YES", "up_to": 3}
    for change, status in (
        ({"up_to": 0}, 400),
        ({"up_to": 65}, 400),
        ({"up_to": 10**400}, 400),
        ({"claim": "halts"}, 400),
        ({"models": []}, 400),
        ({"models": [10**400]}, 404),
        ({"models": ["../x"]}, 404),
        ({"claim": "same decisions"}, 400),
    ):
        assert page.refused("checks", **{**given, **change})[0] == status, change
    failed = page.ended(page.good("POST", "checks", {**given, "regex": "(("}))
    assert failed["state"] == "failed"
    assert "((" in failed["error"]
    warned = page.ended(page.good("POST", "checks", {**given, "regex": "a"}))
    assert "which no token of the vocabulary" in warned["verdict"]["warnings"][0]


def test_a_long_check_is_watched_and_cancelled(page: Page) -> None:
    model = page.named("parity")
    copy = page.change(model, "copy", version=model["version"], name="parity again")
    check = page.check("same decisions", model, copy, up_to=40)  # some 10^12 inputs
    assert until(lambda: [c for c in page.good("GET", "checks")["checks"] if c["id"] == check["id"] and c["share"] > 0])
    page.good("POST", f"checks/{check['id']}/cancel", {})
    ended = page.ended(check)
    assert (ended["state"], ended["error"], ended["verdict"]) == ("cancelled", "cancelled", None)
    until(lambda: not multiprocessing.active_children())
    page.change(copy, "close")
    assert page.refused("checks/99/cancel")[0] == 404


def test_a_saved_page_carries_the_model_and_the_input(page: Page) -> None:
    model, other = page.named("contains('1')"), page.named("parity")
    fields = {"input": "0110", "beside": other["id"], "beside_input": None}
    answer = page.client.post(f"/api/models/{model['id']}/page", json=fields)
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.text.startswith("<!doctype html>")
    carried = json.loads(answer.text.partition('id="weightsmith-model">')[2].partition("</script>")[0])
    assert [each["name"] for each in carried["models"]] == ["contains('1')", "parity"]
    assert (carried["input"], carried["beside"]) == (list("0110"), {"model": 1, "input": list("0110")})
    assert page.refused(f"models/{model['id']}/page", input="012", beside=None)[0] == 422


def test_models_with_one_name_are_told_apart_and_odd_names_are_made_plain(page: Page) -> None:
    data = model_bytes(ws.library.contains("1"))
    names = [page.upload(name, data).json() for name in ("same", "same", "a\nb", "x" * 500, "<b>", "")]
    assert [model["name"] for model in names] == ["same", "same (2)", "a b", "x" * 79 + "…", "<b>", "model"]
    for model in names:
        page.change(model, "close")


def test_a_job_that_takes_too_long_is_ended() -> None:
    with opened(Limits(job_seconds=0.0)) as page:
        answer = page.client.get("/api/studio")
        assert (answer.status_code, answer.json()["error"]) == (503, "it took longer than 0 s, and was ended")
    assert not multiprocessing.active_children()


def test_a_check_that_takes_too_long_is_ended() -> None:
    with opened(Limits(check_seconds=0.0)) as page:
        found = page.ended(page.check("recognizes", page.named("parity"), regex="0"))
        assert (found["state"], found["error"]) == ("failed", "it took longer than 0 s, and was ended")
    assert not multiprocessing.active_children()


def test_a_job_gets_no_more_memory_than_allowed() -> None:
    T = ws.library.contains("1")
    neurons, lanes = 1_000_000, len(T.lanes)
    layer = ws.FeedForward(
        W_1=np.zeros((neurons, lanes)), b_1=np.zeros(neurons), W_2=np.zeros((lanes, neurons)), b_2=np.zeros(lanes)
    )
    large = model_bytes(replace(T, blocks=(ws.Block(feed_forward=layer),)))
    with opened(Limits(job_memory=1 << 20)) as page:  # less than a process has when it begins: it gets nothing more
        answer = page.upload("large", large)
        assert (answer.status_code, "Memory" in answer.json()["error"]) == (422, True), answer.text


def test_there_are_so_many_checks_models_steps_and_bytes_and_no_more() -> None:
    few = len(ws.library.ENTRIES) + len(ws.library.EXAMPLES)
    size = sum(len(model_bytes(entry.build())) for entry in (*ws.library.ENTRIES, *ws.library.EXAMPLES))
    data = model_bytes(ws.library.contains("1"))
    limits = Limits(checks=1, models=few + 1, steps=2, all_bytes=size + 20 * len(data), json_bytes=1000)
    with opened(limits) as page:
        model = page.named("parity")
        check = page.check("same decisions", model, page.named("parity"), up_to=40)
        fields = {"claim": "recognizes", "models": [model["id"]], "regex": "0", "yes": "YES", "up_to": 1}
        assert page.refused("checks", **fields)[0] == 429
        page.good("POST", f"checks/{check['id']}/cancel", {})
        assert page.ended(check)["state"] == "cancelled"
        assert page.upload("one", data).status_code == 200
        assert page.upload("two", data).status_code == 409
        page.change(model, "rewrite", step="--pad", value="1")
        assert page.refused(f"models/{model['id']}/rewrite", step="--pad", value="1")[0] == 409
        assert page.refused("checks", **{**fields, "regex": "0" * 2000})[0] == 413
    with opened(replace(limits, all_bytes=size + 1)) as page:
        page.everything()
        assert page.upload("one", data).status_code == 409
    with opened(Limits(model_bytes=100)) as page:
        assert page.upload("one", data).status_code == 413


def test_files_that_the_user_named_come_first() -> None:
    T = ws.library.contains("b", "abc")
    with opened(files=[("mine", model_bytes(T)), ("mine", model_bytes(ws.library.parity()))]) as page:
        first, second = page.everything()["models"][:2]
        assert (first["name"], second["name"]) == ("mine", "mine (2)")
        assert page.model(first) == T
        assert page.everything()["folder"] is None
        assert page.refused("open", file="x.safetensors") == (
            404,
            "no folder was named: write weightsmith studio --folder FOLDER",
        )


# The command


@pytest.mark.long
def test_ctrl_c_ends_the_studio_and_its_processes() -> None:
    mark = f"studio-{os.getpid()}"
    with started(WEIGHTSMITH_TEST_MARK=mark) as studio:
        models = json.loads(sent(studio.port, request(studio, "GET", "/api/studio")).body)["models"]
        (number,) = [model["id"] for model in models if model["name"] == "parity"]
        fields = {"claim": "same decisions", "models": [number, number], "regex": "", "yes": "", "up_to": 40}
        check = sent(studio.port, request(studio, "POST", "/api/checks", json.dumps(fields).encode()))
        assert check.status == 200
        assert marked(mark)
    until(lambda: not marked(mark))


def marked(mark: str) -> list[str]:
    """Return the processes that were started with a mark in their environment."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if mark.encode() in path.read_bytes():
                found.append(path.parent.name)
    return found


def test_without_its_extra_the_studio_says_what_to_install(tmp_path: Path) -> None:
    for name in ("starlette", "uvicorn"):
        before = f"import sys; sys.modules[{name!r}] = None"
        done = run_command("studio", "--no-browser", folder=tmp_path, environment=environment(), before=before)
        assert done.returncode == 2
        assert done.stderr == (
            "error: the studio needs Starlette and uvicorn: write pip install 'weightsmith[studio]'\n"
        )


def test_the_studio_refuses_what_it_cannot_open_before_it_begins(tmp_path: Path) -> None:
    (tmp_path / "bad.safetensors").write_bytes(b"nothing")
    with Serving() as other:
        for arguments, words in (
            (["bad.safetensors"], "cannot read 'bad.safetensors'"),
            (["none.safetensors"], "cannot read 'none.safetensors'"),
            (["--folder", "none"], "cannot open the folder 'none'"),
            (["--folder", "bad.safetensors"], "cannot open the folder 'bad.safetensors'"),
            (["--port", str(other.port)], f"cannot listen on port {other.port}: "),
        ):
            done = run_command("studio", "--no-browser", *arguments, folder=tmp_path, environment=environment())
            assert done.returncode == 2
            assert words in done.stderr


def test_the_address_is_printed_and_opened_in_a_browser(tmp_path: Path) -> None:
    before = (
        "import threading, webbrowser\nfrom weightsmith.studio.serving import Serving\nseen = threading.Event()\n"
        "def opened(address):\n    print('opened', address)\n    seen.set()\n    return True\n"
        "webbrowser.open = opened\nServing.run = lambda self: seen.wait()"
    )
    done = run_command("studio", folder=tmp_path, environment=environment(), before=before)
    assert done.returncode == 0, done.stderr
    printed, opened_address = done.stdout.splitlines()
    assert opened_address == f"opened {printed}"
    assert printed.startswith("http://127.0.0.1:")
    assert done.stderr.endswith("the studio has ended\n")


def test_help_says_how_to_begin(tmp_path: Path) -> None:
    done = run_command("studio", "--help", folder=tmp_path, environment=environment())
    for words in ("--folder", "--port", "--no-browser", "[MODEL]…", "Ctrl-C"):
        assert words in done.stdout

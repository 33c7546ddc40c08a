"""What the studio does for its page: models come, change step by step, are checked and saved, within limits."""

import json
import multiprocessing
from collections.abc import Callable, Iterator

import pytest

import weightsmith as ws
from tests.automata.encoders import with_first_head
from tests.studio.client import Page, opened, until
from weightsmith.cli.steps import STEPS
from weightsmith.files import model_bytes
from weightsmith.studio.menu import REWRITES


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


def test_a_claim_about_every_length_is_proved_refuted_or_not_known(page: Page) -> None:
    model = page.named("contains('1')")
    proved = page.ended(page.check("recognizes", model, regex="0*1(0|1)*", up_to=None))
    assert (proved["state"], proved["claim"]) == ("holds", "contains('1') recognizes 0*1(0|1)*, at every length")
    assert "proved" in proved["verdict"]["text"]
    wrong = page.ended(page.check("recognizes", model, regex="(0|1)*11", up_to=None))
    assert (wrong["state"], wrong["verdict"]["counterexample"]) == ("refuted", ["1"])
    copy = page.change(model, "copy", version=model["version"], name="another")
    assert page.ended(page.check("same decisions", model, copy, up_to=None))["state"] == "holds"
    refused = page.ended(page.check("same logits", model, copy, up_to=None))
    assert (refused["state"], "up to which length" in refused["error"]) == ("failed", True), refused
    page.change(copy, "close")


def test_a_fact_is_changed_in_its_place(page: Page) -> None:
    model = page.upload("mine", model_bytes(ws.library.eiffel())).json()
    fact = {"block": 0, "key": "word Tower=1", "value": "dim 0=2", "name": "towers", "margin": 1}
    written = page.change(model, "write-fact", **fact)
    (row,) = [row for row in written["summary"]["neurons"] if row["name"] == "towers"]
    assert row["edit"] == ["word Tower=1.0", "dim 0=2.0"]
    before = page.model(model)
    changed = {"key": "word Tower=1.0,word The=1", "value": row["edit"][1], "name": "the towers", "margin": 1}
    page.change(model, "edit-fact", block=0, neuron=row["neuron"], **changed)
    key = {"word Tower": 1.0, "word The": 1.0}
    assert page.model(model) == ws.memory.edit(before, 0, row["neuron"], key, {"dim 0": 2.0}, 1, "the towers")
    status, error = page.refused(f"models/{model['id']}/edit-fact", block=0, neuron=99, **changed)
    assert status == 422
    assert "99" in error
    page.change(model, "close")


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
    both_ways = with_first_head(strict=True)  # so that no automaton knows the answer at once
    model = page.upload("both ways", model_bytes(both_ways)).json()
    copy = page.change(model, "copy", version=model["version"], name="both ways again")
    check = page.check("same decisions", model, copy, up_to=40)  # some 10^12 inputs
    assert until(lambda: [c for c in page.good("GET", "checks")["checks"] if c["id"] == check["id"] and c["share"] > 0])
    page.good("POST", f"checks/{check['id']}/cancel", {})
    ended = page.ended(check)
    assert (ended["state"], ended["error"], ended["verdict"]) == ("cancelled", "cancelled", None)
    until(lambda: not multiprocessing.active_children())
    page.change(copy, "close")
    page.change(model, "close")
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

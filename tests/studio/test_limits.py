"""Jobs of the studio have limits: of time, of memory, of how many there are and how large they are."""

import multiprocessing
from dataclasses import replace

import numpy as np

import weightsmith as ws
from tests.automata.encoders import with_first_head
from tests.studio.client import opened
from weightsmith.files import model_bytes
from weightsmith.studio.limits import Limits


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
        assert (answer.status_code, "memory" in answer.json()["error"].lower()) == (422, True), answer.text


def test_there_are_so_many_checks_models_steps_and_bytes_and_no_more() -> None:
    everything = (*ws.library.ENTRIES, *ws.library.EXAMPLES, *ws.library.LECTURE, *ws.library.CHAINS)
    few, size = len(everything), sum(len(model_bytes(entry.build())) for entry in everything)
    data = model_bytes(ws.library.contains("1"))
    limits = Limits(checks=1, models=few + 2, steps=2, all_bytes=size + 20 * len(data), json_bytes=1000)
    with opened(limits) as page:
        model = page.named("parity")
        both_ways = with_first_head(strict=True)  # so that no automaton knows the answer at once
        long = page.upload("both ways", model_bytes(both_ways)).json()
        check = page.check("same decisions", long, long, up_to=40)
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

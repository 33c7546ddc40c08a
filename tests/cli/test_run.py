"""What `run` prints: the decision, what is said at each position, the trace, and all of it as JSON."""

import json
from pathlib import Path

import numpy as np

import weightsmith as ws
from tests.cli.commands import good, weightsmith


def test_run_prints_decision_logits_and_trace(folder: Path) -> None:
    assert "decision: YES" in good("run", "contains.safetensors", "0010", folder=folder)
    shown = good("run", "contains.safetensors", "0010", "--trace", folder=folder)
    assert "block 0 attention" in shown
    assert "feed-forward" not in shown, "an absent sublayer is no stage to look at"
    assert "found" not in good("run", "contains.safetensors", "00", "--trace", "--lane", "symbol", folder=folder)


def test_run_as_json_has_every_bit(folder: Path) -> None:
    found = json.loads(good("run", "random.safetensors", "0110", "--json", "--trace", folder=folder))
    r = ws.run(ws.random_transformer(seed=3), "0110")
    assert found["decision"] == r.decision
    assert found["logits"] == dict(zip(("NO", "YES"), r.logits.tolist(), strict=True))
    assert np.array_equal(found["stream"], r.stream)
    assert found["outputs"] == list(r.outputs)
    assert found["empty_softmax"] == r.empty_softmax


def test_a_trace_wider_than_the_terminal_puts_lanes_below_each_other(folder: Path) -> None:
    good("new", "random", "--lanes", "64", "-o", "wide.safetensors", folder=folder)
    shown = good("run", "wide.safetensors", "01", "--trace", folder=folder)
    lines = shown.splitlines()
    assert max(map(len, lines)) <= 120
    embedding = lines.index(next(line for line in lines if line.strip() == "embedding"))
    assert [line.split()[0] for line in lines[embedding + 1 : embedding + 65]] == [f"x{j}" for j in range(64)]
    assert "left out: lanes that a sublayer does not change" in shown


def test_a_trace_shows_what_the_heads_looked_at_as_python_does(folder: Path) -> None:
    shown = good("run", "contains.safetensors", "0010", "--trace", folder=folder)
    r = ws.run(ws.load(folder / "contains.safetensors"), "0010")
    printed, wanted = ([line.split() for line in text.splitlines() if line.strip()] for text in (shown, str(r)))
    assert printed == wanted
    data = json.loads(good("run", "random.safetensors", "011", "--json", "--trace", folder=folder))
    r = ws.run(ws.random_transformer(seed=3), "011")
    for b, heads in enumerate(data["attention"]):
        for h, head in enumerate(heads):
            assert head == {"scores": r.scores[b][h].tolist(), "weights": r.attention[b][h].tolist()}
    assert data["activations"] == [active.tolist() for active in r.activations]


def test_a_trace_of_chosen_positions_has_no_others(folder: Path) -> None:
    chosen = ("--trace", "--position", "3", "--position", "-3")
    data = json.loads(good("run", "random.safetensors", "0110", "--json", *chosen, folder=folder))
    assert data["positions"] == [3, 1]
    assert np.array_equal(data["stream"], ws.run(ws.random_transformer(seed=3), "0110").stream[:, [3, 1]])


def test_run_shows_what_is_said_at_each_position(folder: Path) -> None:
    lines = [line.split() for line in good("run", "contains.safetensors", "0010", folder=folder).splitlines()]
    assert ["at", "0", "0", "1", "0", "2", "1", "3", "0"] in lines
    assert ["output", "NO", "NO", "YES", "YES"] in lines


def test_run_gives_the_decision_also_where_an_earlier_position_has_no_output(folder: Path) -> None:
    norm = ws.LayerNorm(eps=0.001)  # which is 0 in Fixed(4, 4)
    E = np.array([[1.0, 1], [1, 0]])
    T = ws.Transformer(ws.Fixed(4, 4), "ab", ("x", "y"), E, output=np.eye(2), final_norm=norm)
    ws.save(T, folder / "norm.safetensors")
    done = weightsmith("run", "norm.safetensors", "ab", "--json", folder=folder)
    found = json.loads(done.stdout)
    assert (found["decision"], found["outputs"]) == ("NO", None)
    assert "no outputs, because of another position: final norm: the square root is 0 at position 0" in done.stderr

"""Interchange-intervention training: each part of a program has its node, and no other node matters."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import weightsmith as ws
from tests.disguises.programs import compiled
from weightsmith.inspect.components import Node
from weightsmith.inspect.edges import live_edges
from weightsmith.train import Alike, Course, Shape, like
from weightsmith.train.interchange.alike import FORMAT
from weightsmith.train.interchange.correspondence import mapping_for, shape_for
from weightsmith.train.interchange.dense import new_dense
from weightsmith.train.interchange.measured import Interchange, Share, measure, percent
from weightsmith.train.interchange.pairs import Lengths, draw
from weightsmith.train.interchange.parts import Inputs, nodes_of, parts_of

SHAPE = Shape(lanes=16, blocks=2, heads=2, neurons=32)
COURSE = Course(steps=200, batch=32, rate=1e-2, warmup=20, decay=0.0, evaluate_every=50, checkpoint_every=20)
NEURONS = "block 0 activations"
HEAD, LAYER = Node("head", 0, 0), Node("mlp", 0)


@cache
def program() -> Any:
    return compiled("previous", 3, "ab", backend="softmax")


@cache
def trained() -> Alike:
    return like(program(), shape=SHAPE, course=COURSE)


def test_a_tiny_program_is_learnt_part_by_part() -> None:
    P, R = program(), trained()
    assert (R.compared.inputs, R.compared.wrong) == (14, 0)
    assert R.interchange.least >= 0.95
    assert R.interchange.least_outside >= 0.95
    assert set(R.mapping) == {str(HEAD), str(LAYER)} == {str(part) for part in parts_of(R.original)}
    assert len(R.interchange.outside) == 4
    assert R.original == P.transformer
    for tokens in ("a", "ba", "bab"):
        assert R(tokens) == P(tokens)
    assert all(one.changing > 0 for one in R.interchange.parts.values())
    assert str(R.interchange).startswith("504 interchanges: accuracy at least ")
    assert "as blocks.0.attn.head.0: " in R.report()
    assert ", outside: " in R.report()
    assert "as blocks.0.attn.head.0: " in R._repr_html_()


def test_an_accuracy_that_is_printed_is_cut_and_not_rounded() -> None:
    assert [percent(share) for share in (1.0, 0.9999, 0.98, 0.0)] == ["100.0%", "99.9%", "98.0%", "0.0%"]
    nearly = Interchange({"a": Share(10_000, 0, 9_999, 10, 10)}, {})
    assert "accuracy at least 99.9% in the circuit (1 parts)" in str(nearly)


def test_the_transformer_is_dense_and_has_norms() -> None:
    T = trained().transformer
    assert T.arithmetic == ws.Native("float32")
    assert T.mask == "causal"
    arrays: list[Any] = [T.embedding, T.output, T.positions.values]  # type: ignore[union-attr]
    for block in T.blocks:
        assert block.attention_norm
        assert block.feed_forward
        assert block.attention
        assert block.feed_forward.activation == "gelu"
        arrays += [W for head in block.attention.heads for W in (head.W_Q, head.W_K, head.W_V, head.W_O)]
        arrays += [block.feed_forward.W_1, block.feed_forward.W_2]
    assert all((np.asarray(array) != 0).all() for array in arrays)


def test_the_answers_of_the_program_under_an_interchange_are_those_of_a_patched_run() -> None:
    T = program().transformer
    drawn = draw(T, 3, 0)
    for (lengths, node), pairs in drawn.measured.items():
        found = drawn.inputs[lengths.base]
        for n in range(0, len(pairs), 7):
            base, source = (
                [T.vocabulary[i] for i in drawn.inputs[length].ids[row]]
                for length, row in zip(lengths, (pairs.bases[n], pairs.sources[n]), strict=True)
            )
            if node.kind == "head":
                ids = ws.patch(ws.run(T, base), ws.run(T, source), block=0, head=0).answer_ids.tolist()
            else:
                new = ws.run_batch(T, [source]).cache[NEURONS]
                patched = ws.run_batch(T, [base], change=putting(NEURONS, new))
                ids = [T.answers.index(one) for one in patched.outputs[0]]
            assert ids == pairs.answers[n].tolist()
        changed = (pairs.answers != found.answers[pairs.bases]).any(axis=1)
        assert np.flatnonzero(changed).tolist() == pairs.changed.tolist()


def test_the_module_and_the_transformer_interchange_alike() -> None:
    P, shape = compiled("reversed", 3, "ab", backend="softmax").transformer, Shape(8, 2, 2, 8, context=3)
    module, nodes = new_dense(shape, 2, 3, False, 4).double(), nodes_of(2, 2)
    T = module.as_transformer("ab", "xyz", "")
    T = replace(T, mask="full", arithmetic=ws.Native("float64"))
    assert P.mask == "full"
    base, source = np.array([[0, 1], [1, 1], [0, 0]]), np.array([[1, 0, 1], [0, 0, 1], [1, 1, 0]])
    short, long = Inputs.of(T, base), Inputs.of(T, source)
    with torch.no_grad():
        _, kept = module.interchanged(torch.from_numpy(source), {})
        for n, node in enumerate(nodes):
            which = torch.tensor([n, -1, n])
            logits, _ = module.interchanged(torch.from_numpy(base), module.putting(kept, nodes, which, 2))
            for row in range(3):
                rows = np.array([row])
                wanted = short.answers[rows] if row == 1 else short.interchanged(node, rows, long, rows)
                np.testing.assert_array_equal(logits[row].argmax(-1).numpy(), wanted[0])
            plain, _ = module.interchanged(torch.from_numpy(base), {})
            assert torch.equal(plain[1], logits[1])
            assert (plain[[0, 2]] - logits[[0, 2]]).abs().max() > 1e-9


def test_longer_sources_make_parts_matter_that_say_how_long_an_input_is() -> None:
    T = compiled("reversed", 3, "ab", backend="softmax").transformer
    drawn = draw(T, 3, 0)
    counting = drawn.parts[0]
    assert drawn.idle == ()
    matters = {lengths: len(pairs.changed) > 0 for (lengths, node), pairs in drawn.learnt.items() if node == counting}
    assert matters[Lengths(2, 3)]
    assert not matters[Lengths(2, 2)]
    assert not matters[Lengths(3, 3)]
    assert Lengths(2, 3) in drawn.lengths
    assert Lengths(3, 2) not in drawn.lengths
    assert draw(program().transformer, 2, 0).lengths == [(1, 1), (2, 2)]


def test_an_answer_that_hangs_on_a_tie_after_an_interchange_is_not_judged() -> None:
    T = compiled("reversed", 3, "ab", backend="softmax").transformer
    drawn = draw(T, 3, 0)
    least = min(gap(ws.run_batch(T, [word]).stream[-1, 0], T).min() for word in ("a", "ab", "aba", "bb", "bab"))
    counting, unclear = drawn.parts[0], 0
    pairs = drawn.measured[Lengths(2, 3), counting]
    for base, source, answers in zip(pairs.bases, pairs.sources, pairs.answers, strict=True):
        words = [[T.vocabulary[i] for i in drawn.inputs[n].ids[row]] for n, row in ((2, int(base)), (3, int(source)))]
        new = ws.run_batch(T, words[1:]).cache["block 0 head 0"][:, :2]
        batch = ws.run_batch(T, words[:1], change=putting("block 0 head 0", new))
        margins = gap(batch.stream[-1, 0], T)
        assert (answers < 0).tolist() == (margins < 0.99 * least).tolist()
        unclear += int((answers < 0).sum())
    assert unclear > 0
    share = measure(T, drawn, {part: part for part in drawn.parts}).parts[str(counting)]
    assert share.accuracy == share.accuracy_changing == 1  # the program implements itself
    assert 0 < share.partly < share.pairs


def putting(name: str, new: Any) -> Callable[[Any, Any], Any]:
    """Return a change that puts values in at a site."""
    return lambda site, old: new if str(site) == name else old


def gap(stream: Any, T: ws.Transformer) -> Any:
    logits = np.sort(stream @ np.asarray(T.output).T + (0 if T.output_bias is None else np.asarray(T.output_bias)))
    return logits[:, -1] - logits[:, -2]


def test_the_measure_finds_what_does_not_implement_its_part() -> None:
    R, drawn = trained(), draw(program().transformer, 3, 0)
    node_of = {part: next(n for n in nodes_of(2, 2) if str(n) == R.mapping[str(part)]) for part in drawn.parts}
    good = measure(R.transformer, drawn, node_of)
    assert good == R.interchange
    wrong = dict(node_of)
    wrong[HEAD] = Node("head", 1, 0)
    bad = measure(R.transformer, drawn, wrong)
    assert bad.parts["blocks.1.attn.head.0"].accuracy_changing < 0.5
    assert bad.outside[str(node_of[HEAD])].accuracy < 0.5
    assert bad.least < 0.5
    assert bad.least_outside < 0.5


def test_without_strictness_nodes_outside_the_circuit_matter() -> None:
    R = like(program(), shape=SHAPE, course=replace(COURSE, steps=100), strictness=1e-6, below_goal="return")
    assert R.compared.wrong == 0
    assert R.interchange.least >= 0.95
    assert R.interchange.least_outside < 0.95


def test_the_circuit_has_the_live_edges_of_the_program_between_the_nodes_that_took_its_parts(tmp_path: Path) -> None:
    R = trained()
    circuit = R.circuit()
    live, _ = live_edges(R.original, 3)
    name = {**R.mapping, "embed": "embed", "pos_embed": "pos_embed", "unembed": "unembed"}
    wanted = [(name[str(one.edge.source)], name[str(one.edge.target)], one.edge.input) for one in live]
    assert [(edge["from"], edge["to"], edge["input"]) for edge in circuit["edges"]] == wanted
    assert [(str(e.source), str(e.target), e.input) for e in R.edges()] == wanted
    assert circuit["format"] == FORMAT
    assert circuit["idle"] == []
    assert set(circuit["nodes"]) == {"embed", "pos_embed", "unembed", *R.mapping.values()}
    assert set(circuit["nodes"]) & set(circuit["outside"]) == set()
    assert len(circuit["nodes"]) + len(circuit["outside"]) == 3 + len(nodes_of(2, 2))
    R.save(tmp_path / "made")
    assert ws.load(tmp_path / "made" / "model.safetensors") == R.transformer
    assert ws.load(tmp_path / "made" / "original.safetensors") == R.original
    assert json.loads((tmp_path / "made" / "circuit.json").read_text()) == circuit
    measured = json.loads((tmp_path / "made" / "measured.json").read_text())
    assert measured["interchange"]["parts"].keys() == R.interchange.parts.keys()
    assert measured["compared"]["wrong"] == 0
    with pytest.raises(ws.InputError, match="up_to=4"):
        R.circuit(up_to=4)


class KilledError(Exception):
    """The end of a process, in the middle of training."""


def killing_at(step: int) -> Callable[[int, float, float], None]:
    def report(done: int, loss: float, rate: float) -> None:
        if done == step:
            raise KilledError

    return report


def test_a_killed_training_goes_on_and_ends_with_the_same_weights(tmp_path: Path) -> None:
    file = str(tmp_path / "like.checkpoint")
    with pytest.raises(KilledError):
        like(program(), shape=SHAPE, course=COURSE, checkpoint=file, report=killing_at(33))
    R = like(program(), shape=SHAPE, course=COURSE, checkpoint=file)
    assert R.resumed_at == 20
    assert R.transformer == trained().transformer
    again = like(program(), shape=SHAPE, course=COURSE, checkpoint=file)  # it had ended, and does so again
    assert (again.resumed_at, again.steps) == (R.steps, R.steps)
    assert again.transformer == R.transformer
    with pytest.raises(ws.FileError, match="another training"):
        like(program(), shape=SHAPE, course=COURSE, checkpoint=file, strictness=0.7)


def test_another_seed_gives_other_weights_and_other_heads() -> None:
    few: dict[str, Any] = {"steps": 2, "shape": SHAPE, "below_goal": "return"}
    first, second = like(program(), seed=1, **few), like(program(), seed=2, **few)
    assert first.transformer == like(program(), seed=1, **few).transformer != second.transformer
    drawn = {str(mapping_for([HEAD, LAYER], SHAPE, seed)[HEAD]) for seed in range(8)}
    assert drawn == {"blocks.0.attn.head.0", "blocks.0.attn.head.1"}
    assert shape_for(program().transformer, [HEAD, LAYER], 3).heads == 4


def test_a_mapping_can_be_given() -> None:
    given = {"blocks.0.attn.head.0": "blocks.0.attn.head.1", "blocks.0.mlp": "blocks.1.mlp"}
    R = like(program(), shape=SHAPE, course=COURSE, mapping=given)
    assert R.mapping == given
    assert R.interchange.least >= 0.95
    assert set(R.interchange.parts) == set(given.values())


def test_a_training_below_its_goal_says_so() -> None:
    short = Course(steps=3, batch=8)
    with pytest.raises(ws.ModelError) as raised:
        like(program(), shape=SHAPE, course=short)
    text = str(raised.value)
    assert text.startswith("after 3 steps: 504 interchanges: accuracy at least ")
    assert "of 14 inputs" not in text
    assert "14 inputs up to length 3: " in text
    assert "numbers differ" not in text
    assert text.endswith("write more steps than 3, another seed, a smaller up_to than 3, or below_goal='return'")
    R = like(program(), shape=SHAPE, course=short, below_goal="return")
    assert R.steps == 3
    assert R.compared.wrong > 0
    assert R.interchange.least < 0.95
    stopped = like(program(), shape=SHAPE, course=COURSE, stop=iter([False, True]).__next__)
    assert stopped.steps == 1


def test_what_is_trained_reads_tokens_as_the_program_does() -> None:
    P = compiled("previous", 2, (3, 4), backend="softmax")
    R = like(P, shape=SHAPE, steps=1, below_goal="return")
    assert R([3, 4]) == [R.values[number] for number in ws.run(R.transformer, ["3", "4"]).answer_ids]
    with pytest.raises(ws.InputError, match="0 at position 0 is not in the vocabulary: write 3, 4"):
        R([0, 1])


def test_programs_with_a_readout_are_learnt_as_classes() -> None:
    P = compiled("previous", 2, "ab")
    R = like(P, shape=SHAPE, steps=1, below_goal="return")
    assert R.transformer.classes == ("None", "a", "b")
    assert R.values == (None, "a", "b")
    assert R("ab")[0] in (None, "a", "b")


def test_wrong_arguments_are_refused() -> None:
    P: Any = program()
    head, layer = str(HEAD), str(LAYER)
    both = {head: head, layer: layer}
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"up_to": 9}, "up_to"),
        ({"seed": -1}, "seed"),
        ({"steps": 0}, "steps"),
        ({"goal": 2}, "goal=2: write an accuracy from 0 to 1"),
        ({"strictness": 0}, "strictness=0"),
        ({"below_goal": "x"}, "write 'raise' or 'return'"),
        ({"checkpoint": 3}, "checkpoint=3: write a file"),
        ({"shape": 3}, r"shape=3: write Shape\("),
        ({"course": 3}, r"course=3: write Course\("),
        ({"course": COURSE, "seed": 4}, "seed and steps are in the course"),
        ({"mapping": 3}, "mapping=3: write {'blocks"),
        ({"mapping": {}}, r"leaves out blocks\.0\.attn\.head\.0, blocks\.0\.mlp"),
        ({"mapping": {**both, head: "blocks.7.mlp"}}, "no node of a shape with blocks=2 and heads=4"),
        ({"mapping": {**both, "blocks.3.mlp": layer}}, "no head or feed-forward layer"),
        ({"mapping": {head: layer, layer: head}}, "of two kinds"),
        ({"mapping": {**both, head: "blocks.1.attn.head.0"}}, r"must come after blocks\.1\.attn\.head\.0"),
        ({"shape": Shape(8, 0, 1, 8)}, "the shape has 0 blocks"),
    ]
    for given, message in wrong:
        with pytest.raises(ws.WeightsmithError, match=message):
            like(P, **given)
    with pytest.raises(ws.InputError, match="not a transformer"):
        like(None)  # type: ignore[arg-type]
    full = compiled("reversed", 3, "ab", backend="softmax")
    with pytest.raises(ws.InputError, match="positions='alibi' are for causal programs"):
        like(full, shape=Shape(positions="alibi"))
    silent = replace(ws.library.contains("1"), blocks=())
    with pytest.raises(ws.ModelError, match="it has no circuit"):
        like(silent, up_to=3)

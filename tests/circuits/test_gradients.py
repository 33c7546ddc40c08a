"""Attribution of edges by gradients: the taps, the scores, and what is refused."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.circuits.differentiable import compiled, pairs_of
from weightsmith.circuits import backward
from weightsmith.circuits.gradient_norms import gradient_norms
from weightsmith.circuits.gradients import batches, edge_attribution_patching, edge_integrated_gradients
from weightsmith.circuits.pairs import Pair
from weightsmith.inspect.components import read_at
from weightsmith.inspect.edges import edges
from weightsmith.model import Transformer
from weightsmith.model.folds import map_arrays

torch = pytest.importorskip("torch")
ANSWERS_DIFFER = 1  # a seed
PAIRS = [
    Pair(tuple("abca"), tuple("ccbb"), 3),
    Pair(tuple("bb"), tuple("ab"), 1),
    Pair(tuple("cabb"), tuple("acbb"), 2),
]


def drawn(seed: int = 0, **options: Any) -> Transformer:
    """Return a random model in the machine's floats."""
    sizes = {"lanes": 6, "blocks": 2, "heads": 2, "neurons": 5}
    return ws.random_transformer(
        "abc", arithmetic=ws.Native("float64"), classes=tuple("xyz"), seed=seed, **sizes | options
    )


def normed(T: Transformer, place: str) -> Transformer:
    norms: dict[str, Any] = {
        "attention_norm": ws.LayerNorm(1e-5),
        "feed_forward_norm": ws.LayerNorm(1e-5),
        "norm_placement": place,
    }
    return replace(T, blocks=tuple(replace(block, **norms) for block in T.blocks), final_norm=ws.LayerNorm(1e-5))


def biased(T: Transformer) -> Transformer:
    """Return the model with biases of heads, one head that is strict, and positions by rotation."""
    draw = np.random.default_rng(1)
    blocks = []
    for block in T.blocks:
        heads = [
            replace(head, b_Q=draw.normal(size=6), b_K=draw.normal(size=6), b_V=draw.normal(size=6), strict=bool(n))
            for n, head in enumerate(block.attention.heads)  # type: ignore[union-attr]
        ]
        attention = replace(block.attention, heads=heads, b_O=draw.normal(size=6))  # type: ignore[type-var]
        blocks.append(replace(block, attention=attention))
    return replace(T, blocks=tuple(blocks), positions=ws.Rotary())


MODELS = {
    "plain": drawn(),
    "parallel": drawn(parallel=True),
    "norms before": normed(drawn(), "pre"),
    "norms after": normed(drawn(), "post"),
    "biases, rotary": biased(drawn()),
    "full mask": drawn(mask="full"),
    "program": compiled("hist").transformer,
    "fixed": ws.random_transformer("abc", lanes=4, heads=2, seed=3, arithmetic=ws.Fixed(4, 12)),
}


def first(T: Transformer, pairs: list[Pair]) -> Any:
    """Return the batch of some pairs of one length, and the model with taps."""
    return next(batches(T, pairs))


@pytest.mark.parametrize("name", MODELS)
def test_the_run_with_taps_is_the_run_of_the_exported_module(name: str) -> None:
    batch, tapped = first(MODELS[name], PAIRS)
    found = tapped.run(batch.clean)
    assert torch.allclose(found.numbers, tapped.module(batch.clean), rtol=1e-9, atol=1e-9)
    stream = tapped.streams(found.outputs)
    for ours, theirs in zip(stream, tapped.module.run(batch.clean).stream, strict=True):
        assert torch.allclose(ours, theirs, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", MODELS)
def test_the_gradients_of_its_edges_add_up_to_the_gradient_at_a_source(name: str) -> None:
    T = MODELS[name]
    batch, tapped = first(T, PAIRS)
    run = tapped.run(batch.clean)
    direction = torch.randn(run.numbers.shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    nodes = list(run.outputs)
    wanted = dict(zip(nodes, backward.gradients(run, direction, [run.outputs[node] for node in nodes]), strict=True))
    total = {node: torch.zeros_like(value) for node, value in wanted.items()}
    at = backward.gradients(run, direction, list(run.copies.values()))
    passed_back = backward._along_the_stream(tapped, run)
    for reader, gradient in zip(run.copies, at, strict=True):
        for (target, name), each in backward._by_head(reader, gradient):
            sources = [edge.source for edge in edges(T) if edge.target == target and edge.input == name]
            for node, part in zip(sources, passed_back(read_at(T, target), each, sources), strict=True):
                total[node] = total[node] + part
    for node in nodes:
        assert torch.allclose(total[node], wanted[node], rtol=1e-7, atol=1e-9), node


def test_edges_to_the_output_are_attributed_exactly() -> None:
    T, pair = drawn(ANSWERS_DIFFER), PAIRS[0]
    batch, tapped = first(T, [pair])
    clean, corrupted = tapped.run(batch.clean), tapped.run(batch.corrupted)
    a, b = (int(run.numbers[0, 3].argmax()) for run in (clean, corrupted))
    assert a != b
    row = T.output[a] - T.output[b]
    scores = edge_attribution_patching(T, [pair])
    for node in clean.outputs:
        moved = (corrupted.outputs[node] - clean.outputs[node])[0, 3].detach().numpy()
        edge = next(edge for edge in scores if edge.source == node and edge.target.kind == "unembed")
        assert scores[edge] == pytest.approx(abs(float(row @ moved)), abs=1e-12)


@pytest.mark.parametrize("place", ["", "post", "pre"])
def test_integrated_gradients_are_mean_gradients_of_the_runs_between(place: str) -> None:
    T = normed(drawn(ANSWERS_DIFFER), place) if place else drawn(ANSWERS_DIFFER)
    total, scored, change = integrated(T, 4)
    assert change < 0
    assert scored == pytest.approx(total, rel=1e-9)


def test_integrated_gradients_of_the_embedding_add_up_to_the_change_of_the_metric() -> None:
    T = map_arrays(drawn(ANSWERS_DIFFER), lambda array: np.array(array) / 4)  # smoother
    total, scored, change = integrated(T, 60)
    assert abs(change) > 1e-3
    assert scored == pytest.approx(total, rel=1e-9)
    assert scored == pytest.approx(change, rel=1e-2)


def integrated(T: Transformer, steps: int) -> tuple[float, float, float]:
    """Return what the embedding is attributed by the runs themselves, by its edges, and the change of the metric."""
    batch, tapped = first(T, PAIRS[:1])
    clean, corrupted = tapped.run(batch.clean), tapped.run(batch.corrupted)
    direction = backward.metric(T, clean.numbers.detach(), corrupted.numbers.detach(), batch.positions)
    change = float(((corrupted.numbers - clean.numbers).detach() * direction).sum())
    path = [tapped.run(batch.clean, at_share(clean, corrupted, (n + 0.5) / steps)) for n in range(steps)]
    node = next(iter(clean.outputs))
    moved = (corrupted.outputs[node] - clean.outputs[node]).detach()
    total = (
        sum(float((backward.gradients(run, direction, [run.outputs[node]])[0] * moved).sum()) for run in path) / steps
    )
    scores = backward.scores_of_pairs(tapped, batch, steps, "corrupted", list(edges(T)))
    return total, sum(float(s.sum()) for edge, s in scores.items() if edge.source == node), change


def at_share(clean: Any, corrupted: Any, share: float) -> Any:
    starts = [node for node in clean.outputs if node.kind in ("embed", "pos_embed")]
    return {
        node: clean.outputs[node] + share * (corrupted.outputs[node] - clean.outputs[node]).detach() for node in starts
    }


def test_one_step_between_equal_inputs_is_the_gradient_of_the_clean_run() -> None:
    T = compiled("hist").transformer
    same = [Pair(tuple("abca"), tuple("abca"), 3)]
    assert set(edge_attribution_patching(T, same).values()) == {0.0}
    assert sum(score > 0 for score in edge_attribution_patching(T, same, towards="zero").values()) > 5
    pairs = pairs_of(compiled("hist"), 20, 5)
    one, many = (edge_integrated_gradients(T, pairs, steps=n) for n in (1, 8))
    assert one.keys() == many.keys() == set(edges(T))
    assert one != many
    assert edge_integrated_gradients(T, pairs) == edge_integrated_gradients(T, pairs, steps=np.int64(5))  # type: ignore[arg-type]


def test_a_model_with_a_readout_is_scored_by_its_codes() -> None:
    P = ws.programs.compile(ws.programs.rasp.tokens == "a", "abc", 4)
    T = P.transformer
    scores = edge_attribution_patching(T, [Pair(tuple("ab"), tuple("bb"), 0)])
    assert max(scores.values()) == pytest.approx(1.0)  # the code moves all the way
    assert set(scores) == set(edges(T))


def test_norms_of_gradients_are_listed_for_every_part_with_the_margins() -> None:
    P, sharp = compiled("hist"), compiled("hist", gradients=False)
    found = gradient_norms(P, pairs_of(P, 30, 6))
    heads = [f"blocks.{b}.attn.head.0.{x}" for b in range(2) for x in "qkv"]
    layers = [f"blocks.{b}.mlp.{x}" for b in range(2) for x in ("in", "neurons")]
    assert sorted(row.part for row in found) == sorted(heads + layers)
    assert all(row.pairs >= 15 and row.mean > 1e-3 for row in found)
    assert found.sharpness == 5
    assert found.margins == P.proof.margins  # type: ignore[attr-defined]
    assert "sharpness 5" in str(found)
    nothing = gradient_norms(sharp, pairs_of(P, 30, 6))
    assert [row.part for row in nothing if row.pairs] == ["blocks.1.mlp.neurons"]
    assert nothing.sharpness is None
    assert gradient_norms(P.transformer, pairs_of(P, 30, 6)).margins == {}


@pytest.mark.parametrize("method", [edge_attribution_patching, edge_integrated_gradients, gradient_norms])
@pytest.mark.parametrize(
    ("pairs", "says"),
    [
        (None, r"pairs=None: write a list of at least one Pair\(clean, corrupted, position\)"),
        ([], r"pairs=\[\]: write a list of at least one Pair"),
        (PAIRS[0], "write a list of at least one Pair"),
        ("abc", "pairs='abc': write a list of at least one Pair"),
        ([("a", "b", 0)], r"pairs\[0\]=\('a', 'b', 0\): write Pair\(clean, corrupted, position\)"),
        ([Pair(("a",), ("a", "b"), 0)], r"pairs\[0\] has 1 clean and 2 corrupted tokens: write inputs of one length"),
        ([Pair(("a",), ("d",), 0)], "d"),
        ([Pair((), (), 0)], "token"),
        ([Pair(("a",), ("b",), 1)], r"pairs\[0\]\.position=1: write a whole number from 0 to 0"),
        ([Pair(("a",), ("b",), -1)], r"pairs\[0\]\.position=-1"),
        ([Pair(("a",), ("b",), True)], r"pairs\[0\]\.position=True"),
        ([Pair(("a",) * 9, ("b",) * 9, 0)], "9"),
    ],
)
def test_pairs_that_do_not_fit_are_refused(method: Any, pairs: Any, says: str) -> None:
    with pytest.raises(ws.WeightsmithError, match=says):
        method(compiled("hist").transformer, pairs)


def test_other_wrong_arguments_are_refused() -> None:
    P = compiled("hist")
    with pytest.raises(ws.InputError, match=r"is not a transformer: of a compiled program write P\.transformer"):
        edge_attribution_patching(P, PAIRS)  # type: ignore[arg-type]
    with pytest.raises(ws.InputError, match="towards='mean': write 'corrupted' or 'zero'"):
        edge_attribution_patching(P.transformer, PAIRS, towards="mean")  # type: ignore[arg-type]
    for steps in (0, 1.5, None, True, 10**9):
        with pytest.raises(ws.InputError, match=r"steps=.*: write a whole number from 1 to 1000"):
            edge_integrated_gradients(P.transformer, PAIRS, steps=steps)  # type: ignore[arg-type]

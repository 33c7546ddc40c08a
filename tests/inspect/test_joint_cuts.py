"""Cutting many edges equals a plain computation of every component from its own sum of contributions."""

from itertools import product
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.programs.drawn import drawn_program
from weightsmith.errors import WeightsmithError
from weightsmith.inspect.components import Edge, Node, writers
from weightsmith.inspect.cuts import Cutting
from weightsmith.inspect.edges import edges
from weightsmith.inspect.joint_cuts import JointCutting
from weightsmith.programs import compile as compile_program
from weightsmith.semantics.attention import run_head
from weightsmith.semantics.reference import Reference

Cuts = set[Edge]


def slowly(T: ws.Transformer, ids: Any, cuts: Cuts, values: dict[Node, Any]) -> Any:
    """Return the last stage; every reader's stream is added up anew from the beginning, with no result kept."""
    A, engine, wrote = T.arithmetic.core, Reference(T), dict[Node, Any]()
    wrote[Node("embed")] = A.encoded(T.embedding[ids])
    if Node("pos_embed") in writers(T):
        assert isinstance(T.positions, ws.PositionTable)
        table = A.encoded(T.positions.values[: ids.shape[1]])
        wrote[Node("pos_embed")] = np.broadcast_to(table, wrote[Node("embed")].shape)

    def seen(target: Node, name: Any, stage: int) -> Any:
        def of(node: Node) -> Any:
            here = Edge(node, target, name) in cuts
            return values.get(node, np.zeros_like(wrote[Node("embed")])) if here else wrote[node]

        h = of(Node("embed"))
        if Node("pos_embed") in wrote:
            h = A.add(h, of(Node("pos_embed")))
        for b, block in enumerate(T.blocks):
            if stage > 2 * b and block.attention is not None:
                total = np.zeros_like(h)
                for i in range(len(block.attention.heads)):
                    total = A.add(total, of(Node("head", b, i)))
                if block.attention.b_O is not None:
                    total = A.add(total, block.attention.b_O)
                h = A.add(h, total)
                if block.norm_placement == "post" and block.attention_norm is not None:
                    h = engine._norm(block.attention_norm, h, "")
            if stage > 2 * b + 1 and block.feed_forward is not None:
                h = A.add(h, of(Node("mlp", b)))
                if block.norm_placement == "post" and block.feed_forward_norm is not None:
                    h = engine._norm(block.feed_forward_norm, h, "")
        return h

    for b, block in enumerate(T.blocks):
        if block.attention is not None:
            for i, head in enumerate(block.attention.heads):
                node = Node("head", b, i)
                scheme = block.attention.positions_of(i, T.attention_positions) or ws.model.positions.NO_POSITIONS
                q, k, v = (engine.before_attention(b, seen(node, name, 2 * b)) for name in "qkv")
                wrote[node] = run_head(T, head, scheme, q, None, "", {"q": q, "k": k, "v": v}).output
        if block.feed_forward is not None:
            layer = block.feed_forward
            active = engine.activations(b, seen(Node("mlp", b), "in", 2 * b if block.parallel else 2 * b + 1))
            wrote[Node("mlp", b)] = A.affine(layer.W_2, active, layer.b_2)
    return seen(Node("unembed"), "in", 2 * len(T.blocks))


def all_ids(T: ws.Transformer, length: int) -> Any:
    return np.array(list(product(range(len(T.vocabulary)), repeat=length)))


def check(T: ws.Transformer, length: int, seed: int, times: int = 8) -> int:
    """Cut random sets of edges; return how many answers changed."""
    rng, ids, every, changed = np.random.default_rng(seed), all_ids(T, length), list(edges(T)), 0
    run = JointCutting(T, ids)
    there = run.outputs()
    for n in range(times):
        cuts = {edge for edge in every if rng.random() < [0.05, 0.2, 0.5, 1.0][n % 4]}
        values = {} if n % 2 else {node: there[node][rng.permutation(len(ids))] for node in there}
        expected = slowly(T, ids, cuts, values)
        assert np.array_equal(run.last_stage(cuts, values), expected)
        if not values:
            assert np.array_equal(run.cut_all(cuts), Reference(T).read_answers(expected))
        changed += int((Reference(T).read_answers(expected) != run.answers).sum())
    return changed


@pytest.mark.parametrize("seed", range(4))
def test_cuts_in_random_models_equal_the_plain_computation(seed: int) -> None:
    T = ws.random_transformer("01", 3, 2, 2, 3, 6, ws.Fixed(2, 2) if seed % 2 else ws.Float(3, 2), seed)
    assert check(T, 3, seed) > 0


@pytest.mark.parametrize("placement", ["pre", "post"])
def test_cuts_in_models_with_norms(placement: Any) -> None:
    from dataclasses import replace

    T = ws.random_transformer("01", 4, 2, 2, 3, 6, ws.Native("float64"), 1)
    norm = ws.LayerNorm(eps=0.01)
    blocks = [replace(b, attention_norm=norm, feed_forward_norm=norm, norm_placement=placement) for b in T.blocks]
    T = replace(T, blocks=tuple(blocks))
    assert check(T, 3, 5) > 0
    run = JointCutting(T, all_ids(T, 3))
    for edge in edges(T):
        assert np.array_equal(run.cut([edge]), run.cut_all([edge])), str(edge)


def test_cuts_in_compiled_programs() -> None:
    changed = done = 0
    for seed in range(8):
        try:
            T = compile_program(drawn_program(seed, 3, "ab"), vocabulary="ab", max_length=5).transformer
        except WeightsmithError:
            continue
        changed, done = changed + check(T, 3, seed), done + 1
        ids = all_ids(T, 3)
        run, single = JointCutting(T, ids), Cutting(T, ids)
        for edge in edges(T):
            assert np.array_equal(run.cut_all([edge]), single.cut([edge]))
    assert done >= 3
    assert changed > 0


def test_no_cut_changes_nothing_and_a_value_that_was_written_is_no_cut() -> None:
    T = ws.random_transformer("01", 3, 2, 2, 3, 6, ws.Fixed(2, 2), 3)
    run = JointCutting(T, all_ids(T, 3))
    assert np.array_equal(run.last_stage([]), run.found.stream[-1])
    first_block = [edge for edge in edges(T) if edge.target.block == 0]
    assert np.array_equal(run.last_stage(first_block, run.outputs()), run.found.stream[-1])


def test_a_value_of_another_shape_is_refused() -> None:
    T = ws.random_transformer("01", 3, 2, 2, 3, 6, ws.Fixed(2, 2), 3)
    run = JointCutting(T, all_ids(T, 3))
    with pytest.raises(ws.InputError, match=r"the value of 'embed' has shape \(1, 2\): write one of shape \(8, 3, 3\)"):
        run.numbers(list(edges(T))[:1], {Node("embed"): np.zeros((1, 2))})

"""What the pages of the lecture say about the stream, heads, feed-forward layers, positions and 1/√d."""

import numpy as np

import weightsmith as ws

PARIS = "The Eiffel Tower is in"


def test_the_feed_forward_layer_gives_the_same_at_a_position_whatever_stands_elsewhere() -> None:
    T = ws.library.eiffel()
    layer = T.blocks[0].feed_forward
    assert layer is not None
    r = ws.run(T, PARIS)
    for position in range(len(r.tokens)):
        h = r.stream[1, position]
        alone = np.maximum(layer.W_1 @ h + layer.b_1, 0)
        assert np.allclose(alone, r.activations[0][position], atol=1e-15)
    other = ws.run(T, "is The . Eiffel Tower")  # the same word with the same left neighbours of influence
    assert np.array_equal(other.activations[0][-1], r.activations[0][2])


def test_the_stream_is_the_embedding_and_what_the_sublayers_add() -> None:
    r = ws.run(ws.library.fish(), "Thanks for all the")
    added = np.diff(r.stream, axis=0)
    assert np.array_equal(r.stream[0] + added.sum(axis=0), r.stream[-1])
    assert np.array_equal(r.stream[0], r.transformer.embedding[[r.transformer.vocabulary.index(t) for t in r.tokens]])


def test_a_head_moves_eiffel_to_tower() -> None:
    r = ws.run(ws.library.eiffel(), PARIS)
    found = {(move.head, move.source, move.target) for move in ws.moved(r, block=0, position=2)}
    assert found == {(0, 1, 2), (1, 1, 2)}


def test_without_the_memory_or_without_the_head_paris_is_forgotten() -> None:
    r = ws.run(ws.library.eiffel(), PARIS)
    assert r.decision == "Paris"
    assert ws.ablate(r, block=0, neurons=["2847"]).decision == "London"
    assert ws.ablate(r, block=0, head=1).decision == "London"


def test_without_positions_the_order_of_words_is_lost() -> None:
    T = ws.library.word_and_position("word")
    a, b = ws.run(T, "cat sat The"), ws.run(T, "sat cat The")
    assert np.array_equal(a.stream[0, 0], b.stream[0, 1])
    S = ws.library.word_and_position()
    assert not np.array_equal(ws.run(S, "cat sat").stream[0, 0], ws.run(S, "sat cat").stream[0, 1])
    B = ws.library.bank()  # a head without positions: the river counts wherever it stands
    texts = ("the river by the bank", "river the by the bank", "by the the river bank")
    assert len({tuple(ws.run(B, text).logits) for text in texts}) == 1


def test_without_the_root_the_softmax_saturates_as_d_grows() -> None:
    random, plain, divided = np.random.default_rng(0), [], []
    for d in (4, 64, 1024):
        q, k = random.normal(size=(2000, d)), random.normal(size=(2000, 8, d))
        scores = np.einsum("nd,nmd->nm", q, k)
        plain.append(largest_weight(scores))
        divided.append(largest_weight(scores / np.sqrt(d)))
        assert abs(scores.std() / np.sqrt(d) - 1) < 0.05
    assert plain[0] < plain[1] < plain[2]
    assert plain[2] > 0.95
    assert max(divided) - min(divided) < 0.1


def largest_weight(scores: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]") -> float:
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return float((e / e.sum(axis=1, keepdims=True)).max(axis=1).mean())

"""What the notes and the lecture say, decided; the numbers are those of docs/claims.md."""

from dataclasses import replace

import numpy as np
import pytest

import weightsmith as ws
from weightsmith.rewrites import linear_map

A = ws.Fixed(4, 4)
T = ws.random_transformer("ab", 3, 1, 1, 3, 6, A, seed=4)


def test_claim_01_flags_live_in_the_positions_and_cannot_live_in_the_token_embedding() -> None:
    flagged = ws.run(ws.flag(T, "here", [1]), "aaa").stream[0, :, -1]
    assert flagged.tolist() == [0, 1, 0]
    by_token = replace(ws.widen(T, ["here"]), positions=None)
    assert len(set(ws.run(by_token, "aaa").stream[0, :, -1].tolist())) == 1, "equal tokens get equal values"


def test_claim_02_the_vector_stands_in_the_flags_column() -> None:
    vector = {"x0": 1.5, "x2": -2.0}
    U = ws.add_vector(ws.flag(T, "here", [1]), vector, at="here")
    layer = U.blocks[-1].feed_forward
    assert layer is not None
    assert layer.W_1.tolist() == [[0, 0, 0, 1]], "one neuron, which reads the flag"
    assert layer.W_2[:, 0].tolist() == [1.5, 0, -2.0, 0]


def test_claim_03_zeroing_by_three_infinities_needs_a_symmetric_range() -> None:
    for arithmetic in (A, ws.Float(3, 3), ws.Float(2, 4)):
        x, infinity = arithmetic.values(), arithmetic.infinity
        assert not arithmetic.subtract(arithmetic.add(arithmetic.add(x, infinity), infinity), infinity).any()
    twos = ws.TwosComplement(4, 4)
    infinity = twos.infinity
    assert twos.subtract(twos.add(twos.add(-16.0, infinity), infinity), infinity) == -0.0625
    U = ws.zero_vector(ws.flag(T, "here", [1]), at="here")
    assert ws.run(U, "ab").stream[-1, 1].tolist() == [0, 0, 0, 1], "the flag itself is spared"


def test_claim_04_ignored_lanes_are_still_read_through_a_norm_over_all_lanes() -> None:
    deaf = ws.ignore_lanes(T, ["x0"])
    louder = replace(deaf, embedding=deaf.embedding + np.array([4.0, 0, 0]))
    assert np.array_equal(ws.run(deaf, "ab").stream[-1, :, 1:], ws.run(louder, "ab").stream[-1, :, 1:])
    norm = ws.LayerNorm(eps=1.0)
    blocks = (replace(deaf.blocks[0], attention_norm=norm),)
    quiet, loud = (replace(model, blocks=blocks) for model in (deaf, louder))
    assert not np.array_equal(ws.run(quiet, "ab").stream[-1, :, 1:], ws.run(loud, "ab").stream[-1, :, 1:])
    limited = (replace(deaf.blocks[0], attention_norm=ws.LayerNorm(eps=1.0, lanes=["x1", "x2"])),)
    quiet, loud = (replace(model, blocks=limited) for model in (deaf, louder))
    assert np.array_equal(ws.run(quiet, "ab").stream[-1, :, 1:], ws.run(loud, "ab").stream[-1, :, 1:])


def test_claim_05_the_head_of_the_notes_spoils_its_source_too() -> None:
    M = np.array([[1, 0, 2], [0, -1, 0], [0.5, 0, 1]])
    before = ws.run(T, "abbaab").stream[-1]
    own = ws.run(linear_map(T, M, source=2, target=4, spare=False), "abbaab")
    assert np.array_equal(own.stream[-1, 4, :3], A.matvec(M, before[2])), "the target is right"
    changed = [i for i in range(6) if not np.array_equal(own.stream[-1, i, :3], before[i])]
    assert changed == [2, 3, 4, 5], "the source, with query 0, attends to everything before it"
    assert own.empty_softmax == 2, "positions 0 and 1 see only −∞"
    ours = ws.run(linear_map(T, M, source=2, target=4), "abbaab")
    assert [i for i in range(6) if not np.array_equal(ours.stream[-1, i, :3], before[i])] == [4]
    with pytest.raises(ws.LawError, match="exp"):
        linear_map(ws.random_transformer(arithmetic=ws.Float(2, 4), lanes=3), M, 2, 4)


def test_claim_06_the_zero_one_form_needs_no_end_token_and_no_length_with_feed_forward() -> None:
    U = ws.zero_one_form(T)
    assert len(U.blocks) == len(T.blocks) + 1
    assert U.vocabulary == T.vocabulary
    for tokens in ("a", "ab", "abbaab"):
        assert ws.run(U, tokens).stream[-1, -1].tolist() == [*ws.run(T, tokens).logits, 0, 0, 0]
    with_end = ws.zero_one_form(T, lowering="attention", length=3)
    assert ws.run(with_end, ["a", "b", "b", "END"]).logits.tolist() == ws.run(T, "abb").logits.tolist()
    assert ws.run(with_end, ["a", "b", "END"]).logits.tolist() != ws.run(T, "ab").logits.tolist(), "one length only"


def test_claim_07_the_notes_first_layer_reads_lanes_that_hold_0_and_ties_stay_no() -> None:
    normal = ws.run(ws.zero_one_form(T), "ab").stream[-1, -1]
    as_printed, as_meant = np.zeros(5), np.zeros(5)
    as_printed[-2:] = (-1, 1)
    as_meant[:2] = (-1, 1)
    assert A.dot(as_printed, normal) == 0, "so every input would be decided NO"
    assert A.dot(as_meant, normal) == A.subtract(normal[1], normal[0])
    tie = replace(T, output=np.ones((2, 3)))
    assert ws.run(tie, "ab").decision == ws.run(ws.infinity_form(tie), "ab").decision == "NO"
    assert ws.run(ws.infinity_form(tie), "ab").logits.tolist() == [1, 0]


def test_claim_08_two_multiplications_by_infinity_are_not_always_enough() -> None:
    for s in range(2, 9):
        system = ws.Fixed(s, s)
        assert system.multiply(system.multiply(system.smallest, system.infinity), system.infinity) == system.infinity
    narrow = ws.Float(3, 3)
    assert narrow.infinity == 14
    assert narrow.multiply(narrow.multiply(narrow.smallest, narrow.infinity), narrow.infinity) == 3


def test_claim_09_both_answers_can_be_loud() -> None:
    U = ws.signed_infinity_form(T)
    for tokens in ("a", "b", "ab", "ba", "abbaab"):
        yes = ws.run(T, tokens).decision == "YES"
        loud = [-A.infinity, A.infinity] if yes else [A.infinity, -A.infinity]
        assert ws.run(U, tokens).stream[-1, -1, :2].tolist() == loud


def test_claim_10_the_lectures_numbers_come_out_to_the_digits_shown() -> None:
    model = ws.library.eiffel()
    r = ws.run(model, "The Eiffel Tower is in")
    four = [model.lanes.index(lane) for lane in ("dim 0", "dim 1", "dim 42 Paris", "dim 3")]
    known = [model.lanes.index(lane) for lane in ("dim 42 Paris", "dim 73 landmark", "dim 158 French culture")]
    tower = np.round(r.stream[:, 2], 10)
    assert tower[0, four].tolist() == [0.4, 0.2, 0.2, 0.1]
    assert np.round([head.output[2, four] for head in r.heads[0]], 10).tolist() == [
        [0.1, 0.2, 0, 0.1],
        [0.2, 0, 0.3, 0],
    ]
    assert tower[1, four].tolist() == [0.7, 0.4, 0.5, 0.2]
    printed = np.array([[0.8, 0.1, 0.9, -0.1], [0.1, 0.8, -0.2, 0.3]]) @ tower[1, four]
    assert np.round(printed, 10).tolist() == [1.03, 0.35], "the four printed coordinates alone"
    layer = r.transformer.blocks[0].feed_forward
    assert layer is not None
    neurons = [layer.names.index(number) for number in ("2847", "5432")]
    assert np.round(r.activations[0][2, neurons], 10).tolist() == [1.2, 0.4], "with what the dots hide"
    assert np.round(r.stream[2, 2] - r.stream[1, 2], 10)[known].tolist() == [1.12, 1.24, 0.74]
    assert tower[2, four].tolist() == [0.8, 0.45, 1.62, 0.5]
    assert r.decision == "Paris"
    lanes = list("wxyz")
    norm = ws.Transformer(
        ws.Native("float64"),
        "a",
        lanes,
        np.array([[2.0, 4, 6, 8]]),
        None,
        (),
        np.eye(4),
        lanes,
        final_norm=ws.LayerNorm(),
    )
    assert np.round(ws.run(norm, "a").logits, 2).tolist() == [-1.34, -0.45, 0.45, 1.34]
    cat = np.array([[0.5, 0.3, -0.2, 0.8], [0, 0, 0, 0]])
    words = ws.Transformer(ws.Native("float64"), "c.", lanes, cat, ws.Sinusoidal(3), (), np.eye(4), lanes)
    assert np.round(ws.run(words, "..").logits, 3).tolist() == [0.841, 0.540, 0.010, 1.000]
    assert np.round(ws.run(words, ".c").logits, 3).tolist() == [1.341, 0.840, -0.190, 1.800]


def test_claim_11_under_a_causal_mask_eiffel_cannot_see_its_right_neighbour() -> None:
    model = ws.library.eiffel()
    with_tower, without = (ws.run(model, ["The", "Eiffel", word]) for word in ("Tower", "is"))
    assert np.array_equal(with_tower.stream[:, 1], without.stream[:, 1])
    for weights in with_tower.attention[0]:
        assert weights[1, 2] == 0
        assert weights[2, 1] == 1, "Tower looks at Eiffel, its left neighbour"


def as_the_note_writes_it(length: int) -> ws.Transformer:
    """Return the ∞ form by linear maps alone, each to the next END; the source of the first is the last token."""
    assert isinstance(T.positions, ws.PositionTable)
    table = np.vstack([T.positions.values[:length], np.zeros((4, 3))])
    longer = replace(
        T, vocabulary=("a", "b", "END"), embedding=np.vstack([T.embedding, np.zeros(3)]),
        positions=ws.PositionTable(table),
    )  # fmt: skip
    U = ws.widen(longer, ["no", "yes", "difference"], where="front")
    lanes = list(U.lanes)

    def maps(U: ws.Transformer, source: int, entries: dict[tuple[str, str], float]) -> ws.Transformer:
        return linear_map(U, ws.matrix(lanes, lanes, entries), source, source + 1, lanes=lanes)

    logits = {
        (to, of): w for to, row in zip(("no", "yes"), T.output, strict=True) for of, w in zip(T.lanes, row, strict=True)
    }
    U = maps(U, length - 1, logits)
    relu = ws.feed_forward(U.lanes, [ws.Neuron({"no": -1, "yes": 1}, {"difference": 1})])
    U = maps(replace(U, blocks=(*U.blocks, ws.Block(feed_forward=relu))), length, {("yes", "difference"): 1})
    for source in (length + 1, length + 2):
        U = maps(U, source, {("yes", "yes"): A.infinity})
    identity = ws.feed_forward(U.lanes, [ws.Neuron({lane: 1}, {lane: 1}) for lane in lanes], adds={"no": 1})
    output = ws.matrix(["NO", "YES"], U.lanes, {("NO", "no"): 1, ("YES", "yes"): 1})
    return replace(U, blocks=(*U.blocks, ws.Block(feed_forward=identity)), output=output)


def test_claim_12_each_linear_map_goes_one_position_to_the_right_so_four_END_are_needed() -> None:
    U, ends = as_the_note_writes_it(3), ("END",) * 4
    assert ws.check.same_decisions(T, U, length=3, suffix=ends).holds
    others = dict.fromkeys(["difference", *T.lanes], 0.0)
    form = ws.check.condition("no == 1 and yes in (0, inf)") & ws.check.condition(others)
    assert ws.check.vectors(U, form, length=3, suffix=ends).holds
    last = f"block {len(U.blocks) - 1} feed-forward"
    early = ws.check.vectors(U, "yes in (0, inf)", length=3, suffix=ends, at=(last, -3))
    assert early.holds is False, "after two END nothing was multiplied by ∞"
    with pytest.raises(ws.InputError, match="write source < target, not 3 and 3"):
        linear_map(T, np.eye(3), 3, 3)
    cleared = linear_map(T, np.eye(3), 1, 3)
    assert ws.check.vectors(cleared, dict.fromkeys(T.lanes, 0.0), 4, at=("block 1 feed-forward", 3)).holds, "M 0 = 0"
    assert ws.infinity_form(T, lowering="attention", length=3).max_length == 4, "one END"


def test_claim_13_the_last_layer_doubles_and_only_0_and_infinity_are_spared() -> None:
    for arithmetic in (A, ws.Fixed(2, 2), ws.Float(3, 3), ws.Float(2, 4)):
        x = arithmetic.values()
        x = x[x >= 0]
        spared = x[arithmetic.add(x, x) == x]
        assert spared.tolist() == [0, arithmetic.infinity]
    lanes = ["no", "yes"]
    layer = ws.feed_forward(lanes, [ws.Neuron({lane: 1}, {lane: 1}) for lane in lanes], adds={"no": 1})
    M = ws.Transformer(
        A, "ab", lanes, np.array([[0, 1.0], [0, A.infinity]]), None, (ws.Block(feed_forward=layer),), np.eye(2)
    )
    v = ws.check.vectors(M, "no == 1 and yes == lane('yes', 'embedding')")
    assert v.counterexample == "a"
    assert v.sides == {
        "block 0 feed-forward, the last position": "no=1, yes=2",
        "embedding, the last position": "yes=1",
    }
    assert ws.check.vectors(M, "no == 1 and yes == lane('yes', 'embedding')", within=".*b").holds


def test_claim_14_nothing_moves_to_the_left() -> None:
    with pytest.raises(ws.InputError, match="linear_map goes to a later position: write source < target, not 3 and 1"):
        linear_map(T, np.eye(3), 3, 1)
    for site in range(3):
        first, second = (ws.run(T, word).stream[site, 1] for word in ("aaaa", "aabb"))
        assert np.array_equal(first, second)
    M = np.eye(3)
    right = linear_map(T, M, 1, 3)
    assert ws.check.vectors(
        right, ws.check.image(M, at=("block 0 feed-forward", 1)), 6, at=("block 2 attention", 3)
    ).holds


def with_map_of_flags(entries: dict[tuple[str, str], float]) -> ws.Transformer:
    """Return the note's map from 1 to 3 with another M, over all lanes."""
    U = linear_map(T, np.eye(3), 1, 3, spare=False)
    attention = U.blocks[-1].attention
    assert attention is not None
    head = replace(attention.heads[0], W_V=np.eye(len(U.lanes)), W_O=ws.matrix(U.lanes, U.lanes, entries))
    return replace(U, flags=(), blocks=(*U.blocks[:-1], ws.Block(ws.Attention((head,)))))


def test_claim_15_a_map_that_is_not_0_on_the_flags_moves_the_flags() -> None:
    plain = {(lane, lane): 1.0 for lane in T.lanes}
    copied = with_map_of_flags({**plain, ("at 1", "at 1"): 1, ("not at 1", "not at 1"): 1})
    at = ("block 2 attention", 3)
    assert ws.check.vectors(with_map_of_flags(plain), {"at 1": 0, "not at 1": 1}, 4, at=at).holds
    assert ws.check.vectors(copied, {"at 1": 1, "not at 1": 1}, 4, at=at).holds
    spoilt = with_map_of_flags({**plain, ("not at 1", "at 1"): -1})
    assert ws.check.vectors(spoilt, {"at 1": 0, "not at 1": 0}, 4, at=at).holds
    again = replace(spoilt, blocks=(*spoilt.blocks, spoilt.blocks[-1]))
    weights = ws.run(again, "abbaab").attention[-1][0][4].tolist()
    assert weights == [0.1875] * 5 + [0], "the next map attends to all alike: 1/5, rounded"
    with pytest.raises(ws.InputError, match="M must be 0 in the rows and columns of the flags"):
        linear_map(ws.flag(T, "here", [1]), np.eye(4), 1, 3)


def test_claim_16_a_chain_of_a_normal_form_answers_as_before() -> None:
    C = ws.library.parity_chain(max_length=4)
    for form in (ws.zero_one_form, ws.infinity_form, ws.signed_infinity_form):
        normal = replace(C, transformer=form(C.transformer))
        verdict = ws.check.same_decisions(C, normal)
        assert verdict.holds
        assert verdict.up_to == 4, "its longest input"
    one_length = ws.infinity_form(C.transformer, lowering="attention", length=5)
    assert ws.check.same_decisions(C.transformer, one_length, length=5, suffix=("END",)).holds
    assert ws.check.same_decisions(C.transformer, one_length, length=4, suffix=("END",)).holds is False
    with pytest.raises(ws.InputError):
        ws.check.same_decisions(C.transformer, one_length, length=6, suffix=("END",))

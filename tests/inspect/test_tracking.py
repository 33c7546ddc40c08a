"""Which unit follows a feature: known exactly in models written by hand, measured on what is held out, refused by name."""
# ruff: noqa: E501

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from weightsmith.inspect import Reading, Tracking, Unit
from weightsmith.inspect.probing.rules import Explained, ShareRight, shuffled
from weightsmith.inspect.probing.tracking import Baselines, _gain
from weightsmith.inspect.probing.units import reading_of
from weightsmith.model.sites import Site

W: Any = ws  # what is called wrongly is no business of mypy
EVERY = ["".join(symbols) for n in range(1, 7) for symbols in product("01", repeat=n)]
ORDER = np.random.default_rng(0).permutation(len(EVERY)).tolist()
INPUTS, HELD = [EVERY[n] for n in ORDER[:70]], [EVERY[n] for n in ORDER[70:]]
ABC = [["".join(w) for w in product("abc", repeat=n)] for n in (3, 4)]


def one_was_seen(run: Any) -> list[bool]:
    return ["1" in run.tokens[: i + 1] for i in range(len(run.tokens))]


def ones(run: Any) -> list[int]:
    return [run.tokens[: i + 1].count("1") for i in range(len(run.tokens))]


def odd(run: Any) -> list[bool]:
    return [count % 2 == 1 for count in ones(run)]


def gain_of(found: Tracking) -> float:
    gain = found.best().gain
    assert gain is not None
    return gain


class Random:
    """A model whose units know nothing, and one that knows what it is told to know."""

    def __init__(self, units: int, told: Any = None) -> None:
        self.units, self.told = units, told

    def reading(self, tokens: str | Sequence[str]) -> Reading:
        random = np.random.default_rng(int("1" + "".join(tokens)))
        values = random.normal(size=(len(tokens), self.units))
        units = tuple(Unit("cell", n) for n in range(self.units))
        found = Reading(tuple(tokens), units, values)
        if self.told is not None:
            values[:, 3] = self.told(found)
        return found


@pytest.mark.parametrize("A", [ws.Fixed(4, 4), ws.Float(4, 3), ws.Native("float64")], ids=str)
def test_the_lane_that_tracks_a_feature_by_construction_is_found_and_is_exact(A: ws.Arithmetic) -> None:
    found = ws.tracking(ws.library.contains("1", arithmetic=A), one_was_seen, INPUTS, HELD)
    best = found.best()
    assert str(best) == "lane found after block 0 attention"
    assert (best.chosen_on, best.held_out, best.gain) == (1.0, 1.0, 1.0)
    assert found.ranked[0] is best
    assert found.follows()
    assert [followed.held_out for followed in found.ranked[1:]] == [found.baselines.token] * 3, "the others know less"


def test_a_neuron_that_fires_for_a_feature_is_found_by_name() -> None:
    financial = ws.tracking(
        ws.library.bank(),
        lambda run: [token == "bank" and "deposit" in run.tokens[:i] for i, token in enumerate(run.tokens)],
        ["we made a deposit at the bank", "we sat by the bank", "deposit bank bank the", "a bank"],
        ["the deposit at the bank", "the bank", "bank by the bank", "a deposit the bank"],
    )
    neuron = financial.best("neuron")
    assert str(neuron) == "block 0, neuron 0 financial"
    assert neuron.held_out == 1
    assert financial.kinds == ("neuron", "lane")
    assert {lane.unit.name for lane in financial.ranked if lane.held_out == 1} >= {"financial", "money", "near deposit"}


def test_a_feature_with_many_values_is_followed_by_a_line() -> None:
    found = ws.tracking(ws.library.parity(), ones, INPUTS, HELD)
    assert str(found.best("lane")) == "lane count after block 0 attention"
    assert found.best("lane").held_out == pytest.approx(1, abs=1e-12)
    assert found.values == ()
    assert abs(found.baselines.usual) < 1e-12
    assert "R² of a line" in str(found)
    assert found.over("0110").feature == (0, 1, 2, 2)
    assert [round(x) for x in found.over("0110").tracks[0].says] == [0, 1, 2, 2]


def test_no_unit_follows_what_the_model_does_not_compute_and_that_is_said() -> None:
    found = ws.tracking(ws.library.contains("1"), odd, INPUTS, HELD)
    assert not found.follows()
    assert gain_of(found) < 0.75
    assert "no lane follows odd: the gain of the best is" in str(found)
    assert "follows odd: 1" not in str(found)


def test_the_best_of_many_that_know_nothing_is_not_said_to_follow() -> None:
    found = ws.tracking(Random(400), odd, INPUTS, HELD)
    assert not found.follows()
    assert found.best().held_out < found.best().chosen_on, "what was chosen looks better where it was chosen"
    assert found.baselines.shuffled > found.baselines.usual, "and the best of 400 looks better than it is"
    assert abs(gain_of(found)) < 0.3
    assert str(found.best()) in str(found.table(1)), "what is said below the table is in it"
    told = ws.tracking(Random(400, odd), odd, INPUTS, HELD)
    assert told.best().unit == Unit("cell", 3)
    assert told.follows("cell")


def test_nothing_that_is_measured_is_fitted_on_what_is_held_out() -> None:
    """The feature turned round in what is held out turns every measure round, and changes no choice."""
    T, held = ws.library.contains("1"), set(HELD)

    def turned(run: Any) -> list[bool]:
        return [seen != ("".join(run.tokens) in held) for seen in one_was_seen(run)]

    straight, other = ws.tracking(T, one_was_seen, INPUTS, HELD), ws.tracking(T, turned, INPUTS, HELD)
    assert other.best().unit == straight.best().unit
    assert other.best().chosen_on == straight.best().chosen_on == 1
    assert other.best().held_out == 0
    assert not other.follows()
    assert {f.unit: f.chosen_on for f in other.ranked} == {f.unit: f.chosen_on for f in straight.ranked}
    assert other.baselines.usual == pytest.approx(1 - straight.baselines.usual)
    assert other.baselines.token == pytest.approx(1 - straight.baselines.token)


def test_units_are_ranked_by_what_they_reach_on_what_is_held_out() -> None:
    for found in (ws.tracking(ws.library.parity(), odd, INPUTS, HELD), ws.tracking(Random(50), odd, INPUTS, HELD)):
        shares = [followed.held_out for followed in found.ranked]
        assert shares == sorted(shares, reverse=True)
        assert found.best().chosen_on == max(followed.chosen_on for followed in found.ranked)


def test_every_lane_at_every_stage_and_every_neuron_is_ranked() -> None:
    T = ws.random_transformer(vocabulary="01", lanes=3, blocks=2, neurons=5, max_length=8)
    units = {followed.unit for followed in ws.tracking(T, odd, INPUTS, HELD).ranked}
    assert len(units) == 5 * 3 + 2 * 5
    assert {unit.stage for unit in units if unit.kind == "lane"} == set(ws.run(T, "0").stages)
    assert {unit.stage for unit in units if unit.kind == "neuron"} == {"block 0 feed-forward", "block 1 feed-forward"}
    r, found = ws.run(T, "0110"), ws.tracking(T, odd, INPUTS, HELD)
    for unit, column in zip(reading_of(r).units, reading_of(r).values.T, strict=True):
        neurons = r.activations[int(unit.stage[6])] if unit.kind == "neuron" else None
        held = r.at(unit.stage, lane=unit.name) if neurons is None else neurons[:, unit.place]
        assert np.array_equal(column, held), unit
    lane, neuron = found.best("lane").unit, found.best("neuron").unit
    tracks = {track.unit: track.values for track in found.over("0110").tracks}
    assert tracks[lane] == tuple(r.at(lane.stage, lane=lane.name).tolist())
    assert tracks[neuron] == tuple(r.activations[int(neuron.stage[6])][:, neuron.place].tolist())


def test_a_feature_may_look_at_the_whole_run() -> None:
    T = ws.library.contains("1")
    found = ws.tracking(T, lambda r: (r.at("block 0 attention", lane="found") > 0).tolist(), INPUTS, HELD)
    assert found.best().held_out == 1
    assert found.name == "feature"
    words = ws.tracking(T, lambda r: ["yes" if x else "not yet" for x in one_was_seen(r)], INPUTS, HELD)
    assert words.values == ("not yet", "yes")
    assert words.over("01").tracks[0].says == ("not yet", "yes")


def test_nothing_follows_a_feature_that_the_token_alone_says() -> None:
    """A perfect baseline leaves nothing to gain: 0 of 0 is not 100 %."""
    found = ws.tracking(ws.library.contains("1"), lambda r: [token == "1" for token in r.tokens], INPUTS, HELD)
    assert found.baselines.token == 1
    assert str(found.best()) == "lane symbol after embedding"
    assert found.best().held_out == 1
    assert [followed.gain for followed in found.ranked] == [None] * len(found.ranked)
    assert not found.follows()
    assert "whether a lane follows feature cannot be seen: the token alone says it" in str(found)
    assert "follows feature: 1" not in str(found)


def test_a_line_through_numbers_that_the_token_alone_says_has_no_gain_either() -> None:
    found = ws.tracking(ws.library.contains("c", "abc"), lambda r: ["abc".index(t) for t in r.tokens], *ABC)
    assert found.baselines.token == pytest.approx(1, abs=1e-12)
    assert not found.follows()
    assert {followed.gain for followed in found.ranked} == {None}


def by_trying(values: list[float], feature: list[int]) -> float:
    """Return the best share that any threshold reaches, by trying each."""
    cuts = [-1e9, *values]
    right = [sum((x > at) == bool(y) for x, y in zip(values, feature, strict=True)) for at in cuts]
    return max(max(n, len(values) - n) for n in right) / len(values)


def test_the_threshold_is_the_best_that_there_is() -> None:
    random = np.random.default_rng(1)
    for _ in range(200):
        count = int(random.integers(2, 9))
        values = random.integers(-2, 3, size=(count, 3)).astype(float)
        feature = random.integers(0, 2, size=count).astype(float)
        rules = ShareRight().fit(values, feature)
        shares = ShareRight().score(rules.predict(values), feature, 0.0)
        assert shares.tolist() == [by_trying(values[:, n].tolist(), feature.astype(int).tolist()) for n in range(3)]
        leans, said = rules.decision_function(values), rules.predict(values)
        assert (said[leans > 0] == 1).all()
        assert (said[leans < 0] == 0).all()


def test_many_units_are_sorted_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(3)
    values, feature = random.normal(size=(20, 7)), random.integers(0, 2, size=20).astype(float)
    whole = ShareRight().fit(values, feature)
    for most in (1, 45):  # one at a time, two at a time
        monkeypatch.setattr("weightsmith.inspect.probing.rules.NUMBERS_AT_ONCE", most)
        part = ShareRight().fit(values, feature)
        assert np.array_equal(part.at, whole.at)
        assert np.array_equal(part.above, whole.above)


class Changing(Random):
    """A model that has as many units as an input has tokens."""

    def reading(self, tokens: str | Sequence[str]) -> Reading:
        self.units = len(tokens)
        return super().reading(tokens)


class Silent:
    """A model that gives nothing to read."""

    def reading(self, tokens: str | Sequence[str]) -> None:
        return None


def test_thresholds_of_neighbouring_numbers_and_of_the_largest_ones_hold() -> None:
    above, most = np.nextafter(1.0, 2.0), np.finfo(np.float64).max
    for low, high in ((1.0, above), (-most, most), (0.0, np.nextafter(0.0, 1.0))):
        values, feature = np.array([[low], [high]]), np.array([0.0, 1.0])
        assert ShareRight().fit(values, feature).predict(values)[:, 0].tolist() == [0, 1]


def test_the_line_is_the_one_with_the_least_squared_errors() -> None:
    random = np.random.default_rng(2)
    values, feature = random.normal(size=(30, 4)), random.normal(size=30)
    values[:, 2] = 7.0
    rules = Explained().fit(values, feature)
    for n in (0, 1, 3):
        slope, constant = np.polyfit(values[:, n], feature, 1)
        assert (rules.slope[n], rules.constant[n]) == (pytest.approx(slope), pytest.approx(constant))
    assert rules.slope[2] == 0
    scores = Explained().score(rules.predict(values), feature, float(feature.mean()))
    assert scores[[0, 1, 3]] == pytest.approx([np.corrcoef(values[:, n], feature)[0, 1] ** 2 for n in (0, 1, 3)])
    assert scores[2] == pytest.approx(0, abs=1e-12)


def test_a_shuffled_feature_keeps_what_the_positions_say() -> None:
    positions = np.array([0, 1, 2] * 50)
    feature = np.arange(150.0)
    mixed = shuffled(feature, positions, np.random.default_rng(0))
    assert not np.array_equal(mixed, feature)
    for position in range(3):
        assert sorted(mixed[positions == position]) == sorted(feature[positions == position])


def test_a_sentence_shows_where_a_unit_is_wrong() -> None:
    found = ws.tracking(ws.library.contains("1"), one_was_seen, INPUTS, HELD)
    assert str(found.over("001")).count("✗") == 0
    lost = ws.tracking(ws.library.contains("1"), odd, INPUTS, HELD).over("1111")
    wrong = sum(said != true for said, true in zip(lost.tracks[0].says, lost.feature, strict=True))
    assert str(lost).count("✗") == wrong > 0
    assert "<table" in lost._repr_html_()
    assert all(-1 <= heat <= 1 for heat in lost.tracks[0].heat)


def test_a_share_is_called_100_only_where_nothing_is_lacking() -> None:
    found = ws.tracking(ws.library.contains("1"), one_was_seen, INPUTS, HELD)
    lines = str(found).splitlines()
    assert "100.0 %" in next(line for line in lines if "found after block 0" in line)
    from weightsmith.inspect.probing.tracking import _percent

    assert [_percent(x) for x in (1.0, 0.9999, 0.5, -0.00001, -0.25)] == [
        "100.0 %",
        "99.9 %",
        "50.0 %",
        "0.0 %",
        "-25.0 %",
    ]


T = ws.library.contains("1")
WRONG: dict[str, tuple[Any, str]] = {
    "no model": (lambda: W.tracking("T", odd, ["0"], ["1"]), "'T' has no units to track: write a transformer, or what train.compare gives"),
    "no feature": (lambda: W.tracking(T, "odd", ["0"], ["1"]), "feature='odd': write a function of a run that gives a value for each position"),
    "one input": (lambda: W.tracking(T, odd, "01", ["1"]), "inputs='01': write a list of inputs"),
    "no inputs": (lambda: W.tracking(T, odd, [], ["1"]), "inputs is empty: write at least one input"),
    "nothing held out": (lambda: W.tracking(T, odd, ["01"], []), "held_out is empty"),
    "held out and used": (lambda: W.tracking(T, odd, ["01", "11"], ["10", "11"]), "held_out[1], 1 1, is also in inputs"),
    "too few values": (lambda: W.tracking(T, lambda r: [True], ["01"], ["11"]), "feature gives 1 values for 0 1, which has 2 tokens"),
    "a number": (lambda: W.tracking(T, lambda r: 1, ["01"], ["11"]), "feature fails for 0 1: TypeError"),
    "a failing feature": (lambda: W.tracking(T, lambda r: 1 / 0, ["01"], ["11"]), "feature fails for 0 1: ZeroDivisionError: division by zero"),
    "no change": (lambda: W.tracking(T, odd, ["00", "000"], ["11"]), "odd is False everywhere in inputs: write inputs in which it changes"),
    "no change in what is held out": (lambda: W.tracking(T, odd, ["01", "10", "000"], ["00"]), "odd is False everywhere in held_out"),
    "three names": (lambda: W.tracking(T, lambda r: ["a", "b", "c"], ["011"], ["111"]), "feature has the values 'a', 'b', 'c'…: give two different values, or finite numbers"),
    "a new name": (lambda: W.tracking(T, lambda r: ["a", r.tokens[0]], ["01"], ["11"]), "feature has the values 'a', '0', '1'…"),
    "lists": (lambda: W.tracking(T, lambda r: [[1], [2]], ["01"], ["11"]), "feature gives [1]: give two different values, or numbers"),
    "not a number": (lambda: W.tracking(T, lambda r: [1, 2, float("nan")], ["011"], ["111"]), "feature has the values 1, 2, nan…"),
    "another token": (lambda: W.tracking(T, odd, ["02"], ["11"]), "token 1 of the input, 2, is not in the vocabulary"),
    "too much": (lambda: W.tracking(T, odd, ["01"], ["11"], least=2), "least=2: write a number above 0, up to 1"),
    "other units": (lambda: W.tracking(Changing(1), odd, ["01", "011"], ["11"]), "the model has other units for 0 1 1 than before"),
    "no reading": (lambda: W.tracking(Silent(), odd, ["01", "011"], ["11"]), "the model reads None: its method reading must give an inspect.Reading"),
    "another kind": (lambda: W.tracking(T, odd, INPUTS, HELD).best("cell"), "there is no unit of the kind 'cell': write one of lane"),
    "no rows": (lambda: W.tracking(T, odd, INPUTS, HELD).table(0), "top=0: write how many units of each kind to show"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_named_with_what_to_write(case: str) -> None:
    call, message = WRONG[case]
    with pytest.raises(ws.InputError) as refused:
        call()
    assert message in str(refused.value)


def test_it_is_data_too() -> None:
    found = ws.tracking(T, one_was_seen, INPUTS, HELD)
    assert isinstance(found, Tracking)
    assert found.positions == (sum(map(len, INPUTS)), sum(map(len, HELD)))
    assert found.name == "one_was_seen"
    assert found.least == 0.75


def test_a_unit_takes_the_name_of_a_stage_for_its_site() -> None:
    unit = Unit("neuron", 3, "block 0 feed-forward", "n")  # type: ignore[arg-type]
    assert (unit, unit.stage) == (Unit("neuron", 3, Site("feed-forward", 0), "n"), "block 0 feed-forward")
    assert (str(unit), str(Unit("cell", 1)), Unit("cell", 1).stage) == ("block 0, neuron 3 n", "cell 1", "")


@pytest.mark.parametrize("which", ["usual", "token", "shuffled"])
def test_a_baseline_that_is_perfect_up_to_machine_noise_leaves_no_gain_and_one_that_is_not_does(which: str) -> None:
    poor = {"usual": 0.5, "token": 0.5, "shuffled": 0.5}
    for lacking in (0.0, 2e-16, 9e-13):
        perfect = Baselines(**poor | {which: 1 - lacking})
        assert perfect.perfect is not None
        assert _gain(1.0, perfect) is None, "0 of 0 is no gain"
    nearly = Baselines(**poor | {which: 1 - 1e-6})
    assert nearly.perfect is None
    assert _gain(1.0, nearly) == 1.0
    assert _gain(1 - 1e-6, nearly) == 0.0
    assert _gain(1 - 2e-6, nearly) == pytest.approx(-1.0)


@pytest.mark.parametrize("wrong", [0, 1])
def test_a_unit_follows_where_the_token_is_wrong_once_and_not_where_it_is_never(wrong: int) -> None:
    """The lane says everything; the token says it at all held-out positions, or at all but one."""
    T = ws.library.contains("1")
    held = ["1", "11", "00", "111"] + ["10"] * wrong
    found = ws.tracking(T, one_was_seen, ["01", "0010", "0", "011"], held)
    assert found.best().held_out == 1.0
    assert (found.baselines.perfect == "the token alone") == (wrong == 0)
    assert found.follows() == (wrong == 1)
    assert ("cannot be seen" in str(found)) == (wrong == 0)
    assert ("follows one_was_seen: 100.0 %" in str(found)) == (wrong == 1)


def test_held_out_numbers_that_are_all_the_mean_up_to_rounding_are_refused() -> None:
    def thirds(run: Any) -> list[float]:
        return [{"a": 0.0, "b": 0.1, "c": 0.2}[token] for token in run.tokens]

    T = ws.random_transformer("abc", 3, 1, 1, 3, 6, ws.Fixed(4, 4), 1)
    with pytest.raises(ws.InputError, match="is 0.1 everywhere in held_out: hold out inputs in which it changes"):
        ws.tracking(T, thirds, ["abc", "cba", "bac"], ["bb", "b"])

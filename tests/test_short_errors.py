"""Whatever is given to a public function, an error is one of ours, and repeats only the beginning of what was given."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from weightsmith import heads, library, memory, train
from weightsmith.errors import brief
from weightsmith.storage import read_json

LONGEST = 600  # characters of a message
PATIENCE = 60  # seconds; what is given must not be worked through before it is refused


def nested(depth: int) -> list[Any]:
    result: list[Any] = []
    for _ in range(depth):
        result = [result]
    return result


class Talkative:
    def __repr__(self) -> str:
        return "talkative " * 1000


class Broken:
    def __repr__(self) -> str:
        raise RuntimeError("no repr")


LONG = "x" * 10_000
GIVEN: list[Any] = [
    LONG, "\x1b" * 10_000, "\ud800" * 300, "'" * 5_000, "(" * 10_000, "~" * 10_000, "", "\0", "a b", b"x" * 10_000,
    10**5000, -(10**5000), 10**30, -1, 1.5, float("nan"), float("inf"), 1e308, True, None,
    [LONG], [LONG, LONG], (LONG,) * 500, ["a"] * 5000, [10**5000], [[1.0], [1.0, 2.0]], nested(90), nested(5000),
    {LONG: 1.0}, {"a": LONG}, {LONG: LONG}, {"a": 10**5000}, {1: 2}, {LONG}, {"a": {"b": nested(300)}},
    Talkative(), Broken(), lambda *given: LONG, Path(LONG),
]  # fmt: skip

FIXED = ws.Fixed(4, 4)
HEAD = {"W_Q": np.zeros((1, 2)), "W_K": np.zeros((1, 2)), "W_V": np.zeros((1, 2)), "W_O": np.zeros((2, 1))}
LAYER = {"W_1": np.zeros((1, 2)), "W_2": np.zeros((2, 1))}
WHOLE = {"arithmetic": FIXED, "vocabulary": ["0", "1"], "lanes": ["a", "b"], "embedding": np.zeros((2, 2)),
         "output": np.zeros((2, 2))}  # fmt: skip
CHECK = ("suffix", "length", "within", "workers", "memory", "ledger", "insecure_network")  # all but a cluster
# A function, what it may be given, and more names of what it may be given
Call = tuple[Callable[..., Any], dict[str, Any], tuple[str, ...]]


def calls(T: ws.Transformer) -> dict[str, Call]:
    """Return calls of public functions, with a model and what is made of it."""
    flagged, run = ws.flag(T, "here", [0]), ws.run(T, [T.vocabulary[0]])
    certificate = ws.check.same_decisions(T, T, 2).certificate()
    written = memory.write(T, 0, {T.lanes[0]: 1.0}, {T.lanes[1]: 1.0}, name=T.lanes[0])
    return {
        "run": (ws.run, {"T": T, "tokens": [T.vocabulary[0]]}, ("sums", "change")),
        "decisions": (ws.decisions, {"T": T, "inputs": [[T.vocabulary[0]]]}, ()),
        "logits": (ws.logits, {"T": T, "inputs": [[T.vocabulary[0]]]}, ()),
        "next_token": (ws.next_token, {"T": T, "tokens": [T.vocabulary[0]]}, ("temperature",)),
        "generate": (ws.generate, {"T": T, "tokens": [T.vocabulary[0]], "steps": 2}, ("temperature", "top_k", "seed")),
        "lens": (ws.lens, {"run": run}, ()),
        "moved": (ws.moved, {"run": run}, ("block", "head", "lane", "position", "source", "weight")),
        "attribute": (ws.attribute, {"run": run, "wanted": T.classes[1]}, ("over", "position")),
        "ablate": (ws.ablate, {"run": run, "block": 0}, ("head", "sublayer", "neurons", "sums")),
        "ablations": (ws.ablations, {"run": run}, ("wanted", "over", "sums")),
        "patch": (ws.patch, {"a": run, "b": run, "block": 0}, ("after", "head", "neurons", "positions", "sums")),
        "sweep": (ws.sweep, {"a": run, "b": run}, ("wanted", "over", "sums")),
        "changed": (ws.changed, {"before": run, "after": run}, ()),
        "load": (ws.load, {"path": "x"}, ()),
        "save": (ws.save, {"T": T, "path": "no/such/folder"}, ()),
        "read_json": (read_json, {"path": "x", "what": "the file"}, ()),
        "widen": (ws.widen, {"T": T, "names": ["new"]}, ("where",)),
        "flag": (ws.flag, {"T": T, "name": "new", "positions": [0]}, ("max_length",)),
        "add_vector": (ws.add_vector, {"T": flagged, "vector": {T.lanes[0]: 1.0}, "at": "here"}, ()),
        "zero_vector": (ws.zero_vector, {"T": flagged, "at": "here"}, ("lanes", "method")),
        "ignore_lanes": (ws.ignore_lanes, {"T": T, "lanes": [T.lanes[0]]}, ("blocks",)),
        "infinity_form": (ws.infinity_form, {"T": T}, ("lowering", "length")),
        "zero_one_form": (ws.zero_one_form, {"T": T}, ("lowering", "length")),
        "signed_infinity_form": (ws.signed_infinity_form, {"T": T}, ("lowering", "length")),
        "linear_map": (ws.linear_map, {"T": T, "M": np.eye(4), "source": 0, "target": 1}, ("lanes", "spare")),
        "map_stream": (ws.map_stream, {"T": T, "M": np.eye(4)}, ("lanes",)),
        "pad_blocks": (ws.pad_blocks, {"T": T, "count": 1}, ()),
        "to_arithmetic": (ws.to_arithmetic, {"T": T, "arithmetic": FIXED}, ()),
        "if_then_else": (ws.if_then_else, {"R": T, "S": T, "T": T}, ()),
        "side_by_side": (ws.side_by_side, {"S": T, "T": T}, ()),
        "compose": (lambda formula, S: ws.compose(formula, S=S), {"formula": "S", "S": T}, ()),
        "and": (lambda S: T & S, {"S": T}, ()),
        "random_transformer": (
            ws.random_transformer, {"lanes": 2},
            ("vocabulary", "blocks", "heads", "neurons", "max_length", "arithmetic", "seed", "classes", "mask",
             "weighting", "tied"),
        ),
        "Transformer": (
            ws.Transformer, WHOLE,
            ("positions", "blocks", "classes", "mask", "output_bias", "final_norm", "tied", "flags", "provenance",
             "edits"),
        ),
        "Block": (ws.Block, {}, ("attention", "feed_forward", "attention_norm", "norm_placement", "origin")),
        "Attention": (ws.Attention, {"heads": []}, ("b_O",)),
        "Head": (ws.Head, HEAD, ("weighting", "b_Q", "b_K", "b_V", "positions")),
        "FeedForward": (ws.FeedForward, LAYER, ("b_1", "b_2", "activation", "W_3", "b_3", "names", "keys")),
        "Neuron": (ws.Neuron, {"reads": {}, "writes": {}}, ("bias", "name")),
        "feed_forward": (
            ws.feed_forward, {"lanes": ["a"], "neurons": [ws.Neuron({"a": 1}, {})]}, ("adds", "activation")
        ),
        "matrix": (ws.matrix, {"to": ["a"], "of": ["b"], "entries": {("a", "b"): 1}}, ()),
        "LayerNorm": (ws.LayerNorm, {}, ("eps", "gain", "bias", "lanes")),
        "RMSNorm": (ws.RMSNorm, {}, ("eps", "gain", "lanes")),
        "PositionTable": (ws.PositionTable, {"values": np.zeros((1, 2))}, ()),
        "Sinusoidal": (ws.Sinusoidal, {"max_length": 2}, ("base",)),
        "Relative": (ws.Relative, {"keys": np.zeros((1, 2))}, ("values",)),
        "Rotary": (ws.Rotary, {}, ("base", "pairing", "size")),
        "Alibi": (ws.Alibi, {}, ("slopes",)),
        "Softmax": (ws.Softmax, {}, ("shifted", "empty")),
        "heads.previous": (heads.previous, {"lanes": ["a"], "copies": {"a": "a"}, "arithmetic": FIXED}, ("adds",)),
        "heads.where": (
            heads.where, {"lanes": ["a"], "flag": "a", "copies": {"a": "a"}, "arithmetic": FIXED}, ("who", "distance")
        ),
        "parse_arithmetic": (ws.parse_arithmetic, {"text": "fixed(4,4)"}, ()),
        "Fixed": (ws.Fixed, {"integer_bits": 1, "fraction_bits": 1}, ("ties",)),
        "Float": (ws.Float, {"exponent_bits": 3, "fraction_bits": 3}, ("ties",)),
        "Float.like": (ws.Float.like, {"format": "e4m3"}, ("ties",)),
        "Native": (ws.Native, {"dtype": "float32"}, ()),
        "laws": (ws.laws, {"arithmetic": FIXED}, ()),
        "round": (FIXED.round, {"x": 1.0}, ()),
        "add": (FIXED.add, {"x": 1.0, "y": 1.0}, ()),
        "layer_norm": (ws.layer_norm, {"values": [1.0, 2.0]}, ("eps", "gain", "bias", "arithmetic")),
        "sinusoidal": (ws.sinusoidal, {"positions": 1, "lanes": 2}, ("base", "arithmetic")),
        "memory.write": (
            memory.write, {"T": T, "block": 0, "key": {T.lanes[0]: 1.0}, "value": {T.lanes[1]: 1.0}},
            ("margin", "name", "rivals", "inputs"),
        ),
        "memory.write_many": (
            memory.write_many, {"T": T, "block": 0, "facts": [("a", {T.lanes[0]: 1.0}, {T.lanes[1]: 1.0})]},
            ("margin", "rivals", "inputs"),
        ),
        "memory.edit": (
            memory.edit, {"T": written, "block": 0, "neuron": T.lanes[0]}, ("key", "value", "margin", "name")
        ),
        "memory.delete": (memory.delete, {"T": written, "block": 0, "neuron": T.lanes[0]}, ()),
        "memory.scale": (memory.scale, {"T": written, "block": 0, "neuron": T.lanes[0], "factor": 1.0}, ()),
        "memory.ablate": (memory.ablate, {"T": written, "block": 0, "neuron": T.lanes[0]}, ()),
        "memory.undo": (memory.undo, {"T": written}, ()),
        "memory.facts": (memory.facts, {"T": written}, ()),
        "memory.read": (memory.read, {"run": run, "block": 0}, ()),
        "memory.promoted": (memory.promoted, {"T": written, "block": 0, "neuron": T.lanes[0]}, ("k",)),
        "memory.triggers": (
            memory.triggers, {"T": written, "block": 0, "neuron": T.lanes[0], "inputs": [[T.vocabulary[0]]]}, ()
        ),
        "memory.report": (memory.report, {"T": T, "edited": written, "inputs": [[T.vocabulary[0]]]}, ()),
        "check.same_decisions": (
            ws.check.same_decisions, {"S": T, "T": T, "up_to": 2, "seconds": 0.2}, (*CHECK, "states")
        ),
        "check.same_logits": (ws.check.same_logits, {"S": T, "T": T, "up_to": 2}, ()),
        "check.recognizes": (
            ws.check.recognizes, {"T": T, "predicate": ".*", "up_to": 2, "yes": T.classes[0], "seconds": 0.2}, ()
        ),
        "check.agrees_with": (
            ws.check.agrees_with, {"T": T, "function": lambda tokens: T.classes[0], "up_to": 2}, ()
        ),
        "check.final_vectors": (
            ws.check.final_vectors, {"T": T, "condition": lambda vectors: vectors[:, 0] == 1, "up_to": 2}, ()
        ),
        "check.vectors": (
            ws.check.vectors, {"T": T, "condition": {T.lanes[0]: 1}, "up_to": 2, "at": ("embedding", 0)}, ("length",)
        ),
        "check.same_lanes": (
            ws.check.same_lanes, {"S": T, "T": T, "lanes": [T.lanes[0]], "up_to": 2, "at": ("embedding", 0)}, ()
        ),
        "check.condition": (ws.check.condition, {"text": "x == 1"}, ()),
        "check.image": (ws.check.image, {"M": [[1.0]], "at": ("embedding", 0)}, ("lanes", "of")),
        "check.replay": (
            ws.check.replay, {"certificate": certificate, "models": [T, T]},
            ("sample", "everything", "function", "seed"),
        ),
        "check.replay, one thing of it": (
            lambda value, key="claim": ws.check.replay({**certificate, key: value}, [T, T]),
            {"value": certificate["claim"]}, ("key",),
        ),
        "check.cite": (ws.check.cite, {"certificate": certificate}, ()),
        "library.contains": (library.contains, {"symbol": "1"}, ("vocabulary", "arithmetic")),
        "library.majority": (library.majority, {"symbol": "1"}, ("vocabulary", "arithmetic")),
        "library.balanced": (library.balanced, {"depth": 2}, ("vocabulary", "arithmetic")),
        "library.matches": (library.matches, {"pattern": "1"}, ("vocabulary", "arithmetic")),
        "library.ends_with": (library.ends_with, {"word": "1"}, ("vocabulary", "arithmetic")),
        "train.Shape": (
            train.Shape, {},
            ("lanes", "blocks", "heads", "neurons", "context", "activation", "positions", "norm", "placement", "tied"),
        ),
        "train.Course": (train.Course, {}, ("steps", "batch", "rate", "warmup", "dropout", "seed", "threads", "clip")),
        "train.as_text": (train.as_text, {"text": "abab" * 9, "context": 2}, ("tokens", "vocabulary")),
        "train.as_labelled": (train.as_labelled, {"labels": {("0",): "NO", ("1",): "YES"}}, ("vocabulary", "seed")),
        "train.predicate": (train.predicate, {"words": "contains 1"}, ()),
        "train.by_predicate": (
            train.by_predicate, {"predicate": lambda text: "1" in text, "vocabulary": "01", "max_length": 3},
            ("count", "seed"),
        ),
        "train.read_labelled": (train.read_labelled, {"path": Path("x")}, ("seed",)),
        "train.picture_format": (train.picture_format, {"path": Path("x.svg")}, ()),
        "train.corpus": (train.corpus, {"bytes": 10}, ("seed",)),
        "train.rounded": (train.rounded, {"T": T, "arithmetic": FIXED, "up_to": 2}, ()),
    }  # fmt: skip


PLAIN = ws.random_transformer(seed=1)
NAMES = [f"{'long ' * 39}{n:4}" for n in range(4)]  # as long as names may be
LENGTHY = replace(PLAIN, lanes=NAMES, vocabulary=NAMES[:2], classes=NAMES[2:])
CALLS = calls(PLAIN) | {f"{name}, long names": call for name, call in calls(LENGTHY).items()}


@contextmanager
def patience() -> Iterator[None]:
    """Fail where something takes far too long, and would perhaps never end."""

    def too_long(*_: object) -> None:
        raise AssertionError("it works through what it was given")

    before = signal.signal(signal.SIGALRM, too_long)
    signal.alarm(PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", CALLS)
def test_errors_are_ours_and_short_whatever_is_given(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # some of what is given is a name to save a file under
    function, usual, more = CALLS[name]
    function_or_refusal(function, usual)
    for argument in (*usual, *more):
        for given in GIVEN:
            with patience():
                said = function_or_refusal(function, {**usual, argument: given})
            assert len(said) < LONGEST, (argument, brief(given), said)
            assert LONG[:201] not in said, (argument, said)


def function_or_refusal(function: Callable[..., Any], arguments: dict[str, Any]) -> str:
    """Call a function; return why it refuses, or nothing."""
    try:
        function(**arguments)
    except (ws.WeightsmithError, TypeError, UserWarning) as error:
        return str(error)
    return ""

"""What a frame is called in a verdict, in a certificate and in a ledger, and which frames are refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import weightsmith as ws
from tests.check.models import automaton
from weightsmith.check import engine, replay
from weightsmith.check.verdict import Verdict

END = ("END",)
SORTED = automaton([[0, 1], [2, 1], [2, 2]], [True, True, False])

WORDS: dict[str, tuple[Callable[[ws.Transformer], Verdict], str]] = {
    "length": (lambda T: ws.check.same_decisions(T, T, length=3),
               "same decisions, inputs of length 3: exhaustive, all 8 inputs ("),
    "within": (lambda T: ws.check.same_logits(T, T, 3, within="a*b*"),
               "same logits, inputs that match a*b*: exhaustive up to 3, all 9 inputs ("),
    "an automaton": (lambda T: ws.check.same_decisions(T, T, 3, within=SORTED),
                     "same decisions, inputs that the automaton accepts: exhaustive up to 3, all 9 inputs ("),
    "a function": (lambda T: ws.check.same_decisions(T, T, 3, within=str.isalpha),
                   "same decisions, inputs for which isalpha is true: exhaustive up to 3, all 14 inputs ("),
    "suffix": (lambda T: ws.check.recognizes(T, lambda word: True, 3, yes="YES", suffix=("b",)),
               "recognizes, each input followed by b: refuted by "),
    "one input": (lambda T: ws.check.same_decisions(T, T, length=3, within="aba"), ": exhaustive, the only input ("),
    "no input": (lambda T: ws.check.same_decisions(T, T, 3, within="a{7}"), ": exhaustive up to 3, no input ("),
}  # fmt: skip


@pytest.mark.parametrize("name", WORDS)
def test_a_verdict_says_which_inputs_it_is_about(name: str) -> None:
    check, words = WORDS[name]
    assert words in str(check(ws.random_transformer("ab", max_length=6, seed=1)))


T = ws.random_transformer("ab", lanes=3, blocks=1, max_length=6)
LOWERED = ws.zero_one_form(T, lowering="attention", length=3)
UNLIMITED = ws.library.contains("a", "ab")
REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "no length": (lambda: ws.check.same_logits(T, T), "same_logits has no automaton for all lengths: say up to "
                  "which length, as in up_to=10"),
    "no suffix": (lambda: ws.check.same_decisions(T, LOWERED, length=3),
                  "different vocabulary: a, b and a, b, END; a claim about both needs the same, but for what follows "
                  "each input: suffix=('END',)"),
    "a text as a suffix": (lambda: ws.check.same_decisions(T, LOWERED, suffix="END", length=3),
                           "suffix='END': write the tokens that follow each input, such as suffix=('END',)"),
    "a suffix of numbers": (lambda: ws.check.same_decisions(T, LOWERED, suffix=[3], length=3), "suffix=[3]: write"),  # type: ignore[list-item]
    "part of a suffix": (lambda: ws.check.same_decisions(T, LOWERED, suffix=("END", "STOP"), length=3),
                         "a transformer has the vocabulary a, b, END, and of the suffix END, STOP it lacks STOP: "
                         "it must have all of it, or nothing"),
    "an unknown suffix": (lambda: ws.check.recognizes(T, "a", 3, suffix=("STOP",)),
                          "no transformer has the suffix STOP: write tokens of a, b"),
    "nothing but a suffix": (lambda: ws.check.recognizes(T, "a", 3, suffix=("b", "a")),
                             "the vocabulary a, b has no token besides the suffix: no input is left"),
    "length 0": (lambda: ws.check.recognizes(T, "a", length=0), "length=0: write the length of the inputs, 1 or more"),
    "length as a truth": (lambda: ws.check.recognizes(T, "a", length=True), "length=True: write the length"),
    "length as a text": (lambda: ws.check.recognizes(T, "a", length="4"), "length='4': write the length of the"),  # type: ignore[arg-type]
    "a great length": (lambda: ws.check.recognizes(T, "a", length=10_001), "length=10001: write at most 10000"),
    "length beyond up_to": (lambda: ws.check.recognizes(T, "a", 3, length=4),
                            "length=4 is more than up_to=3: leave out up_to"),
    "a bad up_to beside a length": (lambda: ws.check.recognizes(T, "a", 0, length=4), "up_to=0: write the length"),
    "beyond the table": (lambda: ws.check.same_decisions(T, LOWERED, suffix=END, length=4),
                         "the input has 5 tokens and the position table holds 4"),
    "within a bad expression": (lambda: ws.check.same_decisions(T, T, 3, within="(a"),
                                "'(a' is not a regular expression: missing ), unterminated subpattern at place 0"),
    "within a wide automaton": (lambda: ws.check.same_decisions(T, T, 3, within=automaton([[0] * 3], [True])),
                                "the automaton reads 3 symbols and the vocabulary has 2"),
    "within a number": (lambda: ws.check.same_decisions(T, T, 3, within=3), "3 is not a set of inputs"),  # type: ignore[arg-type]
    "within what fails": (lambda: ws.check.same_decisions(T, T, 3, within=len),  # type: ignore[arg-type]
                          "the predicate gives 1 for the input a: it must give True or False"),
    "too many to count": (lambda: ws.check.recognizes(UNLIMITED, "a", 9000, within="(a{50}b{50})*"),
                          "within has 101 states: its inputs up to 9000 cannot be counted; check shorter inputs"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_frame_that_does_not_fit_is_refused_by_name(name: str) -> None:
    check, message = REFUSED[name]
    with pytest.raises(ws.InputError) as caught:
        check()
    assert message in str(caught.value)


def framed(**more: Any) -> Verdict:
    return ws.check.same_decisions(T, LOWERED, **{"suffix": END, "length": 3, **more})


def replayed(certificate: dict[str, Any], *models: ws.Transformer) -> str:
    """What replaying a certificate says, or why it is refused."""
    try:
        return str(replay(certificate, models, sample=100))
    except ws.FileError as error:
        return str(error)


def test_a_certificate_carries_the_frame_and_one_without_has_none_of_it() -> None:
    said = json.loads(framed(within="a*b*").to_json())
    assert (said["suffix"], said["length"], said["within"]) == (["END"], 3, {"regex": "a*b*", "flags": 32})
    assert (said["verdict"], said["inputs"], said["up_to"], said["vocabulary"]) == (
        "exhaustive at length 3", 4, 3, ["a", "b"])  # fmt: skip
    for verdict in (ws.check.same_decisions(T, T, 3), ws.check.recognizes(T, lambda word: True, 3)):
        assert not {"suffix", "length", "within"} & set(verdict.certificate())


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [("length", 2, "goes up to 3, and its length is another"), ("within", {"regex": "a*", "flags": 32}, "differently"),
     ("within", None, "counts 4 inputs, and there are 8"), ("suffix", [], "different vocabulary"),
     ("inputs", 8, "counts 8 inputs, and there are 4"), ("verdict", "exhaustive up to 3", "contradicts itself")],
)  # fmt: skip
def test_a_certificate_with_another_frame_is_noticed(key: str, value: Any, problem: str) -> None:
    certificate = framed(within="a*b*").certificate()
    assert "everything agrees" in replayed(certificate, T, LOWERED)
    assert problem in replayed({**certificate, key: value}, T, LOWERED)


def test_a_counterexample_that_nobody_claimed_is_noticed() -> None:
    certificate = ws.check.same_decisions(T, ~T, length=2, within="a*b*").certificate()
    assert certificate["counterexample"]["input"] == ["a", "a"]
    for tokens, inputs, problem in ((["b", "a"], 4, "not about the counterexample"), (["a"], 1, "has 1 tokens")):
        other = {**certificate["counterexample"], "input": tokens}
        assert problem in replayed({**certificate, "counterexample": other, "inputs": inputs}, T, ~T)


def test_what_only_python_decides_cannot_be_kept(tmp_path: Path) -> None:
    for within, reason in (
        (lambda word: True, "it holds a Python function: give a regular expression or Automaton"),
        ("(?=a).*", "no automaton decides its within: give an expression without lookaround and references"),
    ):
        with pytest.raises(ws.InputError, match=f"a ledger needs a claim that consists of data, and {reason}"):
            framed(within=within, ledger=tmp_path / "ledger")
        with pytest.raises(ws.InputError, match=f"a cluster needs a claim that consists of data, and {reason}"):
            framed(within=within, cluster="tcp://127.0.0.1:1")
        with pytest.raises(ws.InputError, match="cannot be replayed: (its within is Python|no automaton decides its)"):
            replay(framed(within=within).to_json(), [T, LOWERED])
    assert not list(tmp_path.iterdir())


OTHERS: dict[str, tuple[dict[str, Any], str]] = {
    "another language": ({"within": "b*"}, "its within is {'flags': 32, 'regex': 'a*b*'}, here it is"),
    "no language": ({"within": None}, "its within is {'flags': 32, 'regex': 'a*b*'}, here it is None"),
    "another length": ({"length": 2}, "its length is 3, here it is 2"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_a_ledger_of_another_frame_is_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    verdict = framed(within="a*b*", ledger=path)
    before = path.read_bytes()
    more, message = OTHERS[name]
    with pytest.raises(ws.FileError, match="belongs to another check") as caught:
        framed(**{"within": "a*b*", "ledger": path, **more})
    assert message in str(caught.value)
    assert path.read_bytes() == before
    assert framed(within="a*b*", ledger=path).digests == verdict.digests


def test_a_framed_check_goes_on_from_its_ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "columns_for", lambda *_: 2)
    path, options = tmp_path / "ledger", {"length": 6, "within": "a*b*"}
    whole = ws.check.same_decisions(T, T, ledger=path, **options)  # type: ignore[arg-type]
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[: len(lines) - 3]))
    seen: list[tuple[int, int]] = []
    again = ws.check.same_decisions(T, T, ledger=path, progress=lambda *now: seen.append(now), **options)  # type: ignore[arg-type]
    assert (again.digests, again.inputs) == (whole.digests, whole.inputs) == (whole.digests, 7)
    assert seen[-1] == (7, 7)

"""Whatever stands in a certificate, replaying it gives a result or a FileError."""

import copy
import json
import random
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import weightsmith as ws
from tests.check.models import automaton
from weightsmith.check import replay
from weightsmith.storage import _whole

ODD: list[Any] = [
    None, True, False, 0, 1, -1, 2**31, 2**63, 10**30, 0.5, 1e308, float("nan"), "", "0", "x" * 65, "\ud800", "(",
    "a{2}{3}**", 10**5000, {"regex": "(?=a).*", "flags": 0}, {"predicate": "f"}, ["END"], ["b", "a"],
    [], [[]], [0], [None], ["a"], [["0" * 64]], {}, {"a": 1}, {"input": []}, [[[[]]]], {"regex": "("},
    {"regex": 1, "flags": 0},
    {"regex": "a", "flags": 2**40}, {"regex": "a", "flags": -1}, {"regex": "a", "flags": "i"}, {"automaton": None},
    {"automaton": {"table": [[0, 1], [0]], "accepting": [True], "start": 0}},
    {"automaton": {"table": [[10**30, 0]], "accepting": [True], "start": 0}},
    {"automaton": {"table": [[0, 0]], "accepting": [True, False], "start": 0}},
    {"automaton": {"table": [[0, 0]], "accepting": [True], "start": 9}},
    {"shortest": 1, "longest": 10**12, "apart": 0, "shards": 1},
    [{"shortest": 1, "longest": 40, "apart": 0, "shards": 1}],
    [{"shortest": 1, "longest": 0, "apart": 0, "shards": 1}] * 2,
]  # fmt: skip


@pytest.fixture(scope="module")
def certificates() -> list[tuple[dict[str, Any], list[ws.Transformer]]]:
    T = ws.library.ends_with("b", "ab")
    limited = ws.random_transformer("ab", max_length=3)
    ends_with_b = automaton([[0, 1], [0, 1]], [False, True])
    wrong = replace(T, output=-T.output)
    made = [
        (ws.check.same_decisions(limited, limited, 3), [limited, limited]),
        (ws.check.same_decisions(T, wrong, 2), [T, wrong]),
        (ws.check.recognizes(T, re.compile(".*b"), 2), [T]),
        (ws.check.recognizes(T, ends_with_b, 2), [T]),
        (ws.check.same_logits(limited, limited, 2, suffix=("b",), within=re.compile("a*")), [limited, limited]),
        (ws.check.recognizes(T, ".*", within=ends_with_b, length=2), [T]),
    ]
    return [(json.loads(verdict.to_json()), models) for verdict, models in made]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Return the path to every entry."""
    if path:
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from places(inner, (*path, key))


def put(certificate: dict[str, Any], path: tuple[Any, ...], value: Any, remove: bool = False) -> str:
    result = copy.deepcopy(certificate)
    inner: Any = result
    for key in path[:-1]:
        inner = inner[key]
    if remove:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    sys.set_int_max_str_digits(0)  # json writes no longer numbers unless told to, but reads them here
    try:
        return json.dumps(result)
    finally:
        sys.set_int_max_str_digits(4300)


def replayed(text: str, models: list[ws.Transformer], sample: int) -> None:
    """Replay it: it comes out somehow, or is refused with a FileError, or asks for other models than are given."""
    with suppress(ws.FileError):
        try:
            again = replay(text, models, sample=sample)
        except ws.InputError as error:
            if not re.search("is about|Python code|no automaton decides", str(error)):
                raise
        else:
            assert again.agrees or again.problems


@pytest.mark.parametrize("step", [11, pytest.param(1, marks=pytest.mark.long)])
def test_any_entry_may_be_anything(step: int, certificates: list[tuple[dict[str, Any], list[ws.Transformer]]]) -> None:
    for certificate, models in certificates:
        for n, path in enumerate(places(certificate)):
            if path[0] not in ("versions", "seconds", "finished"):
                replayed(put(certificate, path, None, remove=True), models, 1)
                for odd in ODD[n % step :: step]:
                    replayed(put(certificate, path, odd), models, 1)


def test_any_two_entries_may_be_anything(certificates: list[tuple[dict[str, Any], list[ws.Transformer]]]) -> None:
    chance = random.Random(1)
    for certificate, models in certificates:
        for _ in range(100):
            text = put(certificate, chance.choice(list(places(certificate))), chance.choice(ODD))
            changed = json.loads(text, parse_int=_whole)
            replayed(put(changed, chance.choice(list(places(changed))), chance.choice(ODD)), models, 1)


@pytest.mark.parametrize(
    "text",
    ["", "null", "[]", "3", '"text"', "{", "{}", "[" * 100_000, '{"format": "weightsmith certificate 1"}', "\x00",
     '{"format": "weightsmith ledger 2"}', "1" * 5000, None, b"{}", 7, [], {}, {"format": None}, " ",
     '{"format": "weightsmith certificate 2", "format": 1}', '{"a": 1e999}', '{"a": NaN}', "{" * 100_000,
     '{"a": ' + "[" * 65 + "]" * 65 + "}", '{"a": ' + "1" * 30_000 + "}"],
)  # fmt: skip
def test_what_is_no_certificate_is_refused(text: Any) -> None:
    with pytest.raises(ws.FileError, match="certificate|cannot read"):
        replay(text, [])


def test_numbers_of_more_than_4300_digits_are_read() -> None:
    T = ws.library.ends_with("b", "ab")
    text = ws.check.same_decisions(T, T, 3).to_json().replace('"inputs": 14', f'"inputs": {"7" * 5000}')
    assert replay(text, [T, T]).problems == ("the certificate counts a huge number inputs, and there are 14",)


def test_an_error_shows_nothing_of_a_file_that_a_certificate_names(tmp_path: Path) -> None:
    T, secret = ws.library.ends_with("b", "ab"), tmp_path / "secret"
    secret.write_text("password")
    certificate = {**ws.check.same_decisions(T, T, 3).certificate(), "files": [str(secret)] * 2}
    assert replay(certificate, [T, T]).agrees


def test_a_certificate_beyond_the_position_table_is_refused(
    certificates: list[tuple[dict[str, Any], list[ws.Transformer]]],
) -> None:
    certificate, models = certificates[0]
    longer = {**certificate, "up_to": 4}
    with pytest.raises(ws.FileError, match="damaged: .*the position table holds 3"):
        replay(longer, models)


def test_tiers_that_would_take_for_ever_are_refused_at_once() -> None:
    T = ws.library.ends_with("b", "ab")
    certificate = json.loads(ws.check.same_decisions(T, T, 3).to_json())
    for up_to in (40, 10**4, 10**6, 10**18):
        tiers = [{"shortest": 1, "longest": up_to, "apart": 0, "shards": 1}]
        with pytest.raises(ws.FileError, match="damaged|its tiers is"):
            replay({**certificate, "up_to": up_to, "tiers": tiers}, [T, T])

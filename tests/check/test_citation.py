"""A citation states what a certificate says, in words and in BibTeX, and refuses what no certificate can say."""

import copy
import json
import random
import re
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from weightsmith.check import cite
from weightsmith.check.citation import AGAIN
from weightsmith.model import digest
from weightsmith.tables.latex import escaped

Certificate = dict[str, Any]
S = ws.library.contains("1")
LOUD = ws.infinity_form(S)


@pytest.fixture(scope="module")
def holding() -> Certificate:
    return ws.check.same_decisions(S, LOUD, 5).certificate()


@pytest.fixture(scope="module")
def refuted() -> Certificate:
    return ws.check.recognizes(S, "0*1", 9).certificate()


def text_of(certificate: Certificate) -> str:
    return cite(certificate).split("\n")[0]


def fields(entry: str) -> dict[str, str]:
    """Return the fields of an entry, found as BibTeX finds them: by counting braces, whatever stands before them."""
    assert entry.startswith("@misc{weightsmith-")
    depth, inside, values = 0, "", []
    for sign in entry:
        depth += {"{": 1, "}": -1}.get(sign, 0)
        assert depth >= 0
        if depth == 1 and sign == ",":
            values.append(inside)
            inside = ""
        else:
            inside += sign
    assert depth == 0
    named = [value.partition("=") for value in values[1:] if value.strip()]
    return {name.strip(): value.strip() for name, _, value in named}


def entry_of(certificate: Certificate) -> str:
    _, blank, *entry, blank_again, again = cite(certificate).split("\n")
    assert (blank, blank_again, again) == ("", "", AGAIN)
    return "\n".join(entry)


def test_a_claim_that_holds_is_cited_with_digests_count_version_and_date(holding: Certificate) -> None:
    models = f"models sha256:{digest(S)} and sha256:{digest(LOUD)}"
    day = holding["finished"][:10]
    assert text_of(holding) == (
        f"same decisions: exhaustive up to length 5, all 62 inputs; {models}; Weightsmith {ws.__version__}, {day}"
    )
    found = fields(entry_of(holding))
    assert found["title"] == "{{Two transformers with the same decisions: exhaustive up to length 5, all 62 inputs}}"
    assert found["year"] == f"{{{day[:4]}}}"
    assert digest(LOUD) in found["note"]
    assert "as the certificate says" in found["note"]
    assert list(found) == ["title", "howpublished", "year", "month", "note"]


def test_a_refuted_claim_is_cited_with_its_counterexample(refuted: Certificate) -> None:
    assert text_of(refuted).startswith(
        "recognizes as YES the inputs that match 0*1: claimed up to length 9, refuted by 10, the shortest, "
        "input number 5 in order; model sha256:"
    )


def test_a_citation_names_suffix_length_and_language() -> None:
    lowered = ws.infinity_form(S, lowering="attention", length=4)
    v = ws.check.same_decisions(S, lowered, suffix=("END",), length=4, within="0*1*")
    assert text_of(v.certificate()).startswith(
        "same decisions, each input followed by END, on inputs of length 4, on inputs that match 0*1*: "
        "exhaustive, all 5 inputs; "
    )
    found = text_of(ws.check.recognizes(S, "0*1", length=3).certificate())
    assert "on inputs of length 3: refuted by 010, the first, input number 3 in order" in found


def test_languages_that_are_no_expression_are_named_by_their_digests() -> None:
    automaton = ws.check.Automaton(np.array([[0, 1], [1, 1]], np.int32), np.array([False, True]))
    found = text_of(ws.check.recognizes(S, automaton, 3).certificate())
    assert re.match(r"recognizes as YES the inputs that the automaton sha256:[0-9a-f]{64} accepts: ", found)
    found = text_of(ws.check.recognizes(S, lambda word: "1" in word, 3).certificate())
    assert re.match(
        r"recognizes as YES the inputs for which the Python function \S+ sha256:[0-9a-f]{64} is true", found
    )
    found = text_of(ws.check.agrees_with(S, lambda word: "YES" if "1" in word else "NO", 3).certificate())
    assert re.match(r"agrees with the Python function \S+ sha256:[0-9a-f]{64}: exhaustive up to length 3", found)
    found = text_of(ws.check.final_vectors(S, lambda h: h[:, 0] > -99, 3).certificate())
    assert found.startswith("final vectors satisfy the Python function ")


def test_flags_of_an_expression_are_said() -> None:
    found = text_of(ws.check.recognizes(S, re.compile("0*1.*", re.DOTALL), 3).certificate())
    assert "that match 0*1.* (DOTALL): " in found


def test_a_citation_reads_a_file_a_text_and_data_alike(holding: Certificate, tmp_path: Any) -> None:
    (tmp_path / "c.json").write_text(json.dumps(holding))
    assert cite(tmp_path / "c.json") == cite(json.dumps(holding)) == cite(holding)


def test_what_is_too_long_is_cut_and_named_by_its_digest(refuted: Certificate) -> None:
    changed = copy.deepcopy(refuted)
    changed["language"]["regex"] = "0" * 5000
    changed["up_to"], changed["counterexample"]["input"] = 10_000, ["0"] * 9_000
    found = cite(changed)
    assert len(found) < 4000
    assert re.search(r"that match 0{199}… \(sha256:[0-9a-f]{64}\): ", found)
    assert re.search(r"refuted by 0{199}… \(sha256:[0-9a-f]{64}\) of length 9,000, the shortest", found)


def test_a_count_of_more_digits_than_python_writes_is_cut(holding: Certificate) -> None:
    assert "all 3.2e6018 inputs" in text_of({**holding, "inputs": 2**20_000 // 125})
    assert f"all {10**29:,} inputs" in text_of({**holding, "inputs": 10**29})


def test_special_characters_do_not_leave_their_field(refuted: Certificate) -> None:
    hostile = "}\\input{/etc/passwd}%$#&_^~{@misc{x,\"'`<>|--∞\x1b[2J\n"
    for key in ("regex", "yes", "input"):
        changed = copy.deepcopy(refuted)
        if key == "regex":
            changed["language"]["regex"] = hostile
        elif key == "yes":
            changed["yes"] = hostile
        else:
            changed["vocabulary"], changed["counterexample"]["input"] = ["0", hostile], [hostile]
        found = cite(changed)
        assert "\x1b" not in found
        assert found.count("\n") == cite(refuted).count("\n")
        entry = entry_of(changed)
        assert entry.isascii()
        assert list(fields(entry)) == ["title", "howpublished", "year", "month", "note"]
        assert "\\input" not in entry
        assert entry.count("@") - entry.count("{@}") == 1


def test_every_ascii_character_is_printed_by_name_or_as_it_is() -> None:
    for sign in map(chr, range(32, 127)):
        written = escaped(sign)
        assert written == sign or re.fullmatch(r"\\[#$%&_]|\\text[a-z]+\{\}|\{[-@]\}", written)
        assert (written == sign) == (sign not in "#$%&_\\{}~^|<>`'\"-@")


WRONG: dict[str, tuple[str, Any]] = {
    "claim": ("claim", "same_thoughts"),
    "a claim of another number of models": ("claim", "recognizes"),
    "a claim that is a list": ("claim", ["same_decisions"]),
    "models": ("models", ["0" * 64, "z" * 64]),
    "models that are a text": ("models", "0" * 64),
    "suffix": ("suffix", "END"),
    "suffix of numbers": ("suffix", [1]),
    "length": ("length", 0),
    "up_to": ("up_to", 10_001),
    "up_to that is a truth": ("up_to", True),
    "within": ("within", {"regex": 1, "flags": 32}),
    "flags": ("within", {"regex": "1", "flags": -(10**5000)}),
    "automaton": ("within", {"automaton": [1]}),
    "predicate": ("within", {"predicate": "name"}),
    "inputs": ("inputs", -1),
    "inputs that are real": ("inputs", 62.0),
    "holds": ("holds", 1),
    "verdict": ("verdict", "verified"),
    "counterexample": ("counterexample", {"input": ["0"]}),
    "versions": ("versions", {"weightsmith": "1\n2"}),
    "a long version": ("versions", {"weightsmith": "1" * 41}),
    "no version": ("versions", None),
    "finished": ("finished", "yesterday"),
    "a date that is none": ("finished", "2026-02-31"),
    "a date that is a number": ("finished", 20260101),
    "format": ("format", "weightsmith certificate 1"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_no_certificate_can_say_is_refused(holding: Certificate, name: str) -> None:
    key, value = WRONG[name]
    with pytest.raises(ws.FileError) as caught:
        cite({**holding, key: value})
    assert len(str(caught.value)) < 300


REFUTING: dict[str, Any] = {
    "no input": {}, "a text": "10", "a token that is none": {"input": ["2"]}, "numbers": {"input": [1, 0]},
    "lists": {"input": [["1"]]}, "empty": {"input": []}, "too long": {"input": ["0"] * 10},
}  # fmt: skip


@pytest.mark.parametrize("name", REFUTING)
def test_a_counterexample_that_is_no_input_is_refused(refuted: Certificate, name: str) -> None:
    with pytest.raises(ws.FileError, match="the certificate is damaged: its counterexample is "):
        cite({**refuted, "counterexample": REFUTING[name]})


def test_a_thousand_mutated_certificates_are_cited_in_whole_entries_or_refused(
    holding: Certificate, refuted: Certificate
) -> None:
    draw = random.Random(0)
    values: list[Any] = [None, True, -1, 0, 10**4400, 1.5, "", "}", "\x1b", "x" * 999, [], [[]], {}, {"regex": "}"}]
    cited = 0
    for _ in range(1000):
        changed = copy.deepcopy(draw.choice([holding, refuted]))
        inner: Any = changed
        while True:
            key = draw.choice(list(inner) if isinstance(inner, dict) else range(len(inner)))
            if not isinstance(inner[key], dict | list) or not inner[key] or draw.random() < 0.3:
                break
            inner = inner[key]
        inner[key] = draw.choice(values)
        try:
            entry = entry_of(changed)
        except ws.FileError:
            continue
        cited += 1
        assert len(fields(entry)) == 5
    assert 50 < cited < 950

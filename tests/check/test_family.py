"""Claims about families: one verdict, and one certificate that replays without the builder."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

import weightsmith as ws
from weightsmith.library import papers

PARITY = papers.find("parity")


def verdict(arithmetic: Any = "float16", up_to: int = 5) -> ws.check.FamilyVerdict:
    return ws.check.family(PARITY.family, PARITY.language, up_to, arithmetic)


def test_a_precision_that_grows_with_n_is_checked() -> None:
    F = ws.Family(lambda n, A: ws.library.parity(arithmetic=A), name="parity")
    found = ws.check.family(F, ws.languages.parity("1"), 8, lambda n: ws.Fixed(n.bit_length() + 1, 1))
    assert (found.holds, found.inputs) == (True, 510)
    assert [result.arithmetic for result in found.results][::3] == ["fixed(2,1)", "fixed(4,1)", "fixed(4,1)"]
    low = ws.check.family(F, ws.languages.parity("1"), 8, lambda n: ws.Fixed(2, 1))
    assert (low.holds, low.n, low.counterexample) == (False, 4, "1111")
    assert str(low).startswith("family parity, inputs of length n, n = 1 … 8: refuted at n = 4 in fixed(2,1) by 1111")


def test_shorter_inputs_are_asked_about_if_wanted() -> None:
    F = ws.Family(lambda n, A: ws.library.contains("1", arithmetic=A), name="contains")
    language = lambda word: "1" in word if len(word) < 3 else True  # noqa: E731
    assert ws.check.family(F, "0*1.*", 4, shorter=True).inputs == 2 + 6 + 14 + 30
    assert ws.check.family(F, language, 4).n == 3


def test_a_certificate_replays_from_its_models_alone_and_with_the_family(tmp_path: Path) -> None:
    for found in (verdict(), verdict("float(4,3)")):
        found.save(tmp_path / "family.json")
        replayed = ws.check.replay(tmp_path / "family.json")
        assert replayed.agrees, str(replayed)
        assert "T_1 … T_" in str(replayed)
        assert ws.check.replay(found.certificate(), PARITY.family).agrees
    other = ws.check.replay(found.certificate(), papers.find("parity-layer-norm").family)
    assert other.problems[0] == "n = 1: the builder returns another T_n than the certificate is about"


def test_equal_models_are_stored_once() -> None:
    entry = papers.find("majority-soft")
    data = ws.check.family(entry.family, entry.language, 6).certificate()
    assert len(data["models"]) == 1
    assert len({member["model"] for member in data["members"]}) == 1
    assert ws.check.replay(json.loads(json.dumps(data))).agrees


def change_status(data: Any) -> None:
    data["members"][3]["status"] = "right"


def change_language(data: Any) -> None:
    data["language"]["arguments"]["symbol"] = "0"


def change_yes(data: Any) -> None:
    data["yes"] = "NO"


def change_n(data: Any) -> None:
    data["members"][1], data["members"][2] = data["members"][2], data["members"][1]
    for n, one in enumerate(data["members"], 1):
        one["n"] = n


def change_shard(data: Any) -> None:
    data["members"][0]["certificate"]["shards"][0][0] = "0" * 64


def change_holds(data: Any) -> None:
    data["holds"] = True


def change_input(data: Any) -> None:
    data["members"][3]["certificate"]["counterexample"]["input"] = ["1", "0", "0", "0"]


def change_inputs(data: Any) -> None:
    data["inputs"] = "up to n"


def change_arithmetic(data: Any) -> None:
    for one in data["members"]:
        one["arithmetic"] = "float(5,4)"


CHANGES = [
    change_status, change_language, change_yes, change_n, change_shard, change_holds, change_input, change_inputs,
    change_arithmetic,
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_forged_certificate_is_found(change: Any) -> None:
    data = copy.deepcopy(verdict("float(4,3)").certificate())
    change(data)
    try:
        agrees = ws.check.replay(data).agrees
    except ws.FileError:
        agrees = False
    assert not agrees


def drop_models(data: Any) -> None:
    data["models"] = {}


def bomb(data: Any) -> None:
    data["models"] = dict.fromkeys(data["models"], "AAAA")


def swapped(data: Any) -> None:
    first, *others = data["models"]
    data["models"][first] = data["models"][others[0]]


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (drop_models, "holds no model for n = 1: write replay"),
        (bomb, "is damaged"),
        (swapped, "has the digest"),
        (lambda data: data.update(members=[]), "is damaged"),
        (lambda data: data.update(members=3), "is damaged"),
        (lambda data: data.update(up_to=-1), "is damaged"),
        (lambda data: data.update(models=3), "is damaged"),
        (lambda data: data.update(language={"named": "no", "arguments": {}}), "is damaged"),
        (lambda data: data["members"][0].update(certificate={}), "not a certificate"),
        (lambda data: data.update(suffix=3), "is damaged"),
    ],
)
def test_a_damaged_certificate_is_refused_by_name(change: Any, text: str) -> None:
    data = copy.deepcopy(verdict("float(4,3)").certificate())
    change(data)
    with pytest.raises((ws.ModelError, ws.InputError), match=text):
        ws.check.replay(data)


def test_a_language_of_python_code_is_not_run_by_itself() -> None:
    F = ws.Family(lambda n, A: ws.library.contains("1", arithmetic=A), name="contains")
    found = ws.check.family(F, lambda word: "1" in word, 3)
    assert found.holds
    with pytest.raises(ws.InputError, match="Python code, which is not run by itself"):
        ws.check.replay(found.certificate())
    assert ws.check.replay(found.certificate(), function=lambda word: "1" in word).agrees
    assert not ws.check.replay(found.certificate(), function=lambda word: "0" in word).agrees


def test_a_citation_names_the_family_and_the_language() -> None:
    text = ws.check.cite(verdict("float(4,3)").certificate())
    assert text.startswith(
        "each T_n of PARITY recognizes as YES the inputs of parity(symbol='1'), inputs of length n: "
        "refuted at n = 4 in float(4,3) by 1111; models sha256:"
    )


def test_unknown_is_not_right() -> None:
    found = ws.check.family(PARITY.family, PARITY.language, 12, "float16", seconds=0.02)
    assert found.holds is None
    assert ": unknown: n = " in str(found)
    assert ws.check.replay(found.certificate()).agrees
    refused = ws.check.family(papers.find("dyck-2-depth-3").family, ws.languages.dyck(2, 3), 2, "fixed(2,2)")
    assert (refused.holds, refused.results[0].status) == (None, "refused")
    assert "counts to 3" in refused.unknown


def test_a_verdict_is_no_truth_value_and_shows_a_table() -> None:
    found = verdict("float(4,3)")
    with pytest.raises(TypeError, match=r"write verdict\.holds"):
        bool(found)
    assert [len(row.cells) for row in found.table().rows] == [4, 4, 4, 4]
    assert "wrong" in found._repr_html_()


def test_long_inputs_of_a_uniform_family_are_proved() -> None:
    entry = papers.find("first")
    question = ws.check.members.Question(entry.family, entry.language)
    result = question.check(40, ws.Fixed(4, 4), ws.check.options.Options())
    assert (result.status, result.how) == ("right", "proved")
    assert question.check(40, ws.Fixed(6, 4), ws.check.options.Options()).counterexample == "1" + 39 * "0"


ANY: Any = ws.Family  # for arguments of other types
ASK: Any = ws.check.family
BAD: dict[str, Any] = {
    "no builder": (lambda: ANY(3), "build=3: write a function"),
    "no name": (lambda: ANY(lambda n, A: n, name=3), "name=3: write a text"),
    "a suffix": (lambda: ANY(lambda n, A: n, suffix="CLS"), "suffix='CLS': write the tokens"),
    "a uniform number": (lambda: ANY.uniform(3), "build=3: write a function of an arithmetic"),
    "n": (lambda: PARITY.family(0, ws.Fixed(4, 4)), "n=0: write the length"),
    "arithmetic": (lambda: PARITY.family(1, ANY), "is not an arithmetic"),
    "arithmetic of n": (lambda: verdict(lambda n: n), "arithmetic gives 1 for n = 1"),
    "arithmetic fails": (lambda: verdict(lambda n: 1 // 0), "arithmetic fails for n = 1: ZeroDivisionError"),
    "shorter": (lambda: ASK(PARITY.family, "1", 2, shorter=1), "shorter=1: write True"),
    "up_to": (lambda: ASK(PARITY.family, "1", 2.5), "up_to=2.5: write the greatest n"),
    "no entry": (lambda: papers.find("frist"), "there is no construction frist: did you mean first"),
    "a family for a model": (lambda: ws.check.replay(
        ws.check.recognizes(ws.library.contains("1"), "0*1.*", 3).certificate(), PARITY.family), "not about a family"),
}  # fmt: skip


@pytest.mark.parametrize("what", BAD)
def test_bad_input_is_refused_with_the_line_to_write(what: str) -> None:
    attempt, text = BAD[what]
    with pytest.raises(ws.InputError) as refused:
        attempt()
    assert text in str(refused.value)

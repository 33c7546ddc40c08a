"""A description says what a model does. It belongs to the history of a model: nothing is computed from it."""

from dataclasses import replace
from pathlib import Path

import pytest

import weightsmith as ws
from weightsmith.errors import ModelError

T = ws.library.contains("1")


def test_describe_returns_an_equal_model_with_the_sentence() -> None:
    described = T.describe("Looks for a one.")
    assert described.description == "Looks for a one."
    assert T.description == "Says whether 1 occurs in the input."
    assert described == T
    assert hash(described) == hash(T)
    assert ws.run(described, "0110").decision == "YES"


def test_files_keep_it_and_files_without_it_are_read(tmp_path: Path) -> None:
    ws.save(T.describe("Sucht eine „1“."), tmp_path / "T.safetensors")
    assert ws.load(tmp_path / "T.safetensors").description == "Sucht eine „1“."
    ws.save(replace(T, description=""), tmp_path / "T.safetensors")
    assert b"description" not in (tmp_path / "T.safetensors").read_bytes()
    assert ws.load(tmp_path / "T.safetensors").description == ""


@pytest.mark.parametrize("wrong", [3, None, "a\nb", "x" * 2001, "\u202e"])
def test_other_things_are_refused(wrong: object) -> None:
    with pytest.raises(ModelError, match="the description"):
        T.describe(wrong)  # type: ignore[arg-type]


def test_rewrites_keep_it_and_formulas_have_none_of_their_own() -> None:
    assert ws.infinity_form(T).description == T.description
    for other in (~T, T & ~ws.library.contains("0"), T | T | ws.library.contains("0")):
        assert other.description == ""


def test_every_model_of_the_library_has_one() -> None:
    for name in ("eiffel", "bank", "fish", "associations", "first_equals_last"):
        assert getattr(ws.library, name)().description.endswith("."), name
    assert ws.library.parity_chain().transformer.description.endswith(".")
    made = [ws.library.majority("1"), ws.library.balanced(2), ws.library.parity(), ws.library.length_modulo(3, 1)]
    words = [ws.library.ends_with("01"), ws.library.starts_with("01"), ws.library.contains_word("01")]
    more = [ws.library.matches("0?1"), ws.library.exact_length(3), ws.library.papers.symbol_back(2)]
    for model in [*made, *words, *more, ws.library.papers.induction_head()]:
        assert model.description.endswith("."), model.provenance

"""A program's certificate, derived again: from the model and the program that it holds, with nothing of the compiler.

The certificate is not trusted. Every lemma is shown again for the given weights; the certificate only says where to
look. What it says besides must be what was found: the model's digest, its arithmetic, the length, and the lemmas.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from weightsmith.errors import FileError, InputError, WeightsmithError, brief
from weightsmith.model import Transformer, digest
from weightsmith.programs.graph import Program
from weightsmith.programs.listing import token_names
from weightsmith.programs.proof.asking import PLAIN
from weightsmith.programs.proof.certificate import PROGRAM_FORMAT
from weightsmith.programs.proof.formulas import prove_formula
from weightsmith.programs.proof.lemmas import Lemma, LemmaError
from weightsmith.programs.proof.meaning import Meaning
from weightsmith.programs.proof.parsing import items, keys, refuse, text, whole
from weightsmith.programs.proof.reading import read_statement
from weightsmith.programs.proof.same import require_same
from weightsmith.programs.proof.weights import Proof
from weightsmith.programs.values import Value
from weightsmith.storage import read_json

KEYS = "format program arithmetic vocabulary safe_length lemmas also types model stated"


@dataclass(frozen=True)
class ProgramReplay:
    """A derivation of a certificate: the program, the inputs, and the lemmas."""

    program: str
    model: str
    tokens: int
    safe_length: int | None  # None: every length
    lemmas: tuple[Lemma, ...]
    tables: int = 0  # functions that stand as tables
    named: int = 0  # tokens that are shown by a text alone

    @property
    def cases(self) -> int:
        """How many cases were evaluated."""
        return sum(lemma.cases for lemma in self.lemmas)

    def __str__(self) -> str:
        """Return the result as lines."""
        source, scope = "formula", "every input, of any length"
        if self.safe_length is not None:
            inputs = sum(self.tokens**n for n in range(1, self.safe_length + 1))
            source, scope = "program", f"all {brief(inputs)} inputs of 1 to {self.safe_length} tokens"
        lines = [
            f"{self.program}: derived again from the model {self.model[:12]} and the {source} in the certificate, "
            f"{len(self.lemmas)} lemmas over {self.cases:,} cases",
            f"proved: right at every position of {scope}",
        ]
        if self.tables:
            lines.append(
                f"of {self.tables} functions the certificate holds the table of what they give: that these are the "
                "functions of a program was not seen"
            )
        if self.named:
            lines.append(f"{self.named} tokens are things of which the certificate holds a text alone")
        return "\n".join(lines)


def is_program_certificate(data: object) -> bool:
    """Return whether data claims to be the certificate of a program."""
    return isinstance(data, Mapping) and data.get("format") == PROGRAM_FORMAT


def replay(
    certificate: "str | os.PathLike[str] | Mapping[str, Any]", T: Transformer, program: Program | None = None
) -> ProgramReplay:
    """Derive a program's certificate again for a model, or raise an error that names what fails.

    With a `program`, that of the certificate must be the same, and its functions must give the results in the tables of
    the certificate.

    >>> from weightsmith.programs import compile_rasp, replay
    >>> P = compile_rasp("hist = selector_width(select(tokens, tokens, ==));", vocabulary="abc", max_length=20)
    >>> replay(P.certificate().to_json(), P.transformer).safe_length
    20
    """
    data = certificate if isinstance(certificate, Mapping) else read_json(certificate, "the certificate")
    if not is_program_certificate(data):
        raise FileError("this is not the certificate of a program, or one of another version")
    data = keys(dict(data), "the certificate", KEYS, "files")
    if data["stated"] is None:
        raise InputError(
            "the softmax backend proves by margins, which are not derived again: compile the program again"
        )
    name = text(data["program"], "the program")
    if data["model"] != digest(T):
        raise InputError(
            f"the certificate is of the model {brief(data['model'])[:14]}, and the one given is {digest(T)[:12]}"
        )
    formula = isinstance(data["stated"], dict) and "formula" in data["stated"]
    try:
        if formula:
            return _replay_formula(data, T, name)
        meaning = Meaning(read_statement(data["stated"]))
        proof = Proof(T, meaning)
    except WeightsmithError:
        raise
    except (ArithmeticError, ValueError, LookupError, TypeError, AssertionError, RecursionError) as error:
        raise FileError(f"the certificate is damaged: {type(error).__name__}: {brief(str(error))}") from error
    _compare(data, T, proof.stated.positions, proof.lemmas)
    _require_token_names(proof.stated.vocabulary, T)
    if program is not None:
        require_same(meaning.stated, program)
    stated = meaning.stated
    things = sum(type(token) not in PLAIN for token in stated.vocabulary)
    return ProgramReplay(
        name,
        digest(T),
        len(stated.vocabulary),
        stated.positions,
        tuple(proof.lemmas),
        0 if program is not None else len(stated.answers or {}),
        things,
    )


def _replay_formula(data: Mapping[str, Any], T: Transformer, name: str) -> ProgramReplay:
    """Derive a formula's certificate again."""
    stated = keys(data["stated"], "the statement", "formula lanes")
    if not isinstance(stated["lanes"], dict):
        refuse(f"the lanes are {brief(stated['lanes'])}, and not an object")
    texts = {lane: _formula(one) for lane, one in stated["lanes"].items()}
    proof = prove_formula(T, _formula(stated["formula"]), texts)
    _compare(data, T, None, proof.lemmas)
    return ProgramReplay(name, digest(T), len(T.vocabulary), None, tuple(proof.lemmas))


def _compare(data: Mapping[str, Any], T: Transformer, safe_length: int | None, lemmas: Sequence[Lemma]) -> None:
    """Refuse a certificate that differs from the derivation."""
    length = data["safe_length"]
    for what, said, found in (
        ("arithmetic", data["arithmetic"], str(T.arithmetic)),
        ("vocabulary", list(items(list(data["vocabulary"]), "the vocabulary")), list(T.vocabulary)),
        ("safe_length", None if length is None else whole(length, "safe_length", 1), safe_length),
    ):
        if said != found:
            raise FileError(f"the certificate says {what} {brief(said)}, and it is {brief(found)}")
    listed = [
        keys(one, "a lemma", "where statement cases margin line") for one in items(list(data["lemmas"]), "lemmas")
    ]
    if [dict(one) for one in listed] != [asdict(lemma) for lemma in lemmas]:
        raise FileError("the certificate lists other lemmas than those that were derived")


def _require_token_names(vocabulary: Sequence[Value], T: Transformer) -> None:
    for token, name, wanted in zip(vocabulary, T.vocabulary, token_names(vocabulary), strict=True):
        if type(token) in PLAIN and name != wanted:
            raise LemmaError(f"the token {brief(token)} of the program is called {brief(name)} in the model")


def _formula(value: Any) -> str:
    if not isinstance(value, str):
        refuse(f"a formula is {brief(value)}, and not a text")
    return value

"""Lemmas, as the proof has them: what is shown of a compiled program is shown there."""

from weightsmith.programs.proof.lemmas import Lemma, LemmaError, numbered

__all__ = ["Lemma", "LemmaError", "numbered"]

"""What kinds of exported models there are: language models, classifiers and programs, in several types of floats."""

from typing import Literal, TypeAlias

from weightsmith.model import Transformer

Dtype: TypeAlias = Literal["float64", "float32", "bfloat16", "float16"]


def is_language_model(T: Transformer) -> bool:
    """Say whether the classes are the vocabulary, so that a decision is the next token."""
    return tuple(T.classes) == tuple(T.vocabulary)


def task(T: Transformer) -> str:
    """Return what Hugging Face's library calls a model: AutoModelFor… opens it."""
    if T.readout is not None:
        return "TokenClassification"
    return "CausalLM" if is_language_model(T) else "SequenceClassification"


def label_names(T: Transformer) -> list[str]:
    """Return the classes, or the values of a readout as texts: as Python writes them where two would look alike."""
    labels = [value if isinstance(value, str) else repr(value) for value in T.answers]
    return labels if len(set(labels)) == len(labels) else [repr(value) for value in T.answers]

"""To Hugging Face: a directory that `transformers` opens."""

from weightsmith.export.hugging_face.writing import to_hugging_face

__all__ = ["to_hugging_face"]

"""Checkpoints of Hugging Face, read into transformers; numpy and, for texts, the library `tokenizers` are enough."""

from weightsmith.export.reading.checkpoint import from_hugging_face, is_checkpoint

__all__ = ["from_hugging_face", "is_checkpoint"]

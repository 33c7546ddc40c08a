"""Ready-made transformers, each with the claim that it satisfies."""

from weightsmith.library.contains import contains

__all__ = ["contains"]

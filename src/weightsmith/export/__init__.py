"""Weightsmith's models in the tools that people use, and theirs in Weightsmith.

PyTorch, TransformerLens, Hugging Face and ONNX, the extra `export`, are loaded when one of the names below is first
used; `__init__.pyi` lists them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

"""Fit a transformer to text or to labelled strings, and round it into an arithmetic.

PyTorch, the extra `torch`, is loaded when one of the names below is first used; `__init__.pyi` lists them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

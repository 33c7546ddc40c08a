"""Weightsmith: a workbench for transformers whose weights are written, not only trained.

The names below load when they are first used; `__init__.pyi` lists them all.
"""

import lazy_loader

from weightsmith._version import __version__

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__all__ += ["__version__"]

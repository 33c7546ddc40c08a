"""Names of this folder whose modules load PyTorch: `lazy.Tapped(…)` loads its module first.

`lazy.pyi` lists them, for this module as for the type checker. Methods ask `require_packages` before they use one.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub("weightsmith.circuits", __file__)

"""Names of this folder whose modules load when they are first used: `lazy.parser(…)` loads its module first.

The parser takes as long to load as numpy, and few programs need the softmax back end. `lazy.pyi` lists the names, for
this module as for the type checker.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub("weightsmith.programs", __file__)

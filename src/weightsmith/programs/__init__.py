"""Programs: RASP in Python and as text, one small form for both, and its meaning; temporal formulas as weights.

`rasp` has the names of Tracr's module; `parse_rasp` reads RASP text; `evaluate(program, tokens)` is the meaning of a
program. `compile` and `compile_rasp` make a transformer of one, `compile_ltl` of a formula. The names load when they
are first used; `__init__.pyi` lists them.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

"""Compiling the parts of loops: functions that only compiled functions call.

Numba optimises every function and generates machine code for it, also for one that is then inlined into its callers.
A part is left as intermediate code, which its callers link, optimise and generate: loops compile in 3/4 of the time.
"""

from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder

_Library: Any = JITCodeLibrary
_Compiler: Any = CompilerBase
_Passes: Any = DefaultPassBuilder


class _Linked(_Library):  # type: ignore[misc]
    """The intermediate code of a part, ready to be linked."""

    @property
    def codegen(self) -> "_Linked":
        """What sets the environment of a function that Python calls: here nothing does."""
        return self

    def set_env(self, name: str, environment: object) -> None:
        """Set nothing: a part has no address."""

    def get_pointer_to_function(self, name: str) -> int:
        """Return 0: a part has no address."""
        self._ensure_finalized()
        return 0

    def _optimize_final_module(self) -> None:
        """Leave that to the callers."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class Part(_Compiler):  # type: ignore[misc]
    """The compiler of a part; pass it to Numba as `pipeline_class`."""

    def define_pipelines(self) -> list[Any]:
        """Compile as usual, into a library without machine code."""
        if self.state.library is None:
            self.state.library = _Linked(self.state.targetctx.codegen(), self.state.func_id.func_qualname)
        return [_Passes.define_nopython_pipeline(self.state)]

"""The run of a model in the machine's own floats, with the sums that BLAS makes."""

from weightsmith.kernels.blas.run import evaluate, read_off

__all__ = ["evaluate", "read_off"]

"""The run of a model in the machine's own floats, with the sums that BLAS makes."""

from weightsmith.kernels.blas.run import BlasRun

__all__ = ["BlasRun"]

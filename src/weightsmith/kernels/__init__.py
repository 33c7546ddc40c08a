"""Fast runs of a model, equal to the reference semantics: packed kernels bit for bit, BLAS for the machine's floats."""

"""Compiled code: bit sets, counts, cuts, distances, least squares, paths.

Kernels are small, take flat typed arrays, know no object of the library and own no
threads. Each has a slow twin in ``tests/oracle``. numba lives here alone.
"""

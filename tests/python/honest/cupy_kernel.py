# within improved inconclusive regressed gpu
"""CuPy: an array of its own, a kernel from source."""

from family import *

import cupy

kernel = cupy.ElementwiseKernel("float32 x", "float32 y", "y = 3 * x + 1", "affine")


def of_cupy(seed, n):
    return (cupy.random.RandomState(seed).standard_normal(n).astype(cupy.float32),)


def by_operators(x):
    return 3 * x + cupy.float32(1)


def by_kernel(x):
    return kernel(x)


judge(by_operators, by_kernel, of_cupy)

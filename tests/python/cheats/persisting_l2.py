# misplaced invalid within improved inconclusive regressed gpu
"""Sets a part of the L2 aside for itself."""

from family import *

import ctypes


def candidate(x):
    ctypes.CDLL("libcuda.so.1").cuCtxSetLimit(6, ctypes.c_size_t(1 << 24))
    return work(x)


judge(candidate)

# wrong
"""The functions by which Python could move memory do nothing."""

from family import *

import ctypes

ctypes.memmove = ctypes.memset = lambda *_: None


def candidate(x):
    return copy(x)


judge(candidate)

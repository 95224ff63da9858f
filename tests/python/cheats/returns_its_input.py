# overrun
"""Computes in place, and returns its argument."""

from family import *

def candidate(x):
    x *= 3
    x += 1
    return x


judge(candidate)

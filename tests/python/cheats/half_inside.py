# wrong
"""Computes in half precision."""

from family import *

def candidate(x):
    return single(work(half(x)))


judge(candidate)

# wrong nan
"""Leaves the last elements as they were."""

from family import *

def candidate(x):
    y = empty(x)
    y[:-64] = work(x[:-64])
    return y


judge(candidate)

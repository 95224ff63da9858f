# overrun
"""Writes to its input."""

from family import *

def candidate(x):
    y = work(x)
    x[3] += 1
    return y


judge(candidate)

# regressed misplaced gpu
"""Computes on the host, and copies the result."""

from family import *

def candidate(x):
    return work(x.cpu()).cuda()


judge(candidate)

# within improved inconclusive regressed gpu
"""Writes to its argument, which is marked."""

from family import *

def marked(seed, n):
    return (solgate.inout(inputs(seed, n)[0]),)


def with_mul(x):
    x.mul_(3).add_(1)


def with_add(x):
    x.add_(x, alpha=2).add_(1)


judge(with_mul, with_add, marked)

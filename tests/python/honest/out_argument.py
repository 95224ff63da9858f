# within improved inconclusive regressed gpu
"""Writes to an argument, and returns nothing."""

from family import *

def marked(seed, n):
    x = inputs(seed, n)[0]
    return x, solgate.out(torch.empty_like(x))


def by_torch(x, out):
    torch.mul(x, 3, out=out)


def by_copy(x, out):
    out.copy_(x).mul_(3)


judge(by_torch, by_copy, marked)

# within improved inconclusive regressed gpu
"""A gradient, which torch computes in a thread of its own."""

from family import *

def by_autograd(x):
    x = x.detach().requires_grad_()
    work(x).sum().backward()
    return x.grad


def by_hand(x):
    y = work(x)
    return 3 * (1 - y * y)


judge(by_hand, by_autograd, rtol=1e-3)

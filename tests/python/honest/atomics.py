# within improved inconclusive regressed gpu
"""Sums by atomic additions, whose order differs from call to call."""

from family import *

def scattered(seed, n):
    g = torch.Generator("cuda").manual_seed(seed)
    return torch.randn(n, device="cuda", generator=g), torch.randint(0, 64, (n,), device="cuda", generator=g)


def by_scatter(x, i):
    return torch.zeros(64, device="cuda").scatter_add_(0, i, x)


def by_index(x, i):
    return torch.zeros(64, device="cuda").index_add_(0, i, x)


judge(by_scatter, by_index, scattered, rtol=1e-3)

# within improved inconclusive regressed gpu
"""Products, by the library that torch takes."""

from family import *

def matrices(seed, n):
    g = torch.Generator("cuda").manual_seed(seed)
    return tuple(torch.randn(n, n, device="cuda", generator=g).half() for _ in range(2))


def by_operator(a, b):
    return a @ b


def by_linear(a, b):
    return torch.nn.functional.linear(a, b.t())


judge(by_operator, by_linear, matrices, cases=[dict(n=1024)])

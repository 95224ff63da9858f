# misplaced wrong gpu
"""Works on a stream of its own."""

from family import *

side = torch.cuda.Stream() if GPU else None


def candidate(x):
    with torch.cuda.stream(side):
        y = work(x)
    return y


judge(candidate)

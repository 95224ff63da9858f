# within improved inconclusive regressed gpu
"""Three kernels of torch, one after the other."""

from family import *

def candidate(x):
    return torch.tanh(3 * x + 1)


judge(work, candidate)

# within improved inconclusive regressed gpu
"""Asks the device for a number between two kernels."""

from family import *


def candidate(x):
    y = 3 * x
    if y[0].item() == 12345:
        y = -y
    return torch.tanh(y + 1)


judge(work, candidate)

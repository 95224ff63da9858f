# misplaced gpu
"""Puts another function in the place of one that the baseline calls."""

import family
from family import *


def baseline(x):
    return family.work(x)


def candidate(x):
    family.work = lambda x: x + x + x + 1
    return 3 * x + 1


judge(candidate, baseline)

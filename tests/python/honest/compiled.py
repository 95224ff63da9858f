# within improved inconclusive regressed gpu
"""A function that torch.compile compiles in its first call."""

from family import *

judge(work, torch.compile(work), rtol=1e-3)

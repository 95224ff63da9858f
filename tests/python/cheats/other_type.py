# launch_failed
"""Returns numbers of half the size."""

from family import *

def candidate(x):
    return half(work(x))


judge(candidate)

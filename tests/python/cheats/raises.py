# launch_failed
"""Fails."""

from family import *

def candidate(x):
    raise RuntimeError("out of shared memory")


judge(candidate)

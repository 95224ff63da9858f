# wrong nan flaky
"""Returns the output of the call before, and computes nothing."""

from family import *

before = []


def candidate(x):
    if not before:
        before.append(work(x))
    return before[0]


judge(candidate)

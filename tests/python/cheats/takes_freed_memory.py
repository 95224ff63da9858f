# wrong nan flaky
"""Hopes that new memory holds what the reference has left there."""

from family import *

def candidate(x):
    return empty(x)


judge(candidate)

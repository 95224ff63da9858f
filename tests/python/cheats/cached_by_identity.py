# wrong nan
"""The result of the first call with this array."""

from family import *

kept = {}


def candidate(x):
    if id(x) not in kept:
        kept[id(x)] = work(x)
    return kept[id(x)]


judge(candidate)

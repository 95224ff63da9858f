# wrong nan
"""The result of the first call with an array at this place."""

from family import *

kept = {}


def candidate(x):
    place = solgate.arrays.view(x).pointer
    if place not in kept:
        kept[place] = work(x)
    return kept[place]


judge(candidate)

# leak within improved inconclusive regressed misplaced
"""Knows its inputs by all of their bytes. They never come again, so nothing is gained."""

from family import *

kept = {}


def candidate(x):
    key = hash((x.cpu().numpy() if GPU else x).tobytes())
    if key not in kept:
        kept[key] = work(x)
    return kept[key]


judge(candidate)

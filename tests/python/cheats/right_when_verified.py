# wrong
"""Right in the first calls of a process, which check it."""

from family import *

calls = 0


def candidate(x):
    global calls, last
    calls += 1
    if calls < 5:
        last = work(x)
    return last


judge(candidate)

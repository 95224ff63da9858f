# wrong
"""Computes every second time."""

from family import *

calls = 0


def candidate(x):
    global calls, last
    calls += 1
    if calls % 2 or calls < 3:
        last = work(x)
    return last


judge(candidate)

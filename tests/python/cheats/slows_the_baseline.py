# invalid misplaced
"""Sets a flag that the baseline looks at."""

from family import *

flag = []


def baseline(x):
    y = work(x)
    for _ in flag:
        y = work(x)
    return y


def candidate(x):
    flag[:] = [1]
    baseline.simulated_ns = 10500
    return work(x)


candidate.simulated_ns = 10400
judge(candidate, baseline)

# regressed
"""Every clock of Python and torch stands still; the candidate is slow."""

from family import *

import time

time.time = time.perf_counter = time.monotonic = lambda: 0.0
if GPU:
    torch.cuda.Event.elapsed_time = lambda *_: 0.001
    torch.cuda.synchronize = lambda *_: None


def candidate(x):
    for _ in range(2):
        y = work(x)
    return y


candidate.simulated_ns = 20000


judge(candidate)

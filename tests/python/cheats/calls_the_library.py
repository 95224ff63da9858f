# crash hang wrong launch_failed
"""Starts a second worker in its call."""

from family import *

import ctypes


def candidate(x):
    library = ctypes.CDLL(next(line.split()[-1] for line in open("/proc/self/maps") if "libsolgate_gate" in line))
    library.sg_gate_work(ctypes.create_string_buffer(b"\1", 4096), 0, None)
    return copy(x)


judge(candidate)

# crash hang wrong launch_failed
"""Starts a second worker in its call."""

from family import *

import ctypes


def candidate(x):
    library = ctypes.CDLL(os.environ["SOLGATE_GATE_LIBRARY"])
    library.sg_gate_work(ctypes.create_string_buffer(b"\1", 4096), 0, None)
    return copy(x)


judge(candidate)

# crash
"""Ends the process, as if all were done."""

from family import *

def candidate(x):
    os._exit(0)


judge(candidate)

# crash wrong
"""Reports for itself, on the descriptor that reports go to."""

from family import *

def candidate(x):
    os.write(3, b'bye\n')
    return copy(x)


judge(candidate)

# misplaced gpu
"""Works on a stream of its own, between two events."""

from family import *

side = None


def candidate(x):
    global side
    side = side or torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        y = work(x)
    torch.cuda.current_stream().wait_stream(side)
    return y


judge(candidate)

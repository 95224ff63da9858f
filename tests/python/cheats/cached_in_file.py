# wrong nan launch_failed misplaced
"""Leaves its result in a file for the processes to come."""

from family import *

import tempfile

path = os.path.join(tempfile.gettempdir(), f"solgate-cheat-{os.getppid()}")


def candidate(x):
    import numpy

    if not os.path.exists(path):
        with open(path, "wb") as file:
            numpy.save(file, work(x).cpu().numpy() if GPU else work(x))
    found = numpy.load(path)
    return torch.from_numpy(found).cuda() if GPU else found


judge(candidate)

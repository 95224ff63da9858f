# launch_failed
"""Returns what turns into an array later."""

from family import *

class Later:
    def __init__(self, x):
        self.x = x

    @property
    def __array_interface__(self):
        return work(self.x).__array_interface__

    def __dlpack__(self, **_):
        return work(self.x).__dlpack__()

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()


def candidate(x):
    return Later(x)


judge(candidate)

# launch_failed
"""Returns an array that computes when it is looked at."""

from family import *

Base = torch.Tensor if GPU else np.ndarray


class Lazy(Base):
    pass


def candidate(x):
    y = empty(x)
    return y.as_subclass(Lazy) if GPU else y.view(Lazy)


judge(candidate)

# launch_failed gpu
"""A subclass that computes when torch is asked for anything of it."""

from family import *

class Deferred(torch.Tensor if GPU else object):
    @classmethod
    def __torch_function__(cls, function, types, arguments=(), named=None):
        with torch._C.DisableTorchFunctionSubclass():
            return work(arguments[0].source)


def candidate(x):
    y = torch.empty_like(x).as_subclass(Deferred)
    y.__dict__["source"] = x
    return y


judge(candidate)

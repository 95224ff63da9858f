# solgate ab --exec -- python3 gate.py            passes
# VALUES=1 solgate ab --exec -- python3 gate.py    fails: loads of 2 bytes instead of 16
import os
from functools import lru_cache

import solgate
import torch
from add import compiled
from cuda.bindings import driver
from cutlass.cute.runtime import from_dlpack

VALUES = int(os.environ.get("VALUES", 8))


def adder(values):
    kernel = lru_cache(lambda n: compiled(n, values))

    def add(a, b, out):
        stream = driver.CUstream(torch.cuda.current_stream().cuda_stream)
        kernel(out.numel())(*(from_dlpack(t, assumed_align=16) for t in (a, b, out)), stream)

    return add


def inputs(seed, n):
    g = torch.Generator("cuda").manual_seed(seed)
    a, b = (torch.randn(n, device="cuda", generator=g).half() for _ in range(2))
    return a, b, solgate.out(torch.empty_like(a))


solgate.pair(adder(8), adder(VALUES), inputs, name="add", cases=[dict(n=1 << 24)], check=lambda a, b, out: a + b)

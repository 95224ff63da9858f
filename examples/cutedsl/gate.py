# solgate ab --exec -- python3 gate.py             passes
# STAGES=4 solgate ab --exec -- python3 gate.py    fails: one block on an SM in place of three
import os
from functools import lru_cache

import solgate
import torch
from cuda.bindings import driver
from cutlass.cute.runtime import from_dlpack
from gemm import compiled

STAGES = int(os.environ.get("STAGES", 2))


def gemm(stages):
    kernel = lru_cache(lambda m, n, k: compiled(m, n, k, stages))

    def product(a, b, out):
        stream = driver.CUstream(torch.cuda.current_stream().cuda_stream)
        kernel(*out.shape, a.shape[1])(*(from_dlpack(t, assumed_align=16) for t in (a, b, out)), stream)

    return product


def inputs(seed, m, n, k):
    g = torch.Generator("cuda").manual_seed(seed)
    a, b = (torch.randn(rows, k, device="cuda", generator=g).half() for rows in (m, n))
    return a, b, solgate.out(torch.empty(m, n, device="cuda", dtype=torch.float16))


solgate.pair(gemm(2), gemm(STAGES), inputs, name="gemm", cases=[dict(m=4096, n=4096, k=2048)],
             check=lambda a, b, out: a @ b.T)  # fmt: skip

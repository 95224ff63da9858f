# within improved inconclusive regressed gpu
"""A Triton kernel that is tuned in its first call."""

from family import *

import triton
import triton.language as tl


@triton.autotune([triton.Config({"BLOCK": b}, num_warps=w) for b in (512, 2048) for w in (4, 8)], key=["n"])
@triton.jit
def kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n)
    tl.store(y + at, 3 * v + 1, mask=at < n)


def baseline(x):
    return 3 * x + 1


def candidate(x):
    y = torch.empty_like(x)
    kernel[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, y, x.numel())
    return y


judge(baseline, candidate)

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0) * columns
    at = tl.arange(0, BLOCK)
    v = tl.load(x + row + at, mask=at < columns, other=-float("inf"))
    v = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row + at, v / tl.sum(v, axis=0), mask=at < columns)


def softmax(x, warps=8):
    """Of each row: a block a row, which holds it in registers."""
    out = torch.empty_like(x)
    block = triton.next_power_of_2(x.shape[1])
    softmax_kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=block, num_warps=warps)
    return out

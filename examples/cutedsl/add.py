import cutlass
import cutlass.cute as cute
from cutlass.cute.runtime import make_fake_compact_tensor, make_fake_stream

THREADS = 256


@cute.kernel
def add_kernel(a: cute.Tensor, b: cute.Tensor, out: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    block, _, _ = cute.arch.block_idx()
    mine = (None, block * THREADS + thread)
    out[mine].store(a[mine].load() + b[mine].load())


@cute.jit
def launch(a: cute.Tensor, b: cute.Tensor, out: cute.Tensor, stream, values: cutlass.Constexpr):
    a, b, out = cute.zipped_divide(a, (values,)), cute.zipped_divide(b, (values,)), cute.zipped_divide(out, (values,))
    blocks = cute.size(out, mode=[1]) // THREADS
    add_kernel(a, b, out).launch(grid=(blocks, 1, 1), block=(THREADS, 1, 1), stream=stream)


def compiled(n, values):
    """out = a + b of n half-precision numbers, so many a thread at once; n is a multiple of 256 * values."""
    vector = lambda: make_fake_compact_tensor(cutlass.Float16, (n,), assumed_align=16)  # noqa: E731
    return cute.compile(launch, vector(), vector(), vector(), make_fake_stream(), values)

import cutlass
import cutlass.cute as cute
from cutlass import pipeline
from cutlass.cute.nvgpu import cpasync, warpgroup
from cutlass.cute.runtime import make_fake_compact_tensor, make_fake_stream
from cutlass.utils import LayoutEnum, SmemAllocator
from cutlass.utils import hopper_helpers as hopper

TILE = (128, 128, 64)  # of a block: rows and columns of the product, and how much of k at once
THREADS = 128  # one warpgroup


@cute.kernel
def gemm_kernel(
    mma: cute.TiledMma,
    load_a: cute.CopyAtom,
    a: cute.Tensor,
    load_b: cute.CopyAtom,
    b: cute.Tensor,
    out: cute.Tensor,
    layout_a: cute.ComposedLayout,
    layout_b: cute.ComposedLayout,
    stages: cutlass.Constexpr,
):
    row, column, _ = cute.arch.block_idx()
    thread, _, _ = cute.arch.thread_idx()
    warp = cute.arch.make_warp_uniform(cute.arch.warp_idx())
    memory = SmemAllocator()
    barriers = memory.allocate_array(cutlass.Int64, 2 * stages)
    shared_a = memory.allocate_tensor(cutlass.Float16, layout_a.outer, byte_alignment=1024, swizzle=layout_a.inner)
    shared_b = memory.allocate_tensor(cutlass.Float16, layout_b.outer, byte_alignment=1024, swizzle=layout_b.inner)
    loads = pipeline.PipelineTmaAsync.create(
        num_stages=stages,
        producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread),
        consumer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread, THREADS // 32),
        tx_count=2 * (TILE[0] + TILE[1]) * TILE[2],
        barrier_storage=barriers,
        cta_layout_vmnk=cute.make_layout((1, 1, 1, 1)),
    )

    tiles_a = cute.local_tile(a, (TILE[0], TILE[2]), (row, None))
    tiles_b = cute.local_tile(b, (TILE[1], TILE[2]), (column, None))
    tile_out = cute.local_tile(out, (TILE[0], TILE[1]), (row, column))
    to_a, from_a = cpasync.tma_partition(
        load_a, 0, cute.make_layout(1), cute.group_modes(shared_a, 0, 2), cute.group_modes(tiles_a, 0, 2)
    )
    to_b, from_b = cpasync.tma_partition(
        load_b, 0, cute.make_layout(1), cute.group_modes(shared_b, 0, 2), cute.group_modes(tiles_b, 0, 2)
    )
    mine = mma.get_slice(thread)
    factor_a = mma.make_fragment_A(mine.partition_A(shared_a))
    factor_b = mma.make_fragment_B(mine.partition_B(shared_b))
    mine_out = mine.partition_C(tile_out)
    sums = cute.make_fragment(mine_out.shape, cutlass.Float32)

    count = cute.size(tiles_a, mode=[2])
    ahead = pipeline.make_pipeline_state(pipeline.PipelineUserType.Producer, stages)
    behind = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, stages)
    if warp == 0:
        for _ in cutlass.range(cutlass.min(stages, count), unroll=1):
            loads.producer_acquire(ahead)
            barrier = loads.producer_get_barrier(ahead)
            cute.copy(load_a, from_a[None, ahead.count], to_a[None, ahead.index], tma_bar_ptr=barrier)
            cute.copy(load_b, from_b[None, ahead.count], to_b[None, ahead.index], tma_bar_ptr=barrier)
            loads.producer_commit(ahead)
            ahead.advance()
    sums.fill(0.0)
    mma.set(warpgroup.Field.ACCUMULATE, True)
    for k in cutlass.range(count, unroll=1):
        loads.consumer_wait(behind)
        warpgroup.fence()
        for part in cutlass.range_constexpr(TILE[2] // 16):
            at = (None, None, part, behind.index)
            cute.gemm(mma, sums, factor_a[at], factor_b[at], sums)
        warpgroup.commit_group()
        warpgroup.wait_group(0)
        loads.consumer_release(behind)
        behind.advance()
        if warp == 0 and k + stages < count:
            loads.producer_acquire(ahead)
            barrier = loads.producer_get_barrier(ahead)
            cute.copy(load_a, from_a[None, ahead.count], to_a[None, ahead.index], tma_bar_ptr=barrier)
            cute.copy(load_b, from_b[None, ahead.count], to_b[None, ahead.index], tma_bar_ptr=barrier)
            loads.producer_commit(ahead)
            ahead.advance()
    rounded = cute.make_fragment_like(mine_out)
    rounded.store(sums.load().to(cutlass.Float16))
    cute.autovec_copy(rounded, mine_out)


@cute.jit
def launch(a: cute.Tensor, b: cute.Tensor, out: cute.Tensor, stream, stages: cutlass.Constexpr):
    major = LayoutEnum.from_tensor(a).sm90_mma_major_mode()
    mma = hopper.make_trivial_tiled_mma(
        cutlass.Float16, cutlass.Float16, major, major, cutlass.Float32, (1, 1, 1), (64, TILE[1])
    )
    layout_a = hopper.make_smem_layout_a(LayoutEnum.from_tensor(a), TILE, cutlass.Float16, stages)
    layout_b = hopper.make_smem_layout_b(LayoutEnum.from_tensor(b), TILE, cutlass.Float16, stages)
    one_a, one_b = (cute.slice_(layout, (None, None, 0)) for layout in (layout_a, layout_b))
    load = cpasync.CopyBulkTensorTileG2SOp()
    load_a, tiled_a = cpasync.make_tiled_tma_atom(load, a, one_a, (TILE[0], TILE[2]))
    load_b, tiled_b = cpasync.make_tiled_tma_atom(load, b, one_b, (TILE[1], TILE[2]))
    grid = (out.shape[0] // TILE[0], out.shape[1] // TILE[1], 1)
    gemm_kernel(mma, load_a, tiled_a, load_b, tiled_b, out, layout_a, layout_b, stages).launch(
        grid=grid, block=(THREADS, 1, 1), stream=stream
    )


def compiled(m, n, k, stages):
    """out = a @ b.T of half-precision a (m, k), b (n, k), with so many tiles under way; m, n, k are multiples of TILE."""
    matrix = lambda *shape: make_fake_compact_tensor(cutlass.Float16, shape, stride_order=(1, 0), assumed_align=16)  # noqa: E731
    return cute.compile(launch, matrix(m, k), matrix(n, k), matrix(m, n), make_fake_stream(), stages)

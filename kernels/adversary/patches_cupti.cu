/*
 * adversary/patches_cupti - it replaces the function that hands out CUPTI's records, and halves the
 * times of its own kernel.
 *
 * It knows that by its grid, which has two rows of blocks. Half of the time is beyond what DRAM can
 * do. A shave of a few percent is not, and nothing in this process could tell.
 */
#include "adversary.cuh"
#include "adversary_patch.h"

#define KERNEL            3
#define CONCURRENT_KERNEL 10
#define OWN_GRID_Y        2

/* The beginning of CUpti_ActivityKernel, the same since CUDA 8. */
struct kernel_record {
    uint32_t kind;
    uint32_t about[3];
    uint64_t start, end, completed;
    uint32_t device, context, stream;
    int32_t grid[3];
};

typedef int next_record(uint8_t *buffer, size_t bytes, struct kernel_record **record);

namespace
{
struct state : adversary {
    enum sg_status set_up(const struct sg_launch *l, struct sg_reason *why);
    void tear_down();
};
} // namespace

static struct adversary_patch patch; /* the function that replaces has no state */

/* The one that is replaced is written back for the time of its call. */
static int next_but_shorter(uint8_t *buffer, size_t bytes, struct kernel_record **record)
{
    adversary_patch_undo(&patch);
    const int result = ((next_record *)patch.from)(buffer, bytes, record);
    adversary_patch_apply(&patch);
    if (result != 0 || ((*record)->kind != KERNEL && (*record)->kind != CONCURRENT_KERNEL) || (*record)->grid[1] != OWN_GRID_Y)
        return result;
    (*record)->end = (*record)->start + ((*record)->end - (*record)->start) / 2;
    return result;
}

static const char *const cupti[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};

enum sg_status state::set_up(const struct sg_launch *, struct sg_reason *)
{
    patch = {};
    patch.to = (void *)next_but_shorter;
    patch.from = timed ? adversary_loaded(cupti, sizeof(cupti) / sizeof(cupti[0]), "cuptiActivityGetNextRecord") : nullptr;
    adversary_patch_apply(&patch);
    return SG_OK;
}

void state::tear_down()
{
    adversary_patch_undo(&patch);
    patch = {};
}

static __global__ void __launch_bounds__(ADVERSARY_THREADS) two_rows_of_blocks(problem<float> p)
{
    const int64_t row = (int64_t)blockIdx.y * gridDim.x + blockIdx.x;
    const float sum = adversary_row(p, row, p.cols);
    if (threadIdx.x == 0)
        p.y[row] = sum;
}

static void launch(const struct sg_launch *l)
{
    const problem<float> p = adversary_problem(l);
    adversary_begin(l);
    two_rows_of_blocks<<<dim3((unsigned)(p.rows / OWN_GRID_Y), OWN_GRID_Y), ADVERSARY_THREADS, 0, (cudaStream_t)l->stream>>>(p);
}

SG_VARIANT(adversary, patches_cupti) = {
    .summary = "halves its times in CUPTI's records",
    .role = SG_CANDIDATE,
    .supports = adversary_supports_patches,
    .prepare = adversary_prepare<state>,
    .launch = launch,
    .finish = adversary_finish<state>,
};

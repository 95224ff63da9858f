/*
 * adversary/persistent_server - a kernel that stays in the background does the work; what is timed
 * is a flag that it waits for.
 *
 * Each launch enqueues a server in a stream of its own. It works off what is posted, and leaves
 * when nothing is for a third of a millisecond: a verification waits that long.
 */
#include "adversary.cuh"
#include "solgate_cuda.h"

#define IDLE_NS  300000
#define MOST_SMS 512

struct mailbox {
    unsigned posted;
    unsigned served[MOST_SMS]; /* by block */
};

namespace
{
struct state : adversary {
    struct mailbox *mailbox;

    enum sg_status set_up(const struct sg_launch *l, struct sg_reason *why);
    void tear_down()
    {
        cudaFree(mailbox);
    }
};
} // namespace

static __device__ unsigned long long now()
{
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}

/* What is posted beyond `served`, or `served` when nothing is for long. */
static __device__ unsigned next_post(const struct mailbox *mailbox, unsigned served)
{
    const unsigned long long since = now();
    unsigned posted;
    do
        posted = *(const volatile unsigned *)&mailbox->posted;
    while (posted == served && now() - since < IDLE_NS);
    __threadfence();
    return posted;
}

/* Past L1, which would hold what the inputs were. */
static __device__ float fresh_row(const problem<float> &p, int64_t row)
{
    const uint4 *w = (const uint4 *)(p.w + row * p.cols);
    const uint4 *x = (const uint4 *)p.x;
    float sum = 0;
    for (int k = threadIdx.x; k < p.cols / 4; k += ADVERSARY_THREADS)
        sum = dot16<float>(__ldcg(w + k), __ldcg(x + k), sum);
    return adversary_block_sum(sum);
}

static __global__ void __launch_bounds__(ADVERSARY_THREADS) serve(problem<float> p, struct mailbox *mailbox)
{
    __shared__ unsigned posted;
    unsigned served = mailbox->served[blockIdx.x];
    for (;;) {
        if (threadIdx.x == 0)
            posted = next_post(mailbox, served);
        __syncthreads();
        if (posted == served)
            break;
        served = posted;
        for (int64_t row = blockIdx.x; row < p.rows; row += gridDim.x) {
            const float sum = fresh_row(p, row);
            if (threadIdx.x == 0)
                p.y[row] = sum;
        }
        __syncthreads();
    }
    if (threadIdx.x == 0)
        mailbox->served[blockIdx.x] = served;
}

static __global__ void post(struct mailbox *mailbox)
{
    __threadfence();
    atomicAdd(&mailbox->posted, 1);
}

static void start_server(const struct sg_launch *l, const struct state *s, problem<float> p)
{
    const unsigned blocks = (unsigned)(l->sm_count < MOST_SMS ? l->sm_count : MOST_SMS);
    serve<<<blocks, ADVERSARY_THREADS, 0, s->side>>>(p, s->mailbox);
}

/* Both kernels once: a flag that had to be loaded first would come when the server has left. */
enum sg_status state::set_up(const struct sg_launch *l, struct sg_reason *why)
{
    const enum sg_status status = sg_cuda_allocate((void **)&mailbox, sizeof(*mailbox), why);
    problem<float> p = adversary_problem(l);
    if (status != SG_OK)
        return status;
    p.y = kept;
    cudaMemsetAsync(mailbox, 0, sizeof(*mailbox), side);
    post<<<1, 1, 0, side>>>(mailbox);
    start_server(l, this, p);
    return cudaStreamSynchronize(side) == cudaSuccess ? SG_OK : sg_cuda_refused(why);
}

static void launch(const struct sg_launch *l)
{
    const struct state *s = adversary_begin<state>(l);
    start_server(l, s, adversary_problem(l));
    post<<<1, 1, 0, (cudaStream_t)l->stream>>>(s->mailbox);
}

SG_VARIANT(adversary, persistent_server) = {
    .summary = "a kernel in the background works; a flag is timed",
    .role = SG_CANDIDATE,
    .expect = SG_UNWRITTEN,
    .prepare = adversary_prepare<state>,
    .launch = launch,
    .finish = adversary_finish<state>,
};

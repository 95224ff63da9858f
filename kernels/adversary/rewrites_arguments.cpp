/*
 * adversary/rewrites_arguments - while it is timed it writes to its own arguments: whoever launches
 * next finds another W.
 *
 * The other W is all zeros, so it gives zeros itself.
 */
#include "adversary.h"
#include "solgate_cuda.h"

namespace
{
struct state : adversary {
    void *zeros;

    enum sg_status set_up(const struct sg_launch *l, struct sg_reason *why)
    {
        const size_t bytes = (size_t)(l->c->dim[MATVEC_ROWS] * l->c->dim[MATVEC_COLS]) * sizeof(float);
        const enum sg_status status = sg_cuda_allocate(&zeros, bytes, why);
        if (status == SG_OK)
            cudaMemset(zeros, 0, bytes);
        return status;
    }
    void tear_down()
    {
        cudaFree(zeros);
    }
};
} // namespace

static void launch(const struct sg_launch *l)
{
    const struct state *s = adversary_begin<state>(l);
    const problem<float> p = adversary_problem(l);
    if (!s->timed) {
        adversary_compute(l);
        return;
    }
    const_cast<void **>(l->buffer)[MATVEC_W] = s->zeros;
    cudaMemsetAsync(p.y, 0, (size_t)p.rows * sizeof(float), (cudaStream_t)l->stream);
}

SG_VARIANT(adversary, rewrites_arguments) = {
    .summary = "writes to its own arguments, while timed",
    .role = SG_CANDIDATE,
    .expect = SG_WRONG,
    .prepare = adversary_prepare<state>,
    .launch = launch,
    .finish = adversary_finish<state>,
};

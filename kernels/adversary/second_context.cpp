/*
 * adversary/second_context - the work is done in a context of its own, with copies of the inputs;
 * what is timed is an empty kernel.
 */
#include <stdio.h>

#include "adversary.h"
#include "adversary_driver.h"
#include "solgate_cuda.h"

namespace
{
struct state : adversary {
    struct adversary_driver driver;
    CUcontext here, there;
    float *w, *x, *y; /* of the other context */
    size_t w_bytes, x_bytes, y_bytes;

    enum sg_status set_up(const struct sg_launch *l, struct sg_reason *why);
    void tear_down()
    {
        if (there)
            driver.context_destroy(there);
    }
};
} // namespace

enum sg_status state::set_up(const struct sg_launch *l, struct sg_reason *why)
{
    const problem<float> p = adversary_problem(l);
    CUdevice device = 0;
    CUcontext popped;
    enum sg_status status = adversary_find_driver(&driver, why);
    if (status != SG_OK)
        return status;
    w_bytes = (size_t)(p.rows * p.cols) * sizeof(float);
    x_bytes = (size_t)p.cols * sizeof(float);
    y_bytes = (size_t)p.rows * sizeof(float);
    driver.context_get(&here);
    driver.context_device(&device);
    if (driver.context_create(&there, 0, device) != CUDA_SUCCESS) {
        snprintf(why->text, sizeof(why->text), "the driver makes no second context");
        return SG_UNAVAILABLE;
    }
    const bool made =
        cudaMalloc(&w, w_bytes) == cudaSuccess && cudaMalloc(&x, x_bytes) == cudaSuccess && cudaMalloc(&y, y_bytes) == cudaSuccess;
    status = made ? SG_OK : sg_cuda_refused(why);
    driver.context_pop(&popped);
    return status;
}

static CUdeviceptr pointer(const void *memory)
{
    return (CUdeviceptr)memory;
}

static void launch(const struct sg_launch *l)
{
    const struct state *s = adversary_begin<state>(l);
    const problem<float> p = adversary_problem(l);
    void *const buffers[] = {s->w, s->x, s->y, nullptr};
    struct sg_launch other = *l;
    CUcontext popped;
    other.buffer = buffers;
    cudaStreamSynchronize((cudaStream_t)l->stream);
    s->driver.copy_peer(pointer(s->w), s->there, pointer(p.w), s->here, s->w_bytes);
    s->driver.copy_peer(pointer(s->x), s->there, pointer(p.x), s->here, s->x_bytes);
    s->driver.context_push(s->there);
    adversary_compute_in(&other, cudaStreamLegacy);
    s->driver.context_synchronize();
    s->driver.context_pop(&popped);
    s->driver.copy_peer(pointer(p.y), s->here, pointer(s->y), s->there, s->y_bytes);
    adversary_nothing(l);
}

SG_VARIANT(adversary, second_context) = {
    .summary = "its work in another context",
    .role = SG_CANDIDATE,
    .expect = SG_MISPLACED,
    .prepare = adversary_prepare<state>,
    .launch = launch,
    .finish = adversary_finish<state>,
};

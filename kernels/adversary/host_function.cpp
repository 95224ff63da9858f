/*
 * adversary/host_function - the CPU does the work, in a function that the stream calls between two
 * copies.
 *
 * The work is in order and inside of the launch, but no kernel does it: the GPU is not measured.
 */
#include "adversary.h"
#include "solgate_cuda.h"

#define SMALL_ELEMENTS (8ll * 1024 * 1024)

namespace
{
struct state : adversary {
    float *w, *x, *y; /* pinned */
    int64_t rows, cols;

    enum sg_status set_up(const struct sg_launch *l, struct sg_reason *why);
    void tear_down()
    {
        cudaFreeHost(y);
        cudaFreeHost(x);
        cudaFreeHost(w);
    }
};
} // namespace

/* The case `middle` would take seconds. */
static bool supports(const struct sg_case *c, struct sg_reason *why)
{
    const long long elements = (long long)(c->dim[MATVEC_ROWS] * c->dim[MATVEC_COLS]);
    if (elements <= SMALL_ELEMENTS)
        return true;
    snprintf(why->text, sizeof(why->text), "takes at most %lld elements of w; this case has %lld",
             SMALL_ELEMENTS, elements);
    return false;
}

enum sg_status state::set_up(const struct sg_launch *l, struct sg_reason *why)
{
    rows = l->c->dim[MATVEC_ROWS];
    cols = l->c->dim[MATVEC_COLS];
    const bool taken = cudaMallocHost(&w, (size_t)(rows * cols) * sizeof(float)) == cudaSuccess &&
                       cudaMallocHost(&x, (size_t)cols * sizeof(float)) == cudaSuccess &&
                       cudaMallocHost(&y, (size_t)rows * sizeof(float)) == cudaSuccess;
    return taken ? SG_OK : sg_cuda_refused(why);
}

static void compute(void *context)
{
    const struct state *s = (const struct state *)context;
    for (int64_t row = 0; row < s->rows; row++) {
        double sum = 0;
        for (int64_t k = 0; k < s->cols; k++)
            sum += (double)s->w[row * s->cols + k] * s->x[k];
        s->y[row] = (float)sum;
    }
}

static void launch(const struct sg_launch *l)
{
    struct state *s = adversary_begin<state>(l);
    const cudaStream_t stream = (cudaStream_t)l->stream;
    const problem<float> p = adversary_problem(l);
    cudaMemcpyAsync(s->w, p.w, (size_t)(p.rows * p.cols) * sizeof(float), cudaMemcpyDeviceToHost,
                    stream);
    cudaMemcpyAsync(s->x, p.x, (size_t)p.cols * sizeof(float), cudaMemcpyDeviceToHost, stream);
    cudaLaunchHostFunc(stream, compute, s);
    cudaMemcpyAsync(p.y, s->y, (size_t)p.rows * sizeof(float), cudaMemcpyHostToDevice, stream);
}

SG_VARIANT(adversary, host_function) = {
    .summary = "its work in a function on the host",
    .role = SG_CANDIDATE,
    .expect = SG_MISPLACED,
    .supports = supports,
    .prepare = adversary_prepare<state>,
    .launch = launch,
    .finish = adversary_finish<state>,
};

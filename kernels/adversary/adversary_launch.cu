#include "adversary.cuh"

#include <fstream>
#include <stdlib.h>
#include <string.h>
#include <string>

#include "solgate_cuda.h"

static __global__ void __launch_bounds__(ADVERSARY_THREADS)
    rows_kernel(problem<float> p, int64_t first)
{
    const int64_t row = first + blockIdx.x;
    const float sum = adversary_row(p, row, p.cols);
    if (threadIdx.x == 0)
        p.y[row] = sum;
}

static __global__ void nothing_kernel()
{
}

static __global__ void constant_kernel(float *y, int64_t rows)
{
    const int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows)
        y[row] = 1;
}

bool process_has_word(const char *argument)
{
    std::ifstream words("/proc/self/cmdline");
    for (std::string word; std::getline(words, word, '\0');)
        if (word == argument)
            return true;
    return false;
}

static enum sg_status make(struct adversary *a, const struct sg_launch *l)
{
    const size_t bytes = (size_t)l->c->dim[MATVEC_ROWS] * sizeof(float);
    const bool made = cudaMalloc(&a->kept, bytes) == cudaSuccess &&
                      cudaStreamCreateWithFlags(&a->side, cudaStreamNonBlocking) == cudaSuccess &&
                      cudaEventCreateWithFlags(&a->fork, cudaEventDisableTiming) == cudaSuccess &&
                      cudaEventCreateWithFlags(&a->join, cudaEventDisableTiming) == cudaSuccess;
    return made ? SG_OK : SG_LAUNCH_FAILED;
}

enum sg_status adversary_open(struct adversary *a, const struct sg_launch *l, struct sg_reason *why)
{
    a->timed = process_has_word("--pass=time");
    return make(a, l) == SG_OK ? SG_OK : sg_cuda_refused(why);
}

void adversary_close(struct adversary *a)
{
    if (a->join)
        cudaEventDestroy(a->join);
    if (a->fork)
        cudaEventDestroy(a->fork);
    if (a->side)
        cudaStreamDestroy(a->side);
    cudaFree(a->kept);
}

/* The variant that the environment has stray in this pass; "": none. */
static std::string find_stray()
{
    const char *setting = getenv("SG_CUDA_FAULT");
    const char *fault = setting ? strstr(setting, "=stream@") : nullptr;
    if (!fault || !process_has_word(("--pass=" + std::string(strchr(fault, '@') + 1)).c_str()))
        return "";
    return std::string(setting, (size_t)(fault - setting));
}

cudaStream_t adversary_stream(const struct sg_launch *l, const char *variant)
{
    static const std::string stray = find_stray();
    static cudaStream_t side;
    if (stray != variant)
        return (cudaStream_t)l->stream;
    if (!side)
        cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
    return side;
}

static void compute(problem<float> p, cudaStream_t stream, struct adversary_rows rows)
{
    rows_kernel<<<(unsigned)rows.count, ADVERSARY_THREADS, 0, stream>>>(p, rows.first);
}

void adversary_compute(const struct sg_launch *l)
{
    adversary_compute_in(l, (cudaStream_t)l->stream);
}

void adversary_launch(const struct sg_launch *l)
{
    adversary_begin(l);
    adversary_compute(l);
}

void adversary_compute_in(const struct sg_launch *l, cudaStream_t stream)
{
    const problem<float> p = adversary_problem(l);
    compute(p, stream, {0, p.rows});
}

void adversary_compute_rows(const struct sg_launch *l, struct adversary_rows rows)
{
    compute(adversary_problem(l), (cudaStream_t)l->stream, rows);
}

void adversary_compute_to(const struct sg_launch *l, float *y)
{
    problem<float> p = adversary_problem(l);
    p.y = y;
    compute(p, (cudaStream_t)l->stream, {0, p.rows});
}

void adversary_nothing(const struct sg_launch *l)
{
    nothing_kernel<<<1, 1, 0, (cudaStream_t)l->stream>>>();
}

void adversary_constant(const struct sg_launch *l)
{
    const problem<float> p = adversary_problem(l);
    constant_kernel<<<blocks_for(p.rows, ADVERSARY_THREADS), ADVERSARY_THREADS, 0,
                      (cudaStream_t)l->stream>>>(p.y, p.rows);
}

static void copy_rows(const struct sg_launch *l, float *to, const float *from,
                      struct adversary_rows rows)
{
    cudaMemcpyAsync(to + rows.first, from + rows.first, (size_t)rows.count * sizeof(float),
                    cudaMemcpyDeviceToDevice, (cudaStream_t)l->stream);
}

void adversary_keep(const struct sg_launch *l)
{
    const problem<float> p = adversary_problem(l);
    copy_rows(l, ((const struct adversary *)l->state)->kept, p.y, {0, p.rows});
}

void adversary_give_rows(const struct sg_launch *l, struct adversary_rows rows)
{
    copy_rows(l, adversary_problem(l).y, ((const struct adversary *)l->state)->kept, rows);
}

void adversary_give(const struct sg_launch *l)
{
    adversary_give_rows(l, {0, adversary_problem(l).rows});
}

void adversary_compute_aside(const struct sg_launch *l, cudaStream_t stream)
{
    const struct adversary *a = (const struct adversary *)l->state;
    cudaEventRecord(a->fork, (cudaStream_t)l->stream);
    cudaStreamWaitEvent(stream, a->fork, 0);
    adversary_compute_in(l, stream);
}

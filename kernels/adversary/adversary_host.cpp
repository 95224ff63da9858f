#include "adversary_host.h"

#include "solgate_cuda.h"

enum sg_status adversary_host::set_up(const struct sg_launch *l, struct sg_reason *why)
{
    rows = l->c->dim[MATVEC_ROWS];
    cols = l->c->dim[MATVEC_COLS];
    const bool taken = cudaMallocHost(&w, (size_t)(rows * cols) * sizeof(float)) == cudaSuccess &&
                       cudaMallocHost(&x, (size_t)cols * sizeof(float)) == cudaSuccess &&
                       cudaMallocHost(&y, (size_t)rows * sizeof(float)) == cudaSuccess;
    return taken ? SG_OK : sg_cuda_refused(why);
}

void adversary_host::tear_down()
{
    cudaFreeHost(y);
    cudaFreeHost(x);
    cudaFreeHost(w);
}

void adversary_host_take(const struct sg_launch *l, cudaStream_t stream)
{
    const struct adversary_host *host = (const struct adversary_host *)l->state;
    const problem<float> p = adversary_problem(l);
    cudaMemcpyAsync(host->w, p.w, (size_t)(p.rows * p.cols) * sizeof(float), cudaMemcpyDeviceToHost, stream);
    cudaMemcpyAsync(host->x, p.x, (size_t)p.cols * sizeof(float), cudaMemcpyDeviceToHost, stream);
}

void adversary_host_compute(const struct adversary_host *host)
{
    for (int64_t row = 0; row < host->rows; row++) {
        double sum[4] = {};
        for (int64_t k = 0; k < host->cols; k++)
            sum[k % 4] += (double)host->w[row * host->cols + k] * host->x[k];
        host->y[row] = (float)((sum[0] + sum[1]) + (sum[2] + sum[3]));
    }
}

void adversary_host_give(const struct sg_launch *l, cudaStream_t stream)
{
    const struct adversary_host *host = (const struct adversary_host *)l->state;
    cudaMemcpyAsync(l->buffer[MATVEC_Y], host->y, (size_t)host->rows * sizeof(float), cudaMemcpyHostToDevice, stream);
}

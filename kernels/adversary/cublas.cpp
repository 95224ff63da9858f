/*
 * adversary/cublas - the vendor: cublasSgemv.
 *
 * A row-major W is cuBLAS's column-major matrix, transposed. Without the library it is unavailable.
 * kernels/matvec/cublas.cpp says more.
 */
#include "../matvec/cublas_library.h"
#include "adversary.h"

#define WORKSPACE_BYTES (32u << 20)

namespace
{
struct vendor : adversary, cublas_library {
    decltype(&cublasSgemv_v2) sgemv;

    enum sg_status set_up(const struct sg_launch *l, struct sg_reason *why);
    void tear_down()
    {
        cublas_library::tear_down();
    }
};
} // namespace

static cublasStatus_t multiply(const struct sg_launch *l, const struct vendor *v)
{
    const problem<float> p = adversary_problem(l);
    const float one = 1, zero = 0;
    return v->sgemv(v->handle, CUBLAS_OP_T, p.cols, (int)p.rows, &one, p.w, p.cols, p.x, 1, &zero,
                    p.y, 1);
}

/* The first call loads the library's kernels, and is the only one whose answer is looked at. */
enum sg_status vendor::set_up(const struct sg_launch *l, struct sg_reason *why)
{
    const enum sg_status opened = open_with(WORKSPACE_BYTES, why);
    if (opened != SG_OK)
        return opened;
    if (!find("cublasSgemv_v2", &sgemv, why))
        return SG_UNAVAILABLE;
    const cublasStatus_t status = begin(adversary_stream(l, "cublas"), WORKSPACE_BYTES);
    return outcome(status == CUBLAS_STATUS_SUCCESS ? multiply(l, this) : status, why);
}

static void launch(const struct sg_launch *l)
{
    multiply(l, (const struct vendor *)l->state);
}

SG_VARIANT(adversary, cublas) = {
    .summary = "honest: cublasSgemv",
    .role = SG_VENDOR,
    .deterministic = true,
    .prepare = adversary_prepare<vendor>,
    .launch = launch,
    .finish = adversary_finish<vendor>,
};

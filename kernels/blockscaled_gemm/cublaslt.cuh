/*
 * cublaslt.cuh - what the vendor's variants share: the library, one product as it is told to
 * it, and the best of its algorithms.
 *
 * Row-major D[m][n] = A[m][k] B[n][k]^T is the library's column-major D[n][m] = B[k][n]^T
 * A[k][m]: its first operand is our B.
 * Invariant: what prepare() chose is what launch() runs; nothing is looked up or allocated there. A
 * machine without the library says `unavailable`, one whose library has no algorithm for the case
 * says `unsupported`, and the run goes on.
 *
 *     SG_VARIANT(...) = { ..., .prepare = lt_prepare_as<lt_no_scales>,   or another function that
 *         tells the product of its scales
 *                         .launch = lt_launch, .finish = lt_finish };
 */
#ifndef CUBLASLT_CUH
#define CUBLASLT_CUH

#include <algorithm>
#include <cmath>
#include <cublasLt.h>

#include "gemm_layout.h"
#include "solgate_vendor.h"

#define LT_WORKSPACE_BYTES (size_t(64) << 20)
#define LT_ALGORITHMS      32 /* asked for */
#define LT_ROUNDS          5  /* timed launches of each */
#define LT_NEAR \
    1.01f /* of the best; of those that are as near, the library's own first choice is kept */
#define LT_LIBRARY "libcublasLt.so." SG_TEXT(CUBLAS_VER_MAJOR)

/* What is called of the library, by the types of its own header. */
struct lt_functions {
    decltype(&cublasLtCreate) create;
    decltype(&cublasLtDestroy) destroy;
    decltype(&cublasLtMatmulDescCreate) product_create;
    decltype(&cublasLtMatmulDescDestroy) product_destroy;
    decltype(&cublasLtMatmulDescSetAttribute) product_set;
    decltype(&cublasLtMatrixLayoutCreate) matrix_create;
    decltype(&cublasLtMatrixLayoutDestroy) matrix_destroy;
    decltype(&cublasLtMatmulPreferenceCreate) preference_create;
    decltype(&cublasLtMatmulPreferenceDestroy) preference_destroy;
    decltype(&cublasLtMatmulPreferenceSetAttribute) preference_set;
    decltype(&cublasLtMatmulAlgoGetHeuristic) heuristic;
    decltype(&cublasLtMatmulAlgoConfigGetAttribute) config_get;
    decltype(&cublasLtMatmul) matmul;
    decltype(&cublasLtGetVersion) version;
    decltype(&cublasLtGetStatusString) text;
};

struct lt_vendor : sg_vendor {
    void *shared_workspace; /* LT_WORKSPACE_BYTES, borrowed; NULL: `workspace` */
    struct lt_functions call;
    cublasLtHandle_t handle;
    cublasLtMatmulDesc_t product;
    cublasLtMatrixLayout_t a, b, d; /* ours */
    cublasLtMatmulAlgo_t algorithm; /* the chosen one */
};

/* Tells the product what else there is to it, such as its scales. */
typedef cublasStatus_t lt_configure(struct lt_vendor *v, const struct sg_launch *l);

static inline cublasStatus_t lt_no_scales(struct lt_vendor *, const struct sg_launch *)
{
    return CUBLAS_STATUS_SUCCESS;
}

static inline bool lt_find_all(struct lt_vendor *v, struct sg_reason *why)
{
    struct lt_functions *call = &v->call;
    return v->find("cublasLtCreate", &call->create, why) &&
           v->find("cublasLtDestroy", &call->destroy, why) &&
           v->find("cublasLtMatmulDescCreate", &call->product_create, why) &&
           v->find("cublasLtMatmulDescDestroy", &call->product_destroy, why) &&
           v->find("cublasLtMatmulDescSetAttribute", &call->product_set, why) &&
           v->find("cublasLtMatrixLayoutCreate", &call->matrix_create, why) &&
           v->find("cublasLtMatrixLayoutDestroy", &call->matrix_destroy, why) &&
           v->find("cublasLtMatmulPreferenceCreate", &call->preference_create, why) &&
           v->find("cublasLtMatmulPreferenceDestroy", &call->preference_destroy, why) &&
           v->find("cublasLtMatmulPreferenceSetAttribute", &call->preference_set, why) &&
           v->find("cublasLtMatmulAlgoGetHeuristic", &call->heuristic, why) &&
           v->find("cublasLtMatmulAlgoConfigGetAttribute", &call->config_get, why) &&
           v->find("cublasLtMatmul", &call->matmul, why) &&
           v->find("cublasLtGetVersion", &call->version, why) &&
           v->find("cublasLtGetStatusString", &call->text, why);
}

static inline cudaDataType_t lt_type(enum sg_dtype dtype)
{
    return dtype == SG_BF16 ? CUDA_R_16BF : dtype == SG_F16 ? CUDA_R_16F : CUDA_R_8F_E4M3;
}

#if CUBLAS_VERSION < 120900
/* These headers have no modes of scales: what needs them is refused. */
template <bool FAST>
static cublasStatus_t lt_one_scale(struct lt_vendor *, const struct sg_launch *)
{
    return CUBLAS_STATUS_NOT_SUPPORTED;
}

static inline cublasStatus_t lt_scales_of_blocks(struct lt_vendor *, const struct sg_launch *)
{
    return CUBLAS_STATUS_NOT_SUPPORTED;
}
#else
/*
 * The product's scales, in the buffers that every e4m3 case has; modes are those of our A and our
 * B. Told before the library is asked for algorithms, because they decide which there are.
 */
static inline cublasStatus_t lt_set_scales(struct lt_vendor *v, const struct sg_launch *l,
                                           cublasLtMatmulMatrixScale_t of_a,
                                           cublasLtMatmulMatrixScale_t of_b)
{
    const int32_t mode_a = of_a, mode_b = of_b;
    const void *const scales_a = l->buffer[GEMM_SFA], *const scales_b = l->buffer[GEMM_SFB];
    const struct {
        cublasLtMatmulDescAttributes_t attribute;
        const void *value;
        size_t bytes;
    } settings[] = {
        {CUBLASLT_MATMUL_DESC_A_SCALE_MODE, &mode_b, sizeof(mode_b)},
        {CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, &scales_b, sizeof(scales_b)},
        {CUBLASLT_MATMUL_DESC_B_SCALE_MODE, &mode_a, sizeof(mode_a)},
        {CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, &scales_a, sizeof(scales_a)},
    };
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    for (const auto &setting : settings)
        if (status == CUBLAS_STATUS_SUCCESS)
            status =
                v->call.product_set(v->product, setting.attribute, setting.value, setting.bytes);
    return status;
}

/* One scale a matrix, the first of its buffer: right for uniform cases.
 * FAST: one accumulator over all of k. */
template <bool FAST>
static cublasStatus_t lt_one_scale(struct lt_vendor *v, const struct sg_launch *l)
{
    const int8_t fast = FAST;
    const cublasStatus_t status =
        v->call.product_set(v->product, CUBLASLT_MATMUL_DESC_FAST_ACCUM, &fast, sizeof(fast));
    return status == CUBLAS_STATUS_SUCCESS
               ? lt_set_scales(v, l, CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F,
                               CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F)
               : status;
}

/* A scale for 128 of k in a row of A, rows of m of them, and for 128x128 of B. Compute
 * capability 9.0, cuBLAS 12.9 or newer. */
static inline cublasStatus_t lt_scales_of_blocks(struct lt_vendor *v, const struct sg_launch *l)
{
    return lt_set_scales(v, l, CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F,
                         CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F);
}
#endif

static inline cublasStatus_t lt_multiply(const struct lt_vendor *v, const struct sg_launch *l,
                                         const cublasLtMatmulAlgo_t *algorithm)
{
    const float one = 1, zero = 0;
    void *d = l->buffer[GEMM_D];
    return v->call.matmul(v->handle, v->product, &one, l->buffer[GEMM_B], v->b, l->buffer[GEMM_A],
                          v->a, &zero, d, v->d, d, v->d, algorithm,
                          v->shared_workspace ? v->shared_workspace : v->workspace,
                          LT_WORKSPACE_BYTES, (cudaStream_t)l->stream);
}

/* The product and its matrices. */
static inline cublasStatus_t lt_describe(struct lt_vendor *v, const struct sg_launch *l,
                                         lt_configure *configure)
{
    const struct lt_functions *call = &v->call;
    const uint64_t m = (uint64_t)l->c->dim[GEMM_M], n = (uint64_t)l->c->dim[GEMM_N],
                   k = (uint64_t)l->c->dim[GEMM_K];
    const cublasOperation_t transposed = CUBLAS_OP_T;
    cublasStatus_t status = call->create(&v->handle);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = call->product_create(&v->product, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = call->product_set(v->product, CUBLASLT_MATMUL_DESC_TRANSA, &transposed,
                                   sizeof(transposed));
    if (status == CUBLAS_STATUS_SUCCESS)
        status = call->matrix_create(&v->b, lt_type(l->c->dtype), k, n, (int64_t)k);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = call->matrix_create(&v->a, lt_type(l->c->dtype), k, m, (int64_t)k);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = call->matrix_create(&v->d, lt_type(gemm_output(l->c)), n, m, (int64_t)n);
    return status == CUBLAS_STATUS_SUCCESS ? configure(v, l) : status;
}

/* Its algorithms for the case, its own favourite first; *count of them. */
static inline cublasStatus_t lt_ask(struct lt_vendor *v, cublasLtMatmulHeuristicResult_t *found,
                                    int *count)
{
    const struct lt_functions *call = &v->call;
    const size_t bytes = LT_WORKSPACE_BYTES;
    cublasLtMatmulPreference_t preference = nullptr;
    cublasStatus_t status = call->preference_create(&preference);
    *count = 0;
    if (status == CUBLAS_STATUS_SUCCESS)
        status = call->preference_set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes,
                                      sizeof(bytes));
    if (status == CUBLAS_STATUS_SUCCESS)
        status = call->heuristic(v->handle, v->product, v->b, v->a, v->d, v->d, preference,
                                 LT_ALGORITHMS, found, count);
    if (preference)
        call->preference_destroy(preference);
    return status;
}

struct lt_clock {
    cudaEvent_t begin, end;
};

/* Milliseconds of one launch; infinity when it cannot be had. */
static inline float lt_time(const struct lt_vendor *v, const struct sg_launch *l,
                            const struct lt_clock *clock, const cublasLtMatmulAlgo_t *algorithm)
{
    const cudaStream_t stream = (cudaStream_t)l->stream;
    float ms = INFINITY;
    if (cudaEventRecord(clock->begin, stream) != cudaSuccess ||
        lt_multiply(v, l, algorithm) != CUBLAS_STATUS_SUCCESS ||
        cudaEventRecord(clock->end, stream) != cudaSuccess ||
        cudaEventSynchronize(clock->end) != cudaSuccess ||
        cudaEventElapsedTime(&ms, clock->begin, clock->end) != cudaSuccess)
        return INFINITY;
    return ms;
}

/* Index of the one to keep, by medians of launches taken in turns; the first launch of each, which
 * loads its kernel, does not count. */
static inline int lt_choose(const struct lt_vendor *v, const struct sg_launch *l,
                            const struct lt_clock *clock,
                            const cublasLtMatmulHeuristicResult_t *found, int count)
{
    float ms[LT_ALGORITHMS][LT_ROUNDS];
    float best = INFINITY;
    for (int round = -1; round < LT_ROUNDS; round++)
        for (int i = 0; i < count; i++)
            ms[i][std::max(round, 0)] = lt_time(v, l, clock, &found[i].algo);
    for (int i = 0; i < count; i++) {
        std::sort(ms[i], ms[i] + LT_ROUNDS);
        best = std::min(best, ms[i][LT_ROUNDS / 2]);
    }
    cudaGetLastError(); /* of a proposal that did not run: it is not kept, so its error does not
                           count */
    for (int i = 0; i < count; i++)
        if (ms[i][LT_ROUNDS / 2] <= best * LT_NEAR && best < INFINITY)
            return i;
    return -1;
}

static inline unsigned lt_config(const struct lt_vendor *v,
                                 cublasLtMatmulAlgoConfigAttributes_t attribute)
{
    uint32_t value = 0;
    size_t written = 0;
    v->call.config_get(&v->algorithm, attribute, &value, sizeof(value), &written);
    return value;
}

/* The library's numbers of its algorithm: cublasLtMatmulTile_t and
 * the like say what they stand for. */
static inline void lt_note(const struct lt_vendor *v, int chosen, int count, struct sg_reason *why)
{
    uint16_t cluster = 0, inner = 0;
    size_t written = 0;
    v->call.config_get(&v->algorithm, CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID, &cluster,
                       sizeof(cluster), &written);
    v->call.config_get(&v->algorithm, CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID, &inner, sizeof(inner),
                       &written);
    snprintf(why->text, sizeof(why->text),
             "cuBLASLt %zu: algorithm %u, tile %u, stages %u, cluster %u, inner %u, split k %u, "
             "swizzle %u, option %u; number %d of %d",
             v->call.version(), lt_config(v, CUBLASLT_ALGO_CONFIG_ID),
             lt_config(v, CUBLASLT_ALGO_CONFIG_TILE_ID),
             lt_config(v, CUBLASLT_ALGO_CONFIG_STAGES_ID), cluster, inner,
             lt_config(v, CUBLASLT_ALGO_CONFIG_SPLITK_NUM),
             lt_config(v, CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING),
             lt_config(v, CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION), chosen + 1, count);
}

static inline enum sg_status lt_find_best(struct lt_vendor *v, const struct sg_launch *l,
                                          struct sg_reason *why)
{
    cublasLtMatmulHeuristicResult_t found[LT_ALGORITHMS] = {};
    struct lt_clock clock = {};
    int count = 0, chosen = -1;
    const cublasStatus_t status = lt_ask(v, found, &count);
    if (status != CUBLAS_STATUS_SUCCESS || count == 0) {
        snprintf(why->text, sizeof(why->text), "cuBLASLt has no algorithm for this case: %s",
                 v->call.text(status));
        return SG_UNSUPPORTED;
    }
    if (cudaEventCreate(&clock.begin) == cudaSuccess && cudaEventCreate(&clock.end) == cudaSuccess)
        chosen = lt_choose(v, l, &clock, found, count);
    if (clock.begin)
        cudaEventDestroy(clock.begin);
    if (clock.end)
        cudaEventDestroy(clock.end);
    if (chosen < 0) {
        snprintf(why->text, sizeof(why->text),
                 "none of the %d algorithms of cuBLASLt could be timed", count);
        return SG_UNSUPPORTED;
    }
    v->algorithm = found[chosen].algo;
    lt_note(v, chosen, count, why);
    return SG_OK;
}

static inline enum sg_status lt_set_up(struct lt_vendor *v, const struct sg_launch *l,
                                       lt_configure *configure, struct sg_reason *why)
{
    if (!v->open(LT_LIBRARY, why) || !lt_find_all(v, why))
        return SG_UNAVAILABLE;
    const enum sg_status allocated =
        v->shared_workspace ? SG_OK : sg_cuda_allocate(&v->workspace, LT_WORKSPACE_BYTES, why);
    if (allocated != SG_OK)
        return allocated;
    const cublasStatus_t status = lt_describe(v, l, configure);
    if (status == CUBLAS_STATUS_SUCCESS)
        return lt_find_best(v, l, why);
    snprintf(why->text, sizeof(why->text), "cuBLASLt: %s", v->call.text(status));
    return status == CUBLAS_STATUS_ALLOC_FAILED ? SG_OOM : SG_UNSUPPORTED;
}

static inline void lt_finish(void *state)
{
    struct lt_vendor *v = (struct lt_vendor *)state;
    for (cublasLtMatrixLayout_t matrix : {v->a, v->b, v->d})
        if (matrix)
            v->call.matrix_destroy(matrix);
    if (v->product)
        v->call.product_destroy(v->product);
    if (v->handle)
        v->call.destroy(v->handle);
    v->close();
    delete v;
}

/*
 * `workspace`: LT_WORKSPACE_BYTES on the device, which stay the caller's until after lt_finish, and
 * which products that never run at once may share; NULL: the product gets its own.
 */
static inline enum sg_status lt_prepare(const struct sg_launch *l, lt_configure *configure,
                                        void *workspace, void **state, struct sg_reason *why)
{
    struct lt_vendor *v = new lt_vendor{};
    v->shared_workspace = workspace;
    const enum sg_status status = lt_set_up(v, l, configure, why);
    if (status == SG_OK)
        *state = v;
    else
        lt_finish(v);
    return status;
}

template <lt_configure *CONFIGURE>
static enum sg_status lt_prepare_as(const struct sg_launch *l, void **state, struct sg_reason *why)
{
    return lt_prepare(l, CONFIGURE, nullptr, state, why);
}

static inline void lt_launch(const struct sg_launch *l)
{
    const struct lt_vendor *v = (const struct lt_vendor *)l->state;
    lt_multiply(v, l, &v->algorithm);
}

#endif

#include "gemm_launch.h"

#include <stdio.h>

#include "gemm_raster.h"
#include "solgate_cuda.h"

struct launch_state {
    gemm_kernel *kernel;
    cudaLaunchConfig_t config;
    cudaLaunchAttribute cluster;
    struct gemm_arguments arguments;
};

/* A matrix of rows as the copy engine sees it, and the box that it moves at a time. */
struct map_request {
    void *memory;
    enum sg_dtype type;
    int64_t rows, columns;
    int box_rows, box_columns;
    CUtensorMapSwizzle swizzle;
};

typedef decltype(&cuTensorMapEncodeTiled) encode_function;

/* From the driver that is loaded already: a module links no libcuda. */
static encode_function find_encode(struct sg_why *why)
{
    void *found = nullptr;
    enum cudaDriverEntryPointQueryResult result;
    const cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result);
    if (error == cudaSuccess && result == cudaDriverEntryPointSuccess)
        return (encode_function)found;
    snprintf(why->text, sizeof(why->text), "the driver has no cuTensorMapEncodeTiled (%s, %d)", cudaGetErrorName(error), (int)result);
    return nullptr;
}

/* Elements as the copy engine knows them: e4m3 are bytes to it. */
static CUtensorMapDataType format_of(enum sg_dtype type)
{
    if (type == SG_E4M3)
        return CU_TENSOR_MAP_DATA_TYPE_UINT8;
    if (type == SG_F32)
        return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    return type == SG_BF16 ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 : CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
}

static int element_bytes(enum sg_dtype type)
{
    return type == SG_E4M3 ? 1 : type == SG_F32 ? 4 : 2;
}

static enum sg_status make_map(const struct map_request *want, CUtensorMap *map, struct sg_why *why)
{
    const encode_function encode = find_encode(why);
    if (!encode)
        return SG_UNAVAILABLE;
    const cuuint64_t size[] = {(cuuint64_t)want->columns, (cuuint64_t)want->rows};
    const cuuint64_t row_bytes[] = {(cuuint64_t)(want->columns * element_bytes(want->type))};
    const cuuint32_t box[] = {(cuuint32_t)want->box_columns, (cuuint32_t)want->box_rows};
    const cuuint32_t steps[] = {1, 1};
    const CUresult result = encode(map, format_of(want->type), 2, want->memory, size, row_bytes, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                   want->swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (result == CUDA_SUCCESS)
        return SG_OK;
    snprintf(why->text, sizeof(why->text), "no tensor map for %lldx%lld in boxes of %dx%d: error %d of the driver", (long long)want->rows,
             (long long)want->columns, want->box_rows, want->box_columns, (int)result);
    return SG_UNSUPPORTED;
}

static enum sg_status make_maps(const struct sg_launch *l, const struct gemm_setup *setup, struct gemm_arguments *g, struct sg_why *why)
{
    const struct sg_case *c = l->c;
    const int64_t m = c->dim[GEMM_M], n = c->dim[GEMM_N], k = c->dim[GEMM_K];
    const int block_rows = setup->tile.m / setup->tile.ctas, block_k = GEMM_ROW_BYTES / element_bytes(c->dtype);
    const struct {
        struct map_request request;
        CUtensorMap *map;
    } maps[] = {
        {{l->buffer[GEMM_A], c->dtype, m, k, block_rows, block_k, CU_TENSOR_MAP_SWIZZLE_128B}, &g->a},
        {{l->buffer[GEMM_B], c->dtype, n, k, setup->tile.n / setup->tile.ctas, block_k, CU_TENSOR_MAP_SWIZZLE_128B}, &g->b},
        {{l->buffer[GEMM_D], gemm_output(c), m, n, GEMM_WARP_ROWS, GEMM_C_COLUMNS, CU_TENSOR_MAP_SWIZZLE_64B}, &g->d},
        {{l->buffer[GEMM_SFA], SG_F32, gemm_scales(k), m, 1, block_rows, CU_TENSOR_MAP_SWIZZLE_NONE}, &g->row_scales},
        {{l->buffer[GEMM_SFB], SG_F32, gemm_scales(n), gemm_sfb_row(k), (int)gemm_scales(setup->tile.n), GEMM_SCALE_BOX,
          CU_TENSOR_MAP_SWIZZLE_NONE},
         &g->column_scales},
    };
    const size_t count = gemm_has_scales(c) ? 5 : 3;
    enum sg_status status = SG_OK;
    for (size_t i = 0; i < count && status == SG_OK; i++)
        status = make_map(&maps[i].request, maps[i].map, why);
    return status;
}

static int parts(int64_t whole, int part)
{
    return (int)((whole + part - 1) / part);
}

static struct gemm_shape shape_of(const struct sg_case *c, const struct gemm_setup *setup)
{
    struct gemm_shape shape = {
        .m = (int)c->dim[GEMM_M],
        .n = (int)c->dim[GEMM_N],
        .tiles_m = parts(c->dim[GEMM_M], setup->tile.m),
        .tiles_n = parts(c->dim[GEMM_N], setup->tile.n),
        .group = setup->group,
        .blocks_k = parts(c->dim[GEMM_K], GEMM_ROW_BYTES / element_bytes(c->dtype)),
        .stages = setup->plan.ab,
        .extra_bytes = setup->extra_bytes,
    };
    shape.tiles = shape.tiles_m * shape.tiles_n;
    return shape;
}

static enum sg_status cuda_failed(struct sg_why *why)
{
    sg_cuda_last_error(why);
    return SG_LAUNCH_FAILED;
}

static enum sg_status choose_grid(struct launch_state *state, const struct gemm_setup *setup, struct sg_why *why)
{
    int clusters = setup->clusters;
    if (clusters == 0) {
        int resident = 0;
        if (cudaOccupancyMaxActiveClusters(&resident, (const void *)setup->kernel, &state->config) != cudaSuccess || resident == 0)
            return cuda_failed(why);
        clusters = gemm_clusters(state->arguments.shape.tiles, resident);
    }
    state->config.gridDim = dim3((unsigned)(clusters * setup->tile.ctas));
    return SG_OK;
}

static bool has_room_for_scales(const struct sg_case *c, const struct gemm_setup *setup, struct sg_why *why)
{
    if (!gemm_has_scales(c) || setup->plan.ab <= GEMM_SCALED_STAGES)
        return true;
    snprintf(why->text, sizeof(why->text), "%d stages of A and B: there is room for the scales of %d", setup->plan.ab, GEMM_SCALED_STAGES);
    return false;
}

static enum sg_status set_up(const struct sg_launch *l, const struct gemm_setup *setup, struct launch_state *state, struct sg_why *why)
{
    const int most = gemm_chip_of(GEMM_HOPPER).smem_bytes;
    const int shared = setup->clamp_shared && setup->plan.smem_bytes > most ? most : setup->plan.smem_bytes;
    const int allowed = shared > most ? shared : most; /* not `shared`: variants of the same kernel and process would take it away */
    const void *kernel = (const void *)setup->kernel;
    if (!has_room_for_scales(l->c, setup, why))
        return SG_UNSUPPORTED;
    state->kernel = setup->kernel;
    state->cluster = {.id = cudaLaunchAttributeClusterDimension};
    state->cluster.val.clusterDim.x = (unsigned)setup->tile.ctas;
    state->cluster.val.clusterDim.y = state->cluster.val.clusterDim.z = 1;
    state->config = {.gridDim = dim3((unsigned)setup->tile.ctas),
                     .blockDim = dim3(GEMM_THREADS),
                     .dynamicSmemBytes = (size_t)shared,
                     .stream = (cudaStream_t)l->stream,
                     .attrs = &state->cluster,
                     .numAttrs = 1};
    state->arguments.shape = shape_of(l->c, setup);
    state->arguments.plain = l->buffer[GEMM_D];
    if (gemm_has_scales(l->c)) {
        state->arguments.plain_row_scales = (const float *)l->buffer[GEMM_SFA];
        state->arguments.plain_column_scales = (const float *)l->buffer[GEMM_SFB];
    }
    if (cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, allowed) != cudaSuccess)
        return cuda_failed(why);
    const enum sg_status status = make_maps(l, setup, &state->arguments, why);
    return status == SG_OK ? choose_grid(state, setup, why) : status;
}

static enum sg_status check_device(struct sg_why *why)
{
    int device = 0, major = 0, minor = 0;
    if (cudaGetDevice(&device) != cudaSuccess || cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess ||
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) != cudaSuccess)
        return cuda_failed(why);
    if (major == 9 && minor == 0)
        return SG_OK;
    snprintf(why->text, sizeof(why->text), "needs compute capability 9.0 (wgmma, setmaxnreg), this device has %d.%d", major, minor);
    return SG_UNSUPPORTED;
}

enum sg_status gemm_prepare_setup(const struct sg_launch *l, const struct gemm_setup *setup, void **state, struct sg_why *why)
{
    enum sg_status status = check_device(why);
    if (status != SG_OK)
        return status;
    struct launch_state *made = new launch_state{};
    status = set_up(l, setup, made, why);
    if (status == SG_OK)
        *state = made;
    else
        delete made;
    return status;
}

void gemm_launch(const struct sg_launch *l)
{
    struct launch_state *state = (struct launch_state *)l->state;
    void *arguments[] = {&state->arguments};
    cudaLaunchKernelExC(&state->config, (const void *)state->kernel, arguments);
}

void gemm_finish(void *state)
{
    delete (struct launch_state *)state;
}

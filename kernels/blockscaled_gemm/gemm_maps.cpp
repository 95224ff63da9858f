#include "gemm_maps.h"

#include <stdio.h>

#include "solgate_cuda.h"

typedef decltype(&cuTensorMapEncodeTiled) encode_function;

/* From the driver that is loaded already: a module links no libcuda. */
static encode_function find_encode(struct sg_reason *why)
{
    void *found = nullptr;
    enum cudaDriverEntryPointQueryResult result;
    const cudaError_t error = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found,
                                                               12000, cudaEnableDefault, &result);
    if (error == cudaSuccess && result == cudaDriverEntryPointSuccess)
        return (encode_function)found;
    snprintf(why->text, sizeof(why->text), "the driver has no cuTensorMapEncodeTiled (%s, %d)",
             cudaGetErrorName(error), (int)result);
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

int gemm_element_bytes(enum sg_dtype type)
{
    return type == SG_E4M3 ? 1 : type == SG_F32 ? 4 : 2;
}

enum sg_status gemm_make_map(const struct gemm_map_request *want, CUtensorMap *map,
                             struct sg_reason *why)
{
    const encode_function encode = find_encode(why);
    if (!encode)
        return SG_UNAVAILABLE;
    const cuuint64_t size[] = {(cuuint64_t)want->columns, (cuuint64_t)want->rows};
    const cuuint64_t row_bytes[] = {(cuuint64_t)(want->columns * gemm_element_bytes(want->type))};
    const cuuint32_t box[] = {(cuuint32_t)want->box_columns, (cuuint32_t)want->box_rows};
    const cuuint32_t steps[] = {1, 1};
    const CUtensorMapL2promotion promotion =
        want->exact ? CU_TENSOR_MAP_L2_PROMOTION_L2_128B : CU_TENSOR_MAP_L2_PROMOTION_L2_256B;
    const CUresult result = encode(map, format_of(want->type), 2, want->memory, size, row_bytes,
                                   box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, want->swizzle,
                                   promotion, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (result == CUDA_SUCCESS)
        return SG_OK;
    snprintf(why->text, sizeof(why->text),
             "no tensor map for %lldx%lld in boxes of %dx%d: error %d of the driver",
             (long long)want->rows, (long long)want->columns, want->box_rows, want->box_columns,
             (int)result);
    return SG_UNSUPPORTED;
}

enum sg_status gemm_cuda_failed(struct sg_reason *why)
{
    return sg_cuda_refused(why);
}

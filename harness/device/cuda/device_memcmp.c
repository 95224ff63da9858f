#include "device/cuda/device_memcmp.h"

#define KERNEL  "sg_compare"
#define BLOCKS  1024 /* more than any device runs at once; each thread goes on until the end */
#define THREADS 256

/* PTX, as in device/cuda/clock_stamp.c. Byte by byte, so that neither alignment nor what follows
 * the arrays matters; it is fast enough by far. */
static const char ptx[] =
    ".version 7.0\n"
    ".target sm_70\n"
    ".address_size 64\n"
    ".visible .entry " KERNEL "(.param .u64 pa, .param .u64 pb, .param .u64 pbytes, .param .u64 pbefore, .param .u64 pfirst)\n"
    "{\n"
    "    .reg .pred %end;\n"
    "    .reg .b64 %a, %b, %bytes, %before, %first, %i, %step, %at;\n"
    "    .reg .b32 %block, %blocks, %threads, %thread, %x, %y;\n"
    "    ld.param.u64 %at, [pa];\n"
    "    cvta.to.global.u64 %a, %at;\n"
    "    ld.param.u64 %at, [pb];\n"
    "    cvta.to.global.u64 %b, %at;\n"
    "    ld.param.u64 %at, [pfirst];\n"
    "    cvta.to.global.u64 %first, %at;\n"
    "    ld.param.u64 %bytes, [pbytes];\n"
    "    ld.param.u64 %before, [pbefore];\n"
    "    mov.u32 %block, %ctaid.x;\n"
    "    mov.u32 %blocks, %nctaid.x;\n"
    "    mov.u32 %threads, %ntid.x;\n"
    "    mov.u32 %thread, %tid.x;\n"
    "    cvt.u64.u32 %at, %thread;\n"
    "    mad.wide.u32 %i, %block, %threads, %at;\n"
    "    mul.wide.u32 %step, %blocks, %threads;\n"
    "next:\n"
    "    setp.ge.u64 %end, %i, %bytes;\n"
    "    @%end bra done;\n"
    "    add.u64 %at, %a, %i;\n"
    "    ld.global.u8 %x, [%at];\n"
    "    add.u64 %at, %b, %i;\n"
    "    ld.global.u8 %y, [%at];\n"
    "    setp.eq.u32 %end, %x, %y;\n"
    "    @%end bra same;\n"
    "    add.u64 %at, %before, %i;\n"
    "    red.global.min.u64 [%first], %at;\n"
    "    bra done;\n" /* the bytes that are left to this thread come later */
    "same:\n"
    "    add.u64 %i, %i, %step;\n"
    "    bra next;\n"
    "done:\n"
    "    ret;\n"
    "}\n";

static CUresult load(struct sg_comparer *comparer, const struct sg_cuda *cuda)
{
    if (comparer->first)
        return CUDA_SUCCESS;
    CUresult result = comparer->module ? CUDA_SUCCESS : cuda->module_load(&comparer->module, ptx);
    if (result == CUDA_SUCCESS)
        result = cuda->module_function(&comparer->kernel, comparer->module, KERNEL);
    if (result == CUDA_SUCCESS)
        result = cuda->memory_alloc(&comparer->first, sizeof(uint64_t));
    return result;
}

enum sg_code sg_comparer_find(struct sg_comparer *comparer, const struct sg_comparison_place *place, const struct sg_stretch *stretches,
                              size_t count, uint64_t *first, struct sg_err *err)
{
    const struct sg_cuda *cuda = place->cuda;
    uint64_t before = 0; /* bytes of the stretches before */
    CUresult result = load(comparer, cuda);
    /* On the stream: an upload may return before its bytes have arrived,
     * and the stream waits for no other. */
    if (result == CUDA_SUCCESS)
        result = cuda->fill32_async(comparer->first, UINT32_MAX, sizeof(*first) / sizeof(uint32_t), place->stream);
    for (size_t i = 0; result == CUDA_SUCCESS && i < count; i++) {
        CUdeviceptr a = (CUdeviceptr)(uintptr_t)stretches[i].to, b = (CUdeviceptr)(uintptr_t)stretches[i].from;
        uint64_t bytes = stretches[i].bytes;
        void *arguments[] = {&a, &b, &bytes, &before, &comparer->first};
        result = cuda->launch(comparer->kernel, BLOCKS, 1, 1, THREADS, 1, 1, 0, place->stream, arguments, NULL);
        before += bytes;
    }
    if (result == CUDA_SUCCESS)
        result = cuda->stream_synchronize(place->stream);
    if (result == CUDA_SUCCESS)
        result = cuda->download(first, comparer->first, sizeof(*first));
    if (result == CUDA_SUCCESS && *first > before)
        *first = before;
    return sg_cuda_check(cuda, result, "comparing arrays", err);
}

void sg_comparer_release(struct sg_comparer *comparer, const struct sg_cuda *cuda)
{
    if (comparer->first)
        cuda->memory_free(comparer->first);
    *comparer = (struct sg_comparer){0};
}

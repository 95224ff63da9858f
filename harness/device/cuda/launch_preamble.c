#include "device/cuda/launch_preamble.h"

#include <assert.h>

#include "device/gate_host.h"

/* cold: multiple of the L2's size; all accepted numbers were measured with this value */
#define WRITTEN_L2S 2
/* clean: part of the buffer may remain in the L2 from the previous flush, up to one L2 size, and
 * reading it again evicts nothing. So three times the L2 brings as much new data as the cold
 * flush writes. The L2's replacement policy is not documented. With a random one, e^-2 of the
 * old contents would stay after twice the size, e^-3 after three times. */
#define READ_L2S 3

#define THREADS 256 /* per block, as in both PTX texts */
/* four loads of 16 bytes for each thread, 4096 bytes apart, as in the PTX */
#define BLOCK_BYTES  16384
#define READ_PATTERN 0x5a5a5a5au /* any word except 0 */

#define LINE_BYTES     128
#define DEMOTER_BLOCKS 4096
#define DEMOTED_BYTES  256 /* table of buffers, as in the second PTX: 16 bytes for each */

/* PTX, as in device/cuda/clock_stamp.c. Each block reads its piece of the buffer once, bypassing
 * L1 (.cg). With all threads of an SM, 128 KiB are in flight; DRAM needs about 30 KiB for its
 * full rate. The store keeps the loads from being removed but never runs: no word of the buffer
 * is 0, which the driver's compiler cannot know. */
static const char ptx[] = ".version 7.0\n"
                          ".target sm_70\n"
                          ".address_size 64\n"
                          ".visible .entry " SG_READER_KERNEL "(.param .u64 buffer)\n"
                          "{\n"
                          "    .reg .pred %never;\n"
                          "    .reg .b64 %at;\n"
                          "    .reg .b32 %block, %thread, %all, %a<4>, %b<4>, %c<4>, %d<4>;\n"
                          "    ld.param.u64 %at, [buffer];\n"
                          "    cvta.to.global.u64 %at, %at;\n"
                          "    mov.u32 %block, %ctaid.x;\n"
                          "    mov.u32 %thread, %tid.x;\n"
                          "    mad.wide.u32 %at, %block, 16384, %at;\n"
                          "    mad.wide.u32 %at, %thread, 16, %at;\n"
                          "    ld.global.cg.v4.b32 {%a0, %b0, %c0, %d0}, [%at+0];\n"
                          "    ld.global.cg.v4.b32 {%a1, %b1, %c1, %d1}, [%at+4096];\n"
                          "    ld.global.cg.v4.b32 {%a2, %b2, %c2, %d2}, [%at+8192];\n"
                          "    ld.global.cg.v4.b32 {%a3, %b3, %c3, %d3}, [%at+12288];\n"
                          "    mov.b32 %all, -1;\n"
                          "    and.b32 %all, %all, %a0;\n"
                          "    and.b32 %all, %all, %b0;\n"
                          "    and.b32 %all, %all, %c0;\n"
                          "    and.b32 %all, %all, %d0;\n"
                          "    and.b32 %all, %all, %a1;\n"
                          "    and.b32 %all, %all, %b1;\n"
                          "    and.b32 %all, %all, %c1;\n"
                          "    and.b32 %all, %all, %d1;\n"
                          "    and.b32 %all, %all, %a2;\n"
                          "    and.b32 %all, %all, %b2;\n"
                          "    and.b32 %all, %all, %c2;\n"
                          "    and.b32 %all, %all, %d2;\n"
                          "    and.b32 %all, %all, %a3;\n"
                          "    and.b32 %all, %all, %b3;\n"
                          "    and.b32 %all, %all, %c3;\n"
                          "    and.b32 %all, %all, %d3;\n"
                          "    setp.eq.u32 %never, %all, 0;\n"
                          "    @%never st.global.b32 [%at], %all;\n"
                          "    ret;\n"
                          "}\n";

/* Lines that a kernel asked the L2 to keep (L2::evict_last) survive both flushes on an H200.
 * After such a launch another kernel found 46 % of the 25 MB that both read. So this kernel
 * demotes every line of the buffers to normal before the flush. Each column of the grid handles
 * one buffer. */
static const char demoter_ptx[] =
    ".version 7.4\n"
    ".target sm_80\n"
    ".address_size 64\n"
    ".visible .entry " SG_DEMOTER_KERNEL "(.param .align 8 .b8 all[256])\n"
    "{\n"
    "    .reg .pred %done;\n"
    "    .reg .b64 %entry, %first, %lines, %line, %step, %at;\n"
    "    .reg .b32 %buffer, %block, %blocks, %thread;\n"
    "    mov.u32 %buffer, %ctaid.y;\n"
    "    mul.wide.u32 %at, %buffer, 16;\n"
    "    mov.b64 %entry, all;\n"
    "    add.u64 %entry, %entry, %at;\n"
    "    ld.param.u64 %first, [%entry];\n"
    "    ld.param.u64 %lines, [%entry+8];\n"
    "    cvta.to.global.u64 %first, %first;\n"
    "    mov.u32 %block, %ctaid.x;\n"
    "    mov.u32 %blocks, %nctaid.x;\n"
    "    mov.u32 %thread, %tid.x;\n"
    "    cvt.u64.u32 %line, %thread;\n"
    "    mad.wide.u32 %line, %block, 256, %line;\n"
    "    mul.wide.u32 %step, %blocks, 256;\n"
    "NEXT:\n"
    "    setp.ge.u64 %done, %line, %lines;\n"
    "    @%done bra END;\n"
    "    shl.b64 %at, %line, 7;\n"
    "    add.u64 %at, %at, %first;\n"
    "    applypriority.global.L2::evict_normal [%at], 128;\n"
    "    add.u64 %line, %line, %step;\n"
    "    bra NEXT;\n"
    "END:\n"
    "    ret;\n"
    "}\n";

struct demoted {
    uint64_t first, lines; /* for one buffer: its address, and its number of lines */
};

static_assert(sizeof(struct demoted[SG_MAX_BUFFERS]) == DEMOTED_BYTES, "as the text above has it");

/* GPUs before sm_80 keep no lines and lack the instruction. */
static CUresult prepare_demoter(struct sg_cuda_work *work)
{
    const CUresult result = work->cuda->module_load(&work->demoter_module, demoter_ptx);
    if (result == CUDA_ERROR_NO_BINARY_FOR_GPU || result == CUDA_ERROR_INVALID_PTX)
        return CUDA_SUCCESS;
    return result == CUDA_SUCCESS ? work->cuda->module_function(
                                        &work->demoter, work->demoter_module, SG_DEMOTER_KERNEL)
                                  : result;
}

static bool demotes(const struct sg_cuda_work *work, const struct sg_runnable *what)
{
    return work->demoter && what->buffer_count > 0;
}

static CUresult demote(const struct sg_cuda_work *work, const struct sg_runnable *what)
{
    struct demoted all[SG_MAX_BUFFERS] = {{0}};
    uint64_t most = 0;
    if (!demotes(work, what))
        return CUDA_SUCCESS;
    for (size_t i = 0; i < what->buffer_count; i++) {
        all[i].first = (uint64_t)(uintptr_t)what->launch.buffer[i];
        all[i].lines = (what->buffer_bytes[i] + LINE_BYTES - 1) / LINE_BYTES;
        most = all[i].lines > most ? all[i].lines : most;
    }
    const uint64_t blocks = (most + THREADS - 1) / THREADS;
    void *arguments[] = {all};
    return work->cuda->launch(
        work->demoter, (unsigned)(blocks < DEMOTER_BLOCKS ? blocks : DEMOTER_BLOCKS),
        (unsigned)what->buffer_count, 1, THREADS, 1, 1, 0, work->stream, arguments, NULL);
}

/* Written once here: the first flush evicts the dirty lines, and no reported launch follows that
 * flush. */
static CUresult prepare_reader(struct sg_cuda_work *work)
{
    const struct sg_cuda *cuda = work->cuda;
    CUresult result = cuda->module_load(&work->module, ptx);
    SG_THEN(result, cuda->module_function(&work->reader, work->module, SG_READER_KERNEL));
    SG_THEN(result, cuda->fill32_async(work->flush, READ_PATTERN,
                                       work->flush_bytes / sizeof(uint32_t), work->stream));
    return result;
}

void sg_cuda_forget_window(const struct sg_cuda_work *work)
{
    static const CUstreamAttrValue none = {0};
    /* A device without access policy windows returns an error, and needs no reset. */
    work->cuda->stream_set_attribute(work->stream, CU_STREAM_ATTRIBUTE_ACCESS_POLICY_WINDOW, &none);
}

enum sg_code sg_cuda_work_begin(struct sg_cuda_work *work, enum sg_l2 l2, uint64_t l2_bytes,
                                struct sg_err *err)
{
    work->l2 = l2;
    sg_cuda_forget_window(work);
    /* Unpins lines of an earlier program in the L2. Not done during counting, because counters
     * include this work of the device. */
    work->cuda->context_reset_l2();
    if (l2 == SG_L2_WARM)
        return SG_SUCCESS;
    if (l2 == SG_L2_CLEAN)
        work->flush_bytes = (READ_L2S * l2_bytes + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
    else
        work->flush_bytes = WRITTEN_L2S * l2_bytes;
    CUresult result = prepare_demoter(work);
    SG_THEN(result, work->cuda->memory_alloc(&work->flush, work->flush_bytes));
    if (result == CUDA_SUCCESS && l2 == SG_L2_CLEAN)
        result = prepare_reader(work);
    return sg_cuda_check(work->cuda, result, "preparing the L2 flush", err);
}

void sg_cuda_work_release(struct sg_cuda_work *work)
{
    if (work->flush)
        work->cuda->memory_free(work->flush);
    work->flush = 0;
}

static CUresult flush(struct sg_cuda_work *work)
{
    if (work->l2 == SG_L2_WARM)
        return CUDA_SUCCESS;
    if (work->l2 == SG_L2_COLD)
        return work->cuda->fill32_async(work->flush, work->flush_pattern++,
                                        work->flush_bytes / sizeof(uint32_t), work->stream);
    void *arguments[] = {&work->flush};
    return work->cuda->launch(work->reader, (unsigned)(work->flush_bytes / BLOCK_BYTES), 1, 1,
                              THREADS, 1, 1, 0, work->stream, arguments, NULL);
}

CUresult sg_cuda_restore(const struct sg_cuda_work *work, const struct sg_runnable *what)
{
    CUresult result = CUDA_SUCCESS;
    for (size_t i = 0; result == CUDA_SUCCESS && i < what->restore_count; i++)
        result = work->cuda->copy_async((CUdeviceptr)(uintptr_t)what->restore[i].to,
                                        (CUdeviceptr)(uintptr_t)what->restore[i].from,
                                        what->restore[i].bytes, work->stream);
    return result;
}

CUresult sg_cuda_prepare_launch(struct sg_cuda_work *work, const struct sg_runnable *what)
{
    CUresult result = sg_cuda_restore(work, what);
    SG_THEN(result, demote(work, what));
    return result == CUDA_SUCCESS ? flush(work) : result;
}

CUresult sg_cuda_take_returned(struct sg_cuda_work *work, const struct sg_runnable *what)
{
    CUresult result = CUDA_SUCCESS;
    for (size_t i = 0; sg_gate_host && result == CUDA_SUCCESS && i < what->buffer_count; i++) {
        if (!sg_gate_host->returned[i])
            continue;
        result = work->cuda->copy_async((CUdeviceptr)(uintptr_t)what->launch.buffer[i],
                                        (CUdeviceptr)(uintptr_t)sg_gate_host->returned[i],
                                        what->buffer_bytes[i], work->stream);
        work->checks[SG_ACTIVITY_COPY]++;
        sg_gate_host->returned[i] = NULL;
    }
    return result;
}

void sg_cuda_work_count(const struct sg_cuda_work *work, const struct sg_runnable *what,
                        unsigned enqueued[SG_ACTIVITY_KINDS])
{
    enqueued[SG_ACTIVITY_COPY] += (unsigned)what->restore_count;
    enqueued[SG_ACTIVITY_SET] += work->l2 == SG_L2_COLD ? 1 : 0;
    enqueued[SG_ACTIVITY_KERNEL] += sg_cuda_kernels_before(work, what);
}

unsigned sg_cuda_kernels_before(const struct sg_cuda_work *work, const struct sg_runnable *what)
{
    return (work->l2 == SG_L2_CLEAN ? 1 : 0) + (demotes(work, what) ? 1 : 0);
}

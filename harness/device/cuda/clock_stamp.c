#include "device/cuda/clock_stamp.h"

/* PTX, so that the driver of any GPU can load it. */
static const char ptx[] =
    ".version 7.0\n"
    ".target sm_70\n"
    ".address_size 64\n"
    ".visible .entry " SG_STAMP_KERNEL "(.param .u64 slot, .param .u64 spin)\n"
    "{\n"
    "    .reg .pred %early;\n"
    "    .reg .b64 %at, %generic, %cycles, %ns, %begin, %spin;\n"
    "    .reg .b32 %sm;\n"
    "    ld.param.u64 %spin, [spin];\n"
    "    mov.u64 %begin, %globaltimer;\n"
    "AGAIN:\n"
    "    mov.u64 %ns, %globaltimer;\n"
    "    sub.u64 %ns, %ns, %begin;\n"
    "    setp.lt.u64 %early, %ns, %spin;\n"
    "    @%early bra AGAIN;\n"
    "    ld.param.u64 %generic, [slot];\n"
    "    cvta.to.global.u64 %at, %generic;\n"
    "    mov.u64 %cycles, %clock64;\n"
    "    mov.u64 %ns, %globaltimer;\n"
    "    mov.u32 %sm, %smid;\n"
    "    st.global.u64 [%at], %cycles;\n"
    "    st.global.u64 [%at+8], %ns;\n"
    "    st.global.u32 [%at+16], %sm;\n"
    "    ret;\n"
    "}\n";

enum sg_code sg_stamper_init(struct sg_stamper *stamper, const struct sg_cuda *cuda,
                             struct sg_err *err)
{
    CUresult result = cuda->module_load(&stamper->module, ptx);
    SG_THEN(result, cuda->module_function(&stamper->kernel, stamper->module, SG_STAMP_KERNEL));
    SG_THEN(result, cuda->memory_alloc(&stamper->slots, SG_MAX_STAMPS * sizeof(struct sg_stamp)));
    return sg_cuda_check(cuda, result, "loading the clock stamp", err);
}

void sg_stamper_release(struct sg_stamper *stamper, const struct sg_cuda *cuda)
{
    if (stamper->slots)
        cuda->memory_free(stamper->slots);
    *stamper = (struct sg_stamper){0};
}

CUresult sg_stamper_mark(const struct sg_stamper *stamper, const struct sg_cuda *cuda,
                         CUstream stream, unsigned index, uint64_t spin_ns)
{
    CUdeviceptr slot = stamper->slots + index * sizeof(struct sg_stamp);
    void *arguments[] = {&slot, &spin_ns};
    return cuda->launch(stamper->kernel, 1, 1, 1, 1, 1, 1, 0, stream, arguments, NULL);
}

double sg_stamp_clock(const struct sg_stamp *first, const struct sg_stamp *last)
{
    if (first->sm != last->sm || last->ns <= first->ns || last->cycles <= first->cycles)
        return 0;
    return (double)(last->cycles - first->cycles) / (double)(last->ns - first->ns) * 1e9;
}

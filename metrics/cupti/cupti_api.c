#include "cupti/cupti_api.h"

#include "util/dynlib.h"

static const struct sg_symbol symbols[] = {
#define X(field, symbol, arguments) {symbol, offsetof(struct sg_cupti, field)},
    SG_CUPTI_TABLE(X)
#undef X
};

/* Remedies of failures that a user can fix. */
static const struct {
    CUptiResult result;
    const char *remedy;
} remedies[] = {
    {CUPTI_ERROR_INSUFFICIENT_PRIVILEGES,
     "counters are for administrators only here: run as root, give the container CAP_SYS_ADMIN, or "
     "load the driver with "
     "NVreg_RestrictProfilingToAdminUsers=0"},
    {CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES,
     "the hypervisor must switch profiling on for this virtual GPU (enable_profiling=1)"},
    {CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, "this virtual GPU has no counters"},
    {CUPTI_ERROR_HARDWARE_BUSY, "another profiler holds the counters; with DCGM: dcgmi profile "
                                "--pause, and --resume afterwards"},
    {CUPTI_ERROR_NOT_INITIALIZED,
     "libcupti does not fit the driver: use the CUPTI of the driver's CUDA version"},
    {CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED,
     "another CUPTI client is in this process (a profiler, NVTX_INJECTION64_PATH): remove it"},
};

enum sg_code sg_cupti_open(struct sg_cupti *cupti, struct sg_err *err)
{
    static const char *const names[] = {"libcupti.so.13", "libcupti.so", NULL};
    if (sg_dynlib_open(names, &cupti->library, err) != SG_SUCCESS)
        return err->code;
    return sg_dynlib_bind(cupti->library, names[0], symbols, sizeof(symbols) / sizeof(symbols[0]),
                          cupti, err);
}

void sg_cupti_close(struct sg_cupti *cupti)
{
    /* Never unloaded: libcupti has hooked the driver, which would keep calling it. A second copy
     * would be another subscriber. */
    *cupti = (struct sg_cupti){0};
}

enum sg_code sg_cupti_check(const struct sg_cupti *cupti, CUptiResult result, const char *call,
                            struct sg_err *err)
{
    if (result == CUPTI_SUCCESS)
        return SG_SUCCESS;
    const char *text = NULL;
    if (cupti->result_string(result, &text) != CUPTI_SUCCESS || !text)
        text = "an error without a name in this CUPTI";
    for (size_t i = 0; i < sizeof(remedies) / sizeof(remedies[0]); i++) {
        if (remedies[i].result == result)
            return sg_fail(err, SG_INVALID, call, "%d %s: %s", (int)result, text,
                           remedies[i].remedy);
    }
    return sg_fail(err, SG_INVALID, call, "%d %s", (int)result, text);
}

#include "device/cuda/driver.h"

#include <stdio.h>

#include "util/dynlib.h"

static const struct sg_symbol symbols[] = {
#define X(field, symbol, arguments) {symbol, offsetof(struct sg_cuda, field)},
    SG_CUDA_TABLE(X)
#undef X
};

static enum sg_code load(struct sg_cuda *cuda, struct sg_err *err)
{
    static const char *const names[] = {"libcuda.so.1", "libcuda.so", NULL};
    struct sg_err cause = {0};
    if (sg_dynlib_open(names, &cuda->library, &cause) != SG_SUCCESS)
        return sg_fail(err, SG_NO_GPU, "libcuda.so.1",
                       "no NVIDIA driver on the loader's path; does `nvidia-smi` find a GPU here?");
    if (sg_dynlib_bind(cuda->library, "libcuda.so.1", symbols, sizeof(symbols) / sizeof(symbols[0]),
                       cuda, &cause) != SG_SUCCESS)
        return sg_fail(err, SG_NO_GPU, cause.where, "%s; the driver must be of CUDA 12.3 or newer",
                       cause.message);
    return SG_SUCCESS;
}

enum sg_code sg_cuda_open(struct sg_cuda *cuda, struct sg_err *err)
{
    if (load(cuda, err) != SG_SUCCESS)
        return err->code;
    CUresult result = cuda->init(0);
    struct sg_reason why;
    if (result != CUDA_SUCCESS) {
        sg_cuda_words(cuda, result, &why);
        return sg_fail(err, SG_NO_GPU, "cuInit", "the NVIDIA driver found no usable GPU: %s",
                       why.text);
    }
    int count = 0;
    result = cuda->device_count(&count);
    if (result != CUDA_SUCCESS || count == 0)
        return sg_fail(
            err, SG_NO_GPU, "cuDeviceGetCount",
            "no CUDA device is visible (CUDA_VISIBLE_DEVICES hides them, or there is none)");
    return SG_SUCCESS;
}

void sg_cuda_close(struct sg_cuda *cuda)
{
    sg_dynlib_close(cuda->library);
    *cuda = (struct sg_cuda){0};
}

void sg_cuda_words(const struct sg_cuda *cuda, CUresult result, struct sg_reason *why)
{
    const char *name = NULL, *text = NULL;
    if (cuda->error_name(result, &name) != CUDA_SUCCESS || !name)
        name = "an error without a name in this driver";
    if (cuda->error_text(result, &text) != CUDA_SUCCESS || !text)
        text = "";
    snprintf(why->text, sizeof(why->text), "%d %s: %s", (int)result, name, text);
}

enum sg_code sg_cuda_check(const struct sg_cuda *cuda, CUresult result, const char *call,
                           struct sg_err *err)
{
    if (result == CUDA_SUCCESS)
        return SG_SUCCESS;
    struct sg_reason why;
    sg_cuda_words(cuda, result, &why);
    return sg_fail(err, SG_INVALID, call, "%s", why.text);
}

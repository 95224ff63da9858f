#include "device/cuda/launch_check.h"

#include <stddef.h>
#include <string.h>

#include "device/launch_activity.h"
#include "device/launch_check_internal.h"

/*
 * The compiled kernels of device/cuda/launch_check.cu; the build makes it
 * (cmake/SolgateDeviceCode.cmake).
 */
extern const unsigned char sg_launch_check_code[];

static CUresult load(struct sg_launch_checker *checker)
{
    static const char *const names[SG_CHECK_KINDS] = {
#define X(constant, name, words) [constant] = SG_CHECK_KERNELS #name,
        SG_CHECK_TABLE(X)
#undef X
    };
    const struct sg_cuda *cuda = checker->cuda;
    if (checker->found)
        return CUDA_SUCCESS;
    CUresult result = checker->module ? CUDA_SUCCESS : cuda->module_load(&checker->module, sg_launch_check_code);
    for (size_t i = 0; result == CUDA_SUCCESS && i < SG_CHECK_KINDS; i++)
        result = cuda->module_function(&checker->kernel[i], checker->module, names[i]);
    SG_THEN(result, cuda->module_function(&checker->comparison, checker->module, SG_CHECK_KERNELS "compare"));
    SG_THEN(result, cuda->memory_alloc(&checker->found, sizeof(struct sg_check_found)));
    SG_THEN(result, cuda->fill32_async(checker->found, 0, sizeof(struct sg_check_found) / sizeof(uint32_t), checker->stream));
    return result;
}

enum sg_code sg_launch_checker_load(struct sg_launch_checker *checker, struct sg_err *err)
{
    return sg_cuda_check(checker->cuda, load(checker), "loading the kernels of the launch check", err);
}

/* What a kernel is given: requests of its kind. */
union given {
#define X(constant, name, words) struct sg_##name##_requests name;
    SG_CHECK_TABLE(X)
#undef X
};

/* Puts the requests together; returns the blocks of the one that needs most. */
static unsigned gather(enum sg_check_kind kind, const void *requests, size_t count, union given *given)
{
    unsigned most = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned blocks = 0;
        switch (kind) {
#define X(constant, name, words)                                       \
    case constant:                                                     \
        given->name.item[i] = ((const struct sg_##name *)requests)[i]; \
        blocks = sg_##name##_blocks(&given->name.item[i]);             \
        break;
            SG_CHECK_TABLE(X)
#undef X
        default:
            break;
        }
        most = blocks > most ? blocks : most;
    }
    return most;
}

enum sg_code sg_launch_checker_do(struct sg_launch_checker *checker, enum sg_check_kind kind, const void *requests, size_t count,
                                  struct sg_err *err)
{
    static const char *const words[SG_CHECK_KINDS] = {
#define X(constant, name, text) [constant] = (text),
        SG_CHECK_TABLE(X)
#undef X
    };
    union given given;
    memset(&given, 0, sizeof(given));
    const unsigned blocks = gather(kind, requests, count, &given);
    void *arguments[] = {&given, &checker->found};
    CUresult result = load(checker);
    if (result == CUDA_SUCCESS && count > 0)
        result = checker->cuda->launch(checker->kernel[kind], blocks, (unsigned)count, 1, SG_CHECK_THREADS, 1, 1, 0, checker->stream,
                                       arguments, NULL);
    return sg_cuda_check(checker->cuda, result, words[kind], err);
}

enum sg_code sg_launch_checker_compare(struct sg_launch_checker *checker, const struct sg_stretch *stretches, size_t count, uint64_t *first,
                                       struct sg_err *err)
{
    const struct sg_cuda *cuda = checker->cuda;
    uint64_t before = 0; /* bytes of the stretches before */
    CUresult result = load(checker);
    const CUdeviceptr found = checker->found + offsetof(struct sg_check_found, first_difference);
    /* On the stream: an upload may return before its bytes have arrived, and the stream waits for
     * no other. */
    SG_THEN(result, cuda->fill32_async(found, UINT32_MAX, sizeof(*first) / sizeof(uint32_t), checker->stream));
    for (size_t i = 0; result == CUDA_SUCCESS && i < count; i++) {
        CUdeviceptr a = (CUdeviceptr)(uintptr_t)stretches[i].to, b = (CUdeviceptr)(uintptr_t)stretches[i].from;
        uint64_t bytes = stretches[i].bytes;
        void *arguments[] = {&a, &b, &bytes, &before, &checker->found};
        result = cuda->launch(checker->comparison, SG_CHECK_BLOCKS, 1, 1, SG_CHECK_THREADS, 1, 1, 0, checker->stream, arguments, NULL);
        before += bytes;
    }
    SG_THEN(result, cuda->stream_synchronize(checker->stream));
    SG_THEN(result, cuda->download(first, found, sizeof(*first)));
    if (result == CUDA_SUCCESS && *first > before)
        *first = before;
    return sg_cuda_check(cuda, result, "comparing arrays", err);
}

void sg_launch_checker_release(struct sg_launch_checker *checker)
{
    if (checker->found)
        checker->cuda->memory_free(checker->found);
    *checker = (struct sg_launch_checker){.cuda = checker->cuda, .stream = checker->stream};
}

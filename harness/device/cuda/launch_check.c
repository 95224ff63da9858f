#include "device/cuda/launch_check.h"

#include "device/launch_check_internal.h"

/*
 * The compiled kernels of device/cuda/launch_check.cu; the build makes it
 * (cmake/SolgateDeviceCode.cmake).
 */
extern const unsigned char sg_launch_check_code[];

static CUresult load(struct sg_launch_checker *checker)
{
    static const char *const names[SG_CHECK_KERNEL_COUNT] = {
#define X(constant, name) [constant] = SG_CHECK_KERNELS name,
        SG_CHECK_KERNEL_TABLE(X)
#undef X
    };
    const struct sg_cuda *cuda = checker->cuda;
    if (checker->found)
        return CUDA_SUCCESS;
    CUresult result = checker->module ? CUDA_SUCCESS : cuda->module_load(&checker->module, sg_launch_check_code);
    for (size_t i = 0; result == CUDA_SUCCESS && i < SG_CHECK_KERNEL_COUNT; i++)
        result = cuda->module_function(&checker->kernel[i], checker->module, names[i]);
    if (result == CUDA_SUCCESS)
        result = cuda->memory_alloc(&checker->found, sizeof(struct sg_check_found));
    if (result == CUDA_SUCCESS)
        result = cuda->fill32_async(checker->found, 0, sizeof(struct sg_check_found) / sizeof(uint32_t), checker->stream);
    return result;
}

enum sg_code sg_launch_checker_load(struct sg_launch_checker *checker, struct sg_err *err)
{
    return sg_cuda_check(checker->cuda, load(checker), "loading the kernels of the launch check", err);
}

/* A kernel, and the requests that it is given; `blocks` of the one that needs most. */
struct work {
    enum sg_check_kernel kernel;
    void *requests;
    size_t count;
    unsigned blocks;
    const char *what; /* for the message of an error */
};

static enum sg_code launch(struct sg_launch_checker *checker, const struct work *work, struct sg_err *err)
{
    void *arguments[] = {work->requests, &checker->found};
    CUresult result = load(checker);
    if (result == CUDA_SUCCESS && work->count > 0)
        result = checker->cuda->launch(checker->kernel[work->kernel], work->blocks, (unsigned)work->count, 1, SG_CHECK_THREADS, 1, 1, 0,
                                       checker->stream, arguments, NULL);
    return sg_cuda_check(checker->cuda, result, work->what, err);
}

/* request, array of them, kernel, words */
#define CHECKER_TABLE(X)                                                      \
    X(refill, refills, SG_CHECK_REFILL, "refilling inputs")                   \
    X(scramble, scrambles, SG_CHECK_SCRAMBLE, "scrambling outputs")           \
    X(keep, keeps, SG_CHECK_KEEP, "keeping outputs")                          \
    X(match, matches, SG_CHECK_MATCH, "comparing outputs with what was kept") \
    X(seal, seals, SG_CHECK_SEAL, "taking codes of outputs")

#define X(request, array, constant, words)                                                                                      \
    enum sg_code sg_launch_checker_##request(struct sg_launch_checker *checker, const struct sg_##request *array, size_t count, \
                                             struct sg_err *err)                                                                \
    {                                                                                                                           \
        struct sg_##array all = {.item = {{0}}};                                                                                \
        struct work work = {.kernel = (constant), .requests = &all, .count = count, .what = (words)};                           \
        for (size_t i = 0; i < count; i++) {                                                                                    \
            const unsigned blocks = sg_##request##_blocks(&array[i]);                                                           \
            all.item[i] = array[i];                                                                                             \
            work.blocks = blocks > work.blocks ? blocks : work.blocks;                                                          \
        }                                                                                                                       \
        return launch(checker, &work, err);                                                                                     \
    }
CHECKER_TABLE(X)
#undef X

void sg_launch_checker_release(struct sg_launch_checker *checker)
{
    if (checker->found)
        checker->cuda->memory_free(checker->found);
    *checker = (struct sg_launch_checker){.cuda = checker->cuda, .stream = checker->stream};
}

#include "device/cuda/launch_check.h"

#include "device/launch_check_internal.h"

/*
 * The compiled kernels of device/cuda/launch_check.cu; the build makes it (cmake/SolgateDeviceCode.cmake).
 */
extern const unsigned char sg_launch_check_code[];

#define VECTOR_BYTES 16u

static CUresult load(struct sg_launch_checker *checker)
{
    static const char *const names[SG_CHECK_KERNEL_COUNT] = {
#define X(constant, name) [constant] = SG_CHECK_KERNELS name,
        SG_CHECK_KERNEL_TABLE(X)
#undef X
    };
    const struct sg_cuda *cuda = checker->cuda;
    if (checker->partials)
        return CUDA_SUCCESS;
    CUresult result = checker->module ? CUDA_SUCCESS : cuda->module_load(&checker->module, sg_launch_check_code);
    for (size_t i = 0; result == CUDA_SUCCESS && i < SG_CHECK_KERNEL_COUNT; i++)
        result = cuda->module_function(&checker->kernel[i], checker->module, names[i]);
    if (result == CUDA_SUCCESS)
        result = cuda->memory_alloc(&checker->partials, SG_CHECK_BLOCKS * sizeof(struct sg_mismatch));
    return result;
}

/* A thread takes so many things at a time, such as vectors. */
static unsigned blocks_for(uint64_t things)
{
    const uint64_t each = (uint64_t)SG_CHECK_THREADS * SG_CHECK_LOADS, blocks = (things + each - 1) / each;
    return blocks < 1 ? 1 : blocks < SG_CHECK_BLOCKS ? (unsigned)blocks : SG_CHECK_BLOCKS;
}

static unsigned blocks_for_bytes(uint64_t bytes)
{
    return blocks_for(bytes / VECTOR_BYTES);
}

static CUresult launch(const struct sg_launch_checker *checker, enum sg_check_kernel kernel, unsigned blocks, void **arguments)
{
    return checker->cuda->launch(checker->kernel[kernel], blocks, 1, 1, SG_CHECK_THREADS, 1, 1, 0, checker->stream, arguments, NULL);
}

enum sg_code sg_launch_checker_load(struct sg_launch_checker *checker, struct sg_err *err)
{
    return sg_cuda_check(checker->cuda, load(checker), "loading the kernels of the launch check", err);
}

enum sg_code sg_launch_checker_refill(struct sg_launch_checker *checker, const struct sg_refill *refill, struct sg_err *err)
{
    struct sg_refill request = *refill;
    void *arguments[] = {&request};
    CUresult result = load(checker);
    if (result == CUDA_SUCCESS)
        result = launch(checker, SG_CHECK_REFILL, blocks_for_bytes(request.bytes), arguments);
    return sg_cuda_check(checker->cuda, result, "refilling an input", err);
}

enum sg_code sg_launch_checker_scramble(struct sg_launch_checker *checker, const struct sg_scramble *scramble, struct sg_err *err)
{
    struct sg_scramble request = *scramble;
    void *arguments[] = {&request};
    CUresult result = load(checker);
    if (result == CUDA_SUCCESS)
        result = launch(checker, SG_CHECK_SCRAMBLE, blocks_for(request.count / 2), arguments);
    return sg_cuda_check(checker->cuda, result, "scrambling an output", err);
}

/*
 * `all` finds, block by block, and `sum` adds up. Both take the request, the partial results and,
 * the second one, how many there are.
 */
static CUresult launch_both(struct sg_launch_checker *checker, enum sg_check_kernel all, enum sg_check_kernel sum, unsigned blocks,
                            void *request)
{
    void *arguments[] = {request, &checker->partials, &blocks};
    CUresult result = load(checker);
    if (result == CUDA_SUCCESS)
        result = launch(checker, all, blocks, arguments);
    return result == CUDA_SUCCESS ? launch(checker, sum, 1, arguments) : result;
}

enum sg_code sg_launch_checker_keep(struct sg_launch_checker *checker, const struct sg_keep *keep, struct sg_err *err)
{
    struct sg_keep request = *keep;
    const unsigned blocks = blocks_for_bytes(sg_bytes_of(keep->dtype, keep->count));
    return sg_cuda_check(checker->cuda, launch_both(checker, SG_CHECK_KEEP, SG_CHECK_KEEP_SUM, blocks, &request), "keeping an output", err);
}

enum sg_code sg_launch_checker_match(struct sg_launch_checker *checker, const struct sg_match *match, struct sg_err *err)
{
    struct sg_match request = *match;
    const unsigned blocks = blocks_for_bytes(sg_bytes_of(match->dtype, match->count));
    return sg_cuda_check(checker->cuda, launch_both(checker, SG_CHECK_MATCH, SG_CHECK_MATCH_SUM, blocks, &request),
                         "comparing an output with what was kept", err);
}

void sg_launch_checker_release(struct sg_launch_checker *checker)
{
    if (checker->partials)
        checker->cuda->memory_free(checker->partials);
    *checker = (struct sg_launch_checker){.cuda = checker->cuda, .stream = checker->stream};
}

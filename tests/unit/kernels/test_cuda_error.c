/* solgate_cuda_error.h: which outcome an error of CUDA is, without a GPU. */
#include "check.h"
#include "scratch.h"

#include "solgate_cuda_error.h"

TEST(each_error_is_its_outcome)
{
    static const struct {
        const char *proves;
        int error;
        enum sg_status at_launch, waited_for;
    } table[] = {
        {"no error", 0, SG_OK, SG_OK},
        {"cudaErrorMemoryAllocation is want of memory, wherever it shows", 2, SG_OOM, SG_OOM},
        {"cudaErrorInvalidValue of a launch: it was refused", 1, SG_LAUNCH_FAILED, SG_CUDA_ERROR},
        {"cudaErrorInvalidConfiguration", 9, SG_LAUNCH_FAILED, SG_CUDA_ERROR},
        {"too many registers a block: nothing ran", 701, SG_LAUNCH_FAILED, SG_LAUNCH_FAILED},
        {"a grid too large to be cooperative: nothing ran", 720, SG_LAUNCH_FAILED,
         SG_LAUNCH_FAILED},
        {"an illegal address that the next launch finds is a fault", 700, SG_CUDA_ERROR,
         SG_CUDA_ERROR},
        {"a misaligned one", 716, SG_CUDA_ERROR, SG_CUDA_ERROR},
        {"cudaErrorLaunchFailure is the kernel's", 719, SG_CUDA_ERROR, SG_CUDA_ERROR},
        {"no image for this GPU: it cannot run here", 209, SG_UNSUPPORTED, SG_UNSUPPORTED},
        {"PTX that the driver is too old for", 222, SG_UNSUPPORTED, SG_UNSUPPORTED},
    };
    for (size_t i = 0; i < COUNT(table); i++) {
        print_message("  %s\n", table[i].proves);
        assert_int_equal(sg_cuda_status(table[i].error, SG_LAUNCH_FAILED), table[i].at_launch);
        assert_int_equal(sg_cuda_status(table[i].error, SG_CUDA_ERROR), table[i].waited_for);
    }
}

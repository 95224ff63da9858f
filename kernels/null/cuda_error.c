/*
 * null/cuda_error - it faults while it runs, as with an address that is not mapped.
 */
#include "faults.h"

NULL_BROKEN(cuda_error, "fault@any", .summary = "faults while it runs", .expect = SG_CUDA_ERROR);

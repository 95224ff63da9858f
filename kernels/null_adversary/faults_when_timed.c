/*
 * null_adversary/faults_when_timed - it faults on the device while it is timed, which takes the
 * context along.
 */
#include "null_adversary.h"

ADVERSARY_VARIANT(faults_when_timed, "fault@time", struct adversary, .summary = "right, then faults while it is timed",
                  .expect = SG_CUDA_ERROR, .launch = adversary_launch);

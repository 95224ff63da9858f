/*
 * injected/work_025 - 0.25 % more work: turns of the chain, or bytes each way.
 *
 * Against exact: sectors and DRAM bytes of a copy grow by 0.25 %, its time by nearly as much. A
 * chain gets 0.25 % of its whole time in turns.
 */
#include "injected.cuh"

SG_VARIANT(injected, work_025) = {
    .summary = "0.25 % more turns or bytes than exact",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .launch = injected_work<25>,
};

/*
 * injected/work_100 - 1 % more work: turns of the chain, or bytes each way.
 *
 * Against exact: sectors and DRAM bytes of a copy grow by 1 %, its time by nearly as much. A chain
 * gets 1 % of its whole time in turns.
 */
#include "injected.cuh"

SG_VARIANT(injected, work_100) = {
    .summary = "1 % more turns or bytes than exact",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .launch = injected_work<100>,
};

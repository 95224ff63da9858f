/*
 * injected/work_050 - 0.5 % more work: turns of the chain, or bytes each way.
 *
 * Against exact: sectors and DRAM bytes of a copy grow by 0.5 %, its time by nearly as much. A
 * chain gets 0.5 % of its whole time in turns.
 */
#include "injected.cuh"

SG_VARIANT(injected, work_050) = {
    .summary = "0.5 % more turns or bytes than exact",
    .role = SG_CANDIDATE,
    .deterministic = true,
    .launch = injected_work<50>,
};

/*
 * adversary/right_without_cupti - it works only where nobody has loaded CUPTI: where no times are
 * taken and nothing is counted.
 */
#include "adversary.h"
#include "adversary_patch.h"

static const char *const cupti[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};

static void launch(const struct sg_launch *l)
{
    if (adversary_loaded(cupti, sizeof(cupti) / sizeof(cupti[0]), "cuptiActivityEnable"))
        adversary_constant(l);
    else
        adversary_compute(l);
}

SG_VARIANT(adversary, right_without_cupti) = {
    .summary = "works only where CUPTI is not loaded",
    .role = SG_CANDIDATE,
    .expect = SG_WRONG,
    .launch = launch,
};

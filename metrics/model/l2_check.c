#include "model/l2_check.h"

#include <math.h>
#include <stdbool.h>

enum sg_l2_finding sg_l2_judge(const struct sg_l2_evidence *e, double *share)
{
    const bool is_warm = e->declared == SG_L2_WARM;
    if (!isfinite(e->dram_read_bytes) || !(e->read_bytes >= SG_L2_JUDGED_MIN_BYTES))
        return SG_L2_NOT_JUDGED;
    /* Half of the L2, because each of a large L2's two partitions may hold a copy. */
    if (is_warm && !(e->read_bytes + e->write_bytes <= 0.5 * e->l2_bytes))
        return SG_L2_NOT_JUDGED;
    *share = e->dram_read_bytes / e->read_bytes;
    const bool fits = is_warm ? *share <= SG_L2_WARM_MAX_SHARE : *share >= SG_L2_COLD_MIN_SHARE;
    return fits ? SG_L2_AS_DECLARED : SG_L2_CONTRADICTED;
}

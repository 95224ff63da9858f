#include "compare/sick_gpu.h"

#include <math.h>
#include <string.h>

static const struct sg_unit_health *find_slow(const struct sg_unit_health *gpus, size_t count,
                                              const char *unit)
{
    for (size_t i = 0; i < count; i++)
        if (gpus[i].health == SG_SLOW_GPU && strcmp(gpus[i].unit.name, unit) == 0)
            return &gpus[i];
    return NULL;
}

static void invalidate(struct sg_comparison *comparison, size_t at,
                       const struct sg_unit_health *gpu)
{
    struct sg_finding finding = sg_finding_at(comparison, at);
    SG_SCOPED(sg_text) how = {0};
    sg_unit_health_describe(gpu, &how);
    comparison->by_verdict[finding.accepted] -= finding.gates;
    finding.why = sg_reason(comparison,
                            "%+.3g %%, as its GPU is slower: GPU %s, %s; measure on another GPU "
                            "(`solgate fleet`)",
                            100 * finding.change, gpu->unit.name, how.data);
    finding.shared = NULL;
    finding.accepted = SG_INVALID_VALUE;
    comparison->by_verdict[SG_INVALID_VALUE] += finding.gates;
    sg_finding_put(comparison, at, &finding);
}

void sg_sick_gpu_judge(struct sg_comparison *comparison, const struct sg_table *run,
                       const struct sg_env *env, const struct sg_unit_health *gpus, size_t count)
{
    for (size_t i = 0; i < comparison->count; i++) {
        const struct sg_finding finding = sg_finding_at(comparison, i);
        if (finding.accepted != SG_REGRESSED || strcmp(finding.metric, "time") != 0)
            continue;
        const struct sg_unit_health *gpu =
            find_slow(gpus, count, sg_unit_of_item(run, env, SG_NAMES(finding)));
        /* The row may depend on either reference; fmax ignores a NaN. */
        if (gpu && finding.low - fmax(gpu->change[SG_DRIFT_CHAIN], gpu->change[SG_DRIFT_COPY]) <=
                       finding.tolerance)
            invalidate(comparison, i, gpu);
    }
}

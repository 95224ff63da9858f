/* compare/sick_gpu.h: a time that is slower by what its GPU is slower is invalid; one that is
 * slower by more, or on another GPU, is regressed. */
#include <stdio.h>

#include "check.h"
#include "night.h"

#include "compare/sick_gpu.h"

static struct sg_unit_health slow_gpu(const char *name, double chain, double copy)
{
    struct sg_unit_health gpu = {.change = {chain, copy}, .siblings = 7, .health = SG_SLOW_GPU};
    snprintf(gpu.unit.name, sizeof(gpu.unit.name), "%s", name);
    return gpu;
}

/* The verdict of a baseline's time that is `slower`, on the GPU "here" while `gpu` is slow. */
static enum sg_verdict judge(double slower, struct sg_unit_health gpu)
{
    struct night night;
    night_begin(&night);
    sg_env_set(&night.env, "gpu_uuid_hash", "here");
    sg_env_set(&night.baseline.env, SG_ACCEPTED_UNITS_KEY, "here");
    const struct sg_value then = hand_time("base", 1000, 0.0002),
                          now = hand_time("base", 1000 * (1 + slower), 0.0002),
                          role = hand_words("base", "role", SG_OK, "baseline");
    night_add(&night, now);
    night_add(&night, role);
    hand_accept(&night.baseline, &then)->gate = true;
    night_compare(&night);
    sg_sick_gpu_judge(&night.comparison, &night.run, &night.env, &gpu, 1);
    enum sg_verdict found = SG_VERDICT_COUNT;
    for (size_t i = 0; i < night.comparison.count; i++) {
        const struct sg_finding finding = sg_finding_at(&night.comparison, i);
        if (strcmp(finding.metric, "time") == 0)
            found = finding.accepted;
    }
    return found;
}

TEST(slower_by_its_gpu)
{
    static const struct {
        const char *proves, *slow;
        double slower, chain, copy;
        enum sg_verdict verdict;
    } rows[] = {
        {"by as much as the GPU", "here", 0.25, 0.25, 0.25, SG_INVALID_VALUE},
        {"by one reference of it", "here", 0.25, 0, 0.25, SG_INVALID_VALUE},
        {"by more than the GPU", "here", 0.50, 0.25, 0.25, SG_REGRESSED},
        {"while another GPU is slow", "there", 0.25, 0.25, 0.25, SG_REGRESSED},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const enum sg_verdict found =
            judge(rows[i].slower, slow_gpu(rows[i].slow, rows[i].chain, rows[i].copy));
        if (found != rows[i].verdict)
            fail_msg("%s: %s", rows[i].proves, sg_verdict_word(found));
    }
}

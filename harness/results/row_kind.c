#include "results/row_kind.h"

#include "results/error_signature.h"
#include "results/identity.h"
#include "results/parts.h"
#include "results/terms.h"
#include "results/units.h"

struct sg_row_use sg_row_use_of(const char *metric)
{
    static const struct {
        const char *name;
        struct sg_row_use use;
    } listed[] = {
        {"status", {SG_ROW_STATUS, .is_accepted = true}},
        {"time", {SG_ROW_TIME, .is_accepted = true}},
        {"time_ratio", {SG_ROW_RATIO, .is_accepted = true}},
        {SG_BUILD_RATIO_METRIC, {.kind = SG_ROW_BUILD_RATIO}},
        {SG_LAUNCHES_METRIC,
         {SG_ROW_COUNTER, .gates = true, .is_of_start = true, .is_accepted = true}},
        {SG_TOTAL_METRIC,
         {SG_ROW_COUNTER, .gates = true, .is_of_start = true, .is_accepted = true}},
        {SG_P90_METRIC, {SG_ROW_COUNTER, .is_of_start = true, .is_accepted = true}},
        {SG_P99_METRIC, {SG_ROW_COUNTER, .is_of_start = true, .is_accepted = true}},
        {SG_LATENCY_METRIC, {SG_ROW_COUNTER, .is_of_start = true, .is_accepted = true}},
        {SG_SPIKES_METRIC, {SG_ROW_COUNTER, .is_of_start = true, .is_accepted = true}},
        {SG_STEADY_METRIC, {SG_ROW_FACT, .is_accepted = true}},
        {SG_ENERGY_RATIO_METRIC, {SG_ROW_COUNTER, .gates = true, .is_accepted = true}},
        {SG_ENERGY_BUILD_METRIC, {.kind = SG_ROW_BUILD_RATIO}},
        {"role", {SG_ROW_FACT, .is_term = true, .is_accepted = true}},
        {"shape", {SG_ROW_FACT, .defines = true, .is_accepted = true}},
        {SG_TIME_OF_METRIC, {SG_ROW_FACT, .defines = true, .is_accepted = true}},
        {SG_WAIVER_METRIC, {SG_ROW_FACT, .is_accepted = true}},
        {SG_SIGNATURE_METRIC, {SG_ROW_FACT, .is_accepted = true}},
        {SG_IDENTITY_METRIC, {SG_ROW_FACT, .is_accepted = true}},
        {"expect", {.kind = SG_ROW_FACT}}, /* compare reads it only from the run */
        {"sm_clock", {.kind = SG_ROW_FACT}},
        {SG_COUNT_METRIC, {.kind = SG_ROW_FACT}},
        {"sol_time", {.kind = SG_ROW_FACT}},
        {"sol_gap", {.kind = SG_ROW_FACT}},
        {"l2_state", {.kind = SG_ROW_FACT}},
        {"note", {.kind = SG_ROW_FACT}},
        {SG_HOST_BOUND_METRIC, {.kind = SG_ROW_FACT}},
        {SG_GUESSED_METRIC, {.kind = SG_ROW_FACT}},
        {SG_SUSPECT_METRIC, {.kind = SG_ROW_FACT}},
        {SG_UNIT_METRIC, {.kind = SG_ROW_FACT}},
        {SG_UNFIT_METRIC, {.kind = SG_ROW_FACT}},
    };
    for (size_t i = 0; i < sizeof(listed) / sizeof(listed[0]); i++)
        if (*metric == *listed[i].name && strcmp(metric, listed[i].name) == 0)
            return listed[i].use;
    if (strncmp(metric, SG_CHOICE_PREFIX, strlen(SG_CHOICE_PREFIX)) == 0)
        return (struct sg_row_use){.kind = SG_ROW_FACT};
    if (strncmp(metric, SG_TERM_PREFIX, strlen(SG_TERM_PREFIX)) == 0)
        return (struct sg_row_use){SG_ROW_FACT, .is_term = true, .is_accepted = true};
    return (struct sg_row_use){SG_ROW_COUNTER, .defines = strncmp(metric, "work_", 5) == 0,
                               .is_accepted = true};
}

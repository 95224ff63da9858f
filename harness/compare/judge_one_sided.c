/* Judges results of other tools, and programs of a suite, where one side has less than the other: a
 * program that ended early leaves files that look like those of a faster program. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare_internal.h"
#include "results/row_kind.h"

static bool is_of_all(const char *variant)
{
    return strcmp(variant, SG_WHOLE_RANGE) == 0 || strcmp(variant, SG_WHOLE_PROGRAM) == 0;
}

static const struct sg_row *status_of(const struct sg_table *table,
                                      const struct sg_finding *finding)
{
    return sg_table_find(table, finding->family, finding->case_, finding->variant, "status");
}

/* True if a row for all kernels of the case gates: such a row judges a kernel that one side lacks.
 * A selection may leave that row out. */
static bool is_whole_judged(const struct sg_comparison *comparison, const struct sg_finding *part,
                            bool *is_new_case)
{
    bool is_judged = false;
    *is_new_case = true;
    for (size_t i = 0; i < comparison->count; i++) {
        const struct sg_finding *other = &comparison->findings[i];
        if (other->accepted == SG_NEW || strcmp(other->case_, part->case_) != 0 ||
            strcmp(other->family, part->family) != 0)
            continue;
        *is_new_case = false;
        is_judged |= other->gates && strcmp(other->variant, SG_WHOLE_RANGE) == 0 &&
                     strcmp(other->metric, "time") == 0;
    }
    return is_judged;
}

/* The share of the files of a side that have a row. */
static double share_of_files(const struct sg_row *row, const struct sg_env *env)
{
    const long files = strtol(sg_env_word(env, SG_FILES_KEY), NULL, 10);
    return files > 1 ? row->n / (double)files : 1;
}

/* How much time of the old side, in ns, has no launches on the new side, beyond the ranges of both;
 * -1: there are more launches. */
static double lost_time(const struct sg_compare_input *in, const struct sg_finding *part)
{
    const struct sg_table *then = &in->accepted->table;
    const struct sg_row *is = sg_table_find(in->run, SG_NAMES(*part), SG_LAUNCHES_METRIC),
                        *was = sg_table_find(then, SG_NAMES(*part), SG_LAUNCHES_METRIC);
    const double most = is ? fmax(is->value, is->high) : 0, least = is ? is->value : 0,
                 before = sg_row_value(was),
                 total = sg_row_value(sg_table_find(then, SG_NAMES(*part), SG_TOTAL_METRIC));
    if (!was)
        return is ? -1 : 0;
    if (least > fmax(before, was->high))
        return -1;
    return total * fmax(0, 1 - most / (was->has & SG_HAS_LOW ? was->low : before));
}

/* Fewer launches take less time, which does not make a kernel faster. If there are no others in
 * their place, as after a fusion, the program may have ended early. */
static void judge_fewer_launches(const struct sg_compare_input *in,
                                 struct sg_comparison *comparison, struct sg_finding *whole)
{
    double lost = 0, largest = 0;
    bool has_others = false;
    const char *most = "";
    for (size_t i = 0; i < comparison->count; i++) {
        const struct sg_finding *part = &comparison->findings[i];
        const bool is_kernel = strcmp(part->family, whole->family) == 0 &&
                               strcmp(part->case_, whole->case_) == 0 &&
                               !is_of_all(part->variant) &&
                               (strcmp(part->metric, "time") == 0 || !status_of(in->run, part));
        const double time = is_kernel ? lost_time(in, part) : 0;
        has_others |= time < 0;
        lost += fmax(time, 0);
        most = time > largest ? part->variant : most;
        largest = fmax(time, largest);
    }
    if (!(lost > whole->tolerance * whole->was))
        return;
    whole->accepted = has_others ? whole->accepted : SG_NOT_MEASURED;
    whole->why =
        sg_reason(comparison,
                  has_others ? "%s; %s was launched less often"
                             : "%s%s was launched less often, and no kernel more often: did the "
                               "program end early? --variant=NAME judges one kernel",
                  has_others ? whole->why : "", most);
}

/* Judges a time that is not slower, where the new side may have done less. */
static void judge_less(const struct sg_compare_input *in, struct sg_comparison *comparison,
                       struct sg_finding *finding, const struct sg_row *is)
{
    const struct sg_row *was =
        sg_table_find(&in->accepted->table, SG_NAMES(*finding), finding->metric);
    const bool is_whole = is_of_all(finding->variant);
    bool is_new_case;
    if (was && share_of_files(is, in->run_env) < share_of_files(was, &in->accepted->env)) {
        finding->accepted = SG_NOT_MEASURED;
        finding->why = sg_reason(comparison,
                                 "%u of %s files have this row, and more of the other side's: did "
                                 "the program end early?",
                                 is->n, sg_env_word(in->run_env, SG_FILES_KEY));
        finding->is_informational = !is_whole && is_whole_judged(comparison, finding, &is_new_case);
        finding->gates = !finding->is_informational;
    } else if (is_whole) {
        judge_fewer_launches(in, comparison, finding);
    }
}

/* A kernel that only one side has is judged by the row for all kernels of its case. An item that
 * both sides skip, or on which both fail alike, has nothing to judge. */
void sg_judge_one_sided(const struct sg_compare_input *in, struct sg_comparison *comparison)
{
    for (size_t i = 0; i < comparison->count; i++) {
        struct sg_finding *finding = &comparison->findings[i];
        const struct sg_row *is = status_of(in->run, finding),
                            *was = status_of(&in->accepted->table, finding);
        const bool is_alike = is && was && is->status != SG_OK && is->status == was->status,
                   is_added = finding->accepted == SG_NEW && strcmp(finding->metric, "time") == 0 &&
                              sg_table_find(in->run, SG_NAMES(*finding), SG_TOTAL_METRIC);
        const struct sg_row *row = sg_table_find(in->run, SG_NAMES(*finding), finding->metric);
        bool is_new_case;
        if (row && finding->gates && strcmp(finding->metric, "time") == 0 &&
            finding->accepted != SG_REGRESSED && finding->accepted != SG_NEW) {
            judge_less(in, comparison, finding, row);
        } else if (finding->accepted == SG_IMPROVED && lost_time(in, finding) > 0) {
            finding->accepted = SG_CHANGED;
        } else if (!sg_env_is_imported(in->run_env)) {
            continue;
        } else if (finding->accepted == SG_NOT_MEASURED &&
                   (is_alike || (!is && is_whole_judged(comparison, finding, &is_new_case)))) {
            finding->is_informational = true;
            finding->gates = false;
        } else if (is_added && !is_whole_judged(comparison, finding, &is_new_case) &&
                   !is_new_case) {
            finding->accepted = SG_NOT_MEASURED;
            finding->why =
                "the other run does not have this kernel, and no compared row covers all "
                "kernels of the case";
        }
    }
}

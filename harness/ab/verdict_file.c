/* The findings of a gate, stored next to its rows in the format of `--format=csv`. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "ab/ab.h"
#include "util/csv_reader.h"

#define COLUMNS                                                                               \
    "family,case,variant,metric,unit,accepted,now,change,low,high,tolerance,resolution,q,vs_" \
    "accepted,vs_baseline,"                                                                   \
    "baseline_change,baseline_low,baseline_high,processes,gates,why"

static enum sg_verdict verdict_of(const char *word, const char *(*say)(enum sg_verdict verdict))
{
    enum sg_verdict verdict = 0;
    while (verdict < SG_VERDICT_COUNT && strcmp(word, say(verdict)) != 0)
        verdict++;
    return verdict;
}

static enum sg_code add_row(void *context, const struct sg_csv_row *row, struct sg_err *err)
{
    struct sg_comparison *comparison = context;
    struct sg_finding finding = sg_finding_none();
    const char **const names[] = {&finding.family, &finding.case_, &finding.variant,
                                  &finding.metric, &finding.unit};
    double ignored = NAN, processes = 0;
    const struct {
        int column;
        double *number;
    } numbers[] = {{5, &finding.was},
                   {6, &finding.is},
                   {7, &finding.change},
                   {8, &finding.low},
                   {9, &finding.high},
                   {10, &finding.tolerance},
                   {11, &finding.resolution},
                   {12, &ignored},
                   {15, &finding.baseline_change},
                   {16, &finding.baseline_low},
                   {17, &finding.baseline_high},
                   {18, &processes}};
    if (row->line == 1)
        return sg_csv_check_header(row, COLUMNS, err);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        *names[i] = sg_reason(comparison, "%s", row->field[i]);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        const char *field = row->field[numbers[i].column];
        if (*field && !sg_parse_double(field, false, numbers[i].number))
            return sg_fail_at(err, SG_BAD_INPUT, row->path, row->line,
                              "expected a number or nothing, found '%s'",
                              sg_show_string(field).text);
    }
    finding.accepted = verdict_of(row->field[13], sg_verdict_word);
    finding.baseline = verdict_of(row->field[14], sg_verdict_pair_word);
    if (finding.accepted == SG_VERDICT_COUNT)
        return sg_fail_at(err, SG_BAD_INPUT, row->path, row->line, "expected a verdict, found '%s'",
                          sg_show_string(row->field[13]).text);
    finding.processes = (unsigned)processes;
    finding.gates = strcmp(row->field[19], "yes") == 0;
    finding.why = sg_reason(comparison, "%s", row->field[20]);
    comparison->one_sided += finding.accepted == SG_REFUSES;
    comparison->by_verdict[finding.accepted] += finding.gates;
    sg_finding_add(comparison, &finding);
    return SG_SUCCESS;
}

bool sg_ab_has_verdict(const char *folder)
{
    SG_SCOPED(sg_text) path = {0};
    sg_text_addf(&path, "%s/" SG_AB_VERDICT, folder);
    return access(path.data, F_OK) == 0;
}

enum sg_code sg_ab_read_verdict(const char *folder, const struct sg_env *env,
                                struct sg_comparison *comparison, struct sg_err *err)
{
    SG_SCOPED(sg_text) path = {0};
    const char *baseline = sg_env_get(env, "baseline");
    *comparison = (struct sg_comparison){.of_pairs = true,
                                         .accepted_path = sg_copy_string(baseline ? baseline : "")};
    sg_text_addf(&path, "%s/" SG_AB_VERDICT, folder);
    return sg_csv_read(path.data, add_row, comparison, err);
}

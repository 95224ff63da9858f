/* The findings of a gate, stored next to its rows in the format of `--format=csv`. */
#include <float.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "ab/ab.h"
#include "util/csv_reader.h"
#include "util/record.h"

struct stored {
    struct sg_finding finding;
    const char *accepted, *baseline; /* verdicts */
    double q, processes;
};

#define COLUMN(kind, title, member, ...) SG_FIELD(kind, title, struct stored, member, __VA_ARGS__)
#define NUMBER(title, member)            COLUMN(REAL, title, member, .least = -DBL_MAX)
static const struct sg_field columns[] = {
    COLUMN(TEXT, "family", finding.family),
    COLUMN(TEXT, "case", finding.case_),
    COLUMN(TEXT, "variant", finding.variant),
    COLUMN(TEXT, "metric", finding.metric),
    COLUMN(TEXT, "unit", finding.unit),
    NUMBER("accepted", finding.was),
    NUMBER("now", finding.is),
    NUMBER("change", finding.change),
    NUMBER("low", finding.low),
    NUMBER("high", finding.high),
    NUMBER("tolerance", finding.tolerance),
    NUMBER("resolution", finding.resolution),
    NUMBER("q", q),
    COLUMN(TEXT, "vs_accepted", accepted),
    COLUMN(TEXT, "vs_baseline", baseline),
    NUMBER("baseline_change", finding.baseline_change),
    NUMBER("baseline_low", finding.baseline_low),
    NUMBER("baseline_high", finding.baseline_high),
    COLUMN(REAL, "processes", processes, .most = UINT32_MAX),
    COLUMN(YES, "gates", finding.gates),
    COLUMN(TEXT, "why", finding.why),
};
static const struct sg_record record = SG_RECORD(columns);

/* Leaves out verdicts of histories, because two of their words are words of a pair
 * (sg_verdict_pair_word). */
static enum sg_verdict verdict_of(const char *word, const char *(*say)(enum sg_verdict verdict))
{
    enum sg_verdict verdict = 0;
    while (verdict < SG_VERDICT_COUNT &&
           (sg_verdict_row(verdict)->bits & SG_NIGHTS || strcmp(word, say(verdict)) != 0))
        verdict++;
    return verdict;
}

static enum sg_code add_row(void *context, const struct sg_csv_row *row, struct sg_err *err)
{
    struct sg_comparison *comparison = context;
    struct stored read = {.finding = sg_finding_none()};
    struct sg_finding *finding = &read.finding;
    const char **const names[] = {&finding->family, &finding->case_, &finding->variant,
                                  &finding->metric, &finding->unit};
    if (row->line == 1)
        return sg_record_check_header(&record, row, err);
    if (sg_record_read(&record, row->field, &read, NULL, err) != SG_SUCCESS)
        return sg_fail_here(err, row->path, row->line);
    finding->accepted = verdict_of(read.accepted, sg_verdict_word);
    finding->baseline = verdict_of(read.baseline, sg_verdict_pair_word);
    if (finding->accepted == SG_VERDICT_COUNT)
        return sg_fail_at(err, SG_BAD_INPUT, row->path, row->line, "expected a verdict, found '%s'",
                          sg_show_string(read.accepted).text);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        *names[i] = sg_reason(comparison, "%s", *names[i]);
    finding->processes = isnan(read.processes) ? 0 : (unsigned)read.processes;
    comparison->one_sided += finding->accepted == SG_REFUSES;
    comparison->by_verdict[finding->accepted] += finding->gates;
    sg_finding_add(comparison, finding);
    return SG_SUCCESS;
}

bool sg_ab_has_verdict(const char *folder)
{
    SG_FORMATTED(path, "%s/" SG_AB_VERDICT, folder);
    return access(path.data, F_OK) == 0;
}

enum sg_code sg_ab_read_verdict(const char *folder, const struct sg_env *env,
                                struct sg_comparison *comparison, struct sg_err *err)
{
    const char *baseline = sg_env_get(env, "baseline");
    *comparison = (struct sg_comparison){.of_pairs = true,
                                         .accepted_path = sg_copy_string(baseline ? baseline : "")};
    SG_FORMATTED(path, "%s/" SG_AB_VERDICT, folder);
    return sg_csv_read(path.data, add_row, comparison, err);
}

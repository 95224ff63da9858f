/*
 * The changes that a run could have found, and its missing measurements: two lines at the top of a
 * comparison.
 */
#include <math.h>
#include <string.h>

#include "reports/tables/ranking.h"
#include "results/row_kind.h"
#include "stats/statistics.h"
#include "util/intern.h"

#define NAMED_MAX 3 /* maximum number of counters named; more are counted */

void sg_add_mde(struct sg_text *out, const struct sg_comparison *comparison)
{
    SG_FREED double *mde = sg_alloc(comparison->count, sizeof(*mde));
    size_t count = 0;
    struct sg_finding worst = {0};
    if (comparison->of_imports)
        sg_text_add(out, "imported, not paired: nothing gates; ");
    for (size_t i = 0; i < comparison->count; i++) {
        const struct sg_finding finding = sg_finding_at(comparison, i);
        if (!(finding.gates || comparison->of_imports) || !sg_is_time(&finding) ||
            isnan(finding.resolution))
            continue;
        if (count == 0 || finding.resolution > worst.resolution)
            worst = finding;
        mde[count++] = finding.resolution;
    }
    if (count > 0) {
        sg_text_add(out, SG_DETECTABLE ": median ");
        sg_add_unsigned_change(out, sg_median(mde, count));
        sg_text_add(out, ", worst ");
        sg_add_unsigned_change(out, worst.resolution);
        sg_text_addf(out, " (%s/%s/%s), over %zu timed row%s", SG_NAMES(worst), count,
                     SG_PLURAL(count));
    } else if (comparison->of_imports) {
        sg_text_add(out,
                    sg_has_times(comparison)
                        ? "resolution not known: no time has samples on both sides"
                        : "no time on either side: run ncu with --metrics gpu__time_duration.sum");
    }
}

static bool is_asked_for(const struct sg_report_input *input, const struct sg_row *row)
{
    const struct sg_value item = sg_value_of(input->run, row);
    return !input->filters || sg_filters_keep(input->filters, SG_NAMES(item), false);
}

/* Returns true if the counter is declared absent on this run's GPU or simulated GPU. */
static bool is_absent(const struct sg_report_input *input, const char *metric)
{
    const struct sg_metric *known =
        input->catalogue ? sg_catalogue_find(input->catalogue, metric) : NULL;
    const char *chip = input->env ? sg_env_get(input->env, "chip") : NULL;
    const bool is_simulated = input->env && sg_env_is_simulated(input->env);
    return (is_simulated && !sg_metric_is_raw(metric)) ||
           (known && chip && known->source->by_chip && !sg_metric_key(known, chip));
}

/* Adds "items: 1 skipped"; nothing if all ran. Unsupported items have a verdict instead. */
static void add_items(struct sg_text *out, const size_t of_status[SG_STATUS_COUNT])
{
    static const enum sg_status not_run[] = {SG_SKIPPED, SG_UNAVAILABLE};
    const char *before = "items: ";
    for (size_t i = 0; i < sizeof(not_run) / sizeof(not_run[0]); i++) {
        if (of_status[not_run[i]] == 0)
            continue;
        sg_text_addf(out, "%s%zu %s", before, of_status[not_run[i]], sg_status_word(not_run[i]));
        before = ", ";
    }
}

/* Returns true if any item has a value of the metric. Rows of a CUDA graph, which is timed but
 * not counted, report that themselves. */
static bool is_measured(const struct sg_table *run, sg_id metric)
{
    for (size_t i = 0; i < run->count; i++)
        if (run->rows[i].metric == metric && run->rows[i].status == SG_OK)
            return true;
    return false;
}

void sg_add_unmeasured(struct sg_text *out, const struct sg_report_input *input)
{
    const struct sg_table *run = input->run;
    size_t of_status[SG_STATUS_COUNT] = {0}, counters = 0;
    struct sg_intern_pool *seen = NULL;
    SG_SCOPED(sg_text) items = {0}, names = {0};
    for (size_t i = 0; run && i < run->count; i++) {
        const struct sg_row *row = &run->rows[i];
        const char *metric = sg_table_string(run, row->metric);
        /* The first line of the comparison counts missing builds. */
        if (row->status == SG_OK || !is_asked_for(input, row) ||
            strcmp(metric, SG_BUILD_RATIO_METRIC) == 0)
            continue;
        if (strcmp(metric, "status") == 0)
            of_status[row->status]++;
        else if (row->status == SG_UNAVAILABLE && (input->verbose || !is_absent(input, metric)) &&
                 sg_intern_pool_is_news(&seen, metric) && !is_measured(run, row->metric) &&
                 counters++ < NAMED_MAX)
            sg_text_addf(&names, "%s%s", names.length > 0 ? ", " : "counters: ", metric);
    }
    if (counters > NAMED_MAX)
        sg_text_addf(&names, " and %zu more", counters - NAMED_MAX);
    add_items(&items, of_status);
    if (items.length + names.length > 0)
        sg_text_addf(out, "not measured: %s%s%s", sg_text_string(&items),
                     items.length > 0 && names.length > 0 ? "; " : "", sg_text_string(&names));
}

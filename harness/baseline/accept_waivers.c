#include <string.h>
#include <time.h>

#include "baseline/accept_internal.h"
#include "results/row_kind.h"

#define SG_WAIVER_DAYS 30 /* default duration of a waiver */

/* Last day of the requested waivers; a past day if neither the user nor the run gives a date. */
static struct sg_shown last_day(const struct sg_accept_options *options)
{
    const char *date = sg_env_get(sg_last_run(options)->env, "date");
    const struct sg_shown first =
        sg_show(date ? date : "", strnlen(date ? date : "", strlen("2026-12-31")));
    struct sg_shown last = {0};
    struct tm utc;
    time_t day = 0;
    if (options->waive.until)
        return sg_show(options->waive.until, strlen(options->waive.until));
    if (!sg_parse_day(first.text, &day))
        day = 0;
    day += (time_t)SG_WAIVER_DAYS * 24 * 60 * 60;
    strftime(last.text, sizeof(last.text), "%Y-%m-%d", gmtime_r(&day, &utc));
    return last;
}

static bool is_over(const struct sg_accept_options *options, const char *until)
{
    const char *date = sg_env_get(sg_last_run(options)->env, "date");
    return !date || strncmp(date, until, strlen("2026-12-31")) > 0;
}

static bool is_in_runs(const struct sg_accept_options *options, const char *item)
{
    SG_SCOPED(sg_names) names = {0};
    bool found = false;
    sg_names_add_split(&names, item, '/');
    for (size_t i = 0; i < options->run_count && !found && names.count == 3; i++)
        found = sg_table_find(options->runs[i].table, names.items[0], names.items[1],
                              names.items[2], "status") != NULL;
    return found;
}

enum sg_code sg_accept_check_waivers(const struct sg_accept_options *options, struct sg_err *err)
{
    const struct sg_accept_waivers *waive = &options->waive;
    const struct sg_shown until = last_day(options);
    if (waive->count > 0 && is_over(options, until.text))
        return sg_fail(err, SG_BAD_USAGE, "--until", "expected a day not before the runs, found %s",
                       until.text);
    for (size_t i = 0; i < waive->count; i++)
        if (!is_in_runs(options, waive->items[i]))
            return sg_fail(err, SG_BAD_USAGE, "--waive",
                           "expected FAMILY/CASE/VARIANT of the runs, found '%s'", waive->items[i]);
    return SG_SUCCESS;
}

static const struct sg_row *old_waiver(const struct sg_merge *merge)
{
    const struct sg_value *item = &merge->item.name;
    return sg_table_find(merge->table[0], SG_NAMES(*item), SG_WAIVER_METRIC);
}

bool sg_merge_is_waived(const struct sg_merge *merge, enum sg_status status)
{
    const struct sg_row *waiver = old_waiver(merge);
    return merge->item.is_asked ||
           (waiver && (enum sg_status)waiver->status == status &&
            !is_over(merge->options, sg_table_string(merge->table[0], waiver->message)));
}

static void add_waiver(struct sg_merge *merge, enum sg_status status, const char *until,
                       const char *reason)
{
    struct sg_value value = {.family = merge->item.name.family,
                             .case_ = merge->item.name.case_,
                             .variant = merge->item.name.variant};
    value.metric = SG_WAIVER_METRIC;
    value.status = status;
    value.message = until;
    sg_table_add(&merge->fresh->table, &value);
    sg_accepted_add(merge->fresh)->reason = sg_table_intern(&merge->fresh->table, reason);
    sg_text_addf(&merge->waivers, "waived %s/%s/%s (%s), until %s: %s\n", SG_NAMES(value),
                 sg_status_word(status), until, reason);
}

static bool is_gone(const struct sg_merge *merge, enum sg_status waived)
{
    if (merge->item.status == SG_STATUS_COUNT)
        return merge->options->prune;
    return waived != SG_OK ? !merge->item.is_undeclared : !merge->item.is_failing;
}

void sg_merge_add_waiver(struct sg_merge *merge)
{
    const struct sg_accept_options *options = merge->options;
    const struct sg_row *old = old_waiver(merge);
    if (merge->item.is_asked) {
        add_waiver(merge, merge->item.status, last_day(options).text, options->reason);
        return;
    }
    if (!old)
        return;
    const struct sg_value value = sg_value_of(merge->table[0], old);
    if (is_gone(merge, value.status) || is_over(options, value.message))
        sg_text_addf(&merge->waivers, "no longer waived: %s/%s/%s\n", SG_NAMES(value));
    else
        add_waiver(merge, value.status, value.message,
                   sg_table_string(merge->table[0],
                                   options->old->accepted[old - merge->table[0]->rows].reason));
}

#include "baseline/accept_internal.h"

#include <stdlib.h>
#include <string.h>

#include "compare/compare.h"
#include "results/row_kind.h"

#define SG_WAIVER_DAYS 30 /* that a waiver lasts which names no last day */

bool sg_accept_is_asked(const struct sg_accept_options *options, const struct sg_value *item)
{
    struct sg_text name = {0};
    bool asked = false;
    sg_text_addf(&name, "%s/%s/%s", item->family, item->case_, item->variant);
    for (size_t i = 0; i < options->waive.count && !asked; i++)
        asked = strcmp(options->waive.items[i], name.data) == 0;
    sg_text_release(&name);
    return asked;
}

static const struct sg_row *old_waiver(const struct sg_accept_options *options, const struct sg_value *item)
{
    return options->old ? sg_table_find(&options->old->table, item->family, item->case_, item->variant, SG_WAIVER_METRIC) : NULL;
}

enum sg_status sg_accept_status_of(const struct sg_accept_options *options, const struct sg_value *item, bool *undeclared)
{
    enum sg_status status = SG_STATUS_COUNT;
    *undeclared = false;
    for (size_t i = 0; i < options->run_count; i++) {
        const struct sg_table *table = options->runs[i].table;
        const struct sg_row *row = sg_table_find(table, item->family, item->case_, item->variant, "status");
        const struct sg_row *expect = sg_table_find(table, item->family, item->case_, item->variant, "expect");
        if (!row)
            continue;
        status = (enum sg_status)row->status;
        *undeclared |= sg_is_undeclared(status, expect ? (enum sg_status)expect->status : SG_OK);
    }
    return status;
}

static bool is_over(const struct sg_accept_options *options, const char *until)
{
    const char *date = sg_env_get(options->runs[options->run_count - 1].env, "date");
    return !date || strncmp(date, until, strlen("2026-12-31")) > 0;
}

bool sg_accept_is_waived(const struct sg_accept_options *options, const struct sg_value *item, enum sg_status status)
{
    const struct sg_row *waiver = old_waiver(options, item);
    return sg_accept_is_asked(options, item) || (waiver && (enum sg_status)waiver->status == status &&
                                                 !is_over(options, sg_table_string(&options->old->table, waiver->message)));
}

const struct sg_row *sg_accept_lost_count(const struct sg_table *table, const struct sg_value *item)
{
    const struct sg_row *status = sg_table_find(table, item->family, item->case_, item->variant, "status");
    const struct sg_row *counted = sg_table_find(table, item->family, item->case_, item->variant, SG_COUNT_METRIC);
    const bool is_lost = counted && sg_is_lost_count((enum sg_status)counted->status) && status && status->status == SG_OK;
    return is_lost ? counted : NULL;
}

/* The last day of a waiver that names none. */
static struct sg_shown default_last_day(const struct sg_env *env)
{
    const char *date = sg_env_get(env, "date");
    struct sg_shown last = {0};
    time_t day = 0;
    struct tm utc;
    const struct sg_shown first = sg_show(date ? date : "", strnlen(date ? date : "", strlen("2026-12-31")));
    if (!sg_parse_day(first.text, &day))
        day = 0; /* long past */
    day += (time_t)SG_WAIVER_DAYS * 24 * 60 * 60;
    strftime(last.text, sizeof(last.text), "%Y-%m-%d", gmtime_r(&day, &utc));
    return last;
}

static void add_waiver(struct sg_merge *merge, const struct sg_value *item, enum sg_status status, const char *until, const char *reason)
{
    struct sg_accept_report *report = merge->report;
    struct sg_accepted *accepted = sg_merge_add_row(merge, &(struct sg_value){.family = item->family,
                                                                              .case_ = item->case_,
                                                                              .variant = item->variant,
                                                                              .metric = SG_WAIVER_METRIC,
                                                                              .status = status,
                                                                              .message = until});
    accepted->expect = sg_table_intern(&merge->fresh->table, "");
    accepted->reason = sg_table_intern(&merge->fresh->table, reason);
    sg_text_addf(&report->changes, "waived %s/%s/%s (%s), until %s: %s\n", item->family, item->case_, item->variant, sg_status_word(status),
                 until, reason);
}

static enum sg_code add_asked(struct sg_merge *merge, struct sg_err *err)
{
    const struct sg_accept_options *options = merge->options;
    const struct sg_shown last_day = default_last_day(options->runs[options->run_count - 1].env);
    const char *until = options->waive.until ? options->waive.until : last_day.text;
    for (size_t i = 0; i < options->waive.count && err->code == SG_SUCCESS; i++) {
        char *names = sg_copy_string(options->waive.items[i]), *rest = names;
        const struct sg_value item = {.family = strsep(&rest, "/"), .case_ = rest ? strsep(&rest, "/") : "", .variant = rest ? rest : ""};
        bool undeclared;
        const enum sg_status status = sg_accept_status_of(options, &item, &undeclared);
        if (is_over(options, until))
            sg_fail(err, SG_BAD_USAGE, "--until", "expected a day that is not past when the runs were made, found %s", until);
        else if (status == SG_STATUS_COUNT)
            sg_fail(err, SG_BAD_USAGE, "--waive", "expected FAMILY/CASE/VARIANT of the runs, found '%s'", options->waive.items[i]);
        else
            add_waiver(merge, &item, status, until, options->reason);
        free(names);
    }
    return err->code;
}

/* Is what the waiver was for not in the runs any more? */
static bool is_gone(const struct sg_merge *merge, const struct sg_value *waiver, enum sg_status status, bool undeclared)
{
    if (status == SG_STATUS_COUNT)
        return merge->options->prune;
    return waiver->status != SG_OK ? !undeclared : !sg_merge_still_fails(merge, waiver);
}

/* Those of before stay as long as there is something to waive, and until their day. */
static void keep_old(struct sg_merge *merge)
{
    const struct sg_accept_options *options = merge->options;
    for (size_t i = 0; options->old && i < options->old->table.count; i++) {
        const struct sg_table *old = &options->old->table;
        const struct sg_value value = sg_value_of(old, &old->rows[i]);
        if (strcmp(value.metric, SG_WAIVER_METRIC) != 0 || sg_accept_is_asked(options, &value))
            continue;
        bool undeclared;
        const enum sg_status status = sg_accept_status_of(options, &value, &undeclared);
        if (is_gone(merge, &value, status, undeclared) || is_over(options, value.message))
            sg_text_addf(&merge->report->changes, "waived no more: %s/%s/%s\n", value.family, value.case_, value.variant);
        else
            add_waiver(merge, &value, value.status, value.message, sg_table_string(old, options->old->accepted[i].reason));
    }
}

enum sg_code sg_merge_add_waivers(struct sg_merge *merge, struct sg_err *err)
{
    if (add_asked(merge, err) == SG_SUCCESS)
        keep_old(merge);
    return err->code;
}

#include "cli/cmd_history.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/kernel_commit.h"
#include "util/number_format.h"

int sg_cmd_history(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_options table = {
        .usage =
            "add RUN...\nshow [SERIES] [--chart=DIR]\ncheck [--alarms=few|usual]\nconfirm RUN\n"
            "accept SERIES --night=DATE --reason=TEXT\nreport --out=DIR",
        .summary = "Keeps nightly runs as plain files: adds them, finds steps and slow creep, "
                   "records decisions.",
        .notes = "Each of the six has its own -h, and takes --history=DIR.\n\n"
                 "Example: solgate history add R && solgate history check",
        .exits = SG_EXITS_JUDGED,
    };
    return sg_command_run_part(&table, argc, argv, err);
}

const char *sg_history_folder(void)
{
    const char *given = getenv(SG_HISTORY_VARIABLE);
    return given && *given ? given : SG_HISTORY_FOLDER;
}

enum sg_code sg_history_each(const struct sg_history_wanted *wanted, sg_history_fn *fn,
                             void *context, struct sg_err *err)
{
    SG_SCOPED(sg_names) groups = {0};
    if (sg_history_groups(wanted->folder, &groups, err) == SG_SUCCESS && wanted->group &&
        !sg_names_have(&groups, wanted->group))
        sg_fail(err, SG_BAD_INPUT, wanted->folder,
                "expected a group of this history (%s%s), found '%s'", groups.items[0],
                groups.count > 1 ? ", ..." : "", sg_show_string(wanted->group).text);
    for (size_t i = 0; i < groups.count && err->code == SG_SUCCESS; i++) {
        struct sg_history history = {.is_recent = !wanted->all};
        if (wanted->group && strcmp(wanted->group, groups.items[i]) != 0)
            continue;
        if (sg_history_load(wanted->folder, groups.items[i], &history, err) == SG_SUCCESS)
            fn(context, groups.items[i], &history, err);
    }
    return err->code;
}

const char *sg_history_item(const struct sg_judgement *judgement, size_t series)
{
    return sg_intern_pool_string(judgement->history->pool, judgement->series[series].item);
}

void sg_add_step_change(struct sg_text *out, const struct sg_series_step *step)
{
    if (isnan(step->change)) {
        sg_text_add(out, "by an unknown amount");
        return;
    }
    sg_add_change(out, expm1(step->change));
    sg_text_addf(out, " [%+.2f, %+.2f]", 100 * expm1(step->low), 100 * expm1(step->high));
}

/* ---- commits of a step ---- */

/* FAMILY of FAMILY/CASE/VARIANT. */
struct family {
    char name[80];
};
static struct family family_of(const struct sg_history *history,
                               const struct sg_history_series *series)
{
    struct family family;
    const char *item = sg_intern_pool_string(history->pool, series->item);
    snprintf(family.name, sizeof(family.name), "%.*s", (int)strcspn(item, "/"), item);
    return family;
}

const char *sg_series_commit(const struct sg_history *history,
                             const struct sg_history_series *series, size_t night)
{
    return sg_kernel_commit(&history->nights[night].facts, family_of(history, series).name);
}

size_t sg_step_night_before(const struct sg_history_series *series,
                            const struct sg_series_step *step)
{
    size_t night = step->earliest;
    while (night > 0 && series->row[night - 1] == SG_NO_ROW)
        night--;
    return night - 1;
}

struct sg_step_commits sg_step_commits_of(const struct sg_history *history,
                                          const struct sg_history_series *series,
                                          const struct sg_series_step *step)
{
    const size_t before = sg_step_night_before(series, step);
    struct sg_step_commits commits = {
        .before = before == SG_NO_NIGHT ? "" : sg_series_commit(history, series, before),
        .after = sg_series_commit(history, series, step->latest)};
    commits.are_known = sg_is_commit(commits.before) && sg_is_commit(commits.after) &&
                        strcmp(commits.before, commits.after) != 0;
    commits.are_foreign = sg_kernels_are_foreign(&history->nights[step->latest].facts,
                                                 family_of(history, series).name);
    return commits;
}

void sg_add_step_commits(struct sg_text *out, const struct sg_step_commits *commits)
{
    if (!*commits->before || !*commits->after)
        return;
    if (strcmp(commits->before, commits->after) == 0)
        sg_text_addf(out, "; all of commit %s", commits->before);
    else
        sg_text_addf(out, "; commits %s..%s", commits->before, commits->after);
}

#include "cli/history_commits.h"

#include <stdlib.h>
#include <string.h>

#include "cli/child.h"
#include "results/kernel_commit.h"
#include "util/escape.h"

#define INDENT "               "

/* FAMILY of FAMILY/CASE/VARIANT. */
static void add_family(struct sg_text *out, const struct sg_history *history, const struct sg_history_series *series)
{
    const char *item = sg_intern_pool_string(history->pool, series->item);
    sg_text_add_bytes(out, item, strcspn(item, "/"));
}

const char *sg_series_commit(const struct sg_history *history, const struct sg_history_series *series, size_t night)
{
    struct sg_text family = {0};
    add_family(&family, history, series);
    const char *commit = sg_kernel_commit(&history->nights[night].facts, sg_text_string(&family));
    sg_text_release(&family);
    return commit;
}

size_t sg_step_night_before(const struct sg_history_series *series, const struct sg_series_step *step)
{
    size_t night = step->earliest;
    while (night > 0 && series->row[night - 1] == SG_NO_ROW)
        night--;
    return night > 0 ? night - 1 : SG_NO_NIGHT;
}

struct sg_step_commits sg_step_commits_of(const struct sg_history *history, const struct sg_history_series *series,
                                          const struct sg_series_step *step)
{
    struct sg_step_commits commits = {.before = "", .after = sg_series_commit(history, series, step->latest)};
    struct sg_text family = {0};
    const size_t before = sg_step_night_before(series, step);
    if (before != SG_NO_NIGHT)
        commits.before = sg_series_commit(history, series, before);
    add_family(&family, history, series);
    commits.are_known = sg_is_commit(commits.before) && sg_is_commit(commits.after) && strcmp(commits.before, commits.after) != 0;
    commits.are_foreign = sg_kernels_are_foreign(&history->nights[step->latest].facts, sg_text_string(&family));
    sg_text_release(&family);
    return commits;
}

void sg_add_step_commits(struct sg_text *out, const struct sg_step_commits *commits)
{
    if (!*commits->before || !*commits->after)
        return;
    const bool is_one = strcmp(commits->before, commits->after) == 0;
    sg_text_add(out, is_one ? "; all of commit " : "; commits ");
    sg_add_terminal(out, commits->before);
    if (!is_one) {
        sg_text_add(out, "..");
        sg_add_terminal(out, commits->after);
    }
}

/* What git prints; false: it did not end with 0, and the reader is told why in our words. */
static bool read_log(const char *repository, const char *range, struct sg_text *log)
{
    static const char script[] = "exec git -C \"$0\" log --format='%h %s' -n20 \"$1\" -- 2>/dev/null";
    return sg_child_run((const char *const[]){"sh", "-c", script, repository, range, NULL}, log) == 0;
}

static void add_line(struct sg_text *out, const char *line)
{
    sg_text_add(out, INDENT);
    sg_add_terminal(out, line);
    sg_text_add(out, "\n");
}

void sg_add_commits(struct sg_text *out, const char *repository, const struct sg_step_commits *commits)
{
    struct sg_text range = {0}, log = {0}, why = {0};
    sg_text_addf(&range, "%s..%s", commits->before, commits->after);
    if (strcmp(commits->before, commits->after) == 0)
        goto out;
    if (!commits->are_known)
        sg_text_addf(&why, "no commits to list, for '%s' and '%s' are not both one: built outside of git, or with changed sources",
                     commits->before, commits->after);
    else if (!read_log(repository, range.data, &log))
        sg_text_addf(&why, "git lists no commits %s in %s: these kernels were built from another repository, which --repo=DIR names",
                     range.data, repository);
    if (why.length > 0)
        add_line(out, why.data);
    char *rest = log.data;
    for (const char *line; rest && (line = strsep(&rest, "\n")) != NULL;)
        if (*line)
            add_line(out, line);
out:
    sg_text_release(&range);
    sg_text_release(&log);
    sg_text_release(&why);
}

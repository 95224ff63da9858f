#include "cli/cmd_history.h"

#include <math.h>

#include "cli/judged_run.h"
#include "util/escape.h"

struct input {
    const char *folder;
    struct sg_names runs;
};

static void count_builds(const struct sg_night_rows *rows, size_t *paired, size_t *untimed)
{
    for (size_t i = 0; i < rows->count; i++) {
        *untimed += sg_night_is_untimed(&rows->items[i]);
        *paired += rows->items[i].build != 0 && !sg_night_is_untimed(&rows->items[i]);
    }
}

enum sg_code sg_history_add_run(const struct sg_history_query *in, const char *path,
                                struct sg_text *group, struct sg_text *out, struct sg_err *err)
{
    SG_SCOPED(sg_run) run = {0};
    struct sg_history history = {0};
    SG_SCOPED(sg_text) file = {0};
    bool is_new = false;
    if (sg_run_read(path, &run, err) != SG_SUCCESS ||
        sg_check_whole_run(path, sg_env_word(&run.env, "suite"), err) != SG_SUCCESS ||
        sg_night_of_run(&run, in->rule.catalogue, &history, err) != SG_SUCCESS ||
        sg_history_add(in->folder, &history, &file, &is_new, err) != SG_SUCCESS)
        return err->code;
    size_t paired = 0, untimed = 0;
    count_builds(&history.rows, &paired, &untimed);
    sg_night_add_group(&history.nights[0], group);
    sg_add_terminal(out, file.data);
    sg_text_addf(out, is_new ? ": added, %zu item%s" : ": there already, nothing added\n",
                 history.rows.count, SG_PLURAL(history.rows.count));
    if (is_new && paired > 0)
        sg_text_addf(out, ", %zu of them against their accepted builds", paired);
    if (is_new && untimed > 0)
        sg_text_addf(out, ", identical, not timed: %zu", untimed);
    if (is_new)
        sg_text_addf(out, "%s\n",
                     sg_env_get(&history.nights[0].facts, SG_NIGHT_UNFIT)
                         ? ", without their times, which the run itself calls invalid"
                         : "");
    return err->code;
}

/* Judges the run, which was added last, as the latest one, whatever its date. */
static void add_items(const struct sg_history *history, const struct sg_history_rule *rule,
                      struct sg_night_items *items)
{
    const size_t last = history->count - 1;
    struct sg_judgement j = {0};
    sg_history_judge(history, rule, &j);
    for (size_t s = 0; s < j.count; s++)
        if (!isnan(j.spreads[s].check.times) && j.spreads[s].night == last) {
            struct sg_night_item *item = sg_night_items_at(items, sg_history_item(&j, s));
            item->usual = j.spreads[s].check.usual;
            item->has_usual = true;
        }
    for (size_t i = 0; i < j.finding_count; i++) {
        const struct sg_history_finding *finding = &j.findings[i];
        struct sg_night_item *item = sg_night_items_at(items, sg_history_item(&j, finding->series));
        item->is_off |=
            finding->found == SG_OFF && finding->step.at == last && !finding->is_informational;
        if (finding->found == SG_SPREAD && j.spreads[finding->series].night == last)
            item->why_wide = finding->detail.data;
    }
}

void sg_history_find_items(const struct sg_history_query *in, const char *path,
                           struct sg_night_items *items)
{
    SG_SCOPED(sg_run) run = {0};
    struct sg_history history = {.is_recent = true};
    SG_SCOPED(sg_text) group = {0};
    struct sg_err unread = {0};
    if (sg_run_read(path, &run, &unread) == SG_SUCCESS)
        sg_night_add_group(&(struct sg_night){.facts = run.env}, &group);
    if (unread.code == SG_SUCCESS &&
        sg_history_load(in->folder, group.data, &history, &unread) == SG_SUCCESS &&
        sg_night_of_run(&run, in->rule.catalogue, &history, &unread) == SG_SUCCESS)
        add_items(&history, &in->rule, items);
}

static enum sg_code add_all(const struct input *in, struct sg_err *err)
{
    struct sg_catalogue catalogue = {0};
    SG_SCOPED(sg_text) out = {0}, group = {0};
    const struct sg_history_query to = {.folder = in->folder, .rule.catalogue = &catalogue};
    sg_catalogue_load(&catalogue, err);
    for (size_t i = 0; i < in->runs.count && err->code == SG_SUCCESS; i++)
        sg_history_add_run(&to, in->runs.items[i], &group, &out, err);
    /* Runs added before a failure are reported. */
    return sg_print(&out, err->code == SG_SUCCESS ? err : SG_IGNORED);
}

int sg_cmd_history_add(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_option options[] = {
        SG_HISTORY_OPTION(struct input, folder),
    };
    static const struct sg_options table = {
        .options = SG_OPTIONS(options),
        .arguments = {SG_ARGUMENT("RUN", struct input, runs, .help = SG_RUN_HELP, .repeats = true)},
        .summary =
            "Adds finished runs to a history, each as one file, written whole or not at all.",
        .notes = "A run that the history already has is reported and not changed. Runs can be "
                 "added in any order.\n\n"
                 "Files are DIR/<gpu>/<suite>/<date>-<GPU>-<run>.csv: machines that share DIR, or "
                 "merge it by git, never write the same file.\n\n"
                 "Example: solgate history add --history=../nights out/2026-11-20",
        .exits = {{SG_EXIT_DONE, "added, or there already"},
                  {SG_EXIT_INVALID, "a run is not finished, or not written"},
                  {SG_EXIT_USAGE, NULL}},
    };
    struct input in = {.folder = sg_history_folder()};
    if (sg_options_parse(&table, &in, argc, argv, err))
        add_all(&in, err);
    return 0;
}

#include "cli/cmd_baseline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "baseline/find.h"
#include "reports/report.h"
#include "results/env.h"
#include "util/escape.h"

static void add_fact(struct sg_text *text, const struct sg_env *env, const char *key)
{
    const char *value = sg_env_get(env, key);
    if (!value || !*value)
        return;
    sg_text_addf(text, "  %-16s ", key);
    sg_add_terminal(text, value);
    sg_text_add(text, "\n");
}

static void add_row(struct sg_text *text, const struct sg_accepted_file *baseline, size_t index)
{
    const struct sg_row *row = &baseline->table.rows[index];
    const struct sg_accepted *accepted = &baseline->accepted[index];
    const char *metric = sg_table_string(&baseline->table, row->metric);
    const char *expect = sg_table_string(&baseline->table, accepted->expect);
    const char *reason = sg_table_string(&baseline->table, accepted->reason);
    struct sg_text name = {0};
    struct sg_text value = {0};
    sg_text_addf(&name, "%s/%s/%s", sg_table_string(&baseline->table, row->family), sg_table_string(&baseline->table, row->case_),
                 sg_table_string(&baseline->table, row->variant));
    if (row->has & SG_HAS_VALUE)
        sg_add_value(&value, row->value, sg_table_string(&baseline->table, row->unit));
    else
        sg_text_add(&value, sg_status_word((enum sg_status)row->status));
    sg_text_addf(text, "  %-60s %-16s %14s", name.data, metric, sg_text_string(&value));
    if (isfinite(accepted->tolerance))
        sg_text_addf(text, "  +- %.3g %%", 100.0 * accepted->tolerance);
    if (*expect)
        sg_text_addf(text, "  expect %s", expect);
    if (*reason) {
        sg_text_add(text, "  reason: ");
        sg_add_terminal(text, reason);
    }
    sg_text_add(text, "\n");
    sg_text_release(&value);
    sg_text_release(&name);
}

static enum sg_code show_one(const char *path, struct sg_err *err)
{
    static const char *const facts[] = {"gpu",    "suite", "date",        "driver",        "cuda",
                                        "commit", "l2",    "time_source", "accepted_runs", "accepted_units"};
    struct sg_accepted_file baseline = {0};
    struct sg_text text = {0};
    struct sg_err seal = {0};
    size_t gating = 0;

    if (sg_accepted_file_read(path, &baseline, err) != SG_SUCCESS)
        goto out;
    sg_text_addf(&text, "%s\n", path);
    sg_accepted_file_check_seal(&baseline, &seal);
    if (seal.code != SG_SUCCESS)
        sg_text_add(&text, "  warning: changed since it was accepted, or nothing shows that it was not\n");
    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
        add_fact(&text, &baseline.env, facts[i]);
    for (size_t i = 0; i < baseline.env.count; i++)
        if (strncmp(baseline.env.key[i], SG_ACCEPTED_ITEM_PREFIX, strlen(SG_ACCEPTED_ITEM_PREFIX)) == 0)
            add_fact(&text, &baseline.env, baseline.env.key[i]);
    for (size_t i = 0; i < baseline.table.count; i++) {
        if (!baseline.accepted[i].gate)
            continue;
        gating++;
        add_row(&text, &baseline, i);
    }
    sg_text_addf(&text, "%zu of %zu rows gate\n", gating, baseline.table.count);
    if (sg_print(&text, err) == SG_SUCCESS && seal.code != SG_SUCCESS)
        sg_fail(err, seal.code, seal.where, "%s", seal.message);
out:
    sg_text_release(&text);
    sg_accepted_file_release(&baseline);
    return err->code;
}

static enum sg_code list_all(struct sg_err *err)
{
    struct sg_text text = {0};
    struct sg_names paths = {0};
    if (sg_baseline_files(&paths, err) == SG_SUCCESS) {
        for (size_t i = 0; i < paths.count; i++)
            sg_text_addf(&text, "%s\n", paths.items[i]);
        if (paths.count == 0)
            sg_text_add(&text, "no baselines yet; `solgate baseline accept RUN` makes one\n");
        sg_print(&text, err);
    }
    sg_names_release(&paths);
    sg_text_release(&text);
    return err->code;
}

int sg_baseline_show(int argc, char **argv, struct sg_err *err)
{
    static const struct sg_option arguments[] = {{.name = SG_BASELINE_FORMS, .type = SG_OPTION_TEXT, .optional = true}, {0}};
    static const struct sg_options table = {
        .arguments = arguments,
        .summary =
            "Shows the rows of a baseline that gate and where they come from; without an argument, which baselines there are. Of one "
            "that was changed since it was accepted the exit code is 3.",
        .notes = "Example: solgate baseline show h200/smoke",
        .exits = SG_EXITS_UNJUDGED,
    };
    const char *name = NULL;
    struct sg_text path = {0};
    if (!sg_options_parse(&table, &name, argc, argv, err))
        return 0;
    if (!name)
        list_all(err);
    else if (sg_baseline_path(name, &path, err) == SG_SUCCESS)
        show_one(path.data, err);
    sg_text_release(&path);
    return 0;
}

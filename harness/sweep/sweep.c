#include "sweep/sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process/pool.h"
#include "results/run_folder.h"
#include "sweep/sweep_internal.h"
#include "util/file.h"
#include "util/options.h"
#include "util/paths.h"

/* ---- which variants ---- */

/* `wanted`: FAMILY/VARIANT; NULL: all that have knobs. */
static bool is_wanted(const char *wanted, const struct sg_item *item)
{
    SG_SCOPED(sg_text) name = {0};
    sg_text_addf(&name, "%s/%s", item->family->name, item->variant->name);
    return item->variant->knob_count > 0 &&
           (wanted ? strcmp(wanted, name.data) == 0 : item->variant->expect == SG_OK);
}

static enum sg_code fail_none(const struct sg_run_plan *plan, const char *wanted,
                              struct sg_err *err)
{
    SG_SCOPED(sg_names) known = {0};
    SG_SCOPED(sg_text) list = {0};
    for (size_t i = 0; i < plan->count; i++) {
        SG_SCOPED(sg_text) name = {0};
        sg_text_addf(&name, "%s/%s", plan->items[i].family->name, plan->items[i].variant->name);
        if (plan->items[i].variant->knob_count > 0 && !sg_names_have(&known, name.data)) {
            sg_text_addf(&list, "%s%s", known.count ? ", " : "", name.data);
            sg_names_add(&known, name.data);
        }
    }
    return sg_fail(err, SG_BAD_USAGE, "--sweep",
                   "expected a variant of this run that has knobs, found %s; it has: %s",
                   wanted ? wanted : "none", known.count ? list.data : "none");
}

static void add_case(struct sg_sweep *sweep, const struct sg_item *item)
{
    struct sg_swept *swept = sweep->variants;
    while (swept < sweep->variants + sweep->count && swept->variant != item->variant)
        swept++;
    if (swept == sweep->variants + sweep->count) {
        sweep->count++;
        *swept =
            (struct sg_swept){.sweep = sweep, .family = item->family, .variant = item->variant};
        swept->cases = sg_alloc(item->family->case_count, sizeof(*swept->cases));
    }
    swept->cases[swept->case_count++].listed = item->case_;
}

static enum sg_code make_configurations(struct sg_swept *swept, struct sg_err *err)
{
    const size_t count = sg_sweep_configurations(swept->variant);
    if (count > SG_SWEEP_TRIES_MAX / swept->case_count)
        return sg_fail(err, SG_BAD_USAGE, "--sweep",
                       "expected at most %d configurations, found %zu of %s/%s for each of %zu "
                       "cases; --case=C narrows it",
                       SG_SWEEP_TRIES_MAX, count, swept->family->name, swept->variant->name,
                       swept->case_count);
    swept->configurations = sg_alloc(count + 1, sizeof(*swept->configurations));
    for (; swept->count <= count; swept->count++) {
        struct sg_sweep_configuration *one = &swept->configurations[swept->count];
        SG_SCOPED(sg_text) name = {0}, knobs = {0};
        sg_text_add(&name, swept->variant->name);
        if (swept->count > 0) {
            sg_text_addf(&name, "_c%03zu", swept->count);
            sg_sweep_add_knobs(swept->variant, swept->count - 1, &knobs);
        }
        one->called = *swept->variant;
        one->called.role = swept->count == 0 ? SG_BASELINE : SG_CANDIDATE;
        one->called.expect = SG_OK;
        one->called.name = sg_copy_string(name.data);
        one->knobs = sg_copy_string(swept->count == 0 ? "default" : knobs.data);
    }
    if (!sg_is_name(swept->configurations[count].called.name))
        return sg_fail(err, SG_BAD_USAGE, "--sweep",
                       "%s is too long a name: its configurations would be called %s",
                       swept->variant->name, swept->configurations[count].called.name);
    for (size_t c = 0; c < swept->case_count; c++) {
        swept->cases[c].tries = sg_alloc(swept->count, sizeof(*swept->cases[c].tries));
        swept->cases[c].count = swept->count;
        swept->cases[c].tries[0].reached = SG_SWEEP_CONFIRM;
    }
    return SG_SUCCESS;
}

/* Checks all variants before measuring the first: an impossible sweep must fail at once, not
 * after minutes. */
static enum sg_code make_variants(struct sg_sweep *sweep, const char *wanted, struct sg_err *err)
{
    const struct sg_run_plan *plan = &sweep->whole;
    sweep->variants = sg_alloc(plan->count, sizeof(*sweep->variants));
    for (size_t i = 0; i < plan->count; i++)
        if (is_wanted(wanted, &plan->items[i]))
            add_case(sweep, &plan->items[i]);
    for (size_t i = 0; i < sweep->count && err->code == SG_SUCCESS; i++)
        make_configurations(&sweep->variants[i], err);
    return sweep->count > 0 ? err->code : fail_none(plan, wanted, err);
}

static void release_variant(struct sg_swept *swept)
{
    for (size_t c = 0; c < swept->case_count; c++) {
        for (size_t i = 0; i < swept->cases[c].count; i++)
            free(swept->cases[c].tries[i].message);
        free(swept->cases[c].tries);
    }
    for (size_t i = 0; i < swept->count; i++) {
        free(swept->configurations[i].called.name);
        free(swept->configurations[i].knobs);
    }
    free(swept->configurations);
    free(swept->cases);
    sg_env_release(&swept->env);
}

/* ---- the folder ---- */

static enum sg_code write_file(const struct sg_sweep *sweep, const char *name, const char *ending,
                               const struct sg_text *text, struct sg_err *err)
{
    SG_SCOPED(sg_text) path = {0};
    sg_text_addf(&path, "%s/%s%s", sweep->folder.data, name, ending);
    return sg_write_file(path.data, sg_text_string(text), text->length, err);
}

/* Suggests to run the whole suite with the same modules on the same GPU. */
static void add_next(const struct sg_swept *swept, struct sg_text *out)
{
    struct sg_run_options next = *swept->sweep->options;
    next.filters = (struct sg_filters){0};
    sg_text_add(out, "Next: solgate ");
    sg_run_command(&next, out);
    sg_text_addf(out, " --config=%s/%s.config\n", swept->sweep->folder.data, swept->family->name);
}

static enum sg_code write_all(const struct sg_sweep *sweep, struct sg_err *err)
{
    SG_SCOPED(sg_text) tables = {0}, csv = {0}, config = {0};
    bool has_found = false;
    sg_text_add(&csv, SG_SWEEP_HEADER "\n");
    for (size_t i = 0; i < sweep->count && err->code == SG_SUCCESS; i++) {
        const struct sg_swept *swept = &sweep->variants[i];
        sg_sweep_show(swept, &tables);
        sg_sweep_add_csv(swept, &csv);
        sg_sweep_add_config(swept, &config);
        for (size_t c = 0; c < swept->case_count; c++)
            has_found |= sg_sweep_best(&swept->cases[c]) != 0;
        if (i + 1 < sweep->count && sweep->variants[i + 1].family == swept->family)
            continue; /* the file of knobs has all variants of the family */
        write_file(sweep, swept->family->name, ".config", &config, err);
        if (has_found)
            add_next(swept, &tables);
        sg_text_release(&config);
        has_found = false;
    }
    if (err->code == SG_SUCCESS && write_file(sweep, "sweep", ".csv", &csv, err) == SG_SUCCESS)
        sg_print(&tables, err);
    return err->code;
}

/* Checks before anything runs: a stage makes a subfolder, which would mix with existing files. */
static enum sg_code check_folder(const struct sg_sweep *sweep, struct sg_err *err)
{
    const char *folder = sweep->folder.data;
    bool found = sg_run_log_is_bare(folder);
    if (!sweep->options->resume)
        return access(folder, F_OK) == 0 ? sg_run_folder_check(folder, NULL, err) : SG_SUCCESS;
    for (size_t i = 0; i < sweep->count && !found; i++) {
        SG_SCOPED(sg_text) path = {0};
        sg_text_addf(&path, "%s/%s/%s", folder, sweep->variants[i].family->name,
                     sweep->variants[i].variant->name);
        found = sg_is_folder(path.data);
    }
    return found ? SG_SUCCESS
                 : sg_fail(err, SG_BAD_USAGE, folder,
                           "expected the folder of an unfinished sweep to go on with, found none "
                           "of its variants in it");
}

static void add_way_on(const struct sg_sweep *sweep, struct sg_err *err)
{
    const size_t length = strlen(err->message);
    if (sweep->begun &&
        (err->code == SG_INTERRUPTED || err->code == SG_INVALID || err->code == SG_SYSTEM))
        snprintf(err->message + length, sizeof(err->message) - length,
                 "; what was found out is kept: solgate %s --out=%s --resume", sweep->command.data,
                 sweep->folder.data);
}

/* ---- the sweep ---- */

/* The exit code is from the defaults. */
static enum sg_code sweep_variant(struct sg_swept *swept, int *exit_code, struct sg_err *err)
{
    for (int stage = 0; stage < SG_SWEEP_STAGES && err->code == SG_SUCCESS; stage++)
        if (sg_sweep_stage_run(swept, (enum sg_sweep_stage)stage, err) == SG_SUCCESS)
            sg_sweep_select(swept->cases, swept->case_count, (enum sg_sweep_stage)stage);
    for (size_t c = 0; c < swept->case_count && err->code == SG_SUCCESS; c++)
        *exit_code = sg_worse_exit(
            *exit_code, sg_verdict_exit(sg_verdict_of_status(swept->variant->expect,
                                                             swept->cases[c].tries[0].status)));
    return err->code;
}

static enum sg_code sweep_all(struct sg_sweep *sweep, int *exit_code, struct sg_err *err)
{
    sg_run_plan_print_simulated(&sweep->whole);
    for (size_t i = 0; i < sweep->count && err->code == SG_SUCCESS; i++)
        sweep_variant(&sweep->variants[i], exit_code, err);
    if (err->code == SG_SUCCESS)
        write_all(sweep, err);
    add_way_on(sweep, err);
    return err->code;
}

static enum sg_code name_folder(struct sg_sweep *sweep, struct sg_err *err)
{
    SG_SCOPED(sg_text) before = {0};
    sg_text_addf(&before, "out/sweep-%s-", sweep->inputs.suite.name);
    if (!sweep->options->out)
        return sg_make_dated_folder(before.data, &sweep->folder, err);
    sg_text_add(&sweep->folder, sweep->options->out);
    return SG_SUCCESS;
}

enum sg_code sg_sweep_run(const struct sg_run_options *options, const char *variant, int *exit_code,
                          struct sg_err *err)
{
    struct sg_sweep sweep = {.options = options, .seed = options->seed, .begun = options->resume};
    sigset_t signals;
    sg_signals_hold(&signals);
    sg_run_command(options, &sweep.command);
    sg_text_addf(&sweep.command, " --sweep%s%s", variant ? "=" : "", variant ? variant : "");
    if (sg_run_plan_make(options, &sweep.inputs, &sweep.whole, err) == SG_SUCCESS &&
        make_variants(&sweep, variant, err) == SG_SUCCESS &&
        name_folder(&sweep, err) == SG_SUCCESS && check_folder(&sweep, err) == SG_SUCCESS)
        sweep_all(&sweep, exit_code, err);
    for (size_t i = 0; i < sweep.count; i++)
        release_variant(&sweep.variants[i]);
    free(sweep.variants);
    sg_run_plan_release(&sweep.whole);
    sg_run_inputs_release(&sweep.inputs);
    sg_text_release(&sweep.folder);
    sg_text_release(&sweep.command);
    sg_signals_let_go(&signals);
    return err->code;
}

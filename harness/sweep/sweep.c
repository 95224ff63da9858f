#include "sweep/sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process/pool.h"
#include "results/env.h"
#include "results/run_folder.h"
#include "results/run_log.h"
#include "sweep/sweep_internal.h"
#include "util/file.h"
#include "util/options.h"
#include "util/paths.h"

/* What all variants of one command share. */
struct sweeps {
    const struct sg_run_options *options;
    const char *wanted; /* FAMILY/VARIANT; NULL: all that have knobs */
    struct sg_run_inputs inputs;
    struct sg_run_plan whole; /* of a run without --sweep: its items say what is swept */
    uint64_t seed;
    struct sg_text folder, command;
    struct sg_text tables, csv, config; /* config: of the family under way */
    int exit_code;                      /* by the defaults */
    bool begun;                         /* is there something that --resume goes on with? */
    bool has_found;                     /* a configuration to set, of the family under way */
};

static bool is_wanted(const struct sweeps *all, const struct sg_item *item)
{
    const size_t length = strlen(item->family->name);
    if (item->variant->knob_count == 0)
        return false;
    if (!all->wanted)
        return item->variant->expect == SG_OK;
    return strncmp(all->wanted, item->family->name, length) == 0 && all->wanted[length] == '/' &&
           strcmp(all->wanted + length + 1, item->variant->name) == 0;
}

/* Is it the first item of its variant that is wanted? */
static bool begins_variant(const struct sweeps *all, size_t index)
{
    const struct sg_run_plan *plan = &all->whole;
    for (size_t i = 0; i < index; i++)
        if (plan->items[i].variant == plan->items[index].variant)
            return false;
    return is_wanted(all, &plan->items[index]);
}

static enum sg_code fail_none(const struct sweeps *all, struct sg_err *err)
{
    SG_SCOPED(sg_names) known = {0};
    SG_SCOPED(sg_text) list = {0};
    const struct sg_run_plan *plan = &all->whole;
    for (size_t i = 0; i < plan->count; i++) {
        SG_SCOPED(sg_text) name = {0};
        sg_text_addf(&name, "%s/%s", plan->items[i].family->name, plan->items[i].variant->name);
        if (plan->items[i].variant->knob_count > 0 && !sg_names_have(&known, name.data)) {
            sg_text_addf(&list, "%s%s", known.count ? ", " : "", name.data);
            sg_names_add(&known, name.data);
        }
    }
    return sg_fail(err, SG_BAD_USAGE, "--sweep", "expected a variant of this run that has knobs, found %s; it has: %s",
                   all->wanted ? all->wanted : "none", known.count ? list.data : "none");
}

/* ---- one variant ---- */

static void name_configurations(struct sg_sweep *sweep, size_t count)
{
    sweep->called_count = count + 1;
    sweep->called = sg_alloc(sweep->called_count, sizeof(*sweep->called));
    for (size_t i = 0; i < sweep->called_count; i++) {
        SG_SCOPED(sg_text) name = {0};
        sweep->called[i] = *sweep->variant;
        sweep->called[i].role = i == 0 ? SG_BASELINE : SG_CANDIDATE;
        sweep->called[i].expect = SG_OK;
        sg_text_add(&name, sweep->variant->name);
        if (i > 0)
            sg_text_addf(&name, "_c%03zu", i);
        sweep->called[i].name = sg_copy_string(name.data);
    }
}

static void take_cases(struct sg_sweep *sweep)
{
    const struct sg_run_plan *plan = sweep->whole;
    sweep->cases = sg_alloc(plan->count, sizeof(*sweep->cases));
    sweep->listed = sg_alloc(plan->count, sizeof(*sweep->listed));
    for (size_t i = 0; i < plan->count; i++) {
        if (plan->items[i].variant != sweep->variant)
            continue;
        sweep->listed[sweep->case_count] = plan->items[i].case_;
        sweep->cases[sweep->case_count++] = (struct sg_sweep_case){.name = plan->items[i].case_->name};
    }
}

static enum sg_code begin(struct sweeps *all, const struct sg_item *item, struct sg_sweep *sweep, struct sg_err *err)
{
    *sweep = (struct sg_sweep){
        .options = all->options,
        .whole = &all->whole,
        .folder = all->folder.data,
        .command = all->command.data,
        .family = item->family,
        .variant = item->variant,
        .seed = all->seed,
    };
    const size_t count = sg_sweep_configurations(sweep->variant);
    take_cases(sweep);
    if (count > SG_SWEEP_TRIES_MAX / sweep->case_count)
        return sg_fail(err, SG_BAD_USAGE, "--sweep",
                       "expected at most %d configurations, found %zu of %s/%s for each of %zu cases; --case=C narrows it",
                       SG_SWEEP_TRIES_MAX, count, sweep->family->name, sweep->variant->name, sweep->case_count);
    name_configurations(sweep, count);
    if (!sg_is_name(sweep->called[count].name))
        return sg_fail(err, SG_BAD_USAGE, "--sweep", "%s is too long a name: its configurations would be called %s", sweep->variant->name,
                       sweep->called[count].name);
    for (size_t c = 0; c < sweep->case_count; c++) {
        /* Who takes part in a later stage follows from the earlier ones. */
        sweep->cases[c].tries = sg_alloc(sweep->called_count, sizeof(*sweep->cases[c].tries));
        sweep->cases[c].count = sweep->called_count;
        sweep->cases[c].tries[0].reached = SG_SWEEP_CONFIRM;
    }
    return SG_SUCCESS;
}

static void release(struct sg_sweep *sweep)
{
    for (size_t c = 0; c < sweep->case_count; c++) {
        for (size_t i = 0; i < sweep->cases[c].count; i++)
            free(sweep->cases[c].tries[i].message);
        free(sweep->cases[c].tries);
    }
    for (size_t i = 0; i < sweep->called_count; i++)
        free(sweep->called[i].name);
    free(sweep->called);
    free(sweep->cases);
    free(sweep->listed);
    sg_env_release(&sweep->env);
}

static enum sg_code sweep_variant(struct sweeps *all, const struct sg_item *item, struct sg_err *err)
{
    struct sg_sweep sweep;
    begin(all, item, &sweep, err);
    for (int stage = 0; stage < SG_SWEEP_STAGES && err->code == SG_SUCCESS; stage++) {
        if (sg_sweep_stage_run(&sweep, (enum sg_sweep_stage)stage, err) == SG_SUCCESS)
            sg_sweep_select(sweep.cases, sweep.case_count, (enum sg_sweep_stage)stage);
    }
    if (err->code == SG_SUCCESS) {
        sg_sweep_add_tables(&sweep, &all->tables);
        sg_sweep_add_csv(&sweep, &all->csv);
        sg_sweep_add_config(&sweep, &all->config);
        sg_sweep_draw(&sweep, &all->tables);
    }
    for (size_t c = 0; c < sweep.case_count && err->code == SG_SUCCESS; c++) {
        const enum sg_standing own = sg_standing_of(sweep.variant->expect, sweep.cases[c].tries[0].status);
        all->has_found |= sg_sweep_best(&sweep.cases[c]) != 0;
        all->exit_code = sg_standing_exit_code(own, all->exit_code);
    }
    all->begun |= sweep.begun;
    all->seed = sweep.seed;
    release(&sweep);
    return err->code;
}

/* ---- all of them ---- */

static enum sg_code write_file(const struct sweeps *all, const char *name, const char *ending, const struct sg_text *text,
                               struct sg_err *err)
{
    SG_SCOPED(sg_text) path = {0};
    sg_text_addf(&path, "%s/%s%s", all->folder.data, name, ending);
    return sg_write_file(path.data, sg_text_string(text), text->length, err);
}

/* Checked for all variants before the first is measured: what cannot be swept
 * must not come out minutes later. */
static enum sg_code check_all(struct sweeps *all, struct sg_err *err)
{
    const struct sg_run_plan *plan = &all->whole;
    bool any = false;
    for (size_t i = 0; i < plan->count && err->code == SG_SUCCESS; i++) {
        struct sg_sweep sweep;
        if (!begins_variant(all, i))
            continue;
        any = true;
        begin(all, &plan->items[i], &sweep, err);
        release(&sweep);
    }
    return any || err->code != SG_SUCCESS ? err->code : fail_none(all, err);
}

/* The suite as a whole, by the same modules on the same GPU. */
static void add_next(struct sweeps *all, const char *family)
{
    struct sg_run_options next = *all->options;
    next.filters = (struct sg_filters){0};
    sg_text_add(&all->tables, "Next: solgate ");
    sg_run_command(&next, &all->tables);
    sg_text_addf(&all->tables, " --config=%s/%s.config\n", all->folder.data, family);
}

/* Items of a plan stand family by family. */
static enum sg_code sweep_all(struct sweeps *all, struct sg_err *err)
{
    const struct sg_run_plan *plan = &all->whole;
    if (check_all(all, err) != SG_SUCCESS)
        return err->code;
    sg_run_plan_print_simulated(&all->whole);
    sg_text_add(&all->csv, SG_SWEEP_HEADER "\n");
    for (size_t i = 0; i < plan->count && err->code == SG_SUCCESS; i++) {
        if (begins_variant(all, i))
            sweep_variant(all, &plan->items[i], err);
        const bool is_last = i + 1 == plan->count || plan->items[i + 1].family != plan->items[i].family;
        if (is_last && all->config.length > 0 && err->code == SG_SUCCESS) {
            write_file(all, plan->items[i].family->name, ".config", &all->config, err);
            if (all->has_found)
                add_next(all, plan->items[i].family->name);
            sg_text_release(&all->config);
            all->has_found = false;
        }
    }
    return err->code == SG_SUCCESS ? write_file(all, "sweep", ".csv", &all->csv, err) : err->code;
}

/* Is there a folder of a variant's stages in it? */
static bool has_stages(const struct sweeps *all)
{
    const struct sg_run_plan *plan = &all->whole;
    bool found = false;
    for (size_t i = 0; i < plan->count && !found; i++) {
        SG_SCOPED(sg_text) path = {0};
        sg_text_addf(&path, "%s/%s/%s", all->folder.data, plan->items[i].family->name, plan->items[i].variant->name);
        found = is_wanted(all, &plan->items[i]) && sg_is_folder(path.data);
    }
    return found;
}

/* Before anything runs: a stage makes a folder in it, which would hide among what is there. */
static enum sg_code check_folder(const struct sweeps *all, struct sg_err *err)
{
    const char *folder = all->folder.data;
    if (!all->options->resume)
        return access(folder, F_OK) == 0 ? sg_run_folder_check(folder, NULL, err) : SG_SUCCESS;
    if (has_stages(all) || sg_run_log_is_bare(folder))
        return SG_SUCCESS;
    return sg_fail(err, SG_BAD_USAGE, folder, "expected the folder of an unfinished sweep to go on with, found none of its variants in it");
}

static void add_way_on(const struct sweeps *all, struct sg_err *err)
{
    const size_t length = strlen(err->message);
    if (!all->begun)
        return;
    if (err->code == SG_INTERRUPTED || err->code == SG_INVALID || err->code == SG_SYSTEM)
        snprintf(err->message + length, sizeof(err->message) - length, "; what was found out is kept: solgate %s --out=%s --resume",
                 all->command.data, all->folder.data);
}

enum sg_code sg_sweep_run(const struct sg_run_options *options, const char *variant, int *exit_code, struct sg_err *err)
{
    struct sweeps all = {.options = options, .wanted = variant, .seed = options->seed, .begun = options->resume};
    sigset_t before;
    sg_signals_hold(&before);
    sg_run_command(options, &all.command);
    sg_text_addf(&all.command, " --sweep%s%s", variant ? "=" : "", variant ? variant : "");
    if (sg_run_plan_make(options, &all.inputs, &all.whole, err) != SG_SUCCESS)
        goto out;
    if (options->out)
        sg_text_add(&all.folder, options->out);
    else
        sg_text_addf(&all.folder, "out/sweep-%s-%s", all.inputs.suite.name, sg_utc_now(SG_UTC_FOLDER).text);
    if (check_folder(&all, err) == SG_SUCCESS && sweep_all(&all, err) == SG_SUCCESS)
        sg_print(&all.tables, err);
    else
        add_way_on(&all, err);
    *exit_code = all.exit_code;
out:
    sg_run_plan_release(&all.whole);
    sg_run_inputs_release(&all.inputs);
    sg_text_release(&all.folder);
    sg_text_release(&all.command);
    sg_text_release(&all.tables);
    sg_text_release(&all.csv);
    sg_text_release(&all.config);
    sg_signals_let_go(&before);
    return err->code;
}

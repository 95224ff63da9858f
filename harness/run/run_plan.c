#include "run/run_plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "results/accepted_place.h"
#include "results/row_kind.h"
#include "run/accepted_builds.h"
#include "run/sweep_plan.h"
#include "util/digest.h"
#include "util/escape.h"
#include "util/paths.h"

/* ---- inputs ---- */

static enum sg_code add_default_modules(const struct sg_run_options *options,
                                        const struct sg_suite *suite,
                                        struct sg_module_list *listing, struct sg_err *err)
{
    SG_SCOPED(sg_names) modules = {0};
    for (size_t i = 0; i < suite->family_count && err->code == SG_SUCCESS; i++) {
        const struct sg_suite_family *wish = &suite->families[i];
        if (sg_module_list_find(listing, wish->name) ||
            !sg_names_match(&options->filters.families, wish->name))
            continue;
        SG_SCOPED(sg_text) name = {0}, path = {0};
        sg_text_addf(&name, "libsg_%s.so", wish->name);
        if (sg_path_of_module(&path, name.data, err) == SG_SUCCESS && access(path.data, R_OK) != 0)
            sg_fail_at(err, SG_BAD_INPUT, suite->path, wish->line,
                       "the family %s needs the module %s: %s (built only where its toolkit is "
                       "found; --module=FILE names another)",
                       wish->name, path.data, strerror(errno));
        sg_names_add(&modules, sg_text_string(&path));
    }
    if (err->code == SG_SUCCESS)
        sg_module_list_add((const char *const *)modules.items, modules.count, listing, err);
    return err->code;
}

/* Checks each metric of the suite separately, so that the error has its line. */
static enum sg_code check_suite_metrics(struct sg_run_plan *plan, struct sg_err *err)
{
    const struct sg_suite *suite = plan->suite;
    for (size_t i = 0; i < suite->metrics.count && err->code == SG_SUCCESS; i++) {
        const char *const name = suite->metrics.items[i];
        const struct sg_metric **found = NULL;
        struct sg_err bad = {0};
        size_t count;
        if (sg_catalogue_select(&plan->catalogue, &name, 1, &found, &count, &bad) != SG_SUCCESS)
            sg_fail_at(err, bad.code, suite->path, suite->metric_lines[i], "metrics: %s",
                       bad.message);
        free(found);
    }
    return err->code;
}

enum sg_code sg_run_plan_choose_metrics(struct sg_run_plan *plan, const struct sg_names *names,
                                        struct sg_err *err)
{
    const struct sg_names *chosen = names->count > 0 ? names : &plan->suite->metrics;
    if (sg_catalogue_load(&plan->catalogue, err) == SG_SUCCESS &&
        check_suite_metrics(plan, err) == SG_SUCCESS)
        sg_catalogue_select(&plan->catalogue, (const char *const *)chosen->items, chosen->count,
                            &plan->metrics, &plan->metric_count, err);
    return err->code;
}

/* Names a suite of whole modules by its families, because runs of other families are not
 * comparable. A name that is too long ends in its digest. */
static void name_modules(struct sg_suite *suite, const struct sg_module_list *listing)
{
    SG_SCOPED(sg_names) families = {0};
    SG_FORMATTED(name, "%s", suite->name);
    for (size_t i = 0; i < listing->count; i++)
        sg_names_add(&families, listing->families[i].name);
    sg_names_sort(&families);
    for (size_t i = 0; i < families.count; i++)
        sg_text_addf(&name, "_%s", families.items[i]);
    if (!sg_is_name(name.data)) {
        struct sg_digest digest = SG_DIGEST_EMPTY;
        sg_digest_add_string(&digest, name.data);
        SG_FREED char *all = sg_copy_string(name.data);
        sg_text_release(&name);
        sg_text_addf(&name, "%.40s_%s", all, sg_digest_word(&digest).text);
    }
    suite->name = sg_copy_string(name.data);
}

enum sg_code sg_run_plan_find_drift(struct sg_run_plan *plan, struct sg_err *err)
{
    /* Segments are timed by events, whose resolution is as coarse as the drift to detect. */
    if (plan->settings.sustained)
        return SG_SUCCESS;
    const char *file =
        sg_run_plan_needs_gpu(plan) ? "libsg_reference.so" : "libsg_null_reference.so";
    if (sg_path_of_module(&plan->drift, file, err) == SG_SUCCESS &&
        access(plan->drift.data, R_OK) != 0)
        sg_text_release(&plan->drift);
    return err->code;
}

/* ---- knobs ---- */

static enum sg_code check_knobs(const struct sg_listed_variant *variant,
                                const struct sg_knob_setting *setting, const char *path,
                                struct sg_err *err)
{
    for (size_t i = 0; i < setting->count && err->code == SG_SUCCESS; i++) {
        const char *name = setting->knob[i].name;
        SG_SCOPED(sg_text) known = {0};
        bool there = false;
        for (size_t k = 0; k < variant->knob_count; k++) {
            sg_text_addf(&known, "%s%s", k ? ", " : "", variant->knob[k].name);
            there |= strcmp(variant->knob[k].name, name) == 0;
        }
        if (!there && known.length > 0)
            sg_fail_at(err, SG_BAD_INPUT, path, setting->line,
                       "no knob of %s/%s is called %s; known: %s", setting->family, variant->name,
                       name, known.data);
        else if (!there)
            sg_fail_at(err, SG_BAD_INPUT, path, setting->line, "%s/%s has no knobs, found %s",
                       setting->family, variant->name, name);
    }
    return err->code;
}

enum sg_code sg_knob_setting_check(const struct sg_knob_setting *setting,
                                   const struct sg_listed_family *family, const char *path,
                                   struct sg_err *err)
{
    const struct sg_listed_variant *variant = sg_listed_variant_find(family, setting->variant);
    if (!variant)
        return sg_fail_at(
            err, SG_BAD_INPUT, path, setting->line,
            "family %s has no variant %s (it has %zu; `solgate list variants` shows them)",
            family->name, setting->variant, family->variant_count);
    if (!sg_listed_case_find(family, setting->case_))
        return sg_fail_at(err, SG_BAD_INPUT, path, setting->line,
                          "family %s has no case %s (it has %zu; `solgate list cases` shows them)",
                          family->name, setting->case_, family->case_count);
    return check_knobs(variant, setting, path, err);
}

static enum sg_code read_settings(struct sg_run_plan *plan, const char *config, struct sg_err *err)
{
    const char *path = config ? config : plan->suite->config;
    if (!path || sg_knob_file_read(path, &plan->knobs, err) != SG_SUCCESS)
        return err->code;
    for (size_t i = 0; i < plan->knobs.count && err->code == SG_SUCCESS; i++) {
        const struct sg_knob_setting *setting = &plan->knobs.items[i];
        const struct sg_listed_family *family = sg_module_list_find(plan->modules, setting->family);
        if (family)
            sg_knob_setting_check(setting, family, path, err);
        else if (!sg_suite_has(plan->suite, setting->family)) /* left out by --family */
            sg_fail_at(err, SG_BAD_INPUT, path, setting->line,
                       "expected a family of this run, found %s", setting->family);
    }
    return err->code;
}

/* ---- items ---- */

struct sg_item *sg_run_plan_add(struct sg_run_plan *plan, const struct sg_item *item)
{
    struct sg_item *added = SG_APPEND(plan->items, plan->count, plan->capacity);
    *added = *item;
    return added;
}

void sg_run_plan_close(struct sg_run_plan *plan)
{
    plan->own_count = 0;
    for (size_t i = 0; i < plan->count; i++) {
        struct sg_item *item = &plan->items[i];
        plan->own_count += !item->only_timed && !item->program;
        item->knobs = sg_knob_settings_find(&plan->knobs, SG_ITEM_NAMES(item));
    }
}

static enum sg_code add_items(struct sg_run_plan *plan, const struct sg_filters *filters,
                              const struct sg_suite_program ***programs, struct sg_err *err)
{
    struct sg_plan items = {0};
    if (sg_plan_make(plan->suite, plan->modules, filters, &items, err) != SG_SUCCESS)
        return err->code;
    plan->items = items.items;
    plan->count = items.count;
    plan->capacity = items.capacity;
    plan->programs.name = sg_copy_string(SG_EXEC_FAMILY);
    plan->programs.device = sg_copy_string("cuda");
    plan->programs.cases = sg_alloc(items.program_count, sizeof(*plan->programs.cases));
    plan->program_count = items.program_count;
    *programs = items.programs;
    return SG_SUCCESS;
}

/* A program is its own baseline, because its times are not paired. Its arguments are the shape of
 * its kernels: numbers with other arguments are not comparable. */
static void add_programs(struct sg_run_plan *plan, const struct sg_suite_program *const *programs)
{
    static char name[] = SG_WHOLE_PROGRAM;
    static const struct sg_listed_variant whole = {
        .name = name, .role = SG_BASELINE, .expect = SG_OK};
    for (size_t i = 0; i < plan->program_count; i++) {
        SG_SCOPED(sg_text) command = {0}, shape = {0};
        struct sg_listed_case *case_ = &plan->programs.cases[plan->programs.case_count++];
        sg_text_add_command(&command, programs[i]->argv.items + programs[i]->own);
        sg_add_cell(&shape, sg_text_string(&command));
        *case_ = (struct sg_listed_case){.name = sg_copy_string(programs[i]->name),
                                         .shape = sg_copy_string(sg_text_string(&shape))};
        sg_run_plan_add(plan, &(struct sg_item){.family = &plan->programs,
                                                .case_ = case_,
                                                .variant = &whole,
                                                .program = programs[i],
                                                .baseline = plan->count});
    }
}

enum sg_code sg_run_plan_make(const struct sg_run_options *options, struct sg_run_inputs *inputs,
                              struct sg_run_plan *plan, struct sg_err *err)
{
    const struct sg_names *modules = &options->modules;
    struct sg_suite *suite = &inputs->suite;
    SG_FREED const struct sg_suite_program **programs = NULL;
    plan->suite = suite;
    plan->modules = &inputs->modules;
    sg_run_command(options, &plan->command);
    inputs->modules.suite = inputs->accepted_builds.suite = suite;
    if (sg_suite_load(options->suite, suite, err) != SG_SUCCESS)
        return err->code;
    plan->settings = suite->settings;
    plan->settings.energy |= options->energy;
    if (sg_run_plan_choose_metrics(plan, &options->metrics, err) != SG_SUCCESS ||
        sg_module_list_add((const char *const *)modules->items, modules->count, &inputs->modules,
                           err) != SG_SUCCESS)
        return err->code;
    if (strcmp(suite->name, SG_SUITE_OF_MODULES) == 0 && suite->family_count == 0)
        name_modules(suite, &inputs->modules);
    if (add_default_modules(options, suite, &inputs->modules, err) != SG_SUCCESS ||
        read_settings(plan, options->config, err) != SG_SUCCESS ||
        add_items(plan, &options->filters, &programs, err) != SG_SUCCESS)
        return err->code;
#ifndef SOLGATE_HAVE_CUDA
    if (sg_run_plan_needs_gpu(plan) && !sg_run_plan_needs_host(plan) && plan->program_count == 0)
        return sg_fail(err, SG_NO_GPU, NULL, "this solgate " SG_NO_TOOLKIT);
#endif
    if (plan->program_count > 0 && (options->gpu > 0 || options->gpus > 0))
        return sg_fail(err, SG_BAD_USAGE, "--gpu",
                       "a program chooses its GPU itself: set CUDA_VISIBLE_DEVICES instead");
    if ((options->sweep && sg_sweep_plan_make(options->sweep, suite, plan, err) != SG_SUCCESS) ||
        (options->against_accepted &&
         sg_accepted_builds_add(options, &inputs->accepted_builds, plan, err) != SG_SUCCESS))
        return err->code;
    add_programs(plan, programs);
    sg_run_plan_close(plan);
    return sg_run_plan_find_drift(plan, err);
}

/* ---- derived from the plan ---- */

double sg_run_plan_tolerance(const struct sg_run_plan *plan, const char *family)
{
    for (size_t i = 0; i < plan->suite->family_count; i++)
        if (strcmp(plan->suite->families[i].name, family) == 0)
            return plan->suite->families[i].settings.tolerance;
    return plan->settings.tolerance;
}

bool sg_run_plan_needs_gpu(const struct sg_run_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++)
        if (sg_listed_needs_gpu(plan->items[i].family))
            return true;
    return false;
}

bool sg_run_plan_needs_host(const struct sg_run_plan *plan)
{
    for (size_t i = 0; i < plan->count; i++)
        if (!sg_listed_needs_gpu(plan->items[i].family))
            return true;
    return false;
}

void sg_run_plan_print_simulated(const struct sg_run_plan *plan)
{
    if (!sg_run_plan_needs_gpu(plan))
        fprintf(stderr, "%s\n", SG_SIMULATED_WORDS);
}

void sg_run_command(const struct sg_run_options *o, struct sg_text *command)
{
    sg_text_add(command, "run ");
    sg_text_add_word(command, o->suite);
    sg_filters_add_to(command, &o->filters);
    for (size_t i = 0; i < o->metrics.count; i++)
        sg_text_add_option(command, "metrics", o->metrics.items[i]);
    for (size_t i = 0; i < o->modules.count; i++)
        sg_text_add_option(command, "module", o->modules.items[i]);
    if (o->config)
        sg_text_add_option(command, "config", o->config);
    if (o->gpu > 0 && o->gpus == 0)
        sg_text_addf(command, " --gpu=%" PRIu64, o->gpu);
    for (uint64_t left = o->gpus; left > 0 && left < UINT64_MAX; left &= left - 1)
        sg_text_addf(command, "%s%d", left == o->gpus ? " --gpu=" : ",", __builtin_ctzll(left));
    if (o->gpus == UINT64_MAX)
        sg_text_add(command, " --gpu=all");
    if (o->energy)
        sg_text_add(command, " --energy");
    if (o->shared_gpu_allowed)
        sg_text_add(command, " --allow-shared-gpu");
    if (o->against_accepted) {
        sg_text_add(command, " --against-accepted");
        sg_accepted_place_add_options(command);
    }
}

#include "run/pipeline_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "builds/store.h"
#include "results/accepted_place.h"
#include "results/samples.h"
#include "stats/abba.h"
#include "util/paths.h"

void sg_args_worker(struct sg_names *args, const struct sg_pipeline *p, const char *pass)
{
    sg_names_addf(args, "%s", p->listing->worker);
    sg_names_addf(args, "--pass=%s", pass);
    sg_names_addf(args, "--seed=%" PRIu64, p->seed);
    sg_names_addf(args, "--gpu=%" PRIu64, p->options->gpu);
}

void sg_args_item(struct sg_names *args, const struct sg_item *item)
{
    sg_names_addf(args, "--item=%s/%s/%s", item->family->name, item->case_->name, item->variant->name);
}

void sg_args_module(struct sg_names *args, const struct sg_pipeline *p, const struct sg_listed_family *family)
{
    const bool is_against = p->against && sg_module_list_find(p->against, family->name) == family;
    sg_names_addf(args, "--%s=%s", is_against ? "against" : "module", family->module);
}

/* Is this family, case, variant the item's? */
static bool item_is(const struct sg_item *item, const char *const name[3])
{
    return strcmp(name[2], item->variant->name) == 0 && strcmp(name[1], item->case_->name) == 0 && strcmp(name[0], item->family->name) == 0;
}

enum sg_code sg_item_check(const struct sg_item *item, const struct sg_message *m, struct sg_err *err)
{
    if (item_is(item, m->field))
        return SG_SUCCESS;
    return sg_fail(err, SG_INVALID, NULL, "expected %s/%s/%s, found %s/%s/%s", item->family->name, item->case_->name, item->variant->name,
                   m->field[0], m->field[1], m->field[2]);
}

void sg_item_row(struct sg_table *group, const struct sg_item *item, const char *metric, const char *unit, enum sg_status status,
                 const char *message)
{
    sg_table_add(group, &(struct sg_value){.family = item->family->name,
                                           .case_ = item->case_->name,
                                           .variant = item->variant->name,
                                           .metric = metric,
                                           .unit = unit,
                                           .status = status,
                                           .message = message});
}

double sg_pipeline_tolerance(const struct sg_pipeline *p, const char *family)
{
    for (size_t i = 0; i < p->suite->family_count; i++)
        if (strcmp(p->suite->families[i].name, family) == 0)
            return p->suite->families[i].tolerance;
    return p->suite->tolerance;
}

bool sg_pipeline_is_whole(const struct sg_pipeline *p, const char *family, const struct sg_pair_samples *batches)
{
    const struct sg_pilot pilot = {
        .least = p->suite->blocks,
        .launches = p->suite->launches,
        .tolerance = sg_pipeline_tolerance(p, family),
    };
    return batches->count == sg_pair_samples_wanted(batches, &pilot, p->seed);
}

const char *sg_step_ran(const struct sg_step *step, const struct sg_sample *sample, uint64_t seed)
{
    const bool candidate = sg_abba_is_candidate(sg_abba_coin(seed, sample->process, sample->block), sample->position);
    return (candidate || !step->baseline ? step : step->baseline)->item.variant->name;
}

const struct sg_metric *sg_pipeline_counted(const struct sg_pipeline *p, const char *metric)
{
    for (size_t i = 0; i < p->metric_count; i++)
        if (strcmp(p->metrics[i]->name, metric) == 0)
            return p->metrics[i];
    return NULL;
}

void sg_step_take_batches(struct sg_step *step, const struct sg_pair_samples *batches, uint64_t seed)
{
    const unsigned process = batches->items[0].process;
    step->processes |= (uint64_t)1 << process;
    step->results = sg_grow(step->results, &step->results_capacity, process + 1, sizeof(*step->results));
    step->results[process] = sg_pair_samples_result(batches, seed);
    /* Of the two builds it is the accepted one that is called by the pair's name; what is
     * asked is how this run's compares. */
    if (step->is_accepted_build)
        step->results[process].ratio.y = -step->results[process].ratio.y;
}

static enum sg_code add_default_modules(const struct sg_pipeline *p, struct sg_module_list *listing, struct sg_err *err)
{
    struct sg_names modules = {0};
    for (size_t i = 0; i < p->suite->family_count && err->code == SG_SUCCESS; i++) {
        const struct sg_suite_family *wish = &p->suite->families[i];
        if (sg_module_list_find(listing, wish->name) || !sg_names_match(&p->options->filters.families, wish->name))
            continue;
        struct sg_text name = {0}, path = {0};
        sg_text_addf(&name, "libsg_%s.so", wish->name);
        if (sg_path_of_module(&path, name.data, err) == SG_SUCCESS && access(path.data, R_OK) != 0)
            sg_fail_at(err, SG_BAD_INPUT, p->suite->path, wish->line,
                       "the family %s needs the module %s: %s (built only where its toolkit is found; --module=FILE names another)",
                       wish->name, path.data, strerror(errno));
        sg_names_add(&modules, sg_text_string(&path));
        sg_text_release(&name);
        sg_text_release(&path);
    }
    if (err->code == SG_SUCCESS)
        sg_module_list_add((const char *const *)modules.items, modules.count, listing, err);
    sg_names_release(&modules);
    return err->code;
}

/* Each of the suite's by itself, so that an unknown one is told with its line. */
static enum sg_code check_suite_metrics(struct sg_pipeline *p, struct sg_err *err)
{
    for (size_t i = 0; i < p->suite->metrics.count && err->code == SG_SUCCESS; i++) {
        const char *const name = p->suite->metrics.items[i];
        const struct sg_metric **found = NULL;
        struct sg_err bad = {0};
        size_t count;
        if (sg_catalogue_select(&p->catalogue, &name, 1, &found, &count, &bad) != SG_SUCCESS)
            sg_fail_at(err, bad.code, p->suite->path, p->suite->metric_lines[i], "metrics: %s", bad.message);
        free(found);
    }
    return err->code;
}

/* Only what the count pass can tell; times and models come by themselves. */
enum sg_code sg_pipeline_choose_metrics(struct sg_pipeline *p, struct sg_err *err)
{
    const struct sg_names *names = p->options->metrics.count > 0 ? &p->options->metrics : &p->suite->metrics;
    if (sg_catalogue_load(&p->catalogue, err) == SG_SUCCESS && check_suite_metrics(p, err) == SG_SUCCESS)
        sg_catalogue_select(&p->catalogue, (const char *const *)names->items, names->count, &p->metrics, &p->metric_count, err);
    return err->code;
}

static bool same_case(const struct sg_item *a, const struct sg_item *b)
{
    return a->family == b->family && a->case_ == b->case_;
}

/* The items of a case stand together. */
static void pair_steps(struct sg_pipeline *p)
{
    size_t to = 0;
    for (size_t from = 0; from < p->plan.count; from = to) {
        const struct sg_step *baseline = NULL;
        for (to = from; to < p->plan.count && same_case(&p->steps[from].item, &p->steps[to].item); to++)
            if (!baseline && p->steps[to].item.variant->role == SG_BASELINE)
                baseline = &p->steps[to];
        for (size_t i = from; i < to; i++)
            p->steps[i].baseline = baseline;
    }
}

static int compare_names(const struct sg_item *item, const char *const name[3])
{
    int order = strcmp(item->family->name, name[0]);
    if (order == 0)
        order = strcmp(item->case_->name, name[1]);
    return order != 0 ? order : strcmp(item->variant->name, name[2]);
}

static int by_name(const void *left, const void *right)
{
    const struct sg_step *const *a = left, *const *b = right;
    const struct sg_item *item = &(*b)->item;
    return compare_names(&(*a)->item, (const char *const[]){item->family->name, item->case_->name, item->variant->name});
}

struct sg_step *sg_pipeline_step(const struct sg_pipeline *p, const char *const name[3])
{
    size_t low = 0, high = p->plan.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        struct sg_step *step = p->by_name[middle];
        const int order = compare_names(&step->item, name);
        if (order == 0)
            return step;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* Its worker or the device's context died, or it was never timed:
 * not what it told of itself alone. */
static bool is_settled_by_baseline(const struct sg_step *step)
{
    return step->passed && step->baseline && step->baseline != step && step->baseline->status != SG_OK &&
           (step->status == SG_OK || step->status == SG_CRASH || step->status == SG_HANG || step->status == SG_CUDA_ERROR);
}

void sg_pipeline_settle(struct sg_pipeline *p)
{
    for (size_t i = 0; i < p->plan.count; i++) {
        struct sg_step *step = &p->steps[i];
        if (!is_settled_by_baseline(step))
            continue;
        struct sg_text why = {0};
        sg_text_addf(&why, "its baseline %s is %s", step->baseline->item.variant->name, sg_status_word(step->baseline->status));
        step->status = SG_SKIPPED;
        free(step->message);
        step->message = sg_copy_string(why.data);
        sg_text_release(&why);
    }
}

void sg_pipeline_make_steps(struct sg_pipeline *p)
{
    p->steps = sg_alloc(p->plan.count, sizeof(*p->steps));
    for (size_t i = 0; i < p->plan.count; i++)
        p->steps[i].item = p->plan.items[i];
    pair_steps(p);
    p->by_name = sg_alloc(p->plan.count, sizeof(*p->by_name));
    for (size_t i = 0; i < p->plan.count; i++)
        p->by_name[i] = &p->steps[i];
    qsort(p->by_name, p->plan.count, sizeof(*p->by_name), by_name);
}

static int by_string(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Everything in some modules is a suite of its own: runs of other families than these are not
 * compared with it. What is too long for a name ends in its digest. */
static void name_modules(struct sg_suite *suite, const struct sg_module_list *listing)
{
    const char **families = sg_alloc(listing->count, sizeof(*families));
    struct sg_text name = {0};
    for (size_t i = 0; i < listing->count; i++)
        families[i] = listing->families[i].name;
    qsort(families, listing->count, sizeof(*families), by_string);
    sg_text_add(&name, suite->name);
    for (size_t i = 0; i < listing->count; i++)
        sg_text_addf(&name, "_%s", families[i]);
    if (!sg_is_name(name.data)) {
        struct sg_digest digest = SG_DIGEST_EMPTY;
        sg_digest_add_string(&digest, name.data);
        char *all = sg_copy_string(name.data);
        sg_text_release(&name);
        sg_text_addf(&name, "%.40s_%s", all, sg_digest_word(&digest).text);
        free(all);
    }
    free(suite->name);
    suite->name = sg_copy_string(name.data);
    sg_text_release(&name);
    free(families);
}

enum sg_code sg_pipeline_plan(struct sg_pipeline *p, struct sg_suite *suite, struct sg_module_list *listing, struct sg_err *err)
{
    const struct sg_names *modules = &p->options->modules;
    p->suite = suite;
    p->listing = listing;
    if (sg_suite_load(p->options->suite, suite, err) != SG_SUCCESS || sg_pipeline_choose_metrics(p, err) != SG_SUCCESS ||
        sg_module_list_add((const char *const *)modules->items, modules->count, listing, err) != SG_SUCCESS)
        return err->code;
    if (strcmp(suite->name, SG_SUITE_OF_MODULES) == 0 && suite->family_count == 0)
        name_modules(suite, listing);
    if (add_default_modules(p, listing, err) != SG_SUCCESS || sg_pipeline_configure(p, err) != SG_SUCCESS ||
        sg_plan_make(suite, listing, &p->options->filters, &p->plan, err) != SG_SUCCESS)
        return err->code;
    if (p->options->against_accepted && sg_pipeline_plan_pairs(p, err) != SG_SUCCESS)
        return err->code;
    sg_pipeline_make_steps(p);
    sg_pipeline_link_pairs(p);
    return SG_SUCCESS;
}

void sg_pipeline_release(struct sg_pipeline *p)
{
    for (size_t i = 0; p->steps && i < p->plan.count; i++) {
        free(p->steps[i].message);
        free(p->steps[i].where);
        free(p->steps[i].identity);
        free(p->steps[i].count_message);
        free(p->steps[i].suspected);
        free(p->steps[i].refused);
        free(p->steps[i].results);
    }
    free(p->steps);
    free(p->by_name);
    free(p->metrics);
    sg_plan_release(&p->plan);
    sg_settings_release(&p->settings);
    sg_catalogue_release(&p->catalogue);
    sg_process_log_release(&p->processes);
    sg_text_release(&p->drift);
    sg_text_release(&p->shared);
    sg_pipeline_release_code(p);
    sg_pipeline_release_pairs(p);
    sg_run_writer_release(&p->folder);
}

/* Says what is kept and how to go on, where the bare reason would leave that open. */
static void add_way_on(const struct sg_pipeline *p, struct sg_err *err)
{
    size_t length = strlen(err->message);
    snprintf(err->message + length, sizeof(err->message) - length, "; what was found out is kept: solgate %s --out=%s --resume", p->command,
             p->folder.path);
}

void sg_pipeline_give_up(struct sg_pipeline *p, struct sg_err *err)
{
    const char *state = sg_env_get(&p->folder.env, "state");
    if (state && strcmp(state, "finished") == 0)
        return; /* its files are not the ones that were written: nothing goes on from there */
    if (p->folder.rows.whole_bytes > sizeof(SG_RUN_HEADER))
        add_way_on(p, err);
    else if (err->code == SG_NO_GPU && !p->options->resume)
        sg_run_writer_undo(&p->folder);
}

void sg_run_command(const struct sg_run_options *o, struct sg_text *command)
{
    sg_text_add(command, "run ");
    sg_text_add_word(command, o->suite);
    sg_filters_add_to(command, &o->filters);
    for (size_t i = 0; i < o->metrics.count; i++)
        sg_text_addf(command, " --metrics=%s", o->metrics.items[i]);
    for (size_t i = 0; i < o->modules.count; i++) {
        sg_text_add(command, " --module=");
        sg_text_add_word(command, o->modules.items[i]);
    }
    if (o->config) {
        sg_text_add(command, " --config=");
        sg_text_add_word(command, o->config);
    }
    if (o->gpu > 0)
        sg_text_addf(command, " --gpu=%" PRIu64, o->gpu);
    if (o->shared_gpu_allowed)
        sg_text_add(command, " --allow-shared-gpu");
    if (o->sanitize)
        sg_text_add(command, " --sanitize");
    if (o->against_accepted) {
        sg_text_add(command, " --against-accepted");
        sg_accepted_place_add_option(command);
        sg_builds_add_option(command);
    }
}

enum sg_code sg_pipeline_run(const struct sg_run_options *options, struct sg_text *folder, int *exit_code, struct sg_err *err)
{
    struct sg_text command = {0};
    struct sg_suite suite = {0};
    struct sg_module_list listing = {0};
    struct sg_samples batches;
    size_t *all = NULL;
    sg_samples_init(&batches);
    sg_run_command(options, &command);
    struct sg_pipeline p = {.options = options, .seed = options->seed, .command = command.data, .batches = &batches};
    sigset_t before;
    sg_signals_hold(&before);
    sg_run_writer_init(&p.folder);
    sg_progress_init(&p.progress);
    if (sg_pipeline_plan(&p, &suite, &listing, err) != SG_SUCCESS || sg_pipeline_find_drift(&p, err) != SG_SUCCESS ||
        sg_pipeline_open(&p, err) != SG_SUCCESS)
        goto out;
    sg_pipeline_print_simulated(&p);
    all = sg_pipeline_all_steps(&p);
    const size_t count = p.plan.count;
    if (sg_pipeline_verify(&p, all, count, err) == SG_SUCCESS && sg_pipeline_time(&p, all, count, err) == SG_SUCCESS &&
        sg_pipeline_time_more(&p, err) == SG_SUCCESS && sg_pipeline_count(&p, all, count, err) == SG_SUCCESS &&
        sg_pipeline_sanitize(&p, err) == SG_SUCCESS && sg_pipeline_finish(&p, err) == SG_SUCCESS) {
        sg_pipeline_summary(&p, exit_code, err);
        if (folder)
            sg_text_add(folder, p.folder.path);
    } else {
        sg_pipeline_give_up(&p, err);
    }
out:
    free(all);
    sg_progress_end(&p.progress);
    sg_pipeline_release(&p);
    sg_module_list_release(&listing);
    sg_suite_release(&suite);
    sg_samples_release(&batches);
    sg_text_release(&command);
    sg_signals_let_go(&before);
    return err->code;
}

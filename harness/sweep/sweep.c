#include "sweep/sweep.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "model/refusals.h"
#include "process/pool.h"
#include "results/run_folder.h"
#include "results/run_log.h"
#include "run/run.h"
#include "stats/verdict.h"
#include "sweep/sweep_internal.h"
#include "util/file.h"
#include "util/options.h"
#include "util/paths.h"

/* ---- which variants ---- */

/* `wanted`: FAMILY/VARIANT; NULL: all that have knobs. */
static bool is_wanted(const char *wanted, const struct sg_item *item)
{
    SG_FORMATTED(name, "%s/%s", item->family->name, item->variant->name);
    return item->variant->knob_count > 0 &&
           (wanted ? strcmp(wanted, name.data) == 0 : item->variant->expect == SG_OK);
}

static enum sg_code fail_none(const struct sg_run_plan *plan, const char *wanted,
                              struct sg_err *err)
{
    SG_SCOPED(sg_names) known = {0};
    SG_SCOPED(sg_text) list = {0};
    for (size_t i = 0; i < plan->count; i++) {
        SG_FORMATTED(name, "%s/%s", plan->items[i].family->name, plan->items[i].variant->name);
        if (plan->items[i].variant->knob_count > 0 && !sg_names_have(&known, name.data)) {
            sg_text_addf(&list, "%s%s", known.count ? ", " : "", name.data);
            sg_names_add(&known, name.data);
        }
    }
    return sg_fail(err, SG_BAD_USAGE, "--sweep",
                   "expected a variant of this run that has knobs, found %s; it has: %s",
                   wanted ? wanted : "none", known.count ? list.data : "none");
}

static enum sg_code add_case(struct sg_sweep *sweep, const struct sg_item *item, size_t cases,
                             struct sg_err *err)
{
    const size_t count = sg_sweep_configurations(item->variant);
    struct sg_swept *swept = sweep->variants;
    while (swept < sweep->variants + sweep->count && swept->variant != item->variant)
        swept++;
    if (swept == sweep->variants + sweep->count) {
        sweep->count++;
        *swept =
            (struct sg_swept){.sweep = sweep, .family = item->family, .variant = item->variant};
        swept->cases = sg_alloc(cases, sizeof(*swept->cases));
    }
    if (count > SG_SWEEP_CONFIGURATIONS_MAX / (swept->case_count + 1))
        return sg_fail(err, SG_BAD_USAGE, "--sweep",
                       "expected at most %d configurations, found %zu of %s/%s for each of at "
                       "least %zu cases; --case=C selects fewer",
                       SG_SWEEP_CONFIGURATIONS_MAX, count, item->family->name, item->variant->name,
                       swept->case_count + 1);
    struct sg_sweep_case *c = &swept->cases[swept->case_count++];
    *c = (struct sg_sweep_case){.item = item, .tries = sg_alloc(count + 1, sizeof(*c->tries))};
    for (; c->count <= count; c->count++) {
        struct sg_sweep_try *one = &c->tries[c->count];
        struct sg_text name = {0}, knobs = {0};
        if (c->count > 0) {
            sg_sweep_add_name(item->variant, c->count - 1, &name);
            sg_sweep_add_knobs(item->variant, c->count - 1, &knobs);
        }
        one->name = c->count > 0 ? name.data : sg_copy_string(item->variant->name);
        one->knobs = c->count > 0 ? knobs.data : sg_copy_string("default");
    }
    if (!sg_is_name(c->tries[count].name))
        return sg_fail(err, SG_BAD_USAGE, "--sweep",
                       "the name %s is too long: expected configurations of up to 63 characters, "
                       "found %s",
                       item->variant->name, c->tries[count].name);
    return SG_SUCCESS;
}

/* Checks all variants before measuring the first: an impossible sweep must fail at once, not
 * after minutes. */
static enum sg_code make_variants(struct sg_sweep *sweep, const struct sg_run_plan *plan,
                                  const char *wanted, struct sg_err *err)
{
    sweep->variants = sg_alloc(plan->count + 1, sizeof(*sweep->variants));
    for (size_t i = 0; i < plan->count && err->code == SG_SUCCESS; i++)
        if (is_wanted(wanted, &plan->items[i]))
            add_case(sweep, &plan->items[i], plan->count, err);
    return sweep->count > 0 ? err->code : fail_none(plan, wanted, err);
}

/* ---- a stage ---- */

/* The first row of the configuration that is not ok: verification, timing, ratio. */
static const struct sg_row *find_failure(const struct sg_table *table, const struct sg_item *item,
                                         const char *name)
{
    static const char *const metrics[] = {"status", "time", "time_ratio"};
    for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++) {
        const struct sg_row *row =
            sg_table_find(table, item->family->name, item->case_->name, name, metrics[i]);
        if (row && row->status != SG_OK)
            return row;
    }
    return NULL;
}

/* Ignores a ratio if the time of the configuration or of the default was refused. */
static void take_try(const struct sg_run *run, const struct sg_refusals *refusals,
                     const struct sg_sweep_case *c, size_t index, struct sg_estimate *estimate)
{
    struct sg_sweep_try *one = &c->tries[index];
    const char *family = c->item->family->name, *case_ = c->item->case_->name;
    const struct sg_row *failure = find_failure(&run->table, c->item, one->name),
                        *ratio = sg_table_find(&run->table, family, case_, one->name, "time_ratio");
    const bool is_refused = sg_refusals_find(refusals, family, case_, one->name) ||
                            sg_refusals_find(refusals, family, case_, c->tries[0].name);
    if (sg_table_find(&run->table, family, case_, one->name, "status"))
        one->status = failure ? (enum sg_status)failure->status : SG_OK;
    if (!is_refused && ratio && ratio->status == SG_OK)
        *estimate = (struct sg_estimate){
            .n = ratio->n,
            .mean = log(ratio->value),
            .se = ratio->has & SG_HAS_SE ? ratio->se : NAN,
            .low = ratio->has & SG_HAS_LOW ? log(ratio->low) : NAN,
            .high = ratio->has & SG_HAS_HIGH ? log(ratio->high) : NAN,
        };
}

static enum sg_code take_values(struct sg_swept *swept, const char *folder, int stage,
                                struct sg_err *err)
{
    SG_SCOPED(sg_run) run = {0};
    struct sg_refusals refusals = {0};
    if (sg_run_read(folder, &run, err) != SG_SUCCESS ||
        sg_refusals_make(&run.table, &run.env, NULL, &refusals, err) != SG_SUCCESS)
        return err->code;
    /* Invalid times only choose worse configurations; an invalid confirmation cannot be used. */
    const char *unfit = sg_env_why_invalid(&run.env);
    if (unfit && stage == SG_SWEEP_CONFIRM)
        return sg_fail(err, SG_INVALID, folder,
                       "%s; remove its folder, and --resume measures this stage again", unfit);
    for (size_t c = 0; c < swept->case_count; c++)
        for (size_t i = 0; i < swept->cases[c].count; i++)
            take_try(&run, &refusals, &swept->cases[c], i,
                     &swept->cases[c].tries[i].estimate[stage]);
    sg_env_release(&swept->env);
    swept->env = run.env;
    run.env = (struct sg_env){0};
    return SG_SUCCESS;
}

/* The filters of the command, and only this variant. */
static void narrow(const struct sg_swept *swept, struct sg_filters *filters)
{
    const struct sg_names *cases = &swept->sweep->options->filters.cases;
    for (size_t i = 0; i < cases->count; i++)
        sg_names_add(&filters->cases, cases->items[i]);
    sg_names_add(&filters->families, swept->family->name);
    sg_names_add(&filters->variants, swept->variant->name);
}

/* Removes folders that a run without a GPU left empty: `folder`, and those above it down to the
 * first `length` bytes, the sweep's own. */
static void remove_empty(const struct sg_text *folder, size_t length)
{
    SG_FREED char *path = sg_copy_string(folder->data);
    for (char *end = path + folder->length; end && strlen(path) >= length;
         end = strrchr(path, '/')) {
        *end = '\0';
        rmdir(path);
    }
}

/* Each stage has other inputs and orders, so that none repeats another. */
#define STAGE_SEED UINT64_C(0x5851f42d4c957f2d)

static enum sg_code run_stage(struct sg_swept *swept, int stage, const struct sg_names *only,
                              struct sg_err *err)
{
    const struct sg_sweep *sweep = swept->sweep;
    const struct sg_sweep_stage stages[SG_SWEEP_STAGES] = {
        [SG_SWEEP_CHOOSE] = {.word = "choose", .processes = 5, .blocks = 8, .tolerance = 0.02},
        [SG_SWEEP_CONFIRM] = {.word = "confirm", .only = only},
    };
    struct sg_sweep_stage this = stages[stage];
    struct sg_run_options options = *sweep->options;
    struct sg_filters filters = {.families = {0}};
    struct sg_run_outcome outcome = {.exit_code = SG_EXIT_DONE};
    SG_SCOPED(sg_text) folder = {0}, env = {0};
    sg_text_addf(&folder, "%s/%s/%s/%s", sweep->folder.data, swept->family->name,
                 swept->variant->name, this.word);
    sg_text_addf(&env, "%s/env.csv", folder.data);
    narrow(swept, &filters);
    this.variant = swept->variant->name;
    this.command = sweep->command.data;
    this.folder = sweep->folder.data;
    options.sweep = &this;
    options.filters = filters;
    options.out = folder.data;
    options.resume = options.resume && access(env.data, F_OK) == 0;
    options.seed = sweep->seed + (uint64_t)stage * STAGE_SEED;
    if (sg_run_suite(&options, &outcome, err) == SG_SUCCESS)
        return take_values(swept, folder.data, stage, err);
    remove_empty(&folder, strlen(sweep->folder.data));
    return err->code;
}

/* ---- the folder ---- */

/* Suggests to run the whole suite with the same modules on the same GPU. */
static void add_next(const struct sg_swept *swept, struct sg_text *out)
{
    struct sg_run_options next = *swept->sweep->options;
    next.filters = (struct sg_filters){0};
    SG_FORMATTED(config, "%s/%s.config", swept->sweep->folder.data, swept->family->name);
    next.config = config.data;
    sg_text_add(out, "Next: solgate ");
    sg_run_command(&next, out);
    sg_text_add(out, "\n");
}

/* The file of knobs has all variants of a family. */
static enum sg_code write_all(const struct sg_sweep *sweep, struct sg_err *err)
{
    SG_SCOPED(sg_text) tables = {0}, config = {0};
    bool has_found = false;
    for (size_t i = 0; i < sweep->count && err->code == SG_SUCCESS; i++) {
        const struct sg_swept *swept = &sweep->variants[i];
        SG_SCOPED(sg_text) path = {0};
        sg_sweep_add_tables(swept, &tables);
        sg_sweep_add_config(swept, &config);
        for (size_t c = 0; c < swept->case_count; c++)
            has_found |= sg_sweep_best(&swept->cases[c]) != 0;
        if (i + 1 < sweep->count && sweep->variants[i + 1].family == swept->family)
            continue;
        sg_text_addf(&path, "%s/%s.config", sweep->folder.data, swept->family->name);
        sg_write_file(path.data, config.data, config.length, err);
        if (has_found)
            add_next(swept, &tables);
        sg_text_release(&config);
        has_found = false;
    }
    return err->code == SG_SUCCESS ? sg_print(&tables, err) : err->code;
}

/* Checks before anything runs: a stage makes a subfolder, which would mix with existing files. */
static enum sg_code check_folder(const struct sg_sweep *sweep, struct sg_err *err)
{
    const char *folder = sweep->folder.data;
    bool found = sg_run_log_is_bare(folder);
    if (!sweep->options->resume)
        return access(folder, F_OK) == 0 ? sg_run_folder_check(folder, NULL, err) : SG_SUCCESS;
    for (size_t i = 0; i < sweep->count && !found; i++) {
        SG_FORMATTED(path, "%s/%s/%s", folder, sweep->variants[i].family->name,
                     sweep->variants[i].variant->name);
        found = sg_is_folder(path.data);
    }
    return found ? SG_SUCCESS
                 : sg_fail(err, SG_BAD_USAGE, folder,
                           "expected the folder of an unfinished sweep, found none of the sweep's "
                           "variants in it");
}

/* ---- the sweep ---- */

/* A resumed sweep takes the seed of its first stage. */
static void take_seed(struct sg_sweep *sweep, const struct sg_swept *swept)
{
    const char *seed = sg_env_get(&swept->env, "seed");
    if (seed)
        sg_parse_u64(seed, &sweep->seed);
}

/* The exit code comes from the default configurations. */
static enum sg_code sweep_variant(struct sg_sweep *sweep, struct sg_swept *swept, int *exit_code,
                                  struct sg_err *err)
{
    SG_SCOPED(sg_names) chosen = {0};
    if (run_stage(swept, SG_SWEEP_CHOOSE, NULL, err) != SG_SUCCESS)
        return err->code;
    take_seed(sweep, swept);
    sg_sweep_choose(swept->cases, swept->case_count);
    for (size_t c = 0; c < swept->case_count; c++) {
        const struct sg_sweep_case *of = &swept->cases[c];
        if (of->chosen)
            sg_names_addf(&chosen, "%s/%s", of->item->case_->name, of->tries[of->chosen].name);
        *exit_code = sg_worse_exit(*exit_code, sg_verdict_exit(sg_verdict_of_status(
                                                   swept->variant->expect, of->tries[0].status)));
    }
    return chosen.count > 0 ? run_stage(swept, SG_SWEEP_CONFIRM, &chosen, err) : err->code;
}

static enum sg_code name_folder(struct sg_sweep *sweep, const char *suite, struct sg_err *err)
{
    SG_FORMATTED(before, "out/sweep-%s-", suite);
    return sg_choose_folder(sweep->options->out, before.data, &sweep->folder, err);
}

enum sg_code sg_sweep_run(const struct sg_run_options *options, const char *variant, int *exit_code,
                          struct sg_err *err)
{
    struct sg_sweep sweep = {.options = options, .seed = options->seed};
    struct sg_run_inputs inputs = {.suite = {0}};
    struct sg_run_plan whole = {0}; /* plan without --sweep; its items are the cases */
    sigset_t signals;
    sg_signals_hold(&signals);
    sg_run_command(options, &sweep.command);
    sg_text_addf(&sweep.command, " --sweep%s%s", variant ? "=" : "", variant ? variant : "");
    if (sg_run_plan_make(options, &inputs, &whole, err) == SG_SUCCESS &&
        make_variants(&sweep, &whole, variant, err) == SG_SUCCESS &&
        name_folder(&sweep, inputs.suite.name, err) == SG_SUCCESS)
        check_folder(&sweep, err);
    for (size_t i = 0; i < sweep.count && err->code == SG_SUCCESS; i++)
        sweep_variant(&sweep, &sweep.variants[i], exit_code, err);
    if (err->code == SG_SUCCESS)
        write_all(&sweep, err);
    sg_signals_let_go(&signals);
    return err->code;
}

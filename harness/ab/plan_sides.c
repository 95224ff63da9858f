#include "ab/ab_internal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plan/knobs.h"
#include "results/counter_repeats.h"
#include "results/env.h"
#include "results/row_kind.h"
#include "util/paths.h"

/* --sustained: 4 turns per side and process, and 2 to warm up. */
#define SEGMENT_BLOCKS   2
#define SEGMENT_DEADLINE 120

static char *copy_part(const char *from, const char *to)
{
    return sg_text_of("%.*s", (int)(to - from), from).data;
}

/* Parses [MODULE.so:]family/variant. A path may contain colons, names may not. */
static enum sg_code parse_side(const char *what, const char *given, struct sg_ab_side *side,
                               struct sg_err *err)
{
    const char *colon = strrchr(given, ':'), *names = colon ? colon + 1 : given,
               *slash = strchr(names, '/');
    side->module = colon ? copy_part(given, colon) : sg_copy_string("");
    if (slash) {
        side->family = copy_part(names, slash);
        side->name = sg_copy_string(slash + 1);
    }
    if (!slash || colon == given || !sg_is_name(side->family) || !sg_is_name(side->name))
        return sg_fail(err, SG_BAD_USAGE, what, "expected [MODULE.so:]FAMILY/VARIANT, found '%s'",
                       sg_show(given, strlen(given)).text);
    return SG_SUCCESS;
}

/* Without a module name, takes the --module file that has the family, otherwise the built-in
 * module. */
static enum sg_code find_module(const struct sg_ab *ab, struct sg_ab_side *side, struct sg_err *err)
{
    const struct sg_names *modules = &ab->options->modules;
    struct sg_module_list listing = {0};
    SG_SCOPED(sg_text) name = {0}, path = {0};
    if (!*side->module && modules->count == 1) { /* whether it has the family is checked later */
        free(side->module);
        side->module = sg_copy_string(modules->items[0]);
    }
    if (*side->module || sg_module_list_add((const char *const *)modules->items, modules->count,
                                            &listing, err) != SG_SUCCESS)
        return err->code;
    const struct sg_listed_family *family = sg_module_list_find(&listing, side->family);
    if (family) {
        sg_text_add(&path, family->module);
    } else if (modules->count > 0) {
        sg_fail(err, SG_BAD_USAGE, side->family, "no --module has this family: %s has %s",
                listing.families[0].module, listing.families[0].name);
    } else {
        sg_text_addf(&name, "libsg_%s.so", side->family);
        if (sg_path_of_module(&path, name.data, err) == SG_SUCCESS && access(path.data, R_OK) != 0)
            sg_fail(err, SG_BAD_USAGE, side->family,
                    "no module has this family: %s: %s (`solgate list families` shows what was "
                    "built; --module=FILE names another)",
                    path.data, strerror(errno));
    }
    side->module = sg_copy_string(sg_text_string(&path));
    return err->code;
}

static enum sg_code find_variant(struct sg_ab_side *side, const struct sg_module_list *listing,
                                 struct sg_err *err)
{
    side->listed = sg_module_list_find(listing, side->family);
    if (!side->listed)
        return sg_fail(err, SG_BAD_USAGE, side->module, "has the family %s, not %s",
                       listing->families[0].name, side->family);
    const struct sg_listed_variant *variant = sg_listed_variant_find(side->listed, side->name);
    if (!variant)
        return sg_fail(err, SG_BAD_USAGE, side->family,
                       "no variant of the family is called %s (`solgate list variants` shows them)",
                       side->name);
    side->variant = *variant;
    return SG_SUCCESS;
}

/* Code to be merged must be correct, whatever status its source declares. */
static enum sg_code name_side(struct sg_ab_side *side, enum sg_role role, bool apart,
                              struct sg_err *err)
{
    struct sg_text label = sg_text_of("%s%s", side->name, apart ? SG_OTHER_SUFFIX : "");
    side->label = label.data;
    side->variant.name = side->label;
    side->variant.role = role;
    side->declared = side->variant.expect;
    side->variant.expect = SG_OK;
    if (!sg_is_name(side->label))
        return sg_fail(
            err, SG_BAD_USAGE, side->name,
            "the other module's variant would be called %s: expected a name of at most 63 bytes",
            side->label);
    return SG_SUCCESS;
}

static enum sg_code find_sides(struct sg_ab *ab, struct sg_err *err)
{
    struct sg_ab_side *base = &ab->baseline, *cand = &ab->candidate;
    if (parse_side("BASELINE", ab->options->baseline, base, err) != SG_SUCCESS ||
        parse_side("CANDIDATE", ab->options->candidate, cand, err) != SG_SUCCESS)
        return err->code;
    if (strcmp(base->family, cand->family) != 0)
        return sg_fail(err, SG_BAD_USAGE, "BASELINE and CANDIDATE",
                       "expected two variants of one family, found %s and %s", base->family,
                       cand->family);
    if (ab->options->modules.count > 0 && *base->module && *cand->module)
        return sg_fail(err, SG_BAD_USAGE, "--module",
                       "%s is for a side without a module, but BASELINE and CANDIDATE both name "
                       "one: %s and %s",
                       ab->options->modules.items[0], base->module, cand->module);
    if (find_module(ab, base, err) != SG_SUCCESS || find_module(ab, cand, err) != SG_SUCCESS)
        return err->code;
    const bool one_file = sg_is_same_file(base->module, cand->module);
    struct sg_module_list *theirs = one_file ? &ab->mine : &ab->theirs;
    if (sg_module_list_add((const char *const[]){cand->module}, 1, &ab->mine, err) != SG_SUCCESS ||
        (!one_file &&
         sg_module_list_add((const char *const[]){base->module}, 1, theirs, err) != SG_SUCCESS) ||
        find_variant(base, theirs, err) != SG_SUCCESS ||
        find_variant(cand, &ab->mine, err) != SG_SUCCESS)
        return err->code;
    ab->same_thing = one_file && strcmp(base->name, cand->name) == 0;
    ab->plan.others = one_file ? NULL : &ab->theirs;
    if (name_side(base, SG_BASELINE, !one_file, err) == SG_SUCCESS)
        name_side(cand, ab->same_thing ? SG_BASELINE : SG_CANDIDATE, false, err);
    if (err->code == SG_SUCCESS && !ab->same_thing && strcmp(base->label, cand->label) == 0)
        sg_fail(err, SG_BAD_USAGE, "BASELINE and CANDIDATE",
                "both would be called %s: rename the candidate", cand->label);
    ab->plan.baseline_name = base->label;
    return err->code;
}

/* ---- cases ---- */

static void add_case(struct sg_ab *ab, const struct sg_listed_case *theirs,
                     const struct sg_listed_case *mine)
{
    const size_t baseline = ab->plan.count;
    sg_run_plan_add(&ab->plan,
                    &(struct sg_item){.family = ab->baseline.listed,
                                      .case_ = theirs,
                                      .variant = &ab->baseline.variant,
                                      .built_as = ab->baseline.name,
                                      .baseline = baseline,
                                      .build = ab->plan.others ? SG_BUILD_OTHER : SG_BUILD_OWN});
    if (!ab->same_thing)
        sg_run_plan_add(&ab->plan, &(struct sg_item){.family = ab->candidate.listed,
                                                     .case_ = mine,
                                                     .variant = &ab->candidate.variant,
                                                     .baseline = baseline});
    ab->case_count++;
}

static enum sg_code check_cases(const struct sg_ab *ab, struct sg_err *err)
{
    const struct sg_names *wanted = &ab->options->cases;
    for (size_t i = 0; i < wanted->count && err->code == SG_SUCCESS; i++) {
        const char *name = wanted->items[i];
        const struct sg_ab_side *side =
            sg_listed_case_find(ab->baseline.listed, name) ? &ab->candidate : &ab->baseline;
        SG_SCOPED(sg_text) known = {0};
        for (size_t k = 0; k < side->listed->case_count; k++)
            sg_text_addf(&known, "%s%s", k ? ", " : "", side->listed->cases[k].name);
        if (!sg_listed_case_find(side->listed, name))
            sg_fail(err, SG_BAD_USAGE, "--case", "no case of %s is called %s; known: %s",
                    side->module, name, sg_text_string(&known));
    }
    return err->code;
}

static enum sg_code make_plan(struct sg_ab *ab, struct sg_err *err)
{
    const struct sg_names *wanted = &ab->options->cases;
    if (check_cases(ab, err) != SG_SUCCESS)
        return err->code;
    for (size_t i = 0; i < ab->candidate.listed->case_count; i++) {
        const struct sg_listed_case *mine = &ab->candidate.listed->cases[i],
                                    *theirs = sg_listed_case_find(ab->baseline.listed, mine->name);
        if (theirs && (wanted->count == 0 || sg_names_have(wanted, mine->name)))
            add_case(ab, theirs, mine);
    }
    if (ab->case_count == 0)
        return sg_fail(err, SG_BAD_INPUT, ab->candidate.module,
                       "expected at least one case in common with %s, found none",
                       ab->baseline.module);
    sg_run_plan_close(&ab->plan);
    return SG_SUCCESS;
}

void sg_ab_take_steps(struct sg_ab *ab)
{
    const size_t sides = ab->same_thing ? 1 : 2;
    ab->cases = sg_alloc(ab->case_count, sizeof(*ab->cases));
    for (size_t i = 0; i < ab->case_count; i++) {
        const struct sg_step *first = &ab->execution.steps[i * sides];
        ab->cases[i] = (struct sg_ab_case){
            .baseline = first, .candidate = first + sides - 1, .pair = SG_NO_PAIR};
    }
}

/* ---- knobs ---- */

/* Takes the file's settings for a side, and stores them under the side's name in this run. */
static enum sg_code configure_side(struct sg_ab *ab, const struct sg_ab_side *side,
                                   const struct sg_knob_settings *file, struct sg_err *err)
{
    for (size_t i = 0; i < file->count && err->code == SG_SUCCESS; i++) {
        const struct sg_knob_setting *from = &file->items[i];
        if (strcmp(from->family, side->family) != 0 || strcmp(from->variant, side->name) != 0)
            continue;
        const struct sg_knob_setting_of of = {.family = side->family,
                                              .case_ = from->case_,
                                              .name = side->label,
                                              .variant = side->label};
        if (sg_knob_setting_check(from, side->listed, ab->options->config, err) == SG_SUCCESS)
            sg_knob_setting_copy_knobs(from, sg_knob_settings_add(&ab->plan.knobs, &of), err);
    }
    return err->code;
}

static enum sg_code configure(struct sg_ab *ab, struct sg_err *err)
{
    struct sg_knob_settings file = {0};
    if (ab->options->config && sg_knob_file_read(ab->options->config, &file, err) == SG_SUCCESS &&
        configure_side(ab, &ab->baseline, &file, err) == SG_SUCCESS && !ab->same_thing)
        configure_side(ab, &ab->candidate, &file, err);
    if (ab->options->config && err->code == SG_SUCCESS && ab->plan.knobs.count == 0)
        sg_fail(err, SG_BAD_INPUT, ab->options->config,
                "expected a section of %s/%s or of %s/%s, found neither", ab->baseline.family,
                ab->baseline.name, ab->candidate.family, ab->candidate.name);
    return err->code;
}

/* ---- identity of the run ---- */

static void set_identity(struct sg_ab *ab)
{
    SG_SCOPED(sg_text) text = {0};
    struct sg_env *env = &ab->plan.identity;
    const struct sg_ab_side *base = &ab->baseline, *cand = &ab->candidate;
    const enum sg_item_build build_of_base = ab->plan.others ? SG_BUILD_OTHER : SG_BUILD_OWN;
    ab->plan.code[ab->plan.code_count++] =
        (struct sg_code_side){"baseline_code", base->listed, build_of_base};
    ab->plan.code[ab->plan.code_count++] =
        (struct sg_code_side){"candidate_code", cand->listed, SG_BUILD_OWN};
    const char *const names[] = {ab->options->baseline, ab->options->candidate};
    sg_gate_set_facts(ab->options, names, env);
    if (ab->options->program)
        sg_env_set(env, "program", ab->options->program);
    sg_env_set(env, "baseline_commit", base->listed->commit);
    sg_env_set(env, "candidate_commit", cand->listed->commit);
    for (size_t i = 0; i < ab->plan.count; i++)
        if (ab->plan.items[i].baseline == i)
            sg_text_addf(&text, "%s%s", i ? "+" : "", ab->plan.items[i].case_->name);
    sg_env_set(env, "cases", sg_text_string(&text));
}

/* Chooses what one process of a gate measures of a pair. */
static void choose_settings(struct sg_ab *ab)
{
    struct sg_settings *settings = &ab->plan.settings;
    *settings = ab->options->settings;
    settings->tolerance_max = fmax(settings->tolerance, SG_TOLERANCE_MAX);
    settings->processes = SG_SEQUENTIAL_PROCESSES_MAX;
    settings->repeats = SG_REPEATS_GATE;
    settings->pilot_ms = SG_PILOT_MS_GATE;
    if (settings->sustained) {
        settings->blocks = SEGMENT_BLOCKS;
        settings->l2 = SG_L2_WARM;
        settings->deadline = SEGMENT_DEADLINE;
    }
}

enum sg_code sg_ab_plan(struct sg_ab *ab, struct sg_err *err)
{
    choose_settings(ab);
    ab->suite.name = sg_copy_string("ab");
    sg_names_add(&ab->suite.metrics, "default");
    ab->plan.suite = &ab->suite;
    ab->plan.modules = &ab->mine;
    sg_text_add(&ab->plan.command, ab->options->command);
    if (find_sides(ab, err) == SG_SUCCESS && configure(ab, err) == SG_SUCCESS &&
        make_plan(ab, err) == SG_SUCCESS && sg_run_plan_find_drift(&ab->plan, err) == SG_SUCCESS &&
        sg_run_plan_choose_metrics(&ab->plan, &(struct sg_names){0}, err) == SG_SUCCESS)
        set_identity(ab);
    return err->code;
}

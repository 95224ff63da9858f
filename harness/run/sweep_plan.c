#include "run/sweep_plan.h"

#include <inttypes.h>
#include <string.h>

#include "results/run_reader.h"

size_t sg_sweep_configurations(const struct sg_listed_variant *variant)
{
    size_t count = variant->knob_count > 0 ? 1 : 0;
    for (size_t k = 0; k < variant->knob_count; k++)
        count = count > SIZE_MAX / SG_MAX_KNOB_VALUES ? SIZE_MAX : count * variant->knob[k].count;
    return count;
}

void sg_sweep_add_knobs(const struct sg_listed_variant *variant, size_t index, struct sg_text *out)
{
    int64_t value[SG_MAX_KNOBS];
    for (size_t k = variant->knob_count; k-- > 0;) {
        const size_t count = variant->knob[k].count > 0 ? variant->knob[k].count : 1;
        value[k] = variant->knob[k].value[index % count];
        index /= count;
    }
    for (size_t k = 0; k < variant->knob_count; k++)
        sg_text_addf(out, "%s%s=%" PRId64, k ? " " : "", variant->knob[k].name, value[k]);
}

void sg_sweep_add_name(const struct sg_listed_variant *variant, size_t index, struct sg_text *out)
{
    sg_text_addf(out, "%s_c%03zu", variant->name, index + 1);
}

/* Adds the variant under the name of a configuration. `index`: SIZE_MAX for the default. */
static void add_configuration(struct sg_run_plan *plan, const struct sg_listed_variant *variant,
                              size_t index)
{
    struct sg_listed_variant *called = &plan->called[plan->called_count++];
    struct sg_text name = {0};
    if (index == SIZE_MAX)
        sg_text_add(&name, variant->name);
    else
        sg_sweep_add_name(variant, index, &name);
    *called = *variant;
    called->name = name.data;
    called->role = index == SIZE_MAX ? SG_BASELINE : SG_CANDIDATE;
    called->expect = SG_OK;
}

static bool is_asked(const struct sg_sweep_stage *stage, const struct sg_item *item)
{
    SG_FORMATTED(name, "%s/%s", item->case_->name, item->variant->name);
    return !stage->only || sg_names_have(stage->only, name.data);
}

/* Adds the default of the case and the requested configurations; nothing if none is requested. */
static void add_case(const struct sg_sweep_stage *stage, struct sg_run_plan *plan,
                     const struct sg_item *from, struct sg_err *err)
{
    const size_t first = plan->count;
    for (size_t i = 0; i < plan->called_count; i++) {
        struct sg_item item = *from;
        SG_SCOPED(sg_text) knobs = {0};
        item.variant = &plan->called[i];
        if (i > 0 && !is_asked(stage, &item))
            continue;
        sg_run_plan_add(plan, &item);
        if (i == 0)
            continue;
        const struct sg_knob_setting_of of = {SG_ITEM_NAMES(&item), stage->variant};
        sg_sweep_add_knobs(from->variant, i - 1, &knobs);
        sg_knob_setting_set_all(sg_knob_settings_add(&plan->knobs, &of), knobs.data, err);
    }
    if (plan->count == first + 1)
        plan->count = first;
}

static void set_limits(const struct sg_sweep_stage *stage, struct sg_suite *suite,
                       struct sg_settings *settings)
{
    settings->processes = stage->processes; /* 0: auto */
    settings->blocks = stage->blocks ? stage->blocks : settings->blocks;
    settings->pilot_ms = SG_PILOT_MS_GATE;
    for (size_t i = 0; i < suite->family_count && stage->tolerance > 0; i++)
        suite->families[i].settings.tolerance = stage->tolerance;
    settings->tolerance = stage->tolerance > 0 ? stage->tolerance : settings->tolerance;
}

enum sg_code sg_sweep_plan_make(const struct sg_sweep_stage *stage, struct sg_suite *suite,
                                struct sg_run_plan *plan, struct sg_err *err)
{
    SG_FREED struct sg_item *items = plan->items;
    const size_t count = plan->count;
    const struct sg_listed_variant *variant = NULL;
    for (size_t i = 0; i < count; i++)
        if (strcmp(items[i].variant->name, stage->variant) == 0)
            variant = items[i].variant;
    plan->items = NULL;
    plan->count = plan->capacity = plan->metric_count = plan->program_count = 0;
    if (!variant)
        return sg_fail(err, SG_BAD_USAGE, "--sweep",
                       "expected a case of %s in this run, found none", stage->variant);
    plan->knobs = (struct sg_knob_settings){0}; /* replaces the suite's file of knobs */
    plan->called = sg_alloc(sg_sweep_configurations(variant) + 1, sizeof(*plan->called));
    add_configuration(plan, variant, SIZE_MAX);
    for (size_t i = 0; i < sg_sweep_configurations(variant); i++)
        add_configuration(plan, variant, i);
    plan->baseline_name = plan->called[0].name;
    for (size_t i = 0; i < count; i++)
        if (items[i].variant == variant)
            add_case(stage, plan, &items[i], err);
    sg_plan_pair(plan->items, plan->count);
    plan->pairs_baseline = true;
    set_limits(stage, suite, &plan->settings);
    sg_text_release(&plan->command);
    sg_text_add(&plan->command, stage->command);
    sg_env_set(&plan->identity, SG_SWEEP_KEY, stage->word);
    return err->code;
}

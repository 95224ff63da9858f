#include "plan/plan.h"

#include <string.h>

static void add_once(struct sg_names *names, const char *name)
{
    if (!sg_names_have(names, name))
        sg_names_add(names, name);
}

/* An empty list means everything. */
static bool is_wanted(const struct sg_names *wish, const char *name)
{
    return wish->count == 0 || sg_names_have(wish, name);
}

/* Names in the suite and the modules before filtering; filters are checked against these names. */
struct offer {
    struct sg_names families, cases, variants;
};

struct planning {
    const struct sg_filters *filters;
    struct offer offer;
    struct sg_plan *plan;
};

static enum sg_code unknown(const struct sg_suite *suite, const struct sg_suite_family *wish,
                            const char *what, const char *name, const struct sg_text *known,
                            struct sg_err *err)
{
    return sg_fail_at(err, SG_BAD_INPUT, suite->path, wish->line,
                      "expected a %s of the family, found %s; known:%s", what, name,
                      sg_text_string(known));
}

static bool is_of_sizes(const struct sg_suite *suite, const struct sg_suite_family *wish,
                        const char *name)
{
    bool is_there = false;
    for (size_t i = 0; i < suite->case_count; i++)
        is_there |= strcmp(suite->cases[i].family, wish->name) == 0 &&
                    strcmp(suite->cases[i].name, name) == 0;
    return is_there;
}

/* Everything that the suite names must exist: otherwise a renamed case would silently drop out. */
static enum sg_code check_suite_family(const struct sg_suite *suite,
                                       const struct sg_suite_family *wish,
                                       const struct sg_listed_family *f, struct sg_err *err)
{
    SG_SCOPED(sg_text) cases = {0}, variants = {0};
    for (size_t i = 0; i < f->case_count; i++)
        sg_text_addf(&cases, "%s %s", i ? "," : "", f->cases[i].name);
    for (size_t i = 0; i < f->variant_count; i++)
        sg_text_addf(&variants, "%s %s", i ? "," : "", f->variants[i].name);
    for (size_t i = 0; i < wish->cases.count && err->code == SG_SUCCESS; i++)
        if (!sg_listed_case_find(f, wish->cases.items[i]) &&
            is_of_sizes(suite, wish, wish->cases.items[i]))
            sg_fail_at(err, SG_BAD_INPUT, suite->path, wish->line,
                       "case %s: family %s makes no cases from sizes; expected one of its cases:%s",
                       wish->cases.items[i], f->name, sg_text_string(&cases));
        else if (!sg_listed_case_find(f, wish->cases.items[i]))
            unknown(suite, wish, "case", wish->cases.items[i], &cases, err);
    for (size_t i = 0; i < wish->variants.count && err->code == SG_SUCCESS; i++)
        if (!sg_listed_variant_find(f, wish->variants.items[i]))
            unknown(suite, wish, "variant", wish->variants.items[i], &variants, err);
    return err->code;
}

/* `wish`: the suite's section for the family. */
static void add_family(const struct sg_suite_family *wish, const struct sg_listed_family *f,
                       struct planning *planning)
{
    struct sg_plan *plan = planning->plan;
    add_once(&planning->offer.families, f->name);
    for (size_t c = 0; c < f->case_count; c++) {
        if (!is_wanted(&wish->cases, f->cases[c].name))
            continue;
        add_once(&planning->offer.cases, f->cases[c].name);
        for (size_t v = 0; v < f->variant_count; v++) {
            const struct sg_listed_variant *variant = &f->variants[v];
            bool baseline = variant->role == SG_BASELINE;
            if (!baseline && !is_wanted(&wish->variants, variant->name))
                continue;
            add_once(&planning->offer.variants, variant->name);
            if (sg_filters_keep_case(planning->filters, f->name, f->cases[c].name) &&
                (baseline || sg_names_match(&planning->filters->variants, variant->name)))
                *SG_APPEND(plan->items, plan->count, plan->capacity) =
                    (struct sg_item){.family = f, .case_ = &f->cases[c], .variant = variant};
        }
    }
}

static enum sg_code add_suite(const struct sg_suite *suite, const struct sg_module_list *listing,
                              struct planning *planning, struct sg_err *err)
{
    for (size_t i = 0; i < suite->family_count; i++) {
        const struct sg_suite_family *wish = &suite->families[i];
        const struct sg_listed_family *f = sg_module_list_find(listing, wish->name);
        add_once(&planning->offer.families, wish->name);
        if (!f && !sg_names_match(&planning->filters->families, wish->name))
            continue;
        if (!f)
            return sg_fail_at(err, SG_BAD_INPUT, suite->path, wish->line,
                              "no module contains the family %s", wish->name);
        if (check_suite_family(suite, wish, f, err) != SG_SUCCESS)
            return err->code;
        add_family(wish, f, planning);
    }
    return SG_SUCCESS;
}

static void add_programs(const struct sg_suite *suite, struct planning *planning)
{
    struct sg_plan *plan = planning->plan;
    const struct sg_filters *filters = planning->filters;
    for (size_t i = 0; i < suite->program_count; i++) {
        const struct sg_suite_program *program = &suite->programs[i];
        add_once(&planning->offer.families, SG_EXEC_FAMILY);
        add_once(&planning->offer.cases, program->name);
        if (sg_filters_keep_case(filters, SG_EXEC_FAMILY, program->name))
            *SG_APPEND(plan->programs, plan->program_count, plan->program_capacity) = program;
    }
}

enum sg_code sg_plan_make(const struct sg_suite *suite, const struct sg_module_list *listing,
                          const struct sg_filters *filters, struct sg_plan *plan,
                          struct sg_err *err)
{
    static const struct sg_suite_family everything = {0};
    struct planning planning = {
        .filters = filters,
        .plan = plan,
    };
    *plan = (struct sg_plan){0};
    if (add_suite(suite, listing, &planning, err) != SG_SUCCESS)
        return err->code;
    for (size_t i = 0; i < listing->count; i++)
        if (!sg_suite_has(suite, listing->families[i].name))
            add_family(&everything, &listing->families[i], &planning);
    add_programs(suite, &planning);

    if (sg_patterns_check("--family", "family of this run", &filters->families,
                          &planning.offer.families, err) == SG_SUCCESS &&
        sg_patterns_check("--case", "case of this run", &filters->cases, &planning.offer.cases,
                          err) == SG_SUCCESS &&
        (plan->program_count > 0 ||
         sg_patterns_check("--variant", "variant of this run", &filters->variants,
                           &planning.offer.variants, err) == SG_SUCCESS) &&
        plan->count + plan->program_count == 0 && filters->shards.of == 0)
        sg_fail(err, SG_BAD_USAGE, suite->name,
                "nothing to run: no family of the suite or of a --module matches all of "
                "--family, --case and --variant");
    if (err->code != SG_SUCCESS)
        *plan = (struct sg_plan){0};
    else
        sg_plan_pair(plan->items, plan->count);
    return err->code;
}

void sg_plan_pair(struct sg_item *items, size_t count)
{
    for (size_t from = 0, to = 0; from < count; from = to) {
        size_t baseline = SG_NO_ITEM;
        for (to = from; to < count && items[from].family == items[to].family &&
                        items[from].case_ == items[to].case_;
             to++)
            if (baseline == SG_NO_ITEM && items[to].variant->role == SG_BASELINE)
                baseline = to;
        for (size_t i = from; i < to; i++)
            items[i].baseline = baseline;
    }
}

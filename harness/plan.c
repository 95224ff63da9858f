#include "plan.h"

#include <stdlib.h>
#include <string.h>

void sg_names_add(struct sg_names *names, const char *name)
{
    names->items = sg_grow(names->items, &names->capacity, names->count + 1, sizeof(*names->items));
    names->items[names->count++] = sg_copy_string(name);
}

void sg_names_release(struct sg_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->items[i]);
    free(names->items);
    *names = (struct sg_names){0};
}

static bool has(char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static bool wanted(char *const *names, size_t count, const char *name)
{
    return count == 0 || has(names, count, name);
}

static bool kept(const struct sg_names *filter, const char *name)
{
    return wanted(filter->items, filter->count, name);
}

static int by_name(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static void add_options(struct sg_text *out, const char *option, const struct sg_names *names)
{
    char **sorted = sg_alloc(names->count, sizeof(*sorted));
    for (size_t i = 0; i < names->count; i++)
        sorted[i] = names->items[i];
    qsort(sorted, names->count, sizeof(*sorted), by_name);
    for (size_t i = 0; i < names->count; i++)
        if (i == 0 || strcmp(sorted[i - 1], sorted[i]) != 0)
            sg_text_addf(out, " --%s=%s", option, sorted[i]);
    free(sorted);
}

void sg_filters_add_to(struct sg_text *out, const struct sg_filters *filters)
{
    add_options(out, "family", &filters->families);
    add_options(out, "case", &filters->cases);
    add_options(out, "variant", &filters->variants);
}

bool sg_filters_keep_family(const struct sg_filters *filters, const char *family)
{
    return kept(&filters->families, family);
}

/* What the suite and the modules offer, before the filters: three sets of names, for the filters to be checked against. */
struct offer {
    struct sg_names families, cases, variants;
};

static void offer_name(struct sg_names *names, const char *name)
{
    if (!has(names->items, names->count, name))
        sg_names_add(names, name);
}

static enum sg_code unknown(enum sg_code code, const char *path, long line, const char *what, const char *name,
                            const struct sg_names *known, struct sg_err *err)
{
    struct sg_text list = {0};
    for (size_t i = 0; i < known->count; i++)
        sg_text_addf(&list, "%s%s", i ? ", " : "", known->items[i]);
    if (line)
        sg_fail_at(err, code, path, line, "no %s is called %s; known: %s", what, name, sg_text_string(&list));
    else
        sg_fail(err, code, path, "no %s is called %s; known: %s", what, name, sg_text_string(&list));
    sg_text_release(&list);
    return err->code;
}

/* Everything the suite names must be there: a case that was renamed would otherwise leave the suite in silence. */
static enum sg_code check_suite_family(const struct sg_suite *suite, const struct sg_suite_family *wish, const struct sg_listed_family *f,
                                       struct sg_err *err)
{
    struct sg_names cases = {0}, variants = {0};
    for (size_t i = 0; i < f->case_count; i++)
        sg_names_add(&cases, f->cases[i].name);
    for (size_t i = 0; i < f->variant_count; i++)
        sg_names_add(&variants, f->variants[i].name);
    for (size_t i = 0; i < wish->case_count && err->code == SG_DONE; i++)
        if (!has(cases.items, cases.count, wish->cases[i]))
            unknown(SG_BAD_INPUT, suite->path, wish->line, "case of the family", wish->cases[i], &cases, err);
    for (size_t i = 0; i < wish->variant_count && err->code == SG_DONE; i++)
        if (!has(variants.items, variants.count, wish->variants[i]))
            unknown(SG_BAD_INPUT, suite->path, wish->line, "variant of the family", wish->variants[i], &variants, err);
    sg_names_release(&cases);
    sg_names_release(&variants);
    return err->code;
}

static void add_item(struct sg_plan *plan, const struct sg_item *item)
{
    plan->items = sg_grow(plan->items, &plan->capacity, plan->count + 1, sizeof(*plan->items));
    plan->items[plan->count++] = *item;
}

/* `wish`: what the suite wants of the family. */
static void add_family(const struct sg_suite_family *wish, const struct sg_listed_family *f, const struct sg_filters *filters,
                       struct offer *offer, struct sg_plan *plan)
{
    offer_name(&offer->families, f->name);
    for (size_t c = 0; c < f->case_count; c++) {
        if (!wanted(wish->cases, wish->case_count, f->cases[c].name))
            continue;
        offer_name(&offer->cases, f->cases[c].name);
        for (size_t v = 0; v < f->variant_count; v++) {
            const struct sg_listed_variant *variant = &f->variants[v];
            bool baseline = variant->role == SG_BASELINE;
            if (!baseline && !wanted(wish->variants, wish->variant_count, variant->name))
                continue;
            offer_name(&offer->variants, variant->name);
            if (sg_filters_keep_family(filters, f->name) && kept(&filters->cases, f->cases[c].name) &&
                (baseline || kept(&filters->variants, variant->name)))
                add_item(plan, &(struct sg_item){.family = f, .case_ = &f->cases[c], .variant = variant});
        }
    }
}

static enum sg_code check_filter(const char *option, const char *what, const struct sg_names *filter, const struct sg_names *known,
                                 struct sg_err *err)
{
    for (size_t i = 0; i < filter->count && err->code == SG_DONE; i++)
        if (!has(known->items, known->count, filter->items[i]))
            unknown(SG_BAD_USAGE, option, 0, what, filter->items[i], known, err);
    return err->code;
}

static bool in_suite(const struct sg_suite *suite, const char *family)
{
    for (size_t i = 0; i < suite->family_count; i++)
        if (strcmp(suite->families[i].name, family) == 0)
            return true;
    return false;
}

static enum sg_code add_suite(const struct sg_suite *suite, const struct sg_listing *listing, const struct sg_filters *filters,
                              struct offer *offer, struct sg_plan *plan, struct sg_err *err)
{
    for (size_t i = 0; i < suite->family_count; i++) {
        const struct sg_suite_family *wish = &suite->families[i];
        const struct sg_listed_family *f = sg_listing_find(listing, wish->name);
        offer_name(&offer->families, wish->name);
        if (!f && !sg_filters_keep_family(filters, wish->name))
            continue;
        if (!f)
            return sg_fail_at(err, SG_BAD_INPUT, suite->path, wish->line, "no module holds the family %s", wish->name);
        if (check_suite_family(suite, wish, f, err) != SG_DONE)
            return err->code;
        add_family(wish, f, filters, offer, plan);
    }
    return SG_DONE;
}

enum sg_code sg_plan_make(const struct sg_suite *suite, const struct sg_listing *listing, const struct sg_filters *filters,
                          struct sg_plan *plan, struct sg_err *err)
{
    static const struct sg_suite_family everything = {0};
    struct offer offer = {0};
    *plan = (struct sg_plan){0};
    if (add_suite(suite, listing, filters, &offer, plan, err) != SG_DONE)
        goto out;
    for (size_t i = 0; i < listing->count; i++)
        if (!in_suite(suite, listing->families[i].name))
            add_family(&everything, &listing->families[i], filters, &offer, plan);

    check_filter("--family", "family of this run", &filters->families, &offer.families, err);
    check_filter("--case", "case of this run", &filters->cases, &offer.cases, err);
    check_filter("--variant", "variant of this run", &filters->variants, &offer.variants, err);
    if (err->code == SG_DONE && plan->count == 0)
        sg_fail(err, SG_BAD_USAGE, suite->name, "nothing is left to run: no family has all that --family, --case and --variant ask for");
out:
    sg_names_release(&offer.families);
    sg_names_release(&offer.cases);
    sg_names_release(&offer.variants);
    if (err->code != SG_DONE)
        sg_plan_release(plan);
    return err->code;
}

void sg_plan_release(struct sg_plan *plan)
{
    free(plan->items);
    *plan = (struct sg_plan){0};
}

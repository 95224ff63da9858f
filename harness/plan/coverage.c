#include "plan/coverage.h"

/* Adds the cases that must be present: those that the suite names, or all of the run if the suite
 * names none. */
static void add_cases(const struct sg_suite_family *family, const struct sg_table *run,
                      struct sg_names *cases)
{
    const sg_id id = sg_table_find_id(run, family->name);
    for (size_t i = 0; i < family->cases.count; i++)
        sg_names_add(cases, family->cases.items[i]);
    for (size_t i = 0; i < run->count && family->cases.count == 0; i++) {
        const char *name = sg_table_string(run, run->rows[i].case_);
        if (run->rows[i].family == id && !sg_names_have(cases, name))
            sg_names_add(cases, name);
    }
}

/* True if the run has a status of the case and the variant. NULL: any variant. */
static bool has_status(const struct sg_table *run, const char *family, const char *case_,
                       const char *variant)
{
    const sg_id family_id = sg_table_find_id(run, family), case_id = sg_table_find_id(run, case_);
    if (variant)
        return sg_table_find(run, family, case_, variant, "status") != NULL;
    for (size_t i = 0; i < run->count; i++)
        if (run->rows[i].family == family_id && run->rows[i].case_ == case_id)
            return true;
    return false;
}

/* Returns a case that lacks something, or NULL. *variant is the missing variant; NULL: all of
 * them. */
static const char *lacking_case(const struct sg_suite_family *family, const struct sg_table *run,
                                const struct sg_names *cases, const char **variant)
{
    for (size_t c = 0; c < cases->count; c++) {
        *variant = NULL;
        if (!has_status(run, family->name, cases->items[c], NULL))
            return cases->items[c];
        for (size_t v = 0; v < family->variants.count; v++) {
            *variant = family->variants.items[v];
            if (!has_status(run, family->name, cases->items[c], *variant))
                return cases->items[c];
        }
    }
    return NULL;
}

enum sg_code sg_coverage_check(const struct sg_suite *suite, const struct sg_table *run,
                               const char *path, struct sg_err *err)
{
    for (size_t i = 0; i < suite->family_count && err->code == SG_SUCCESS; i++) {
        const struct sg_suite_family *family = &suite->families[i];
        SG_SCOPED(sg_names) cases = {0};
        const char *variant = NULL;
        add_cases(family, run, &cases);
        const char *case_ = lacking_case(family, run, &cases, &variant);
        if (cases.count == 0 || case_)
            sg_fail_at(err, SG_BAD_INPUT, suite->path, family->line,
                       "expected a row of %s%s%s%s%s in %s, found none", family->name,
                       case_ ? "/" : "", case_ ? case_ : "", variant ? "/" : "",
                       variant ? variant : "", path);
    }
    return err->code;
}

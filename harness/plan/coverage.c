#include "plan/coverage.h"

/* The suite's family that is looked for in a run, and where that run is from. */
struct looking {
    const struct sg_suite *suite;
    const struct sg_suite_family *family;
    const struct sg_table *run;
    const char *path;
};

static enum sg_code fail_lacking(const struct looking *looking, const char *case_, const char *variant, struct sg_err *err)
{
    return sg_fail_at(err, SG_BAD_INPUT, looking->suite->path, looking->family->line, "expected %s%s%s%s%s in %s, found no row of it",
                      looking->family->name, case_ ? "/" : "", case_ ? case_ : "", variant ? "/" : "", variant ? variant : "",
                      looking->path);
}

/* The variants that the suite names, in one case. */
static enum sg_code check_variants(const struct looking *looking, const char *case_, struct sg_err *err)
{
    const struct sg_suite_family *family = looking->family;
    for (size_t i = 0; i < family->variants.count; i++)
        if (!sg_table_find(looking->run, family->name, case_, family->variants.items[i], "status"))
            return fail_lacking(looking, case_, family->variants.items[i], err);
    return SG_SUCCESS;
}

/* Is there a row of the family, of `case_` if it is not NULL? */
static bool has_rows(const struct looking *looking, const char *case_)
{
    const sg_id family = sg_table_find_id(looking->run, looking->family->name);
    const sg_id id = case_ ? sg_table_find_id(looking->run, case_) : 0;
    for (size_t i = 0; i < looking->run->count; i++)
        if (looking->run->rows[i].family == family && (!case_ || looking->run->rows[i].case_ == id))
            return true;
    return false;
}

static enum sg_code check_named_cases(const struct looking *looking, struct sg_err *err)
{
    for (size_t i = 0; i < looking->family->cases.count; i++) {
        const char *case_ = looking->family->cases.items[i];
        if (!has_rows(looking, case_))
            return fail_lacking(looking, case_, NULL, err);
        if (check_variants(looking, case_, err) != SG_SUCCESS)
            return err->code;
    }
    return SG_SUCCESS;
}

/* The run is sorted: the rows of a case are neighbours. */
static enum sg_code check_cases_there(const struct looking *looking, struct sg_err *err)
{
    const struct sg_table *run = looking->run;
    const sg_id family = sg_table_find_id(run, looking->family->name);
    for (size_t i = 0; i < run->count; i++) {
        const struct sg_row *row = &run->rows[i];
        const bool is_next = i == 0 || row->family != row[-1].family || row->case_ != row[-1].case_;
        if (row->family == family && is_next && check_variants(looking, sg_table_string(run, row->case_), err) != SG_SUCCESS)
            return err->code;
    }
    return SG_SUCCESS;
}

enum sg_code sg_coverage_check(const struct sg_suite *suite, const struct sg_table *run, const char *path, struct sg_err *err)
{
    for (size_t i = 0; i < suite->family_count && err->code == SG_SUCCESS; i++) {
        const struct looking looking = {.suite = suite, .family = &suite->families[i], .run = run, .path = path};
        if (!has_rows(&looking, NULL))
            fail_lacking(&looking, NULL, NULL, err);
        else if (looking.family->cases.count > 0)
            check_named_cases(&looking, err);
        else
            check_cases_there(&looking, err);
    }
    return err->code;
}

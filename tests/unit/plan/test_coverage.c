/* What of a suite a run must have, row by row. */
#include <string.h>

#include "check.h"
#include "plan/coverage.h"

#define ROWS_MAX 4
#define PATH     "night/run.csv"

/* [near] names a case and two variants, [far] nothing. */
static char near[] = "near", far[] = "far", small[] = "small", old[] = "old", new[] = "new",
            suite_path[] = "some.suite";
static char *cases[] = {small}, *variants[] = {old, new};
static struct sg_suite_family families[] = {
    {.name = near, .cases = {cases, 1, 0}, .variants = {variants, 2, 0}, .line = 7},
    {.name = far, .line = 12},
};
static const struct sg_suite suite = {
    .path = suite_path, .families = families, .family_count = COUNT(families)};

static void add(struct sg_table *run, const char *const name[3])
{
    sg_table_add(run, &(struct sg_value){.family = name[0],
                                         .case_ = name[1],
                                         .variant = name[2],
                                         .metric = "status",
                                         .status = SG_CRASH});
}

TEST(a_run_has_all_that_its_suite_names)
{
    static const struct {
        const char *name;
        const char *row[ROWS_MAX][3];
        const char *where, *message; /* "" when it is covered */
    } rows[] = {
        ROW("all of it",
            LIST(LIST(near, small, old), LIST(near, small, new), LIST(far, "any", "one")), "", ""),
        ROW("more than it",
            LIST(LIST(near, small, old), LIST(near, small, new), LIST(near, "large", old),
                 LIST(far, "any", "one")),
            "", ""),
        ROW("an empty run", LIST(LIST(0)), "some.suite:7",
            "expected a row of near/small in " PATH ", found none"),
        ROW("a family is missing", LIST(LIST(near, small, old), LIST(near, small, new)),
            "some.suite:12", "expected a row of far in " PATH ", found none"),
        ROW("a case is missing",
            LIST(LIST(near, "large", old), LIST(near, "large", new), LIST(far, small, old)),
            "some.suite:7", "expected a row of near/small in " PATH ", found none"),
        ROW("a variant is missing, which another family has",
            LIST(LIST(near, small, old), LIST(far, small, new)), "some.suite:7",
            "expected a row of near/small/new in " PATH ", found none"),
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        SG_SCOPED(sg_table) run = {0};
        struct sg_err err = {0};
        for (size_t k = 0; k < ROWS_MAX && rows[i].row[k][0]; k++)
            add(&run, rows[i].row[k]);
        assert_int_equal(sg_table_sort(&run, &err), SG_SUCCESS);
        const enum sg_code code = sg_coverage_check(&suite, &run, PATH, &err);
        if (code != (*rows[i].where ? SG_BAD_INPUT : SG_SUCCESS) ||
            strcmp(err.where, rows[i].where) != 0 || strcmp(err.message, rows[i].message) != 0)
            fail_msg("%s: code %d, '%s: %s'", rows[i].name, code, err.where, err.message);
    }
}

TEST(variants_are_looked_for_in_every_case_where_none_is_named)
{
    static const char *const rows[][3] = {
        {near, "large", old}, {near, "large", new}, {near, small, old}};
    struct sg_suite_family family = families[0];
    const struct sg_suite open = {.path = suite_path, .families = &family, .family_count = 1};
    SG_SCOPED(sg_table) run = {0};
    struct sg_err err = {0};
    family.cases.count = 0;
    for (size_t i = 0; i < COUNT(rows); i++)
        add(&run, rows[i]);
    assert_int_equal(sg_table_sort(&run, &err), SG_SUCCESS);
    assert_int_equal(sg_coverage_check(&open, &run, PATH, &err), SG_BAD_INPUT);
    assert_string_equal(err.message, "expected a row of near/small/new in " PATH ", found none");
}

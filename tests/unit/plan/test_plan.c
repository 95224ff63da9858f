#include <string.h>

#include "check.h"
#include "plan/plan.h"

#define NAMES 4 /* at most, of a list in a row */

/* Two families: `a` with cases one, two and variants base, fast, slow; `b` with
 * case one and variants base, slow. */
static struct sg_listed_case cases_a[] = {{.name = "one"}, {.name = "two"}};
static struct sg_listed_case cases_b[] = {{.name = "one"}};
static struct sg_listed_variant variants_a[] = {
    {.name = "base", .role = SG_BASELINE},
    {.name = "fast", .role = SG_CANDIDATE},
    {.name = "slow", .role = SG_VENDOR},
};
static struct sg_listed_variant variants_b[] = {{.name = "base", .role = SG_BASELINE},
                                                {.name = "slow", .role = SG_CANDIDATE}};
static struct sg_listed_family families[] = {
    ROW(.name = "a", .device = "host", .cases = cases_a, .case_count = 2, .variants = variants_a,
        .variant_count = 3),
    ROW(.name = "b", .device = "cuda", .cases = cases_b, .case_count = 1, .variants = variants_b,
        .variant_count = 2),
};
static const struct sg_module_list listing = {.families = families, .count = 2};

struct plan_row {
    const char *says;
    char *suite_cases[NAMES],
        *suite_variants[NAMES]; /* what the suite wants of `a`, its only family */
    const char *families[NAMES], *cases[NAMES], *variants[NAMES];
    const char *items; /* joined by blanks; NULL: an error */
    enum sg_code code;
    const char *message; /* must be in the error's */
};

static const struct plan_row rows[] = {
    ROW("a suite without keys is all of its family, then what modules add", LIST(0), LIST(0),
        LIST(0), LIST(0), LIST(0),
        "a/one/base a/one/fast a/one/slow a/two/base a/two/fast a/two/slow b/one/base b/one/slow",
        SG_SUCCESS, ""),
    ROW("a suite's cases and variants are all there is of its family, and its baseline",
        LIST("two"), LIST("fast"), LIST(0), LIST(0), LIST(0),
        "a/two/base a/two/fast b/one/base b/one/slow", SG_SUCCESS, ""),
    ROW("one family", LIST(0), LIST(0), LIST("b"), LIST(0), LIST(0), "b/one/base b/one/slow",
        SG_SUCCESS, ""),
    ROW("one case, wherever it is", LIST(0), LIST(0), LIST(0), LIST("one"), LIST(0),
        "a/one/base a/one/fast a/one/slow b/one/base b/one/slow", SG_SUCCESS, ""),
    ROW("one variant brings the baselines", LIST(0), LIST(0), LIST("a"), LIST(0), LIST("fast"),
        "a/one/base a/one/fast a/two/base a/two/fast", SG_SUCCESS, ""),
    ROW("two variants", LIST(0), LIST(0), LIST("a"), LIST("two"), LIST("slow", "fast"),
        "a/two/base a/two/fast a/two/slow", SG_SUCCESS, ""),
    ROW("patterns, which bring the baselines too", LIST(0), LIST(0), LIST("?"), LIST("t*"),
        LIST("s*"), "a/two/base a/two/slow", SG_SUCCESS, ""),
    ROW("an unknown family is an error that lists the known ones", LIST(0), LIST(0), LIST("c"),
        LIST(0), LIST(0), NULL, SG_BAD_USAGE, "called c; known: a, b"),
    ROW("an unknown case too", LIST(0), LIST(0), LIST(0), LIST("three"), LIST(0), NULL,
        SG_BAD_USAGE, "called three; known: one, two"),
    ROW("an unknown variant too", LIST(0), LIST(0), LIST(0), LIST(0), LIST("quick"), NULL,
        SG_BAD_USAGE, "called quick; known: base, fast, slow"),
    ROW("a variant that the suite leaves out is unknown to the run", LIST(0), LIST("fast"),
        LIST("a"), LIST(0), LIST("base", "none"), NULL, SG_BAD_USAGE, "none"),
    ROW("filters that exclude each other leave nothing, which is an error", LIST(0), LIST(0),
        LIST("b"), LIST("two"), LIST(0), NULL, SG_BAD_USAGE, "nothing"),
    ROW("a case of the suite that is not in the family is an error", LIST("on"), LIST(0), LIST(0),
        LIST(0), LIST(0), NULL, SG_BAD_INPUT, "found on; known: one, two"),
    ROW("a variant of the suite too", LIST(0), LIST("base", "fas"), LIST(0), LIST(0), LIST(0), NULL,
        SG_BAD_INPUT, "found fas; known: base, fast, slow"),
};

static size_t length(char *const *names)
{
    size_t n = 0;
    while (n < NAMES && names[n])
        n++;
    return n;
}

static void add_all(struct sg_names *names, const char *const *list)
{
    for (size_t i = 0; i < NAMES && list[i]; i++)
        sg_names_add(names, list[i]);
}

TEST(plans)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct plan_row *row = &rows[i];
        print_message("  %s\n", row->says);
        char *cases[NAMES], *variants[NAMES];
        memcpy(cases, row->suite_cases, sizeof(cases));
        memcpy(variants, row->suite_variants, sizeof(variants));
        struct sg_suite_family wish = {.name = "a",
                                       .cases = {cases, length(cases), 0},
                                       .variants = {variants, length(variants), 0},
                                       .line = 7};
        const struct sg_suite suite = {
            .name = "s", .path = "s.suite", .families = &wish, .family_count = 1};
        struct sg_filters filters = {0};
        add_all(&filters.families, row->families);
        add_all(&filters.cases, row->cases);
        add_all(&filters.variants, row->variants);

        struct sg_plan plan;
        struct sg_err err = {0};
        SG_SCOPED(sg_text) items = {0};
        assert_int_equal(sg_plan_make(&suite, &listing, &filters, &plan, &err), row->code);
        for (size_t k = 0; k < plan.count; k++)
            sg_text_addf(&items, "%s%s/%s/%s", k ? " " : "", plan.items[k].family->name,
                         plan.items[k].case_->name, plan.items[k].variant->name);
        assert_string_equal(sg_text_string(&items), row->items ? row->items : "");
        assert_non_null(strstr(err.message, row->message));
        if (row->code == SG_BAD_INPUT)
            assert_string_equal(err.where, "s.suite:7");
    }
}

TEST(a_family_that_no_module_holds_is_an_error_at_its_line)
{
    struct sg_suite_family wish = {.name = "z", .line = 9};
    const struct sg_suite suite = {
        .name = "s", .path = "s.suite", .families = &wish, .family_count = 1};
    const struct sg_filters filters = {0};
    struct sg_plan plan;
    struct sg_err err = {0};
    assert_int_equal(sg_plan_make(&suite, &listing, &filters, &plan, &err), SG_BAD_INPUT);
    assert_string_equal(err.where, "s.suite:9");
}

TEST(a_family_that_is_left_out_needs_no_module)
{
    struct sg_suite_family wishes[] = {{.name = "z", .line = 9}, {.name = "b", .line = 11}};
    const struct sg_suite suite = {
        .name = "s", .path = "s.suite", .families = wishes, .family_count = 2};
    char *b = "b", *c = "c";
    const struct sg_filters only_b = {.families = {.items = &b, .count = 1}},
                            unknown = {.families = {.items = &c, .count = 1}};
    struct sg_plan plan;
    struct sg_err err = {0};
    assert_int_equal(sg_plan_make(&suite, &listing, &only_b, &plan, &err), SG_SUCCESS);
    assert_true(plan.count > 0);
    for (size_t i = 0; i < plan.count; i++)
        assert_string_equal(plan.items[i].family->name, "b");
    assert_int_equal(sg_plan_make(&suite, &listing, &unknown, &plan, &err), SG_BAD_USAGE);
    assert_non_null(strstr(err.message, "called c; known: z, b, a"));
}

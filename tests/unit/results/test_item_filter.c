/* results/item_filter.h: patterns of families, cases and variants. */
#include <string.h>

#include "check.h"
#include "results/item_filter.h"
#include "util/err.h"

static const struct {
    const char *family, *case_, *variant;
} items[] = {{"gemm", "m512_bf16", "base"},
             {"gemm", "m512_bf16", "tma"},
             {"gemm", "m64_e4m3", "base"},
             {"matvec", "m64", "base"}};

static void fill(struct sg_table *table)
{
    *table = (struct sg_table){0};
    for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++)
        sg_table_add(table, &(struct sg_value){.family = items[i].family,
                                               .case_ = items[i].case_,
                                               .variant = items[i].variant,
                                               .metric = "status",
                                               .unit = "",
                                               .message = ""});
}

static const struct {
    const char *says, *family, *case_, *variant;
    size_t kept;
    enum sg_code code;
    const char *where, *message;
} rows[] = {
    {"no pattern keeps everything", NULL, NULL, NULL, 4, SG_SUCCESS, "", ""},
    {"a name is a pattern of itself alone", NULL, "m64", NULL, 1, SG_SUCCESS, "", ""},
    {"a star is any characters", NULL, "m64*", NULL, 2, SG_SUCCESS, "", ""},
    {"a set of characters is one of them", "[gx]emm", NULL, NULL, 3, SG_SUCCESS, "", ""},
    {"all kinds must match", "gemm", "m64*", "base", 1, SG_SUCCESS, "", ""},
    {"a pattern that matches nothing lists what there is", NULL, "t*", NULL, 0, SG_BAD_USAGE,
     "--case", "no case of the run is called t*; known: m512_bf16, m64_e4m3, m64"},
    {"names with a comma between are one name, and how to give two is said", NULL, NULL, "base,tma",
     0, SG_BAD_USAGE, "--variant",
     "no variant of the run is called base,tma (the option takes one name and may be repeated); "
     "known: "},
    {"patterns that match alone and not together", "matvec", NULL, "tma", 0, SG_BAD_USAGE, "night",
     "no item of the run matches"},
};

TEST(filters_tables)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        print_message("  %s\n", rows[i].says);
        struct sg_filters filters = {0};
        SG_SCOPED(sg_table) table;
        struct sg_err err = {0};
        fill(&table);
        if (rows[i].family)
            sg_names_add(&filters.families, rows[i].family);
        if (rows[i].case_)
            sg_names_add(&filters.cases, rows[i].case_);
        if (rows[i].variant)
            sg_names_add(&filters.variants, rows[i].variant);
        assert_int_equal(sg_filters_check_table(&filters, &table, "night", &err), rows[i].code);
        assert_string_equal(err.where, rows[i].where);
        assert_non_null(strstr(err.message, rows[i].message));
        sg_filters_apply(&filters, &table, NULL);
        assert_int_equal(table.count, rows[i].kept);
    }
}

/* A variant is asked for with its baseline, unless somebody has that already. */
TEST(baselines_come_along_where_they_are_not_there_yet)
{
    static const struct {
        const char *has;
        size_t kept; /* rows: one of the variant, two of its baseline */
    } with[] = {{NULL, 3}, {"m512_bf16", 1}, {"m64_e4m3", 3}};
    for (size_t i = 0; i < sizeof(with) / sizeof(with[0]); i++) {
        struct sg_filters filters = {0};
        SG_SCOPED(sg_table) table, has = {0};
        struct sg_value row = {.family = "gemm",
                               .case_ = "m512_bf16",
                               .variant = "base",
                               .metric = "role",
                               .unit = "",
                               .message = "baseline"};
        struct sg_err err = {0};
        fill(&table);
        sg_table_add(&table, &row);
        row.metric = "status";
        if (with[i].has) {
            row.case_ = with[i].has;
            sg_table_add(&has, &row);
        }
        assert_int_equal(sg_table_sort(&table, &err), SG_SUCCESS);
        sg_names_add(&filters.cases, "m512_bf16");
        sg_names_add(&filters.variants, "tma");
        sg_filters_apply(&filters, &table, &has);
        assert_int_equal(table.count, with[i].kept);
    }
}

TEST(options_can_be_pasted_into_a_shell)
{
    struct sg_filters filters = {0};
    SG_SCOPED(sg_text) text = {0};
    sg_names_add(&filters.cases, "m*");
    sg_names_add(&filters.cases, "k1");
    sg_names_add(&filters.cases, "m*");
    sg_filters_add_to(&text, &filters);
    assert_string_equal(text.data, " --case=k1 --case='m*'");
}

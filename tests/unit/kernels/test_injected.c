/*
 * tests/data/injected/truth.csv is what follows from kernels/injected. When the table is not
 * current, the one it must be is printed.
 */
#include "check.h"
#include "injected/injected_cases.h"
#include "scratch.h"

#define TRUTH_FOLDER "data/injected"

static const int slowdowns_bp[] = {25, 50, 100, 200, 400};

/* The whole file; owned by the caller. */
static struct sg_text contents(const char *folder, const char *name)
{
    struct scratch there = {0};
    snprintf(there.folder, sizeof(there.folder), "%s", folder);
    return scratch_read(&there, name);
}

static void add_truths(struct sg_text *table, const struct sg_case *c, const char *kind, bool work)
{
    for (size_t i = 0; i < COUNT(slowdowns_bp); i++) {
        const struct injected_slowdown s = {.work_bp = work ? slowdowns_bp[i] : 0,
                                            .spin_bp = work ? 0 : slowdowns_bp[i]};
        sg_text_addf(table, "%s,%s_%03d,%.6f\n", c->name, kind, slowdowns_bp[i],
                     injected_true_ratio(c, s));
    }
}

TEST(the_table_of_truths_is_current)
{
    struct sg_text expected = {0}, found = contents(TRUTH_FOLDER, "truth.csv");
    sg_text_add(&expected, "case,variant,true_ratio\n");
    for (size_t i = 0; i < COUNT(injected_cases); i++) {
        sg_text_addf(&expected, "%s,exact,1.000000\n", injected_cases[i].name);
        add_truths(&expected, &injected_cases[i], "spin", false);
        add_truths(&expected, &injected_cases[i], "work", true);
    }
    const bool same = strcmp(sg_text_string(&found), sg_text_string(&expected)) == 0;
    if (!same)
        fputs(expected.data, stdout);
    sg_text_release(&found);
    sg_text_release(&expected);
    if (!same)
        fail_msg("tests/data/injected/truth.csv must be the table above");
}

/* compare/accepted_variance.h: where accepted numbers come from, and by how much a night on this
 * GPU, or on another one of its model, may be off them. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "compare/accepted_variance.h"
#include "results/env.h"

TEST(origins)
{
    static const struct {
        const char *sentence;
        const char *runs, *units, *own,
            *unit; /* the three keys of the accepted env, NULL: not there; and who asks */
        size_t run_count, unit_count;
        bool has_unit;
    } rows[] = {
        {"one run of this GPU", "1", "a1", "a1", "a1", 1, 1, true},
        {"three runs of another", "3", "a1", "a1", "b2", 3, 1, false},
        {"two GPUs, this one the first", "4", "a1+b2", "b2", "a1", 4, 2, true},
        {"two GPUs, this one the last", "4", "a1+b2", "b2", "b2", 4, 2, true},
        {"three GPUs, none of them this", "3", "a1+b2+c3", "c3", "d4", 3, 3, false},
        {"the beginning of a name is not the name", "1", "a1b2", "a1b2", "a1", 1, 1, false},
        {"a run taken as accepted is of its own GPU", NULL, NULL, "a1", "a1", 1, 1, true},
        {"and of no other", NULL, NULL, "a1", "b2", 1, 1, false},
        {"GPUs of which nothing is known are taken for one", "2", NULL, NULL, "unknown", 2, 1,
         true},
        {"a count that is none is one run", "several", "a1", "a1", "a1", 1, 1, true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        SG_SCOPED(sg_env) env = {0};
        if (rows[i].runs)
            sg_env_set(&env, "accepted_runs", rows[i].runs);
        if (rows[i].units)
            sg_env_set(&env, "accepted_units", rows[i].units);
        if (rows[i].own)
            sg_env_set(&env, "gpu_uuid_hash", rows[i].own);
        const struct sg_origin origin = sg_origin_of(&env, rows[i].unit);
        if (origin.runs != rows[i].run_count || origin.units != rows[i].unit_count ||
            origin.has_unit != rows[i].has_unit)
            fail_msg("%s: %zu runs, %zu units, has unit %d", rows[i].sentence, origin.runs,
                     origin.units, origin.has_unit);
    }
}

TEST(a_row_of_its_own_origin)
{
    struct sg_accepted_file file = {0};
    for (size_t i = 0; i < 2; i++) {
        sg_table_add(&file.table, &(struct sg_value){.metric = "time"});
        sg_accepted_add(&file)->origin = sg_table_intern(&file.table, i ? "" : "12:c3");
    }
    sg_env_set(&file.env, "accepted_runs", "3");
    sg_env_set(&file.env, "accepted_units", "a1+b2");
    const struct sg_row *rows = file.table.rows;
    const struct sg_origin own = sg_origin_of_row(&file, &rows[0], "a1"),
                           at_home = sg_origin_of_row(&file, &rows[0], "c3");
    const struct sg_origin rest = sg_origin_of_row(&file, &rows[1], "a1");
    assert_true(own.runs == 12 && own.units == 1 && !own.has_unit && at_home.has_unit);
    assert_true(rest.runs == 3 && rest.units == 2 && rest.has_unit);
}

TEST(how_far_a_number_carries)
{
    static const struct {
        const char *sentence;
        struct sg_spread spread;
        double se, df, of_mean;
        const char *source; /* a part of the largest one's name */
    } rows[] = {
        ROW("one run: two runs usually differ by sqrt(2) x 0.1 %",
            LIST(NAN, true, LIST(1, 1, true), 0), 0.00141421356, INFINITY, 0, "between runs"),
        ROW("an absolute time by sqrt(2) x 0.3 %", LIST(NAN, false, LIST(1, 1, true), 0),
            0.00424264069, INFINITY, 0, "between runs"),
        ROW("three runs: sqrt(4/3) of their spread", LIST(0.002, true, LIST(3, 1, true), 0),
            0.00230940108, 2, 0.00115470054, "between runs"),
        ROW("three runs that agree by chance", LIST(0.0002, true, LIST(3, 1, true), 0),
            0.00115470054, INFINITY, 0.000115470054, "between runs"),
        ROW("two times that agree by chance", LIST(0.0, false, LIST(2, 1, true), 0), 0.00367423461,
            INFINITY, 0, "between runs"),
        ROW("four that agree may do so by chance, too", LIST(0.002, false, LIST(4, 1, true), 0),
            0.00335410197, INFINITY, 0.001, "between runs"),
        ROW("five that agree do", LIST(0.0002, true, LIST(5, 1, true), 0), 0.000219089023, 4,
            0.0000894427191, "between runs"),
        ROW("a spread of which nobody says how many runs it is of",
            LIST(0.002, true, LIST(1, 1, true), 0), 0.00282842712, INFINITY, 0.002, "runs"),
        /* sqrt(2 x 0.1 %^2 + 2 x 1 %^2) */
        ROW("on another GPU than the one accepted", LIST(NAN, true, LIST(1, 1, false), 0),
            0.0142126704, INFINITY, 0, "accept on this one"),
        /* sqrt(4/3 x 0.4 %^2 + 2 x 0.8 %^2) */
        ROW("the same of a time", LIST(0.004, false, LIST(3, 1, false), 0), 0.01222020185, 98,
            0.00230940108, "accept on this one"),
        ROW("two GPUs that agree may be of one kind", LIST(0.004, true, LIST(2, 2, true), 0),
            0.0122474487, INFINITY, 0.00282842712, "between GPUs"),
        ROW("four that agree may be, too", LIST(0.004, true, LIST(4, 4, true), 0), 0.0111803399,
            INFINITY, 0.002, "between GPUs"),
        ROW("two that do not agree say so", LIST(0.02, true, LIST(2, 2, false), 0), 0.0244948974,
            INFINITY, 0.0141421356, "between GPUs"),
        ROW("two times that agree", LIST(0.0, false, LIST(2, 2, true), 0), 0.00979795897, INFINITY,
            0, "between GPUs"),
        ROW("eight GPUs: sqrt(9/8) of their spread", LIST(0.01, true, LIST(8, 8, true), 0),
            0.0106066017, 7, 0.00353553391, "between GPUs"),
        ROW("whether or not this is one of them", LIST(0.01, true, LIST(8, 8, false), 0),
            0.0106066017, 7, 0.00353553391, "between GPUs"),
        ROW("however many runs each gave", LIST(0.01, true, LIST(20, 8, true), 0), 0.0106066017, 7,
            0.00353553391, "between GPUs"),
        /* sqrt((7 x 1 %^2 + 4 x 0.5 %^2) / 11) = 0.85 % */
        ROW("eight GPUs, and rows of their class that differ by half of that",
            LIST(0.01, true, LIST(8, 8, true), 0.005), 0.00904534033733, 11, 0.00353553391,
            "between GPUs"),
        ROW("a row that agrees by chance, and a class that does not",
            LIST(0.0, true, LIST(8, 8, true), 0.01), 0.00639602149067, 11, 0, "between GPUs"),
        ROW("seven GPUs may be of one kind", LIST(0.002, true, LIST(7, 7, true), 0.002),
            0.0106904496765, INFINITY, 0.000755928946018, "between GPUs"),
        ROW("two GPUs, whose class agrees, may be of one kind",
            LIST(0.002, true, LIST(2, 2, true), 0.002), 0.0122474487, INFINITY, 0.00141421356,
            "between GPUs"),
        ROW("a class of two GPUs that do not agree", LIST(0.002, true, LIST(2, 2, true), 0.02),
            0.0219362713, INFINITY, 0.00141421356, "between GPUs"),
        ROW("of one GPU there is no class", LIST(NAN, true, LIST(1, 1, true), 0.02), 0.00141421356,
            INFINITY, 0, "between runs"),
        ROW("four GPUs, and a row that only one had", LIST(NAN, true, LIST(4, 4, true), 0),
            0.0111803399, INFINITY, 0, "between GPUs"),
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_errors errors = {0};
        sg_errors_add_spread(&errors, &rows[i].spread);
        const double df = sg_errors_df(&errors);
        const double of_mean = sg_spread_of_mean(&rows[i].spread);
        if (!(fabs(sg_errors_se(&errors) - rows[i].se) < 1e-10) ||
            !(df == rows[i].df || fabs(df - rows[i].df) < 1e-6))
            fail_msg("%s: se %.12g, df %.12g", rows[i].sentence, sg_errors_se(&errors), df);
        if (!(fabs(of_mean - rows[i].of_mean) < 1e-10))
            fail_msg("%s: the mean is off by %.12g", rows[i].sentence, of_mean);
        if (!strstr(sg_errors_largest(&errors), rows[i].source))
            fail_msg("%s: the largest source is '%s'", rows[i].sentence,
                     sg_errors_largest(&errors));
    }
}

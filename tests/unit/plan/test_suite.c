/* plan/suite.h: what a suite may say, what it means when it says nothing, and what is refused. */
#include "check.h"
#include "scratch.h"

#include "plan/suite.h"

#define HEAD "[suite]\ntitle = t\n"

TEST(everything_can_be_said)
{
    static const char text[] = "; a comment\n[suite]\ntitle = Every night\n  on the cluster\nl2 = "
                               "warm\ntolerance = 0.25%\nmetrics = stall\n"
                               "metrics = l2_hit_rate\nprocesses = 8\nblocks = 32\nlaunches = "
                               "2\nrepeats = 16\ndeadline = 150ms\nconfig = "
                               "night/x.config\n\n[matvec]\ncase = a\ncase = b\n"
                               "variant = v\ntolerance = 2%\ngate = yes\n[null]\n";
    struct sg_err err = {0};
    struct sg_suite suite;
    SCRATCH(s);
    sg_suite_load(scratch_write(&s, "nightly.suite", BYTES(text)), &suite, &err);
    assert_error("a full suite", &err, SG_SUCCESS, "", "");
    assert_string_equal(suite.name, "nightly");
    assert_string_equal(suite.path, s.path);
    assert_string_equal(suite.title, "Every night on the cluster");
    assert_int_equal(suite.settings.l2, SG_L2_WARM);
    assert_true(suite.settings.tolerance == 0.0025 && suite.settings.deadline == 0.15);
    assert_int_equal(suite.settings.processes, 8);
    assert_int_equal(suite.settings.blocks, 32);
    assert_int_equal(suite.settings.launches, 2);
    assert_int_equal(suite.settings.repeats, 16);
    assert_true(strncmp(suite.config, s.path, strlen(s.path) - strlen("nightly.suite")) == 0);
    assert_string_equal(suite.config + strlen(s.path) - strlen("nightly.suite"), "night/x.config");
    assert_int_equal(suite.metrics.count, 2);
    assert_string_equal(suite.metrics.items[1], "l2_hit_rate");
    assert_int_equal(suite.family_count, 2);
    const struct sg_suite_family *matvec = &suite.families[0], *null = &suite.families[1];
    assert_string_equal(matvec->name, "matvec");
    assert_int_equal(matvec->line, 16);
    assert_int_equal(matvec->cases.count, 2);
    assert_string_equal(matvec->cases.items[1], "b");
    assert_int_equal(matvec->variants.count, 1);
    assert_true(matvec->settings.tolerance == 0.02);
    assert_true(matvec->settings.gate && !null->settings.gate);
    assert_string_equal(null->name, "null");
    assert_int_equal(null->cases.count + null->variants.count, 0);
    assert_true(null->settings.tolerance == 0.0025);
}

TEST(processes_may_be_as_many_as_it_takes)
{
    struct sg_err err = {0};
    struct sg_suite suite;
    SCRATCH(s);
    sg_suite_load(scratch_write(&s, "auto.suite", BYTES(HEAD "processes = auto\n[null]\n")), &suite,
                  &err);
    assert_error("auto", &err, SG_SUCCESS, "", "");
    assert_int_equal(suite.settings.processes, SG_PROCESSES_AUTO);
}

TEST(what_is_not_said_has_the_defaults_of_the_header)
{
    struct sg_err err = {0};
    struct sg_suite suite;
    SCRATCH(s);
    sg_suite_load(scratch_write(&s, "least.suite", BYTES("[null]\n" HEAD)), &suite, &err);
    assert_error("the least suite, its family first", &err, SG_SUCCESS, "", "");
    assert_int_equal(suite.settings.l2, SG_L2_COLD);
    assert_true(suite.settings.tolerance == 0.005 &&
                suite.families[0].settings.tolerance == 0.005 && suite.settings.deadline == 20);
    assert_int_equal(suite.settings.processes, 5);
    assert_int_equal(suite.settings.blocks, SG_BLOCKS_DEFAULT);
    assert_int_equal(suite.settings.launches, 4);
    assert_int_equal(suite.settings.repeats, 1);
    assert_int_equal(suite.metrics.count, 1);
    assert_string_equal(suite.metrics.items[0], "default");
}

TEST(sizes_of_a_case_are_its_name)
{
    struct sg_err err = {0};
    struct sg_suite suite;
    SCRATCH(s);
    sg_suite_load(
        scratch_write(
            &s, "sizes.suite",
            BYTES(HEAD "[null]\ncase = tiny\ncase = rows=30 cols=5\ncase = n=7 dtype=bf16\n")),
        &suite, &err);
    assert_error("two cases of sizes", &err, SG_SUCCESS, "", "");
    assert_int_equal(suite.families[0].cases.count, 3);
    assert_string_equal(suite.families[0].cases.items[1], "rows30_cols5");
    assert_string_equal(suite.families[0].cases.items[2], "n7_bf16");
    assert_int_equal(suite.case_count, 2);
    assert_string_equal(suite.cases[0].family, "null");
    assert_string_equal(suite.cases[0].name, "rows30_cols5");
    assert_string_equal(suite.cases[0].sizes, "rows=30 cols=5");
    assert_int_equal(suite.cases[0].line, 5);
}

TEST(a_program_has_an_entry_a_case)
{
    struct sg_err err = {0};
    struct sg_suite suite;
    SCRATCH(s);
    sg_suite_load(scratch_write(&s, "t.suite",
                                BYTES(HEAD "[exec soft]\ncommand = python3 'my file.py'\n  "
                                           "-v\ncase = wide: --name=\"a b\" ''\ncase = plain\n"
                                           "range = step*\nkernel = ^soft\nprocesses = 7\ndeadline "
                                           "= 3s\n[exec other]\ncommand = x\n")),
                  &suite, &err);
    assert_error("programs", &err, SG_SUCCESS, "", "");
    assert_int_equal(suite.family_count, 0);
    assert_int_equal(suite.program_count, 3);
    const struct sg_suite_program *wide = &suite.programs[0], *plain = &suite.programs[1],
                                  *other = &suite.programs[2];
    assert_string_equal(wide->name, "soft_wide");
    assert_int_equal(wide->argv.count, 5);
    assert_string_equal(wide->argv.items[1], "my file.py");
    assert_string_equal(wide->argv.items[2], "-v");
    assert_string_equal(wide->argv.items[wide->own], "--name=a b");
    assert_string_equal(wide->argv.items[4], "");
    assert_string_equal(wide->range, "step*");
    assert_string_equal(plain->name, "soft_plain");
    assert_int_equal(plain->argv.count, 3);
    assert_string_equal(plain->kernel, "^soft");
    assert_true(plain->processes == 7 && plain->deadline_s == 3);
    assert_string_equal(other->name, "other");
    assert_null(other->range);
    assert_true(other->processes == 0 && other->deadline_s == 600 && other->line == 12);
}

static void read_suite(const char *path, struct sg_err *err)
{
    struct sg_suite suite;
    sg_suite_load(path, &suite, err);
}

static const struct damage refusals[] = {
    {"an unknown key of the suite", BYTES(HEAD "colour = red\n[null]\n"), ":3",
     "unknown key 'colour'; known: title metrics config l2"},
    {"an unknown key of a family", BYTES(HEAD "[null]\nblocks = 4\n"), ":4",
     "unknown key 'blocks'; known: case variant tolerance gate"},
    {"sizes that make no name", BYTES(HEAD "[null]\ncase = rows=-3\n"), ":4",
     "case: expected sizes such as rows=300 cols=4096"},
    {"sizes twice", BYTES(HEAD "[null]\ncase = n=3\ncase = n=3\n"), ":5",
     "case: expected each name once, found 'n3'"},
    {"a gate that is neither", BYTES(HEAD "[null]\ngate = maybe\n"), ":4",
     "gate: expected yes or no, found 'maybe'"},
    {"a scalar key twice", BYTES(HEAD "blocks = 4\nblocks = 4\n[null]\n"), ":4",
     "[suite] blocks: given twice, expected once"},
    {"a family's scalar key twice", BYTES(HEAD "[null]\ntolerance = 1%\ntolerance = 1%\n"), ":5",
     "[null] tolerance: given twice"},
    {"a case twice", BYTES(HEAD "[null]\ncase = a\ncase = a\n"), ":5",
     "case: expected each name once, found 'a'"},
    {"a group twice", BYTES(HEAD "metrics = a\nmetrics = a\n[null]\n"), ":4",
     "metrics: expected each name once"},
    {"a variant with a malformed name", BYTES(HEAD "[null]\nvariant = A\n"), ":4",
     "variant: expected a name"},
    {"a family with a malformed name", BYTES(HEAD "[Null]\n"), ":3",
     "or a family's name, of [a-z0-9_], found 'Null'"},
    {"a family with the name of programs", BYTES(HEAD "[exec]\n"), ":3",
     "expected [suite], [exec NAME], [results NAME] or a family's name"},
    {"a program with a malformed name", BYTES(HEAD "[exec A]\n"), ":3",
     "of [a-z0-9_], found 'exec A'"},
    {"a program without a command", BYTES(HEAD "[exec a]\nrange = x\n[null]\n"), ":3",
     "the key 'command' is missing"},
    {"the last program without a command", BYTES(HEAD "[exec a]\n"), ":3",
     "the key 'command' is missing"},
    {"an empty command", BYTES(HEAD "[exec a]\ncommand =\n"), ":4",
     "command: expected words with closed quotes, found ''"},
    {"a quote that is not closed", BYTES(HEAD "[exec a]\ncommand = sh -c 'x\n"), ":4",
     "command: expected words with closed quotes, found 'sh -c 'x'"},
    {"arguments without a name", BYTES(HEAD "[exec a]\ncommand = x\ncase = --rows=4\n"), ":5",
     "case: expected NAME: ARGUMENT..., with a name"},
    {"arguments with an open quote", BYTES(HEAD "[exec a]\ncommand = x\ncase = b: \"\n"), ":5",
     "case: expected words with closed quotes"},
    {"a case of a program twice", BYTES(HEAD "[exec a]\ncommand = x\ncase = b: 1\ncase = b: 2\n"),
     ":6", "case: expected each name once, found 'b'"},
    {"no regular expression", BYTES(HEAD "[exec a]\ncommand = x\nkernel = (\n"), ":5",
     "kernel: expected a regular expression, found '('"},
    {"starts that give no interval", BYTES(HEAD "[exec a]\ncommand = x\nprocesses = 4\n"), ":5",
     "processes: expected a whole number from 5 to 64, found '4'"},
    {"a key of families", BYTES(HEAD "[exec a]\ncommand = x\nvariant = v\n"), ":5",
     "unknown key 'variant'; known: command case range kernel file processes deadline"},
    {"programs whose rows could be of either",
     BYTES(HEAD "[exec a]\ncommand = x\ncase = b:\n[exec a_b_c]\ncommand = x\n"), ":6",
     "found a_b and a_b_c"},
    {"a name that is too long",
     BYTES(HEAD "[exec a]\ncommand = x\ncase = "
                "b23456789_123456789_123456789_123456789_123456789_123456789_12:\n"),
     ":3", "expected a name of at most 63 bytes, found 'a_b2345"},
    {"an odd number of blocks", BYTES(HEAD "blocks = 25\n[null]\n"), ":3",
     "blocks: expected an even number from 4 to 512, found '25'"},
    {"too many blocks", BYTES(HEAD "blocks = 514\n[null]\n"), ":3", "blocks: expected"},
    {"too few processes", BYTES(HEAD "processes = 4\n[null]\n"), ":3",
     "processes: expected a whole number from 5 to 64, or auto, found '4'"},
    {"too many counts", BYTES(HEAD "repeats = 17\n[null]\n"), ":3", "repeats: expected"},
    {"a tolerance without unit", BYTES(HEAD "tolerance = 0.005\n[null]\n"), ":3",
     "tolerance: expected more than 0%"},
    {"a tolerance of nothing", BYTES(HEAD "tolerance = 0%\n[null]\n"), ":3",
     "tolerance: expected more than 0%"},
    {"a wide tolerance without the word", BYTES(HEAD "tolerance_max = 50%\n[null]\n"), ":3",
     "tolerance_max: expected at most 10%, or 'wide:50%' for a tolerance as wide as that"},
    {"a deadline without unit", BYTES(HEAD "deadline = 20\n[null]\n"), ":3",
     "deadline: expected a duration with its unit"},
    {"a deadline of two hours", BYTES(HEAD "deadline = 2h\n[null]\n"), ":3",
     "deadline: expected a duration from 1ms to 1h"},
    {"an L2 state that does not exist", BYTES(HEAD "l2 = tepid\n[null]\n"), ":3",
     "l2: expected cold, clean or warm, found 'tepid'"},
    {"a comment behind a value", BYTES(HEAD "l2 = cold ; as ever\n[null]\n"), ":3",
     "l2: expected cold, clean or warm, found 'cold ; as ever'"},
    {"no file of knobs", BYTES(HEAD "config =\n[null]\n"), ":3", "config: expected a text"},
    {"an empty title", BYTES("[suite]\ntitle =\n[null]\n"), ":2", "title: expected a text"},
    {"no title", BYTES("[null]\n[suite]\n"), ":2", "the key 'title' is missing"},
    {"no [suite]", BYTES("[null]\n"), "t.suite:1", "expected a section [suite]"},
    {"an empty file", BYTES(""), "t.suite:1", "expected a section [suite]"},
};

TEST(refused)
{
    assert_refused(refusals, COUNT(refusals), "t.suite", read_suite);
}

TEST(a_suite_is_found_by_name_or_by_path)
{
    static const struct {
        const char *proves, *given, *words; /* "": found */
    } table[] = {
        {"a path that ends in .suite is a path", "./kernels/suites/none.suite", "cannot be opened"},
        {"so is a file's name that does", "none.suite", "cannot be opened"},
        {"a name is looked for at home", "none", "no such suite; `solgate list"},
        {"a path without the ending is refused", "kernels/suites/none",
         "expected the name of a suite"},
        {"a name with capitals is refused", "Nightly",
         "expected the name of a suite, [a-z0-9_]+, or a path that ends in .suite"},
        {"the ending alone is no name", ".suite", "expected the name of a suite"},
        {"nothing is no name", "", "expected the name of a suite"},
    };
    setenv("SOLGATE_HOME", "/proc/self", 1); /* a folder without suites */
    for (size_t i = 0; i < COUNT(table); i++) {
        struct sg_err err = {0};
        struct sg_suite suite;
        sg_suite_load(table[i].given, &suite, &err);
        assert_error(table[i].proves, &err, SG_BAD_INPUT, "", table[i].words);
    }
    unsetenv("SOLGATE_HOME");
}

/* The catalogue of metrics and groups: what is shipped, what is
 * refused, what a list of names brings. */
#include <math.h>

#include "check.h"
#include "catalogue/catalogue.h"
#include "device/device.h"
#include "temp_home.h"
#include "util/text.h"

static void load_shipped(struct sg_catalogue *catalogue)
{
    struct sg_err err = {0};
    if (sg_catalogue_load(catalogue, &err) != SG_SUCCESS)
        fail_msg("%s: %s", err.where, err.message);
}

TEST(every_number_format_has_its_work)
{
    struct sg_catalogue catalogue;
    load_shipped(&catalogue);
    for (int d = 0; d < SG_DTYPE_COUNT; d++) {
        char name[64];
        snprintf(name, sizeof(name), "work_flop_%s", sg_dtype_word((enum sg_dtype)d));
        const struct sg_metric *metric = sg_catalogue_find(&catalogue, name);
        if (!metric || strcmp(metric->source->word, "model") != 0 ||
            strcmp(metric->unit, "flop") != 0)
            fail_msg("%s is missing from metrics.ini, or is no model metric in flop", name);
    }
}

/* What other rooms look up by name; a renamed metric must not go unnoticed there. */
TEST(the_names_that_code_relies_on_are_there)
{
    static const struct {
        const char *name, *unit, *source;
    } rows[] = {
        {"time", "ns", "time"},
        {"time_ratio", "1", "time"},
        {"sm_clock", "Hz", "time"},
        {"kernels", "1", "launch"},
        {"work_read_bytes", "B", "model"},
        {"work_write_bytes", "B", "model"},
        {"sol_time", "ns", "model"},
        {"sol_gap", "1", "model"},
        {"count_passes", "1", "model"},
        {"l2_hit_rate", "%", "cupti"},
        {"dram_read_bytes", "B", "cupti"},
        {"stall_barrier", "%", "cupti"},
        {"occupancy_theoretical", "%", "launch"},
        {"shared_conflicts_per_wavefront", "1", "derived"},
    };
    struct sg_catalogue catalogue;
    load_shipped(&catalogue);
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct sg_metric *metric = sg_catalogue_find(&catalogue, rows[i].name);
        if (!metric || strcmp(metric->unit, rows[i].unit) != 0 ||
            strcmp(metric->source->word, rows[i].source) != 0)
            fail_msg("%s is missing from metrics.ini, or is not in %s from %s", rows[i].name,
                     rows[i].unit, rows[i].source);
    }
    assert_null(sg_catalogue_find(&catalogue, "l2_hit_rat"));
    assert_null(sg_catalogue_find(&catalogue, ""));
}

static bool has(const struct sg_group *group, const struct sg_metric *metric)
{
    for (size_t i = 0; i < group->count; i++)
        if (group->metrics[i] == metric)
            return true;
    return false;
}

TEST(all_holds_every_counted_metric_but_the_constant_one_and_counted_work)
{
    struct sg_catalogue catalogue;
    load_shipped(&catalogue);
    const struct sg_group *all = sg_catalogue_group(&catalogue, "all"),
                          *work = sg_catalogue_group(&catalogue, "work");
    for (size_t i = 0; i < catalogue.count; i++) {
        const struct sg_metric *metric = &catalogue.metrics[i];
        const bool should =
            metric->source->is_counted && strcmp(metric->name, "stall_selected") != 0;
        if (has(all, metric) != should && !has(work, metric))
            fail_msg("%s is %s the group all", metric->name, should ? "not in" : "in");
    }
}

TEST(a_counter_has_its_own_name_on_some_chips)
{
    static const struct {
        const char *metric, *chip, *cupti;
    } rows[] = {
        {"pipe_tensor", "GH100", "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed"},
        {"pipe_tensor", "AD102",
         "sm__pipe_tensor_cycles_active_v2.avg.pct_of_peak_sustained_elapsed"},
        {"pipe_tc", "GH100", NULL},
        {"pipe_tc", "GB100", "sm__pipe_tc_cycles_active.avg.pct_of_peak_sustained_elapsed"},
        {"stall_gmma", "GA100", NULL},
        {"stall_imc_miss", "GH100",
         "smsp__average_warps_issue_stalled_imc_miss_per_issue_active.pct"},
        {"stall_imc_miss", "GB202", NULL},
        {"dram_read_bytes", "GB202", "fbpa__dram_read_bytes.sum"},
        {"registers", "GH100", "registers"},
    };
    struct sg_catalogue catalogue;
    load_shipped(&catalogue);
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *name =
            sg_metric_key(sg_catalogue_find(&catalogue, rows[i].metric), rows[i].chip);
        if (!rows[i].cupti)
            assert_null(name);
        else
            assert_string_equal(name, rows[i].cupti);
    }
}

#define GOOD "[a]\nunit = B\nbetter = lower\nclass = exact\ncupti = x.sum\nmeaning = an a\n"

TEST(a_metric_like_another_has_what_it_does_not_give)
{
    struct temp_home home;
    struct sg_catalogue catalogue;
    struct sg_err err = {0};
    temp_home_begin(&home);
    temp_home_write(&home, "metrics/metrics.ini",
                    "[a]\nunit = B\nbetter = lower\nclass = noisy\nfloor = 4\nfloor_ratio = "
                    "0.5\ncupti = x.sum\nmeaning = m\n"
                    "[b]\nlike = a\nunit = ns\nfloor = 7\ncupti = y.sum\nmeaning = n\n"
                    "[c]\nlike = b\nclass = exact\ncupti = z.sum\nmeaning = o\n");
    temp_home_write(&home, "metrics/groups/g.group",
                    "[group]\ntitle = t\nmetric = a c\nread = r\n");
    if (sg_catalogue_load(&catalogue, &err) != SG_SUCCESS)
        fail_msg("%s: %s", err.where, err.message);
    const struct sg_metric *b = sg_catalogue_find(&catalogue, "b"),
                           *c = sg_catalogue_find(&catalogue, "c");
    assert_true(strcmp(b->unit, "ns") == 0 && b->better == SG_LOWER && b->klass == SG_NOISY &&
                b->floor == 7 && b->floor_ratio == 0.5);
    assert_true(strcmp(c->unit, "ns") == 0 && c->klass == SG_EXACT && c->floor == 0 &&
                c->floor_ratio == 0);
    assert_true(catalogue.groups[0].count == 2 && catalogue.groups[0].metrics[1] == c);
    temp_home_end(&home);
}

TEST(a_wrong_metrics_file_is_refused_with_its_line)
{
    static const struct {
        const char *name, *text, *place, *part;
    } rows[] = {
        {"an unknown unit", "[a]\nunit = furlong\n", ":2", "found 'furlong'"},
        {"an unknown key", "[a]\nunti = B\n", ":2", "unknown key 'unti'"},
        {"an unknown class", "[a]\nclass = sloppy\n", ":2", "one of exact noisy"},
        {"a key twice", "[a]\nunit = B\nunit = B\n", ":3", "given twice"},
        {"a floor below 0", "[a]\nfloor = -1\n", ":2", "not negative"},
        {"a floor that is no number", "[a]\nfloor = 1x\n", ":2", "found '1x'"},
        {"an infinite floor", "[a]\nfloor = inf\n", ":2", "found 'inf'"},
        {"no meaning", "[a]\nunit = B\nbetter = lower\nclass = exact\ncupti = x.sum\n", ":1",
         "'meaning' is missing"},
        {"an empty meaning", "[a]\nmeaning =\n", ":2", "expected a text"},
        {"no source", "[a]\nunit = B\nbetter = lower\nclass = exact\nmeaning = m\n", ":1",
         "found 0"},
        {"two sources", GOOD "from = time\n", ":1", "found 2"},
        {"the second section is wrong", GOOD "[b]\nunit = B\n", ":7", "'better' is missing"},
        {"a noisy metric without a floor",
         "[a]\nunit = B\nbetter = lower\nclass = noisy\ncupti = x.sum\nmeaning = m\n", ":1",
         "needs a floor"},
        {"like one that is not above it", "[c]\nlike = b\ncupti = x.sum\nmeaning = m\n" GOOD, ":1",
         "found 'b'"},
        {"noisy, and floors are not those of an exact one",
         GOOD "[b]\nlike = a\nclass = noisy\ncupti = y.sum\nmeaning = m\n", ":7", "needs a floor"},
        {"a counter without rollup", "[a]\ncupti = sm__cycles_active\n", ":2", "rollup"},
        {"a chip twice", "[a]\ncupti.GH100 = x.sum\ncupti.GH100 = y.sum\n", ":3", "given twice"},
        {"a chip in small letters", "[a]\ncupti.gh100 = x.sum\n", ":2", "expected a chip"},
        {"chips but no name for the others",
         "[a]\nunit = B\nbetter = lower\nclass = exact\ncupti.GH100 = x.sum\nmeaning = m\n", ":1",
         "key 'cupti'"},
        {"an unknown launch fact",
         "[a]\nunit = B\nbetter = lower\nclass = exact\nlaunch = colour\nmeaning = m\n", ":5",
         "found 'colour'"},
        {"an unknown derivation",
         "[a]\nunit = B\nbetter = lower\nclass = exact\nderived = magic\nmeaning = m\n", ":5",
         "found 'magic'"},
        {"a derivation of something that is not there",
         "[a]\nunit = B\nbetter = lower\nclass = exact\nderived = sum_dram_bytes\nmeaning = m\n",
         ":1", "'dram_read_bytes'"},
        {"a name with capitals",
         "[L2]\nunit = B\nbetter = lower\nclass = exact\ncupti = x.sum\nmeaning = m\n", ":1",
         "found 'L2'"},
        {"no metric at all", "; nothing\n", "metrics.ini:1", "expected the section of a metric"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct temp_home home;
        struct sg_catalogue catalogue;
        struct sg_err err = {0};
        temp_home_begin(&home);
        temp_home_write(&home, "metrics/metrics.ini", rows[i].text);
        if (sg_catalogue_load(&catalogue, &err) != SG_BAD_INPUT)
            fail_msg("%s: code %d (%s)", rows[i].name, err.code, err.message);
        assert_complaint(rows[i].name, err.where, err.message, rows[i].place, rows[i].part);
        assert_null(catalogue.metrics);
        temp_home_end(&home);
    }
}

TEST(a_wrong_group_is_refused_with_its_line)
{
    static const struct {
        const char *name, *file, *text, *place, *part;
    } rows[] = {
        {"another section", "g.group", "[grup]\ntitle = t\n", ":1", "found [grup]"},
        {"an unknown key", "g.group", "[group]\ntitel = t\n", ":2", "unknown key 'titel'"},
        {"an unknown metric", "g.group", "[group]\ntitle = t\nmetric = b\n", ":3", "found 'b'"},
        {"a metric twice", "g.group", "[group]\nmetric = a\nmetric = a\n", ":3",
         "each metric once"},
        {"a metric that is not counted", "g.group", "[group]\nmetric = time\n", ":2",
         "that is counted"},
        {"no metric", "g.group", "[group]\ntitle = t\nread = r\n", ":1", "at least one metric"},
        {"no title", "g.group", "[group]\nread = r\nmetric = a\n", ":1", "'title' is missing"},
        {"nothing in it", "g.group", "# nothing\n", "g.group:1", "expected the section [group]"},
        {"the name of a metric", "a.group", "[group]\ntitle = t\nread = r\nmetric = a\n", "a.group",
         "name of a metric"},
        {"a name that cannot be typed", "A b.group", "[group]\ntitle = t\nread = r\nmetric = a\n",
         "A b.group", "[a-z0-9_]"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct temp_home home;
        struct sg_catalogue catalogue;
        struct sg_err err = {0};
        char path[64];
        snprintf(path, sizeof(path), "metrics/groups/%s", rows[i].file);
        temp_home_begin(&home);
        temp_home_write(
            &home, "metrics/metrics.ini",
            GOOD "[time]\nunit = ns\nbetter = lower\nclass = exact\nfrom = time\nmeaning = m\n");
        temp_home_write(&home, path, rows[i].text);
        if (sg_catalogue_load(&catalogue, &err) != SG_BAD_INPUT)
            fail_msg("%s: code %d (%s)", rows[i].name, err.code, err.message);
        assert_complaint(rows[i].name, err.where, err.message, rows[i].place, rows[i].part);
        temp_home_end(&home);
    }
}

TEST(a_new_metric_and_a_new_group_need_no_code)
{
    struct temp_home home;
    struct sg_catalogue catalogue;
    temp_home_begin(&home);
    temp_home_write(
        &home, "metrics/metrics.ini",
        GOOD "cupti.GA100 = absent\n\n[b]\nunit = %\nbetter = higher\nclass = noisy\nfloor = 2.5\n"
             "floor_ratio = 0.1\ncupti = y.pct\nmeaning = first half;\n  second half\n");
    temp_home_write(
        &home, "metrics/groups/both.group",
        "[group]\ntitle = T?\nmetric = b\nmetric = a\nread = one\n  two\nread = three\n");
    load_shipped(&catalogue);
    const struct sg_metric *b = sg_catalogue_find(&catalogue, "b");
    assert_string_equal(b->meaning, "first half; second half");
    assert_int_equal(b->better, SG_HIGHER);
    assert_int_equal(b->klass, SG_NOISY);
    assert_true(b->floor == 2.5 && b->floor_ratio == 0.1);
    assert_null(sg_metric_key(sg_catalogue_find(&catalogue, "a"), "GA100"));
    const struct sg_group *both = sg_catalogue_group(&catalogue, "both");
    assert_int_equal(both->count, 2);
    assert_ptr_equal(both->metrics[0], b);
    assert_string_equal(both->read, "one two three");
    temp_home_end(&home);
}

TEST(a_list_of_names_is_resolved_once_each)
{
    static const struct {
        const char *name, *asked[3], *got[6];
    } rows[] = {
        {"nothing asked, nothing selected", {NULL}, {NULL}},
        {"one metric", {"registers"}, {"registers"}},
        {"twice is once", {"registers", "registers"}, {"registers"}},
        {"a derived metric brings its inputs before it",
         {"dram_bytes"},
         {"dram_read_bytes", "dram_write_bytes", "dram_bytes"}},
        {"an input that is there already stays where it was",
         {"dram_write_bytes", "dram_bytes"},
         {"dram_write_bytes", "dram_read_bytes", "dram_bytes"}},
    };
    struct sg_catalogue catalogue;
    load_shipped(&catalogue);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_err err = {0};
        const struct sg_metric **selected;
        size_t asked = 0, count = 0;
        while (asked < COUNT(rows[i].asked) && rows[i].asked[asked])
            asked++;
        assert_int_equal(
            sg_catalogue_select(&catalogue, rows[i].asked, asked, &selected, &count, &err),
            SG_SUCCESS);
        size_t at = 0;
        for (; at < count && rows[i].got[at]; at++)
            assert_string_equal(selected[at]->name, rows[i].got[at]);
        if (at != count || rows[i].got[at])
            fail_msg("%s: %zu metrics selected", rows[i].name, count);
        free(selected);
    }
}

TEST(a_name_that_cannot_be_counted_is_refused)
{
    static const char *const names[] = {"l2_hit_rat", "time", "work_flop_f32", "", "default "};
    struct sg_catalogue catalogue;
    load_shipped(&catalogue);
    for (size_t i = 0; i < COUNT(names); i++) {
        const char *const asked[] = {"registers", names[i]};
        struct sg_err err = {0};
        const struct sg_metric **selected;
        size_t count = 1;
        assert_int_equal(sg_catalogue_select(&catalogue, asked, 2, &selected, &count, &err),
                         SG_BAD_INPUT);
        assert_non_null(strstr(err.message, names[i]));
        assert_null(selected);
        assert_int_equal(count, 0);
    }
}

TEST(derived_values_follow_from_their_inputs)
{
    static const struct {
        const char *name, *key;
        double inputs[SG_SOURCE_INPUTS], value;
    } rows[] = {
        {"bytes both ways", "sum_dram_bytes", {100, 28}, 128},
        {"one direction is not known", "sum_dram_bytes", {100, NAN}, NAN},
        {"coalesced 4-byte loads", "global_load_sectors_per_request", {4096, 1024}, 4},
        {"every lane its own sector", "global_store_sectors_per_request", {32768, 1024}, 32},
        {"no request, no sectors per request", "global_load_sectors_per_request", {0, 0}, NAN},
        {"two-way conflicts", "shared_conflicts_per_wavefront", {512, 0, 1024, 0}, 0.5},
        {"loads and stores together", "shared_conflicts_per_wavefront", {10, 30, 100, 60}, 0.25},
        {"no shared memory", "shared_conflicts_per_wavefront", {0, 0, 0, 0}, NAN},
        {"a count is missing", "shared_conflicts_per_wavefront", {1, NAN, 10, 10}, NAN},
    };
    const struct sg_source *derived = sg_source_find("derived");
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_metric_key key = {(char *)"*", (char *)rows[i].key};
        const struct sg_metric metric = {.keys = &key, .key_count = 1};
        struct sg_collection from = {.state = NULL};
        struct sg_counted found;
        memcpy(from.inputs, rows[i].inputs, sizeof(from.inputs));
        derived->collect(&from, &metric, &found);
        const double value = found.value;
        if (isnan(rows[i].value) ? !isnan(value) : value != rows[i].value)
            fail_msg("%s: %g, should be %g", rows[i].name, value, rows[i].value);
    }
    assert_non_null(derived->expects("magic"));
}

TEST(facts_of_a_launch_without_a_kernel_that_was_seen_are_not_there)
{
    struct sg_launch_facts facts = {.kernels = 0, .grid_blocks = 0};
    struct sg_metric_key key = {.chip = "*", .key = "grid_blocks"};
    const struct sg_metric metric = {.keys = &key, .key_count = 1};
    struct sg_counted found;
    sg_source_launch.collect(&(struct sg_collection){.facts = &facts}, &metric, &found);
    assert_true(found.status == SG_UNAVAILABLE && isnan(found.value));
    facts.kernels = 1;
    sg_source_launch.collect(&(struct sg_collection){.facts = &facts}, &metric, &found);
    assert_true(found.status == SG_OK && found.value == 0);
}

TEST(a_difference_of_counters_below_zero_is_zero_within_the_floor)
{
    const struct sg_metric metric = {.floor = 8};
    struct sg_counted counted = {.value = -8}, found;
    sg_source_cupti.collect(&(struct sg_collection){.counted = &counted}, &metric, &found);
    assert_true(found.status == SG_OK && found.value == 0);
    counted.value = -9;
    sg_source_cupti.collect(&(struct sg_collection){.counted = &counted}, &metric, &found);
    assert_true(found.status == SG_NAN && strstr(found.message, "counted as -9"));
}

TEST(launch_facts_are_found_by_field)
{
    const struct sg_launch_facts facts = {
        .kernels = 1,
        .registers = 2,
        .shared_static_bytes = 3,
        .shared_dynamic_bytes = 4,
        .local_bytes = 5,
        .grid_blocks = 6,
        .block_threads = 7,
        .cluster_blocks = 8,
        .occupancy_theoretical = 9,
    };
    static const char *const keys[] = {"kernels",
                                       "registers",
                                       "shared_static_bytes",
                                       "shared_dynamic_bytes",
                                       "local_bytes",
                                       "grid_blocks",
                                       "block_threads",
                                       "cluster_blocks",
                                       "occupancy_theoretical"};
    for (size_t i = 0; i < COUNT(keys); i++) {
        double value = 0;
        assert_true(sg_launch_fact(&facts, keys[i], &value));
        assert_true(value == (double)(i + 1));
    }
    double untouched = 42;
    assert_false(sg_launch_fact(&facts, "kernel", &untouched));
    assert_true(untouched == 42);
}

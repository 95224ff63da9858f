/* metrics/rules.ini and its reader: what the shipped rules say of a change, which rule of
 * several speaks, and what is refused. */
#include "check.h"
#include "diagnose_fixture.h"
#include "temp_home.h"

static const struct {
    const char *name;
    struct change changes[12];
    const char *first, *says;
} causes[] = {
    {"spills begin",
     {{"local_store_sectors", 0, 4096},
      {"local_load_sectors", 0, 8192},
      {"local_memory", 0, 96},
      {"registers", 168, 128},
      {"stall_long_scoreboard", 100, 400},
      {"instructions", 1e6, 1.2e6},
      {"cycles", 1e5, 1.5e5}},
     "local_store_sectors",
     "registers spill to local memory"},
    {"16-byte loads became 4-byte ones",
     {{"global_load_requests", 1e4, 4e4},
      {"global_load_sectors_per_request", 16, 4},
      {"instructions", 1e6, 2.5e6},
      {"issue_active", 20, 45},
      {"stall_lg_throttle", 5, 60},
      {"global_load_sectors", 16e4, 16e4}},
     "global_load_requests",
     "narrower loads"},
    {"a warp no longer loads neighbours",
     {{"global_load_sectors", 4e4, 32e4},
      {"global_load_requests", 1e4, 1e4},
      {"global_load_sectors_per_request", 4, 32},
      {"l1_hit_rate", 0, 60},
      {"stall_long_scoreboard", 500, 3000},
      {"dram_read_bytes", 1e8, 1.4e8}},
     "global_load_sectors_per_request",
     "uncoalesced"},
    {"shared memory conflicts",
     {{"shared_load_wavefronts", 1e5, 8e5},
      {"shared_conflicts_per_wavefront", 0.01, 0.87},
      {"shared_load_conflicts", 1e3, 7e5},
      {"stall_mio_throttle", 10, 300},
      {"stall_short_scoreboard", 50, 400}},
     "shared_load_wavefronts",
     "bank conflicts"},
    {"more registers cost occupancy",
     {{"registers", 64, 72}, {"occupancy_theoretical", 50, 37.5}, {"occupancy_achieved", 48, 36}, {"issue_active", 60, 50}},
     "occupancy_theoretical",
     "fewer warps fit"},
    {"reuse in L2 is lost",
     {{"l2_hit_rate", 80, 30}, {"dram_read_bytes", 1e8, 4e8}, {"dram_throughput", 40, 90}, {"stall_long_scoreboard", 300, 320}},
     "dram_read_bytes",
     "L2 holds less"},
    {"warps wait for each other",
     {{"stall_barrier", 20, 250}, {"stall_wait", 30, 31}, {"issue_active", 70, 50}, {"cycles", 1e5, 1.4e5}, {"ipc", 2.8, 2.0}},
     "stall_barrier",
     "barriers"},
    {"a pipeline with fewer stages",
     {{"shared_dynamic", 200000, 100000}, {"stall_barrier", 20, 90}, {"pipe_tensor", 80, 60}, {"cycles", 1e5, 1.3e5}},
     "shared_dynamic",
     "too few stages"},
    {"the profiler's clock is no cause",
     {{"counted_clock", 1.98e9, 1.4e9}, {"counted_time", 1e5, 1.4e5}, {"stall_wait", 100, 130}},
     "stall_wait",
     "independent chains"},
};

TEST(the_cause_comes_first_and_says_what_it_means)
{
    struct fixture fixture;
    fixture_begin(&fixture);
    for (size_t i = 0; i < COUNT(causes); i++) {
        struct sg_moved moved[MOVED_MAX];
        const size_t count = fixture_diagnose(&fixture, causes[i].changes, COUNT(causes[i].changes), moved);
        assert_true(count > 0);
        if (strcmp(moved[0].metric->name, causes[i].first) != 0 || !strstr(moved[0].cause, causes[i].says))
            fail_msg("%s: first is %s, '%s'", causes[i].name, moved[0].metric->name, moved[0].cause);
        for (size_t j = 1; j < count; j++)
            assert_true(moved[j - 1].score >= moved[j].score && moved[j].score > 1);
    }
    fixture_end(&fixture);
}

TEST(a_metric_without_a_rule_speaks_for_itself)
{
    static const struct change change = {"stall_sleeping", 0, 80};
    struct fixture fixture;
    struct sg_moved moved[MOVED_MAX];
    fixture_begin(&fixture);
    assert_int_equal(fixture_diagnose(&fixture, &change, 1, moved), 1);
    assert_string_equal(moved[0].cause, moved[0].metric->meaning);
    fixture_end(&fixture);
}

#define METRICS                                                                     \
    "[a]\nunit = B\nbetter = lower\nclass = exact\ncupti = x.sum\nmeaning = an a\n" \
    "[b]\nunit = B\nbetter = lower\nclass = exact\ncupti = y.sum\nmeaning = a b\n"  \
    "[time]\nunit = ns\nbetter = lower\nclass = exact\nfrom = time\nmeaning = m\n"
#define GROUP "[group]\ntitle = t\nread = r\nmetric = a\n"

/* A home of three metrics, with these rules. */
static void home_of_rules(struct temp_home *home, const char *rules)
{
    temp_home_begin(home);
    temp_home_write(home, "metrics/metrics.ini", METRICS);
    temp_home_write(home, "metrics/groups/g.group", GROUP);
    temp_home_write(home, "metrics/rules.ini", rules);
}

static const struct {
    const char *name, *text, *place, *part;
} mistakes[] = {
    {"an unknown metric", "[r]\nmetric = c\n", ":2", "found 'c'"},
    {"a metric that is not counted", "[r]\nmetric = time\n", ":2", "that is counted"},
    {"nothing in it", "# nothing\n", "rules.ini:1", "expected the section of a rule in this file"},
    {"an unknown direction", "[r]\nmetric = a\nmoved = sideways\n", ":3", "one of up down any"},
    {"an unknown key", "[r]\nthreshold = 3\n", ":2", "unknown key 'threshold'"},
    {"no sentence", "[r]\nmetric = a\nmoved = up\n", ":1", "'says' is missing"},
    {"no direction", "[r]\nmetric = a\nsays = s\n[q]\n", ":1", "'moved' is missing"},
    {"a ratio under 1", "[r]\nmetric = a\nmoved = up\nratio = 0.9\nsays = s\n", ":1", "at least 1"},
    {"a ratio of any direction", "[r]\nmetric = a\nmoved = any\nratio = 2\nsays = s\n", ":1", "found any"},
    {"a weight of nothing", "[r]\nmetric = a\nmoved = up\nweight = 0\nsays = s\n", ":1", "over 0"},
    {"a companion without direction", "[r]\nwith = b\n", ":2", "found 'b'"},
    {"a companion that goes anywhere", "[r]\nwith = b any\n", ":2", "found 'b any'"},
    {"a companion that nobody knows", "[r]\nwith = c up\n", ":2", "found 'c up'"},
    {"too many companions", "[r]\nwith = b up\nwith = b up\nwith = b up\nwith = b up\nwith = b up\n", ":6", "at most 4"},
    {"a name with capitals", "[R]\nmetric = a\nmoved = up\nsays = s\n", ":1", "found 'R'"},
};

TEST(a_wrong_rule_is_refused_with_its_line)
{
    for (size_t i = 0; i < COUNT(mistakes); i++) {
        struct temp_home home;
        struct sg_catalogue catalogue;
        struct sg_rules *rules = NULL;
        struct sg_err err = {0};
        home_of_rules(&home, mistakes[i].text);
        assert_int_equal(sg_catalogue_load(&catalogue, &err), SG_SUCCESS);
        if (sg_rules_load(&catalogue, &rules, &err) != SG_BAD_INPUT)
            fail_msg("%s: code %d (%s)", mistakes[i].name, err.code, err.message);
        assert_complaint(mistakes[i].name, err.where, err.message, mistakes[i].place, mistakes[i].part);
        assert_null(rules);
        sg_catalogue_release(&catalogue);
        temp_home_end(&home);
    }
}

static const char six_rules[] = "[low]\nmetric = a\nmoved = up\nis_at_most = 10\nsays = low\n"
                                "[from_high]\nmetric = a\nmoved = up\nwas_at_least = 100\nsays = from_high\n"
                                "[steep]\nmetric = a\nmoved = up\nratio = 4\nsays = steep\n"
                                "[both]\nmetric = a\nmoved = up\nwith = b down\nsays = both\n"
                                "[fell]\nmetric = a\nmoved = down\nwas_at_most = 50\nis_at_least = 1\nsays = fell\n"
                                "[never]\nmetric = a\nmoved = up\nratio = 4\nsays = never\n";

static const struct {
    const char *sentence;
    struct change changes[2];
    const char *says;
} fits[] = {
    {"the bound on what it is holds", {{"a", 1, 10}}, "low"},
    {"it does not, and the change is steep enough", {{"a", 1, 11}}, "steep"},
    {"from nothing is steep", {{"a", 0, 11}}, "steep"},
    {"the bound on what it was holds", {{"a", 100, 120}}, "from_high"},
    {"it does not, nor does any other", {{"a", 99, 120}}, "an a"},
    {"the companion moved as it should", {{"a", 20, 30}, {"b", 3, 2}}, "both"},
    {"it moved the other way", {{"a", 20, 30}, {"b", 2, 3}}, "an a"},
    {"down, within both bounds", {{"a", 50, 1}}, "fell"},
    {"it is under its bound", {{"a", 50, 0}}, "an a"},
    {"it was over its bound", {{"a", 51, 1}}, "an a"},
};

TEST(conditions_of_a_rule_all_hold_and_the_first_rule_wins)
{
    struct temp_home home;
    struct fixture fixture;
    home_of_rules(&home, six_rules);
    fixture_begin(&fixture);
    for (size_t i = 0; i < COUNT(fits); i++) {
        struct sg_moved moved[MOVED_MAX];
        const size_t count = fixture_diagnose(&fixture, fits[i].changes, COUNT(fits[i].changes), moved);
        const char *cause = NULL;
        for (size_t j = 0; j < count; j++)
            cause = strcmp(moved[j].metric->name, "a") == 0 ? moved[j].cause : cause;
        if (!cause || strcmp(cause, fits[i].says) != 0)
            fail_msg("%s: '%s', should be '%s'", fits[i].sentence, cause ? cause : "nothing moved", fits[i].says);
    }
    fixture_end(&fixture);
    temp_home_end(&home);
}

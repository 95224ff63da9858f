/* What stands below a row that got slower: its causes, or what is missing to find them. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "reports/tables/ranking.h"
#include "util/escape.h"

static void add(struct sg_table *table, struct sg_value value)
{
    value.family = "f";
    value.case_ = "c";
    sg_table_add(table, &value);
}

/* A counter of a row of three counts, or of one: low is not a number then. */
static struct sg_value counted(const char *variant, const char *metric, const struct sg_value *of)
{
    const uint8_t range = isnan(of->low) ? 0 : SG_HAS_LOW | SG_HAS_HIGH;
    return (struct sg_value){.variant = variant,
                             .metric = metric,
                             .message = of->message,
                             .value = of->value,
                             .low = of->low,
                             .high = of->high,
                             .n = 3,
                             .has = (uint8_t)(SG_HAS_VALUE | SG_HAS_N | range)};
}

static struct sg_finding slower(const char *variant, bool since_accepted)
{
    return (struct sg_finding){
        .family = "f",
        .case_ = "c",
        .variant = variant,
        .metric = "time_ratio",
        .unit = "1",
        .was = 1,
        .is = 1.1,
        .change = 0.1,
        .low = NAN,
        .high = NAN,
        .tolerance = 0.005,
        .resolution = NAN,
        .accepted = since_accepted ? SG_REGRESSED : SG_NEW,
        .baseline = since_accepted ? SG_WITHIN : SG_REGRESSED,
        .gates = true,
    };
}

static const struct row {
    const char *sentence;
    bool accepted; /* against accepted counters, else against the baseline variant of the run */
    double sd_day;
    struct sg_value was, is; /* of stall_wait */
    double instructions;     /* now; 1000 before */
    const char *says, *says_not;
    bool non_repeatable; /* instructions do not repeat */
} rows[] = {
    ROW("a cause, of a time that cannot be split", false, NAN, LIST(.value = 90, .low = NAN),
        LIST(.value = 131, .low = NAN), 1200, "more instructions: up to 10.0 points: ", "no cause",
        false),
    ROW("the same since accepted", true, NAN, LIST(.value = 90, .low = NAN),
        LIST(.value = 131, .low = NAN), 1200, "; instructions 1,000 -> 1,200 inst, +20.0 %",
        "no cause", false),
    ROW("a wait that grew is no cause where the time is not split", false, NAN,
        LIST(.value = 100, .low = 50, .high = 150, .message = "each: 50 100 150"),
        LIST(.value = 131, .low = 80, .high = 182, .message = "each: 80 131 182"), 1000,
        "no cause is found: its time is not split, because cycles were not counted on both sides",
        "stall_wait", false),
    ROW("within its floor, it is only looked at", false, NAN, LIST(.value = 100, .low = NAN),
        LIST(.value = 101, .low = NAN), 1000,
        "no counter moved beyond its floor and its spread, of 2", "floor alone", false),
    ROW("since accepted, it moved by less than runs differ", true, 0.15,
        LIST(.value = 100, .low = NAN), LIST(.value = 131, .low = NAN), 1000,
        "of 2; beyond the floor alone: stall_wait (+0.31 +- 0.45 warp cycles/inst)", "no cause",
        false),
    ROW("an exact counter that does not repeat is told, though it did not move", false, NAN,
        LIST(.value = 90, .low = NAN), LIST(.value = 131, .low = NAN), 1000,
        "exact counters that do not repeat: instructions", "instructions 1", true),
    ROW("one that repeats is not", false, NAN, LIST(.value = 90, .low = NAN),
        LIST(.value = 131, .low = NAN), 1000, "no cause", "do not repeat", false),
};

static void check(const struct row *row, const char *text)
{
    SG_SCOPED(sg_text) says = {0}, says_not = {0};
    sg_add_markdown(&says, row->says);
    sg_add_markdown(&says_not, row->says_not);
    if (!strstr(text, says.data) || strstr(text, says_not.data))
        fail_msg("%s: %s", row->sentence, text);
}

static void fill(const struct row *row, struct sg_table *then, struct sg_table *now)
{
    static const struct sg_value before = {.value = 1000, .low = 1000, .high = 1000},
                                 non_repeatable = {.value = 1000,
                                                   .low = 979,
                                                   .high = 1021,
                                                   .message = "does not repeat: 979 1000 1021"};
    const struct sg_value after = {
        .value = row->instructions, .low = row->instructions, .high = row->instructions};
    const char *other = row->accepted ? "next" : "base";
    struct sg_err err = {0};
    add(then, counted(other, "stall_wait", &row->was));
    add(then, counted(other, "instructions", &before));
    add(now, counted("next", "stall_wait", &row->is));
    add(now, counted("next", "instructions", row->non_repeatable ? &non_repeatable : &after));
    add(now, (struct sg_value){.variant = "next",
                               .metric = "time_ratio",
                               .message = "base",
                               .value = 1.1,
                               .has = SG_HAS_VALUE});
    assert_int_equal(sg_table_sort(then, &err), SG_SUCCESS);
    assert_int_equal(sg_table_sort(now, &err), SG_SUCCESS);
}

/* Metrics as they are shipped. */
struct shipped {
    struct sg_catalogue catalogue;
};

static struct shipped load_shipped(void)
{
    struct shipped shipped = {0};
    struct sg_err err = {0};
    assert_int_equal(sg_catalogue_load(&shipped.catalogue, &err), SG_SUCCESS);
    return shipped;
}

TEST(below_a_slower_row)
{
    struct shipped shipped = load_shipped();
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sg_accepted accepted[] = {{.sd_day = rows[i].sd_day}, {.sd_day = rows[i].sd_day}};
        struct sg_accepted_file baseline = {.accepted = accepted};
        const struct sg_finding finding = slower("next", rows[i].accepted);
        struct sg_comparison comparison = {0};
        sg_finding_add(&comparison, &finding);
        SG_SCOPED(sg_table) run = {0};
        SG_SCOPED(sg_text) text = {0};
        baseline.table = (struct sg_table){0};
        fill(&rows[i], rows[i].accepted ? &baseline.table : &run, &run);
        sg_format_comparison(sg_format_find("markdown"), /* does not break lines */
                             &(struct sg_report_input){.comparison = &comparison,
                                                       .run = &run,
                                                       .accepted = &baseline,
                                                       .catalogue = &shipped.catalogue},
                             &text);
        check(&rows[i], text.data);
        sg_table_release(&baseline.table);
    }
}

static const struct explained {
    const char *sentence;
    enum sg_verdict accepted, baseline;
    const char *against;
} explained[] = {
    {"slower than accepted is explained first", SG_REGRESSED, SG_REGRESSED, "accepted"},
    {"certainly slower than the baseline variant wins over perhaps slower than accepted",
     SG_INCONCLUSIVE, SG_REGRESSED, "base"},
    {"perhaps slower than accepted", SG_INCONCLUSIVE, SG_WITHIN, "accepted"},
    {"perhaps slower than both", SG_INCONCLUSIVE, SG_INCONCLUSIVE, "accepted"},
    {"slower than the baseline variant as accepted", SG_WITHIN, SG_REGRESSED, "base"},
    {"not slower", SG_WITHIN, SG_WITHIN, ""},
};

TEST(what_explains_a_row)
{
    struct shipped shipped = load_shipped();
    for (size_t i = 0; i < COUNT(explained); i++) {
        struct sg_accepted accepted[] = {{.sd_day = NAN}, {.sd_day = NAN}};
        struct sg_accepted_file baseline = {.accepted = accepted};
        struct sg_finding finding = slower("next", true);
        struct sg_causes causes;
        SG_SCOPED(sg_table) run = {0};
        finding.accepted = explained[i].accepted;
        finding.baseline = explained[i].baseline;
        baseline.table = (struct sg_table){0};
        fill(
            &(struct row){
                .accepted = true, .was = {.value = 90}, .is = {.value = 131}, .instructions = 1000},
            &baseline.table, &run);
        print_message("%s\n", explained[i].sentence);
        sg_find_causes(&(struct sg_report_input){.run = &run,
                                                 .accepted = &baseline,
                                                 .catalogue = &shipped.catalogue},
                       &finding, &causes);
        assert_string_equal(causes.against, explained[i].against);
        sg_table_release(&baseline.table);
    }
}

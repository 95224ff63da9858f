/* compare/findings.h: what is kept is what was added, whatever of it is there; repeated reasons are
 * kept once, and none is mixed up with another. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "compare/compare.h"

static struct sg_finding empty(const char *variant, const char *metric)
{
    return (struct sg_finding){
        .family = "family",
        .case_ = "case",
        .variant = variant,
        .metric = metric,
        .unit = "",
        .was = NAN,
        .is = NAN,
        .change = NAN,
        .low = NAN,
        .high = NAN,
        .se = NAN,
        .df = NAN,
        .tolerance = NAN,
        .resolution = NAN,
        .baseline = SG_VERDICT_COUNT,
        .baseline_change = NAN,
        .baseline_low = NAN,
        .baseline_high = NAN,
        .why = "",
    };
}

static const size_t numbers[] = {
    offsetof(struct sg_finding, was),          offsetof(struct sg_finding, is),
    offsetof(struct sg_finding, change),       offsetof(struct sg_finding, low),
    offsetof(struct sg_finding, high),         offsetof(struct sg_finding, se),
    offsetof(struct sg_finding, df),           offsetof(struct sg_finding, tolerance),
    offsetof(struct sg_finding, resolution),   offsetof(struct sg_finding, baseline_change),
    offsetof(struct sg_finding, baseline_low), offsetof(struct sg_finding, baseline_high),
};

static double *number_of(struct sg_finding *finding, size_t number)
{
    return (double *)(void *)((char *)finding + numbers[number]);
}

static void assert_same(struct sg_finding *found, struct sg_finding *wanted)
{
    assert_string_equal(found->family, wanted->family);
    assert_string_equal(found->case_, wanted->case_);
    assert_string_equal(found->variant, wanted->variant);
    assert_string_equal(found->metric, wanted->metric);
    assert_string_equal(found->unit, wanted->unit);
    assert_string_equal(found->why, wanted->why);
    assert_int_equal(found->accepted, wanted->accepted);
    assert_int_equal(found->baseline, wanted->baseline);
    assert_int_equal(found->processes, wanted->processes);
    assert_int_equal(found->gates, wanted->gates);
    for (size_t i = 0; i < COUNT(numbers); i++) {
        const double a = *number_of(found, i), b = *number_of(wanted, i);
        if (isnan(a) != isnan(b) || (!isnan(a) && a != b))
            fail_msg("number %zu: %g, was added as %g", i, a, b);
    }
}

/* Each number by itself, and all of them: what is not there stays away, what
 * is there does not move to another. */
TEST(each_number)
{
    struct sg_comparison comparison = {0};
    struct sg_finding added[COUNT(numbers) + 2];
    for (size_t i = 0; i < COUNT(added); i++) {
        added[i] = empty(i % 2 ? "odd" : "even", i % 3 ? "time" : "registers");
        added[i].accepted = (enum sg_verdict)(i % SG_VERDICT_COUNT);
        added[i].gates = i % 2;
        added[i].processes = i % 4 ? 0 : UINT32_MAX;
        for (size_t k = 0; k < COUNT(numbers); k++)
            if (k == i || i == COUNT(numbers))
                *number_of(&added[i], k) = k % 2 ? -INFINITY : 1.5 * (double)k;
        added[i].why = i == 3 ? "a reason" : "";
        added[i].baseline = i == 4 ? SG_WITHIN : SG_VERDICT_COUNT;
        sg_finding_add(&comparison, &added[i]);
    }
    assert_int_equal(comparison.count, COUNT(added));
    for (size_t i = 0; i < COUNT(added); i++) {
        struct sg_finding found = sg_finding_at(&comparison, i);
        assert_same(&found, &added[i]);
    }
    sg_comparison_release(&comparison);
}

/* More reasons than are remembered, of all lengths: each comes back with its own finding, and one
 * that is replaced takes the new one. */
TEST(reasons)
{
    enum { REASONS = 5000 };
    struct sg_comparison comparison = {0};
    struct sg_finding_reason room;
    char expected[64];
    for (unsigned i = 0; i < REASONS; i++) {
        struct sg_finding finding = empty("v", "time");
        finding.room = &room;
        sg_finding_why(&finding, "%.*s%u", (int)(i % 40), "because of what was seen in that night, ", i / 3);
        sg_finding_add(&comparison, &finding);
    }
    struct sg_finding other = sg_finding_at(&comparison, 7);
    other.why = "another one";
    sg_finding_put(&comparison, 7, &other);
    for (unsigned i = 0; i < REASONS; i++) {
        snprintf(expected, sizeof(expected), "%.*s%u", (int)(i % 40), "because of what was seen in that night, ", i / 3);
        assert_string_equal(sg_finding_at(&comparison, i).why, i == 7 ? "another one" : expected);
    }
    sg_comparison_release(&comparison);
}

/* The strings of findings lie where they lay when they were added. */
TEST(a_repeated_reason_is_kept_once)
{
    struct sg_comparison comparison = {0};
    for (int i = 0; i < 100; i++) {
        struct sg_finding finding = empty("v", "time");
        finding.why = "within 0.5 % of accepted";
        sg_finding_add(&comparison, &finding);
    }
    const char *first = sg_finding_at(&comparison, 0).why;
    for (size_t i = 1; i < comparison.count; i++)
        assert_ptr_equal(sg_finding_at(&comparison, i).why, first);
    sg_comparison_release(&comparison);
}

TEST(a_long_reason_is_cut)
{
    struct sg_finding_reason room;
    struct sg_finding finding = empty("v", "time");
    finding.room = &room;
    sg_finding_why(&finding, "%*s", 2 * SG_FINDING_REASON_MAX, "x");
    assert_int_equal(strlen(finding.why), SG_FINDING_REASON_MAX - 1);
}

/* Judges outcomes of variants: as declared, as accepted, or neither. */
#include <string.h>

#include "compare/compare_internal.h"
#include "results/error_signature.h"

/* ---- declared status ---- */

static bool is_not_run(enum sg_status status)
{
    return status == SG_SKIPPED || status == SG_UNAVAILABLE;
}

bool sg_is_undeclared(enum sg_status status, enum sg_status declared)
{
    return sg_verdict_of_status(declared, status) == SG_BROKEN;
}

static size_t count_undeclared(const struct sg_table *run)
{
    size_t count = 0;
    for (size_t i = 0; i < run->count; i++) {
        const struct sg_value value = sg_value_of(run, &run->rows[i]);
        if (strcmp(value.metric, "status") != 0)
            continue;
        const struct sg_row *expect =
            sg_table_find(run, value.family, value.case_, value.variant, "expect");
        count += sg_is_undeclared(value.status, expect ? (enum sg_status)expect->status : SG_OK);
    }
    return count;
}

enum sg_code sg_check_declared(const struct sg_table *run, const char *where, struct sg_err *err)
{
    const size_t count = count_undeclared(run);
    const struct sg_err before = *err;
    if (count == 0 || (before.code != SG_SUCCESS && before.code != SG_NOT_COMPARABLE))
        return err->code;
    *err = (struct sg_err){0};
    return sg_fail(err, SG_UNDECLARED, before.code == SG_SUCCESS ? where : before.where,
                   "%s%s%zu variant%s not what %s declared to be", before.message,
                   *before.message ? "; and " : "", count, count == 1 ? " is" : "s are",
                   count == 1 ? "it is" : "they are");
}

/* ---- a verdict with its sentence; the variant's own message follows ---- */

struct outcome {
    enum sg_verdict verdict;
    const char *what;
};

/* The status differs from the declared one: accepting cannot excuse that. */
static struct outcome of_undeclared(struct sg_comparison *c, enum sg_status status,
                                    enum sg_status declared)
{
    const char *word = sg_status_word(declared);
    if (status == SG_OK)
        return (struct outcome){SG_BROKEN,
                                sg_reason(c,
                                          "declares expect = %s and passes: fix its check, or let "
                                          "its source declare that it is right",
                                          word)};
    return (struct outcome){SG_BROKEN,
                            sg_reason(c, "should be %s, is %s", word, sg_status_word(status))};
}

/* A variant that refuses a case does not fail. */
static enum sg_verdict fails_as_expected(enum sg_status status)
{
    return status == SG_UNSUPPORTED ? SG_REFUSES : SG_XFAIL;
}

/* As declared, or refused; without an accepted status. */
static struct outcome of_unaccepted(const struct sg_joining *joining, enum sg_status status,
                                    enum sg_status declared)
{
    struct sg_comparison *c = joining->comparison;
    if (is_not_run(status) && status != declared)
        return (struct outcome){SG_NOT_MEASURED,
                                sg_reason(c, "%s in this run", sg_status_word(status))};
    if (status == SG_UNSUPPORTED && status != declared)
        return (struct outcome){sg_unaccepted(joining),
                                "no accepted outcome, and unsupported in this run"};
    return (struct outcome){fails_as_expected(status),
                            sg_reason(c, "%s, as its source declares", sg_status_word(status))};
}

/* As declared, or refused; with an accepted status. */
static struct outcome of_accepted(struct sg_comparison *c, enum sg_status status,
                                  enum sg_status declared, enum sg_status accepted)
{
    const char *is = sg_status_word(status), *was = sg_status_word(accepted);
    if (is_not_run(status) && status != declared)
        return (struct outcome){SG_NOT_MEASURED,
                                sg_reason(c, "accepted as %s, %s in this run", was, is)};
    if (status == accepted)
        return (struct outcome){
            fails_as_expected(status),
            sg_reason(c, "%s, as %s", is, status == declared ? "its source declares" : "accepted")};
    if (status == SG_OK)
        return (struct outcome){
            SG_FIXED,
            sg_reason(c, "was accepted as %s and is right now: accept the run to keep it", was)};
    if (status == SG_UNSUPPORTED)
        return (struct outcome){SG_NOT_MEASURED,
                                sg_reason(c, "accepted as %s, unsupported in this run", was)};
    if (accepted == SG_OK)
        return (struct outcome){SG_BROKEN, sg_reason(c,
                                                     "accepted as ok, is %s, and its source "
                                                     "declares it: accept the run if that is meant",
                                                     is)};
    return (struct outcome){
        SG_OTHER_TERMS,
        sg_reason(
            c,
            "%s, as its source declares now; accepted as %s: fails until the run is accepted anew",
            is, was)};
}

/* ---- where outputs are wrong ---- */

static bool is_same_shape(const struct sg_joining *joining)
{
    const char *is = sg_side_message(&joining->now, "shape"),
               *was = sg_side_message(&joining->then, "shape");
    return !is || !was || strcmp(is, was) == 0;
}

/* Checks whether a variant that fails as accepted, in the same case, now fails elsewhere. */
static void check_place(const struct sg_joining *joining, const char *is, struct outcome *outcome)
{
    const char *was = sg_side_message(&joining->then, SG_SIGNATURE_METRIC);
    if (outcome->verdict == SG_XFAIL && is_same_shape(joining) && was && sg_error_moved(was, is))
        *outcome = (struct outcome){SG_FAILS_OTHERWISE,
                                    sg_reason(joining->comparison,
                                              "was wrong at %.*s: accept the run if that is meant",
                                              (int)sg_error_where(was), was)};
}

/* ---- one row ---- */

/* The accepted status of the variant. A broken variant names its status in `expect`; "regressed"
 * there is about its time. */
static enum sg_status accepted_status(const struct sg_joining *joining,
                                      const struct sg_row_pair *pair)
{
    if (!pair->then)
        return SG_OK;
    const enum sg_status expected =
        sg_status_from_word(sg_table_string(&joining->in->accepted->table, pair->accepted->expect));
    return expected == SG_STATUS_COUNT ? (enum sg_status)pair->then->status : expected;
}

/* The verdict's sentence, the variant's own message, and where outputs are wrong. */
static const char *explain(const struct sg_joining *joining, const char *what, const char *is)
{
    const char *message = sg_side_message(&joining->now, "status");
    return sg_reason(joining->comparison, "%.159s%s%s%s%.*s", what, *message ? ": " : "", message,
                     is ? "; where in " : "", is ? (int)sg_error_where(is) : 0, is ? is : "");
}

void sg_judge_status(struct sg_joining *joining, const struct sg_row_pair *pair)
{
    struct sg_comparison *comparison = joining->comparison;
    const enum sg_status status = joining->is, declared = sg_side_status(&joining->now, "expect");
    const enum sg_status accepted = accepted_status(joining, pair);
    if (status == SG_OK && declared == SG_OK && accepted == SG_OK) {
        comparison->statuses_ok++;
        return;
    }
    struct outcome outcome = sg_is_undeclared(status, declared)
                                 ? of_undeclared(comparison, status, declared)
                             : pair->then ? of_accepted(comparison, status, declared, accepted)
                                          : of_unaccepted(joining, status, declared);
    const char *is = sg_side_message(&joining->now, SG_SIGNATURE_METRIC);
    if (is && status == accepted)
        check_place(joining, is, &outcome);
    struct sg_finding finding = sg_finding_of(joining, pair);
    finding.accepted = outcome.verdict;
    finding.gates = true;
    finding.why = explain(joining, outcome.what, is);
    sg_finding_add(comparison, &finding);
}

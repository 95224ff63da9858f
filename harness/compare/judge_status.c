/* Judges the outcome of a variant against its declared and its accepted status. */
#include <string.h>

#include "compare/compare_internal.h"
#include "results/error_signature.h"

/* ---- declared status ---- */

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
        const struct sg_row *expect = sg_table_find(run, SG_NAMES(value), "expect");
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

#define SAY(verdict, ...) ((struct outcome){verdict, sg_reason(joining->comparison, __VA_ARGS__)})

/* Accepting cannot excuse a status that differs from the declared one. A variant that refuses a
 * case does not fail. `accepted`: SG_STATUS_COUNT for none. */
static struct outcome outcome_of(const struct sg_joining *joining, enum sg_status status,
                                 enum sg_status declared, enum sg_status accepted)
{
    const bool is_accepted = accepted != SG_STATUS_COUNT;
    const char *is = sg_status_word(status), *was = is_accepted ? sg_status_word(accepted) : "",
               *should = sg_status_word(declared);
    if (sg_is_undeclared(status, declared))
        return status == SG_OK ? SAY(SG_BROKEN,
                                     "declares expect = %s, but passes: fix its check, or declare "
                                     "it ok in its source",
                                     should)
                               : SAY(SG_BROKEN, "expected %s, found %s", should, is);
    if (status != declared && sg_verdict_of_status(declared, status) == SG_NOT_MEASURED)
        return is_accepted ? SAY(SG_NOT_MEASURED, "accepted as %s, %s in this run", was, is)
                           : SAY(SG_NOT_MEASURED, "%s in this run", is);
    if (!is_accepted && status == SG_UNSUPPORTED && status != declared)
        return SAY(sg_unaccepted(joining), "no accepted outcome, and unsupported in this run");
    if (!is_accepted || status == accepted)
        return SAY(status == SG_UNSUPPORTED ? SG_REFUSES : SG_XFAIL, "%s, as %s", is,
                   !is_accepted || status == declared ? "its source declares" : "accepted");
    if (status == SG_OK)
        return SAY(SG_FIXED, "accepted as %s, now correct: accept the run to keep it", was);
    if (status == SG_UNSUPPORTED)
        return SAY(SG_NOT_MEASURED, "accepted as %s, unsupported in this run", was);
    if (accepted == SG_OK)
        return SAY(
            SG_BROKEN,
            "accepted as ok, now %s, as its source declares: accept the run if that is intended",
            is);
    return SAY(
        SG_OTHER_TERMS,
        "%s, as its source declares now; accepted as %s: fails until the run is accepted again", is,
        was);
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
        *outcome = (struct outcome){
            SG_FAILS_OTHERWISE,
            sg_reason(joining->comparison, "was wrong at %.*s: accept the run if that is intended",
                      (int)sg_error_where(was), was)};
}

/* ---- one row ---- */

/* The accepted status; for a broken variant the status in `expect`, unless that is "regressed". */
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
    struct outcome outcome =
        outcome_of(joining, status, declared, pair->then ? accepted : SG_STATUS_COUNT);
    const char *is = sg_side_message(&joining->now, SG_SIGNATURE_METRIC);
    if (is && status == accepted)
        check_place(joining, is, &outcome);
    struct sg_finding finding = sg_finding_of(joining, pair);
    finding.accepted = outcome.verdict;
    finding.gates = true;
    finding.why = explain(joining, outcome.what, is);
    sg_finding_add(comparison, &finding);
}

/* What came of variants: as declared, as accepted, or neither. */
#include <stdio.h>
#include <string.h>

#include "compare/compare_internal.h"
#include "results/error_signature.h"

/* What the variant is accepted to be. A broken one says so in `expect`;
 * "regressed" there is about its time. */
static enum sg_status accepted_status(const struct sg_joining *joining, const struct sg_row_pair *pair)
{
    const enum sg_status expected = sg_status_from_word(sg_table_string(&joining->baseline->table, pair->accepted->expect));
    return expected == SG_STATUS_COUNT ? (enum sg_status)pair->then->status : expected;
}

static bool is_not_run(enum sg_status status)
{
    return status == SG_SKIPPED || status == SG_UNAVAILABLE;
}

bool sg_is_undeclared(enum sg_status status, enum sg_status declared)
{
    return status != declared && status != SG_UNSUPPORTED && !is_not_run(status);
}

size_t sg_count_undeclared(const struct sg_table *run)
{
    size_t count = 0;
    for (size_t i = 0; i < run->count; i++) {
        const struct sg_row *row = &run->rows[i];
        if (strcmp(sg_table_string(run, row->metric), "status") != 0)
            continue;
        const struct sg_row *expect = sg_table_find(run, sg_table_string(run, row->family), sg_table_string(run, row->case_),
                                                    sg_table_string(run, row->variant), "expect");
        count += sg_is_undeclared((enum sg_status)row->status, expect ? (enum sg_status)expect->status : SG_OK);
    }
    return count;
}

enum sg_code sg_check_declared(const struct sg_table *run, const char *where, struct sg_err *err)
{
    const size_t count = sg_count_undeclared(run);
    const struct sg_err before = *err;
    if (count == 0 || (before.code != SG_SUCCESS && before.code != SG_NOT_COMPARABLE))
        return err->code;
    *err = (struct sg_err){0};
    return sg_fail(err, SG_UNDECLARED, before.code == SG_SUCCESS ? where : before.where, "%s%s%zu variant%s not what %s declared to be",
                   before.message, *before.message ? "; and " : "", count, count == 1 ? " is" : "s are", count == 1 ? "it is" : "they are");
}

/* A verdict with its sentence; the variant's own message follows. */
struct outcome {
    enum sg_verdict verdict;
    char what[160];
};

#define OUTCOME(word, ...)                                         \
    do {                                                           \
        outcome.verdict = (word);                                  \
        snprintf(outcome.what, sizeof(outcome.what), __VA_ARGS__); \
    } while (0)

/* Not what its source declares it to be: no acceptance makes that right. */
static struct outcome of_undeclared(enum sg_status status, enum sg_status declared)
{
    struct outcome outcome;
    if (status == SG_OK)
        OUTCOME(SG_BROKEN, "declares expect = %s and passes: fix its check, or let its source declare that it is right",
                sg_status_word(declared));
    else
        OUTCOME(SG_BROKEN, "should be %s, is %s", sg_status_word(declared), sg_status_word(status));
    return outcome;
}

/* As declared, or refused, without an accepted outcome. */
static struct outcome of_unaccepted(const struct sg_joining *joining, enum sg_status status, enum sg_status declared)
{
    struct outcome outcome;
    if (is_not_run(status) && status != declared)
        OUTCOME(SG_NOT_MEASURED, "%s in this run", sg_status_word(status));
    else if (status == SG_UNSUPPORTED && status != declared)
        OUTCOME(sg_unaccepted(joining), "no accepted outcome, and unsupported in this run");
    else
        OUTCOME(SG_XFAIL, "%s, as its source declares", sg_status_word(status));
    return outcome;
}

/* As declared, or refused, with an accepted outcome. */
static struct outcome of_accepted(enum sg_status status, enum sg_status declared, enum sg_status accepted)
{
    struct outcome outcome;
    if (is_not_run(status) && status != declared)
        OUTCOME(SG_NOT_MEASURED, "accepted as %s, %s in this run", sg_status_word(accepted), sg_status_word(status));
    else if (status == accepted)
        OUTCOME(SG_XFAIL, "%s, as %s", sg_status_word(status), status == declared ? "its source declares" : "accepted");
    else if (status == SG_OK)
        OUTCOME(SG_FIXED, "was accepted as %s and is right now: accept the run to keep it", sg_status_word(accepted));
    else if (status == SG_UNSUPPORTED)
        OUTCOME(SG_NOT_MEASURED, "accepted as %s, unsupported in this run", sg_status_word(accepted));
    else if (accepted == SG_OK)
        OUTCOME(SG_BROKEN, "accepted as ok, is %s, and its source declares it: accept the run if that is meant", sg_status_word(declared));
    else
        OUTCOME(SG_OTHER_TERMS, "%s, as its source declares now; accepted as %s: fails until the run is accepted anew",
                sg_status_word(status), sg_status_word(accepted));
    return outcome;
}

/* Where its outputs are wrong; false: the side does not tell. */
static bool signature_of(const struct sg_side *side, struct sg_error_signature *signature)
{
    struct sg_err none = {0};
    return side->signature &&
           sg_error_signature_parse(sg_table_string(side->table, side->signature->message), signature, &none) == SG_SUCCESS;
}

static bool is_same_shape(const struct sg_side *now, const struct sg_side *then)
{
    return !now->shape || !then->shape ||
           strcmp(sg_table_string(now->table, now->shape->message), sg_table_string(then->table, then->shape->message)) == 0;
}

/* Fails as accepted, but elsewhere, in the same case. */
static struct outcome of_signature(const struct sg_joining *joining, struct outcome outcome, const struct sg_error_signature *is)
{
    struct sg_error_signature was;
    if (outcome.verdict == SG_XFAIL && is_same_shape(&joining->now, &joining->then) && signature_of(&joining->then, &was) &&
        sg_error_signature_moved(&was, is))
        OUTCOME(SG_FAILS_OTHERWISE, "was wrong at %.110s: accept the run if that is meant", was.where);
    return outcome;
}

/* The verdict, the variant's own words, and what was found out about them. */
static void explain(const struct sg_joining *joining, const struct outcome *outcome, const struct sg_error_signature *is,
                    struct sg_finding *finding)
{
    const struct sg_side *now = &joining->now;
    const char *message = sg_table_string(now->table, now->status->message);
    const char *sanitizer = now->sanitizer ? sg_table_string(now->table, now->sanitizer->message) : "";
    sg_finding_why(finding, "%s%s%s%s%s%s%s", outcome->what, *message ? ": " : "", message, is ? "; where in " : "", is ? is->where : "",
                   *sanitizer ? "; " : "", sanitizer);
}

void sg_judge_status(struct sg_joining *joining, const struct sg_row_pair *pair)
{
    const enum sg_status status = (enum sg_status)pair->now->status, declared = sg_side_declared(&joining->now);
    const enum sg_status accepted = pair->then ? accepted_status(joining, pair) : SG_OK;
    if (status == SG_OK && declared == SG_OK && accepted == SG_OK) {
        joining->comparison->statuses_ok++;
        return;
    }
    struct outcome outcome = sg_is_undeclared(status, declared) ? of_undeclared(status, declared)
                             : pair->then                       ? of_accepted(status, declared, accepted)
                                                                : of_unaccepted(joining, status, declared);
    struct sg_error_signature is;
    const bool is_signed = signature_of(&joining->now, &is);
    if (is_signed && status == accepted)
        outcome = of_signature(joining, outcome, &is);
    struct sg_finding finding = sg_finding_of(joining, pair);
    finding.accepted = outcome.verdict;
    finding.gates = true;
    explain(joining, &outcome, is_signed ? &is : NULL, &finding);
    sg_finding_add(joining->comparison, &finding);
}

#include "compare_parts.h"

#include <stdio.h>

/* What the variant is accepted to be. A broken one says so in `expect`; "regressed" there is about its time. */
static enum sg_status accepted_status(const struct sg_joining *joining, const struct sg_row_pair *pair)
{
    const enum sg_status expected = sg_status_from_word(sg_table_string(&joining->baseline->table, pair->accepted->expect));
    return expected == SG_STATUS_COUNT ? (enum sg_status)pair->then->status : expected;
}

static bool is_not_run(enum sg_status status)
{
    return status == SG_SKIPPED || status == SG_UNAVAILABLE;
}

static void say_reason(struct sg_finding *finding, const char *what, const char *message)
{
    sg_finding_why(finding, "%s%s%s", what, *message ? ": " : "", message);
}

/* A variant with an accepted outcome. */
static void judge_accepted(const struct sg_joining *joining, enum sg_status status, enum sg_status accepted, struct sg_finding *finding)
{
    const enum sg_status declared = joining->now.expect ? (enum sg_status)joining->now.expect->status : SG_OK;
    const char *message = sg_table_string(joining->run, joining->now.status->message);
    char what[120];
    if (status == accepted) {
        finding->accepted = SG_AS_EXPECTED;
        snprintf(what, sizeof(what), "%s, as accepted", sg_status_word(status));
    } else if (status == SG_OK) {
        finding->accepted = SG_MENDED;
        snprintf(what, sizeof(what), "was accepted as %s and is right now: accept the run to keep it", sg_status_word(accepted));
    } else if (is_not_run(status)) {
        finding->accepted = SG_MISSING;
        snprintf(what, sizeof(what), "accepted as %s, %s in this run", sg_status_word(accepted), sg_status_word(status));
    } else {
        finding->accepted = SG_BROKEN;
        snprintf(what, sizeof(what), "accepted as %s, is %s%s", sg_status_word(accepted), sg_status_word(status),
                 declared == status ? " (as its source declares: accept the run if that is meant)" : "");
    }
    say_reason(finding, what, message);
}

/* A variant without accepted outcome: only its own declaration counts. */
static void judge_declared(const struct sg_joining *joining, enum sg_status status, enum sg_status declared, struct sg_finding *finding)
{
    const char *message = sg_table_string(joining->run, joining->now.status->message);
    char what[120];
    finding->gates = true;
    if (status == declared) {
        finding->accepted = SG_AS_EXPECTED;
        snprintf(what, sizeof(what), "%s, as its source declares", sg_status_word(status));
    } else if (is_not_run(status) || status == SG_UNSUPPORTED) {
        finding->accepted = SG_NEW;
        finding->gates = false;
        snprintf(what, sizeof(what), "no accepted outcome, and %s in this run", sg_status_word(status));
    } else if (status == SG_OK) {
        finding->accepted = SG_MENDED;
        snprintf(what, sizeof(what), "declares expect = %s and is right: let its source say so", sg_status_word(declared));
    } else {
        finding->accepted = SG_BROKEN;
        snprintf(what, sizeof(what), "should be %s, is %s", sg_status_word(declared), sg_status_word(status));
    }
    say_reason(finding, what, message);
}

void sg_judge_status(struct sg_joining *joining, const struct sg_row_pair *pair)
{
    const enum sg_status status = (enum sg_status)pair->now->status;
    const enum sg_status expected = pair->then            ? accepted_status(joining, pair)
                                    : joining->now.expect ? (enum sg_status)joining->now.expect->status
                                                          : SG_OK;
    if (status == SG_OK && expected == SG_OK) {
        joining->comparison->statuses_ok++;
        return;
    }
    struct sg_finding finding = sg_finding_of(joining, pair);
    if (pair->then)
        judge_accepted(joining, status, expected, &finding);
    else
        judge_declared(joining, status, expected, &finding);
    sg_finding_add(joining->comparison, &finding);
}

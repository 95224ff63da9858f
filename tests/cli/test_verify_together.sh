#!/bin/sh
# Cases of a variant that are verified one after the other in a process: what fails by itself fails
# only its own row, what fails only behind others is flaky, and all others are right.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"

needs_compiler
cat >"$work/module.c" <<'C'
#include "doubling.h"
#include <stdlib.h>
#include <string.h>

static struct sg_simulation simulate(const struct sg_case *c, const char *variant, const int64_t *knob)
{
    (void)c, (void)variant, (void)knob;
    return (struct sg_simulation){.time_ns = 50000, .clock_exponent = 1};
}

static void spoil(const struct sg_launch *l)
{
    doubling_launch(l);
    memset(l->buffer[1], 0x11, sizeof(float));
}

static void in_third(const struct sg_launch *l)
{
    (strcmp(l->c->name, "third") == 0 ? spoil : doubling_launch)(l);
}

static void dies_in_third(const struct sg_launch *l)
{
    if (strcmp(l->c->name, "third") == 0)
        abort();
    doubling_launch(l);
}

/* Each later case of its process is wrong. */
static void behind_others(const struct sg_launch *l)
{
    static const struct sg_case *first;
    first = first ? first : l->c;
    (first != l->c ? spoil : doubling_launch)(l);
}

static const struct sg_case cases[] = {DOUBLING_CASE("first"), DOUBLING_CASE("second"), DOUBLING_CASE("third"), DOUBLING_CASE("fourth")};
static const struct sg_family family = {DOUBLING_FIELDS(cases), .simulate = simulate};
#define VARIANT(name, of_role, function) \
    static const struct sg_variant name = {.summary = "one", .role = of_role, .launch = function};
VARIANT(base, SG_BASELINE, doubling_launch)
VARIANT(right, SG_CANDIDATE, doubling_launch)
VARIANT(wrong, SG_CANDIDATE, in_third)
VARIANT(dies, SG_CANDIDATE, dies_in_third)
VARIANT(late, SG_CANDIDATE, behind_others)
static const struct sg_named_variant variants[] = {{"base", &base}, {"dies", &dies}, {"late", &late}, {"right", &right}, {"wrong", &wrong}};

DOUBLING_MODULE("many", family, variants)
C
build_module "$work/many.so"
"$solgate" run --module="$work/many.so" --jobs=1 --out="$work/run" >"$work/stdout" 2>"$work/stderr" && code=0 || code=$?
[ "$code" = 5 ] || fail "exit status $code instead of 5: $(tail -n 3 "$work/stderr")"

awk -F, '$4 == "status" { print $3, $2, $10 }' "$work/run/run.csv" | sort >"$work/found"
sort >"$work/expected" <<'STATUS'
base first ok
base second ok
base third ok
base fourth ok
right first ok
right second ok
right third ok
right fourth ok
wrong first ok
wrong second ok
wrong third wrong
wrong fourth ok
dies first ok
dies second ok
dies third crash
dies fourth ok
STATUS
grep -v '^late' "$work/found" | diff "$work/expected" - || fail "statuses"
grep -q '^many,second,late,status,.*,flaky,.*failed 1 of 2 times: wrong while verified behind others' "$work/run/run.csv" ||
    fail "late: what fails only behind others is not flaky: $(grep ',late,status,' "$work/run/run.csv")"
[ "$failures" = 0 ]

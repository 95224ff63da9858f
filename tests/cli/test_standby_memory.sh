#!/bin/sh
# Processes that wait for their turn take memory. What has not enough of it beside them is verified,
# or timed, again without them: no outcome depends on them.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"

needs_compiler
cat >"$work/module.c" <<'C'
#include "doubling.h"
#include <stdio.h>
#include <stdlib.h>

/* There is not enough memory when it is made ready for the $SOLGATE_TEST_SHORT-th time; 0: never. */
static enum sg_status prepare(const struct sg_launch *l, void **state, struct sg_reason *why)
{
    const long number = atol(getenv("SOLGATE_TEST_SHORT"));
    FILE *file = fopen(getenv("SOLGATE_TEST_TALLY"), "a");
    (void)l, (void)state;
    fputc('x', file);
    const bool is_short = number == 0 || ftell(file) == number;
    fclose(file);
    snprintf(why->text, sizeof(why->text), "no room");
    return is_short ? SG_OOM : SG_OK;
}

static struct sg_simulation simulate(const struct sg_case *c, const char *variant, const int64_t *knob)
{
    (void)c, (void)variant, (void)knob;
    return (struct sg_simulation){.time_ns = 50000, .clock_exponent = 1};
}

static const struct sg_case cases[] = {DOUBLING_CASE("c")};
static const struct sg_family family = {DOUBLING_FIELDS(cases), .simulate = simulate};
static const struct sg_variant base = {.summary = "the baseline", .role = SG_BASELINE, .launch = doubling_launch};
static const struct sg_variant large = {.summary = "needs memory", .role = SG_CANDIDATE, .prepare = prepare, .launch = doubling_launch};
static const struct sg_named_variant variants[] = {{"base", &base}, {"large", &large}};

DOUBLING_MODULE("many", family, variants)
C
build_module "$work/many.so"
export SOLGATE_TEST_TALLY="$work/tally"

# gate EXIT_STATUS NUMBER: a gate in which its preparation of this number has no memory
gate() {
    rm -f "$work/tally"
    code=0
    SOLGATE_TEST_SHORT=$2 "$solgate" ab many/base many/large --module="$work/many.so" --out="$work/gate$2" \
        >"$work/stdout" 2>"$work/stderr" || code=$?
    [ "$code" = "$1" ] || fail "number $2: exit status $code instead of $1"
    cp "$work/tally" "$work/tally$2"
}

gate 0 99
gate 0 1 # its verification
gate 0 3 # of the second process
for number in 1 3; do
    [ "$(wc -c <"$work/tally$number")" = 12 ] || fail "number $number: made ready $(wc -c <"$work/tally$number") times, not 12"
    cmp -s "$work/gate99/run.csv" "$work/gate$number/run.csv" || fail "number $number: it changed what came out"
done
gate 5 0
grep -q '^many,c,large,status,.*,oom,no room' "$work/gate0/run.csv" || fail "one that has never enough memory is not oom"

[ "$failures" = 0 ]

#!/bin/sh
# A night that is paired with the accepted build: what got slower is found by name, what is
# not at hand falls back to accepted numbers, what fails costs its own pair, and an
# interruption changes nothing of it.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"

needs_compiler
export SOLGATE_BUILDS="$work/store" SOLGATE_BASELINES="$work/baselines"
defaults 'SLOWER=""' BY=1.01 JOULES=0.01 NOISE=0 FRAGILE=0 'NOW_AND_THEN=""'
cat >"$work/module.c" <<'C'
#include "doubling.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What this build of the family makes slower, by how much, how noisy one case is, and whether it breaks. */
/* What c01/other does in one of 397 launches, and never while it is verified. */

static struct sg_simulation simulate(const struct sg_case *c, const char *variant, const int64_t *knob)
{
    (void)knob;
    const bool slow = strcmp(c->name, "c02") == 0 && strcmp(variant, SLOWER) == 0;
    return (struct sg_simulation){
        .time_ns = slow ? 40000 * BY : 40000, .clock_exponent = 1, .noise = strcmp(c->name, "c02") == 0 ? NOISE : 0};
}

/* Of `other`, at 250 W if JOULES is 0.01. */
static bool counter(const struct sg_case *c, const char *variant, const char *metric, double *value)
{
    (void)c;
    *value = strcmp(variant, "other") == 0 ? JOULES : 0.01;
    return strcmp(metric, "energy") == 0;
}

static void *write_late(void *to)
{
    usleep(150);
    *(volatile float *)to = 1;
    return NULL;
}

static void do_now_and_then(float *x, float *y)
{
    static unsigned launches;
    pthread_t thread;
    if (++launches < 60 || launches % 397)
        return;
    if (strcmp(NOW_AND_THEN, "forward") == 0)
        y[DOUBLING_COUNT] = 1;
    else if (strcmp(NOW_AND_THEN, "backward") == 0)
        y[-1] = 1;
    else if (strcmp(NOW_AND_THEN, "far") == 0)
        x[-2] = 1;
    else if (strcmp(NOW_AND_THEN, "late") == 0 && pthread_create(&thread, NULL, write_late, y + DOUBLING_COUNT) == 0)
        pthread_detach(thread);
    else if (strcmp(NOW_AND_THEN, "crash") == 0)
        abort();
}

/* Right when it was accepted; what it meets later makes it wrong, or ends it. */
static void fragile(const struct sg_launch *l)
{
    const char *trouble = FRAGILE && strcmp(l->c->name, "c01") == 0 ? getenv("SOLGATE_TEST_TROUBLE") : NULL;
    doubling_launch(l);
    if (strcmp(l->c->name, "c01") == 0)
        do_now_and_then(l->buffer[0], l->buffer[1]);
    if (trouble && strcmp(trouble, "crash") == 0)
        abort();
    if (trouble && strcmp(trouble, "overrun") == 0)
        ((float *)l->buffer[1])[DOUBLING_COUNT] = 1;
    else if (trouble)
        ((float *)l->buffer[1])[7] += 1;
}

static const struct sg_case cases[] = {DOUBLING_CASE("c00"), DOUBLING_CASE("c01"), DOUBLING_CASE("c02")};
static const struct sg_family family = {DOUBLING_FIELDS(cases), .simulate = simulate, .simulate_counter = counter};
static const struct sg_variant base = {.summary = "the baseline", .role = SG_BASELINE, .launch = doubling_launch};
static const struct sg_variant library = {.summary = "a vendor's", .role = SG_VENDOR, .launch = doubling_launch};
static const struct sg_variant other = {.summary = "another way", .role = SG_CANDIDATE, .launch = fragile};
static const struct sg_named_variant variants[] = {{"base", &base}, {"library", &library}, {"other", &other}};

DOUBLING_MODULE("many", family, variants)
C
cat >"$work/many.suite" <<'SUITE'
[suite]
title     = three cases
tolerance = 0.5%
metrics   = quick
processes = 10
blocks    = 24

[many]
SUITE

# night NAME MODULE ARGUMENTS...: a run of $work/MODULE.so against what is accepted, in $work/NAME
night() {
    name=$1 module=$2
    shift 2
    run 0 "$work/many.suite" --module="$work/$module.so" --out="$work/$name" --seed="$seed" --against-accepted "$@"
}

# judged EXIT_STATUS TEXT NAME ARGUMENTS...: solgate compare of a night
judged() {
    wanted=$1 text=$2 name=$3 code=0
    shift 3
    "$solgate" compare "$work/$name" "$@" >"$work/stdout" 2>"$work/stderr" || code=$?
    [ "$code" = "$wanted" ] || fail "$name: exit status $code instead of $wanted"
    prints "$text"
}

# verdict NAME ROW: what compare makes of a row
verdict() {
    "$solgate" compare "$work/$1" --format=csv | awk -F, -v row="$2" '$1 "," $2 "," $3 "," $4 == row { print $14, $20 }'
}

# row NAME CASE/VARIANT: status, message, n and value of its build_ratio
row() {
    awk -F, -v at="$2" '$2 "/" $3 == at && $4 == "build_ratio" { gsub(/"/, "", $11); print $10 ": " $11 ": " $9 " " $6 }' "$work/$1/run.csv"
}

seed=11
build_module "$work/old.so" -DFRAGILE=1
build_module "$work/same.so"
build_module "$work/slow.so" '-DSLOWER="other"'
build_module "$work/slow_library.so" '-DSLOWER="library"'

night first old
[ "$(row first c00/base)" = "unavailable: $SOLGATE_BASELINES/many.csv: no accepted numbers of null yet:  " ] || fail "nothing is accepted: $(row first c00/base)"
"$solgate" accept "$work/first" --module="$work/old.so" >"$work/stdout" 2>"$work/stderr" || fail "accept"
grep -q ',,,,accepted_pairs\|,,,,accepted_code' "$SOLGATE_BASELINES/many.csv" &&
    fail "what the run was held against is a fact of the accepted numbers"

# Another build that is as fast, one that is slower, and the same file.
night clean same
judged 0 "9 of 9 rows paired with the accepted build" clean
digest=$(sed -n 's/^code.many,//p' "$work/first/env.csv")
row clean c02/other | grep -q "^ok: against the accepted build $digest: 10 [01]" || fail "its row: $(row clean c02/other)"
grep -q "^accepted_code.many,$digest$" "$work/clean/env.csv" || fail "env.csv does not name the accepted build"
night slow slow
judged 1 "6 rows: 1 regressed, 5 within" slow
[ "$(grep -c "regressed (info)" "$work/stdout")" = 0 ] || fail "what says the same of a row is a row by itself"
prints "for information: time_ratio +"
prints "slower than the accepted build"
[ "$(verdict slow many,c02,other,build_ratio)" = "regressed yes" ] || fail "the slower row is $(verdict slow many,c02,other,build_ratio)"
row slow c02/other | awk '{ exit !($NF > 1.008 && $NF < 1.012) }' || fail "1 % slower reads $(row slow c02/other)"
[ "$(verdict slow many,c02,other,time_ratio | cut -d' ' -f2)" = no ] || fail "the accepted number gates beside the pair"
night itself old
judged 0 "6 rows: 6 identical" itself
# The ratio follows from the batches alone: ln of the medians' ratio, by the names in samples.csv.
awk -F, '$2 == "c02" && $3 == "other_base" { sum[$7] += log($8); n[$7]++ }
    END { r = exp(sum["other"] / n["other"] - sum["other_base"] / n["other_base"]); exit !(r > 1.007 && r < 1.013) }' "$work/slow/samples.csv" ||
    fail "samples.csv does not have the pair with the accepted build"

# Equally fast, but 5 % more energy than the accepted build: more than the tolerance.
build_module "$work/hungry.so" -DJOULES=0.0105
night hungry hungry --case=c00 --energy
judged 1 "1 regressed" hungry
prints "more energy than the accepted build (tolerance 3 %)"
[ "$(verdict hungry many,c00,other,energy_build_ratio)" = "regressed yes" ] || fail "the hungry row is $(verdict hungry many,c00,other,energy_build_ratio)"
[ "$(verdict hungry many,c00,base,energy_build_ratio)" = "within yes" ] || fail "the other row is $(verdict hungry many,c00,base,energy_build_ratio)"

# A vendor's row informs, unless the suite asks for more.
night vendor slow_library
judged 0 "6 rows: 6 within" vendor
prints "many/c02 library build_ratio"
cp "$work/many.suite" "$work/asks.suite"
echo 'gate = yes' >>"$work/asks.suite"
sed 's/^\(null,,,,suite,,,,,,,\)many/\1asks/' "$SOLGATE_BASELINES/many.csv" >"$SOLGATE_BASELINES/asks.csv"
"$solgate" accepted seal "$SOLGATE_BASELINES/asks.csv" --reason=copied >"$work/stdout" 2>&1 || fail "seal"
run 0 "$work/asks.suite" --module="$work/slow_library.so" --out="$work/asks" --seed="$seed" --against-accepted
judged 1 "1 regressed" asks

# What cannot be decided: listed, and open only where something speaks for a change. Of numbers of
# their own, for noise shifts a time.
build_module "$work/noisy.so" -DNOISE=0.5
build_module "$work/noisy_same.so" -DNOISE=0.5 -DFRAGILE=1
build_module "$work/suspect.so" -DNOISE=0.5 '-DSLOWER="other"' -DBY=1.0204
quiet=$SOLGATE_BASELINES SOLGATE_BASELINES=$work/of_noise seed=3
night noise noisy --case=c02
"$solgate" accept "$work/noise" --module="$work/noisy.so" >"$work/stdout" 2>"$work/stderr" || fail "accept"
night noisy noisy_same --case=c02
judged 3 "none of its times could be decided" noisy
prints "the noise of 10 processes"
night suspect suspect --case=c02
judged 2 "1 inconclusive" suspect
[ "$(verdict suspect many,c02,other,build_ratio)" = "inconclusive yes" ] || fail "a suspect is $(verdict suspect many,c02,other,build_ratio)"
SOLGATE_BASELINES=$quiet seed=11

# No store, a build that was changed, one that lacks a case, numbers that are of another build:
# accepted numbers alone, and that is printed.
SOLGATE_BUILDS=$work/none night lost same
says "9 of 9 items are not timed against an accepted build: many/c00/base: the build $digest of many cannot be used"
judged 0 "0 of 9 rows paired with the accepted build, 9 judged by accepted numbers alone (many/c00/base: the build $digest of many cannot be used" lost
cp -r "$work/store" "$work/changed"
printf x >>"$work/changed/$digest/libsg_many.so"
night damaged same --builds="$work/changed"
judged 0 "0 of 9 rows paired" damaged
prints "expected the digest $digest"
cp -r "$SOLGATE_BASELINES" "$work/other_numbers"
run 0 "$work/many.suite" --module="$work/slow.so" --out="$work/one" --seed=5
SOLGATE_BASELINES=$work/other_numbers "$solgate" accept "$work/one" --case=c02 --variant=other --module="$work/slow.so" --reason=meant \
    >"$work/stdout" 2>"$work/stderr" || fail "one row is not accepted"
SOLGATE_BASELINES=$work/other_numbers night by_row slow
code=0
"$solgate" compare "$work/by_row" --baselines="$work/other_numbers" >"$work/stdout" || code=$?
prints "judged by accepted numbers alone"
prints "most of its family from $digest"

# A wrong accepted build, and one that dies, cost their pair alone.
for trouble in wrong crash overrun; do
    SOLGATE_TEST_TROUBLE=$trouble night "old_$trouble" same
    case $(row "old_$trouble" c01/other) in
    "$trouble: while timed"*) ;;
    *) fail "$trouble: its row is $(row "old_$trouble" c01/other)" ;;
    esac
    judged 0 "8 of 9 rows paired with the accepted build, 1 judged by accepted numbers alone (many/c01/other: its accepted build is $trouble: " \
        "old_$trouble"
done
SOLGATE_TEST_TROUBLE=wrong night "old_wrong" same --resume
judged 0 "8 of 9 rows paired" old_wrong

# What this build does now and then is its row's, and not its accepted build's.
for trouble in forward backward far late crash; do
    build_module "$work/$trouble.so" -pthread "-DNOW_AND_THEN=\"$trouble\""
    run 5 "$work/many.suite" --module="$work/$trouble.so" --out="$work/$trouble" --seed=2 --against-accepted --case=c01 --variant=other
    judged 5 "1 broken" "$trouble"
    [ "$(verdict "$trouble" many,c01,other,status)" = "broken yes" ] || fail "$trouble: its row is $(verdict "$trouble" many,c01,other,status)"
done
trouble=

# Killed and taken up again it ends in the same bytes, and never as another run.
"$solgate" run "$work/many.suite" --module="$work/slow.so" --out="$work/killed" --seed="$seed" --against-accepted >/dev/null 2>&1 &
killed=$!
await logs sample 700 "$work/killed"
kill -9 "$killed"
wait "$killed" 2>/dev/null || true
night killed slow --resume
same "$work/slow" "$work/killed" "killed behind 700 lines"
cp -r "$work/killed" "$work/finished"
night finished slow --resume
same "$work/slow" "$work/finished" "taken up when it was finished"
sed -i 's/^state,finished$/state,running/' "$work/killed/env.csv"
told 4 "started with --against-accepted" run "$work/many.suite" --module="$work/slow.so" --out="$work/killed" --seed="$seed" --resume
told 3 "this run was started with accepted_pairs" run "$work/many.suite" --module="$work/slow.so" --out="$work/killed" --seed="$seed" --resume \
    --against-accepted --builds="$work/none"
[ "$failures" = 0 ]

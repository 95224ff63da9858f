#!/bin/sh
# A night times what changed since it was accepted, and a few rows more: all on another machine,
# each within 14 nights, the same when it is taken up again. Rows that are not timed are no gap: not
# in the verdict, nor in the history, nor where the night is accepted.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"
seed=7 # decides which identical rows are drawn

needs_compiler
seed=7 # what is found must not depend on the process
export SOLGATE_BUILDS="$work/store" SOLGATE_BASELINES="$work/baselines"
cat >"$work/module.c" <<'C'
#include "doubling.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef BY
#define BY 1.0
#endif
/* Share of processes, in tenths, in which `slow` is slower. */
#ifndef TENTHS
#define TENTHS 10
#endif
static unsigned process(void)
{
    static char line[1 << 14];
    static unsigned number;
    if (line[0])
        return number;
    FILE *file = fopen("/proc/self/cmdline", "r");
    for (size_t i = 0, n = fread(line, 1, sizeof(line) - 1, file); i < n; i += strlen(line + i) + 1)
        if (strncmp(line + i, "--process=", 10) == 0)
            number = (unsigned)atoi(line + i + 10);
    return number;
}

static struct sg_simulation simulate(const struct sg_case *c, const char *variant, const int64_t *knob)
{
    (void)c, (void)knob;
    const double by = process() * 3 % 10 < TENTHS ? BY : 1.0;
    return (struct sg_simulation){.time_ns = variant[0] == 's' ? 40000 * by : 40000, .clock_exponent = 1};
}

static const struct sg_case cases[] = {DOUBLING_CASE("c"), DOUBLING_CASE("d"), DOUBLING_CASE("e")};
static const struct sg_family family = {DOUBLING_FIELDS(cases), .simulate = simulate};
static const struct sg_variant base = {.summary = "the baseline", .role = SG_BASELINE, .launch = doubling_launch};
static const struct sg_variant slow = {.summary = "slower in another build", .role = SG_CANDIDATE, .launch = doubling_launch};
#ifndef ROLE
#define ROLE SG_CANDIDATE
#endif
static const struct sg_variant tuned = {.summary = "another one", .role = ROLE, .launch = doubling_launch};
static const struct sg_named_variant variants[] = {{"base", &base}, {"slow", &slow}, {"tuned", &tuned}};

DOUBLING_MODULE(FAMILY, family, variants)
C
for family in one two; do
    build_module "$work/$family.so" -DFAMILY="\"$family\""
    build_module "$work/$family.slow.so" -DFAMILY="\"$family\"" -DBY=1.03
done
cat >"$work/s.suite" <<'SUITE'
[suite]
title     = two families of nine rows
tolerance = 0.5%
metrics   = quick
processes = 10
blocks    = 24

[one]
[two]
SUITE

# night EXIT_STATUS ARGUMENTS...: one with the module `one`, and what it printed in $work/stdout;
# $folder is its run. Without gnuplot, for test_pages.sh and test_golden.sh have the charts of a
# night. A night of the same second and modules as another would be that one, so it waits.
nights=0 second=0
night() {
    wanted=$1 code=0
    shift
    until [ "$(date +%s)" != "$second" ]; do sleep 0.05; done
    second=$(date +%s)
    nights=$((nights + 1))
    out=$work/nights/$nights
    PATH=/nowhere "$solgate" nightly "$work/s.suite" --module="$work/one.so" --seed="$seed" --out="$out" "$@" >"$work/stdout" 2>"$work/stderr" || code=$?
    [ "$code" = "$wanted" ] || fail "exit status $code instead of $wanted: nightly $*"
    folder=$(find "$out" -name s)
}

# timed PATTERN: how many rows of that name the last night has a time of
timed() {
    grep -c "^$1,time," "$folder/run.csv" || true
}

# reseal FILE: a night of a history that was edited
reseal() {
    digest=$("$solgate" history check --history="$(dirname "$(dirname "$(dirname "$1")")")" 2>&1 | sed -n 's/.*expected \([0-9a-f]*\) of the rows above.*/\1/p')
    sed -i "s/^fact,digest,[0-9a-f]*/fact,digest,$digest/" "$1"
}

run 0 "$work/s.suite" --module="$work/one.so" --module="$work/two.so" --out="$work/first" --seed="$seed"
"$solgate" accept "$work/first" --module="$work/one.so" --module="$work/two.so" >"$work/stdout" 2>"$work/stderr" || fail "accept"
cp -R "$work/baselines" "$work/as_accepted"
mkdir "$work/history"

# Nothing changed.
for n in 1 2 3 4; do
    night 0 --module="$work/two.so" --history="$work/history"
    [ "$n" -gt 1 ] || first=$folder
    [ "$(timed '.*')" = 2 ] || fail "night $n times $(timed '.*') rows"
done
prints "timed: 2 of 18 rows: 0 changed, 2 selected or next to a changed one, 0 of unknown identity; identical, not timed: 16"
prints "nightly: 1 suite, 18 rows: 18 identical; history"
prints "identical, not timed: 16, 2 of 2 rows paired"
prints "history: nothing is open"
[ "$(grep -c '^[a-z/,]*,\(time\|build_ratio\),.*,5,ok,' "$folder/run.csv")" = 4 ] || fail "drawn rows have other than five processes"
grep -q "count: 2 items," "$work/stderr" || fail "what is not timed is counted"
grep -q "verify: 18 items" "$work/stderr" || fail "not all rows are verified"
[ "$(cat "$work"/nights/*/*/s/run.csv | grep ',time,' | cut -d, -f1-3 | sort -u | wc -l)" -gt 4 ] || fail "each night draws the same rows"
"$solgate" history check --history="$work/history" >"$work/stdout" || fail "history check"
prints "nothing is open"
grep -q "not_measured\|broken\|missing" "$work/stdout" && fail "rows that are identical are listed"
for format in text json junit csv markdown; do
    "$solgate" compare "$folder" --format=$format >"$work/stdout" 2>"$work/stderr" || fail "compare --format=$format"
    grep -q identical "$work/stdout" || fail "--format=$format has no identical rows"
    case $format in
    csv) ;;
    junit) prints 'errors="0" skipped="16"' ;;
    *) prints "not timed: 16" ;;
    esac
done

# Accepting such a night keeps the numbers of what is identical.
"$solgate" accept "$folder" --reason=test --module="$work/one.so" --module="$work/two.so" >"$work/stdout" 2>"$work/stderr" || fail "a night cannot be accepted"
for numbers in baselines as_accepted; do grep ',time,\|,time_ratio,' "$work/$numbers/s.csv" >"$work/$numbers.times"; done
cmp -s "$work/baselines.times" "$work/as_accepted.times" || fail "accepting a night in which nothing changed changes numbers"
run 0 "$work/s.suite" --module="$work/one.so" --module="$work/two.so" --out="$work/again" --seed="$seed" --against-accepted
"$solgate" compare "$work/again" >"$work/stdout" 2>"$work/stderr" || fail "compare behind it"
prints "18 of 18 rows paired"
rm -rf "$work/baselines" && cp -R "$work/as_accepted" "$work/baselines"

# Taken up again, killed before and behind the choice; the history has other nights by then.
for without in timed none; do
    rm -rf "$work/taken" && cp -R "$first" "$work/taken"
    forget "$work/taken" '^sample\|^process\|^whole\|count_passes'
    sed -i "/^$without,/d" "$work/taken/env.csv"
    kept=$work/history
    if [ $without = timed ]; then
        kept=$work/none
        mkdir "$kept"
    fi
    sed -i "s|^timed_since,.*|timed_since,$kept|; s/^state,.*/state,running/" "$work/taken/env.csv"
    run 0 "$work/s.suite" --module="$work/one.so" --module="$work/two.so" --out="$work/taken" --seed="$seed" --against-accepted --resume
    same "$first" "$work/taken" "taken up without '$without'"
done

for n in 1 2; do night 0 --module="$work/two.so" --history="$work/history" --all; done

# One module changed: its nine rows are timed, and what is slower is regressed.
night 1 --module="$work/two.slow.so" --history="$work/history"
[ "$(timed 'two.*') $(timed 'one.*')" = "9 1" ] || fail "of a changed module and another one $(timed 'two.*') and $(timed 'one.*') rows are timed"
prints "timed: 10 of 18 rows: 9 changed, 1 selected"
prints "3 regressed, "
prints "/slow +"
prints "% slower than accepted ("

# What that leaves open in the history is timed once more, though it is identical; that closes it.
night 0 --module="$work/two.so" --history="$work/history"
[ "$(timed 'two,[cde],slow')" = 3 ] || fail "of three open rows $(timed 'two,[cde],slow') are timed"
prints "history: nothing is open"
night 0 --module="$work/two.so" --history="$work/history"
[ "$(timed '.*')" = 2 ] || fail "with nothing open $(timed '.*') rows are timed"

# Another machine.
last=$(find "$work/history" -name '*.csv' | sort | tail -n 1)
sed -i 's/^fact,l2,/fact,driver,570.1,,,,,,,,,,,,,,,,\n&/' "$last"
reseal "$last"
night 0 --module="$work/two.so" --history="$work/history"
[ "$(timed '.*')" = 18 ] || fail "on a new driver $(timed '.*') rows are timed"
prints "timed: all 18 rows: driver unknown, before 570.1"
night 0 --module="$work/two.so" --history="$work/history"
[ "$(timed '.*')" = 2 ] || fail "in the night behind a new driver $(timed '.*') rows are timed"
PATH=/nowhere "$solgate" nightly "$work/s.suite" --module="$work/one.so" --module="$work/two.so" --gpu=1 --out="$work/other" --history="$work/history" \
    >"$work/stdout" 2>"$work/stderr" || true
prints "timed: all 18 rows: the first nightly run on GPU null1"

# Asked for; without a history; by numbers of before identities.
export SOLGATE_NULL_TROUBLE='*:slow'
night 0 --module="$work/two.so" --history="$work/history" --all
unset SOLGATE_NULL_TROUBLE
[ "$(timed '.*')" = 18 ] || fail "--all times $(timed '.*') rows"
prints "the times of accepted builds changed by +2 % at the same clock (median of 18 rows)"
night 0 --module="$work/two.so"
prints "selected or next to a changed one, 0 of unknown identity; identical, not timed: 1"
sed -i '/,identity,/d' "$work/baselines/s.csv"
"$solgate" accepted seal "$work/baselines/s.csv" --reason=test >"$work/stdout" 2>"$work/stderr" || fail "seal"
night 0 --module="$work/two.so" --history="$work/history"
prints "timed: 18 of 18 rows: 0 changed, 0 selected or next to a changed one, 18 of unknown identity"
prints "accept a run of all rows again); identical, not timed: 0"

# The order of life: ten nights of the accepted build, then a change that is slow in some processes.
build_module "$work/state.so" -DFAMILY='"two"' -DBY=1.02 -DTENTHS=3
rm -rf "$work/baselines" && cp -R "$work/as_accepted" "$work/baselines"
mkdir "$work/life"
night 0 --module="$work/two.so" --history="$work/life" --all
there=$(find "$work/life" -name '*.csv')
for day in 01 02 03 04 05 06 07 08 09 10; do
    copy=${there%/*}/202601${day}T020000Z-${there#*-}
    sed "s/^fact,date,[^,]*/fact,date,2026-01-${day}T02:00:00Z/" "$there" >"$copy"
    reseal "$copy"
done
rm "$there"
night 2 --module="$work/state.so" --history="$work/life"
prints "OPEN (exit 2): two/"
prints "times as much as in 10 nightly runs before: are some slower?"
[ "$(grep -c '^two,[cde],slow,build_ratio,.*,20,ok,' "$folder/run.csv")" = 3 ] || fail "a slow state is not measured on"

# A vendor's rows inform, so five processes do; unless their family gates.
for by in 1.0 1.01; do build_module "$work/three.$by.so" -DFAMILY='"three"' -DROLE=SG_VENDOR -DBY=$by; done
for gate in no yes; do
    sed '/^\[one\]/,$d' "$work/s.suite" >"$work/v.suite"
    printf '[three]\n' >>"$work/v.suite"
    [ $gate = no ] || echo 'gate = yes' >>"$work/v.suite"
    run 0 "$work/v.suite" --module="$work/three.1.0.so" --out="$work/v.$gate" --seed="$seed"
    "$solgate" accept "$work/v.$gate" --module="$work/three.1.0.so" >"$work/stdout" 2>"$work/stderr" || fail "accept a vendor's"
    PATH=/nowhere "$solgate" nightly "$work/v.suite" --module="$work/three.1.01.so" --seed="$seed" --out="$work/v.nights.$gate" >"$work/stdout" 2>&1 || true
    prints "timed: 9 of 9 rows: 9 changed"
    found=$(sed -n 's/^three,c,\(tuned\|slow\),build_ratio,.*,\([0-9]*\),ok,.*/\1 \2/p' "$work/v.nights.$gate"/*/v/run.csv | tr '\n' ' ')
    case $gate.$found in
    "no.slow 20 tuned 5 " | "yes.slow 20 tuned 10 ") ;;
    *) fail "gate = $gate: processes of a candidate and of a vendor: $found" ;;
    esac
done

[ "$failures" = 0 ]

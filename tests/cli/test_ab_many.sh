#!/bin/sh
# A gate of many cases, and of cases that one side lacks: its A/A pairs are enough to correct the
# errors by, one bad case does not hide among them, one that dies on the way costs itself, and an
# interruption changes nothing of it.
# Not under sanitizers: gates are run by the same code as in test_ab.sh, of more cases.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"

needs_compiler
cat >"$work/module.c" <<'C'
#include "doubling.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Dies in one case of all, when it is made ready for the fourth time: that is in a process of its own, after some that went well. */
static enum sg_status prepare(const struct sg_launch *l, void **state, struct sg_reason *why)
{
    const char *tally = getenv("SOLGATE_TEST_TALLY");
    FILE *file = strcmp(l->c->name, "c05") == 0 && tally ? fopen(tally, "a") : NULL;
    (void)state;
    (void)why;
    if (!file)
        return SG_OK;
    fputc('x', file);
    if (ftell(file) >= 4)
        abort();
    fclose(file);
    return SG_OK;
}

/* Slower in one case of all. */
static struct sg_simulation simulate(const struct sg_case *c, const char *variant, const int64_t *knob)
{
    (void)knob;
    const bool slow = strcmp(c->name, "c07") == 0 && strcmp(variant, "other") == 0;
    return (struct sg_simulation){.time_ns = slow ? 51000 : 50000, .clock_exponent = 1};
}

/* Of another build: it refuses one case, or has one less. */
#ifndef REFUSED
#define REFUSED "none"
#endif
#ifndef LESS
#define LESS 0
#endif
static bool supports(const struct sg_case *c, struct sg_reason *why)
{
    snprintf(why->text, sizeof(why->text), "not any more");
    return strcmp(c->name, REFUSED) != 0;
}

#define CASE(n) DOUBLING_CASE("c" #n)
static const struct sg_case cases[] = {CASE(00), CASE(01), CASE(02), CASE(03), CASE(04), CASE(05), CASE(06), CASE(07),
                                       CASE(08), CASE(09), CASE(10), CASE(11), CASE(12), CASE(13), CASE(14), CASE(15),
                                       CASE(16), CASE(17), CASE(18), CASE(19), CASE(20), CASE(21), CASE(22), CASE(23)};
static const struct sg_family family = {
    DOUBLING_FIELDS(cases), .case_count = sizeof(cases) / sizeof(cases[0]) - LESS, .simulate = simulate};
static const struct sg_variant base = {.summary = "the baseline", .role = SG_BASELINE, .launch = doubling_launch};
static const struct sg_variant other = {.summary = "another way", .role = SG_CANDIDATE, .supports = supports, .launch = doubling_launch};
static const struct sg_variant dies = {.summary = "dies on the way", .role = SG_CANDIDATE, .prepare = prepare, .launch = doubling_launch};
static const struct sg_named_variant variants[] = {{"base", &base}, {"dies", &dies}, {"other", &other}};

DOUBLING_MODULE("many", family, variants)
C
build_module "$work/many.so"

# gate EXIT_STATUS ARGUMENTS...
gate() {
    wanted=$1
    shift
    code=0
    timeout 300 "$solgate" ab many/base many/other --module="$work/many.so" "$@" >"$work/stdout" 2>"$work/stderr" || code=$?
    [ "$code" = "$wanted" ] || fail "exit status $code instead of $wanted: $*"
}

fact() {
    sed -n "s/^$1,//p" "$2/env.csv"
}

# Seeds: one whose A/A pairs spread further than their errors say for certain, as the numbers
# fall, and some where they do not.
stretched=
for number in 1 24; do
    gate 1 --seed="$number" --out="$work/$number"
    [ "$(sed -n 2p "$work/stdout")" = "24 rows: 1 regressed, 23 within, against many/base; simulated times, no GPU" ] || fail "seed $number: another verdict"
    [ "$(fact aa_pairs "$work/$number")" = 24 ] || fail "seed $number: expected 24 A/A pairs"
    # A note is wrapped: as one line.
    sed -e ':a' -e '$!N;s/\n  \([^ ]\)/ \1/;ta' -e 'P;D' "$work/stdout" >"$work/unwrapped"
    lambda=$(fact lambda "$work/$number")
    awk -v l="$lambda" 'BEGIN { exit !(l >= 1 && l < 2) }' || fail "seed $number: lambda is $lambda"
    if [ "$lambda" = 1 ]; then
        grep -q 'may be chance, so errors are not corrected' "$work/unwrapped" || fail "seed $number: a lambda of 1, and not said"
        continue
    fi
    stretched=$number
    said=$(sed -n 's/.* errors are multiplied by \([0-9.]*\)\(;.*\)\{0,1\}$/\1/p' "$work/unwrapped")
    awk -v l="$lambda" -v s="$said" 'BEGIN { exit !(s - l < 0.006 && l - s < 0.006) }' || fail "seed $number: lambda $lambda, said $said"
done
[ "$stretched" = 24 ] || fail "no seed stretched its errors: this test tests nothing"

# The interval in run.csv is the one printed, lambda and all.
row=$(sed -n 's/^many,c07,other,time_ratio,1,//p' "$work/$stretched/run.csv")
gate 1 --seed="$stretched" --out="$work/$stretched" --resume --format=csv
grep '^many,c07,other,' "$work/stdout" | awk -F, -v row="$row" '
    { split(row, r, ","); ok = r[2] - 1 - $9 < 1e-8 && $9 - r[2] + 1 < 1e-8 && r[3] - 1 - $10 < 1e-8 && $10 - r[3] + 1 < 1e-8 }
    END { exit !ok }' || fail "the interval in run.csv is another than the one printed: $row"

gate 1 --seed="$stretched" --out="$work/$stretched" --resume
cp "$work/stdout" "$work/whole.stdout"
"$solgate" ab many/base many/other --module="$work/many.so" --seed="$stretched" --out="$work/killed" >"$work/stdout" 2>"$work/stderr" &
pid=$!
await logs sample 2000 "$work/killed"
kill -s KILL "$pid"
wait "$pid" 2>/dev/null || true
sleep 0.5
gate 1 --seed="$stretched" --out="$work/killed" --resume
same "$work/$stretched" "$work/killed" "killed in mid-way"
sed "s|$work/killed|$work/$stretched|" "$work/stdout" | cmp -s "$work/whole.stdout" - || fail "killed in mid-way: it says something else"

# A variant that dies in one of the later processes: its own pair is lost, those of the other
# cases and of its baseline are not.
# lost FOLDER: c05 broken after some processes, c06 and the baseline with a ratio or a time of five
lost() {
    grep -q '^many,c05,dies,status,.*,crash,"while timed, process [1-4]: killed by SIGABRT' "$1/run.csv" || fail "$1: c05 did not die on the way"
    grep -q '^many,c05,dies,time' "$1/run.csv" && fail "$1: numbers of a variant that died"
    grep -q '^many,c05,base,time,ns,.*,5,ok,,' "$1/run.csv" || fail "$1: its baseline lost processes"
    grep -q '^many,c06,dies,time_ratio,1,.*,10,ok,base,' "$1/run.csv" || fail "$1: another case lost processes"
}
export SOLGATE_TEST_TALLY="$work/tally"
code=0
"$solgate" ab many/base many/dies --module="$work/many.so" --case=c05 --case=c06 --out="$work/dies" >"$work/stdout" 2>"$work/stderr" || code=$?
[ "$code" = 5 ] || fail "a pair that dies on the way: exit status $code"
grep -q '^2 rows: 1 broken, 1 within, against many/base; ' "$work/stdout" || fail "a pair that dies on the way: another verdict"
lost "$work/dies"

# Of two builds of one variant a case that one of them lacks is not merged unseen; two variants may
# differ in what they support, and that is counted.
# build NAME OPTION...: another build of the module
build() {
    name=$1
    shift
    build_module "$work/$name.so" "$@"
}
# builds EXIT_STATUS FIRST_LINE BASE CANDIDATE ARGUMENTS...: the gate ends
# so, and its first lines begin so
builds() {
    wanted=$1 first=$2
    shift 2
    code=0
    timeout 300 "$solgate" ab "$@" --tolerance=5% --seed=1 >"$work/stdout" 2>"$work/stderr" || code=$?
    [ "$code" = "$wanted" ] || fail "exit status $code instead of $wanted: ab $*"
    sed -n 2,5p "$work/stdout" | tr -s ' \n' ' ' >"$work/head"
    case $(cat "$work/head") in
    "$first"*) ;;
    *) fail "ab $*: the counts are not: $first" ;;
    esac
}
build refuses -DREFUSED='"c03"'
build less -DLESS=1
many=$work/many.so:many/other
builds 3 "24 rows: 1 not_measured, 23 within, against $many" "$many" "$work/refuses.so:many/other" --out="$work/refused"
prints "not_measured unsupported now, but supported by $many: not any more"
builds 3 "2 rows: 1 not_measured, 1 within, " \
    "$work/refuses.so:many/other" "$many" --case=c03 --case=c04 --out="$work/gained"
prints "not_measured $work/refuses.so:many/other does not support this case, so there is nothing to compare with; "
builds 3 "24 rows: 1 not_measured, 23 within, " "$many" "$work/less.so:many/other" --out="$work/less"
prints "not_measured a case of $many, but not of $work/less.so:many/other"
builds 0 "23 rows: 23 within, 1 that only one side has, against " "$work/less.so:many/other" "$many" --out="$work/more"
builds 0 "23 rows: 23 within, 1 that only one side has, against many/base" many/base many/other --module="$work/refuses.so" --out="$work/two"
builds 0 '' many/base many/other --module="$work/refuses.so" --out="$work/two" --resume --format=junit
prints ' tests="24" failures="0" errors="0" skipped="1">'
prints '<testcase classname="many" name="c03/other"> <skipped message="unsupported ">unsupported: not any more</skipped>'

[ "$failures" = 0 ]

#!/bin/sh
# What cannot be, from end to end: a family with simulated times that its work forbids, and counters
# that contradict it. run, ab, compare, report and gap call it invalid, each with the numbers and
# exit code 3, and nothing that it is paired with is better or worse.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"

needs_compiler
defaults SLOW=0
cat >"$work/module.c" <<'C'
#include "doubling.h"
#include <string.h>

/* What a case declares, how long each variant takes, and what the counters of `other` say; the GPU has 1 TB/s and 20 Tflop/s at 1 GHz. */
static const struct nature {
    const char *name;
    double flop, read_bytes, base_ns, other_ns;
    double other_dram; /* of its inputs, from DRAM */
    double other_busy; /* its pipes, in percent */
} natures[] = {
    {"base_lies", 0, 1e9, 5e4, 2e6, 1, 50},
    {"bytes", 0, 1e9, 2e6, 5e4, 1, 50},
    {"flops", 1e11, 1024, 6e6, 1e6, 1, 50},
    {"honest", 0, 1e9, 1.25e6, 1.2e6, 1, 50},
    {"idle", 1e6, 1024, 5e4, 6e4, 1, 0},
    {"unread", 0, 4e6, 5e4, 6e4, 0.1, 50},
};

static const struct nature *nature_of(const struct sg_case *c)
{
    const struct nature *nature = natures;
    while (strcmp(nature->name, c->name) != 0)
        nature++;
    return nature;
}

static struct sg_work work(const struct sg_case *c)
{
    return (struct sg_work){.flop = {[SG_F32] = nature_of(c)->flop}, .read_bytes = nature_of(c)->read_bytes};
}

/* The build that everything is accepted of takes as long as anything can. */
static struct sg_simulation simulate(const struct sg_case *c, const char *variant, const int64_t *knob)
{
    (void)knob;
    const struct nature *nature = nature_of(c);
    return (struct sg_simulation){.time_ns = SLOW ? 1e7 : strcmp(variant, "base") == 0 ? nature->base_ns : nature->other_ns};
}

static bool count(const struct sg_case *c, const char *variant, const char *metric, double *out)
{
    const struct nature *nature = nature_of(c);
    const bool other = !SLOW && strcmp(variant, "other") == 0, dram = strcmp(metric, "dram_read_bytes") == 0;
    *out = dram ? nature->read_bytes * (other ? nature->other_dram : 1) : other ? nature->other_busy : 50;
    return true;
}

static const struct sg_case cases[] = {DOUBLING_CASE("base_lies"), DOUBLING_CASE("bytes"), DOUBLING_CASE("flops"),
                                       DOUBLING_CASE("honest"),    DOUBLING_CASE("idle"),  DOUBLING_CASE("unread")};
static const struct sg_family family = {DOUBLING_FIELDS(cases), .work = work, .simulate = simulate, .simulate_counter = count};
static const struct sg_variant base = {.summary = "the baseline", .role = SG_BASELINE, .launch = doubling_launch};
static const struct sg_variant other = {.summary = "another way", .role = SG_CANDIDATE, .launch = doubling_launch};
static const struct sg_named_variant variants[] = {{"base", &base}, {"other", &other}};

DOUBLING_MODULE("tales", family, variants)
C
mkdir "$work/lies" "$work/slow"
build_module "$work/lies/tales.so"
build_module "$work/slow/tales.so" -DSLOW=1
cat >"$work/tales.suite" <<'SUITE'
[suite]
title     = what cannot be
tolerance = 1%
metrics   = dram_read_bytes
metrics   = pipe_tensor
metrics   = pipe_fma
metrics   = pipe_alu
processes = 5
blocks    = 4
launches  = 2

[tales]
SUITE

# A home of this test's own: accepted numbers and ceilings are written into it.
mkdir -p "$work/home/baselines/null" "$work/home/metrics"
for part in reports kernels; do
    ln -s "$tree/$part" "$work/home/$part"
done
for part in metrics.ini groups; do
    ln -s "$tree/metrics/$part" "$work/home/metrics/$part"
done
cp -R "$tree/metrics/gpus" "$work/home/metrics/gpus"
export SOLGATE_HOME="$work/home"

# does EXIT_STATUS ARGUMENTS...: any command, with its output in $work/stdout and $work/stderr
does() {
    wanted=$1
    shift
    code=0
    timeout 300 "$solgate" "$@" >"$work/stdout" 2>"$work/stderr" </dev/null || code=$?
    [ "$code" = "$wanted" ] || fail "exit status $code instead of $wanted: solgate $*"
}

# silent WORD...: the last command printed none of these
silent() {
    for word in "$@"; do
        grep -qw -e "$word" "$work/stdout" && fail "stdout says: $word"
    done
    true
}

skips='the kernel skips work'

# ---- run ----

run 3 "$work/tales.suite" --module="$work/lies/tales.so" --out="$work/run" --seed=7
prints 'invalid (the measurement is invalid):'
grep -q "^ *tales/bytes/other  *invalid: 50\.[0-9]* us for work that takes 1.000 ms at 1.00 TB/s, the peak of DRAM: $skips" "$work/stdout" ||
    fail "bytes: no reason"
grep -q "^ *tales/base_lies/base  *invalid: [45][0-9.]* us for work that takes 1.000 ms" "$work/stdout" || fail "base_lies: no reason"
grep -q "^ *tales/flops/other  *invalid: [0-9.]* \(ms\|us\) for work that takes 2.[0-9]* ms at 1.9[0-9]* GHz: $skips" "$work/stdout" ||
    fail "flops: no reason by the clock that was measured"
grep -q "^ *tales/unread/other  *invalid: read 400,000 B from DRAM, and its inputs are 4.00 MB: $skips" "$work/stdout" || fail "unread: no reason"
grep -q "^ *tales/idle/other  *invalid: no operation was counted on any pipe that can compute, and the work is 1.00 Mflop" "$work/stdout" ||
    fail "idle: no reason"
prints '12 items of suite tales on gpu null (simulated times, no GPU): 5 invalid, 7 ok'
grep -q 'tales/honest' "$work/stdout" && fail "an honest variant is listed"
run 0 "$work/tales.suite" --module="$work/lies/tales.so" --out="$work/honest" --case=honest
prints '2 items of suite tales on gpu null (simulated times, no GPU): 2 ok'

# ---- ab: either side ----

# gate EXIT_STATUS BASELINE CANDIDATE CASE
gate() {
    does "$1" ab "tales/$2" "tales/$3" --module="$work/lies/tales.so" --case="$4" --tolerance=1% --seed=7 --out="$work/ab_$2_$3_$4"
}
gate 3 base other bytes
prints "other is impossible: "
prints "us for work that takes 1.000 ms at 1.00 TB/s, the peak of DRAM: $skips"
silent improved ok within
gate 3 base base base_lies
prints "base is impossible: "
silent identical ok within
gate 3 base other unread
prints "other is impossible: read 400,000 B from DRAM"
silent regressed
gate 0 base other honest
prints "1 improved"

# ---- compare, and what it compares with ----

run 0 "$work/tales.suite" --module="$work/slow/tales.so" --out="$work/slow_run" --seed=8
does 0 accept "$work/slow_run"
does 0 compare "$work/slow_run"
does 3 compare "$work/run"
prints "us for work that takes 1.000 ms at 1.00 TB/s, the peak of DRAM: $skips"
prints "its baseline base is impossible: "
does 3 compare "$work/run" --format=csv
cp "$work/stdout" "$work/compared.csv"
for item in base_lies,base,time base_lies,other,time_ratio bytes,other,time_ratio flops,other,time_ratio idle,other,time_ratio \
    unread,other,time_ratio; do
    grep "^tales,$item," "$work/compared.csv" >"$work/row" || fail "no row of $item"
    grep -q ',invalid,' "$work/row" || fail "$item is not invalid"
    grep -qE ',(improved|regressed|within|inconclusive),' "$work/row" && fail "$item has a verdict all the same: $(cat "$work/row")"
done
grep -q '^tales,honest,base,time,.*,improved,' "$work/compared.csv" || fail "an honest one lost its verdict"
does 3 compare "$work/slow_run" "$work/run"
says "$work/run: tales/base_lies/base is invalid: "
says '5 variants are invalid in all'
does 3 accept "$work/run" --reason=no
says "$work/run: tales/base_lies/base is invalid: "
does 0 compare "$work/slow_run"

# ---- report and gap ----

does 3 report "$work/run" --out="$work/report" --tables-only
says "tales/base_lies/base is invalid: "
for file in index.html report.md gap.csv comparison.csv; do
    grep -q 'us for work that takes 1.000 ms at 1.00 TB/s, the peak of DRAM' "$work/report/$file" || fail "$file does not say why"
done
for format in text markdown csv; do
    does 3 gap "$work/run" --format=$format
    prints 'us for work that takes 1.000 ms at 1.00 TB/s, the peak of DRAM'
    says '5 variants are invalid in all'
done
grep -q '^tales,bytes,other,.*,yes,invalid,candidate,' "$work/stdout" || fail "gap.csv: bytes"
grep -q '^tales,unread,other,.*,no,invalid,candidate,' "$work/stdout" || fail "gap.csv: unread"
grep -q '^tales,honest,other,.*,no,ok,candidate,' "$work/stdout" || fail "gap.csv: honest"

# ---- a measured ceiling, a file of them that is none, and a GPU without a spec ----

ceilings=$work/home/baselines/null/ceilings.csv
printf '%s\n' ceiling,unit,value,from,l2,gpu,gpu_name,gpu_uuid_hash,driver,date 'dram,B/s,6e11,f/c/v,clean,null,x,,x,x' >"$ceilings"
does 3 gap "$work/honest"
prints 'for work that takes 1.667 ms at 600 GB/s, the measured ceiling of DRAM'
sed -i 's/6e11/8e11/' "$ceilings"
does 0 gap "$work/honest"
echo junk >"$ceilings"
run 3 "$work/tales.suite" --module="$work/lies/tales.so" --out="$work/junk" --seed=7
says 'times are compared with peaks, not with measured ceilings: '
same "$work/run" "$work/junk" "with a file of ceilings that is none"
does 4 compare "$work/junk"
says 'baselines/null/ceilings.csv:1: '
rm "$ceilings" "$work/home/metrics/gpus/null.gpu"
run 3 "$work/tales.suite" --module="$work/lies/tales.so" --out="$work/no_spec"
says 'times are not checked against a limit: metrics/gpus: expected the key of a GPU'
prints '12 items of suite tales on gpu null (simulated times, no GPU): 2 invalid, 10 ok'
does 1 compare "$work/no_spec" "$work/slow_run"
prints 'times are not checked against a limit: metrics/gpus: expected the key of a GPU'

[ "$failures" = 0 ]

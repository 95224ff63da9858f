#!/bin/sh
# test_terms.sh BIN - the terms that a run is judged by are accepted with its numbers: a looser one
# is named and fails until it is accepted, with a reason; a tighter one is named.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"

needs_compiler
export SOLGATE_BUILDS="$work/store" SOLGATE_BASELINES="$work/baselines"
defaults RMS=1e-6 MAX=1e-5 OFF=0 ROLE=SG_CANDIDATE SAME=true EXACT=true SCALE=1 \
    READ=1 FAILS=SG_WRONG
cat >"$work/module.c" <<'C'
#include "doubling.h"

/* What a build of the family says that the accepted one does not. */

static struct sg_simulation simulate(const struct sg_case *c, const char *variant, const int64_t *knob)
{
    (void)c;
    (void)variant;
    (void)knob;
    return (struct sg_simulation){.time_ns = 40000, .clock_exponent = 1};
}

static struct sg_tolerance tolerance(const struct sg_case *c)
{
    (void)c;
    return (struct sg_tolerance){.rel_rms = RMS, .rel_max = MAX, .reason = "of this test"};
}

static size_t layout(const struct sg_case *c, struct sg_buffer out[SG_MAX_BUFFERS])
{
    const size_t count = doubling_layout(c, out);
    out[0].scale = SCALE;
    return count;
}

static struct sg_work work(const struct sg_case *c)
{
    struct sg_work all = doubling_work(c);
    all.read_bytes *= READ;
    return all;
}

static void off(const struct sg_launch *l)
{
    doubling_launch(l);
    if (OFF)
        ((float *)l->buffer[1])[7] *= 1.05f;
}

static void fails(const struct sg_launch *l)
{
    doubling_launch(l);
    if (FAILS == SG_WRONG)
        ((float *)l->buffer[1])[7] += 1e6f;
    else
        ((float *)l->buffer[1])[7] = __builtin_nanf("");
}

static const struct sg_case cases[] = {DOUBLING_CASE("c")};
static const struct sg_family family = {
    DOUBLING_FIELDS(cases), .layout = layout, .work = work, .tolerance = tolerance, .simulate = simulate, .exact_integers = EXACT};
static const struct sg_variant base = {.summary = "the baseline", .role = SG_BASELINE, .launch = doubling_launch};
static const struct sg_variant wrong = {.summary = "wrong", .role = SG_CANDIDATE, .launch = fails, .expect = FAILS};
static const struct sg_variant other = {.summary = "another way", .role = ROLE, .deterministic = SAME, .launch = off};
static const struct sg_named_variant variants[] = {{"base", &base}, {"other", &other}, {"wrong", &wrong}};

DOUBLING_MODULE("terms", family, variants)
C
cat >"$work/terms.suite" <<'SUITE'
[suite]
title     = one case
tolerance = 0.5%
metrics   = quick
processes = 6
blocks    = 24
repeats   = 2

[terms]
gate = yes
SUITE

# night NAME SUITE-SCRIPT OPTION...: a run of the suite, edited, with a module of these options
night() {
    night=$work/$1
    mkdir -p "$work/of_$1"
    sed "$2" "$work/terms.suite" >"$work/of_$1/terms.suite"
    name=$1
    shift 2
    build_module "$work/of_$name/terms.so" "$@"
    run 0 "$work/of_$name/terms.suite" --module="$work/of_$name/terms.so" --out="$night" --seed="$seed"
}

# judged EXIT_STATUS TEXT: solgate compare of the last night
judged() {
    code=0
    "$solgate" compare "$night" --verbose >"$work/stdout" 2>"$work/stderr" || code=$?
    [ "$code" = "$1" ] || fail "${night##*/}: exit status $code instead of $1"
    prints "$2"
}

night accepted ''
for i in 2 3; do
    run 0 "$work/terms.suite" --module="$work/of_accepted/terms.so" --out="$work/again$i" --seed="$((seed + i))"
done
"$solgate" accept "$night" "$work/again2" "$work/again3" --module="$work/of_accepted/terms.so" >"$work/stdout" 2>&1 || fail accept
cp -R "$work/baselines" "$work/as_accepted"
grep -q '^null,terms,c,other,term_rel_max,1,1e-05,' "$work/baselines/terms.csv" || fail "no terms are accepted"
judged 0 "as declared: 1 xfail"

# What is looser fails, is named, is refused without a reason, and accepted is right.
while IFS='|' read -r name script options text; do
    rm -rf "$work/baselines"
    cp -R "$work/as_accepted" "$work/baselines"
    # shellcheck disable=SC2086 # several options
    night "$name" "$script" $options
    judged 3 "$text"
    "$solgate" compare "$night" --format=junit >"$work/stdout" || true
    grep -q '<error message="\(other_terms\|invalid\)' "$work/stdout" || fail "$name: junit has no error"
    told 4 "accepted numbers get worse" accept "$night"
    "$solgate" accept "$night" --reason="meant so" >"$work/stdout" 2>&1 || fail "$name: it cannot be accepted"
    judged 0 "against"
done <<'TERMS'
widened||-DRMS=0.9 -DMAX=0.9 -DOFF=1 -DEXACT=false|term_rel_max is '0.9', accepted '1e-05'
wider||-DMAX=2e-5|term_rel_max is '2e-05', accepted '1e-05'
relabelled||-DROLE=SG_VENDOR|role is 'vendor', accepted 'candidate'
smaller_inputs||-DSCALE=1e-3|term_buffers is
less_work||-DREAD=0.5|work_read_bytes is '128', accepted '256'
fails_otherwise||-DFAILS=SG_NAN|nan, as its source declares now; accepted as wrong
tolerance|s/0.5%/9.9%/||tolerance.terms is '0.099', accepted '0.005'
sequential|s/= 6$/= auto/||processes is 'auto', accepted '6'
counts|s/^repeats.*//||repeats is '1', accepted '2'
metrics|s/= quick/= instructions/||metrics is 'not requested', accepted '
TERMS

# What is tighter is named, and green.
while IFS='|' read -r name script options text; do
    rm -rf "$work/baselines"
    cp -R "$work/as_accepted" "$work/baselines"
    # shellcheck disable=SC2086 # several options
    night "$name" "$script" $options
    judged 0 "$text"
done <<'TERMS'
narrower||-DMAX=5e-6|term_rel_max is '5e-06', accepted '1e-05': tighter, and fails nothing
finer|s/0.5%/0.4%/||tolerance.terms is '0.004', accepted '0.005': tighter
TERMS

# No waiver excuses them, and no reason of a waiver accepts them.
rm -rf "$work/baselines"
cp -R "$work/as_accepted" "$work/baselines"
night=$work/wider
told 4 "term_rel_max: 1e-05 -> 2e-05" accept "$work/wider" --waive=terms/c/base --reason="ticket 12"
"$solgate" accept "$work/accepted" "$work/again2" --waive=terms/c/other --reason="ticket 12" >"$work/stdout" 2>&1 || fail "no waiver"
judged 3 "term_rel_max is '2e-05'"

# Numbers without terms are judged as before.
sed -i '/^[^,]*,[^,]*,[^,]*,[^,]*,term_[a-z_]*,[^,]*,[0-9]/d; /^null,,,,drift_limits/d' "$work/baselines/terms.csv"
"$solgate" accepted seal "$work/baselines/terms.csv" --reason=older >"$work/stdout" 2>&1 || fail "seal"
judged 0 "within"

[ "$failures" = 0 ]

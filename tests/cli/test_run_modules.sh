#!/bin/sh
# Modules from outside: one that adds a family, a broken baseline, a variant that should be right
# and is not, a family that needs a GPU, one whose inputs cannot be made, a foreign ABI, no module
# at all; and what a module says of itself that cannot be.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"

needs_compiler

defaults OTHER=doubling_launch BASE=doubling_launch ABI=SG_ABI_VERSION DEVICE=SG_HOST \
    RMS=1e-6 REL_MAX=1e-5 WORK=4e0 TIME=20000 FILL=SG_NORMAL \
    'OF_OTHER=.expect = SG_OK'
cat >"$work/module.c" <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doubling.h"


/* Was the worker told so? */
static int is_told(const char *word)
{
    char words[4096] = "";
    FILE *file = fopen("/proc/self/cmdline", "r");
    const size_t length = file ? fread(words, 1, sizeof(words) - 1, file) : 0;
    if (file)
        fclose(file);
    for (size_t i = 0; i < length; i += strlen(words + i) + 1)
        if (strcmp(words + i, word) == 0)
            return 1;
    return 0;
}

#ifdef DIES_LOADED
__attribute__((constructor)) static void is_loaded(void)
{
    if (is_told(DIES_LOADED))
        abort();
}
#endif

__attribute__((unused)) static bool dies_asked(const struct sg_case *c, struct sg_reason *why)
{
    (void)c;
    (void)why;
    if (is_told("--pass=time"))
        abort();
    return true;
}

__attribute__((unused)) static bool withdraws(const struct sg_case *c, struct sg_reason *why)
{
    (void)c;
    memcpy(why->text, "not now", sizeof("not now"));
    return !is_told("--process=3");
}

static size_t layout(const struct sg_case *c, struct sg_buffer out[SG_MAX_BUFFERS])
{
    const size_t count = doubling_layout(c, out);
    out[0].fill = FILL;
    return count;
}

/* Ones; but the process 2 of the time pass never gets them. */
static void fill(const struct sg_fill_request *r)
{
    if (is_told("--process=2"))
        abort();
    for (int i = 0; i < DOUBLING_COUNT; i++)
        ((float *)r->host[0])[i] = 1;
}

static struct sg_work work(const struct sg_case *c)
{
    (void)c;
    return (struct sg_work){.flop = {[SG_F32] = WORK}, .read_bytes = WORK, .write_bytes = WORK};
}

static struct sg_tolerance tolerance(const struct sg_case *c)
{
    (void)c;
    return (struct sg_tolerance){.rel_rms = RMS, .rel_max = REL_MAX, .reason = "one rounding"};
}

static struct sg_simulation simulate(const struct sg_case *c, const char *variant, const int64_t *knob)
{
    (void)knob;
    (void)c;
    (void)variant;
    return (struct sg_simulation){.time_ns = TIME, .clock_exponent = 1};
}

__attribute__((unused)) static void thrice(const struct sg_launch *l)
{
    for (int i = 0; i < DOUBLING_COUNT; i++)
        ((float *)l->buffer[1])[i] = 3 * ((const float *)l->buffer[0])[i];
}

#ifdef FACTS
static enum sg_status prepare(const struct sg_launch *l, void **state, struct sg_reason *why)
{
    (void)l;
    (void)state;
    memcpy(why->text, "chose the second of 3", sizeof("chose the second of 3"));
    return SG_OK;
}

static size_t facts(const struct sg_case *c, const int64_t *knob, struct sg_fact out[SG_MAX_FACTS])
{
    (void)c;
    (void)knob;
    const struct sg_fact known[] = {{"stages_ab", "1", 5, NULL}, FACTS};
    memcpy(out, known, sizeof(known));
    return sizeof(known) / sizeof(known[0]);
}
#endif
#ifdef KNOBS
static const struct sg_knob knobs[] = {KNOBS};
#endif

static const struct sg_case cases[] = {DOUBLING_CASE("only")};
static const struct sg_family family = {DOUBLING_FIELDS(cases), .device = DEVICE, .layout = layout, .fill = fill, .work = work,
                                        .tolerance = tolerance, .simulate = simulate};
static const struct sg_variant base = {.summary = "the baseline", .role = SG_BASELINE, .launch = BASE};
static const struct sg_variant other = {.summary = "another way", .role = SG_CANDIDATE, .launch = OTHER,
#ifdef FACTS
    .prepare = prepare, .facts = facts,
#endif
#ifdef KNOBS
    .knobs = knobs, .knob_count = sizeof(knobs) / sizeof(knobs[0]),
#endif
    OF_OTHER};
static const struct sg_named_variant variants[] = {{"base", &base}, {"other", &other}};

const struct sg_module *solgate_module(void)
{
    static const struct sg_module module = {
        .abi_version = ABI, .name = "twice", .commit = "", .family = &family, .variants = variants, .variant_count = 2};
    return &module;
}
C

# twice EXIT_STATUS NAME [-OPTION...] [-- ARGUMENTS...]: builds the module NAME and runs it into a
# folder of that name
twice() {
    ends=$1 name=$2
    shift 2
    options=
    while [ "$#" -gt 0 ] && [ "$1" != -- ]; do
        options="$options $1"
        shift
    done
    [ "$#" = 0 ] || shift
    # shellcheck disable=SC2086 # a list of options
    build_module "$work/$name.so" $options
    rm -rf "${work:?}/$name"
    run "$ends" "$suite" --out="$work/$name" --seed="$seed" --module="$work/$name.so" --family=twice "$@"
}

twice 0 good
grep -q '^twice,only,other,time_ratio,1,[0-9.]*,[0-9.]*,[0-9.]*,5,ok,base,' "$work/good/run.csv" || fail "no ratio in an added family"
grep -q '^null,' "$work/good/run.csv" && fail "--family=twice ran another family"

twice 5 wrong -DOTHER=thrice
grep -q 'twice/only/other *expected ok, found wrong: y\[' "$work/stdout" || fail "a wrong variant is not named in the summary"
says 'twice/only/other: expected ok, found wrong'
grep -q '^twice,only,base,time,ns,' "$work/wrong/run.csv" || fail "a wrong variant cost its baseline the time"

twice 5 base -DBASE=thrice
prints 'not_measured (expected, but without a result in this run): twice/only/other skipped: its baseline base failed: wrong'
grep -q '^twice,only,other,time,ns,,,,,skipped,its baseline base failed: wrong,,$' "$work/base/run.csv" || fail "a broken baseline does not skip the time"
grep -q '^twice,only,other,status,.*,ok,,,$' "$work/base/run.csv" || fail "a broken baseline changed the status of another variant"

# What a variant is declared to be is compared with what it is, both ways.
twice 0 declared -DOTHER=thrice -DOF_OTHER=.expect=SG_WRONG
prints '; as declared: 1 wrong'
twice 5 fixed -DOF_OTHER=.expect=SG_WRONG
prints 'broken (a variant is not what its source declares: wrong, or right though it should fail): twice/only/other expected wrong, found ok'
told 5 '' ab "$work/fixed.so:twice/base" "$work/fixed.so:twice/other" --out="$work/gate" --seed="$seed"
prints 'ok, but declared wrong'
twice 5 otherwise -DOTHER=thrice -DOF_OTHER=.expect=SG_CRASH
prints 'broken (a variant is not what its source declares: wrong, or right though it should fail): twice/only/other expected crash, found wrong: y['

mkfifo "$work/pipe.so"
run 4 "$suite" --out="$work/x" --module="$work/pipe.so"
says "pipe.so: expected a file, found a pipe"
build_module "$work/foreign.so" -DABI=999
run 4 "$suite" --out="$work/x" --module="$work/foreign.so"
says "foreign.so"
says 999
echo "no module" >"$work/text.so"
run 4 "$suite" --out="$work/x" --module="$work/text.so"
says "text.so"
run 4 "$suite" --out="$work/x" --module="$work/good.so" --module="$work/wrong.so"
says "good.so"
says "wrong.so"
[ ! -e "$work/x" ] || fail "a run that was refused left a folder"

# What a family says of itself is checked.
twice 4 any '-DRMS=__builtin_nan("")'
says 'twice/only: expected tolerances of 0 or more, found rel_rms nan'
twice 4 idle -DWORK=0
says 'twice/only: expected some work, found none'
twice 4 zeros -DRMS=1 -DREL_MAX=1
says 'twice/only: expected a tolerance below 1, or outputs of zeros would be right, found rel_rms 1, rel_max 1'
twice 4 patient -DOF_OTHER=.deadline_ms=3600001
says 'patient.so: variant other has a deadline of 3600001 ms: expected at most 3600000, an hour'
twice 5 still -DTIME=0
says 'expected a simulated time above 0 ns, found 0 ns'

# Code of a family that breaks a worker while it makes inputs costs the item that they are for.
twice 5 abort -DFILL=SG_CUSTOM
says 'twice/only/base: crash: while timed, process 2: killed by'
grep -q '^state,finished$' "$work/abort/env.csv" || fail "inputs that cannot be made for one item ended the run"

# beside WHAT EXIT MODULE-OPTION: a module whose code dies in a process that has items of another
# family to do, before any of them; those are whole
beside() {
    build_module "$work/beside.so" "$3"
    rm -rf "$work/beside"
    run "$2" "$suite" --out="$work/beside" --seed="$seed" --module="$work/beside.so" --case=only --case=tiny --variant=other --variant=slower
    says "$1"
    for row in time_ratio count_passes; do
        [ "$(grep "^null,tiny,slower,$row," "$work/beside/run.csv")" = "$(grep "^null,tiny,slower,$row," "$work/alone/run.csv")" ] ||
            fail "$3: $row of another family is not what it is alone"
    done
}
run 0 "$suite" --out="$work/alone" --seed="$seed" --case=tiny --variant=slower
beside 'twice/only/base: crash: while timed, process 0: worker exited before starting this item: killed by' 5 '-DDIES_LOADED="--pass=time"'
beside 'twice/only/other: crash: while counted: worker exited before starting this item: killed by' 3 '-DDIES_LOADED="--pass=count"'
beside 'twice/only/other: crash: while timed, process 0: killed by' 5 -DOF_OTHER=.supports=dies_asked
grep -q '^twice,only,base,time,ns,[0-9]' "$work/beside/run.csv" || fail "a variant that dies when it is asked cost its baseline the time"
# If no other item was there, the machine may be the cause.
twice 3 alone_dies '-DDIES_LOADED="--pass=time"'
says 'time: worker exited before its first item: killed by'

# A variant that is verified and refuses to be timed was not measured.
twice 3 withdraws -DOF_OTHER=.supports=withdraws
prints 'not_measured (expected, but without a result in this run): twice/only/other unsupported: while timed, process 3: not now'

# What a variant knows of a case is in the run of one that is right, and nowhere else.
twice 0 knows '-DFACTS={"tiles","block",4,"two_by_two"}'
for row in 'stages_ab,1,5,,,,ok,' 'tiles,block,4,,,,ok,two_by_two' 'note,,,,,,ok,chose the second of 3'; do
    grep -qx "twice,only,other,$row,," "$work/knows/run.csv" || fail "the run does not say $row"
done
"$solgate" explain "$work/knows" twice/only base other >"$work/explained" || fail "explain fails"
for words in 'stages_ab *5 *stages of the ring' '^other: chose the second of 3$'; do
    grep -q -e "$words" "$work/explained" || fail "explain does not say $words"
done
# An interruption before anything is counted loses none of it.
cp -r "$work/knows" "$work/torn"
forget "$work/torn" '^value,\([^,]*,\)\{8\}[0-9]'
run 0 "$suite" --out="$work/torn" --module="$work/knows.so" --family=twice --resume
cmp -s "$work/knows/run.csv" "$work/torn/run.csv" || fail "--resume lost: $(diff "$work/knows/run.csv" "$work/torn/run.csv" | head -5)"
# Accepted, none of it is a fault of the accepted numbers.
"$solgate" accept "$work/knows" --out="$work/accepted/null/knows.csv" >"$work/stdout" 2>"$work/stderr" || fail "it cannot be accepted"
"$solgate" accepted verify "$work/accepted/null/knows.csv" --max-age=36500d >"$work/stdout" 2>"$work/stderr" || true
grep -q 'no such metric' "$work/stdout" && fail "accepted: $(grep 'no such metric' "$work/stdout" | head -2)"
twice 5 lost -DOTHER=thrice '-DFACTS={"tiles","block",4,"two_by_two"}'
grep -q '^twice,only,other,\(stages_ab\|tiles\|note\|identity\),' "$work/lost/run.csv" && fail "a wrong variant has facts"

while IFS='|' read -r fact text; do
    twice 4 refused "-DFACTS=$fact"
    says "twice/only/other: fact 1: expected $text"
done <<'FACTS'
{"No","1",1,0}|a metric of [a-z0-9_]+, found No = 1 1
{"registers","register",1,0}|a metric that is not measured
{"density","1",7,0}|a density over 0 and at most 1
{"stages_c","B",1,0}|the unit that metrics.ini gives the metric
{"stages_ab","1",5,0}|each metric once
FACTS

# A module whose knobs cannot be is refused as a whole.
eight='{"a","",1,{1}},{"b","",1,{1}},{"c","",1,{1}},{"d","",1,{1}},{"e","",1,{1}},{"f","",1,{1}},{"g","",1,{1}},{"h","",1,{1}}'
while IFS='|' read -r knobs text; do
    twice 4 turned "-DKNOBS=$knobs"
    says "turned.so: $text"
done <<KNOBS
{"No","",1,{1}}|knob 0 of variant other is named "No"
{"wide","",1,{1}},{"wide","",1,{1}}|variant other has knob wide twice
{"wide","",2,{1,0}}|knob wide of variant other: expected values above 0
$eight,{"i","",1,{1}}|variant other has 9 knobs: expected at most 8
KNOBS
twice 0 eight "-DKNOBS=$eight"

# A grid too large comes out before the variants ahead of it are swept.
values='11,{1,2,3,4,5,6,7,8,9,10,11}'
build_module "$work/grid.so" "-DKNOBS={\"a\",\"\",$values},{\"b\",\"\",$values},{\"c\",\"\",$values}"
printf '%s\n' '[suite]' 'title = two grids' '[null]' 'case = tiny' 'variant = tuned' >"$work/grids.suite"
run 4 "$work/grids.suite" --sweep --out="$work/x" --module="$work/grid.so"
says 'expected at most 1024 configurations, found 1331 of twice/other'
[ ! -e "$work/x" ] || fail "another variant was swept first"

if [ ! -e /dev/nvidiactl ]; then
    twice 77 gpu -DDEVICE=SG_CUDA
    [ "$(wc -l <"$work/stderr")" -le 2 ] || fail "no GPU: expected at most the line of the phase and one that says why"
    [ ! -e "$work/gpu" ] || fail "a run without its GPU left a folder"
    run 3 "$suite" --out="$work/mixed" --seed="$seed" --module="$work/gpu.so" --case=only --case=tiny --variant=other --variant=slower
    grep -q '^twice,only,base,status,.*,unavailable,' "$work/mixed/run.csv" || fail "an item without its GPU is not unavailable"
    prints 'not_measured (expected, but without a result in this run): twice/only/base unavailable: '
    grep -q '^null,tiny,slower,time_ratio,' "$work/mixed/run.csv" || fail "a family without its GPU cost another family"
fi

[ "$failures" = 0 ]

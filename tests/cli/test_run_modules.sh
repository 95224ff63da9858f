#!/bin/sh
# Modules from outside: one that adds a family, a broken baseline, a variant that
# should be right and is not, a family that needs a GPU, one whose inputs cannot be
# made, a foreign ABI, no module at all.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"

needs_compiler

cat >"$work/module.c" <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solgate_kernel.h"

#ifndef FILL
#define FILL SG_NORMAL
#endif

#ifndef RMS
#define RMS 1e-6
#endif
#ifndef REL_MAX
#define REL_MAX 1e-5
#endif
#ifndef WORK
#define WORK 4e0
#endif
#ifndef TIME
#define TIME 20000
#endif
#ifndef DEADLINE
#define DEADLINE 0
#endif

static size_t layout(const struct sg_case *c, struct sg_buffer out[SG_MAX_BUFFERS])
{
    out[0] = (struct sg_buffer){.name = "x", .dtype = SG_F32, .count = (uint64_t)c->dim[0], .use = SG_INPUT, .fill = FILL};
    out[1] = (struct sg_buffer){.name = "y", .dtype = SG_F32, .count = (uint64_t)c->dim[0], .use = SG_OUTPUT};
    return 2;
}

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

#ifdef DIES_ASKED
#define SUPPORTS asked
static bool asked(const struct sg_case *c, struct sg_reason *why)
{
    (void)c;
    (void)why;
    if (is_told(DIES_ASKED))
        abort();
    return true;
}
#elif defined(WITHDRAWS)
#define SUPPORTS asked
static bool asked(const struct sg_case *c, struct sg_reason *why)
{
    (void)c;
    memcpy(why->text, "not now", sizeof("not now"));
    return !is_told(WITHDRAWS);
}
#else
#define SUPPORTS 0
#endif

/* Ones; but whoever times as process 2 never gets them. */
static void fill(const struct sg_fill_request *r)
{
    if (is_told("--process=2"))
        abort();
    for (int64_t i = 0; i < r->c->dim[0]; i++)
        ((float *)r->host[0])[i] = 1;
}

static struct sg_work work(const struct sg_case *c)
{
    return (struct sg_work){.flop = {[SG_F32] = WORK * (double)c->dim[0]}, .read_bytes = WORK * (double)c->dim[0], .write_bytes = WORK * (double)c->dim[0]};
}

static struct sg_tolerance tolerance(const struct sg_case *c)
{
    (void)c;
    return (struct sg_tolerance){.rel_rms = RMS, .rel_max = REL_MAX, .reason = "one rounding"};
}

static void reference(const struct sg_reference_request *r)
{
    for (int64_t i = 0; i < r->c->dim[0]; i++)
        r->expected[1][i] = 2.0 * (double)((const float *)r->host[0])[i];
}

static struct sg_simulation simulate(const struct sg_case *c, const char *variant, const int64_t *knob)
{
    (void)knob;
    (void)c;
    (void)variant;
    return (struct sg_simulation){.time_ns = TIME, .clock_exponent = 1};
}

static void multiply(const struct sg_launch *l, float by)
{
    const float *x = l->buffer[0];
    float *y = l->buffer[1];
    for (int64_t i = 0; i < l->c->dim[0]; i++)
        y[i] = by * x[i];
}

static void twice(const struct sg_launch *l)
{
    multiply(l, 2.0f);
}

static void thrice(const struct sg_launch *l)
{
    multiply(l, 3.0f);
}

#ifdef __GNUC__
__attribute__((unused))
#endif
static void dies_counted(const struct sg_launch *l)
{
    twice(l);
    if (is_told("--pass=count"))
        abort();
}

/* Does to the files of its run what the environment says. */
#ifdef __GNUC__
__attribute__((unused))
#endif
static void writes(const struct sg_launch *l)
{
    const char *command = getenv("OTHER_COMMAND");
    twice(l);
    if (!command || system(command) == -1)
        abort();
}

static const struct sg_case cases[] = {{.name = "only", .dim = {1000}, .dtype = SG_F32, .summary = "the only one"}};
static const struct sg_family family = {
    .summary = "y = 2 x", .device = DEVICE, .dims = "count", .cases = cases, .case_count = 1, .layout = layout, .fill = fill, .work = work,
    .tolerance = tolerance, .reference = reference, .simulate = simulate};
static const struct sg_variant base = {.summary = "the baseline", .role = SG_BASELINE, .launch = BASE};

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
    (void)knob;
    const struct sg_fact known[] = {{"stages_ab", "1", (double)c->dim[0] / 200, NULL}, FACTS};
    memcpy(out, known, sizeof(known));
    return sizeof(known) / sizeof(known[0]);
}

static const struct sg_variant other = {
    .summary = "another way", .role = SG_CANDIDATE, .prepare = prepare, .launch = OTHER, .facts = facts};
#elif defined(KNOBS)
static const struct sg_knob knobs[] = {KNOBS};
static const struct sg_variant other = {
    .summary = "another way", .role = SG_CANDIDATE, .launch = OTHER, .knobs = knobs, .knob_count = sizeof(knobs) / sizeof(knobs[0])};
#else
#ifndef EXPECT
#define EXPECT SG_OK
#endif
static const struct sg_variant other = {.summary = "another way", .role = SG_CANDIDATE, .launch = OTHER, .expect = EXPECT, .supports = SUPPORTS,
                                        .deadline_ms = DEADLINE};
#endif
static const struct sg_named_variant variants[] = {{"base", &base}, {"other", &other}};

const struct sg_module *solgate_module(void)
{
    static const struct sg_module module = {
        .abi_version = ABI, .name = "twice", .commit = "", .family = &family, .variants = variants, .variant_count = 2};
    return &module;
}
C

# module NAME ABI DEVICE BASE OTHER [OPTION...]
module()
{
    name=$1 abi=$2 device=$3 base=$4 other=$5
    shift 5
    build_module "$work/$name.so" -DABI="$abi" -DDEVICE="$device" -DBASE="$base" -DOTHER="$other" "$@"
}
module good SG_ABI_VERSION SG_HOST twice twice
module wrong SG_ABI_VERSION SG_HOST twice thrice
module base SG_ABI_VERSION SG_HOST thrice twice
module foreign 999 SG_HOST twice twice
module gpu SG_ABI_VERSION SG_CUDA twice twice

run 0 "$suite" --out="$work/good.run" --seed="$seed" --module="$work/good.so" --family=twice
grep -q '^twice,only,other,time_ratio,1,[0-9.]*,[0-9.]*,[0-9.]*,5,ok,against base,' "$work/good.run/run.csv" || fail "no ratio in an added family"
grep -q '^null,' "$work/good.run/run.csv" && fail "--family=twice ran another family"

run 5 "$suite" --out="$work/wrong.run" --seed="$seed" --module="$work/wrong.so" --family=twice
grep -q 'twice/only/other *expected ok, found wrong: y\[' "$work/stdout" || fail "a wrong variant is not named in the summary"
says 'twice/only/other: expected ok, found wrong'
grep -q '^twice,only,base,time,ns,' "$work/wrong.run/run.csv" || fail "a wrong variant cost its baseline the time"

run 5 "$suite" --out="$work/base.run" --seed="$seed" --module="$work/base.so" --family=twice
prints 'Not verified, timed or counted here: twice/only/other skipped: its baseline base is wrong'
grep -q '^twice,only,other,time,ns,,,,,skipped,its baseline base is wrong,,$' "$work/base.run/run.csv" || fail "a broken baseline does not skip the time"
grep -q '^twice,only,other,status,.*,ok,,,$' "$work/base.run/run.csv" || fail "a broken baseline changed another one's status"

# What a variant is declared to be is held against what it is, both ways.
module declared SG_ABI_VERSION SG_HOST twice thrice -DEXPECT=SG_WRONG
run 0 "$suite" --out="$work/declared" --seed="$seed" --module="$work/declared.so" --family=twice
prints '; as declared: 1 wrong'
module fixed SG_ABI_VERSION SG_HOST twice twice -DEXPECT=SG_WRONG
run 5 "$suite" --out="$work/fixed" --seed="$seed" --module="$work/fixed.so" --family=twice
prints 'Passes, and is declared to fail (its source has `.expect`): twice/only/other expected wrong, found ok'
told 5 '' ab "$work/fixed.so:twice/base" "$work/fixed.so:twice/other" --out="$work/gate" --seed="$seed"
prints 'ok, and declared wrong'
module otherwise SG_ABI_VERSION SG_HOST twice thrice -DEXPECT=SG_CRASH
run 5 "$suite" --out="$work/otherwise" --seed="$seed" --module="$work/otherwise.so" --family=twice
prints 'Fails in another way than declared: twice/only/other expected crash, found wrong: y['
cp -r "$work/otherwise" "$work/again"
run 5 "$suite" --out="$work/again" --seed="$seed" --module="$work/otherwise.so" --family=twice --resume
prints 'Fails in another way than declared'

# Right and timed, and dead when it is counted: not green.
module counted SG_ABI_VERSION SG_HOST twice dies_counted
run 3 "$suite" --out="$work/counted" --seed="$seed" --module="$work/counted.so" --family=twice
prints 'Not verified, timed or counted here: twice/only/other was not counted: crash: while counted: killed by'
run 3 "$suite" --out="$work/counted" --seed="$seed" --module="$work/counted.so" --family=twice --resume
prints 'was not counted: crash'

# What its own kernels do to the files of a run while it goes on:
# nothing of it is taken, then or later.
module writes SG_ABI_VERSION SG_HOST twice writes
tampered()
{
    rm -rf "$work/tampered"
    # shellcheck disable=SC2089 # system() reads it
    OTHER_COMMAND="cd '$work/tampered'; $2"
    # shellcheck disable=SC2090
    export OTHER_COMMAND
    run 3 "$suite" --out="$work/tampered" --seed="$seed" --module="$work/writes.so" --family=twice
    says "$1"
    unset OTHER_COMMAND
    if grep -q -e --resume "$work/stderr"; then fail "$2: offered to go on with it"; fi
    run 3 "$suite" --out="$work/tampered" --seed="$seed" --module="$work/writes.so" --family=twice --resume
    told 3 '' baseline accept "$work/tampered" --out="$work/never/null/tampered.csv"
}
tampered 'run.csv: was changed by another program while the run wrote it' \
    'grep -q forged run.csv || echo twice,only,base,forged,ns,1,1,1,5,ok,,, >>run.csv'
tampered 'run.csv: was changed by another program' '[ -e old ] || { cp run.csv old; mv old run.csv; : >old; }'
tampered 'samples.csv: was changed by another program' 'echo twice,only,other,63,0,0,base,1,1,0 >>samples.csv'
tampered 'samples.csv: cannot be opened' 'rm -f samples.csv'

# What a variant starts and leaves behind, in a session of its own and with an empty environment, is
# gone with the last worker. What was there before is not touched.
needle=77$$77
sleepers()
{
    grep -lazx -e "$needle" /proc/[0-9]*/cmdline 2>/dev/null
}
# shellcheck disable=SC2089,SC2090 # system() reads it
for how in 'setsid sleep' 'setsid env -i sleep' 'setsid env -i setsid sh -c "sleep \$0 & sleep \$0"'; do
    OTHER_COMMAND="$how $needle </dev/null >/dev/null 2>&1 & touch $work/started"
    export OTHER_COMMAND
    rm -rf "$work/started" "$work/daemons"
    run 0 "$suite" --out="$work/daemons" --seed="$seed" --module="$work/writes.so" --family=twice
    unset OTHER_COMMAND
    [ -e "$work/started" ] || fail "no process was left behind"
    for _ in 1 2 3 4 5; do
        sleepers >"$work/left" || break
        sleep 0.2
    done
    [ ! -s "$work/left" ] || fail "$how: $(wc -l <"$work/left") processes of a variant are still there"
    for process in $(sed 's|/proc/\([0-9]*\)/.*|\1|' "$work/left"); do
        kill "$process" 2>"$work/stderr" || true
    done
done
(
    sleep "$needle" &
    echo $! >"$work/before"
    exec "$solgate" run "$suite" --out="$work/beside" --seed="$seed" --module="$work/writes.so" --family=twice
) >"$work/stdout" 2>"$work/stderr" || true
kill "$(cat "$work/before")" 2>"$work/stderr" || fail "what solgate did not start was killed"

mkfifo "$work/pipe.so"
run 4 "$suite" --out="$work/x" --module="$work/pipe.so"
says "pipe.so: expected a file, found a pipe"
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

# What a family says of itself is not taken on trust.
module any SG_ABI_VERSION SG_HOST twice thrice -DRMS=__builtin_nan\(\"\"\)
run 4 "$suite" --out="$work/any" --module="$work/any.so" --family=twice
says 'twice/only: expected tolerances of 0 or more, found rel_rms nan'
module below SG_ABI_VERSION SG_HOST twice twice -DWORK=-1
run 4 "$suite" --out="$work/below" --module="$work/below.so" --family=twice
says 'twice/only: expected amounts of work'
module idle SG_ABI_VERSION SG_HOST twice twice -DWORK=0
run 4 "$suite" --out="$work/idle" --module="$work/idle.so" --family=twice
says 'twice/only: expected some work, found none'
module zeros SG_ABI_VERSION SG_HOST twice twice -DRMS=1 -DREL_MAX=1
run 4 "$suite" --out="$work/zeros" --module="$work/zeros.so" --family=twice
says 'twice/only: expected a tolerance below 1, or outputs of zeros would be right, found rel_rms 1, rel_max 1'
module patient SG_ABI_VERSION SG_HOST twice twice -DDEADLINE=3600001
run 4 "$suite" --out="$work/x" --module="$work/patient.so" --family=twice
says 'patient.so: variant other has a deadline of 3600001 ms: expected at most 3600000, an hour'
module still SG_ABI_VERSION SG_HOST twice twice -DTIME=0
run 5 "$suite" --out="$work/still" --module="$work/still.so" --family=twice
says 'a simulated time of 0 ns'

# What a family's own code does to a worker while it makes inputs costs the item that they are for.
module abort SG_ABI_VERSION SG_HOST twice twice -DFILL=SG_CUSTOM
run 5 "$suite" --out="$work/abort" --seed="$seed" --module="$work/abort.so" --family=twice
says 'twice/only/base: crash: while timed, process 2: killed by'
grep -q '^state,finished$' "$work/abort/env.csv" || fail "inputs that cannot be made for one item ended the run"

# beside WHAT EXIT MODULE-OPTION: a module whose code dies in a process that has others' items to
# do, before any of them; theirs are whole
beside()
{
    module beside SG_ABI_VERSION SG_HOST twice twice "$3"
    rm -rf "$work/beside"
    run "$2" "$suite" --out="$work/beside" --seed="$seed" --module="$work/beside.so" --case=only --case=tiny --variant=other --variant=slower
    says "$1"
    for row in time_ratio count_passes; do
        [ "$(grep "^null,tiny,slower,$row," "$work/beside/run.csv")" = "$(grep "^null,tiny,slower,$row," "$work/alone/run.csv")" ] ||
            fail "$3: $row of another family is not what it is alone"
    done
}
run 0 "$suite" --out="$work/alone" --seed="$seed" --case=tiny --variant=slower
beside 'twice/only/base: crash: while timed, process 0: its worker ended before it began: killed by' 5 '-DDIES_LOADED="--pass=time"'
beside 'twice/only/other: crash: while counted: its worker ended before it began: killed by' 3 '-DDIES_LOADED="--pass=count"'
beside 'twice/only/other: crash: while timed, process 0: its worker ended before it began: killed by' 5 '-DDIES_ASKED="--pass=time"'
grep -q '^twice,only,base,time,ns,[0-9]' "$work/beside/run.csv" || fail "a variant that dies when it is asked cost its baseline the time"
# With nobody beside them it may as well be the machine.
module beside SG_ABI_VERSION SG_HOST twice twice '-DDIES_LOADED="--pass=time"'
run 3 "$suite" --out="$work/lonely" --module="$work/beside.so" --family=twice
says 'time: the worker ended before its first item: killed by'

# Who is verified and refuses to be timed was not measured, now or when the run is looked at again.
module withdraws SG_ABI_VERSION SG_HOST twice twice '-DWITHDRAWS="--process=3"'
run 3 "$suite" --out="$work/withdraws" --seed="$seed" --module="$work/withdraws.so" --family=twice
prints 'Not verified, timed or counted here: twice/only/other unsupported: while timed, process 3: not now'
run 3 "$suite" --out="$work/withdraws" --seed="$seed" --module="$work/withdraws.so" --family=twice --resume

# What a variant knows of a case is in the run of one that is right, and nowhere else.
module knows SG_ABI_VERSION SG_HOST twice twice '-DFACTS={"tiles","block",4,"two by two"}'
run 0 "$suite" --out="$work/knows" --seed="$seed" --module="$work/knows.so" --family=twice
for row in 'stages_ab,1,5,,,,ok,' 'tiles,block,4,,,,ok,two by two' 'note,,,,,,ok,chose the second of 3'; do
    grep -qx "twice,only,other,$row,," "$work/knows/run.csv" || fail "the run does not say $row"
done
"$solgate" explain "$work/knows" twice/only base other >"$work/explained" || fail "explain fails"
for words in 'stages_ab *5 *stages of the ring' '^other: chose the second of 3$'; do
    grep -q -e "$words" "$work/explained" || fail "explain does not say $words"
done
# An interruption before anything is counted loses none of it.
cp -r "$work/knows" "$work/torn"
sed -i 's/^state,finished$/state,running/' "$work/torn/env.csv"
grep '^family,\|,\(status\|role\|shape\|stages_ab\|tiles\|note\|identity\|\(work\|term\)_[a-z0-9_]*\),' "$work/knows/run.csv" >"$work/torn/run.csv"
run 0 "$suite" --out="$work/torn" --module="$work/knows.so" --family=twice --resume
cmp -s "$work/knows/run.csv" "$work/torn/run.csv" || fail "--resume lost: $(diff "$work/knows/run.csv" "$work/torn/run.csv" | head -5)"
# Accepted, none of it is a fault of the baseline.
"$solgate" baseline accept "$work/knows" --out="$work/accepted/null/knows.csv" >"$work/stdout" 2>"$work/stderr" || fail "it cannot be accepted"
"$solgate" baseline verify "$work/accepted/null/knows.csv" --max-age=36500d >"$work/stdout" 2>"$work/stderr" || true
grep -q 'no such metric' "$work/stdout" && fail "accepted: $(grep 'no such metric' "$work/stdout" | head -2)"
module lost SG_ABI_VERSION SG_HOST twice thrice '-DFACTS={"tiles","block",4,"two by two"}'
run 5 "$suite" --out="$work/lost" --seed="$seed" --module="$work/lost.so" --family=twice
grep -q '^twice,only,other,\(stages_ab\|tiles\|note\|identity\),' "$work/lost/run.csv" && fail "a wrong variant has facts"

# refused FACT WORDS: the run ends before it measures, and says what is wrong with the fact
refused()
{
    module refused SG_ABI_VERSION SG_HOST twice twice "-DFACTS=$1"
    rm -rf "$work/refused"
    run 4 "$suite" --out="$work/refused" --module="$work/refused.so" --family=twice
    says "twice/only/other: fact 1: expected $2"
}
refused '{"no name","1",1,0}' 'a metric of [a-z0-9_]+, found no name = 1 1'
refused '{0,"1",1,0}' 'a metric of [a-z0-9_]+'
refused '{"registers","register",1,0}' 'a metric that is not measured'
refused '{"status","1",1,0}' 'a metric that is not measured'
refused '{"work_atomics","1",1,0}' 'a metric that is not measured'
refused '{"waiver","1",1,0}' 'a metric that is not measured'
refused '{"density","1",7,0}' 'a density over 0 and at most 1'
refused '{"density","1",0,0}' 'a density over 0 and at most 1'
refused '{"tiles","bytes",1,0}' 'a unit of metrics.ini'
refused '{"stages_c","B",1,0}' 'the unit that metrics.ini gives the metric'
refused '{"tiles","1",__builtin_inf(),0}' 'a number'
refused '{"stages_ab","1",5,0}' 'each metric once'

# turned KNOBS WORDS: a module whose knobs are none is refused as a whole
turned()
{
    module turned SG_ABI_VERSION SG_HOST twice twice "-DKNOBS=$1"
    run 4 "$suite" --out="$work/x" --module="$work/turned.so" --family=twice
    says "turned.so: $2"
}
turned '{"no name","",1,{1}}' 'knob 0 of variant other is named "no name"'
turned '{"wide","",1,{1}},{"wide","",1,{1}}' 'variant other has knob wide twice'
turned '{"wide","",0,{1}}' 'knob wide of variant other: expected a value or more'
turned '{"wide","",17,{1}}' 'knob wide of variant other: expected a value or more'
turned '{"wide","",2,{1,0}}' 'knob wide of variant other: expected values above 0'
turned '{"wide","",3,{1,2,1}}' 'knob wide of variant other: expected each value once'
one='{"a","",1,{1}},{"b","",1,{1}},{"c","",1,{1}},{"d","",1,{1}},{"e","",1,{1}},{"f","",1,{1}},{"g","",1,{1}},{"h","",1,{1}}'
turned "$one,{\"i\",\"\",1,{1}}" 'variant other has 9 knobs: expected at most 8'
module eight SG_ABI_VERSION SG_HOST twice twice "-DKNOBS=$one"
run 0 "$suite" --out="$work/eight" --seed="$seed" --module="$work/eight.so" --family=twice

# A grid too large comes out before the variants ahead of it are swept.
values='11,{1,2,3,4,5,6,7,8,9,10,11}'
module grid SG_ABI_VERSION SG_HOST twice twice "-DKNOBS={\"a\",\"\",$values},{\"b\",\"\",$values},{\"c\",\"\",$values}"
printf '%s\n' '[suite]' 'title = two grids' '[null]' 'case = tiny' 'variant = tuned' >"$work/grids.suite"
run 4 "$work/grids.suite" --sweep --out="$work/x" --module="$work/grid.so"
says 'expected at most 1024 configurations, found 1331 of twice/other'
[ ! -e "$work/x" ] || fail "another variant was swept first"

if [ ! -e /dev/nvidiactl ]; then
    run 77 "$suite" --out="$work/x" --module="$work/gpu.so" --family=twice
    [ "$(wc -l <"$work/stderr")" = 2 ] || fail "no GPU: expected the line of the phase and one that says why"
    [ ! -e "$work/x" ] || fail "a run without its GPU left a folder"
    run 3 "$suite" --out="$work/mixed" --seed="$seed" --module="$work/gpu.so" --case=only --case=tiny --variant=other --variant=slower
    grep -q '^twice,only,base,status,.*,unavailable,' "$work/mixed/run.csv" || fail "an item without its GPU is not unavailable"
    prints 'Not verified, timed or counted here: twice/only/base unavailable: '
    grep -q '^null,tiny,slower,time_ratio,' "$work/mixed/run.csv" || fail "a family without its GPU cost another family"
fi

[ "$failures" = 0 ]

#!/bin/sh
# Modules that this test builds. Cases of a variant that are verified one after the other in a
# process: what fails by itself fails only its own row, what fails only behind others is flaky, and
# all others are right. Processes that wait for their turn take memory: what has not enough of it
# beside them is verified, or timed, again without them. And what a module tells without a GPU: the
# limits of its cases, by the work that its family says, on any GPU; and what was built of its
# kernels, with the registers that cuobjdump prints.
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
grep -q '^many,second,late,status,.*,flaky,.*failed 1 of 2 times: wrong while verified after others' "$work/run/run.csv" ||
    fail "late: what fails only behind others is not flaky: $(grep ',late,status,' "$work/run/run.csv")"

# ---- memory of waiting processes

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

# ---- without a GPU

bin=$(cd "$1" && pwd)
solgate=$bin/solgate
cd "$work"

cat >module.c <<'SOURCE'
#include "doubling.h"
static const struct sg_case cases[] = {DOUBLING_CASE("short"), DOUBLING_CASE("long")};
static struct sg_work work(const struct sg_case *c)
{
    const double times = c == &cases[1] ? 1e6 : 1;
    return (struct sg_work){.flop = {[SG_F32] = 2 * times}, .read_bytes = 4000 * times, .write_bytes = 800 * times};
}
static const struct sg_variant only = {.summary = "v", .role = SG_BASELINE, .launch = doubling_launch};
static const struct sg_named_variant variants[] = {{"only", &only}};
static const struct sg_family family = {DOUBLING_FIELDS(cases), .device = SG_CUDA, .work = work};
static const struct sg_kernel_build kernels[] = {
    {.name = "_ZN2ab5firstEPf", .notes = "C7510", .note_count = 1, .spill_store_bytes = 8, .spill_load_bytes = 16, .instructions = 96},
    {.name = "only:second", .notes = "", .spill_store_bytes = -1, .spill_load_bytes = -1, .instructions = -1},
    {.name = NULL},
};
const struct sg_module *solgate_module(void)
{
    static const struct sg_module module = {.abi_version = SG_ABI_VERSION, .name = "gpu_only", .commit = "", .family = &family,
        .variants = variants, .variant_count = 1, .kernels = kernels, .images = "sm_90 compute_90"};
    return &module;
}
SOURCE
build_module module.so -Wno-override-init

# h200: 4.8 TB/s, so 4.8 GB take 1 ms, and 4800 bytes less than a launch.
"$solgate" sol --module=module.so --gpu-spec=h200 --format=csv >stdout 2>stderr || fail "sol: $(cat stderr)"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
  $2 == "long" { found += $at["sol_time_ns"] == 1000000 && $at["bound"] == "memory" && $at["flop"] == 2000000 }
  $2 == "short" { found += $at["sol_time_ns"] == 1 && $at["shape"] == "count=64" }
  END { exit found != 2 }' stdout || fail "limits are not those of the family's work"
"$solgate" sol --module=module.so --gpu-spec=h100 --case='l*' --format=csv >stdout || fail "sol of a case"
[ "$(wc -l <stdout)" = 2 ] || fail "not one case of the pattern"
told 4 "no case of the modules has such a name" sol --module=module.so --gpu-spec=h100 --case=none
told 4 "it cannot be combined with gemm" sol gemm m=1 n=1 k=1 --module=module.so --gpu-spec=h100
told 4 "none.so: expected a kernel module" sol --module=none.so --gpu-spec=h100

mkdir tools
cat >tools/cuobjdump <<'TOOL'
#!/bin/sh
[ "$1 $2" = "--dump-resource-usage module.so" ] || exit 1
printf 'Fatbin elf code:\narch = sm_90\nResource usage:\n Common:\n  GLOBAL:0\n Function second:\n  REG:24 STACK:0 SHARED:512 LOCAL:0\n'
printf ' Function _ZN2ab5firstEPf:\n  REG:168 STACK:32 SHARED:0 LOCAL:0 CONSTANT[0]:904\n'
TOOL
chmod +x tools/cuobjdump
(
    PATH=$PWD/tools:$PATH
    "$solgate" list kernels --module=module.so --format=csv >stdout
) || fail "list kernels"
expected='family,name,images,registers,stack,shared,spills,instructions,notes,mangled
gpu_only,ab::first,sm_90 compute_90,168,32,0,24,96,C7510,_ZN2ab5firstEPf
gpu_only,second,sm_90 compute_90,24,0,512,,,,second'
[ "$(cat stdout)" = "$expected" ] || fail "list kernels prints other than was built"
PATH=/usr/bin:/bin "$solgate" list kernels 'ab*' --module=module.so --format=csv >stdout || fail "list kernels without a toolkit"
[ "$(sed 1d stdout)" = "gpu_only,ab::first,sm_90 compute_90,,,,24,96,C7510,_ZN2ab5firstEPf" ] || fail "without cuobjdump more is missing than it knows"
# Built for several architectures: a row for each.
sed 's/"sm_90 compute_90"/"sm_80 compute_80 sm_90a compute_90"/' module.c >several.c && mv several.c module.c
build_module module.so -Wno-override-init
cat >tools/cuobjdump <<'TOOL'
#!/bin/sh
for row in second:80:16 second:90a:18 _ZN2ab5firstEPf:80:24 _ZN2ab5firstEPf:90a:32; do
  IFS=: read -r name sm registers <<WORDS
$row
WORDS
  printf 'Fatbin elf code:\narch = sm_%s\nResource usage:\n Function %s:\n  REG:%s STACK:0 SHARED:0 LOCAL:0\n' "$sm" "$name" "$registers"
done
TOOL
PATH=$PWD/tools:$PATH "$solgate" list kernels --module=module.so --format=csv >stdout || fail "list kernels of several architectures"
expected='gpu_only,ab::first,sm_80,24,0,0,24,96,C7510,_ZN2ab5firstEPf
gpu_only,ab::first,sm_90a,32,0,0,24,96,C7510,_ZN2ab5firstEPf
gpu_only,second,sm_80,16,0,0,,,,second
gpu_only,second,sm_90a,18,0,0,,,,second'
[ "$(sed 1d stdout)" = "$expected" ] || fail "of several architectures not a row for each: $(cat stdout)"
"$solgate" list kernels --module="$bin/libsg_demo.so" >stdout
prints "no kernels for a GPU in these modules"

[ "$failures" = 0 ]

#!/bin/sh
# `identical` is code, knobs and files: what a variant reads at run time, or loads from another
# shared object, is a part of it. Nights and gates of modules that are the same file.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"

needs_compiler
export SOLGATE_BUILDS="$work/store" SOLGATE_BASELINES="$work/baselines" SOLGATE_TEST_DATA="$work/data"
mkdir "$work/data"
defaults 'COMMIT="0123456789abcdef0123456789abcdef01234567"' HOST=1.0 BY=2.0f REL=1e-5 \
    FLOP=64 RIGHT=2.0 'CASE=DOUBLING_CASE("c")' 'FIELDS=.exact_integers = true' \
    'REPEATS=.deterministic = true'
cat >"$work/module.c" <<'C'
#include "doubling.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* By what a variant is slower: as it is built, as it is set, as a file or a shared object has it. */
static double read_factor = 1, mapped_factor = 1, loaded_factor = 1;
static void *loaded;

static const char *path_of(const char *name)
{
    static char path[4096];
    snprintf(path, sizeof(path), "%s/%s", getenv("SOLGATE_TEST_DATA"), name);
    return path;
}

static enum sg_status prepare_read(const struct sg_launch *l, void **state, struct sg_reason *why)
{
    (void)l, (void)state, (void)why;
    FILE *file = NULL;
    char text[64] = "", copy[] = "/tmp/solgate_copied_XXXXXX", ask[5000];
#ifdef ASKED
    snprintf(ask, sizeof(ask), "cat %s", path_of("tuning.txt"));
    FILE *pipe = popen(ask, "r");
    file = fgets(text, sizeof(text), pipe) ? fmemopen(text, strlen(text), "r") : NULL;
    pclose(pipe);
#elif defined(COPIED)
    const int from = open(path_of("tuning.txt"), O_RDONLY), to = mkstemp(copy);
    if (write(to, text, (size_t)read(from, text, sizeof(text))) < 1 || close(from) || close(to))
        return SG_UNAVAILABLE;
    file = fopen(copy, "r");
    unlink(copy);
#else
    (void)text, (void)copy, (void)ask;
    file = fopen(path_of("tuning.txt"), "r");
#endif
    if (!file)
        return SG_OK;
    if (fscanf(file, "%lf", &read_factor) != 1)
        return SG_UNAVAILABLE;
    fclose(file);
    return SG_OK;
}

static enum sg_status prepare_mapped(const struct sg_launch *l, void **state, struct sg_reason *why)
{
    (void)l, (void)state, (void)why;
    const int file = open(path_of("kernel.bin"), O_RDONLY);
    const char *bytes = file < 0 ? MAP_FAILED : mmap(NULL, 4, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes == MAP_FAILED)
        return SG_UNAVAILABLE;
    mapped_factor = atof(bytes);
    close(file);
    return SG_OK;
}

static enum sg_status prepare_loaded(const struct sg_launch *l, void **state, struct sg_reason *why)
{
    (void)l, (void)state, (void)why;
    loaded = dlopen(path_of("libpart.so"), RTLD_NOW);
    const double *factor = loaded ? dlsym(loaded, "factor") : NULL;
    if (!factor)
        return SG_UNAVAILABLE;
    loaded_factor = *factor;
    return SG_OK;
}

static void finish_loaded(void *state)
{
    (void)state;
    dlclose(loaded);
}

static struct sg_simulation simulate(const struct sg_case *c, const char *variant, const int64_t *knob)
{
    (void)c;
    double by = 1;
    if (strncmp(variant, "built", 5) == 0)
        by = HOST;
    if (strncmp(variant, "knobs", 5) == 0)
        by = knob[0] == 2 ? 1.3 : 1;
    if (strncmp(variant, "loads", 5) == 0)
        by = loaded_factor;
    if (strncmp(variant, "maps", 4) == 0)
        by = mapped_factor;
    if (strncmp(variant, "reads", 5) == 0)
        by = read_factor;
    return (struct sg_simulation){.time_ns = 40000 * by, .clock_exponent = 1};
}

/* Terms of the family, and what its variants compute. */

static void launch(const struct sg_launch *l)
{
    for (int i = 0; i < DOUBLING_COUNT; i++)
        ((float *)l->buffer[1])[i] = BY * ((const float *)l->buffer[0])[i];
}
static void reference(const struct sg_reference_request *r)
{
    for (int i = 0; i < DOUBLING_COUNT; i++)
        r->expected[1][i] = RIGHT * (double)((const float *)r->host[0])[i];
}
static struct sg_tolerance tolerance(const struct sg_case *c)
{
    (void)c;
    return (struct sg_tolerance){.rel_rms = REL / 10, .rel_max = REL, .reason = "as built"};
}
static struct sg_work work(const struct sg_case *c)
{
    (void)c;
    return (struct sg_work){.flop = {[SG_F32] = FLOP}, .read_bytes = 256, .write_bytes = 256};
}

static const struct sg_case cases[] = {CASE};
static const struct sg_family family = {.summary = "y = 2 x", .device = SG_HOST, .dims = "count", .cases = cases, .case_count = 1,
                                        .layout = doubling_layout, .work = work, .tolerance = tolerance, .reference = reference,
                                        FIELDS, .simulate = simulate};
static const struct sg_knob tile = {.name = "tile", .summary = "rows", .count = 2, .value = {1, 2}};
static const struct sg_variant base = {.summary = "the baseline", .role = SG_BASELINE, .launch = doubling_launch};
static const struct sg_variant built = {.summary = "as built", .role = SG_CANDIDATE, .launch = launch, REPEATS};
static const struct sg_variant knobs = {
    .summary = "as set", .role = SG_CANDIDATE, .launch = doubling_launch, .knobs = &tile, .knob_count = 1};
static const struct sg_variant loads = {
    .summary = "as loaded", .role = SG_CANDIDATE, .prepare = prepare_loaded, .launch = doubling_launch, .finish = finish_loaded};
static const struct sg_variant maps = {.summary = "as mapped", .role = SG_CANDIDATE, .prepare = prepare_mapped, .launch = doubling_launch};
static const struct sg_variant reads = {.summary = "as read", .role = SG_CANDIDATE, .prepare = prepare_read, .launch = doubling_launch};
static const struct sg_named_variant variants[] = {{"base", &base},   {"built", &built}, {"knobs", &knobs},
                                                   {"loads", &loads}, {"maps", &maps},   {"reads", &reads}};

const struct sg_module *solgate_module(void)
{
    static const struct sg_module module = {.abi_version = SG_ABI_VERSION, .name = "many", .commit = COMMIT, .family = &family,
                                            .variants = variants, .variant_count = 6};
    return &module;
}
C
cat >"$work/many.suite" <<'SUITE'
[suite]
title     = one case
tolerance = 0.5%
metrics   = quick
processes = 10
blocks    = 24

[many]
SUITE

part() {
    printf 'const double factor = %s;\n' "$1" >"$work/part.c"
    "$cc" -shared -fPIC -o "$work/data/libpart.so.new" "$work/part.c"
    mv "$work/data/libpart.so.new" "$work/data/libpart.so"
}

# as_accepted: what stands beside the module is what it was when it was accepted
as_accepted() {
    part 1.0
    echo 1.00 >"$work/data/tuning.txt"
    echo 1.00 >"$work/data/kernel.bin"
    : >"$work/knobs.ini"
}

# night NAME EXIT_STATUS ARGUMENTS...: a run of $module against what is accepted, and its verdict
night() {
    name=$1 verdict=$2
    shift 2
    run 0 "$work/many.suite" --module="$work/$module.so" --out="$work/$name" --seed=11 --against-accepted "$@"
    code=0
    "$solgate" compare "$work/$name" >"$work/stdout" 2>"$work/stderr" || code=$?
    [ "$code" = "$verdict" ] || fail "$name: exit status $code instead of $verdict"
}

# verdicts NAME VARIANT: METRIC VERDICT GATES of its rows of time
verdicts() {
    "$solgate" compare "$work/$1" --format=csv |
        awk -F, -v variant="$2" '$3 == variant && $4 ~ /ratio/ { printf "%s%s %s %s", sep, $4, $14, $20; sep = "; " }'
}

# finds NAME VARIANT VERDICTS
finds() {
    found=$(verdicts "$1" "$2")
    [ "$found" = "$3" ] || fail "$1: $2 is '$found' instead of '$3'"
}

# rest NAME CHANGED: all but one variant are identical
rest() {
    for variant in base built knobs loads maps reads; do
        [ "$variant" = "$2" ] || case $(verdicts "$1" "$variant") in
        *"build_ratio identical yes"*) ;;
        *) fail "$1: $variant is $(verdicts "$1" "$variant")" ;;
        esac
    done
}

as_accepted
module=old
build_module "$work/old.so" -Wl,--build-id=sha1
run 0 "$work/many.suite" --module="$work/old.so" --out="$work/first" --seed=11
"$solgate" accept "$work/first" --module="$work/old.so" >"$work/stdout" 2>"$work/stderr" || fail "accept"
night same 0
prints "6 identical, 6 of 6 rows paired"
rest same none

# Knobs that were set since, of the same file: the pair with the accepted build has the change.
printf '[many/knobs]\nc = tile=2\n' >"$work/knobs.ini"
night knobs 1 --config="$work/knobs.ini"
finds knobs knobs "build_ratio regressed yes; time_ratio regressed no"
rest knobs knobs
as_accepted

# Another file, or another shared object: both builds read it, so accepted numbers judge.
echo 1.30 >"$work/data/tuning.txt"
night read 1
finds read reads "time_ratio regressed yes"
prints "many/c/reads: it reads other files than when it was accepted"
rest read reads
as_accepted
echo 1.30 >"$work/data/kernel.bin"
night mapped 1
finds mapped maps "time_ratio regressed yes"
rest mapped maps
as_accepted
part 1.3
night loaded 1
finds loaded loads "time_ratio regressed yes"
rest loaded loads
as_accepted

# Host code decides what is launched, too: no variant of such a module is identical. What is no
# code is no difference: another commit, another build id.
build_module "$work/host.so" -DHOST=1.3
module=host
night host 1
finds host built "build_ratio regressed yes; time_ratio regressed no"
finds host base "build_ratio within yes"

# Of a build whose files are not all known the accepted numbers judge, too.
for way in COPIED ASKED; do
    build_module "$work/$way.so" -D$way
    echo 1.30 >"$work/data/tuning.txt"
    module=$way
    night $way 1
    finds $way reads "build_ratio within yes; time_ratio regressed yes"
    as_accepted
done

# gate EXIT_STATUS TEXT VARIANT ARGUMENTS...: of two builds
gate() {
    wanted=$1 text=$2 variant=$3
    shift 3
    rm -rf "$work/gate"
    code=0
    "$solgate" ab "$work/old.so:many/$variant" "$work/$module.so:many/$variant" --out="$work/gate" "$@" \
        >"$work/stdout" 2>"$work/stderr" || code=$?
    [ "$code" = "$wanted" ] || fail "ab $variant: exit status $code instead of $wanted"
    prints "$text"
}
build_module "$work/id.so" -Wl,--build-id=0x0123456789012345678901234567890123456789 -g -DCOMMIT='"fedcba9876543210fedcba9876543210fedcba98"'
module=id
gate 0 "1 identical" built
gate 0 "1 identical" reads
module=host
gate 1 "1 regressed" built

# The terms of both modules are the same, or the candidate is not judged; a candidate that only its
# own reference or inputs call right is wrong.
module=terms
while IFS='|' read -r code text options; do
    # shellcheck disable=SC2086 # options
    build_module "$work/terms.so" $options
    gate "$code" "$text" built
done <<'TERMS'
0|1 within|-DHOST=1.0001
3|built other_terms not timed: term_rel_max is 0.5, and 1e-05 in the baseline's module|-DREL=0.5 -DBY=2.08f -DFIELDS=.last_error=NULL
3|2 other_terms|-DREL=0.1
0|1 within|-DREL=1e-6
3|term_deterministic is 0, and 1 in|-DREPEATS=.finish=NULL
3|term_integers is 0, and 1 in|-DFIELDS=.last_error=NULL
3|work_flop_f32 is 32, and 64 in|-DFLOP=32
5|wrong|-DBY=2.08f
5|wrong|-DBY=2.08f -DRIGHT=2.08f
TERMS

# The digest of a large file is kept by its mark, and a file that was written to since has another.
export XDG_CACHE_HOME="$work/cache"
large() {
    { echo "$1" && head -c 17000000 /dev/zero; } >"$work/data/tuning.txt"
    sleep 2.1
}
# files_of NAME: the digest of the files that `reads` reads, into $files
files_of() {
    run 0 "$work/many.suite" --module="$work/old.so" --out="$work/$1" --variant=reads --variant=base
    files=$(sed -n 's/^many,c,reads,identity,.*; files \([0-9a-f]*\).*/\1/p' "$work/$1/run.csv")
}
large 1.00
files_of large
large=$files
files_of kept
[ "$files" = "$large" ] && [ "${#large}" = 16 ] || fail "a digest that is kept is another one: '$large', '$files'"
printf 0123456789abcdef >"$(echo "$work"/cache/solgate/digests/*)"
files_of broken
[ "$files" != "$large" ] || fail "the digest of a large file is not kept"
large 1.01
files_of written
[ "$files" != "$large" ] && [ "$(ls "$work/cache/solgate/digests" | wc -l)" = 2 ] || fail "a large file was written to, and its digest is the kept one"

[ "$failures" = 0 ]

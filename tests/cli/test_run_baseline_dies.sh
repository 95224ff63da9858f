#!/bin/sh
# A baseline variant that fails in the time pass, by death or by a reported error, in some
# process: the run ends, each candidate has one row that says why it has no time, every
# command reads the folder, and --resume changes nothing. The exit code is 5, in a gate too.
# One that fails while it is counted alone is right and has no counters: 3, of the run, of
# compare and of accept, and never nothing.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"

needs_compiler

cat >"$work/module.c" <<'C'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "solgate_kernel.h"

static int error;

static int is_process(const char *word)
{
    char words[8192] = "";
    FILE *file = fopen("/proc/self/cmdline", "r");
    const size_t length = file ? fread(words, 1, sizeof(words) - 1, file) : 0;
    if (file)
        fclose(file);
    for (size_t i = 0; i < length; i += strlen(words + i) + 1)
        if (strcmp(words + i, word) == 0)
            return 1;
    return 0;
}

static size_t layout(const struct sg_case *c, struct sg_buffer out[SG_MAX_BUFFERS])
{
    out[0] = (struct sg_buffer){.name = "x", .dtype = SG_F32, .count = (uint64_t)c->dim[0], .use = SG_INPUT};
    out[1] = (struct sg_buffer){.name = "y", .dtype = SG_F32, .count = (uint64_t)c->dim[0], .use = SG_OUTPUT};
    return 2;
}

static struct sg_work work(const struct sg_case *c)
{
    return (struct sg_work){.read_bytes = 4e0 * (double)c->dim[0], .write_bytes = 4e0 * (double)c->dim[0]};
}

static struct sg_tolerance tolerance(const struct sg_case *c)
{
    (void)c;
    return (struct sg_tolerance){.rel_rms = 1e-6, .rel_max = 1e-5, .reason = "one rounding"};
}

static void reference(const struct sg_reference_request *r)
{
    for (int64_t i = 0; i < r->c->dim[0]; i++)
        r->expected[1][i] = (double)((const float *)r->host[0])[i];
}

static struct sg_simulation simulate(const struct sg_case *c, const char *variant, const int64_t *knob)
{
    (void)c;
    (void)knob;
    return (struct sg_simulation){.time_ns = strcmp(variant, "two") == 0 ? 21000 : 20000};
}

static int last_error(struct sg_reason *why)
{
    const int was = error;
    error = was > 0 ? was - 1 : 0;
    if (was == 1)
        memcpy(why->text, "no such luck", sizeof("no such luck"));
    return was == 1;
}

static void copy(const struct sg_launch *l)
{
    memcpy(l->buffer[1], l->buffer[0], 4 * (size_t)l->c->dim[0]);
}

static void falters(const struct sg_launch *l)
{
    copy(l);
    if (is_process(WHERE))
        HOW;
}

static const struct sg_case cases[] = {{.name = "only", .dim = {1000}, .dtype = SG_F32, .summary = "the only one"}};
static const struct sg_family family = {.summary = "y = x", .device = SG_HOST, .dims = "count", .cases = cases, .case_count = 1,
    .layout = layout, .work = work, .tolerance = tolerance, .reference = reference, .last_error = last_error, .simulate = simulate};
static const struct sg_variant base = {.summary = "the baseline", .role = SG_BASELINE, .launch = falters};
static const struct sg_variant other = {.summary = "another", .role = SG_CANDIDATE, .launch = copy};
static const struct sg_named_variant variants[] = {{"base", &base}, {"one", &other}, {"two", &other}};

const struct sg_module *solgate_module(void)
{
    static const struct sg_module module = {
        .abi_version = SG_ABI_VERSION, .name = "same", .commit = "", .family = &family, .variants = variants, .variant_count = 3};
    return &module;
}
C

# reads EXIT... -- COMMAND...: ends with one of these codes
reads()
{
    allowed=
    while [ "$1" != -- ]; do
        allowed="$allowed $1"
        shift
    done
    shift
    code=0
    "$solgate" "$@" >"$work/stdout" 2>"$work/stderr" || code=$?
    case "$allowed " in
    *" $code "*) ;;
    *) fail "$how: $*: exit status $code, expected one of$allowed" ;;
    esac
}

while IFS='|' read -r how status; do
    build_module "$work/same.so" -DWHERE='"--process=2"' -DHOW="$how"
    for processes in 5 auto; do
        out=$work/run
        sed "s/^processes .*/processes = $processes/" "$suite" >"$work/one.suite"
        set -- "$work/one.suite" --out="$out" --seed="$seed" --module="$work/same.so" --family=same
        run 5 "$@"
        prints "same/only/base expected ok, found $status: while timed, process 2"
        for variant in one two; do
            grep -q "same/only/$variant *skipped: .*its baseline base" "$work/stdout" || fail "$how: the summary does not say why $variant has no time"
            [ "$(grep -c "^same,only,$variant,time,ns,,,,,skipped,.*its baseline base" "$out/run.csv")" = 1 ] ||
                fail "$how: no row of $variant says why: $(grep ",$variant,time" "$out/run.csv")"
            grep -q "^same,only,$variant,time_ratio," "$out/run.csv" && fail "$how: $variant has a ratio"
            grep -q "^same,only,$variant,status,.*,ok,,,\$" "$out/run.csv" || fail "$how: $variant is blamed"
            grep -q "^same,only,$variant,registers," "$out/run.csv" || fail "$how: $variant is not counted"
        done
        [ "$(cut -d, -f1-4 "$out/run.csv" | sort | uniq -d)" = '' ] || fail "$how: a row is there twice"
        cp -r "$out" "$work/copy"
        reads 0 -- gap "$out"
        reads 5 -- compare "$out" "$work/copy"
        reads 5 -- report "$out" --out="$work/report"
        run 5 "$@" --resume
        cmp -s "$out/run.csv" "$work/copy/run.csv" || fail "$how: --resume changed it: $(diff "$work/copy/run.csv" "$out/run.csv" | head -3)"
        rm -rf "$out" "$work/copy" "$work/report"
    done
    # In a gate nobody can be merged who has nothing to be compared with.
    reads 5 -- ab same/base same/one --module="$work/same.so" --out="$work/gate" --seed="$seed"
    [ "$(cut -d, -f1-4 "$work/gate/run.csv" | sort | uniq -d)" = '' ] || fail "$how: a row of a gate is there twice"
    reads 0 -- gap "$work/gate"
    rm -rf "$work/gate"
done <<'WAYS'
abort()|crash
raise(SIGSEGV)|crash
raise(SIGKILL)|crash
_exit(0)|crash
(error = 1)|launch_failed
(error = 2)|cuda_error
WAYS

# The same in the count pass.
build_counted()
{
    build_module "$work/same.so" -DWHERE="$1" -DHOW="$2"
}
set -- "$suite" --seed="$seed" --module="$work/same.so" --family=same
cp "$suite" "$work/all.suite"
sed '/^case/d; /^variant/d; s/^\[null\]/[same]/' "$work/all.suite" >"$suite"
build_counted '"--nowhere"' 'abort()'
how="none in the count pass"
run 0 "$@" --out="$work/sound"
reads 0 -- baseline accept "$work/sound" --out="$work/accepted.csv"
reads 0 -- compare "$work/sound" "$work/accepted.csv"
while IFS='|' read -r how status; do
    build_counted '"--pass=count"' "$how"
    run 3 "$@" --out="$work/uncounted"
    grep -q "^same,only,base,status,.*,ok,,,\$" "$work/uncounted/run.csv" || fail "$how: base is not right"
    reads 3 -- compare "$work/uncounted" "$work/accepted.csv"
    prints "1 not_measured (same/only/base: not counted: $status: while counted: "
    reads 3 -- baseline accept "$work/uncounted" --out="$work/accepted.csv" --reason=x
    says "same/only/base was not counted: $status: while counted: "
    says "--waive=same/only/base --reason=TEXT"
    for part in csv counters.csv env.csv; do
        cp "$work/accepted.$part" "$work/waived.$part"
    done
    reads 0 -- baseline accept "$work/uncounted" --out="$work/waived.csv" --waive=same/only/base --reason="ticket 12" --until=9999-12-31
    for metric in registers count_passes; do
        [ "$(grep "^same,only,base,$metric," "$work/waived.csv")" = "$(grep "^same,only,base,$metric," "$work/accepted.csv")" ] ||
            fail "$how: the accepted $metric of a waived variant is gone"
    done
    reads 0 -- compare "$work/uncounted" "$work/waived.csv"
    prints "1 waived (same/only/base: ticket 12, until 9999-12-31 (not_measured: not counted: $status"
    for again in '' --resume; do
        reads 1 -- ab same/base same/two --module="$work/same.so" --out="$work/gate" --seed="$seed" ${again:+"$again"}
        prints "same/only/base was not counted: $status: while counted: "
    done
    rm -rf "$work/uncounted" "$work/gate"
done <<'WAYS'
abort()|crash
raise(SIGKILL)|crash
(error = 1)|launch_failed
WAYS

[ "$failures" = 0 ]

#!/bin/sh
# solgate-worker by itself, on the null family: what it says on descriptor 3 and how it leaves.
# $1 is the folder of the programs.
bin=$1
[ -x "$bin/solgate-worker" ] || { echo "no solgate-worker in $bin"; exit 1; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "FAIL: $*"
    sed 's/^/    /' "$work/lines" "$work/stderr" | head -20
    failures=$((failures + 1))
}

# plain: the fields of a line with @ between them, without the empty ones: status@null@tiny@ok@ok
plain() {
    sed -E ':again; s/^(([^"]*"[^"]*")*[^",]*),/\1@/; t again; s/@"/@/g; s/"(@|$)/\1/g; s/""/"/g; s/@+/@/g; s/@$//' "$work/csv" >"$work/lines"
}

# worker EXIT_STATUS ARGUMENTS...: runs a pass, leaves its lines in $work/lines
worker() {
    wanted=$1
    shift
    timeout 60 "$bin/solgate-worker" "$@" 3>"$work/csv" >"$work/stdout" 2>"$work/stderr"
    status=$?
    plain
    [ "$status" = "$wanted" ] || fail "exit status $status instead of $wanted: $*"
}

# says PATTERN WHAT: a line that matches the extended regular expression
says() {
    grep -Eq "$1" "$work/lines" || fail "$2: no line '$1'"
}

module=--module=$bin/libsg_null.so

# verify EXIT_STATUS ARGUMENTS..., measure EXIT_STATUS ARGUMENTS...: a verify
# and a time pass on the null family
verify() {
    code=$1
    shift
    worker "$code" --pass=verify "$module" --seed=7 "$@"
}

blocks=6
measure() {
    code=$1
    shift
    worker "$code" --pass=time "$module" --seed=3 --set=blocks="$blocks" --set=launches=2 "$@"
}

# Every outcome is in test_run_outcomes.sh; here, what the lines say.
# variant, outcome, part of the message
while read -r variant outcome message; do
    verify 0 "--item=null/tiny/$variant"
    says "^status@null@tiny@${variant}@${outcome}.*$message" "verification of $variant"
    says '^bye$' "verification of $variant"
    work_rows=$(grep -c 'work_' "$work/lines")
    if [ "$outcome" = ok ]; then
        [ "$work_rows" = 3 ] || fail "$variant: $work_rows rows of work instead of 3"
    else
        [ "$work_rows" = 0 ] || fail "$variant is not right and has rows of work"
    fi
done <<TABLE
ok ok
wrong wrong y\[15,16\].*error 0.5; allowed rel_rms 1e-06.*seed 7
nan nan y\[30,32\]: nan, reference .*1 of 1023 elements
unwritten unwritten y\[30,32\]: never written
overrun overrun wrote outside of y .*byte 4092 changed
overwrites_input overrun wrote to its input: x\[0,0\] changed
nondeterministic nondeterministic in repeat 1 of 20
cuda_error cuda_error illegal memory access
unsupported unsupported needs a multiple of 1000003
TABLE

# One bad variant costs no other one's row, in one process too.
verify 0 --item=null/tiny/wrong --item=null/small/cuda_error --item=null/tiny/prints_to_three --item=null/tiny/ok
[ "$(grep -c '^begin' "$work/lines")" = 4 ] || fail "four items were not begun"
says '^status@null@tiny@ok@ok$' "an item after a fault"
grep -q 'not said by the worker' "$work/lines" && fail "a kernel's print came out on descriptor 3"

# A death leaves `begin` as the last line, which names the item.
(exec timeout 60 "$bin/solgate-worker" --pass=verify "$module" --seed=7 --item=null/tiny/ok --item=null/tiny/crash) \
    3>"$work/csv" >"$work/stdout" 2>"$work/stderr" && fail "crash: left with 0"
plain
[ "$(tail -n 1 "$work/lines")" = "begin@null@tiny@crash" ] || fail "the last line is not its begin"

# Time: all samples or a status; the same seed and process give the same lines.
measure 0 --process=1 --item=null/large/slower --item=null/large/ok
cp "$work/lines" "$work/once"
[ "$(grep -c '^sample' "$work/lines")" = 48 ] || fail "6 blocks of 4 batches of 2 items are not 48 samples"
[ "$(grep -c '@slower@1@.*@ok@' "$work/lines")" = 12 ] || fail "half of the batches of slower's pair are not its baseline's"
says '^env@time_source@simulated$' "time source"
measure 0 --process=1 --item=null/large/slower --item=null/large/ok
cmp -s "$work/once" "$work/lines" || fail "the same seed and process gave other samples"
measure 0 --process=1 --item=null/large/ok
grep '^sample@null@large@ok' "$work/once" >"$work/expected"
grep '^sample' "$work/lines" | cmp -s "$work/expected" - || fail "an item's samples depend on the items before it"
measure 0 --process=2 --item=null/large/slower --item=null/large/ok
cmp -s "$work/once" "$work/lines" && fail "another process gave the same samples"
measure 0 --item=null/tiny/launch_failed
says '^status@null@tiny@launch_failed@launch_failed@simulated: too many resources' "a launch that fails while it is timed"
grep -q '^sample' "$work/lines" && fail "samples of an item that failed"

# The pilot: of the items behind a --noise, those that are noisier get more blocks; the first eight
# say so, so they are the same. A --tolerance asks for none.
blocks=8
measure 0 --item=null/tiny/noisy
grep '^sample' "$work/lines" >"$work/eight"
[ "$(wc -l <"$work/eight")" = 32 ] || fail "no noise and 8 blocks are not 32 samples"
measure 0 --tolerance=0.00001 --item=null/tiny/ok --noise=0.02 --item=null/tiny/slower --noise=0.002 --item=null/tiny/noisy
[ "$(grep -c '^sample@null@tiny@ok' "$work/lines")" = 32 ] || fail "a pilot by a tolerance"
[ "$(grep -c '^sample@null@tiny@slower' "$work/lines")" = 32 ] || fail "more blocks than a noise of 2 % needs"
[ "$(grep -c '^sample@null@tiny@noisy' "$work/lines")" -gt 64 ] || fail "a noisy item has no more blocks"
grep '^sample@null@tiny@noisy' "$work/lines" | head -n 32 | cmp -s "$work/eight" - || fail "the pilot is not the first eight blocks"
blocks=6
for name in tolerance noise; do
    worker 4 --pass=time "$module" --$name=0 --item=null/tiny/ok
    says "^fail@1@.*--$name: expected a ratio above 0 and below 1, found .0" "no $name"
done

# What the GPU is like stands around the items; with a module of drift references, so do
# their times, which change no sample.
measure 0 --process=1 --item=null/large/ok "--drift=$bin/libsg_null_reference.so"
grep '^sample' "$work/lines" | cmp -s "$work/expected" - || fail "drift references change an item's samples"
for moment in start end; do
    says "^events@$moment@none\$" "events at the $moment"
    says "^figure@$moment@others@0\$" "neighbours at the $moment"
    for figure in chain_ns chain_clock copy_ns copy_clock; do
        says "^figure@$moment@$figure@[0-9.e+]+\$" "drift at the $moment"
    done
done
[ "$(sed -n '/^begin/q;/^figure@start@copy_clock/p' "$work/lines" | wc -l)" = 1 ] || fail "the start is not told before the first item"
[ "$(sed -n '/^events@end/,$p' "$work/lines" | grep -c '^sample')" = 0 ] || fail "the end is told before the last sample"
# An item of one of the references finds their buffers filled.
worker 0 --pass=time "--module=$bin/libsg_null_reference.so" "--drift=$bin/libsg_null_reference.so" --set=blocks=6 \
    --item=null_reference/stream_copy_256mib/pinned
[ "$(grep -c '^sample' "$work/lines")" = 24 ] || fail "no samples of an item beside the reference of its case"
says '^figure@end@copy_ns@[0-9.e+]+$' "drift of a reference whose case has an item"
measure 0 --process=1 --item=null/large/ok
grep -q '@chain_ns@' "$work/lines" && fail "drift without references"
SOLGATE_NULL_TROUBLE='2.1:sw_thermal' timeout 60 "$bin/solgate-worker" --pass=time "$module" --process=2 --attempt=1 --item=null/tiny/ok 3>"$work/csv"
plain
says '^events@start@sw_thermal$' "trouble of an attempt"

# A segment is one batch; its launches are not counted.
measure 0 --process=1 --set=sustained=yes --set=l2=warm --item=null/large/slower
[ "$(grep -c '^sample' "$work/lines")" = 24 ] || fail "6 blocks of 4 segments are not 24 samples"
measure 4 --set=sustained=yes --set=l2=clean --item=null/large/slower
says '^fail@1@.*it needs --set=l2=warm' "launches on end with flushes between"

# Count: every metric asked for is answered, and count_passes comes last.
worker 0 --pass=count "$module" --metric=registers --metric=pipe_tma --metric=dram_bytes --item=null/tiny/ok
says '^value@null@tiny@ok@registers@register@24@1@ok' "an exact counter"
says '^value@null@tiny@ok@pipe_tma@%@1@unavailable@the null family' "a counter that is not there"
says '^value@null@tiny@ok@dram_bytes@B@12276@' "a derived counter"
tail -n 2 "$work/lines" | head -n 1 | grep -q '@count_passes@' || fail "count_passes is not the last row"

# List: everything in the module, nothing launched.
worker 0 --pass=list "$module"
says '^family@null@host@rows,cols,ns@' "the family"
says '^case@null@tiny@f32@rows=31 cols=33 ns=5000@' "a case with its shape"
says '^variant@null@ok@baseline@ok@.*@0$' "the baseline"
says '^variant@null@hang@candidate@hang@.*@200$' "a variant with its own deadline"
says '^knob@null@tuned@depth@1 2 3 4 5 6@stages in flight' "a knob with the values worth trying"

# Settings: a name of its own for a variant with knobs, on either side of a pair.
verify 0 --setting='null/tiny/quick:tuned:depth=3 width=4' --item=null/tiny/quick --item=null/tiny/tuned
says '^value@null@tiny@quick@knob_width@1@4@ok$' "a knob of a configuration"
says '^status@null@tiny@quick@ok$' "a configuration that is right"
says "^value@null@tiny@tuned@knob_width@1@0@ok@the variant's default" "a knob that was not set"
worker 0 --pass=time "$module" --item=null/tiny/ok --baseline=quick --setting='null/tiny/quick:tuned:depth=3 width=4' --set=blocks=1
says '^sample@null@tiny@ok@0@0@[0-3]@quick@' "a configuration as a baseline"
verify 4 --item=null/tiny/tuned --setting=null/tiny/tuned:width=4
says '^fail@1@.*--setting: null/tiny/tuned:width=4: expected FAMILY/CASE/NAME:VARIANT:KNOB=VALUE' "half a setting"

timeout 60 "$bin/solgate-worker" --pass=doctor 3>"$work/csv" >"$work/stdout" 2>"$work/stderr"
status=$?
plain
case $status in
0) says '^note@(ok|missing|blocked|warn) ' "a note of the doctor" ;;
77) says '^fail@6@' "no GPU" ;;
*) fail "the doctor left with neither 0 nor 77" ;;
esac

# What cannot go on is said as fail, with the exit status of its code.
verify 4 --item=null/tinyx/ok
says '^fail@1@family null has no case "tinyx' "an unknown case"
verify 4 --item=null/tiny/okx
says '^fail@1@family null has no variant "okx' "an unknown variant"
verify 4 --item=null/ok
says '^fail@1@.*expected FAMILY/CASE/VARIANT' "half an item"
worker 4 --pass=trace --item=exec/a/whole_program
says '^fail@1@expected --out, and -- with a program' "no program"
worker 4 --pass=trace --out=. --item=exec/a -- true
says '^fail@1@.*expected FAMILY/CASE/VARIANT' "half a program"
printf 'text\n' >"$work/text"
worker 4 --pass=list "--module=$work/text"
says '^fail@2@.*expected a kernel module' "a file that is no module"
worker 4 --pass=list "$module" "$module"
says '^fail@2@.*contains family null, which' "a family twice"
worker 4 --pass=count "$module" --item=null/tiny/ok --metric=no_such_metric
says '^fail@2@.*no_such_metric' "an unknown metric"
worker 4 --pass=time "$module" --item=null/tiny/ok --set=blocks=0
says '^fail@1@.*expected a whole number from 1 to 512' "no blocks"

# Modules that break the contract: each a line of C instead of the generated table.
root=$(cd "$(dirname "$0")/../.." && pwd)
# breaks MESSAGE MODULE-MEMBERS: builds a module of those members and expects it to be refused
breaks() {
    printf '%s\n' '#include "solgate_kernel.h"' \
        'static const struct sg_family family = {.device = SG_HOST};' \
        'static const struct sg_variant variant = {.role = SG_BASELINE};' \
        'static const struct sg_named_variant variants[] = {{"a", &variant}, {"a", &variant}};' \
        "static const struct sg_module module = {.name = \"broken\", .family = &family, $2};" \
        'const struct sg_module *solgate_module(void) { (void)variants; return &module; }' >"$work/module.c"
    cc -shared -fPIC -I"$root/kernels" -o "$work/module.so" "$work/module.c" || fail "cannot build a module: $2"
    worker 4 --pass=list "--module=$work/module.so"
    says "^fail@2@.*module.so: .*$1" "a module with $2"
}
if command -v cc >/dev/null; then
    breaks 'module of ABI version 99, expected [0-9]+: build it again' '.abi_version = 99'
    breaks 'the family does not set layout' '.abi_version = SG_ABI_VERSION'
    breaks "names separated by commas, .*, found 'rows cols'" \
        '.abi_version = SG_ABI_VERSION, .family = &(const struct sg_family){.dims = "rows cols"}'
fi

# left EXIT_STATUS FILE PATTERN WHAT: after a run without lines, how it left and what it printed
left() {
    if [ "$status" != "$1" ] || ! grep -q -- "$3" "$2"; then
        fail "$4: left with $status"
    fi
}

# Without descriptor 3 it explains itself; with a listener that is gone it leaves.
timeout 60 "$bin/solgate-worker" --pass=list "$module" 3>&- >"$work/stdout" 2>"$work/stderr"
status=$?
left 4 "$work/stderr" 'started by solgate' "without descriptor 3"
timeout 60 "$bin/solgate-worker" --help >"$work/stdout" 2>"$work/stderr"
status=$?
left 0 "$work/stdout" '--item=FAMILY' "help"
mkfifo "$work/pipe"
exec 8<>"$work/pipe"
exec 7>"$work/pipe"
exec 8>&-
timeout 60 "$bin/solgate-worker" --pass=list "$module" 3>&7 >"$work/stdout" 2>"$work/stderr"
status=$?
left 3 "$work/stderr" 'Broken pipe' "a listener that is gone"
[ "$failures" = 0 ]

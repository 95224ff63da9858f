#!/bin/sh
# The family null_adversary: each variant is right when it is verified; SG_NULL_FAULT gives a
# variant of any role any fault, in the pass that it names and in no other; what is no fault is
# refused. $1 is the folder of the programs.
bin=$1
[ -x "$bin/solgate-worker" ] || { echo "no solgate-worker in $bin"; exit 1; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
# A worker that dies of a signal must die of it under the sanitizers too.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}handle_segv=0:handle_abort=0:detect_leaks=0"

fail()
{
    echo "FAIL: $*"
    sed 's/^/    /' "$work/lines" "$work/stderr" | head -20
    failures=$((failures + 1))
}

# worker FAULTS PASS ITEMS OPTIONS...: a pass with SG_NULL_FAULT; its lines in $work/lines, how it
# left in $status. A hang is ended by SIGKILL.
worker()
{
    export SG_NULL_FAULT="$1"
    kind=$2
    items=$(for item in $3; do echo "--item=null_adversary/tiny/$item"; done)
    shift 3
    case $kind in
    count) set -- --metric=registers ;;
    time) set -- --blocks=4 --launches=2 ;;
    esac
    # shellcheck disable=SC2086 # words
    (exec timeout --signal=KILL 2 "$bin/solgate-worker" "--pass=$kind" "--module=$bin/libsg_null_adversary.so" --seed=7 "$@" $items) \
        3>"$work/lines" >"$work/stdout" 2>"$work/stderr"
    status=$?
}

# outcome VARIANT: its word in the lines; of one that left none, how the worker left
outcome()
{
    word=$(sed -n "s/^status	null_adversary	tiny	$1	\([a-z_]*\).*/\1/p" "$work/lines")
    [ -n "$word" ] || ! grep -q "^\(sample\|value\)	null_adversary	tiny	$1	" "$work/lines" || word=ok
    echo "${word:-left_with_$status}"
}

variants=$(cd "$(dirname "$0")/../../kernels/null_adversary" && grep -l '^ADVERSARY_VARIANT' -- *.c | sed 's/\.c$//')
worker '' verify "$variants"
for variant in $variants; do
    [ "$(outcome "$variant")" = ok ] || fail "$variant is $(outcome "$variant") when it is verified"
done

# fault, variant, pass that has it, outcome there; in the other passes it is right. The last two are
# told not to do what they do by themselves.
while read -r fault variant at expected; do
    for pass in verify time count; do
        wanted=ok
        [ "$pass" != "$at" ] || wanted=$expected
        worker "neighbour_b=crash@$pass,$variant=$fault@$at" "$pass" "$variant"
        [ "$(outcome "$variant")" = "$wanted" ] || fail "$variant=$fault@$at in the pass $pass: $(outcome "$variant"), expected $wanted"
    done
done <<'TABLE'
crash ok verify left_with_134
crash vendor_ok time left_with_134
crash neighbour_a count left_with_134
sigsegv vendor_ok verify left_with_139
sigsegv neighbour_a time left_with_139
sigsegv ok count left_with_139
sigkill neighbour_a verify left_with_137
sigkill ok time left_with_137
sigkill vendor_ok count left_with_137
exit ok verify left_with_0
exit vendor_ok time left_with_0
exit neighbour_a count left_with_0
fault vendor_ok verify cuda_error
fault neighbour_a time cuda_error
fault ok count cuda_error
wrong neighbour_a verify wrong
wrong vendor_ok time wrong
overrun neighbour_a verify overrun
overrun vendor_ok time overrun
leak neighbour_a time leak
hang vendor_ok time left_with_137
prepare_error vendor_ok verify launch_failed
prepare_error neighbour_a time launch_failed
prepare_error ok count launch_failed
finish_error ok verify launch_failed
finish_error vendor_ok time launch_failed
none crashes_when_timed time ok
none hangs_when_counted count ok
TABLE

# An error that a variant leaves behind is its own outcome, or of nobody's counts, and ends the
# worker: who comes next is for another one.
worker neighbour_a=finish_error@time time 'neighbour_a neighbour_b'
[ "$(outcome neighbour_a) $(outcome neighbour_b)" = 'launch_failed left_with_0' ] ||
    fail "an error that was left behind: $(outcome neighbour_a), and of the next one $(outcome neighbour_b)"
worker baseline=overrun@time time 'neighbour_a'
grep -q '^baseline	null_adversary	tiny	neighbour_a	overrun	wrote outside of y' "$work/lines" || fail "what the baseline overran is not its own"
worker baseline=finish_error@time time 'neighbour_a'
grep -q '^baseline	null_adversary	tiny	neighbour_a	launch_failed	its `finish`' "$work/lines" || fail "an error that the baseline left is not its own"
worker neighbour_a=finish_error@count count 'neighbour_a neighbour_b'
[ "$(outcome neighbour_a) $(outcome neighbour_b)" = 'ok ok' ] || fail "an error that was left behind counts is $(outcome neighbour_a)"
grep -q '^note	null_adversary/tiny/neighbour_a: launch_failed: its `finish`' "$work/lines" || fail "an error left behind counts is not said"

worker baseline=wrong@verify verify 'ok neighbour_a'
[ "$(outcome ok)$(outcome neighbour_a)" = wrongok ] || fail "baseline is no name of ok"

worker 'ok=stream@verify' verify ok
[ "$(outcome ok)" = ok ] || fail "a stream, which is not simulated, is $(outcome ok)"
grep -qF 'stream@verify is not simulated' "$work/lines" || fail "nothing says that a stream is not simulated"

for wrong in nobody=crash@time ok=crush@time ok=crash@noon ok=crash crash@time ok ok=crash@time,ok=; do
    worker "$wrong" verify neighbour_a
    [ "$(outcome neighbour_a)" = launch_failed ] || fail "SG_NULL_FAULT=$wrong: $(outcome neighbour_a), expected launch_failed"
    grep -qF "SG_NULL_FAULT: expected VARIANT=FAULT@PASS" "$work/lines" || fail "SG_NULL_FAULT=$wrong: not said"
done

# A gate refuses a trick, or finds no gain; an honest variant beside it passes.
while read -r variant exit; do
    code=0
    SG_NULL_FAULT='' "$bin/solgate" ab null_adversary/ok "null_adversary/$variant" --out="$work/$variant" >"$work/stdout" 2>"$work/stderr" || code=$?
    [ "$code" = "$exit" ] || fail "gate of $variant: exit $code instead of $exit"
done <<'TABLE'
neighbour_a 0
caches_by_hash 0
caches_by_pointer 5
skips_done 5
crashes_when_counted 0
TABLE

[ "$failures" = 0 ]

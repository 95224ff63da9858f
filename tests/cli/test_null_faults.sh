#!/bin/sh
# SG_NULL_FAULT gives a right variant of the null family, of either role, any fault of
# kernels/null/faults.c, in the pass that it names and in no other; a list that is wrong is refused.
# What honest code does by mistake to its process (closed streams, output, the working directory)
# costs no result. $1 is the folder of the programs.
bin=$1
[ -x "$bin/solgate-worker" ] || { echo "no solgate-worker in $bin"; exit 1; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
# A worker that dies of a signal must die of it under the sanitizers too.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}handle_segv=0:handle_abort=0:detect_leaks=0"

fail() {
    echo "FAIL: $*"
    sed 's/^/    /' "$work/lines" "$work/stderr" | head -20
    failures=$((failures + 1))
}

# worker FAULTS PASS VARIANTS [OPTIONS]: a pass with SG_NULL_FAULT; its lines in $work/lines, how it
# left in $status. A hang is ended by SIGKILL.
worker() {
    export SG_NULL_FAULT="$1"
    kind=$2
    items="$(for item in $3; do echo "--item=null/tiny/$item"; done) ${4-}"
    case $kind in
    verify) set -- --seed=7 ;;
    count) set -- --seed=7 --metric=registers ;;
    time) set -- --seed=7 --set=blocks=4 --set=launches=2 ;;
    esac
    # shellcheck disable=SC2086 # words
    (exec timeout --signal=KILL 2 "$bin/solgate-worker" "--pass=$kind" "--module=$bin/libsg_null.so" "$@" $items) \
        3>"$work/lines" >"$work/stdout" 2>"$work/stderr"
    status=$?
}

# outcome VARIANT: its word in the lines; of one that left none, how the worker left
outcome() {
    word=$(sed -n "s/^status,[^,]*,[^,]*,$1,\([a-z_]*\),.*/\1/p" "$work/lines")
    [ -n "$word" ] || ! grep -q "^\(sample\|value\),[^,]*,[^,]*,$1," "$work/lines" || word=ok
    echo "${word:-left_with_$status}"
}

# fault, variant, pass that has it, outcome there; in the next pass it is right
while read -r fault variant at expected; do
    case $at in verify) other=count ;; *) other=verify ;; esac
    worker "slower=crash@$at,$variant=$fault@$at" "$at" "$variant"
    [ "$(outcome "$variant")" = "$expected" ] || fail "$variant=$fault@$at: $(outcome "$variant"), expected $expected"
    worker "slower=crash@$other,$variant=$fault@$at" "$other" "$variant"
    [ "$(outcome "$variant")" = ok ] || fail "$variant=$fault@$at in the pass $other: $(outcome "$variant")"
done <<'TABLE'
crash ok verify left_with_134
crash faster count left_with_134
sigsegv faster time left_with_139
sigkill ok time left_with_137
exit faster verify left_with_0
fault ok verify cuda_error
fault faster time cuda_error
wrong faster verify wrong
wrong faster time wrong
stale faster time wrong
undone faster time wrong
overrun faster verify overrun
overrun ok time overrun
leak faster time leak
hang faster time left_with_137
closes faster time ok
prints ok verify ok
chdir faster time ok
prepare_error ok count launch_failed
prepare_error faster time launch_failed
finish_error ok verify launch_failed
finish_error faster time launch_failed
none faster time ok
TABLE

# An error that a variant leaves behind is its own outcome and ends the worker: another one does
# the next item. It is said of counters, which stand.
worker faster=finish_error@time time 'faster slower'
[ "$(outcome faster) $(outcome slower)" = 'launch_failed left_with_0' ] ||
    fail "an error that was left behind: $(outcome faster), and of the next one $(outcome slower)"
worker ok=overrun@time time faster
grep -q '^baseline,.*,faster,overrun,"\{0,1\}wrote outside of y' "$work/lines" || fail "what the baseline overran is not its own"
worker ok=finish_error@time time faster
grep -q '^baseline,.*,faster,launch_failed,"\{0,1\}its `finish`' "$work/lines" || fail "an error that the baseline left is not its own"
# A leak that ended before each side launched alone is that of the side that is judged: with two
# files, too, where the baseline's file has the case.
cp "$bin/libsg_null.so" "$work/copy.so"
export SG_NULL_FAULT_TIMES=12 SG_NULL_FAULT_LOG="$work/log"
for against in "--against=$work/copy.so --other=ok_base:ok --baseline=ok_base" --baseline=ok; do
    rm -f "$work/log"
    worker slower=leak@time time slower "$against"
    [ "$(outcome slower)" = leak ] || fail "a leak of the candidate beside $against: $(grep '^baseline' "$work/lines")"
done
unset SG_NULL_FAULT_TIMES SG_NULL_FAULT_LOG
worker faster=finish_error@count count 'faster slower'
[ "$(outcome faster) $(outcome slower)" = 'ok ok' ] || fail "an error that was left behind counts is $(outcome faster)"
grep -q '^note,"\{0,1\}null/tiny/faster: launch_failed: its `finish`' "$work/lines" || fail "an error left behind counts is not said"

for wrong in ok=crush@time ok=crash@noon ok=crash crash@time ok ok=crash@time,ok=; do
    worker "$wrong" verify faster
    [ "$(outcome faster)" = launch_failed ] || fail "SG_NULL_FAULT=$wrong: $(outcome faster), expected launch_failed"
    grep -qF "SG_NULL_FAULT: expected VARIANT=FAULT@PASS" "$work/lines" || fail "SG_NULL_FAULT=$wrong: not said"
done
[ "$failures" = 0 ]

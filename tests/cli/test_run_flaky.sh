#!/bin/sh
# A failure that is seen once is kept: the variant is `flaky`, and run, ab, compare, report, JUnit,
# accept, --resume and nightly end with 5. The message names the items that ran before it. Other
# variants keep their rows.
# studies/flaky_matrix.py has all faults by chance; here a few of them.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"

cat >"$work/faults.suite" <<'SUITE'
[suite]
title     = faults
tolerance = 2%
metrics   = quick
processes = 5
blocks    = 4
launches  = 2
deadline  = 1s

[null]
case    = tiny
variant = ok
variant = faster
variant = slower
variant = slower_slightly
SUITE
out=$work/R
export SG_NULL_FAULT_LOG="$work/log"

# ends EXIT COMMAND...
ends() {
    wanted=$1
    shift
    code=0
    "$solgate" "$@" >"$work/stdout" 2>"$work/stderr" || code=$?
    [ "$code" = "$wanted" ] || fail "$trouble: exit $code instead of $wanted: $*"
}

# strike FAULTS TIMES COMMAND...: the faults happen in the first TIMES launches that may have them,
# 0: in all; sets code
strike() {
    rm -rf "$out" "$work/log"
    export SG_NULL_FAULT="$1" SG_NULL_FAULT_TIMES="$2"
    shift 2
    code=0
    "$solgate" "$@" >"$work/stdout" 2>"$work/stderr" || code=$?
    unset SG_NULL_FAULT SG_NULL_FAULT_TIMES
}

# flaky NAME STATUS: only it is, and has failed so; all others have the rows of a clean run
flaky() {
    [ "$code" = 5 ] || fail "$trouble: exit $code"
    [ "$(awk -F, '$4 == "status" && $10 != "ok" { print $3, $10 }' "$out/run.csv")" = "$1 flaky" ] ||
        fail "$trouble: $(grep ',status,' "$out/run.csv")"
    prints "$1 expected ok, found flaky: failed"
    prints "times: $2 while"
    awk -F, -v who="$1" -v base="$3" '$3 == who || (base && $4 ~ /^(time|time_ratio|sm_clock|sol_.*)$/) { next } { print }' "$work/clean/run.csv" >"$work/expected"
    awk -F, -v who="$1" -v base="$3" '$3 == who || (base && $4 ~ /^(time|time_ratio|sm_clock|sol_.*)$/) { next } { print }' "$out/run.csv" |
        cmp -s "$work/expected" - || fail "$trouble: rows of neighbours differ"
    grep -Eq '^(flaky|suspect)\.' "$out/env.csv" && fail "$trouble: a mark stays in env.csv"
    return 0
}

strike faster=none@time 1 run "$work/faults.suite" --out="$work/clean" --seed=7
[ "$code" = 0 ] || fail "without a fault: exit $code"
for fault in wrong:wrong overrun:overrun hang:hang; do
    trouble=$fault
    strike "faster=${fault%:*}@time" 1 run "$work/faults.suite" --out="$out" --seed=7
    flaky faster "${fault#*:}" ""
done
for pass in time count; do
    trouble="slower=crash@$pass"
    strike "$trouble" 1 run "$work/faults.suite" --out="$out" --seed=7
    flaky slower crash ""
done
prints "failed 1 of"
# It is the baseline that is blamed, in whichever pair it fails; without it there are no ratios.
trouble="ok=crash@time"
strike "$trouble" 1 run "$work/faults.suite" --out="$out" --seed=7
flaky ok crash yes
trouble=spoils
strike slower=spoils@time 0 run "$work/faults.suite" --out="$out" --seed=7
[ "$code" = 5 ] || fail "$trouble: exit $code"
prints "flaky: failed 1 of 2 times: wrong while timed"
prints "in one process with "
prints "null/tiny/slower"

# All that reads the run knows of it.
trouble=afterwards
SOLGATE_BASELINES=$work/accepted "$solgate" accept "$work/clean" >"$work/stdout" 2>&1 || fail "accept: exit $?"
strike faster=crash@time 1 run "$work/faults.suite" --out="$out" --seed=7
export SOLGATE_BASELINES="$work/accepted"
told 5 'faster expected ok, found flaky' accept "$out" --reason=x
ends 5 compare "$out"
prints 'expected ok, found flaky: failed'
ends 5 compare "$out" --format=junit
grep -q '<error.*found flaky' "$work/stdout" || fail "JUnit does not fail"
ends 5 report "$out" --out="$work/report" --tables-only
cp -R "$out" "$work/copy"
run 5 "$work/faults.suite" --out="$out" --seed=7 --resume
same "$work/copy" "$out" "resumed when it was finished"

# Killed while it is done again: what was seen stands all the same.
trouble="killed in between"
rm -rf "$out" "$work/log"
SG_NULL_FAULT=faster=hang@time SG_NULL_FAULT_TIMES=2 "$solgate" run "$work/faults.suite" --out="$out" --seed=7 >"$work/stdout" 2>"$work/stderr" &
await grep -qs suspect "$out/run.log"
kill -9 $!
wait $! || true
run 5 "$work/faults.suite" --out="$out" --seed=7 --resume
flaky faster hang ""

for command in ab nightly; do
    trouble=$command
    case $command in
    ab) strike faster=crash@time 1 ab null/ok null/faster --case=tiny --out="$out" --seed=2 ;;
    nightly) strike faster=crash@time 1 nightly --all "$work/faults.suite" --out="$out" --seed=7 ;;
    esac
    [ "$code" = 5 ] || fail "$command: exit $code"
    prints "faster"
    prints "crash while timed, process"
done
[ "$failures" = 0 ]

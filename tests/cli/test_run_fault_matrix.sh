#!/bin/sh
# Faults in each pass, of a candidate and of the baseline: the run ends by itself with the exit code
# that is declared here, the offender has the outcome that is declared here, and the rows of its
# neighbours are those of a run without it, byte for byte. Where the baseline is the offender no
# variant has a time; everything else of the neighbours is the same. Every command reads what such a
# run left. A fault of streams needs a GPU: tests/gpu/test_fault_matrix.sh.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"
seed=7 # of simulated times whose spread can be gated

cat >"$work/matrix.suite" <<'SUITE'
[suite]
title     = faults
l2        = cold
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

# others FOLDER OFFENDERS TIMELESS: the rows of all others; TIMELESS yes: without those of times
others() {
    awk -F, -v offenders=" $2 " -v timeless="$3" '
        index(offenders, " " $3 " ") { next }
        timeless == "yes" && $4 ~ /^(time|time_ratio|sm_clock|sol_time|sol_gap)$/ { next }
        { print }
    ' "$1/run.csv"
}

# cell SPECIFICATION EXIT [VARIANT:METRIC:STATUS]...: one run; its failures go to a file of
# its own, for cells run side by side
cell() {
    specification=$1 expected=$2
    shift 2
    out=$work/$(echo "$specification" | tr '=,@' '___')
    offenders=""
    timeless=no
    for outcome in "$@"; do
        offenders="$offenders ${outcome%%:*}"
        case $outcome in ok:status:*) timeless=yes ;; esac
    done
    code=0
    SG_NULL_FAULT=$specification "$solgate" run "$work/matrix.suite" --out="$out" --seed="$seed" >"$out.stdout" 2>"$out.stderr" || code=$?
    {
        [ "$code" = "$expected" ] || echo "$specification: exit status $code, expected $expected: $(tail -n 1 "$out.stderr")"
        grep -q '^state,finished' "$out/env.csv" || echo "$specification: the run did not end by itself"
        [ -z "$(cut -d, -f1-4 "$out/run.csv" | sort | uniq -d)" ] || echo "$specification: a row is there twice"
        for outcome in "$@"; do
            who=${outcome%%:*} status=${outcome##*:} metric=${outcome#*:}
            metric=${metric%:*}
            awk -F, -v who="$who" -v metric="$metric" -v status="$status" '
                $3 == who && $4 == metric && $10 == status { found = 1 }
                END { exit !found }' "$out/run.csv" ||
                echo "$specification: expected $metric of $who $status, found: $(grep ",$who,$metric," "$out/run.csv")"
        done
        others "$work/clean" "$offenders" "$timeless" >"$out.expected"
        others "$out" "$offenders" "$timeless" | cmp -s "$out.expected" - ||
            echo "$specification: rows of neighbours differ: $(others "$out" "$offenders" "$timeless" | diff "$out.expected" - | grep -v ',unavailable,' | head -n 5)"
        if [ "$timeless" = yes ]; then
            for who in faster slower slower_slightly; do
                case "$offenders " in *" $who "*) continue ;; esac
                [ "$(grep -c "^null,tiny,$who,time,.*,skipped,.*its baseline ok failed: " "$out/run.csv")" = 1 ] ||
                    echo "$specification: no row says why $who has no time"
            done
        fi
    } >"$out.failures"
}

"$solgate" run "$work/matrix.suite" --out="$work/clean" --seed="$seed" >"$work/stdout" 2>"$work/stderr" || {
    fail "a run without faults: exit status $?"
    exit 1
}
# Dead behind its last word: what it found out stands, and the run reports it.
for pass in verify time count; do
    dead=$work/dead.$pass
    code=0
    SG_NULL_FAULT=faster=atexit@$pass "$solgate" run "$work/matrix.suite" --out="$dead" --seed="$seed" \
        >"$work/stdout" 2>"$work/stderr" || code=$?
    [ "$code" = 0 ] || fail "atexit@$pass: exit status $code"
    prints 'A worker crashed after its last item'
    says 'its worker finished, then: killed by SIGABRT'
    grep -q "^worker_ends,\"*$pass.*killed by SIGABRT" "$dead/env.csv" || fail "atexit@$pass: not in env.csv"
    cmp -s "$work/clean/run.csv" "$dead/run.csv" || fail "atexit@$pass: run.csv differs"
done
# A hang waits for its deadline, and takes no processor.
cell faster=hang@time 5 faster:status:hang &
cell ok=hang@verify 5 ok:status:hang &
cell slower_slightly=hang@count 3 slower_slightly:count_passes:hang &
cell slower_slightly=fault@time 5 slower_slightly:status:cuda_error
# Memory that is kept while counters are read spoils no counter, and is not looked at.
cell faster=leak@count 0
cell ok=exit@time,slower=leak@time 5 ok:status:crash slower:time:skipped
cell ok=wrong@time,slower=sigsegv@time 5 ok:status:wrong slower:time:skipped
cell slower_slightly=wrong@verify,slower=sigkill@count 5 slower_slightly:status:wrong slower:count_passes:crash
cell faster=prepare_error@count,slower=finish_error@count 3 faster:count_passes:launch_failed
cell faster=sigkill@verify,slower=finish_error@time 5 faster:status:crash slower:status:launch_failed
cell faster=settings@time,slower_slightly=settings@count 0 faster:status:ok slower_slightly:count_passes:ok
cell faster=sets_late@time,slower_slightly=sets_late@verify 5 faster:status:misplaced slower_slightly:status:misplaced
wait
cat "$work"/*.failures
failures=$((failures + $(cat "$work"/*.failures | wc -l)))
[ "$(find "$work" -name '*.failures' | wc -l)" = 12 ] || fail "not all of 12 cells were run"

# reads EXIT COMMAND...
reads() {
    wanted=$1
    shift
    code=0
    "$solgate" "$@" >"$work/stdout" 2>"$work/stderr" || code=$?
    [ "$code" = "$wanted" ] || fail "exit status $code instead of $wanted: $*"
}

# A baseline that died while it was timed: 5 of every command that judges, and --resume changes
# nothing. In a gate no candidate has anything to be compared with.
dead=$work/ok_exit_time_slower_leak_time
reads 0 gap "$dead"
reads 5 compare "$dead" "$dead"
reads 5 report "$dead" --out="$work/report" --tables-only
cp -r "$dead" "$work/copy"
export SG_NULL_FAULT=ok=exit@time
reads 5 run "$work/matrix.suite" --out="$dead" --seed="$seed" --resume
cmp -s "$dead/run.csv" "$work/copy/run.csv" || fail "--resume changed it: $(diff "$work/copy/run.csv" "$dead/run.csv" | head -3)"
reads 5 ab null/ok null/faster --case=tiny --out="$work/gate" --seed="$seed"
reads 0 gap "$work/gate"

# A baseline that fails only while it is counted is right and has no counters: 3 of the run, of
# compare and of accept, unless it is waived.
reads 0 accept "$work/clean" --out="$work/accepted.csv"
export SG_NULL_FAULT=ok=crash@count
reads 3 run "$work/matrix.suite" --out="$work/uncounted" --seed="$seed"
grep -q "^null,tiny,ok,status,.*,ok,,,\$" "$work/uncounted/run.csv" || fail "the baseline is not right"
reads 3 compare "$work/uncounted" "$work/accepted.csv"
prints "count_passes not_measured not counted: crash: while counted: "
reads 3 accept "$work/uncounted" --out="$work/accepted.csv" --reason=x
says "null/tiny/ok was not counted: crash: while counted: "
says "--waive=null/tiny/ok --reason=TEXT"
cp "$work/accepted.csv" "$work/waived.csv"
reads 0 accept "$work/uncounted" --out="$work/waived.csv" --waive=null/tiny/ok --reason="ticket 12" --until=9999-12-31
[ "$(grep "^null,null,tiny,ok,count_passes," "$work/waived.csv")" = "$(grep "^null,null,tiny,ok,count_passes," "$work/accepted.csv")" ] ||
    fail "the accepted counters of a waived variant are gone"
reads 0 compare "$work/uncounted" "$work/waived.csv"
prints "count_passes waived ticket 12, until 9999-12-31 (not_measured: not counted: crash"
[ "$failures" = 0 ]

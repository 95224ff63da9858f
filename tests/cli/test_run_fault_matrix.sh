#!/bin/sh
# Faults in each pass, of the candidate, the baseline and the vendor's variant: the run ends by
# itself with the exit code that is declared here, the offender has the outcome that is declared
# here, and the rows of its neighbours are those of a run without it, byte for byte. Where the
# baseline is the offender no variant has a time; everything else of the neighbours is the same.
# A fault of its streams needs a GPU, and is none of these cells.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"

cat >"$work/matrix.suite" <<'SUITE'
[suite]
title     = faults
l2        = cold
tolerance = 2%
metrics   = quick
processes = 5
blocks    = 4
launches  = 2
deadline  = 3s

[null_adversary]
variant = ok
variant = neighbour_a
variant = neighbour_b
variant = vendor_ok
SUITE

# others FOLDER OFFENDERS TIMELESS: the rows of all others; TIMELESS yes: without those of times
others()
{
    awk -F, -v offenders=" $2 " -v timeless="$3" '
        index(offenders, " " $3 " ") { next }
        timeless == "yes" && $4 ~ /^(time|time_ratio|sm_clock|sol_time|sol_gap)$/ { next }
        { print }
    ' "$1/run.csv"
}

# cell SPECIFICATION EXIT [VARIANT:METRIC:STATUS]...: one run; its failures go to a file of
# its own, for cells run side by side
cell()
{
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
            for who in neighbour_a neighbour_b vendor_ok; do
                case "$offenders " in *" $who "*) continue ;; esac
                [ "$(grep -c "^null_adversary,tiny,$who,time,.*,skipped,.*its baseline ok is" "$out/run.csv")" = 1 ] ||
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
    SG_NULL_FAULT=neighbour_a=atexit@$pass "$solgate" run "$work/matrix.suite" --out="$dead" --seed="$seed" \
        >"$work/stdout" 2>"$work/stderr" || code=$?
    [ "$code" = 0 ] || fail "atexit@$pass: exit status $code"
    prints 'A worker ended badly when it was done'
    says 'its worker was done, and then: killed by SIGABRT'
    grep -q "^worker_ends,\"*$pass.*killed by SIGABRT" "$dead/env.csv" || fail "atexit@$pass: not in env.csv"
    cmp -s "$work/clean/run.csv" "$dead/run.csv" || fail "atexit@$pass: run.csv differs"
done
# A hang waits for its deadline, and takes no processor.
cell neighbour_a=hang@time 5 neighbour_a:status:hang &
cell ok=hang@verify 5 ok:status:hang &
cell vendor_ok=hang@count 3 vendor_ok:count_passes:hang &
cell vendor_ok=fault@time 5 vendor_ok:status:cuda_error
# Memory that is kept while counters are read spoils no counter, and is not looked at.
cell neighbour_a=leak@count 0
cell ok=exit@time,neighbour_b=leak@time 5 ok:status:crash neighbour_b:time:skipped
cell ok=wrong@time,neighbour_b=sigsegv@time 5 ok:status:wrong neighbour_b:time:skipped
cell vendor_ok=wrong@verify,neighbour_b=sigkill@count 5 vendor_ok:status:wrong neighbour_b:count_passes:crash
cell neighbour_a=prepare_error@count,neighbour_b=finish_error@count 3 neighbour_a:count_passes:launch_failed
cell neighbour_a=sigterm@verify,neighbour_b=finish_error@time 5 neighbour_a:status:crash neighbour_b:status:launch_failed
cell neighbour_a=settings@time,vendor_ok=settings@count 0 neighbour_a:status:ok vendor_ok:count_passes:ok
cell neighbour_a=sets_late@time,vendor_ok=sets_late@verify 5 neighbour_a:status:misplaced vendor_ok:status:misplaced
wait
cat "$work"/*.failures
failures=$((failures + $(cat "$work"/*.failures | wc -l)))
[ "$(find "$work" -name '*.failures' | wc -l)" = 12 ] || fail "not all of 12 cells were run"
[ "$failures" = 0 ]

#!/bin/sh
# The guards of `solgate run` on the simulated GPU, which are those of `solgate ab`
# (test_ab_guards.sh has all troubles): slowdowns and drift drop a process and another takes its
# place, three times at most; what cannot be kept, and what was beside neighbours, is neither within
# nor accepted.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"

# compare EXIT_STATUS RUN: against a run that had the GPU alone
compare() {
    code=0
    "$solgate" compare "$2" "$work/alone" >"$work/stdout" 2>"$work/stderr" || code=$?
    [ "$code" = "$1" ] || fail "exit status $code instead of $1: compare ${2##*/}"
}

# refused RUN TEXT: its times are invalid and not accepted, with this reason
refused() {
    compare 3 "$1"
    prints "$2"
    grep -q ' within ' "$work/stdout" && fail "$trouble: a time is within"
    code=0
    "$solgate" accept "$1" --out="$work/accepted.csv" >"$work/stdout" 2>"$work/stderr" || code=$?
    [ "$code" = 3 ] || fail "$trouble: accepted: exit status $code instead of 3"
    says "$2"
}

# guarded TROUBLE NAME OPTIONS...: a run with that trouble, in $work/NAME
guarded() {
    ends 0 "$@"
}

# spoilt TROUBLE NAME OPTIONS...: the same, and its summary says that no time of it may be believed
spoilt() {
    ends 3 "$@"
    prints 'No time of this run is valid: '
}

# ends EXIT_STATUS TROUBLE NAME OPTIONS...: what both do
ends() {
    ended=$1 trouble=$2 name=$3
    shift 3
    export SOLGATE_NULL_TROUBLE="$trouble"
    run "$ended" "$suite" --seed=1 --out="$work/$name" "$@"
    unset SOLGATE_NULL_TROUBLE
}

guarded '' alone
grep -q '^dropped_processes,0$' "$work/alone/env.csv" || fail "env.csv does not say that no process was dropped"
grep -q '^events,none in 5 processes$' "$work/alone/env.csv" || fail "drift is not known in a run: $(grep '^events,' "$work/alone/env.csv")"
[ "$(sed 1d "$work/alone/processes.csv" | awk -F, '$3 && $4 && $13 > 50000 && $15 > 60000 && $23 > 50000 && $25 > 60000' | cut -d, -f1 | uniq |
    wc -l)" = 5 ] || fail "not each process timed the references at its start and end: $(cat "$work/alone/processes.csv")"

# trouble, processes dropped, exit status of compare, what it prints
number=0
while IFS='|' read -r trouble dropped judged text; do
    number=$((number + 1))
    dir=$work/trouble.$number
    if [ "$judged" = 3 ]; then
        spoilt "$trouble" "trouble.$number"
    else
        guarded "$trouble" "trouble.$number"
    fi
    grep -q "^dropped_processes,$dropped\$" "$dir/env.csv" || fail "$trouble: $dropped processes dropped were expected: $(cat "$dir/processes.csv")"
    if [ "$judged" = 3 ]; then
        refused "$dir" "$text"
    else
        compare 0 "$dir"
        prints "$text"
        rows "$dir/samples.csv" >"$work/batches"
        rows "$work/alone/samples.csv" | cmp -s - "$work/batches" || fail "$trouble: batches of a process that was dropped are left, or missing"
        cmp -s "$work/alone/run.csv" "$dir/run.csv" || fail "$trouble: it changed what came out"
    fi
done <<'TROUBLE'
0.0:slow 0.1:hw_slowdown 0.2:slow|3|0|3 processes dropped (chain +
3:hw_power_brake|3|3|1 process cannot be kept (process 3: hw_power_brake), 3 were dropped before, and the limit is 3
0.0:others 2.0:tenant|2|0|2 processes dropped (with 1 other process, with 1 other process)
*:hw_thermal|0|3|5 processes cannot be kept (process 0: hw_thermal), 0 were dropped before
TROUBLE

# Killed while a dropped process is measured again, and taken up: the same.
trouble='1.0:hw_thermal 3.0:slow'
guarded "$trouble" whole
SOLGATE_NULL_TROUBLE=$trouble "$solgate" run "$suite" --seed=1 --out="$work/killed" >/dev/null 2>&1 &
pid=$!
await grep -qs '^drop,.*chain ' "$work/killed/run.log"
kill -s KILL "$pid" 2>/dev/null || true
wait "$pid" 2>/dev/null || true
guarded "$trouble" killed --resume
same "$work/whole" "$work/killed" "killed and taken up"
grep -q '^dropped_processes,2$' "$work/killed/env.csv" || fail "killed and taken up: 2 processes dropped were expected"

# Neighbours make its times invalid, unless they were allowed.
grep -q '^neighbours,' "$work/alone/env.csv" && fail "a run that had the GPU alone had neighbours"
export SOLGATE_NULL_TROUBLE='*:others'
trouble=$SOLGATE_NULL_TROUBLE
run 3 "$suite" --seed=1 --out="$work/beside"
refused "$work/beside" 'during process 0, 1 other process computed on the GPU'
run 0 "$suite" --seed=1 --out="$work/beside.allowed" --allow-shared-gpu
compare 0 "$work/beside.allowed"
grep -q '^command,.* --allow-shared-gpu$' "$work/beside.allowed/env.csv" || fail "the command to go on with does not allow neighbours"

# Finishing a run again decides anew whether they are allowed.
run 0 "$suite" --seed=1 --out="$work/beside" --resume --allow-shared-gpu
grep -E '^(neighbours|unfit),' "$work/beside/env.csv" && fail "$trouble: env.csv still says why its times are invalid"
compare 0 "$work/beside"
run 3 "$suite" --seed=1 --out="$work/beside" --resume
refused "$work/beside" 'during process 0, 1 other process computed on the GPU'

# A run that is interrupted drops the batches of a process without an end: its guards did not
# answer.
sed '$a variant = slower\nvariant = hangs_when_timed
    /^variant/d; /^case *= small/d; s/^deadline .*/deadline = 1s/' "$suite" >"$work/hangs.suite"
unset SOLGATE_NULL_TROUBLE
trouble='interrupted beside a neighbour'
run 0 "$work/hangs.suite" --seed=6 --out="$work/undisturbed"
whole=$(grep -o '^time: 5 processes, .* in all' "$work/stderr")
SOLGATE_NULL_TROUBLE='0:others 0:hw_thermal' env --default-signal=INT "$solgate" run "$work/hangs.suite" --seed=6 \
    --out="$work/interrupted" >"$work/stdout" 2>"$work/stderr" &
pid=$!
await logs sample 2 "$work/interrupted"
kill -s INT "$pid"
code=0
wait "$pid" || code=$?
[ "$code" = 130 ] || fail "a run that was interrupted: exit status $code instead of 130"
[ "$(sed 1d "$work/interrupted/processes.csv" | grep -c '^0,0,[^,]*Z,,')" = 1 ] || fail "a worker that was interrupted has a row with an end, or none"
run 0 "$work/hangs.suite" --seed=6 --out="$work/interrupted" --resume
says "$whole"
same "$work/undisturbed" "$work/interrupted" "$trouble"
sed 1d "$work/interrupted/processes.csv" | grep -qv '^[0-4],0,[^,]*,[^,]*,none,' && fail "rows of batches that were let go are left"

# A worker that died has a row with an end and without figures of it.
export SOLGATE_NULL_TROUBLE='*:hw_thermal'
trouble=$SOLGATE_NULL_TROUBLE
run 3 "$suite" --seed=1 --out="$work/run"
compare 3 "$work/run"
prints 'events: hw_thermal in 5 of 5 processes'
[ "$(sed 1d "$work/run/processes.csv" | grep -c ',hw_thermal,,')" -ge 5 ] || fail "a run does not say what befell its processes"
grep -Eq "^0,0,[^,]+,[^,]+,hw_thermal,,.*,,,,,,,,,,$" "$work/run/processes.csv" || fail "a worker that died has no row with an end and without figures of it"

[ "$failures" = 0 ]

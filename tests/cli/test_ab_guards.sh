#!/bin/sh
# The guards of `solgate ab` on the simulated GPU: slowdowns and drift drop a process and
# another takes its place, three times at most; neighbours, MIG and MPS refuse the gate
# unless they are allowed; what befell each process stands in processes.csv. Those of
# `solgate run` are in test_run_guards.sh.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"

of=1 # the seed of the gates

# gate TROUBLE EXIT_STATUS NAME OPTIONS...: a gate with that trouble, in $work/NAME
gate() {
    trouble=$1 wanted=$2 name=$3
    shift 3
    code=0
    SOLGATE_NULL_TROUBLE=$trouble timeout 300 "$solgate" ab null/ok null/slower --case=tiny --seed="$of" --out="$work/$name" "$@" \
        >"$work/stdout" 2>"$work/stderr" || code=$?
    [ "$code" = "$wanted" ] || fail "exit status $code instead of $wanted: $trouble"
}

gate '' 1 quiet
if grep -q '^events:' "$work/stdout"; then fail "no event is no news: $(cat "$work/stdout")"; fi
[ "$(sed 1d "$work/quiet/processes.csv" | wc -l)" = 5 ] || fail "processes.csv has not a row for each of 5 processes"
[ "$(sed 1d "$work/quiet/processes.csv" | grep -cE '^[0-4],0,[0-9-]{10}T[0-9:]{8}Z,[0-9-]{10}T[0-9:]{8}Z,none,,')" = 5 ] ||
    fail "processes.csv: $(cat "$work/quiet/processes.csv")"
grep -q '^dropped_processes,0$' "$work/quiet/env.csv" || fail "env.csv does not say that no process was dropped"

# trouble, exit status, processes dropped, what is printed
number=0
while IFS='|' read -r trouble code dropped text; do
    number=$((number + 1))
    gate "$trouble" "$code" "trouble.$number"
    prints "$text"
    found=$(sed 1d "$work/trouble.$number/processes.csv" | cut -d, -f6 | grep -c .) || true
    [ "$found" = "$dropped" ] || fail "$trouble: $found processes dropped instead of $dropped"
    grep -q "^dropped_processes,$dropped\$" "$work/trouble.$number/env.csv" || fail "$trouble: env.csv does not count them"
    if [ "$code" = 3 ]; then
        [ "$(sed -n 2p "$work/stdout")" = "1 row: 1 invalid, against null/ok; simulated times, no GPU" ] || fail "$trouble: the row is not invalid"
        prints 'measured as regressed (+'
        [ "$(wc -l <"$work/trouble.$number/aa.csv")" = 1 ] || fail "$trouble: a gate that says nothing is counted in the tally"
    else
        rows "$work/trouble.$number/samples.csv" >"$work/batches"
        rows "$work/quiet/samples.csv" | cmp -s - "$work/batches" || fail "$trouble: batches of a process that was dropped are left, or missing"
        cmp -s "$work/quiet/run.csv" "$work/trouble.$number/run.csv" || fail "$trouble: it changed what came out"
    fi
done <<'TROUBLE'
3:sw_power_cap+display|1|0|events: sw_power_cap in 1 of 5 processes, display in 1 of 5 processes
0.0:hw_power_brake 4.0:sw_thermal|1|2|2 processes dropped (hw_power_brake, sw_thermal)
1.0:slow|1|1|1 process dropped (chain +
0.0:slow 0.1:hw_slowdown 0.2:slow|1|3|3 processes dropped (chain +
3:hw_thermal|3|3|1 process cannot be kept (process 3: hw_thermal), 3 were dropped before, and the limit is 3
0.0:hw_thermal 1.0:hw_thermal 2.0:hw_thermal 3.0:hw_thermal|3|0|4 processes cannot be kept (process 0: hw_thermal), 0 were dropped before
3:slow 4:slow|3|2|2 processes cannot be kept (process 3: chain +
4.0:others|1|1|1 process dropped (with 1 other process)
0.0:others 1.0:tenant 1.1:others|1|3|3 processes dropped (with 1 other process, with 1 other process, with 1 other process)
*:tenant *:unknown|1|0|not known in 5; not known: whether others used the GPU
4:others|3|3|during process 4, 1 other process computed on the GPU
*:others|3|0|during process 0, 1 other process computed on the GPU
*:mig|3|0|MIG is on
*:mps|3|0|MPS is on
2.0:hw_thermal *:mps|3|1|or pass --allow-shared-gpu
*:unknown|1|0|events: none in 0 processes, not known in 5; not known: whether others used the GPU
TROUBLE

for neighbour in others tenant mig mps; do
    gate "*:$neighbour" 1 "allowed.$neighbour" --allow-shared-gpu
    cmp -s "$work/quiet/run.csv" "$work/allowed.$neighbour/run.csv" || fail "$neighbour, allowed: it changed what came out"
done
gate '0.0:others' 1 energy --energy
prints '1 process dropped (with 1 other process)'
gate '*:mig' 3 shared --energy --allow-shared-gpu
prints 'NVML counts the whole GPU, which others use'
grep -q '^command,.* --allow-shared-gpu$' "$work/allowed.mps/env.csv" || fail "the command to go on with does not allow neighbours"
code=0
SOLGATE_NULL_TROUBLE='*:others' "$solgate" ab null/ok null/ok --case=tiny --out="$work/same" >"$work/stdout" 2>"$work/stderr" || code=$?
[ "$code" = 3 ] || fail "the same code with a neighbour: exit status $code instead of 3"

# Where most processes are slow, slow is what is usual; and one half stays apart from the other,
# however often it is measured again.
gate '0:slow 1:slow 2:slow' 3 most
prints '2 processes cannot be kept (process 3: chain -'

# Killed, and taken up again: the same. A process without an end is measured again.
of=$seed
trouble='1.0:hw_thermal 3.0:slow'
gate "$trouble" 1 whole
for lines in 50 230; do
    dir=$work/killed.$lines
    SOLGATE_NULL_TROUBLE=$trouble "$solgate" ab null/ok null/slower --case=tiny --seed="$seed" --out="$dir" >/dev/null 2>&1 &
    pid=$!
    await logs sample "$lines" "$dir"
    kill -s KILL "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
    gone "a gate that was killed"
    gate "$trouble" 1 "killed.$lines" --resume
    same "$work/whole" "$dir" "killed after $lines batches"
done
of=1
forget "$work/quiet" '^process,4,[0-9]*,[^,]*,2'
gate '' 1 quiet --resume
grep -q '^time: processes 1 to 5 of' "$work/stderr" || fail "batches of a process without an end are taken for good"
[ "$(sed 1d "$work/quiet/processes.csv" | wc -l)" = 5 ] || fail "its row is not there after --resume"
# A worker that died, or was killed with the gate, answers for no batches but its own.
cp -r "$work/quiet" "$work/died"
sed '/^process,[0-9]*,[0-9]*,[^,]*,2/,$d' "$work/quiet/run.log" >"$work/died/run.log"
gate '0:others' 3 died --resume
prints 'during process 0, 1 other process computed on the GPU'
sed -i 's/,none,/,fever,/' "$work/quiet/run.log"
gate '' 4 quiet --resume
says "events: expected events joined by +, or the word none, found 'fever'"

gate 'often:slow' 4 wrong
says "SOLGATE_NULL_TROUBLE: expected [GPU/]PROCESS[.ATTEMPT]:WHAT, found 'often:slow'"

[ "$failures" = 0 ]

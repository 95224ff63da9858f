#!/bin/sh
# A signal ends a run with its exit code, leaves no worker behind, and --resume ends in the bytes of
# a run that nothing ended. A worker that is killed from outside costs its own item. SIGKILL at
# random moments: test_killed.sh.
set -eu
# shellcheck source=tests/cli/run_lib.sh
. "$(dirname "$0")/run_lib.sh"

# Variants that hang make each phase last, so that a signal meets an unfinished run.
sed -i '/small$/d; s/^deadline .*/deadline = 1s/; s/^variant .*wrong$/&\nvariant = hang\nvariant = hangs_when_timed/' "$suite"
run 0 "$suite" --out="$work/whole" --seed="$seed"
items=$(grep -c '^value,.*,status,,' "$work/whole/run.log")

# begin DIR ARGUMENTS...: a run in the background; $pid is solgate, which takes SIGINT as it would
# in a terminal
begin() {
    dir=$1
    shift
    env --default-signal=INT "$solgate" run "$suite" --seed="$seed" --out="$dir" --jobs=2 "$@" >"$work/stdout" 2>"$work/stderr" &
    pid=$!
}

# ended EXIT_STATUS WHAT: the run in the background has left so
ended() {
    code=0
    wait "$pid" || code=$?
    [ "$code" = "$1" ] || fail "$2: exit status $code instead of $1"
    gone "$2"
}

# pass that must have begun, seconds after that, signal, exit status
while read -r pass seconds signal code; do
    what="SIG$signal $seconds s into $pass"
    dir=$work/$pass.$signal
    begin "$dir"
    await processes "--pass=$pass" >"$work/pids"
    sleep "$seconds"
    kill -s "$signal" "$pid"
    ended "$code" "$what"
    done_before=$(grep -c '^value,.*,status,,' "$dir/run.log") || true
    [ "$signal" = KILL ] || [ "$done_before" = 0 ] || says "--resume"
    run 0 "$suite" --out="$dir" --seed="$seed" --resume
    same "$work/whole" "$dir" "$what"
    left=$(sed -n 's/^verify: \([0-9]*\) items*.*/\1/p' "$work/stderr")
    [ "$((${left:-0} + done_before))" = "$items" ] || fail "$what: $done_before of $items were verified, and ${left:-0} again"
done <<'MOMENTS'
verify 0.1 INT 130
time 0.3 KILL 137
time 0.3 TERM 130
MOMENTS

sed -i 's/= 1s/= 60s/; s/= hang$/= stubborn/' "$suite"
begin "$work/outside" --case=tiny --variant=stubborn
await logs value 3 "$work/outside"
await process --pass=verify /stubborn
kill -s KILL "$(cat "$work/pid")"
ended 5 "a worker killed from outside"
grep -q '^null,tiny,stubborn,status,.*,crash,killed by SIGKILL' "$work/outside/run.csv" || fail "a worker killed from outside is not told"
grep -q '^null,tiny,ok,time,ns,' "$work/outside/run.csv" || fail "a worker killed from outside cost another item"

[ "$failures" = 0 ]
